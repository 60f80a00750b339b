# unit tests of libgenkan/contract
EXTRA_DIST += tests/unit/contract/tools_list.json tests/unit/contract/frozen.txt

if HAVE_CHECK
CONTRACT_TESTS = test_contract_schema test_contract_tools \
  test_contract_frames test_contract_identity
check_PROGRAMS += $(CONTRACT_TESTS)
TESTS += $(CONTRACT_TESTS)

test_contract_schema_SOURCES = \
  tests/unit/contract/test_schema.c tests/unit/contract/tap.h
test_contract_schema_CPPFLAGS = $(TEST_CPPFLAGS) -I$(srcdir)/tests/unit/contract
test_contract_schema_CFLAGS = $(TEST_CFLAGS)
test_contract_schema_LDADD = $(GK_FLOOR_CONTRACT) $(CHECK_LIBS)

test_contract_tools_SOURCES = \
  tests/unit/contract/test_tools.c tests/unit/contract/tap.h
test_contract_tools_CPPFLAGS = $(TEST_CPPFLAGS) -I$(srcdir)/tests/unit/contract
test_contract_tools_CFLAGS = $(TEST_CFLAGS)
test_contract_tools_LDADD = $(GK_FLOOR_CONTRACT) $(CHECK_LIBS)

test_contract_frames_SOURCES = \
  tests/unit/contract/test_frames.c tests/unit/contract/tap.h
test_contract_frames_CPPFLAGS = $(TEST_CPPFLAGS) -I$(srcdir)/tests/unit/contract
test_contract_frames_CFLAGS = $(TEST_CFLAGS)
test_contract_frames_LDADD = $(GK_FLOOR_CONTRACT) $(CHECK_LIBS)

# SHA-256 comes from OpenSSL: the table must not be proved by our own digest.
test_contract_identity_SOURCES = \
  tests/unit/contract/test_identity.c tests/unit/contract/tap.h
test_contract_identity_CPPFLAGS = $(TEST_CPPFLAGS) -I$(srcdir)/tests/unit/contract
test_contract_identity_CFLAGS = $(TEST_CFLAGS)
test_contract_identity_LDADD = $(GK_FLOOR_CONTRACT) $(CRYPTO_LIBS) $(CHECK_LIBS)
endif

# Rules that span the tables; it reads what gencontract prints.
dist_check_SCRIPTS += tests/lint/contract.sh
TESTS += tests/lint/contract.sh
