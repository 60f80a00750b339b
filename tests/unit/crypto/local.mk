# unit tests of libgenkan/crypto
if HAVE_CHECK
check_PROGRAMS += tests/unit/crypto/test_digest
tests_unit_crypto_test_digest_SOURCES = tests/unit/crypto/test_digest.c
tests_unit_crypto_test_digest_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_crypto_test_digest_CFLAGS = $(TEST_CFLAGS)
tests_unit_crypto_test_digest_LDADD = libgktest.la $(GK_FLOOR_CRYPTO) $(CHECK_LIBS)
TESTS += tests/unit/crypto/test_digest
check_PROGRAMS += tests/unit/crypto/test_es256
tests_unit_crypto_test_es256_SOURCES = tests/unit/crypto/test_es256.c
tests_unit_crypto_test_es256_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_crypto_test_es256_CFLAGS = $(TEST_CFLAGS)
tests_unit_crypto_test_es256_LDADD = libgktest.la $(GK_FLOOR_CRYPTO) $(CHECK_LIBS)
TESTS += tests/unit/crypto/test_es256
check_PROGRAMS += tests/unit/crypto/test_mac
tests_unit_crypto_test_mac_SOURCES = tests/unit/crypto/test_mac.c
tests_unit_crypto_test_mac_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_crypto_test_mac_CFLAGS = $(TEST_CFLAGS)
tests_unit_crypto_test_mac_LDADD = libgktest.la $(GK_FLOOR_CRYPTO) $(CHECK_LIBS)
TESTS += tests/unit/crypto/test_mac
check_PROGRAMS += tests/unit/crypto/test_p256
tests_unit_crypto_test_p256_SOURCES = tests/unit/crypto/test_p256.c
tests_unit_crypto_test_p256_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_crypto_test_p256_CFLAGS = $(TEST_CFLAGS)
tests_unit_crypto_test_p256_LDADD = libgktest.la $(GK_FLOOR_CRYPTO) $(CHECK_LIBS)
TESTS += tests/unit/crypto/test_p256
check_PROGRAMS += tests/unit/crypto/test_signer
tests_unit_crypto_test_signer_SOURCES = tests/unit/crypto/test_signer.c
tests_unit_crypto_test_signer_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_crypto_test_signer_CFLAGS = $(TEST_CFLAGS)
tests_unit_crypto_test_signer_LDADD = libgktest.la $(GK_FLOOR_CRYPTO) $(CHECK_LIBS)
TESTS += tests/unit/crypto/test_signer
endif
