#!/bin/sh
# What abidiff.sh lets pass and what it does not, by small libraries that differ
# in one thing each.
set -u

here=$(cd "$(dirname "$0")" && pwd)
command -v abidiff > /dev/null 2>&1 || {
	echo "grown.sh: no abidiff: apt-get install abigail-tools"
	exit 77
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
bad=0

# Name, sed script that makes it of the first release.
library() {
	sed "$2" > "$tmp/$1.c" <<- 'C'
	#include <stddef.h>
	typedef struct genkan_options {
		size_t size;
		const char *name;
		int depth;
		int spare;
		/* end */
	} genkan_options;
	typedef struct genkan_plain {
		int level;
		/* plain end */
	} genkan_plain;
	int genkan_new(const genkan_options *o);
	int genkan_new(const genkan_options *o) { return o->depth; }
	int genkan_look(const genkan_plain *p);
	int genkan_look(const genkan_plain *p) { return p->level; }
	/* more */
	C
	# A compiler's name may carry flags.
	# shellcheck disable=SC2086
	${CC:-cc} -g -shared -fPIC -o "$tmp/$1.so" "$tmp/$1.c" &&
	abidw --no-show-locs --no-comp-dir-path --no-corpus-path \
		--type-id-style hash "$tmp/$1.so" > "$tmp/$1.abi"
}

try() {		# wanted status, name, what, sed script
	library "$2" "$4" || {
		echo "FAILED: $3: no library"
		bad=1
		return
	}
	"$here/abidiff.sh" --compare "$tmp/first.abi" "$tmp/$2.abi" \
		> "$tmp/said" 2>&1
	is=$?
	if [ "$is" = "$1" ]; then
		echo "ok: $3"
	else
		echo "FAILED: $3: status $is, wanted $1"
		cat "$tmp/said"
		bad=1
	fi
}

library first '' || exit 1
try 0 same 'nothing has changed' ''
try 0 grown 'a sized struct has a member more at its end' \
	's|/\* end \*/|void *more;|'
try 0 twice 'it has two more' 's|/\* end \*/|void *more; int last;|'
try 0 added 'a function is new' \
	's|/\* more \*/|int genkan_more(void) { return 1; }|'
try 1 middle 'a member came in between' 's|int depth;|int more; int depth;|
	s|int spare;||'
try 1 swapped 'members changed places, and one came' \
	's|const char \*name;|int depth;|
	t
	s|int depth;|const char *name;|
	s|/\* end \*/|void *more;|'
try 1 retyped 'a member has another type' 's|const char \*name;|long name;|'
try 1 renamed 'a member has another name' 's|int spare;|int other;|'
try 1 shrunk 'a member is gone' 's|const char \*name;||'
try 1 plain 'a struct that has no size has grown' \
	's|/\* plain end \*/|void *more;|'
try 1 gone 'a function is gone' '/genkan_look/d'
try 1 other 'a function takes something else' \
	's|genkan_look(const genkan_plain \*p)|genkan_look(const genkan_plain *p, int n)|'
exit $bad
