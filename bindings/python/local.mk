# The Python package: SWIG for the C functions, Python over them.

PY_PKG = bindings/python/genkan
PY_HAND = \
  $(PY_PKG)/__init__.py \
  $(PY_PKG)/_base.py \
  $(PY_PKG)/_client.py \
  $(PY_PKG)/_core.py \
  $(PY_PKG)/aio.py \
  $(PY_PKG)/client.py \
  $(PY_PKG)/context.py \
  $(PY_PKG)/local.py \
  $(PY_PKG)/machines.py \
  $(PY_PKG)/native.py \
  $(PY_PKG)/peer.py \
  $(PY_PKG)/policy.py \
  $(PY_PKG)/report.py \
  $(PY_PKG)/store.py \
  $(PY_PKG)/trust.py \
  $(PY_PKG)/webauthn.py
PY_TYPED = $(PY_PKG)/py.typed $(PY_PKG)/_genkan.pyi
PY_MADE = $(PY_PKG)/errors.py $(PY_PKG)/codes.py $(PY_PKG)/_tools.py
PY_GEN = bindings/python/gen_tables.py
PY_WRAP = bindings/swig/genkan_wrap.c
SWIG_FILES = \
  bindings/swig/genkan.i \
  bindings/swig/py_bytes.i \
  bindings/swig/py_context.i \
  bindings/swig/py_machines.i \
  bindings/swig/py_reports.i \
  bindings/swig/py_store.i \
  bindings/swig/py_webauthn.i \
  bindings/swig/python.i
EXTRA_DIST += $(PY_HAND) $(PY_TYPED) $(PY_GEN) $(SWIG_FILES) \
  bindings/python/setup.py

if PYTHON_BINDING
$(PY_WRAP): $(SWIG_FILES) $(genkaninclude_HEADERS) include/genkan/contract.h
	$(AM_V_at)$(MKDIR_P) bindings/swig
	$(AM_V_GEN)$(SWIG) -python -threads -noproxy -Iinclude \
	  -I$(srcdir)/include -I$(srcdir)/bindings/swig -outdir bindings/swig \
	  -o $@ $(srcdir)/bindings/swig/genkan.i
$(PY_PKG)/errors.py: $(PY_GEN) contract.json
	$(AM_V_at)$(MKDIR_P) $(PY_PKG)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/$(PY_GEN) errors contract.json >$@.tmp && \
	  mv $@.tmp $@
$(PY_PKG)/codes.py: $(PY_GEN) contract.json
	$(AM_V_at)$(MKDIR_P) $(PY_PKG)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/$(PY_GEN) codes contract.json >$@.tmp && \
	  mv $@.tmp $@
$(PY_PKG)/_tools.py: $(PY_GEN) contract.json
	$(AM_V_at)$(MKDIR_P) $(PY_PKG)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/$(PY_GEN) tools contract.json >$@.tmp && \
	  mv $@.tmp $@

# All in one folder, which is that of machine code: a package in two is none.
genkanpydir = $(pyexecdir)/genkan
OWN_FOLDERS += $(genkanpydir)/__pycache__ $(genkanpydir)
genkanpy_PYTHON = $(PY_HAND)
nodist_genkanpy_PYTHON = $(PY_MADE)
dist_genkanpy_DATA = $(PY_TYPED)
genkanpy_LTLIBRARIES = bindings/python/genkan/_genkan.la
nodist_bindings_python_genkan__genkan_la_SOURCES = $(PY_WRAP)
bindings_python_genkan__genkan_la_CPPFLAGS = -I$(top_builddir)/include \
  -I$(top_srcdir)/include $(PY_CPPFLAGS) $(GK_LT_ONCE)
# What SWIG writes does not bear our warnings.
bindings_python_genkan__genkan_la_CFLAGS = $(GK_CFLAGS) -w
bindings_python_genkan__genkan_la_LDFLAGS = $(AM_LDFLAGS) -module \
  -avoid-version -shared -export-symbols-regex '^PyInit_'
bindings_python_genkan__genkan_la_LIBADD = libgenkan.la
CLEANFILES += $(PY_WRAP) $(PY_MADE)

# PYTHONPATH=BUILD/bindings/python/stage uses the package from there.
PY_STAGE = bindings/python/stage
noinst_DATA += bindings/python/stage.stamp
bindings/python/stage.stamp: $(PY_HAND) $(PY_TYPED) $(PY_MADE) \
    bindings/python/genkan/_genkan.la
	$(AM_V_at)$(call stage,$(PY_HAND) $(PY_TYPED) $(PY_MADE),bindings/python,$(PY_STAGE))
	$(AM_V_at)ln -sf ../../genkan/.libs/_genkan.so $(PY_STAGE)/genkan/_genkan.so
	$(AM_V_at)touch $@
CLEANFILES += bindings/python/stage.stamp
endif

# What `pip wheel` builds, against the libgenkan that pkg-config finds.
PY_SDIST = bindings/python/sdist
.PHONY: python-sdist wheel clean-python
python-sdist: $(PY_WRAP) $(PY_MADE)
	$(AM_V_at)rm -rf $(PY_SDIST) && $(MKDIR_P) $(PY_SDIST)/genkan
	$(AM_V_GEN)for f in $(PY_HAND) $(PY_TYPED) $(PY_MADE); do \
	  s=$$f; test -f $$s || s=$(srcdir)/$$f; \
	  cp $$s $(PY_SDIST)/genkan/ || exit 1; done; \
	cp bindings/python/pyproject.toml $(PY_WRAP) \
	  $(srcdir)/bindings/python/setup.py $(PY_SDIST)/
wheel: python-sdist
	cd $(PY_SDIST) && $(PYTHON) -m pip --disable-pip-version-check wheel \
	  --no-index --no-deps --no-build-isolation -w .. .
clean-python:
	rm -rf $(PY_SDIST) bindings/python/*.whl bindings/python/stage
