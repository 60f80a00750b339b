# Clients, browsers and a killer: `make soak TIME=1800`, SOAKFLAGS=--seed=N to
# see one again, --chromium for a real browser among them (`make e2e-deps
# extension` before that).  check-soak is a short one for every day, and sees to
# it that each broken promise would be found.
EXTRA_DIST += \
  tests/soak/browsers.py \
  tests/soak/chromium.mjs \
  tests/soak/chromium.py \
  tests/soak/clients.py \
  tests/soak/faults.py \
  tests/soak/killer.py \
  tests/soak/ledger.py \
  tests/soak/loop.py \
  tests/soak/report.py \
  tests/soak/soak.py \
  tests/soak/test_faults.py \
  tests/soak/test_ledger.py \
  tests/soak/world.py

# Does it find what it is there to find?  Part of `make check`.
TESTS += tests/soak/test_ledger.py

SOAK_ENV = GENKAN_BUILDDIR=$(abs_top_builddir) \
  GENKAN_SRCDIR=$(abs_top_srcdir) PYTHONDONTWRITEBYTECODE=1 $(PYTHON3)
SOAK = $(SOAK_ENV) $(top_srcdir)/tests/soak/soak.py
SOAKFLAGS =
.PHONY: soak check-soak
soak: all
	$(SOAK) --time $(TIME) --verbose $(SOAKFLAGS)
check-soak: all
	$(SOAK) --time 7 --seed 7 --clients 4 --browsers 6 --every 0.4 \
	  --calls 500 --kills 3
	$(SOAK_ENV) $(top_srcdir)/tests/soak/test_faults.py
