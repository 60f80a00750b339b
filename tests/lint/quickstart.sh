#!/bin/sh
# quickstart with arguments that it cannot follow: says which, exits 2, and has
# made nothing by then.  From a shell that is not bash too.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
bad=0

# expect STATUS TEXT ARGUMENT...
expect() {
	status=$1 text=$2
	shift 2
	GENKAN_BUILD=$tmp/build HOME=$tmp sh "$srcdir/quickstart" "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	# Help is output, a complaint is not.
	[ "$status" -eq 0 ] && seen=$tmp/out other=$tmp/err ||
		{ seen=$tmp/err other=$tmp/out; }
	if [ "$got" -ne "$status" ] || ! grep -q -e "$text" "$seen" ||
	    [ -s "$other" ] || [ -e "$tmp/build" ]; then
		echo "quickstart $*: exit $got, made: $(ls "$tmp")"
		cat "$tmp/out" "$tmp/err"
		bad=1
	fi
}

expect 0 '^  ./quickstart install' --help
expect 0 '^  ./quickstart install' help
expect 0 '^  ./quickstart install' check --help
expect 0 '^  ./quickstart install' install --help
expect 2 '^quickstart: instal is not' instal
expect 2 '^quickstart: now is not' install now
expect 2 '^quickstart: x is not' show x
expect 2 'named nosuch; there are: e2e protocol ' check unit nosuch
[ "$bad" -eq 0 ] && echo "quickstart.sh: 8 lines understood or refused"
exit "$bad"
