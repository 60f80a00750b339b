#!/bin/sh
# The library against the last release's interface, as tests/abi/baseline.abi
# has it.  What was added is fine and is listed; what was taken away or changed
# is not, unless the version triple says so: see the head of ChangeLog.
#
#	tests/abi/abidiff.sh --write
#
# makes the baseline of what was built, for the commit of a release, and for that
# of a member at the end of a size-first struct: no suppression tells that apart
# from members that changed places.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${GENKAN_BUILDDIR:-$(pwd)}
lib=$builddir/.libs/libgenkan.so
baseline=$srcdir/tests/abi/baseline.abi

skip() {
	echo "abidiff.sh: $*"
	exit 77
}
command -v abidiff > /dev/null 2>&1 || skip "no abidiff: apt-get install abigail-tools"
[ -e "$lib" ] || skip "no shared library was built"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
mkdir "$tmp/headers"
for h in "$srcdir"/include/genkan/*.h "$builddir"/include/genkan/*.h; do
	[ -f "$h" ] && cp "$h" "$tmp/headers/"
done

# Types as far as the public headers have them.  Nothing of the machine that
# built it: no path, no line number.
abidw --headers-dir "$tmp/headers" --drop-private-types --no-show-locs \
	--no-comp-dir-path --no-corpus-path --no-elf-needed \
	--exported-interfaces-only --type-id-style hash \
	"$(readlink -f "$lib")" > "$tmp/now.abi" 2> "$tmp/err" || {
	cat "$tmp/err"
	exit 1
}
functions=$(grep -c '<elf-symbol .*type=.func-type' "$tmp/now.abi")
if ! grep -q '<class-decl name=.genkan_event' "$tmp/now.abi"; then
	skip "built without debug information: nothing to compare"
fi
if [ "${1:-}" = --write ]; then
	cp "$tmp/now.abi" "$baseline"
	echo "abidiff.sh: $functions functions are the baseline now"
	exit 0
fi

abidiff --no-show-locs "$baseline" "$tmp/now.abi" > "$tmp/diff" 2>&1
r=$?
# Bits: 1 error, 2 usage, 4 any change, 8 one that breaks.
if [ $((r & 3)) -ne 0 ]; then
	cat "$tmp/diff"
	exit 1
fi
removed=$(sed -n 's/.*summary: \([0-9]*\) Removed.*/\1/p' "$tmp/diff" |
	awk '{ n += $1 } END { print n + 0 }')
changed=$(sed -n 's/.*summary: .* \([0-9]*\) Changed.*/\1/p' "$tmp/diff" |
	awk '{ n += $1 } END { print n + 0 }')
if [ $((r & 8)) -ne 0 ] || [ "$removed" -ne 0 ] || [ "$changed" -ne 0 ]; then
	cat "$tmp/diff"
	echo "abidiff.sh: programs that were built before would break"
	exit 1
fi
added=$(sed -n 's/.* \([0-9]*\) Added function.*/\1/p' "$tmp/diff" |
	awk '{ n += $1 } END { print n + 0 }')
echo "abidiff.sh: $functions functions; since the baseline $added added," \
	"none removed or changed"
exit 0
