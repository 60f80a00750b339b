#!/bin/sh
# The completions know the commands and options of genkan, and no others: each
# of the three is compared with what the program's help says; that of bash is
# tried out.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${GENKAN_BUILDDIR:-$(pwd)}
genkan=$builddir/genkan
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
bad=0

"$genkan" --help > "$tmp/help" || exit 1
"$genkan" policy --help >> "$tmp/help" || exit 1
sed -n 's/^  genkan \([a-z-]*\).*/\1/p' "$tmp/help" | grep -v '^-' |
	sort -u > "$tmp/commands"
grep -o -e '--[a-z][a-z-]*' "$tmp/help" | sort -u > "$tmp/options"
[ "$(wc -l < "$tmp/commands")" -ge 14 ] &&
	[ "$(wc -l < "$tmp/options")" -ge 30 ] || {
	echo "completions.sh: the help cannot be read"
	exit 1
}

for file in genkan.bash _genkan genkan.fish; do
	# Without comments; fish spells an option "-l name".
	sed -e '/^#/d' -e 's/ -l \([a-z]\)/ --\1/g' \
		"$srcdir/frontends/completions/$file" > "$tmp/text"
	grep -o -e '--[a-z][a-z-]*[a-z]' "$tmp/text" | sort -u > "$tmp/known"
	diff "$tmp/options" "$tmp/known" > "$tmp/diff" || {
		echo "$file: options differ from the help (<) :"
		cat "$tmp/diff"
		bad=1
	}
	while read -r command; do
		grep -q -e "[^a-z-]$command[^a-z-]" "$tmp/text" || {
			echo "$file: does not know $command"
			bad=1
		}
	done < "$tmp/commands"
done

bash -c '
	. "$1"
	try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _genkan
		echo "${COMPREPLY[*]}"; }
	try genkan pair-c
	try genkan audit --l
	try genkan policy re
	try genkan policy set --page
	try genkan policy set --page-eval o
	try genkan lang set zh
	try genkan doctor --browser ch
	try genkan pair-client --hash ""
' bash "$srcdir/frontends/completions/genkan.bash" > "$tmp/got"
cat > "$tmp/want" <<'END'
pair-client
--limit
restrict
--page-eval
on off
zh_CN zh_TW
chrome chromium

END
diff "$tmp/want" "$tmp/got" || {
	echo "genkan.bash: completes something else"
	bad=1
}
for shell in zsh fish; do
	command -v "$shell" > /dev/null 2>&1 || continue
	file=$srcdir/frontends/completions/_genkan
	[ "$shell" = fish ] && file=$srcdir/frontends/completions/genkan.fish
	"$shell" -n "$file" || bad=1
done
[ "$bad" -eq 0 ] && echo "completions.sh: $(wc -l < "$tmp/options") options in three shells"
exit "$bad"
