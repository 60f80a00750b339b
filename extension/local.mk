# The extension is built by npm, in the build folder, from a copy of what is
# tracked: no rule writes to the source.  It is not part of `all`, since the
# library needs none of it.

EXT_DIR = $(builddir)/extension
EXT_PRUNE = -name node_modules -o -name .output -o -name .wxt -o -name .contract
NPM_CI = $(NPM) ci --no-fund --no-audit --loglevel=error

# copy_tree FROM TO: FROM as it is, with what npm and the build made in TO kept.
copy_tree = test "$$(cd $(1) && pwd -P)" = "$$(cd $(2) && pwd -P)" || { \
  find $(2) -mindepth 1 -maxdepth 1 ! \( $(EXT_PRUNE) \) -exec rm -rf {} + && \
  (cd $(1) && tar cf - --exclude=node_modules --exclude=.output \
    --exclude=.wxt --exclude=.contract --exclude=local.mk .) | \
  (cd $(2) && tar xf - --no-same-owner && chmod -R u+w .); }

.PHONY: extension extension-copy extension-deps extension-zip \
  install-extension check-extension
extension-copy: $(GENCONTRACT)
	$(AM_V_at)$(MKDIR_P) $(EXT_DIR)
	$(AM_V_at)$(call copy_tree,$(srcdir)/extension,$(EXT_DIR))

extension-deps: extension-copy
	$(AM_V_at)cd $(EXT_DIR) && { cmp -s package-lock.json \
	    node_modules/.genkan-lock || { $(NPM_CI) && \
	    cp package-lock.json node_modules/.genkan-lock; }; }

# Built anew only when something that goes into it changed.
EXT_INPUT = find . \( $(EXT_PRUNE) -o -name test \) -prune -o -type f -print0; \
  printf '%s\0' $(abs_builddir)/$(GENCONTRACT)
extension: extension-deps
	$(AM_V_at)cd $(EXT_DIR) && now=$$({ $(EXT_INPUT); } | LC_ALL=C sort -z | \
	  xargs -0 sha256sum | sha256sum) && \
	{ test -f .output/chrome-mv3/manifest.json && \
	  test "$$now" = "$$(cat .output/.input 2>/dev/null)" || \
	  { echo '  BUILD    extension' && $(NPM) run --silent build && \
	    printf '%s' "$$now" >.output/.input; }; }

# For the store; the same sources give the same bytes.
EXT_ZIP = $(abs_builddir)/genkan-extension-$(PACKAGE_VERSION).zip
CLEANFILES += $(EXT_ZIP)
extension-zip: extension
	$(AM_V_at)cd $(EXT_DIR) && $(NPM) run --silent zip -- $(EXT_ZIP)

# Also: built once more from nothing, elsewhere, the zip comes out as it was.
# Not in place: a browser may have the first one loaded.
EXT_AGAIN = $(builddir)/extension-again
check-extension: extension-zip
	cd $(EXT_DIR) && $(NPM) run --silent typecheck && \
	  $(NPM) run --silent lint && $(NPM) run --silent test:tap
	rm -rf $(EXT_AGAIN) && $(MKDIR_P) $(EXT_AGAIN)
	@$(call copy_tree,$(EXT_DIR),$(EXT_AGAIN))
	cp -al $(EXT_DIR)/node_modules $(EXT_AGAIN)/node_modules
	cd $(EXT_AGAIN) && $(NPM) run --silent build && \
	  $(NPM) run --silent zip -- $(EXT_ZIP).again && \
	  cmp $(EXT_ZIP) $(EXT_ZIP).again && rm $(EXT_ZIP).again
	rm -rf $(EXT_AGAIN)

install-extension: extension
	$(MKDIR_P) $(DESTDIR)$(datadir)/genkan
	rm -rf $(DESTDIR)$(datadir)/genkan/extension
	cp -R $(EXT_DIR)/.output/chrome-mv3 $(DESTDIR)$(datadir)/genkan/extension

uninstall-local:
	rm -rf $(DESTDIR)$(datadir)/genkan/extension
	-rmdir $(DESTDIR)$(datadir)/genkan

# The tarball holds what is tracked, whatever npm left in the source folder.
dist-hook:
	(cd $(srcdir) && find extension tests pkgconfig/debian \( $(EXT_PRUNE) -o \
	    -name __pycache__ \) -prune -o -type f -print | tar cf - -T -) | \
	  (cd $(distdir) && tar xf -)
	chmod -R u+w $(distdir)/extension $(distdir)/tests \
	  $(distdir)/pkgconfig
