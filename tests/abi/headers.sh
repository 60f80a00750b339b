#!/bin/sh
# Every public header compiles alone, in C99, C11 and C++17, without a warning.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${GENKAN_BUILDDIR:-$(pwd)}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
bad=0
n=0

try() {		# header, what, file, compiler and flags...
	h=$1 what=$2 file=$3
	shift 3
	"$@" -Wall -Wextra -pedantic -Werror -fsyntax-only \
		-I"$builddir/include" -I"$srcdir/include" "$file" \
		> "$tmp/err" 2>&1 && return
	echo "<genkan/$h> does not compile alone as $what:"
	cat "$tmp/err"
	bad=1
}

cxx=${CXX:-c++}
command -v "$cxx" > "$tmp/cxx" || {
	echo "headers.sh: no C++ compiler"
	exit 77
}
for path in "$srcdir"/include/genkan/*.h "$builddir"/include/genkan/*.h; do
	[ -f "$path" ] || continue
	h=$(basename "$path")
	# Twice, since a guard that does not guard shows only then.
	printf '#include <genkan/%s>\n#include <genkan/%s>\nint main(void);\n' \
		"$h" "$h" > "$tmp/t.c"
	cp "$tmp/t.c" "$tmp/t.cc"
	# A compiler's name may carry flags.
	# shellcheck disable=SC2086
	{
		try "$h" C99 "$tmp/t.c" ${CC:-cc} -std=c99
		try "$h" C11 "$tmp/t.c" ${CC:-cc} -std=c11
		try "$h" C++17 "$tmp/t.cc" $cxx -std=c++17
	}
	n=$((n + 1))
done
if [ "$n" -lt 8 ]; then
	echo "headers.sh: $n headers only"
	bad=1
fi
# genkan.h is all of them.
for path in "$srcdir"/include/genkan/*.h "$builddir"/include/genkan/*.h; do
	[ -f "$path" ] || continue
	h=$(basename "$path")
	[ "$h" = genkan.h ] && continue
	grep -qF "#include <genkan/$h>" "$srcdir/include/genkan/genkan.h" || {
		echo "<genkan/genkan.h> does not include <genkan/$h>"
		bad=1
	}
done
[ "$bad" -eq 0 ] && echo "headers.sh: $n headers compile alone"
exit "$bad"
