# The packages for other languages, tried out of the build folder.

PY_TESTS = tests/bindings/py/run.py
EXTRA_DIST += $(PY_TESTS) \
  tests/bindings/py/conftest.py \
  tests/bindings/py/test_context.py \
  tests/bindings/py/test_contract.py \
  tests/bindings/py/test_native.py \
  tests/bindings/py/test_reports.py \
  tests/bindings/py/test_webauthn.py
if PYTHON_BINDING
TESTS += $(PY_TESTS)
endif
