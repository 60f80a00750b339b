noinst_LTLIBRARIES += libgklocal.la
libgklocal_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgklocal_la_SOURCES = \
  libgenkan/local/auditlog.c \
  libgenkan/local/auditlog.h \
  libgenkan/local/auditview.c \
  libgenkan/local/auditview.h \
  libgenkan/local/browsers.c \
  libgenkan/local/browsers.h \
  libgenkan/local/clients.c \
  libgenkan/local/clients.h \
  libgenkan/local/desk.c \
  libgenkan/local/desk.h \
  libgenkan/local/dialling.c \
  libgenkan/local/doctor.c \
  libgenkan/local/doctor.h \
  libgenkan/local/doctor_frame.c \
  libgenkan/local/doctor_json.c \
  libgenkan/local/doctor_records.c \
  libgenkan/local/doctor_words.c \
  libgenkan/local/hostask.c \
  libgenkan/local/hostask.h \
  libgenkan/local/hostkey.c \
  libgenkan/local/hostkey.h \
  libgenkan/local/hostpair.c \
  libgenkan/local/hostpair.h \
  libgenkan/local/install.c \
  libgenkan/local/install.h \
  libgenkan/local/keyring.c \
  libgenkan/local/keyring.h \
  libgenkan/local/killswitch.c \
  libgenkan/local/killswitch.h \
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
  libgenkan/local/policydesk.c \
  libgenkan/local/policydesk.h \
  libgenkan/local/policyread.c \
  libgenkan/local/policyshow.c \
  libgenkan/local/register.c \
  libgenkan/local/register.h \
  libgenkan/local/register_host.c \
  libgenkan/local/register_host.h \
  libgenkan/local/register_rows.c \
  libgenkan/local/register_rows.h \
  libgenkan/local/register_run.c \
  libgenkan/local/register_run.h \
  libgenkan/local/rendezvous.c \
  libgenkan/local/rendezvous.h \
  libgenkan/local/rendezvous_impl.h \
  libgenkan/local/report.c \
  libgenkan/local/report.h \
  libgenkan/local/statedir.c \
  libgenkan/local/statedir.h \
  libgenkan/local/stores.c \
  libgenkan/local/stores.h
# Where a program that is none of ours expects them.  Written anew only when it
# is another directory, as after a configure with another prefix.
BUILT_SOURCES += libgenkan/local/programdir.h
CLEANFILES += libgenkan/local/programdir.h
libgenkan/local/programdir.h: Makefile
	$(AM_V_GEN)$(MKDIR_P) libgenkan/local && \
	  t=$@.$$$$ && echo '#define GK_PROGRAM_DIR "$(bindir)"' > $$t && \
	  if cmp -s $$t $@; then rm -f $$t; else mv -f $$t $@; fi
