noinst_LTLIBRARIES += libgkapi.la
libgkapi_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkapi_la_SOURCES = \
  libgenkan/api/atdesk.c \
  libgenkan/api/atdesk.h \
  libgenkan/api/broker.c \
  libgenkan/api/ceremony.c \
  libgenkan/api/ceremony.h \
  libgenkan/api/client.c \
  libgenkan/api/client_dial.c \
  libgenkan/api/client_impl.h \
  libgenkan/api/code.c \
  libgenkan/api/context.c \
  libgenkan/api/dispatch.c \
  libgenkan/api/dispatch.h \
  libgenkan/api/door.h \
  libgenkan/api/host.c \
  libgenkan/api/host_impl.h \
  libgenkan/api/host_jobs.c \
  libgenkan/api/job.c \
  libgenkan/api/job.h \
  libgenkan/api/keystore.c \
  libgenkan/api/leg.c \
  libgenkan/api/local.c \
  libgenkan/api/native.c \
  libgenkan/api/peer.c \
  libgenkan/api/peer.h \
  libgenkan/api/policy.c \
  libgenkan/api/secret.h \
  libgenkan/api/server.c \
  libgenkan/api/server_conn.c \
  libgenkan/api/server_impl.h \
  libgenkan/api/server_jobs.c \
  libgenkan/api/sized.h \
  libgenkan/api/trust.c \
  libgenkan/api/userstore.c \
  libgenkan/api/userstore.h \
  libgenkan/api/webauthn.c

genkaninclude_HEADERS += \
  include/genkan/broker.h \
  include/genkan/client.h \
  include/genkan/context.h \
  include/genkan/dispatch.h \
  include/genkan/event.h \
  include/genkan/export.h \
  include/genkan/genkan.h \
  include/genkan/host.h \
  include/genkan/keystore.h \
  include/genkan/leg.h \
  include/genkan/local.h \
  include/genkan/native.h \
  include/genkan/peer.h \
  include/genkan/policy.h \
  include/genkan/server.h \
  include/genkan/store.h \
  include/genkan/trust.h \
  include/genkan/webauthn.h
nodist_genkaninclude_HEADERS += include/genkan/version.h
