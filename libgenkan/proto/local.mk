# Machines of one connection.
noinst_LTLIBRARIES += libgkproto.la
libgkproto_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkproto_la_SOURCES = \
  libgenkan/proto/accept.c \
  libgenkan/proto/accept.h \
  libgenkan/proto/attach.c \
  libgenkan/proto/attach.h \
  libgenkan/proto/dial.c \
  libgenkan/proto/dial.h \
  libgenkan/proto/envelope.c \
  libgenkan/proto/envelope.h \
  libgenkan/proto/handshake.c \
  libgenkan/proto/handshake.h \
  libgenkan/proto/machine.h \
  libgenkan/proto/nm.c \
  libgenkan/proto/nm.h \
  libgenkan/proto/queue.c \
  libgenkan/proto/queue.h

# One MCP connection, from its server's side and from its client's.
libgkproto_la_SOURCES += \
  libgenkan/proto/mcp.c \
  libgenkan/proto/mcp.h \
  libgenkan/proto/mcp_call.c \
  libgenkan/proto/mcp_ids.c \
  libgenkan/proto/mcp_impl.h \
  libgenkan/proto/mcp_meta.c \
  libgenkan/proto/mcp_method.c \
  libgenkan/proto/mcp_render.c \
  libgenkan/proto/mcp_reply.c \
  libgenkan/proto/mcpc.c \
  libgenkan/proto/mcpc.h
