# One convenience library per floor: an upward reference from a unit test is a
# link error.  libgkall has all floors; the programs link it statically.

include libgenkan/contract/local.mk
include libgenkan/base/local.mk
include libgenkan/codec/local.mk
include libgenkan/crypto/local.mk
include libgenkan/records/local.mk
include libgenkan/trust/local.mk
include libgenkan/proto/local.mk
include libgenkan/engine/local.mk
include libgenkan/os/local.mk
include libgenkan/local/local.mk
include libgenkan/api/local.mk
include libgenkan/doc/local.mk

# Each floor with all that it may use, for the unit tests.
GK_FLOOR_CONTRACT = libgkcontract.la
GK_FLOOR_BASE = libgkbase.la $(GK_FLOOR_CONTRACT) $(SODIUM_LIBS)
GK_FLOOR_CODEC = libgkcodec.la $(GK_FLOOR_BASE) $(JANSSON_LIBS)
GK_FLOOR_CRYPTO = libgkcrypto.la $(GK_FLOOR_CODEC) $(CRYPTO_LIBS)
GK_FLOOR_RECORDS = libgkrecords.la $(GK_FLOOR_CRYPTO)
GK_FLOOR_TRUST = libgktrust.la $(GK_FLOOR_RECORDS)
GK_FLOOR_PROTO = libgkproto.la $(GK_FLOOR_CRYPTO)
GK_FLOOR_ENGINE = libgkengine.la libgkproto.la $(GK_FLOOR_TRUST)
GK_FLOOR_OS = libgkos.la $(GK_FLOOR_CRYPTO)
GK_FLOOR_LOCAL = libgklocal.la libgkos.la $(GK_FLOOR_ENGINE)

noinst_LTLIBRARIES += libgkall.la
libgkall_la_SOURCES =
libgkall_la_LIBADD = libgkapi.la libgklocal.la libgkengine.la libgkproto.la \
  libgktrust.la libgkrecords.la libgkos.la libgkcrypto.la libgkcodec.la \
  libgkbase.la libgkcontract.la

lib_LTLIBRARIES += libgenkan.la
libgenkan_la_SOURCES =
libgenkan_la_LIBADD = libgkall.la $(GK_LIBS)
libgenkan_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined \
  -version-info $(GENKAN_LT_VERSION)
# Named, or editing the map does not relink.
libgenkan_la_DEPENDENCIES = libgkall.la libgenkan/genkan.map
if HAVE_VERSION_SCRIPT
libgenkan_la_LDFLAGS += \
  -Wl,--version-script=$(top_srcdir)/libgenkan/genkan.map
endif
EXTRA_DIST += libgenkan/genkan.map libgenkan/README
