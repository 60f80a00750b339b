/*
 * The C functions as a scripting language sees them: which headers, and which
 * of their names are left to the language's own file because scalars and
 * buffers do not carry them (structs that a caller fills in, borrowed memory).
 *
 * SPDX-License-Identifier: MIT
 */
%module _genkan

%{
#include <genkan/genkan.h>
%}

%include <stdint.i>

#define GENKAN_API
#define GENKAN_CHECKED
#define GENKAN_BEGIN_DECLS
#define GENKAN_END_DECLS

/* Structs are built and taken apart by helpers. */
%ignore genkan_ctx_options;
%ignore genkan_event;
%ignore genkan_pair_options;
%ignore genkan_register_options;
%ignore genkan_server_options;
%ignore genkan_client_options;
%ignore genkan_broker_options;
%ignore genkan_store;
%ignore genkan_peer_facts;
%ignore genkan_rp;
%ignore genkan_authdata;
%ignore GENKAN_CTX_OPTIONS_INIT;
%ignore GENKAN_EVENT_INIT;
%ignore GENKAN_PAIR_OPTIONS_INIT;
%ignore GENKAN_REGISTER_OPTIONS_INIT;
%ignore GENKAN_SERVER_OPTIONS_INIT;
%ignore GENKAN_CLIENT_OPTIONS_INIT;
%ignore GENKAN_BROKER_OPTIONS_INIT;
%ignore GENKAN_STORE_INIT;
%ignore GENKAN_PEER_FACTS_INIT;
%ignore GENKAN_RP_INIT;

/* Functions on them, and on memory that is borrowed. */
%ignore genkan_ctx_new;
%ignore genkan_native_frame;
%ignore genkan_native_header;
%ignore genkan_native_encode;
%ignore genkan_leg_gather;
%ignore genkan_leg_output;
%ignore genkan_leg_room;
%ignore genkan_server_new;
%ignore genkan_server_next;
%ignore genkan_broker_new;
%ignore genkan_broker_next;
%ignore genkan_peer_new;
%ignore genkan_host_new;
%ignore genkan_host_next;
%ignore genkan_client_new;
%ignore genkan_client_next;
%ignore genkan_trust_pair;
%ignore genkan_register_write;
%ignore genkan_register_remove;
%ignore genkan_policy_set;
%ignore genkan_policy_restrict;
%ignore genkan_credential_id;
%ignore genkan_credential_new;
%ignore genkan_credential_public_key;
%ignore genkan_webauthn_nonce;
%ignore genkan_webauthn_challenge;
%ignore genkan_webauthn_register;
%ignore genkan_webauthn_assert;
%ignore genkan_webauthn_authdata;
%ignore genkan_webauthn_attestation;

#ifdef SWIGPYTHON
%include "python.i"
#endif

%include <genkan/version.h>
%include <genkan/contract.h>
%include <genkan/context.h>
%include <genkan/event.h>
%include <genkan/leg.h>
%include <genkan/native.h>
%include <genkan/peer.h>
%include <genkan/store.h>
%include <genkan/server.h>
%include <genkan/broker.h>
%include <genkan/host.h>
%include <genkan/client.h>
%include <genkan/local.h>
%include <genkan/trust.h>
%include <genkan/policy.h>
%include <genkan/keystore.h>
%include <genkan/webauthn.h>
