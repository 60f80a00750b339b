bin_PROGRAMS += genkan-server
genkan_server_SOURCES = \
  frontends/server/main.c \
  frontends/server/server.c \
  frontends/server/server.h
genkan_server_CPPFLAGS = $(GK_FE_CPP)
genkan_server_CFLAGS = $(GK_FE_C)
genkan_server_LDFLAGS = $(GK_FE_LD)
genkan_server_LDADD = $(GK_FE_LIBS)
