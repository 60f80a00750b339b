noinst_LTLIBRARIES += libgklocal.la
libgklocal_la_SOURCES = \
  libgenkan/local/dialling.c \
  libgenkan/local/install.c \
  libgenkan/local/install.h \
  libgenkan/local/lockfile.c \
  libgenkan/local/lockfile.h \
  libgenkan/local/measure.c \
  libgenkan/local/measure.h \
  libgenkan/local/notes.c \
  libgenkan/local/notes.h \
  libgenkan/local/parent.c \
  libgenkan/local/parent.h \
  libgenkan/local/place.c \
  libgenkan/local/place.h \
  libgenkan/local/rendezvous.c \
  libgenkan/local/rendezvous.h \
  libgenkan/local/rendezvous_impl.h \
  libgenkan/local/stores.c \
  libgenkan/local/stores.h
