dist_man_MANS += \
  frontends/man/genkan-host.1 \
  frontends/man/genkan-server.1

# The fields of the policy come from the contract.
EXTRA_DIST += frontends/man/genkan.1.in
nodist_man_MANS += frontends/man/genkan.1
CLEANFILES += frontends/man/genkan.1
frontends/man/genkan.1: frontends/man/genkan.1.in $(GENCONTRACT)
	$(AM_V_at)$(MKDIR_P) frontends/man
	$(AM_V_at)./$(GENCONTRACT) policy1 > $@.policy
	$(AM_V_GEN)sed -e '/^@policy@$$/r $@.policy' -e '/^@policy@$$/d' \
	  $(srcdir)/frontends/man/genkan.1.in > $@.tmp && mv $@.tmp $@
	$(AM_V_at)rm -f $@.policy
