# Unit tests of libgenkan/base, and what all unit tests share: link libgktest.la
# before the floor.
if HAVE_CHECK
check_LTLIBRARIES = libgktest.la
libgktest_la_SOURCES = tests/unit/util.c tests/unit/util.h
libgktest_la_CPPFLAGS = $(TEST_CPPFLAGS)
libgktest_la_CFLAGS = $(TEST_CFLAGS)
endif

if HAVE_CHECK
check_PROGRAMS += tests/unit/base/test_alloc
tests_unit_base_test_alloc_SOURCES = tests/unit/base/test_alloc.c
tests_unit_base_test_alloc_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_base_test_alloc_CFLAGS = $(TEST_CFLAGS)
tests_unit_base_test_alloc_LDADD = libgktest.la $(GK_FLOOR_BASE) $(CHECK_LIBS)
TESTS += tests/unit/base/test_alloc
check_PROGRAMS += tests/unit/base/test_buf
tests_unit_base_test_buf_SOURCES = tests/unit/base/test_buf.c
tests_unit_base_test_buf_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_base_test_buf_CFLAGS = $(TEST_CFLAGS)
tests_unit_base_test_buf_LDADD = libgktest.la $(GK_FLOOR_BASE) $(CHECK_LIBS)
TESTS += tests/unit/base/test_buf
check_PROGRAMS += tests/unit/base/test_ctx
tests_unit_base_test_ctx_SOURCES = tests/unit/base/test_ctx.c
tests_unit_base_test_ctx_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_base_test_ctx_CFLAGS = $(TEST_CFLAGS)
tests_unit_base_test_ctx_LDADD = libgktest.la $(GK_FLOOR_BASE) $(CHECK_LIBS)
TESTS += tests/unit/base/test_ctx
check_PROGRAMS += tests/unit/base/test_err
tests_unit_base_test_err_SOURCES = tests/unit/base/test_err.c
tests_unit_base_test_err_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_base_test_err_CFLAGS = $(TEST_CFLAGS)
tests_unit_base_test_err_LDADD = libgktest.la $(GK_FLOOR_BASE) $(CHECK_LIBS)
TESTS += tests/unit/base/test_err
check_PROGRAMS += tests/unit/base/test_map
tests_unit_base_test_map_SOURCES = tests/unit/base/test_map.c
tests_unit_base_test_map_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_base_test_map_CFLAGS = $(TEST_CFLAGS)
tests_unit_base_test_map_LDADD = libgktest.la $(GK_FLOOR_BASE) $(CHECK_LIBS)
TESTS += tests/unit/base/test_map
check_PROGRAMS += tests/unit/base/test_secret
tests_unit_base_test_secret_SOURCES = tests/unit/base/test_secret.c
tests_unit_base_test_secret_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_base_test_secret_CFLAGS = $(TEST_CFLAGS)
tests_unit_base_test_secret_LDADD = libgktest.la $(GK_FLOOR_BASE) $(CHECK_LIBS)
TESTS += tests/unit/base/test_secret
check_PROGRAMS += tests/unit/base/test_str
tests_unit_base_test_str_SOURCES = tests/unit/base/test_str.c
tests_unit_base_test_str_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_base_test_str_CFLAGS = $(TEST_CFLAGS)
tests_unit_base_test_str_LDADD = libgktest.la $(GK_FLOOR_BASE) $(CHECK_LIBS)
TESTS += tests/unit/base/test_str
endif
