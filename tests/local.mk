# Tests by level.  Check's macros trip -Wconversion, so unit tests leave it out.
TEST_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests/unit
TEST_CFLAGS = $(GK_CFLAGS)

include tests/unit/local.mk
include tests/fuzz/local.mk
include tests/oracle/local.mk
include tests/lint/local.mk
include tests/protocol/local.mk
include tests/bindings/local.mk
include tests/e2e/local.mk
include tests/fault/local.mk
include tests/soak/local.mk
include tests/bench/local.mk
include tests/coverage/local.mk

EXTRA_DIST += tests/run tests/again.sh

# For tests/run: which programs valgrind runs, and the tests in a list of them.
.PHONY: print-unit-tests print-list
print-unit-tests:
	@echo $(filter tests/unit/%,$(check_PROGRAMS))
print-list:
	@echo $($(LIST))
