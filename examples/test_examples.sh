#!/bin/sh
# Runs what the examples promise.
set -u
bad=0
check() {
	if [ "$2" = "$3" ]; then
		echo "ok: $1"
	else
		echo "FAILED: $1: is '$2', wanted '$3'"
		bad=1
	fi
}
hex() { od -An -v -tx1 | tr -d ' \n'; }
echo=$GENKAN_BUILDDIR/examples/native_echo

two=$(printf '\002\000\000\000{}\007\000\000\000{"a":1}' | "$echo" | hex)
check 'two messages come back, each with its length' "$two" \
	'020000007b7d070000007b2261223a317d'
err=$(printf '\377\377\377\377' | "$echo" 2>&1 >/dev/null)
check 'a length of four gigabytes is refused in words' "$err" \
	'native_echo: frame exceeds the limit'
printf '\005\000\000\000{}' | "$echo" >/dev/null 2>&1
check 'an end inside a message is a failure' $? 1
exit $bad
