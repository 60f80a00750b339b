# unit tests of libgenkan/engine

# The broker.  What surrounds it is shared by its tests.
if HAVE_CHECK
check_LTLIBRARIES += libgkbrokerworld.la
libgkbrokerworld_la_SOURCES = tests/unit/engine/broker_world.c \
  tests/unit/engine/broker_world.h tests/unit/engine/place.h
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
check_LTLIBRARIES += libgkcontrolworld.la
libgkcontrolworld_la_SOURCES = \
  tests/unit/engine/control_world.c \
  tests/unit/engine/control_world.h \
  tests/unit/engine/webauthn_world.c \
  tests/unit/engine/webauthn_world.h \
  tests/unit/softkey.c \
  tests/unit/softkey.h
libgkcontrolworld_la_CPPFLAGS = $(TEST_CPPFLAGS)
libgkcontrolworld_la_CFLAGS = $(TEST_CFLAGS)
check_PROGRAMS += tests/unit/engine/test_control
tests_unit_engine_test_control_SOURCES = tests/unit/engine/test_control.c
tests_unit_engine_test_control_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control
check_PROGRAMS += tests/unit/engine/test_control_answers
tests_unit_engine_test_control_answers_SOURCES = tests/unit/engine/test_control_answers.c
tests_unit_engine_test_control_answers_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_answers_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_answers_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_answers
check_PROGRAMS += tests/unit/engine/test_control_kill
tests_unit_engine_test_control_kill_SOURCES = tests/unit/engine/test_control_kill.c
tests_unit_engine_test_control_kill_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_kill_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_kill_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_kill
check_PROGRAMS += tests/unit/engine/test_control_click
tests_unit_engine_test_control_click_SOURCES = tests/unit/engine/test_control_click.c
tests_unit_engine_test_control_click_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_click_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_click_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_click
check_PROGRAMS += tests/unit/engine/test_control_push
tests_unit_engine_test_control_push_SOURCES = tests/unit/engine/test_control_push.c
tests_unit_engine_test_control_push_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_push_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_push_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_push
check_PROGRAMS += tests/unit/engine/test_control_policy
tests_unit_engine_test_control_policy_SOURCES = tests/unit/engine/test_control_policy.c
tests_unit_engine_test_control_policy_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_policy_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_policy_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_policy
check_PROGRAMS += tests/unit/engine/test_control_key
tests_unit_engine_test_control_key_SOURCES = tests/unit/engine/test_control_key.c
tests_unit_engine_test_control_key_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_key_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_key_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_key
check_PROGRAMS += tests/unit/engine/test_control_enroll
tests_unit_engine_test_control_enroll_SOURCES = tests/unit/engine/test_control_enroll.c
tests_unit_engine_test_control_enroll_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_enroll_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_enroll_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_enroll
check_PROGRAMS += tests/unit/engine/test_control_tap
tests_unit_engine_test_control_tap_SOURCES = tests/unit/engine/test_control_tap.c
tests_unit_engine_test_control_tap_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_tap_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_tap_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_tap
check_PROGRAMS += tests/unit/engine/test_control_presence
tests_unit_engine_test_control_presence_SOURCES = tests/unit/engine/test_control_presence.c
tests_unit_engine_test_control_presence_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_control_presence_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_control_presence_LDADD = libgkcontrolworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_control_presence
check_LTLIBRARIES += libgkhostworld.la
libgkhostworld_la_SOURCES = tests/unit/engine/host_world.c \
  tests/unit/engine/host_world.h
libgkhostworld_la_CPPFLAGS = $(TEST_CPPFLAGS)
libgkhostworld_la_CFLAGS = $(TEST_CFLAGS)
check_PROGRAMS += tests/unit/engine/test_host
tests_unit_engine_test_host_SOURCES = tests/unit/engine/test_host.c
tests_unit_engine_test_host_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_host_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_host_LDADD = libgkhostworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_host
check_PROGRAMS += tests/unit/engine/test_host_route
tests_unit_engine_test_host_route_SOURCES = tests/unit/engine/test_host_route.c
tests_unit_engine_test_host_route_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_host_route_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_host_route_LDADD = libgkhostworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_host_route
check_PROGRAMS += tests/unit/engine/test_host_end
tests_unit_engine_test_host_end_SOURCES = tests/unit/engine/test_host_end.c
tests_unit_engine_test_host_end_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_host_end_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_host_end_LDADD = libgkhostworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_host_end
check_PROGRAMS += tests/unit/engine/test_host_control
tests_unit_engine_test_host_control_SOURCES = tests/unit/engine/test_host_control.c
tests_unit_engine_test_host_control_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_host_control_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_host_control_LDADD = libgkhostworld.la libgkserverworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_host_control
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
check_LTLIBRARIES += libgkembedworld.la
libgkembedworld_la_SOURCES = tests/unit/engine/embed_world.c \
  tests/unit/engine/embed_world.h
libgkembedworld_la_CPPFLAGS = $(TEST_CPPFLAGS)
libgkembedworld_la_CFLAGS = $(TEST_CFLAGS)
check_PROGRAMS += tests/unit/engine/test_embed
tests_unit_engine_test_embed_SOURCES = tests/unit/engine/test_embed.c
tests_unit_engine_test_embed_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_embed_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_embed_LDADD = libgkembedworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_embed
check_PROGRAMS += tests/unit/engine/test_embed_call
tests_unit_engine_test_embed_call_SOURCES = tests/unit/engine/test_embed_call.c
tests_unit_engine_test_embed_call_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_embed_call_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_embed_call_LDADD = libgkembedworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_embed_call
check_PROGRAMS += tests/unit/engine/test_embed_broker
tests_unit_engine_test_embed_broker_SOURCES = tests/unit/engine/test_embed_broker.c
tests_unit_engine_test_embed_broker_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_engine_test_embed_broker_CFLAGS = $(TEST_CFLAGS)
tests_unit_engine_test_embed_broker_LDADD = libgkembedworld.la libgkbrokerworld.la \
  libgktest.la $(GK_FLOOR_ENGINE) $(CHECK_LIBS)
TESTS += tests/unit/engine/test_embed_broker
endif
