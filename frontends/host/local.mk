bin_PROGRAMS += genkan-host
genkan_host_SOURCES = \
  frontends/host/host.c \
  frontends/host/host.h \
  frontends/host/main.c
genkan_host_CPPFLAGS = $(GK_FRONTEND_CPPFLAGS)
genkan_host_CFLAGS = $(GK_FRONTEND_CFLAGS)
genkan_host_LDFLAGS = $(GK_FRONTEND_LDFLAGS)
genkan_host_LDADD = $(GK_FRONTEND_LDADD)
