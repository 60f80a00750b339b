# The codec floor: bytes to values and back.  No policy, no keys, no time.
noinst_LTLIBRARIES += libgkcodec.la
libgkcodec_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkcodec_la_SOURCES = \
  libgenkan/codec/b64.c libgenkan/codec/b64.h \
  libgenkan/codec/cbor.c libgenkan/codec/cbor.h \
  libgenkan/codec/cose.c libgenkan/codec/cose.h \
  libgenkan/codec/der.c libgenkan/codec/der.h \
  libgenkan/codec/field.c libgenkan/codec/field.h \
  libgenkan/codec/frame.c libgenkan/codec/frame.h \
  libgenkan/codec/hex.c libgenkan/codec/hex.h \
  libgenkan/codec/json.c libgenkan/codec/json.h \
  libgenkan/codec/jsonrpc.c libgenkan/codec/jsonrpc.h \
  libgenkan/codec/jstr.c libgenkan/codec/jstr.h \
  libgenkan/codec/keyset.c libgenkan/codec/keyset.h \
  libgenkan/codec/line.c libgenkan/codec/line.h \
  libgenkan/codec/num.c libgenkan/codec/num.h \
  libgenkan/codec/runs.c libgenkan/codec/runs.h \
  libgenkan/codec/scan.c libgenkan/codec/scan.h \
  libgenkan/codec/scan_compact.c libgenkan/codec/scan_member.c \
  libgenkan/codec/url.c libgenkan/codec/url.h \
  libgenkan/codec/walk.c libgenkan/codec/walk.h
