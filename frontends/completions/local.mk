# Shell completions of genkan, where each shell looks.
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
fishcompdir = $(datadir)/fish/vendor_completions.d

EXTRA_DIST += frontends/completions/genkan.bash \
  frontends/completions/_genkan frontends/completions/genkan.fish
install-data-hook: install-completions
uninstall-hook: uninstall-completions
install-completions:
	$(MKDIR_P) '$(DESTDIR)$(bashcompdir)' '$(DESTDIR)$(zshcompdir)' \
	  '$(DESTDIR)$(fishcompdir)'
	$(INSTALL_DATA) $(srcdir)/frontends/completions/genkan.bash \
	  '$(DESTDIR)$(bashcompdir)/genkan'
	$(INSTALL_DATA) $(srcdir)/frontends/completions/_genkan \
	  '$(DESTDIR)$(zshcompdir)/_genkan'
	$(INSTALL_DATA) $(srcdir)/frontends/completions/genkan.fish \
	  '$(DESTDIR)$(fishcompdir)/genkan.fish'
uninstall-completions:
	rm -f '$(DESTDIR)$(bashcompdir)/genkan' \
	  '$(DESTDIR)$(zshcompdir)/_genkan' \
	  '$(DESTDIR)$(fishcompdir)/genkan.fish'
.PHONY: install-completions uninstall-completions
