# The contract floor: tables, their lookup, and what is printed from them.
# Generated files go to the build directory and are never tracked.

noinst_LTLIBRARIES += libgkcontract.la
libgkcontract_la_SOURCES = \
  libgenkan/contract/schema.h libgenkan/contract/schema.c

CONTRACT_DEFS = \
  libgenkan/contract/errors.def libgenkan/contract/codes.def \
  libgenkan/contract/refusals.def libgenkan/contract/limits.def

# gencontract runs during the build, so automake must not build it for the host.
GENCONTRACT = libgenkan/contract/gencontract
GENCONTRACT_SOURCES = \
  libgenkan/contract/gencontract.c libgenkan/contract/gen.h \
  libgenkan/contract/gen_h.c
EXTRA_DIST += $(CONTRACT_DEFS) $(GENCONTRACT_SOURCES)

$(GENCONTRACT): $(GENCONTRACT_SOURCES) $(CONTRACT_DEFS) \
    libgenkan/contract/schema.c libgenkan/contract/schema.h
	$(AM_V_at)$(MKDIR_P) libgenkan/contract
	$(AM_V_CC)$(CC_FOR_BUILD) -O1 -I$(top_srcdir)/libgenkan -o $@ \
	  $(top_srcdir)/libgenkan/contract/gencontract.c \
	  $(top_srcdir)/libgenkan/contract/gen_h.c \
	  $(top_srcdir)/libgenkan/contract/schema.c
CLEANFILES += $(GENCONTRACT)

BUILT_SOURCES += include/genkan/contract.h
nodist_genkaninclude_HEADERS += include/genkan/contract.h
include/genkan/contract.h: $(GENCONTRACT)
	$(AM_V_at)$(MKDIR_P) include/genkan
	$(AM_V_GEN)./$(GENCONTRACT) h > $@.tmp && mv $@.tmp $@
CLEANFILES += include/genkan/contract.h
