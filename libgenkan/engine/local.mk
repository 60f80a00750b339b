# Machines that join connections with verdicts.
noinst_LTLIBRARIES += libgkengine.la
libgkengine_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkengine_la_SOURCES =

# A server of one harness, in every role.
libgkengine_la_SOURCES += \
  libgenkan/engine/election.c \
  libgenkan/engine/election.h \
  libgenkan/engine/held.c \
  libgenkan/engine/held.h \
  libgenkan/engine/relay.c \
  libgenkan/engine/relay.h \
  libgenkan/engine/relay_impl.h \
  libgenkan/engine/relay_leg.c \
  libgenkan/engine/relay_reply.c \
  libgenkan/engine/relay_send.c \
  libgenkan/engine/server.c \
  libgenkan/engine/server.h \
  libgenkan/engine/server_call.c \
  libgenkan/engine/server_impl.h \
  libgenkan/engine/server_own.c \
  libgenkan/engine/server_relay.c \
  libgenkan/engine/server_role.c \
  libgenkan/engine/server_trust.c

# A host of one browser.
libgkengine_la_SOURCES += \
  libgenkan/engine/control.c \
  libgenkan/engine/control.h \
  libgenkan/engine/control_act.c \
  libgenkan/engine/control_admin.c \
  libgenkan/engine/control_query.c \
  libgenkan/engine/control_ask.c \
  libgenkan/engine/control_bytes.c \
  libgenkan/engine/control_bytes.h \
  libgenkan/engine/control_change.c \
  libgenkan/engine/control_clients.c \
  libgenkan/engine/control_enroll.c \
  libgenkan/engine/control_impl.h \
  libgenkan/engine/control_key.c \
  libgenkan/engine/control_kill.c \
  libgenkan/engine/control_policy.c \
  libgenkan/engine/control_presence.c \
  libgenkan/engine/control_rules.c \
  libgenkan/engine/control_watch.c \
  libgenkan/engine/control_webauthn.c \
  libgenkan/engine/control_write.c \
  libgenkan/engine/host.c \
  libgenkan/engine/host.h \
  libgenkan/engine/host_args.c \
  libgenkan/engine/host_bridge.c \
  libgenkan/engine/host_browser.c \
  libgenkan/engine/host_impl.h \
  libgenkan/engine/shape.c \
  libgenkan/engine/shape.h

# The client of an embedder.
libgkengine_la_SOURCES += \
  libgenkan/engine/embed.c \
  libgenkan/engine/embed.h \
  libgenkan/engine/embed_calls.c \
  libgenkan/engine/embed_impl.h \
  libgenkan/engine/embed_leg.c

# The broker.
libgkengine_la_SOURCES += \
  libgenkan/engine/admit.c \
  libgenkan/engine/broker.c \
  libgenkan/engine/broker.h \
  libgenkan/engine/broker_impl.h \
  libgenkan/engine/browser.c \
  libgenkan/engine/call.c \
  libgenkan/engine/catalog.c \
  libgenkan/engine/catalog.h \
  libgenkan/engine/chain.h \
  libgenkan/engine/client.c \
  libgenkan/engine/gate.c \
  libgenkan/engine/leg.c \
  libgenkan/engine/listing.c \
  libgenkan/engine/registry.c \
  libgenkan/engine/route.c \
  libgenkan/engine/sweep.c
