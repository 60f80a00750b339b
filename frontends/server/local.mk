bin_PROGRAMS += genkan-server
genkan_server_SOURCES = \
  frontends/server/main.c \
  frontends/server/server.c \
  frontends/server/server.h
genkan_server_CPPFLAGS = $(GK_FRONTEND_CPPFLAGS)
genkan_server_CFLAGS = $(GK_FRONTEND_CFLAGS)
genkan_server_LDFLAGS = $(GK_FRONTEND_LDFLAGS)
genkan_server_LDADD = $(GK_FRONTEND_LDADD)
