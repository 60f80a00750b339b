#!/bin/sh
# Calls and words that this tree does without, and the size of its functions.
# Prints every violation.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$srcdir" || exit 1
bad=0

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
code=$(find libgenkan frontends include examples bindings -name '*.[ch]' |
	LC_ALL=C sort)

# Comments and strings may name what code may not call.
strip() {
	awk 'FNR == 1 { inside = 0 } {
		line = $0
		gsub(/\\./, "", line)
		gsub(/"[^"]*"/, "\"\"", line)
		out = ""
		while (line != "") {
			if (inside) {
				i = index(line, "*/")
				if (i == 0) { line = ""; break }
				line = substr(line, i + 2); inside = 0
			} else {
				i = index(line, "/*")
				if (i == 0) { out = out line; line = ""; break }
				out = out substr(line, 1, i - 1)
				line = substr(line, i + 2); inside = 1
			}
		}
		print FILENAME ":" FNR ":" out
	}' "$@"
}

# shellcheck disable=SC2086 # one name a word
strip $code >"$tmp/code"
grep -E '^(libgenkan|include)/' "$tmp/code" >"$tmp/lib"
[ "$(wc -l <"$tmp/lib")" -gt 10000 ] || {
	echo "banned.sh: the sources cannot be read"
	exit 1
}

ban() {		# why, pattern, stripped text
	hits=$(grep -E ":[0-9]+:.*$2" "$3")
	[ $? -ne 1 ] || return
	printf '%s\n' "$hits" | sed "s|\$|	<- $1|"
	bad=1
}

word='(^|[^A-Za-z0-9_.>])'
ban "no bound: gk_str_copy(), snprintf(), memcpy()" \
	"$word(strcpy|strcat|stpcpy|sprintf|vsprintf|gets|strncat)[ ]*\\(" "$tmp/code"
ban "hides errors: strtol() and its end pointer" \
	"$word(atoi|atol|atoll|atof)[ ]*\\(" "$tmp/code"
ban "hidden state" "$word(strtok|asctime|ctime|localtime|gmtime|strerror|rand|srand|random|getpwuid|getpwnam)[ ]*\\(" "$tmp/code"
ban "races: mkstemp(), O_EXCL" "$word(tmpnam|tempnam|mktemp|access)[ ]*\\(" "$tmp/code"
ban "runs a shell" "$word(system|popen)[ ]*\\(" "$tmp/code"
ban "unbounded stack" "$word(alloca|setjmp|longjmp)[ ]*\\(" "$tmp/code"
ban "hides the image from peers: RLIMIT_CORE" "PR_SET_DUMPABLE" "$tmp/code"
ban "there is no TCP anywhere" \
	"$word(AF_INET6?|PF_INET6?|getaddrinfo|inet_pton|inet_aton|uv_tcp_[a-z]*)" "$tmp/code"
ban "the process's, not the library's" \
	"$word(setlocale|umask|chdir|signal|sigaction|atexit|json_set_alloc_funcs|OPENSSL_cleanup)[ ]*\\(" "$tmp/lib"
ban "no thread-locals, constructors, destructors" \
	"(_Thread_local|__thread|__attribute__.*(constructor|destructor))" "$tmp/lib"
ban "compare secrets with gk_mac_eq() or sodium_memcmp()" \
	"memcmp[ ]*\\([^;]*(secret|mac)[^a-z]" "$tmp/lib"
ban "comments are /* */" "(^|[ 	])//" "$tmp/code"

# shellcheck disable=SC2086
hits=$(grep -nE '(^|[^A-Za-z0-9_\\])(TODO|FIXME|XXX|HACK)([^A-Za-z]|$)' $code)
if [ -n "$hits" ]; then
	printf '%s\n' "$hits" | sed 's|$|	<- finish it, or write an issue|'
	bad=1
fi
# shellcheck disable=SC2086
hits=$(grep -nE '[ 	]+$' $code)
if [ -n "$hits" ]; then
	printf '%s\n' "$hits" | sed 's|$|	<- blanks at the end|'
	bad=1
fi

# A function is what stands between braces in the first column.
# shellcheck disable=SC2086
awk '
FNR == 1 { open = 0; run = 0 }
/^\{/ { open = FNR }
/^\}/ && open {
	n = FNR - open - 1
	all++
	if (n >= 40)
		longer++
	if (n > 100 && !said) {
		printf "%s:%d: function of %d lines\n", FILENAME, open, n
		bad = 1
	}
	open = 0
}
{ lines[FILENAME] = FNR }
END {
	for (f in lines)
		if (lines[f] > 600) {
			printf "%s: %d lines: two nouns in one file?\n", f, lines[f]
			bad = 1
		}
	if (all < 100) {
		print "banned.sh: saw " all " functions only"
		bad = 1
	}
	if (longer * 10 > all) {
		printf "%d of %d functions have 40 lines or more\n", longer, all
		bad = 1
	}
	exit bad
}' $(printf '%s\n' $code | grep '\.c$') || bad=1

[ "$bad" -eq 0 ] && echo "banned.sh: nothing found"
exit "$bad"
