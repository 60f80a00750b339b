#!/bin/sh
# The library against the last release's interface, as tests/abi/baseline.abi
# has it.  What was added is fine and is listed; what was taken away or changed
# is not, unless the version triple says so: see the head of ChangeLog.
#
#	tests/abi/abidiff.sh --write
#
# makes the baseline of what was built, for the commit of a release.
#
#	tests/abi/abidiff.sh --compare BASE.abi NOW.abi
#
# compares two dumps of abidw, as tests/abi/grown.sh does.
#
# A struct that begins with its size may have a new member at its end: who was
# built before says how much of it there is.  abidiff can be told so, but is then
# content with members that changed places too; so where all members were is
# compared here.
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
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM

# The structs of a dump that begin with their size: "NAME MEMBER OFFSET TYPE".
members() {
	awk '
	function value(key) {
		if (!match($0, key "=.[^\047\042]*"))
			return ""
		return substr($0, RSTART + length(key) + 2,
		    RLENGTH - length(key) - 2)
	}
	/<class-decl / { class = value(" name"); first = 1; sized = 0 }
	/<\/class-decl>/ { class = "" }
	class != "" && /<data-member / {
		offset = value("layout-offset-in-bits")
	}
	class != "" && /<var-decl / {
		if (first && value(" name") == "size" && offset == 0)
			sized = 1
		first = 0
		if (sized)
			print class, value(" name"), offset, value("type-id")
	}' "$1" | LC_ALL=C sort
}

compare() {	# base, now
	members "$1" > "$tmp/was"
	members "$2" > "$tmp/is"
	if [ ! -s "$tmp/was" ]; then
		echo "there are no structs in $1"
		return 1
	fi
	moved=$(LC_ALL=C comm -23 "$tmp/was" "$tmp/is")
	if [ -n "$moved" ]; then
		echo "$moved" | sed 's/^\([^ ]*\) \([^ ]*\) .*/\1: .\2 is not what or where it was/'
		return 1
	fi
	cut -d' ' -f1 "$tmp/was" | uniq | while read -r name; do
		printf '[suppress_type]\ntype_kind = struct\nname = %s\nhas_data_member_inserted_at = end\n' \
			"$name"
	done > "$tmp/grown.supp"
	abidiff --no-show-locs --suppressions "$tmp/grown.supp" "$1" "$2" \
		> "$tmp/diff" 2>&1
	r=$?
	# Bits: 1 error, 2 usage, 4 any change, 8 one that breaks.
	if [ $((r & 3)) -ne 0 ]; then
		cat "$tmp/diff"
		return 1
	fi
	removed=$(sed -n 's/.*summary: \([0-9]*\) Removed.*/\1/p' "$tmp/diff" |
		awk '{ n += $1 } END { print n + 0 }')
	changed=$(sed -n 's/.*summary: .* \([0-9]*\) Changed.*/\1/p' "$tmp/diff" |
		awk '{ n += $1 } END { print n + 0 }')
	[ $((r & 8)) -eq 0 ] && [ "$removed" -eq 0 ] && [ "$changed" -eq 0 ] &&
		return 0
	cat "$tmp/diff"
	return 1
}

if [ "${1:-}" = --compare ]; then
	compare "$2" "$3"
	exit
fi
[ -e "$lib" ] || skip "no shared library was built"
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

if ! compare "$baseline" "$tmp/now.abi"; then
	echo "abidiff.sh: programs that were built before would break"
	exit 1
fi
added=$(sed -n 's/.* \([0-9]*\) Added function.*/\1/p' "$tmp/diff" |
	awk '{ n += $1 } END { print n + 0 }')
echo "abidiff.sh: $functions functions; since the baseline $added added," \
	"none removed or changed"
exit 0
