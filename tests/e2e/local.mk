# End to end: real Chromium, real MCP clients, the shipped manifest.  Run by
# node from a copy in the build folder, where npm puts the clients.

E2E_DIR = $(builddir)/tests/e2e
E2E_ENV = GENKAN_BINDIR='$(abs_builddir)' \
  GENKAN_EXTENSION='$(abs_builddir)/extension/.output/chrome-mv3' \
  GENKAN_EXT_DIR='$(abs_builddir)/extension'

.PHONY: e2e-copy e2e-deps check-e2e show screenshots
e2e-copy:
	$(AM_V_at)$(MKDIR_P) $(E2E_DIR)
	$(AM_V_at)$(call copy_tree,$(srcdir)/tests/e2e,$(E2E_DIR))

e2e-deps: e2e-copy
	$(AM_V_at)cd $(E2E_DIR) && { cmp -s package-lock.json \
	    node_modules/.genkan-lock || { $(NPM_CI) && \
	    cp package-lock.json node_modules/.genkan-lock; }; }

# One file a behaviour; a file that cannot run says why with status 77, and
# that is a failure here, since whoever asks for this target has Chromium.  A
# browser on a busy machine may lose a click: what fails is run once more, and
# both outcomes are shown.
check-e2e: all e2e-deps extension
	@bad=0; for f in $(E2E_DIR)/*.e2e.mjs; do \
	  test -n "$(E2E)" && case "$$f" in *$(E2E)*) ;; *) continue ;; esac; \
	  name=$$(basename $$f); echo "# $$name"; log=$(E2E_DIR)/$$name.log; \
	  if $(E2E_ENV) timeout 300 $(NODE) "$$f" >$$log 2>&1; then cat $$log; \
	  else sed 's/^/first try: /' $$log; echo "# $$name once more"; \
	    $(E2E_ENV) timeout 300 $(NODE) "$$f" || { rc=$$?; bad=1; \
	      echo "FAIL: $$name ended with $$rc, twice"; }; fi; \
	done; exit $$bad

show: all e2e-deps extension
	@$(E2E_ENV) $(NODE) $(E2E_DIR)/show.mjs

# Every page in every state, language and theme, as <builddir>/screenshots.
screenshots: e2e-deps extension
	@$(E2E_ENV) $(NODE) $(E2E_DIR)/shots.mjs $(abs_builddir)/screenshots
