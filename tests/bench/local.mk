# make bench: JSON lines on stdout.  Nothing in `make check` depends on them.

EXTRA_PROGRAMS += tests/bench/bench $(BENCH_BROWSER)
CLEANFILES += tests/bench/bench $(BENCH_BROWSER)
BENCH_BROWSER = tests/bench/browser/echo_host tests/bench/browser/line_client
tests_bench_bench_SOURCES = tests/bench/bench.c tests/bench/bench.h \
  tests/bench/bench_browser.c tests/bench/bench_chain.c \
  tests/bench/bench_chain.h tests/bench/bench_floor.c \
  tests/bench/bench_load.c tests/bench/bench_rtt.c tests/bench/bench_sys.c \
  tests/bench/bench_util.c
tests_bench_bench_CFLAGS = $(GK_CFLAGS)
tests_bench_browser_echo_host_SOURCES = tests/bench/browser/echo_host.c
tests_bench_browser_echo_host_CFLAGS = $(GK_CFLAGS)
tests_bench_browser_line_client_SOURCES = tests/bench/browser/line_client.c \
  tests/bench/bench.h tests/bench/bench_util.c
tests_bench_browser_line_client_CFLAGS = $(GK_CFLAGS)
tests_bench_browser_line_client_CPPFLAGS = $(AM_CPPFLAGS) \
  -I$(srcdir)/tests/bench

# Needs no network once the extension is built.
.PHONY: bench bench-browser
bench: all tests/bench/bench
	@tests/bench/bench $(builddir)
	@$(MAKE) --no-print-directory bench-bindings
	@$(MAKE) --no-print-directory bench-browser

bench-browser: all extension $(BENCH_BROWSER)
	@$(E2E_ENV) $(NODE) $(srcdir)/tests/bench/browser/bench.mjs \
	  $(abs_builddir)/tests/bench/browser

# What a short call costs in instructions, against a limit.
EXTRA_DIST += tests/bench/count.sh
.PHONY: count
count: tests/unit/engine/test_chain
	@GENKAN_BUILDDIR=$(abs_top_builddir) $(srcdir)/tests/bench/count.sh

# What a binding's call costs over the C call.
.PHONY: bench-bindings
bench-bindings: all
if PYTHON_BINDING
	@$(PYTHON) $(srcdir)/tests/bindings/bench.py $(builddir)/bindings/python/stage
endif
if NODE_BINDING
	@$(NODE) $(srcdir)/tests/bindings/bench.mjs \
	  $(abs_builddir)/bindings/node/stage/genkan/index.cjs
endif
