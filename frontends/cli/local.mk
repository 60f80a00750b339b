# frontends/cli: the command-line tool.
bin_PROGRAMS += genkan
genkan_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/frontends
genkan_CFLAGS = $(AM_CFLAGS) $(GK_PIE_CFLAGS)
genkan_LDFLAGS = $(AM_LDFLAGS) $(GK_PIE_LDFLAGS)
genkan_SOURCES = \
  frontends/cli/cli.h \
  frontends/cli/cmd_doctor.c \
  frontends/cli/cmd_uninstall.c \
  frontends/cli/main.c \
  frontends/common/hygiene.c \
  frontends/common/hygiene.h \
  frontends/common/opt.c \
  frontends/common/opt.h \
  frontends/common/out.c \
  frontends/common/out.h
genkan_LDADD = libgkall.la $(GK_LIBS)
