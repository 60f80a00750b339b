# unit tests of libgenkan/local
EXTRA_DIST += tests/unit/local/ground.h
if HAVE_CHECK
check_PROGRAMS += tests/unit/local/test_install
tests_unit_local_test_install_SOURCES = tests/unit/local/test_install.c
tests_unit_local_test_install_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_local_test_install_CFLAGS = $(TEST_CFLAGS)
tests_unit_local_test_install_LDADD = libgktest.la $(GK_FLOOR_LOCAL) $(CHECK_LIBS)
TESTS += tests/unit/local/test_install
check_PROGRAMS += tests/unit/local/test_rendezvous
tests_unit_local_test_rendezvous_SOURCES = tests/unit/local/test_rendezvous.c
tests_unit_local_test_rendezvous_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_local_test_rendezvous_CFLAGS = $(TEST_CFLAGS)
tests_unit_local_test_rendezvous_LDADD = libgktest.la $(GK_FLOOR_LOCAL) $(CHECK_LIBS)
TESTS += tests/unit/local/test_rendezvous
check_PROGRAMS += tests/unit/local/test_stores
tests_unit_local_test_stores_SOURCES = tests/unit/local/test_stores.c
tests_unit_local_test_stores_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_local_test_stores_CFLAGS = $(TEST_CFLAGS)
tests_unit_local_test_stores_LDADD = libgktest.la $(GK_FLOOR_LOCAL) $(CHECK_LIBS)
TESTS += tests/unit/local/test_stores
endif
