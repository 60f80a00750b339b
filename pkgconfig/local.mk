pkgconfig_DATA = pkgconfig/genkan.pc

# Debian packages, built from what the tarball holds, with the extension that
# was built here.  Debian wants its folder at the top of what it builds,
# and gets it there.
GK_DEB = $(abs_builddir)/deb
GK_DEB_SRC = $(GK_DEB)/$(PACKAGE)-$(PACKAGE_VERSION)

.PHONY: deb check-deb
deb: all extension
	rm -rf $(GK_DEB) && $(MKDIR_P) $(GK_DEB)
	$(MAKE) $(AM_MAKEFLAGS) distdir distdir=$(GK_DEB_SRC)
	mv $(GK_DEB_SRC)/pkgconfig/debian $(GK_DEB_SRC)/debian
	sed 's,#VERSION#,$(PACKAGE_VERSION),' \
	  $(GK_DEB_SRC)/debian/changelog.in >$(GK_DEB_SRC)/debian/changelog
	rm $(GK_DEB_SRC)/debian/changelog.in
	cd $(GK_DEB_SRC) && \
	  GENKAN_EXTENSION=$(abs_builddir)/extension/.output/chrome-mv3 \
	  DEB_BUILD_OPTIONS="nocheck parallel=$$(nproc)" \
	  MAKEFLAGS= dpkg-buildpackage --unsigned-source --unsigned-changes \
	  --build=binary --no-check-builddeps

# Lintian, then: installed, tested and purged in a root that held nothing else.
check-deb: deb e2e-deps
	$(srcdir)/tests/packages/run.sh $(GK_DEB) $(E2E_DIR)/node_modules

clean-local: clean-deb
.PHONY: clean-deb
clean-deb:
	rm -rf $(GK_DEB)
