# The real programs over their real pipes and sockets, driven by Python's
# standard library.  Not part of `make check`: they take minutes, not seconds.

TEST_EXTENSIONS += .py
PY_LOG_COMPILER = $(PYTHON3)
PY_LOG_DRIVER = $(LOG_DRIVER)

# The credential store, on a bus and in a keyring of its own.  The longest file
# comes first.
if HAVE_LIBSECRET
PROTOCOL_KEYRING = tests/protocol/test_keystore.py
endif

PROTOCOL_TESTS = $(PROTOCOL_KEYRING) \
  tests/protocol/test_chain.py \
  tests/protocol/test_mcp.py \
  tests/protocol/test_browser_leg.py \
  tests/protocol/test_death.py \
  tests/protocol/test_embed.py \
  tests/protocol/test_process.py \
  tests/protocol/test_trust.py

# The command line; seconds, so it is part of `make check`.
TESTS += tests/protocol/test_cli_doctor.py

# Clients, kill switch, audit trail.
PROTOCOL_TESTS += \
  tests/protocol/test_audit.py \
  tests/protocol/test_cli_ends.py \
  tests/protocol/test_cli_trust.py \
  tests/protocol/test_control_disk.py \
  tests/protocol/test_control_trust.py \
  tests/protocol/test_hostkey.py \
  tests/protocol/test_impostors.py \
  tests/protocol/test_latch.py \
  tests/protocol/test_parent.py \
  tests/protocol/test_policy.py \
  tests/protocol/test_shutdown.py \
  tests/protocol/test_webauthn.py

EXTRA_DIST += $(PROTOCOL_TESTS) tests/protocol/authenticator.py \
  tests/protocol/cli.py tests/protocol/harness.py tests/protocol/p256.py \
  tests/protocol/PROMISES tests/protocol/service.py \
  tests/protocol/test_cli_doctor.py tests/protocol/test_keystore.py

# Most of their time they wait, for deadlines and for processes to end, and
# each test has a home, a runtime directory and, where it needs one, a bus of
# its own: several files run at once, and what each says comes in one piece.  A
# log of their own, since `make check` may run at the same time.
PROTOCOL_JOBS = 3
PROTOCOL_LOGS = $(PROTOCOL_TESTS:.py=.log)
.PHONY: check-protocol
check-protocol: all
	@rm -f $(PROTOCOL_LOGS) $(PROTOCOL_LOGS:.log=.trs) tests/protocol.log
	@$(MAKE) $(AM_MAKEFLAGS) -j$(PROTOCOL_JOBS) --output-sync=target \
	  TESTS='$(PROTOCOL_TESTS)' TEST_SUITE_LOG=tests/protocol.log \
	  tests/protocol.log
