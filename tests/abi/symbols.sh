#!/bin/sh
# The map, the headers and the built library name the same functions.  Runs in
# a build directory, after make.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${GENKAN_BUILDDIR:-$(pwd)}
lib=$builddir/.libs/libgenkan.so

if [ ! -e "$lib" ]; then
	echo "symbols.sh: no shared library was built"
	exit 77
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM

# A declaration is GENKAN_API ... genkan_x(, perhaps over two lines.
cat "$srcdir"/include/genkan/*.h "$builddir"/include/genkan/*.h 2>/dev/null |
	awk '
	/^GENKAN_API / { on = 1 }
	on && match($0, /genkan_[a-z0-9_]+\(/) {
		print substr($0, RSTART, RLENGTH - 1)
		on = 0
	}' | LC_ALL=C sort -u > "$tmp/headers"

sed 's|/\*.*\*/||g' "$srcdir/libgenkan/genkan.map" | tr ';' '\n' |
	sed -n 's/^[[:space:]]*\(genkan_[^[:space:]]*\)[[:space:]]*$/\1/p' |
	LC_ALL=C sort > "$tmp/map"

${NM:-nm} -D --defined-only "$lib" |
	awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	LC_ALL=C sort -u > "$tmp/lib"

bad=0
compare() {	# in a but not in b
	left=$(comm -23 "$tmp/$1" "$tmp/$2")
	[ -z "$left" ] && return
	printf '%s\n' "$left" | sed "s/\$/: in the $3, not in the $4/"
	bad=1
}
if grep -q '[*?]' "$tmp/map"; then
	echo "genkan.map: a pattern freezes whatever comes along"
	bad=1
fi
if [ -n "$(uniq -d "$tmp/map")" ]; then
	echo "genkan.map: a name stands twice"
	bad=1
fi
compare headers map headers map
compare map headers map headers
compare lib map library map
compare map lib map library
n=$(wc -l < "$tmp/headers")
if [ "$n" -lt 20 ]; then
	echo "symbols.sh: $n functions in the headers only"
	bad=1
fi
[ "$bad" -eq 0 ] && echo "symbols.sh: $n functions, the same everywhere"
exit "$bad"
