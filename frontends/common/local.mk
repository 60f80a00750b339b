# What the programs share.  libuv is linked with it, and seen by loop.c alone.
noinst_LTLIBRARIES += libfrontends.la
libfrontends_la_SOURCES = \
  frontends/common/confine.c \
  frontends/common/confine.h \
  frontends/common/drive.c \
  frontends/common/drive.h \
  frontends/common/grace.c \
  frontends/common/grace.h \
  frontends/common/hygiene.c \
  frontends/common/hygiene.h \
  frontends/common/jobs.c \
  frontends/common/jobs.h \
  frontends/common/log.c \
  frontends/common/log.h \
  frontends/common/loop.c \
  frontends/common/loop.h \
  frontends/common/opt.c \
  frontends/common/opt.h \
  frontends/common/out.c \
  frontends/common/out.h \
  frontends/common/pump.c \
  frontends/common/pump.h \
  frontends/common/signals.c \
  frontends/common/signals.h \
  frontends/common/width.c \
  frontends/common/width.h
libfrontends_la_CPPFLAGS = $(GK_FE_CPP) $(UV_CFLAGS) $(GK_LT_ONCE)
libfrontends_la_CFLAGS = $(AM_CFLAGS) $(GK_PIE_CFLAGS) -pthread

# Front-ends see the public headers and frontends/common, nothing of libgenkan.
GK_FE_CPP = -I$(top_builddir)/include -I$(top_srcdir)/include \
  -I$(top_srcdir)/frontends $(GK_CPPFLAGS) -D_GNU_SOURCE
GK_FE_C = $(AM_CFLAGS) $(GK_PIE_CFLAGS) -pthread
GK_FE_LD = $(AM_LDFLAGS) $(GK_PIE_LDFLAGS) -pthread
GK_FE_LIBS = libfrontends.la libgkall.la $(GK_LIBS) $(UV_LIBS)

# The filter of system calls is compiled during the build, by libseccomp, and
# is nothing but numbers in the programs.
EXTRA_DIST += frontends/common/calls.def frontends/common/genfilter.c
if SECCOMP
libfrontends_la_CPPFLAGS += -DGK_SECCOMP -I$(top_builddir)/frontends
FILTER = frontends/common/filter.inc
BUILT_SOURCES += $(FILTER)
CLEANFILES += $(FILTER) frontends/common/genfilter
frontends/common/genfilter: frontends/common/genfilter.c \
    frontends/common/calls.def frontends/common/confine.h
	$(AM_V_at)$(MKDIR_P) frontends/common
	$(AM_V_CC)$(CC_FOR_BUILD) -O1 $(SECCOMP_CFLAGS) -o $@ \
	  $(srcdir)/frontends/common/genfilter.c $(SECCOMP_LIBS)
$(FILTER): frontends/common/genfilter config.status
	$(AM_V_GEN)frontends/common/genfilter $(host_cpu) >$@.tmp && \
	  mv $@.tmp $@
$(libfrontends_la_OBJECTS): $(FILTER)
endif
