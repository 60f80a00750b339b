# The base floor: memory, text, maps, errors, log, clock and randomness.
noinst_LTLIBRARIES += libgkbase.la
libgkbase_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkbase_la_SOURCES = \
  libgenkan/base/base.h \
  libgenkan/base/alloc.c libgenkan/base/alloc.h \
  libgenkan/base/buf.c libgenkan/base/buf.h \
  libgenkan/base/clock.c libgenkan/base/clock.h \
  libgenkan/base/ctx.c libgenkan/base/ctx.h \
  libgenkan/base/err.c libgenkan/base/err.h \
  libgenkan/base/log.c libgenkan/base/log.h \
  libgenkan/base/map.c libgenkan/base/map.h \
  libgenkan/base/rng.c libgenkan/base/rng.h \
  libgenkan/base/secret.c libgenkan/base/secret.h \
  libgenkan/base/str.c libgenkan/base/str.h
