# The Node package: an addon over the public headers, JavaScript over that.

NODE_PKG = bindings/node
NODE_SRC = \
  $(NODE_PKG)/src/addon.c \
  $(NODE_PKG)/src/box.c \
  $(NODE_PKG)/src/box.h \
  $(NODE_PKG)/src/broker.c \
  $(NODE_PKG)/src/call.c \
  $(NODE_PKG)/src/call.h \
  $(NODE_PKG)/src/client.c \
  $(NODE_PKG)/src/context.c \
  $(NODE_PKG)/src/exports.h \
  $(NODE_PKG)/src/leg.c \
  $(NODE_PKG)/src/machine.c \
  $(NODE_PKG)/src/native.c \
  $(NODE_PKG)/src/report.c \
  $(NODE_PKG)/src/store.c \
  $(NODE_PKG)/src/store.h \
  $(NODE_PKG)/src/value.c \
  $(NODE_PKG)/src/value.h \
  $(NODE_PKG)/src/webauthn.c
NODE_LIB = \
  $(NODE_PKG)/lib/arguments.cjs \
  $(NODE_PKG)/lib/client.cjs \
  $(NODE_PKG)/lib/context.cjs \
  $(NODE_PKG)/lib/errors.cjs \
  $(NODE_PKG)/lib/machines.cjs \
  $(NODE_PKG)/lib/native.cjs \
  $(NODE_PKG)/lib/report.cjs \
  $(NODE_PKG)/lib/signals.cjs \
  $(NODE_PKG)/lib/store.cjs \
  $(NODE_PKG)/lib/webauthn.cjs
NODE_TOP = \
  $(NODE_PKG)/build.mjs \
  $(NODE_PKG)/index.cjs \
  $(NODE_PKG)/index.d.mts \
  $(NODE_PKG)/index.d.ts \
  $(NODE_PKG)/index.mjs
NODE_MADE = $(NODE_PKG)/lib/tables.cjs $(NODE_PKG)/lib/tables.d.ts
NODE_GEN = $(NODE_PKG)/gen_tables.mjs
EXTRA_DIST += $(NODE_SRC) $(NODE_LIB) $(NODE_TOP) $(NODE_GEN)

if NODE_BINDING
$(NODE_PKG)/lib/tables.cjs: $(NODE_GEN) contract.json
	$(AM_V_at)$(MKDIR_P) $(NODE_PKG)/lib
	$(AM_V_GEN)$(NODE) $(srcdir)/$(NODE_GEN) cjs contract.json >$@.tmp && \
	  mv $@.tmp $@
$(NODE_PKG)/lib/tables.d.ts: $(NODE_GEN) contract.json
	$(AM_V_at)$(MKDIR_P) $(NODE_PKG)/lib
	$(AM_V_GEN)$(NODE) $(srcdir)/$(NODE_GEN) dts contract.json >$@.tmp && \
	  mv $@.tmp $@

# Sources and build.mjs go along, so that `npm install` of a copy can build it
# anew for another machine.
nodepkgdir = $(nodedir)/genkan
nodelibdir = $(nodepkgdir)/lib
nodesrcdir = $(nodepkgdir)/src
OWN_FOLDERS += $(nodelibdir) $(nodesrcdir) $(nodepkgdir)
nodepkg_DATA = $(NODE_TOP)
nodist_nodepkg_DATA = $(NODE_PKG)/package.json
nodelib_DATA = $(NODE_LIB)
nodist_nodelib_DATA = $(NODE_MADE)
nodesrc_DATA = $(NODE_SRC)
nodepkg_LTLIBRARIES = bindings/node/genkan.la
bindings_node_genkan_la_SOURCES = $(NODE_SRC)
bindings_node_genkan_la_CPPFLAGS = -I$(top_builddir)/include \
  -I$(top_srcdir)/include -isystem $(NODE_INCLUDE) -DNAPI_VERSION=8 \
  -DNODE_GYP_MODULE_NAME=genkan $(GK_LT_ONCE)
# NAPI_MODULE_INIT() defines a function that it never declares.
bindings_node_genkan_la_CFLAGS = $(AM_CFLAGS) -Wno-missing-prototypes
bindings_node_genkan_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
  -shared -shrext .node -export-symbols-regex '^(napi|node_api_module)'
bindings_node_genkan_la_LIBADD = libgenkan.la
CLEANFILES += $(NODE_MADE)

# BUILD/bindings/node/stage/genkan is the package, to be used from there.
NODE_STAGE = bindings/node/stage/genkan
noinst_DATA += bindings/node/stage.stamp
bindings/node/stage.stamp: $(NODE_LIB) $(NODE_TOP) $(NODE_MADE) \
    bindings/node/package.json bindings/node/genkan.la
	$(AM_V_at)$(call stage,$(NODE_LIB) $(NODE_TOP) $(NODE_MADE) $(NODE_PKG)/package.json,bindings/node,$(NODE_STAGE))
	$(AM_V_at)ln -sf ../../.libs/genkan.node $(NODE_STAGE)/genkan.node
	$(AM_V_at)touch $@
CLEANFILES += bindings/node/stage.stamp
endif

# What `npm install` builds, against the libgenkan that pkg-config finds.
NODE_PACK = bindings/node/pack
.PHONY: node-pack clean-node
node-pack: $(NODE_MADE)
	$(AM_V_at)rm -rf $(NODE_PACK)
	$(AM_V_GEN)$(call stage,$(NODE_SRC) $(NODE_LIB) $(NODE_TOP) $(NODE_MADE) $(NODE_PKG)/package.json,bindings/node,$(NODE_PACK))
clean-node:
	rm -rf bindings/node/stage $(NODE_PACK)
