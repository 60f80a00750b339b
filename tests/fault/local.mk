# What goes wrong from outside, and what happens at the same time.
check_PROGRAMS += tests/fault/threads
tests_fault_threads_SOURCES = tests/fault/threads.c
tests_fault_threads_CPPFLAGS = -I$(top_builddir)/include \
  -I$(top_srcdir)/include $(GK_CPPFLAGS) -D_GNU_SOURCE
tests_fault_threads_CFLAGS = $(GK_CFLAGS) -pthread
tests_fault_threads_LDADD = libgkall.la $(GK_LIBS)
TESTS += tests/fault/threads

# What the filter of system calls is there against.  Not among the unit tests:
# valgrind knows nothing of filters.
if SECCOMP
if HAVE_CHECK
check_PROGRAMS += tests/fault/confine
tests_fault_confine_SOURCES = tests/fault/confine.c
tests_fault_confine_CPPFLAGS = $(GK_FE_CPP) $(TEST_CPPFLAGS) $(SECCOMP_CFLAGS)
tests_fault_confine_CFLAGS = $(TEST_CFLAGS) -pthread
tests_fault_confine_LDADD = libgktest.la libfrontends.la libgkall.la \
  $(GK_LIBS) $(UV_LIBS) $(CHECK_LIBS) $(SECCOMP_LIBS)
TESTS += tests/fault/confine

# The same table, for machines that are not at hand as well.
check_PROGRAMS += tests/fault/filter
tests_fault_filter_SOURCES = tests/fault/filter.c
tests_fault_filter_CPPFLAGS = $(tests_fault_confine_CPPFLAGS) \
  -DGENFILTER='"$(abs_top_builddir)/frontends/common/genfilter"'
tests_fault_filter_CFLAGS = $(TEST_CFLAGS)
tests_fault_filter_LDADD = libgktest.la libgkall.la $(GK_LIBS) $(CHECK_LIBS) \
  $(SECCOMP_LIBS)
TESTS += tests/fault/filter
endif
endif
# Allocations that fail, in whole flows through the public API.
FAULT_SWEEP = tests/fault/world.c tests/fault/world.h tests/fault/memory.c \
  tests/fault/memory.h tests/fault/sweep.c tests/fault/sweep.h
check_PROGRAMS += tests/fault/alloc tests/fault/acts
tests_fault_alloc_SOURCES = tests/fault/alloc.c $(FAULT_SWEEP)
tests_fault_alloc_CPPFLAGS = $(tests_fault_threads_CPPFLAGS) \
  -I$(top_srcdir)/tests/fault
tests_fault_alloc_CFLAGS = $(GK_CFLAGS)
tests_fault_alloc_LDADD = libgkall.la $(GK_LIBS)
tests_fault_acts_SOURCES = tests/fault/acts.c tests/unit/softkey.c \
  tests/unit/softkey.h $(FAULT_SWEEP)
tests_fault_acts_CPPFLAGS = $(tests_fault_alloc_CPPFLAGS) \
  -I$(top_srcdir)/tests/unit -I$(top_srcdir)/libgenkan
tests_fault_acts_CFLAGS = $(GK_CFLAGS)
tests_fault_acts_LDADD = libgkall.la $(GK_LIBS)
TESTS += tests/fault/alloc tests/fault/acts

# Built with --enable-sanitizers=thread: the library from two threads, and the
# programs, whose slow work is done by other threads.  A race ends the process
# that has it, and so its test.
THREADS_TESTS = tests/fault/threads tests/protocol/test_browser_leg.py \
  tests/protocol/test_chain.py tests/protocol/test_control_trust.py
THREADS_LOGS = $(addsuffix .log,$(basename $(THREADS_TESTS)))
FAULT_SUPP = $(abs_top_srcdir)/tests/fault/tsan.supp
EXTRA_DIST += tests/fault/tsan.supp
.PHONY: check-threads
check-threads: all tests/fault/threads
	@rm -f $(THREADS_LOGS) $(THREADS_LOGS:.log=.trs) tests/threads.log
	@TSAN_OPTIONS='halt_on_error=1 suppressions=$(FAULT_SUPP)' \
	  $(MAKE) $(AM_MAKEFLAGS) \
	  TESTS='$(THREADS_TESTS)' TEST_SUITE_LOG=tests/threads.log \
	  tests/threads.log

# The programs with a system call that fails.  They lie together, as those of
# an installation do, so that they take each other for their own.
FAULT_CALLS = accept4 bind connect fchmod flock fstat fstatat fsync listen \
  mkdirat nanosleep open openat pread read recv renameat sendmsg socket \
  unlinkat write writev
FAULT_LD = $(GK_FE_LD) \
  `for c in $(FAULT_CALLS); do printf ' -Wl,--wrap=%s' $$c; done`
FAULT_BINARIES = tests/fault/bin/genkan-server tests/fault/bin/genkan-host \
  tests/fault/bin/genkan
EXTRA_PROGRAMS += $(FAULT_BINARIES)
CLEANFILES += $(FAULT_BINARIES)
tests_fault_bin_genkan_server_SOURCES = tests/fault/wrap.c \
  tests/fault/memory.c tests/fault/memory.h
tests_fault_bin_genkan_server_CFLAGS = $(GK_CFLAGS) -Wno-missing-prototypes
tests_fault_bin_genkan_server_LDFLAGS = $(FAULT_LD)
tests_fault_bin_genkan_server_LDADD = $(genkan_server_OBJECTS) $(GK_FE_LIBS)
tests_fault_bin_genkan_host_SOURCES = tests/fault/wrap.c \
  tests/fault/memory.c tests/fault/memory.h
tests_fault_bin_genkan_host_CFLAGS = $(GK_CFLAGS) -Wno-missing-prototypes
tests_fault_bin_genkan_host_LDFLAGS = $(FAULT_LD)
tests_fault_bin_genkan_host_LDADD = $(genkan_host_OBJECTS) $(GK_FE_LIBS)
tests_fault_bin_genkan_SOURCES = tests/fault/wrap.c \
  tests/fault/memory.c tests/fault/memory.h
tests_fault_bin_genkan_CFLAGS = $(GK_CFLAGS) -Wno-missing-prototypes
tests_fault_bin_genkan_LDFLAGS = $(FAULT_LD)
tests_fault_bin_genkan_LDADD = $(genkan_OBJECTS) $(GK_FE_LIBS)

EXTRA_DIST += tests/fault/sweep.py tests/fault/commands.py
.PHONY: check-fault
check-fault: all $(FAULT_BINARIES)
	@GENKAN_BUILDDIR='$(abs_builddir)/tests/fault/bin' \
	  GENKAN_SRCDIR='$(abs_top_srcdir)' \
	  $(PYTHON3) $(srcdir)/tests/fault/sweep.py

# To the end of everything, which takes its time: tests/fault/sweep.h, sweep.py.
.PHONY: faults
faults: all tests/fault/alloc tests/fault/acts $(FAULT_BINARIES)
	GENKAN_FAULTS=0 tests/fault/alloc
	GENKAN_FAULTS=0 tests/fault/acts
	GENKAN_FAULTS=1000 $(MAKE) $(AM_MAKEFLAGS) check-fault
