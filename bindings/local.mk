# Packages for other languages, over the public headers and the shared library.

include bindings/python/local.mk
include bindings/node/local.mk

# stage FILE...: files of the source, laid into the build folder beside what is
# made there, so that the package can be used from it.  In a build in the tree
# they lie there already.
stage = for f in $(1); do $(MKDIR_P) "$$(dirname $$f)" && \
  { test $(srcdir)/$$f -ef $$f || { test ! -f $(srcdir)/$$f || \
    cp -f $(srcdir)/$$f $$f; }; } || exit 1; done

clean-local: clean-python
