#!/bin/sh
# Every include goes down, and foreign headers come in at their door: by the
# two tables in libgenkan/README.  Prints every violation.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$srcdir" || exit 1

# Table rows as words, without the backticks: "floor a b c", "header where...".
rows() {
	awk -F'|' -v from="$1" '
		/^\| / && $2 ~ from { on = 1; next }
		/^\|-/ { next }
		on && !/^\|/ { exit }
		on { gsub(/[`]/, "", $0); $0 = $2 " " $3
		     gsub(/ +/, " "); sub(/^ /, ""); print }' libgenkan/README
}
floors=$(rows 'Floor')
doors=$(rows 'Header')
if [ "$(printf '%s\n' "$floors" | wc -l)" -lt 11 ] || [ -z "$doors" ]; then
	echo "layers.sh: the tables in libgenkan/README cannot be read" >&2
	exit 1
fi

# check LEAST: all files below the current directory, of which at least so many
# includes must be seen.
# shellcheck disable=SC2046 # one name a word
check() {
awk -v least="$1" -v floors="$floors" -v doors="$doors" '
function say(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
	bad = 1
}
# The floor of a file or of an include, "" for none.
function first(path) {
	sub(/\/.*/, "", path)
	return path
}
function foreign(name,	i, j, n, place, covered) {
	for (i = 1; i <= ndoors; i++) {
		if (name != door[i] && !(door[i] ~ /\/$/ &&
		    index(name, door[i]) == 1) && door[i] != "*")
			continue
		if (door[i] == "*" && covered)
			continue
		covered = 1
		n = split(where[i], place, " ")
		for (j = 1; j <= n; j++)
			if (index(FILENAME, place[j]) == 1)
				return
		say("<" name "> comes in at " where[i] " only")
		return
	}
}
BEGIN {
	n = split(floors, line, "\n")
	for (i = 1; i <= n; i++) {
		m = split(line[i], w, " ")
		known[w[1]] = 1
		may[w[1], w[1]] = 1
		for (j = 2; j <= m; j++)
			may[w[1], w[j]] = 1
	}
	ndoors = split(doors, line, "\n")
	for (i = 1; i <= ndoors; i++) {
		door[i] = first_word = line[i]
		sub(/ .*/, "", door[i])
		where[i] = substr(line[i], length(door[i]) + 2)
	}
	m = split("assert complex ctype errno float inttypes iso646 limits " \
	    "locale math setjmp stdarg stdatomic stdbool stddef stdint " \
	    "stdio stdlib stdnoreturn string time wchar", w, " ")
	for (i = 1; i <= m; i++)
		iso[w[i] ".h"] = 1
	iso["emmintrin.h"] = iso["immintrin.h"] = 1		# of the compiler
}
FNR == 1 {
	zone = first(FILENAME)
	rest = substr(FILENAME, length(zone) + 2)
	floor = zone == "libgenkan" ? first(rest) : ""
	if (zone == "tests") {
		rest = substr(FILENAME, length("tests/unit/") + 1)
		floor = index(rest, "/") ? first(rest) : "api"
	}
	if (floor != "" && !(floor in known))
		say("is on no floor of libgenkan/README")
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
	seen++
	name = $0
	sub(/^[^<"]*[<"]/, "", name)
	quoted = $0 ~ /"/
	sub(/[>"].*/, "", name)
	to = index(name, "/") ? first(name) : ""
	if (name == "config.h")
		next
	if (zone == "libgenkan") {
		if (quoted || to == "genkan") {
			if (to == "" && floor == "contract")
				next	# its own tables
			if (!((floor, to) in may))
				say("\"" name "\": " floor \
				    " may not use that")
			next
		}
	} else if (zone == "tests") {
		if (to == "" || !(to in known))
			next		# the test tools, Check, the system
		if (!((floor, to) in may))
			say("\"" name "\": a test of " floor \
			    " may not use that")
		next
	} else if (zone == "include") {
		if (quoted || (to != "genkan" && !(name in iso)))
			say("\"" name "\": a public header may not use that")
		next
	} else {
		if (to in known)
			say("\"" name "\": only <genkan/...> from out here")
		if (quoted || to == "genkan")
			next
	}
	if (!(name in iso))
		foreign(name)
}
END {
	if (seen < least) {
		print "layers.sh: saw " seen " includes only"
		bad = 1
	}
	exit bad
}' $(find libgenkan frontends bindings examples include tests/unit \
	\( -name '*.[ch]' -o -name '*.def' \) 2>/dev/null | LC_ALL=C sort)
}

# The check must find what it is for: a tree in which every line is wrong.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
(
	cd "$tmp" || exit 1
	mkdir -p libgenkan/codec libgenkan/base libgenkan/nowhere \
		libgenkan/api frontends/x include/genkan tests/unit/base
	echo '#include "crypto/mac.h"' > libgenkan/codec/up.c
	echo '#include "engine/broker.h"' > libgenkan/base/up.h
	echo '#include <jansson.h>' > libgenkan/codec/other.h
	echo '#include <openssl/evp.h>' > libgenkan/base/evp.c
	echo '#include <unistd.h>' > libgenkan/api/io.c
	echo '#include "base/base.h"' > libgenkan/nowhere/file.c
	echo '#include <uv.h>' > frontends/x/main.c
	echo '#include "base/buf.h"' > frontends/x/other.c
	echo '#include <jansson.h>' > include/genkan/x.h
	echo '#include "codec/line.h"' > tests/unit/base/test_up.c
	check 10
) > "$tmp/out"
found=$(grep -c ':1: ' "$tmp/out")
if [ "$found" -ne 11 ]; then	# the unknown floor counts twice
	echo "layers.sh: $found of 11 planted violations found:" >&2
	cat "$tmp/out" >&2
	exit 1
fi

check 100 || exit 1
echo "layers.sh: every include goes down"
