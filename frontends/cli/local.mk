bin_PROGRAMS += genkan
genkan_SOURCES = \
  frontends/cli/cli.h \
  frontends/cli/cmd_audit.c \
  frontends/cli/cmd_clients.c \
  frontends/cli/cmd_doctor.c \
  frontends/cli/cmd_key.c \
  frontends/cli/cmd_kill.c \
  frontends/cli/cmd_policy.c \
  frontends/cli/cmd_uninstall.c \
  frontends/cli/ends.c \
  frontends/cli/ends.h \
  frontends/cli/main.c
genkan_CPPFLAGS = $(GK_FE_CPP)
genkan_CFLAGS = $(GK_FE_C)
genkan_LDFLAGS = $(GK_FE_LD)
genkan_LDADD = $(GK_FE_LIBS)
