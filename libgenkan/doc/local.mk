# Manual pages whose tables come from the contract.

GK_DOC_IN = libgenkan/doc/genkan-errors.3.in libgenkan/doc/genkan-protocol.7.in
EXTRA_DIST += $(GK_DOC_IN)
nodist_man_MANS += libgenkan/doc/genkan-errors.3 libgenkan/doc/genkan-protocol.7
CLEANFILES += libgenkan/doc/genkan-errors.3 libgenkan/doc/genkan-protocol.7

libgenkan/doc/genkan-errors.3: libgenkan/doc/genkan-errors.3.in $(GENCONTRACT)
	$(AM_V_at)$(MKDIR_P) libgenkan/doc
	$(AM_V_GEN){ cat $(srcdir)/libgenkan/doc/genkan-errors.3.in && \
	  ./$(GENCONTRACT) errors3; } > $@.tmp && mv $@.tmp $@
libgenkan/doc/genkan-protocol.7: libgenkan/doc/genkan-protocol.7.in $(GENCONTRACT)
	$(AM_V_at)$(MKDIR_P) libgenkan/doc
	$(AM_V_GEN){ cat $(srcdir)/libgenkan/doc/genkan-protocol.7.in && \
	  ./$(GENCONTRACT) protocol7; } > $@.tmp && mv $@.tmp $@

# Section 3: an overview, a page made from each header, and for every function
# of the map a link to the page that has it.
GK_MAN3_OF = broker client context dispatch event host keystore leg local \
  native peer policy server store trust webauthn
GK_PAGES3 = $(GK_MAN3_OF:%=libgenkan/doc/genkan-%.3)
GK_FUNCTIONS = $(shell sed -n \
  's/^[[:space:]]*\(genkan_[a-z0-9_]*\);/\1/p' $(srcdir)/libgenkan/genkan.map)
GK_LINKS3 = $(GK_FUNCTIONS:%=libgenkan/doc/%.3)
EXTRA_DIST += libgenkan/doc/genkan.3.in libgenkan/doc/man3.awk
nodist_man_MANS += libgenkan/doc/genkan.3 $(GK_PAGES3) $(GK_LINKS3)
CLEANFILES += libgenkan/doc/genkan.3 $(GK_PAGES3) $(GK_LINKS3)

libgenkan/doc/genkan.3: libgenkan/doc/genkan.3.in
	$(AM_V_at)$(MKDIR_P) libgenkan/doc
	$(AM_V_GEN)cp $(srcdir)/libgenkan/doc/genkan.3.in $@.tmp && mv $@.tmp $@
$(GK_PAGES3): libgenkan/doc/genkan-%.3: include/genkan/%.h \
    libgenkan/doc/man3.awk
	$(AM_V_at)$(MKDIR_P) libgenkan/doc
	$(AM_V_GEN)$(AWK) -v version=$(PACKAGE_VERSION) \
	  -f $(srcdir)/libgenkan/doc/man3.awk $< > $@.tmp && mv $@.tmp $@
# The page is the one whose header declares it.
$(GK_LINKS3): libgenkan/doc/%.3: libgenkan/genkan.map $(GK_PAGES3)
	$(AM_V_at)page=`grep -l '^\.SS $*$$' $(GK_PAGES3)` && \
	  test -n "$$page" && \
	  echo ".so man3/$${page##*/}" > $@.tmp && mv $@.tmp $@
