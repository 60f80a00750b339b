# End to end: real Chromium, real MCP clients, the shipped manifest.  Run by
# node from a copy in the build folder, where npm puts the clients.

E2E_DIR = $(builddir)/tests/e2e
E2E_ENV = GENKAN_BINDIR='$(abs_builddir)' \
  GENKAN_EXTENSION='$(abs_builddir)/extension/.output/chrome-mv3' \
  GENKAN_EXT_DIR='$(abs_builddir)/extension' GENKAN_BUILDDIR='$(abs_builddir)' \
  GENKAN_SOURCE='$(abs_top_srcdir)' GENKAN_PYTHON='$(PYTHON)' CC='$(CC)'

.PHONY: e2e-copy e2e-deps check-e2e run-e2e show screenshots
e2e-copy:
	$(AM_V_at)$(MKDIR_P) $(E2E_DIR)
	$(AM_V_at)$(call copy_tree,$(srcdir)/tests/e2e,$(E2E_DIR))

e2e-deps: e2e-copy
	$(AM_V_at)cd $(E2E_DIR) && { cmp -s package-lock.json \
	    node_modules/.genkan-lock || { $(NPM_CI) && \
	    cp package-lock.json node_modules/.genkan-lock; }; }

# One file a behaviour; how they are run is told in run.sh.  E2E=NAME: only
# those with NAME in their name.
check-e2e: all e2e-deps extension
	@$(MAKE) $(AM_MAKEFLAGS) run-e2e

# With what is there: the others copy into folders that may be in use.
run-e2e:
	@$(E2E_ENV) NODE='$(NODE)' $(srcdir)/tests/e2e/run.sh $(E2E_DIR) $(E2E)

show: all e2e-deps extension
	@$(E2E_ENV) $(NODE) $(E2E_DIR)/show.mjs

# Every page in every state, language and theme, as <builddir>/screenshots.
screenshots: e2e-deps extension
	@$(E2E_ENV) $(NODE) $(E2E_DIR)/shots.mjs $(abs_builddir)/screenshots
