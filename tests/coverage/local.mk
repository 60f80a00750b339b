# Which lines of the library the tests run.  It needs gcc, whatever the rest is
# built with.  COVERAGE=fuzz shows what the fuzz targets reach instead.
EXTRA_DIST += tests/coverage/coverage.sh tests/coverage/report.py
COVERAGE = unit protocol
.PHONY: coverage coverage-clean
coverage:
	@PYTHON3='$(PYTHON3)' $(top_srcdir)/tests/coverage/coverage.sh \
	  $(abs_top_srcdir) $(abs_top_builddir)/coverage $(COVERAGE)
coverage-clean:
	rm -rf coverage
clean-local: coverage-clean
