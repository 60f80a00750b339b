# unit tests of libgenkan/api
if HAVE_CHECK
check_PROGRAMS += tests/unit/api/test_context
tests_unit_api_test_context_SOURCES = tests/unit/api/test_context.c
tests_unit_api_test_context_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_api_test_context_CFLAGS = $(TEST_CFLAGS)
tests_unit_api_test_context_LDADD = libgktest.la libgkall.la $(GK_LIBS) $(CHECK_LIBS)
TESTS += tests/unit/api/test_context
check_PROGRAMS += tests/unit/api/test_local
tests_unit_api_test_local_SOURCES = tests/unit/api/test_local.c
tests_unit_api_test_local_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_api_test_local_CFLAGS = $(TEST_CFLAGS)
tests_unit_api_test_local_LDADD = libgktest.la libgkall.la $(GK_LIBS) $(CHECK_LIBS)
TESTS += tests/unit/api/test_local
check_PROGRAMS += tests/unit/api/test_native
tests_unit_api_test_native_SOURCES = tests/unit/api/test_native.c
tests_unit_api_test_native_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_api_test_native_CFLAGS = $(TEST_CFLAGS)
tests_unit_api_test_native_LDADD = libgktest.la libgkall.la $(GK_LIBS) $(CHECK_LIBS)
TESTS += tests/unit/api/test_native
check_PROGRAMS += tests/unit/api/test_leg
tests_unit_api_test_leg_SOURCES = tests/unit/api/test_leg.c
tests_unit_api_test_leg_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_api_test_leg_CFLAGS = $(TEST_CFLAGS)
tests_unit_api_test_leg_LDADD = libgktest.la libgkall.la $(GK_LIBS) $(CHECK_LIBS)
TESTS += tests/unit/api/test_leg
endif
