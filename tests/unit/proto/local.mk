# Unit tests of libgenkan/proto.

# Queue, connection set-up, envelopes.
if HAVE_CHECK
check_PROGRAMS += tests/unit/proto/test_accept
tests_unit_proto_test_accept_SOURCES = tests/unit/proto/test_accept.c
tests_unit_proto_test_accept_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_accept_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_accept_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_accept
check_PROGRAMS += tests/unit/proto/test_attach
tests_unit_proto_test_attach_SOURCES = tests/unit/proto/test_attach.c
tests_unit_proto_test_attach_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_attach_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_attach_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_attach
check_PROGRAMS += tests/unit/proto/test_envelope
tests_unit_proto_test_envelope_SOURCES = tests/unit/proto/test_envelope.c
tests_unit_proto_test_envelope_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_envelope_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_envelope_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_envelope
check_PROGRAMS += tests/unit/proto/test_handshake
tests_unit_proto_test_handshake_SOURCES = tests/unit/proto/test_handshake.c
tests_unit_proto_test_handshake_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_handshake_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_handshake_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_handshake
check_PROGRAMS += tests/unit/proto/test_nm
tests_unit_proto_test_nm_SOURCES = tests/unit/proto/test_nm.c
tests_unit_proto_test_nm_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_nm_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_nm_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_nm
check_PROGRAMS += tests/unit/proto/test_queue
tests_unit_proto_test_queue_SOURCES = tests/unit/proto/test_queue.c
tests_unit_proto_test_queue_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_queue_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_queue_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_queue
endif

# One MCP connection.
if HAVE_CHECK
check_PROGRAMS += tests/unit/proto/test_mcp
tests_unit_proto_test_mcp_SOURCES = tests/unit/proto/test_mcp.c tests/unit/proto/test_mcp.h
tests_unit_proto_test_mcp_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_mcp_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_mcp_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_mcp
check_PROGRAMS += tests/unit/proto/test_mcp_call
tests_unit_proto_test_mcp_call_SOURCES = tests/unit/proto/test_mcp_call.c tests/unit/proto/test_mcp.h
tests_unit_proto_test_mcp_call_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_mcp_call_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_mcp_call_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_mcp_call
check_PROGRAMS += tests/unit/proto/test_mcp_methods
tests_unit_proto_test_mcp_methods_SOURCES = tests/unit/proto/test_mcp_methods.c tests/unit/proto/test_mcp.h
tests_unit_proto_test_mcp_methods_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_proto_test_mcp_methods_CFLAGS = $(TEST_CFLAGS)
tests_unit_proto_test_mcp_methods_LDADD = libgktest.la $(GK_FLOOR_PROTO) $(CHECK_LIBS)
TESTS += tests/unit/proto/test_mcp_methods
endif
