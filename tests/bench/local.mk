# make bench: JSON lines on stdout.  Nothing in `make check` depends on them.

EXTRA_PROGRAMS += tests/bench/bench
CLEANFILES += tests/bench/bench
tests_bench_bench_SOURCES = tests/bench/bench.c tests/bench/bench.h \
  tests/bench/bench_browser.c tests/bench/bench_chain.c \
  tests/bench/bench_chain.h tests/bench/bench_floor.c \
  tests/bench/bench_util.c
tests_bench_bench_CFLAGS = $(GK_CFLAGS)

.PHONY: bench
bench: all tests/bench/bench
	@tests/bench/bench $(builddir)
