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
