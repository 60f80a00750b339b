# The contract floor: tables, their lookup, and what is printed from them.
# Printed files go to the build directory and are never tracked.

noinst_LTLIBRARIES += libgkcontract.la
libgkcontract_la_CPPFLAGS = $(GK_LIB_CPPFLAGS)
libgkcontract_la_SOURCES = \
  libgenkan/contract/schema.h libgenkan/contract/schema.c \
  libgenkan/contract/schema_frames.c libgenkan/contract/schema_tools.c \
  libgenkan/contract/tooljson.c
nodist_libgkcontract_la_SOURCES = libgenkan/contract/tools_json.h

CONTRACT_DEFS = \
  libgenkan/contract/audit.def libgenkan/contract/browsers.def \
  libgenkan/contract/codes.def libgenkan/contract/envelopes.def \
  libgenkan/contract/errors.def libgenkan/contract/frames.def \
  libgenkan/contract/identity.def libgenkan/contract/limits.def \
  libgenkan/contract/policy.def libgenkan/contract/records.def \
  libgenkan/contract/refusals.def libgenkan/contract/tools.def \
  libgenkan/contract/vectors.def

# gencontract runs during the build, so it is never compiled for the host.
GENCONTRACT = libgenkan/contract/gencontract
GENCONTRACT_SRCS = \
  libgenkan/contract/gencontract.c libgenkan/contract/gen_h.c \
  libgenkan/contract/gen_json.c libgenkan/contract/gen_man.c \
  libgenkan/contract/gen_tools.c libgenkan/contract/gen_ts.c \
  libgenkan/contract/gen_util.c libgenkan/contract/gen_vectors.c \
  libgenkan/contract/gen_zod.c libgenkan/contract/gen_zod_kit.c \
  libgenkan/contract/gen_zod_shape.c
EXTRA_DIST += $(CONTRACT_DEFS) $(GENCONTRACT_SRCS) \
  libgenkan/contract/gen.h libgenkan/contract/gen_zod.h

$(GENCONTRACT): $(GENCONTRACT_SRCS) $(CONTRACT_DEFS) \
    libgenkan/contract/gen.h libgenkan/contract/gen_zod.h \
    libgenkan/contract/schema.h \
    libgenkan/contract/schema.c libgenkan/contract/schema_frames.c \
    libgenkan/contract/schema_tools.c
	$(AM_V_at)$(MKDIR_P) libgenkan/contract
	$(AM_V_CC)cd $(srcdir) && $(CC_FOR_BUILD) -O1 -Ilibgenkan \
	  -o '$(abs_builddir)/$@' $(GENCONTRACT_SRCS) \
	  libgenkan/contract/schema.c libgenkan/contract/schema_frames.c \
	  libgenkan/contract/schema_tools.c
CLEANFILES += $(GENCONTRACT)

BUILT_SOURCES += include/genkan/contract.h libgenkan/contract/tools_json.h \
  contract.json

nodist_genkaninclude_HEADERS += include/genkan/contract.h
include/genkan/contract.h: $(GENCONTRACT)
	$(AM_V_at)$(MKDIR_P) include/genkan
	$(AM_V_GEN)./$(GENCONTRACT) h > $@.tmp && mv $@.tmp $@
libgenkan/contract/tools_json.h: $(GENCONTRACT)
	$(AM_V_GEN)./$(GENCONTRACT) tools > $@.tmp && mv $@.tmp $@
contract.json: $(GENCONTRACT)
	$(AM_V_GEN)./$(GENCONTRACT) json > $@.tmp && mv $@.tmp $@
CLEANFILES += include/genkan/contract.h libgenkan/contract/tools_json.h \
  contract.json
