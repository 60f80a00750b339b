# Programs that a reader may start from; built and run by make check.

noinst_PROGRAMS += examples/native_echo
examples_native_echo_SOURCES = examples/native_echo.c
examples_native_echo_LDADD = libgenkan.la

noinst_PROGRAMS += examples/webauthn_rp
examples_webauthn_rp_SOURCES = examples/webauthn_rp.c
examples_webauthn_rp_LDADD = libgenkan.la

noinst_PROGRAMS += examples/embed_client
examples_embed_client_SOURCES = examples/embed_client.c
examples_embed_client_LDADD = libgenkan.la

noinst_PROGRAMS += examples/loop_poll
examples_loop_poll_SOURCES = examples/loop_poll.c
examples_loop_poll_LDADD = libgenkan.la

noinst_PROGRAMS += examples/loop_server
examples_loop_server_SOURCES = examples/loop_server.c
examples_loop_server_LDADD = libgenkan.la

noinst_PROGRAMS += examples/callbacks
examples_callbacks_SOURCES = examples/callbacks.c
examples_callbacks_LDADD = libgenkan.la

dist_check_SCRIPTS += examples/test_examples.sh
TESTS += examples/test_examples.sh

# From an installed tree, with pkg-config alone; those for GLib and libuv too.
# A program that is built without the sanitizer cannot load a library with it.
EXTRA_DIST += examples/loop_glib.c examples/loop_uv.c \
  examples/test_installed.py
if !SANITIZERS
TESTS += examples/test_installed.py
endif
clean-local: clean-examples
clean-examples:
	rm -rf examples/installed
.PHONY: clean-examples
