# The crypto floor: digests and MACs.
noinst_LTLIBRARIES += libgkcrypto.la
libgkcrypto_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkcrypto_la_SOURCES = \
  libgenkan/crypto/digest.c libgenkan/crypto/digest.h \
  libgenkan/crypto/es256.c libgenkan/crypto/es256.h \
  libgenkan/crypto/mac.c libgenkan/crypto/mac.h \
  libgenkan/crypto/ossl.c libgenkan/crypto/ossl.h \
  libgenkan/crypto/ossl_priv.h \
  libgenkan/crypto/p256.c libgenkan/crypto/p256.h \
  libgenkan/crypto/signer.c libgenkan/crypto/signer.h
