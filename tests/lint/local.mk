# Lints over the source and the objects, and what the ABI promises.
dist_check_SCRIPTS += \
  tests/abi/abidiff.sh \
  tests/abi/grown.sh \
  tests/abi/headers.sh \
  tests/abi/symbols.sh \
  tests/lint/banned.sh \
  tests/lint/bindings.sh \
  tests/lint/completions.sh \
  tests/lint/layers.sh \
  tests/lint/man.sh \
  tests/lint/promises.sh \
  tests/lint/pure.sh \
  tests/lint/quickstart.sh \
  tests/lint/readme.sh
# A sanitizer says nothing of sources, headers and exported names.
if !SANITIZERS
TESTS += \
  tests/abi/abidiff.sh \
  tests/abi/grown.sh \
  tests/abi/headers.sh \
  tests/abi/symbols.sh \
  tests/lint/banned.sh \
  tests/lint/bindings.sh \
  tests/lint/completions.sh \
  tests/lint/layers.sh \
  tests/lint/man.sh \
  tests/lint/promises.sh \
  tests/lint/pure.sh \
  tests/lint/quickstart.sh \
  tests/lint/readme.sh
endif

EXTRA_DIST += tests/abi/baseline.abi tests/lint/bindings.except

check_PROGRAMS += tests/abi/dlopen
tests_abi_dlopen_SOURCES = tests/abi/dlopen.c
tests_abi_dlopen_CPPFLAGS = -I$(top_builddir)/include -I$(top_srcdir)/include \
  $(GK_CPPFLAGS)
tests_abi_dlopen_CFLAGS = $(GK_CFLAGS) -pthread
tests_abi_dlopen_LDADD = -ldl
TESTS += tests/abi/dlopen
