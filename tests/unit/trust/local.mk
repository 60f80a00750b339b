# Unit tests of libgenkan/trust.
if HAVE_CHECK
check_PROGRAMS += tests/unit/trust/test_admission
tests_unit_trust_test_admission_SOURCES = tests/unit/trust/test_admission.c tests/unit/trust/fakestore.h
tests_unit_trust_test_admission_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_trust_test_admission_CFLAGS = $(TEST_CFLAGS)
tests_unit_trust_test_admission_LDADD = libgktest.la $(GK_FLOOR_TRUST) $(CHECK_LIBS)
TESTS += tests/unit/trust/test_admission
check_PROGRAMS += tests/unit/trust/test_change
tests_unit_trust_test_change_SOURCES = tests/unit/trust/test_change.c tests/unit/trust/fakestore.h
tests_unit_trust_test_change_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_trust_test_change_CFLAGS = $(TEST_CFLAGS)
tests_unit_trust_test_change_LDADD = libgktest.la $(GK_FLOOR_TRUST) $(CHECK_LIBS)
TESTS += tests/unit/trust/test_change
check_PROGRAMS += tests/unit/trust/test_installset
tests_unit_trust_test_installset_SOURCES = tests/unit/trust/test_installset.c
tests_unit_trust_test_installset_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_trust_test_installset_CFLAGS = $(TEST_CFLAGS)
tests_unit_trust_test_installset_LDADD = libgktest.la $(GK_FLOOR_TRUST) $(CHECK_LIBS)
TESTS += tests/unit/trust/test_installset
check_PROGRAMS += tests/unit/trust/test_policy
tests_unit_trust_test_policy_SOURCES = tests/unit/trust/test_policy.c tests/unit/trust/fakestore.h
tests_unit_trust_test_policy_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_trust_test_policy_CFLAGS = $(TEST_CFLAGS)
tests_unit_trust_test_policy_LDADD = libgktest.la $(GK_FLOOR_TRUST) $(CHECK_LIBS)
TESTS += tests/unit/trust/test_policy
check_PROGRAMS += tests/unit/trust/test_act
tests_unit_trust_test_act_SOURCES = tests/unit/trust/test_act.c tests/unit/trust/fakestore.h
tests_unit_trust_test_act_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_trust_test_act_CFLAGS = $(TEST_CFLAGS)
tests_unit_trust_test_act_LDADD = libgktest.la $(GK_FLOOR_TRUST) $(CHECK_LIBS)
TESTS += tests/unit/trust/test_act
check_PROGRAMS += tests/unit/trust/test_statement
tests_unit_trust_test_statement_SOURCES = tests/unit/trust/test_statement.c
tests_unit_trust_test_statement_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_trust_test_statement_CFLAGS = $(TEST_CFLAGS)
tests_unit_trust_test_statement_LDADD = libgktest.la $(GK_FLOOR_TRUST) $(CHECK_LIBS)
TESTS += tests/unit/trust/test_statement
check_PROGRAMS += tests/unit/trust/test_webauthn
tests_unit_trust_test_webauthn_SOURCES = tests/unit/trust/test_webauthn.c \
  tests/unit/softkey.c tests/unit/softkey.h
tests_unit_trust_test_webauthn_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_trust_test_webauthn_CFLAGS = $(TEST_CFLAGS)
tests_unit_trust_test_webauthn_LDADD = libgktest.la $(GK_FLOOR_TRUST) $(CHECK_LIBS)
TESTS += tests/unit/trust/test_webauthn
endif
