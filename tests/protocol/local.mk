# The real programs over their real pipes and sockets, driven by Python's
# standard library.  Not part of `make check`: they take minutes, not seconds.

TEST_EXTENSIONS += .py
PY_LOG_COMPILER = $(PYTHON3)
PY_LOG_DRIVER = $(LOG_DRIVER)

PROTOCOL_TESTS = \
  tests/protocol/test_chain.py \
  tests/protocol/test_mcp.py \
  tests/protocol/test_browser_leg.py \
  tests/protocol/test_death.py \
  tests/protocol/test_embed.py \
  tests/protocol/test_process.py \
  tests/protocol/test_trust.py

# The command line; seconds, so it is part of `make check` too.
PROTOCOL_TESTS += tests/protocol/test_cli_doctor.py
TESTS += tests/protocol/test_cli_doctor.py

# Clients, kill switch, audit trail.
PROTOCOL_TESTS += \
  tests/protocol/test_audit.py \
  tests/protocol/test_cli_trust.py \
  tests/protocol/test_control_disk.py \
  tests/protocol/test_control_trust.py \
  tests/protocol/test_hostkey.py \
  tests/protocol/test_impostors.py \
  tests/protocol/test_latch.py \
  tests/protocol/test_parent.py \
  tests/protocol/test_policy.py \
  tests/protocol/test_webauthn.py

# The credential store, on a bus and in a keyring of its own.
if HAVE_LIBSECRET
PROTOCOL_TESTS += tests/protocol/test_keystore.py
endif

EXTRA_DIST += $(PROTOCOL_TESTS) tests/protocol/authenticator.py \
  tests/protocol/cli.py tests/protocol/harness.py tests/protocol/p256.py \
  tests/protocol/PROMISES tests/protocol/service.py \
  tests/protocol/test_keystore.py
.PHONY: check-protocol
check-protocol: all
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(PROTOCOL_TESTS)'
