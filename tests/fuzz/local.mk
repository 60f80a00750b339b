# Fuzz targets: LLVMFuzzerTestOneInput() and a property.  Under make check each
# is linked with driver.c, which replays its corpus; `make fuzz TIME=60` builds
# them with clang's libFuzzer and runs each for that many seconds.
EXTRA_DIST += tests/fuzz/control_model.h tests/fuzz/control_records.h \
  tests/fuzz/README tests/fuzz/fuzz.h tests/fuzz/json_text.h tests/fuzz/mutate.h \
  tests/fuzz/mutate_json.h tests/fuzz/fuzz.sh tests/fuzz/record.sh \
  tests/fuzz/seeds.py tests/fuzz/traffic.py tests/fuzz/corpus \
  tests/fuzz/dict

check_PROGRAMS += tests/fuzz/fuzz_frame
tests_fuzz_fuzz_frame_SOURCES = tests/fuzz/fuzz_frame.c tests/fuzz/driver.c
tests_fuzz_fuzz_frame_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"frame"'
tests_fuzz_fuzz_frame_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_frame_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_frame

check_PROGRAMS += tests/fuzz/fuzz_line
tests_fuzz_fuzz_line_SOURCES = tests/fuzz/fuzz_line.c tests/fuzz/driver.c
tests_fuzz_fuzz_line_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"line"'
tests_fuzz_fuzz_line_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_line_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_line

check_PROGRAMS += tests/fuzz/fuzz_scan
tests_fuzz_fuzz_scan_SOURCES = tests/fuzz/fuzz_scan.c tests/fuzz/driver.c
tests_fuzz_fuzz_scan_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"scan"'
tests_fuzz_fuzz_scan_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_scan_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_scan

check_PROGRAMS += tests/fuzz/fuzz_jstr
tests_fuzz_fuzz_jstr_SOURCES = tests/fuzz/fuzz_jstr.c tests/fuzz/driver.c
tests_fuzz_fuzz_jstr_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"jstr"'
tests_fuzz_fuzz_jstr_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_jstr_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_jstr

check_PROGRAMS += tests/fuzz/fuzz_field
tests_fuzz_fuzz_field_SOURCES = tests/fuzz/fuzz_field.c tests/fuzz/driver.c
tests_fuzz_fuzz_field_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"field"'
tests_fuzz_fuzz_field_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_field_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_field

check_PROGRAMS += tests/fuzz/fuzz_b64
tests_fuzz_fuzz_b64_SOURCES = tests/fuzz/fuzz_b64.c tests/fuzz/driver.c
tests_fuzz_fuzz_b64_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"b64"'
tests_fuzz_fuzz_b64_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_b64_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_b64

check_PROGRAMS += tests/fuzz/fuzz_url
tests_fuzz_fuzz_url_SOURCES = tests/fuzz/fuzz_url.c tests/fuzz/driver.c
tests_fuzz_fuzz_url_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"url"'
tests_fuzz_fuzz_url_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_url_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_url

check_PROGRAMS += tests/fuzz/fuzz_proctext
tests_fuzz_fuzz_proctext_SOURCES = tests/fuzz/fuzz_proctext.c tests/fuzz/driver.c
tests_fuzz_fuzz_proctext_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"proctext"'
tests_fuzz_fuzz_proctext_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_proctext_LDADD = $(GK_FLOOR_OS)
TESTS += tests/fuzz/fuzz_proctext


# Records, manifests, wrappers.

check_PROGRAMS += tests/fuzz/fuzz_trustrec
tests_fuzz_fuzz_trustrec_SOURCES = tests/fuzz/fuzz_trustrec.c tests/fuzz/driver.c
tests_fuzz_fuzz_trustrec_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"trustrec"'
tests_fuzz_fuzz_trustrec_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_trustrec_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_trustrec

check_PROGRAMS += tests/fuzz/fuzz_policyrec
tests_fuzz_fuzz_policyrec_SOURCES = tests/fuzz/fuzz_policyrec.c tests/fuzz/driver.c
tests_fuzz_fuzz_policyrec_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"policyrec"'
tests_fuzz_fuzz_policyrec_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_policyrec_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_policyrec

check_PROGRAMS += tests/fuzz/fuzz_historyrec
tests_fuzz_fuzz_historyrec_SOURCES = tests/fuzz/fuzz_historyrec.c tests/fuzz/driver.c
tests_fuzz_fuzz_historyrec_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"historyrec"'
tests_fuzz_fuzz_historyrec_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_historyrec_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_historyrec

check_PROGRAMS += tests/fuzz/fuzz_keyrec
tests_fuzz_fuzz_keyrec_SOURCES = tests/fuzz/fuzz_keyrec.c tests/fuzz/driver.c
tests_fuzz_fuzz_keyrec_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"keyrec"'
tests_fuzz_fuzz_keyrec_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_keyrec_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_keyrec

check_PROGRAMS += tests/fuzz/fuzz_langrec
tests_fuzz_fuzz_langrec_SOURCES = tests/fuzz/fuzz_langrec.c tests/fuzz/driver.c
tests_fuzz_fuzz_langrec_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"langrec"'
tests_fuzz_fuzz_langrec_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_langrec_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_langrec

check_PROGRAMS += tests/fuzz/fuzz_manifest
tests_fuzz_fuzz_manifest_SOURCES = tests/fuzz/fuzz_manifest.c tests/fuzz/driver.c
tests_fuzz_fuzz_manifest_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"manifest"'
tests_fuzz_fuzz_manifest_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_manifest_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_manifest

check_PROGRAMS += tests/fuzz/fuzz_wrapper
tests_fuzz_fuzz_wrapper_SOURCES = tests/fuzz/fuzz_wrapper.c tests/fuzz/driver.c
tests_fuzz_fuzz_wrapper_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"wrapper"'
tests_fuzz_fuzz_wrapper_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_wrapper_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_wrapper

check_PROGRAMS += tests/fuzz/fuzz_auditrec
tests_fuzz_fuzz_auditrec_SOURCES = tests/fuzz/fuzz_auditrec.c tests/fuzz/driver.c
tests_fuzz_fuzz_auditrec_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"auditrec"'
tests_fuzz_fuzz_auditrec_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_auditrec_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_auditrec

check_PROGRAMS += tests/fuzz/fuzz_runlock
tests_fuzz_fuzz_runlock_SOURCES = tests/fuzz/fuzz_runlock.c tests/fuzz/driver.c
tests_fuzz_fuzz_runlock_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"runlock"'
tests_fuzz_fuzz_runlock_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_runlock_LDADD = $(GK_FLOOR_RECORDS)
TESTS += tests/fuzz/fuzz_runlock

check_PROGRAMS += tests/fuzz/fuzz_typed
tests_fuzz_fuzz_typed_SOURCES = tests/fuzz/fuzz_typed.c tests/fuzz/driver.c
tests_fuzz_fuzz_typed_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"typed"'
tests_fuzz_fuzz_typed_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_typed_LDADD = $(GK_FLOOR_TRUST)
TESTS += tests/fuzz/fuzz_typed


# The MCP connection and the broker.

check_PROGRAMS += tests/fuzz/fuzz_mcp
tests_fuzz_fuzz_mcp_SOURCES = tests/fuzz/fuzz_mcp.c tests/fuzz/driver.c
tests_fuzz_fuzz_mcp_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"mcp"'
tests_fuzz_fuzz_mcp_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_mcp_LDADD = $(GK_FLOOR_PROTO)
TESTS += tests/fuzz/fuzz_mcp

check_PROGRAMS += tests/fuzz/fuzz_response
tests_fuzz_fuzz_response_SOURCES = tests/fuzz/fuzz_response.c tests/fuzz/driver.c \
  tests/fuzz/fuzz_world.h
tests_fuzz_fuzz_response_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"response"'
tests_fuzz_fuzz_response_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_response_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_response

check_PROGRAMS += tests/fuzz/fuzz_broker
tests_fuzz_fuzz_broker_SOURCES = tests/fuzz/fuzz_broker.c tests/fuzz/driver.c \
  tests/fuzz/fuzz_world.h
tests_fuzz_fuzz_broker_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"broker"'
tests_fuzz_fuzz_broker_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_broker_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_broker


# Connection set-up, envelopes, hosts, relays.

check_PROGRAMS += tests/fuzz/fuzz_handshake
tests_fuzz_fuzz_handshake_SOURCES = tests/fuzz/fuzz_handshake.c tests/fuzz/driver.c
tests_fuzz_fuzz_handshake_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"handshake"'
tests_fuzz_fuzz_handshake_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_handshake_LDADD = $(GK_FLOOR_PROTO)
TESTS += tests/fuzz/fuzz_handshake

check_PROGRAMS += tests/fuzz/fuzz_dial
tests_fuzz_fuzz_dial_SOURCES = tests/fuzz/fuzz_dial.c tests/fuzz/driver.c
tests_fuzz_fuzz_dial_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"dial"'
tests_fuzz_fuzz_dial_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_dial_LDADD = $(GK_FLOOR_PROTO)
TESTS += tests/fuzz/fuzz_dial

check_PROGRAMS += tests/fuzz/fuzz_attach
tests_fuzz_fuzz_attach_SOURCES = tests/fuzz/fuzz_attach.c tests/fuzz/driver.c
tests_fuzz_fuzz_attach_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"attach"'
tests_fuzz_fuzz_attach_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_attach_LDADD = $(GK_FLOOR_PROTO)
TESTS += tests/fuzz/fuzz_attach

check_PROGRAMS += tests/fuzz/fuzz_envelope
tests_fuzz_fuzz_envelope_SOURCES = tests/fuzz/fuzz_envelope.c tests/fuzz/driver.c
tests_fuzz_fuzz_envelope_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"envelope"'
tests_fuzz_fuzz_envelope_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_envelope_LDADD = $(GK_FLOOR_PROTO)
TESTS += tests/fuzz/fuzz_envelope

check_PROGRAMS += tests/fuzz/fuzz_host
tests_fuzz_fuzz_host_SOURCES = tests/fuzz/fuzz_host.c tests/fuzz/driver.c
tests_fuzz_fuzz_host_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"host"'
tests_fuzz_fuzz_host_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_host_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_host

check_PROGRAMS += tests/fuzz/fuzz_relay
tests_fuzz_fuzz_relay_SOURCES = tests/fuzz/fuzz_relay.c tests/fuzz/driver.c
tests_fuzz_fuzz_relay_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"relay"'
tests_fuzz_fuzz_relay_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_relay_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_relay

check_PROGRAMS += tests/fuzz/fuzz_server
tests_fuzz_fuzz_server_SOURCES = tests/fuzz/fuzz_server.c tests/fuzz/driver.c \
  tests/fuzz/fuzz_world.h
tests_fuzz_fuzz_server_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"server"'
tests_fuzz_fuzz_server_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_server_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_server

check_PROGRAMS += tests/fuzz/fuzz_embed
tests_fuzz_fuzz_embed_SOURCES = tests/fuzz/fuzz_embed.c tests/fuzz/driver.c
tests_fuzz_fuzz_embed_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"embed"'
tests_fuzz_fuzz_embed_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_embed_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_embed

check_PROGRAMS += tests/fuzz/fuzz_catalog
tests_fuzz_fuzz_catalog_SOURCES = tests/fuzz/fuzz_catalog.c tests/fuzz/driver.c
tests_fuzz_fuzz_catalog_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"catalog"'
tests_fuzz_fuzz_catalog_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_catalog_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_catalog

check_PROGRAMS += tests/fuzz/fuzz_args
tests_fuzz_fuzz_args_SOURCES = tests/fuzz/fuzz_args.c tests/fuzz/driver.c \
  frontends/common/opt.c
tests_fuzz_fuzz_args_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -I$(top_srcdir)/frontends -DGK_FUZZ_READER='"args"'
tests_fuzz_fuzz_args_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_args_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_args

# Its control plane, with people and records.
check_PROGRAMS += tests/fuzz/fuzz_control
tests_fuzz_fuzz_control_SOURCES = tests/fuzz/fuzz_control.c tests/fuzz/driver.c \
  tests/unit/softkey.c tests/unit/engine/memstore.c
tests_fuzz_fuzz_control_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -I$(top_srcdir)/tests/unit $(CRYPTO_CFLAGS) -DGK_FUZZ_READER='"control"'
tests_fuzz_fuzz_control_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_control_LDADD = $(GK_FLOOR_ENGINE)
TESTS += tests/fuzz/fuzz_control

# What authenticators answer.

check_PROGRAMS += tests/fuzz/fuzz_cbor
tests_fuzz_fuzz_cbor_SOURCES = tests/fuzz/fuzz_cbor.c tests/fuzz/driver.c
tests_fuzz_fuzz_cbor_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"cbor"'
tests_fuzz_fuzz_cbor_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_cbor_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_cbor

check_PROGRAMS += tests/fuzz/fuzz_der
tests_fuzz_fuzz_der_SOURCES = tests/fuzz/fuzz_der.c tests/fuzz/driver.c
tests_fuzz_fuzz_der_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"der"'
tests_fuzz_fuzz_der_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_der_LDADD = $(GK_FLOOR_CODEC)
TESTS += tests/fuzz/fuzz_der

check_PROGRAMS += tests/fuzz/fuzz_authdata
tests_fuzz_fuzz_authdata_SOURCES = tests/fuzz/fuzz_authdata.c tests/fuzz/driver.c
tests_fuzz_fuzz_authdata_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"authdata"'
tests_fuzz_fuzz_authdata_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_authdata_LDADD = $(GK_FLOOR_TRUST)
TESTS += tests/fuzz/fuzz_authdata

check_PROGRAMS += tests/fuzz/fuzz_attestation
tests_fuzz_fuzz_attestation_SOURCES = tests/fuzz/fuzz_attestation.c tests/fuzz/driver.c
tests_fuzz_fuzz_attestation_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
  -DGK_FUZZ_READER='"attestation"'
tests_fuzz_fuzz_attestation_CFLAGS = $(GK_CFLAGS)
tests_fuzz_fuzz_attestation_LDADD = $(GK_FLOOR_TRUST)
TESTS += tests/fuzz/fuzz_attestation

# Needs clang and its runtime; not part of any other target.
TIME = 60
.PHONY: fuzz fuzz-clean
fuzz: $(BUILT_SOURCES)
	@$(top_srcdir)/tests/fuzz/fuzz.sh $(abs_top_srcdir) $(abs_top_builddir) \
	  $(TIME) $(READER)

# The part of the corpora that comes from real traffic, into the source; needs
# strace, and for the browser's part `make e2e-deps extension`.
.PHONY: fuzz-record
fuzz-record: all
	@PYTHON3='$(PYTHON3)' NODE='$(NODE)' $(E2E_ENV) \
	  $(top_srcdir)/tests/fuzz/record.sh $(abs_top_srcdir) \
	  $(abs_top_builddir) $(PROTOCOL_TESTS) tests/protocol/test_cli_doctor.py
fuzz-clean:
	rm -rf tests/fuzz/run
clean-local: fuzz-clean
