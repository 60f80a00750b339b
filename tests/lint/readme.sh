#!/bin/sh
# What the README prints as a program is the program in examples/, word for
# word, and shorter than 60 lines: so what is tested is what people read.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
bad=0

# The first block of C below the heading.
awk '
	/^## / { on = ($0 == "## Embed it") }
	on && /^```$/ && in_c { exit }
	on && in_c { print }
	on && /^```c$/ { in_c = 1 }
' "$srcdir/README.md" > "$tmp/readme.c"

n=$(wc -l < "$tmp/readme.c")
if [ "$n" -lt 20 ] || [ "$n" -ge 60 ]; then
	echo "README.md: the program of \"Embed it\" has $n lines"
	bad=1
fi
diff -u "$srcdir/examples/embed_client.c" "$tmp/readme.c" || {
	echo "README.md: its program is not examples/embed_client.c"
	bad=1
}
[ "$bad" -eq 0 ] && echo "readme.sh: $n lines, the same in both"
exit "$bad"
