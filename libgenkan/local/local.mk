noinst_LTLIBRARIES += libgklocal.la
libgklocal_la_SOURCES = \
  libgenkan/local/auditlog.c \
  libgenkan/local/auditlog.h \
  libgenkan/local/browsers.c \
  libgenkan/local/browsers.h \
  libgenkan/local/dialling.c \
  libgenkan/local/doctor.c \
  libgenkan/local/doctor.h \
  libgenkan/local/doctor_json.c \
  libgenkan/local/doctor_records.c \
  libgenkan/local/doctor_words.c \
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
  libgenkan/local/register.c \
  libgenkan/local/register.h \
  libgenkan/local/register_run.c \
  libgenkan/local/register_run.h \
  libgenkan/local/rendezvous.c \
  libgenkan/local/rendezvous.h \
  libgenkan/local/rendezvous_impl.h \
  libgenkan/local/report.c \
  libgenkan/local/report.h \
  libgenkan/local/stores.c \
  libgenkan/local/stores.h
