#!/bin/sh
# Builds everything a second time so that it counts which lines run, runs tests
# in it and reports.
#
#   coverage.sh SRCDIR BUILDDIR KIND...     kinds: unit protocol fuzz
#
# Whether a test passes is for `make check` and `make check-protocol` to say,
# over programs as they are shipped: those that count write files when they
# end, and a test that looks at every system call notices.  The verdict here is
# over the figures, and it needs the unit tests among the kinds.
set -u
src=$1 build=$2
shift 2
verdict=--no-verdict

mkdir -p "$build" && cd "$build" || exit 1
if [ ! -f config.status ] || [ "$src/configure" -nt config.status ]; then
	# -O0, so that a line is a line.
	"$src/configure" -q --disable-shared --disable-python --disable-node \
	    --without-oracle --disable-seccomp CC="${COVERAGE_CC:-gcc}" \
	    CFLAGS='-g -O0 --coverage -fprofile-update=atomic' || exit 1
fi
{ make -s -j2 all && make -s -j2 check TESTS=; } >make.log 2>&1 ||
	{ tail -n 20 make.log; echo "the counting build fails"; exit 1; }
find . -name '*.gcda' -delete

# ran KIND MAKE-ARGUMENT...
ran() {
	kind=$1
	shift
	make -k "$@" >"$kind.log" 2>&1
	awk -v k="$kind" '/^# PASS:/ { p = $3 } /^# (FAIL|ERROR):/ { f += $3 }
		END { printf "%s tests: %d passed, %d failed\n", k, p, f }' \
		"$kind.log"
}

for kind in "$@"; do
	case $kind in
	unit)
		verdict=
		ran unit -j2 check \
		    TESTS="$(make -s --no-print-directory print-unit-tests)" ;;
	protocol)
		ran protocol check-protocol ;;
	fuzz)
		# With what longer runs have found, where there were any.
		for program in tests/fuzz/fuzz_*; do
			[ -x "$program" ] && [ -f "$program" ] || continue
			r=${program##*/fuzz_} more=$build/../tests/fuzz/run/corpus-$r
			[ -d "$more" ] || more=
			"$program" "$src/tests/fuzz/corpus/$r" $more
		done >fuzz.log 2>&1
		echo "fuzz targets: $(grep -c '^ok ' fuzz.log) inputs" ;;
	*)
		echo "coverage.sh: no kind $kind"; exit 2 ;;
	esac
done
exec "${PYTHON3:-python3}" "$src/tests/coverage/report.py" $verdict \
    "$src" "$build"
