#!/bin/sh
# The manual pages: they render without a warning, every public function has a
# page, and what the pages print as prototypes is what the headers declare.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${GENKAN_BUILDDIR:-$(pwd)}
command -v groff > /dev/null 2>&1 || {
	echo "man.sh: no groff: apt-get install groff-base"
	exit 77
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
bad=0
fail() {
	printf '%s\n' "$*"
	bad=1
}

pages="$srcdir/frontends/man/*.1 $builddir/frontends/man/*.1 $builddir/libgenkan/doc/*.[37]"
n=0
for page in $pages; do
	[ -f "$page" ] || continue
	n=$((n + 1))
	head -1 "$page" | grep -q '^\.so man3/' && {
		target=$builddir/libgenkan/doc/$(sed 's|^\.so man3/||' "$page")
		[ -f "$target" ] || fail "$page: leads to no page"
		continue
	}
	groff -ww -man -Tutf8 -z "$page" > "$tmp/err" 2>&1
	if [ -s "$tmp/err" ]; then
		fail "$page:"
		cat "$tmp/err"
	fi
	# What whatis(1) reads: names, a dash and words.
	sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$page" | tr '\n' ' ' |
		grep -q '^\.SH NAME [a-z][^ ]*\(, [a-z][^ ]*\)* \\- [a-zA-Z]' ||
		fail "$page: a NAME without a name"
	grep -q '[?!]\.$' "$page" && fail "$page: a sentence ends twice"
	groff -man -Tutf8 -P-cbou -rLL=78n "$page" 2> /dev/null |
		awk 'length($0) > 100 { print FILENAME ": " $0; bad = 1 }
		    END { exit bad }' || fail "$page: lines that no terminal has"
done

# Every function of the map, its page, its words.
sed -n 's/^[[:space:]]*\(genkan_[a-z0-9_]*\);/\1/p' \
	"$srcdir/libgenkan/genkan.map" > "$tmp/functions"
while read -r f; do
	page=$builddir/libgenkan/doc/$f.3
	[ -f "$page" ] || { fail "$f: no page"; continue; }
	page=$builddir/libgenkan/doc/$(sed 's|^\.so man3/||' "$page")
	awk -v f="$f" '
		$0 == ".SS " f { on = 1; next }
		/^\.S[SH] / { on = 0 }
		on { text = text " " $0 }
		END { exit !(text ~ /Since: [0-9]+\.[0-9]+/ &&
		    text ~ /Thread: |Any thread|any thread/) }' "$page" ||
		grep -q '^ \* *.*Thread rule of every function' \
		    "$srcdir/include/genkan/$(basename "$page" .3 |
		    sed 's/genkan-//').h" && grep -q 'Since' "$page" ||
		fail "$f: its text has no Since or no thread rule"
done < "$tmp/functions"

# Declared once more as printed, a prototype that differs is an error.
{
	echo '#include <genkan/genkan.h>'
	for page in "$builddir"/libgenkan/doc/genkan-*.3; do
		grep -q '^\.\\" Made from' "$page" || continue
		groff -man -Tascii -P-cbou -rLL=300n "$page" 2> /dev/null |
			awk '/^[A-Z]/ { on = /^SYNOPSIS/; next } on' |
			sed 's/^ *#include/#include/'
	done
} > "$tmp/all.c"
# Typedefs of functions are not for a second time in C99.
awk '/^ *typedef/ { skip = 1 } !skip { print } /;/ { skip = 0 }' \
	"$tmp/all.c" > "$tmp/t.c"
# shellcheck disable=SC2086
${CC:-cc} -std=c99 -Wall -Wextra -Werror -fsyntax-only \
	-I"$builddir/include" -I"$srcdir/include" "$tmp/t.c" ||
	fail "the pages' prototypes are not the headers'"
sed -n 's/.*[ *]\(genkan_[a-z0-9_]*\)(.*/\1/p' "$tmp/t.c" | sort -u \
	> "$tmp/printed"
sort -u "$tmp/functions" > "$tmp/sorted"
diff "$tmp/sorted" "$tmp/printed" > "$tmp/diff" || {
	fail "functions of the map and prototypes in the pages differ:"
	cat "$tmp/diff"
}

# A parameter that is declared is described under its name, and no other is.
for h in "$srcdir"/include/genkan/*.h; do
	awk -v file="$(basename "$h")" '
	/^\/\*\*$/ { doc = 1; args = " "; first = 1; next }
	doc && /^ \*\/$/ { doc = 0; decl = ""; want = 1; next }
	doc && /^ \* @[a-z_]+:/ {
		a = $2
		gsub(/[@:]/, "", a)
		args = args a " "
	}
	want {
		decl = decl " " $0
		if ($0 !~ /;$/)
			next
		want = 0
		sub(/\) *GENKAN_CHECKED;/, ");", decl)
		i = index(decl, "(")
		list = substr(decl, i + 1)
		sub(/\);.*/, "", list)
		n = split(list, p, ",")
		named = " "
		for (i = 1; i <= n; i++) {
			gsub(/\[[^]]*\]/, "", p[i])
			sub(/ *$/, "", p[i])
			sub(/.*[ *]/, "", p[i])
			if (p[i] != "void")
				named = named p[i] " "
		}
		if (named != args) {
			print file ":" decl ": describes" args "instead of" named
			bad = 1
		}
	}
	END { exit bad }' "$h" || bad=1
done

[ "$n" -gt 100 ] || fail "man.sh: $n pages only"
[ "$bad" -eq 0 ] && echo "man.sh: $n pages, $(wc -l < "$tmp/functions") functions"
exit "$bad"
