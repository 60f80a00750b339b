# Machines that join connections with verdicts.
noinst_LTLIBRARIES += libgkengine.la
libgkengine_la_SOURCES =

# A server of one harness, in every role.
libgkengine_la_SOURCES += \
  libgenkan/engine/election.c \
  libgenkan/engine/election.h \
  libgenkan/engine/held.c \
  libgenkan/engine/held.h \
  libgenkan/engine/relay.c \
  libgenkan/engine/relay.h \
  libgenkan/engine/server.c \
  libgenkan/engine/server.h \
  libgenkan/engine/server_call.c \
  libgenkan/engine/server_impl.h \
  libgenkan/engine/server_own.c \
  libgenkan/engine/server_role.c \
  libgenkan/engine/server_trust.c
