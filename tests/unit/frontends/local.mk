# unit tests of frontends/common
if HAVE_CHECK
check_PROGRAMS += tests/unit/frontends/test_jobs
tests_unit_frontends_test_jobs_SOURCES = tests/unit/frontends/test_jobs.c
tests_unit_frontends_test_jobs_CPPFLAGS = $(TEST_CPPFLAGS) -I$(top_srcdir)/frontends -D_GNU_SOURCE
tests_unit_frontends_test_jobs_CFLAGS = $(TEST_CFLAGS) -pthread
tests_unit_frontends_test_jobs_LDFLAGS = -pthread
tests_unit_frontends_test_jobs_LDADD = libgktest.la libfrontends.la libgkall.la $(GK_LIBS) $(UV_LIBS) $(CHECK_LIBS)
TESTS += tests/unit/frontends/test_jobs
endif
