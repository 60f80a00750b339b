#!/bin/sh
# run.sh DEBS MODULES: the packages in DEBS, as a stranger meets them.
#
# Lintian first; then a root is made that holds Debian and nothing of ours,
# where the packages are installed, tested and purged.  MODULES are what npm
# would fetch for the test.  Needs mmdebstrap, a system that lets it make a root,
# and an apt that reaches its mirror: without them only lintian runs, and the
# rest is skipped aloud.  TAP on stdout.
set -u
here=$(cd "$(dirname "$0")" && pwd)
debs=$1 modules=$2
failed=0 n=0

say() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=$((failed + 1))
	fi
}

lintian --allow-root --fail-on error --profile debian "$debs"/*.changes >"$debs/lintian.log" 2>&1
say $? 'lintian finds no error'
sed 's/^/# /' "$debs/lintian.log"

# The mirror that this machine uses.
sources=/etc/apt/sources.list.d/debian.sources
[ -e "$sources" ] || sources=/etc/apt/sources.list
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
rm -f "$debs/root.log"
mmdebstrap --quiet --variant=apt --format=null \
    --customize-hook="'$here/in_root.sh' \"\$1\" '$debs' '$modules' >'$debs/root.log' 2>&1" \
    "$suite" /dev/null "$sources" >"$debs/mmdebstrap.log" 2>&1
rc=$?
if [ ! -e "$debs/root.log" ]; then
	echo "ok $((n + 1)) - the packages in a clean root # SKIP none can be made here"
	sed 's/^/# /' "$debs/mmdebstrap.log"
	echo "1..$((n + 1))"
	echo '# SKIP: 1'
	echo "# $((n - failed)) passed, $failed failed"
	[ $failed = 0 ]
	exit
fi
sed -n 's/^step //p' "$debs/root.log" >"$debs/steps" 2>/dev/null
while read -r status name; do
	say "$status" "$name"
done <"$debs/steps"
[ "$(tail -n 1 "$debs/steps")" = '0 nothing is left after purge' ]
say $? 'every step was reached'
if [ $rc != 0 ] || [ $failed != 0 ]; then
	tail -n 60 "$debs/root.log" "$debs/mmdebstrap.log" | sed 's/^/# /'
	[ $failed != 0 ] || failed=1
fi
echo "1..$n"
echo "# $((n - failed)) passed, $failed failed"
[ $failed = 0 ]
