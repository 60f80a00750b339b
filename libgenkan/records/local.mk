noinst_LTLIBRARIES += libgkrecords.la
libgkrecords_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkrecords_la_SOURCES = \
  libgenkan/records/anchor.c \
  libgenkan/records/anchor.h \
  libgenkan/records/auditrec.c \
  libgenkan/records/auditrec.h \
  libgenkan/records/historyrec.c \
  libgenkan/records/historyrec.h \
  libgenkan/records/keyrec.c \
  libgenkan/records/keyrec.h \
  libgenkan/records/ladder.c \
  libgenkan/records/ladder.h \
  libgenkan/records/langrec.c \
  libgenkan/records/langrec.h \
  libgenkan/records/manifest.c \
  libgenkan/records/manifest.h \
  libgenkan/records/migrations/hostkey.c \
  libgenkan/records/migrations/history.c \
  libgenkan/records/migrations/lang.c \
  libgenkan/records/migrations/policy.c \
  libgenkan/records/migrations/trust.c \
  libgenkan/records/policydoc.c \
  libgenkan/records/policyrec.c \
  libgenkan/records/policyrec.h \
  libgenkan/records/policyval.c \
  libgenkan/records/policyval.h \
  libgenkan/records/record.c \
  libgenkan/records/record.h \
  libgenkan/records/runlock.c \
  libgenkan/records/runlock.h \
  libgenkan/records/store.c \
  libgenkan/records/store.h \
  libgenkan/records/trustrec.c \
  libgenkan/records/trustrec.h \
  libgenkan/records/trustwrite.c \
  libgenkan/records/wrapper.c \
  libgenkan/records/wrapper.h
