bin_PROGRAMS += genkan-host
genkan_host_SOURCES = \
  frontends/host/host.c \
  frontends/host/host.h \
  frontends/host/main.c
genkan_host_CPPFLAGS = $(GK_FE_CPP)
genkan_host_CFLAGS = $(GK_FE_C)
genkan_host_LDFLAGS = $(GK_FE_LD)
genkan_host_LDADD = $(GK_FE_LIBS)
