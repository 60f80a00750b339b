# Our verdicts beside those of other people's code; see configure's
# --without-oracle.
EXTRA_DIST += tests/oracle/absent.sh
if HAVE_ORACLE
check_PROGRAMS += tests/oracle/webauthn
tests_oracle_webauthn_SOURCES = tests/oracle/webauthn.c \
  tests/oracle/assertions.c tests/oracle/cbor_tree.c \
  tests/oracle/oracle.h tests/oracle/registrations.c \
  tests/unit/softkey.c tests/unit/softkey.h
tests_oracle_webauthn_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit \
  $(FIDO2_CFLAGS)
tests_oracle_webauthn_CFLAGS = $(GK_CFLAGS)
tests_oracle_webauthn_LDADD = $(GK_FLOOR_TRUST) $(FIDO2_LIBS)
TESTS += tests/oracle/webauthn
endif
if LACK_ORACLE
TESTS += tests/oracle/absent.sh
endif
