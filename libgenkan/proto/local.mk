# Machines of one connection.
noinst_LTLIBRARIES += libgkproto.la
libgkproto_la_SOURCES = \
  libgenkan/proto/accept.h \
  libgenkan/proto/attach.h \
  libgenkan/proto/dial.h \
  libgenkan/proto/envelope.h \
  libgenkan/proto/handshake.h \
  libgenkan/proto/machine.h \
  libgenkan/proto/queue.h
