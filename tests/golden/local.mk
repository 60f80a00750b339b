# Golden vectors and their runner.
EXTRA_DIST += tests/golden/scan
check_PROGRAMS += tests/golden/run
tests_golden_run_SOURCES = tests/golden/run.c
tests_golden_run_CPPFLAGS = $(AM_CPPFLAGS)
tests_golden_run_CFLAGS = $(GK_CFLAGS)
tests_golden_run_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/golden/run
