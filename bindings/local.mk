# Packages for other languages, over the public headers and the shared library.

include bindings/python/local.mk
include bindings/node/local.mk

# $(call stage,FILES,FROM,TO): the package as it will lie when installed, so that
# it can be used from the build folder.  In a folder of its own: a copy beside
# the objects would hide a source that has changed since.
stage = for f in $(1); do to=$(3)/$${f\#$(2)/}; s=$$f; test -f $$s || \
  s=$(srcdir)/$$f; $(MKDIR_P) "$$(dirname $$to)" && cp -f $$s $$to || exit 1; done

clean-local: clean-python clean-node
