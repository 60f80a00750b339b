#!/bin/sh
# How many instructions a short call takes in the machines of broker and host,
# counted by callgrind, which does not mind what else the machine does: it is
# the same number every time.  It must not grow unseen; whoever means it raises
# the limit.  What counts is the difference of two runs, so nothing of the
# set-up; the loop, the disk and what is handed to the system are not in it, the
# memory and the trail of the tests are.
set -u

# 17,051 in a build as it is without CFLAGS, by gcc 12 on x86-64; 17,311 where
# libc has no AVX2.
limit=17900
chain=tests/unit/engine/test_chain
few=50 many=250
cd "${GENKAN_BUILDDIR:-.}" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# counted CALLS: of all that was fed to a leg, libc included.
counted() {
	CK_FORK=no CK_DEFAULT_TIMEOUT=120 CK_RUN_CASE=calls GENKAN_CALLS=$1 \
	    ./libtool --mode=execute valgrind --tool=callgrind \
	    --callgrind-out-file="$dir/out" --toggle-collect=chain_feed \
	    "$chain" >"$dir/log" 2>&1 ||
		{ cat "$dir/log" >&2; return 1; }
	sed -n 's/^.*Collected : \([0-9]*\)$/\1/p' "$dir/log"
}

first=$(counted "$few") && second=$(counted "$many") || first='' second=''
if [ -z "$first" ] || [ -z "$second" ]; then
	echo "not ok a short call is counted"
	echo '# 0 passed, 1 failed'
	exit 1
fi
each=$(((second - first) / (many - few)))
echo "# $each instructions for a call, $limit are allowed"
# So few that nothing can have been counted are no success.
if [ "$each" -lt 5000 ] || [ "$each" -gt "$limit" ]; then
	echo "not ok a short call takes no more instructions than it did"
	echo '# 0 passed, 1 failed'
	exit 1
fi
echo "ok a short call takes no more instructions than it did"
echo '# 1 passed, 0 failed'
