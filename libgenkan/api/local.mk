noinst_LTLIBRARIES += libgkapi.la
# Where an embedder expects the programs.  Written anew only when it is another
# directory, as after a configure with another prefix.
BUILT_SOURCES += libgenkan/api/programdir.h
CLEANFILES += libgenkan/api/programdir.h
libgenkan/api/programdir.h: Makefile
	$(AM_V_GEN)$(MKDIR_P) libgenkan/api && \
	  t=$@.$$$$ && echo '#define GK_PROGRAM_DIR "$(bindir)"' > $$t && \
	  if cmp -s $$t $@; then rm -f $$t; else mv -f $$t $@; fi
libgkapi_la_SOURCES = \
  libgenkan/api/atdesk.c \
  libgenkan/api/atdesk.h \
  libgenkan/api/ceremony.c \
  libgenkan/api/ceremony.h \
  libgenkan/api/client.c \
  libgenkan/api/context.c \
  libgenkan/api/host.c \
  libgenkan/api/job.c \
  libgenkan/api/job.h \
  libgenkan/api/keystore.c \
  libgenkan/api/leg.c \
  libgenkan/api/local.c \
  libgenkan/api/native.c \
  libgenkan/api/peer.c \
  libgenkan/api/policy.c \
  libgenkan/api/server.c \
  libgenkan/api/trust.c \
  libgenkan/api/webauthn.c

genkaninclude_HEADERS += \
  include/genkan/client.h \
  include/genkan/context.h \
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
  include/genkan/trust.h \
  include/genkan/webauthn.h
nodist_genkaninclude_HEADERS += include/genkan/version.h
