# unit tests of libgenkan/engine

# The broker.  What surrounds it is shared by its tests.
if HAVE_CHECK
check_LTLIBRARIES += libgkbrokerworld.la
libgkbrokerworld_la_SOURCES = tests/unit/engine/broker_world.c \
  tests/unit/engine/broker_world.h
libgkbrokerworld_la_CPPFLAGS = $(TEST_CPPFLAGS)
libgkbrokerworld_la_CFLAGS = $(TEST_CFLAGS)
check_PROGRAMS += tests/unit/engine/test_broker
tests_unit_engine_test_broker_SOURCES = tests/unit/engine/test_broker.c
tests_unit_engine_test_broker_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_broker_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_broker_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_broker
check_PROGRAMS += tests/unit/engine/test_browser
tests_unit_engine_test_browser_SOURCES = tests/unit/engine/test_browser.c
tests_unit_engine_test_browser_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_browser_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_browser_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_browser
check_PROGRAMS += tests/unit/engine/test_call
tests_unit_engine_test_call_SOURCES = tests/unit/engine/test_call.c
tests_unit_engine_test_call_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_call_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_call_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_call
check_PROGRAMS += tests/unit/engine/test_client
tests_unit_engine_test_client_SOURCES = tests/unit/engine/test_client.c
tests_unit_engine_test_client_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_client_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_client_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_client
check_PROGRAMS += tests/unit/engine/test_gate
tests_unit_engine_test_gate_SOURCES = tests/unit/engine/test_gate.c
tests_unit_engine_test_gate_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_gate_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_gate_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_gate
check_PROGRAMS += tests/unit/engine/test_listing
tests_unit_engine_test_listing_SOURCES = tests/unit/engine/test_listing.c
tests_unit_engine_test_listing_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_listing_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_listing_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_listing
check_PROGRAMS += tests/unit/engine/test_registry
tests_unit_engine_test_registry_SOURCES = tests/unit/engine/test_registry.c
tests_unit_engine_test_registry_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_registry_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_registry_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_registry
check_PROGRAMS += tests/unit/engine/test_route
tests_unit_engine_test_route_SOURCES = tests/unit/engine/test_route.c
tests_unit_engine_test_route_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_route_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_route_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_route
check_PROGRAMS += tests/unit/engine/test_catalog
tests_unit_engine_test_catalog_SOURCES = tests/unit/engine/test_catalog.c
tests_unit_engine_test_catalog_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_catalog_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_catalog_LDADD = libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_catalog
endif

# Servers and hosts.  Their records lie in memory.
if HAVE_CHECK
check_LTLIBRARIES += libgkserverworld.la
libgkserverworld_la_SOURCES = \
  tests/unit/engine/memstore.c \
  tests/unit/engine/memstore.h \
  tests/unit/engine/server_world.c \
  tests/unit/engine/server_world.h
libgkserverworld_la_CPPFLAGS = $(TEST_CPPFLAGS)
libgkserverworld_la_CFLAGS = $(TEST_CFLAGS)
check_PROGRAMS += tests/unit/engine/test_chain
tests_unit_engine_test_chain_SOURCES = tests/unit/engine/test_chain.c
tests_unit_engine_test_chain_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_chain_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_chain_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_chain
check_PROGRAMS += tests/unit/engine/test_control
tests_unit_engine_test_control_SOURCES = tests/unit/engine/test_control.c \
  tests/unit/engine/control_world.c tests/unit/engine/control_world.h
tests_unit_engine_test_control_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control
check_PROGRAMS += tests/unit/engine/test_control_policy
tests_unit_engine_test_control_policy_SOURCES = tests/unit/engine/test_control_policy.c \
  tests/unit/engine/control_world.c tests/unit/engine/control_world.h
tests_unit_engine_test_control_policy_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_policy_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_policy_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_policy
check_PROGRAMS += tests/unit/engine/test_control_key
tests_unit_engine_test_control_key_SOURCES = \
  tests/unit/engine/test_control_key.c tests/unit/engine/control_world.c \
  tests/unit/engine/control_world.h
tests_unit_engine_test_control_key_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_key_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_key_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_key
check_PROGRAMS += tests/unit/engine/test_control_webauthn
tests_unit_engine_test_control_webauthn_SOURCES = \
  tests/unit/engine/test_control_webauthn.c tests/unit/softkey.c \
  tests/unit/softkey.h tests/unit/engine/control_world.c \
  tests/unit/engine/control_world.h
tests_unit_engine_test_control_webauthn_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_webauthn_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_webauthn_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_webauthn
check_PROGRAMS += tests/unit/engine/test_host
tests_unit_engine_test_host_SOURCES = tests/unit/engine/test_host.c
tests_unit_engine_test_host_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_host_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_host_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_host
check_PROGRAMS += tests/unit/engine/test_relay
tests_unit_engine_test_relay_SOURCES = tests/unit/engine/test_relay.c
tests_unit_engine_test_relay_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_relay_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_relay_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_relay
check_PROGRAMS += tests/unit/engine/test_server
tests_unit_engine_test_server_SOURCES = tests/unit/engine/test_server.c
tests_unit_engine_test_server_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_server_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_server_LDADD = libgkserverworld.la libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_server
check_PROGRAMS += tests/unit/engine/test_election
tests_unit_engine_test_election_SOURCES = tests/unit/engine/test_election.c
tests_unit_engine_test_election_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_election_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_election_LDADD = libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_election
check_PROGRAMS += tests/unit/engine/test_host_args
tests_unit_engine_test_host_args_SOURCES = tests/unit/engine/test_host_args.c
tests_unit_engine_test_host_args_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_host_args_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_host_args_LDADD = libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_host_args
endif

# The client of an embedder: alone, and at a real broker.
if HAVE_CHECK
check_PROGRAMS += tests/unit/engine/test_embed
tests_unit_engine_test_embed_SOURCES = tests/unit/engine/test_embed.c \
  tests/unit/engine/embed_world.c tests/unit/engine/embed_world.h
tests_unit_engine_test_embed_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_embed_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_embed_LDADD = libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_embed
check_PROGRAMS += tests/unit/engine/test_embed_broker
tests_unit_engine_test_embed_broker_SOURCES = \
  tests/unit/engine/test_embed_broker.c tests/unit/engine/embed_world.c \
  tests/unit/engine/embed_world.h
tests_unit_engine_test_embed_broker_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_embed_broker_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_embed_broker_LDADD = libgkbrokerworld.la libgktest.la $(GK_FLOOR_ENGINE) \
  $(CHECK_LIBS)
TESTS += tests/unit/engine/test_embed_broker
endif
