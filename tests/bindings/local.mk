# The packages for other languages, tried out of the build folder.

PY_TESTS = tests/bindings/py/run.py
EXTRA_DIST += $(PY_TESTS) \
  tests/bindings/py/chain.py \
  tests/bindings/py/conftest.py \
  tests/bindings/py/test_arguments.py \
  tests/bindings/py/test_client.py \
  tests/bindings/py/test_context.py \
  tests/bindings/py/test_contract.py \
  tests/bindings/py/test_hostile.py \
  tests/bindings/py/test_loops.py \
  tests/bindings/py/test_native.py \
  tests/bindings/py/test_reports.py \
  tests/bindings/py/test_store.py \
  tests/bindings/py/test_types.py \
  tests/bindings/py/test_webauthn.py
if PYTHON_BINDING
TESTS += $(PY_TESTS)
endif

# The interpreter knows no sanitizer, and never frees all that it has.
if SANITIZERS
WITH_ASAN = env LD_PRELOAD='$(ASAN_RUNTIME)' \
  ASAN_OPTIONS="$$ASAN_OPTIONS:detect_leaks=0"
else
WITH_ASAN =
endif

NODE_TESTS = \
  tests/bindings/node/arguments.test.mjs \
  tests/bindings/node/library.test.mjs \
  tests/bindings/node/store.test.mjs \
  tests/bindings/node/hostile.test.mjs \
  tests/bindings/node/client.test.mjs
EXTRA_DIST += $(NODE_TESTS) tests/bindings/node/world.mjs \
  tests/bindings/node/types.ts
TEST_EXTENSIONS += .mjs
MJS_LOG_COMPILER = $(WITH_ASAN) $(NODE) --test-reporter=tap
MJS_LOG_DRIVER = $(LOG_DRIVER)
if NODE_BINDING
TESTS += $(NODE_TESTS)
endif

# From an installed tree; no part of it needs a network.  pip and npm build
# without a sanitizer.
EXTRA_DIST += tests/bindings/test_installed.py tests/bindings/tree.py \
  tests/bindings/bench.py tests/bindings/bench.mjs \
  examples/py_client.py examples/node_client.mjs
if !SANITIZERS
if PYTHON_BINDING
TESTS += tests/bindings/test_installed.py
else
if NODE_BINDING
TESTS += tests/bindings/test_installed.py
endif
endif
endif
clean-local: clean-installed-bindings
clean-installed-bindings:
	rm -rf bindings/installed
.PHONY: clean-installed-bindings
