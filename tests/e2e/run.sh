#!/usr/bin/env bash
# Runs the end-to-end files of a folder: run.sh DIR [PART-OF-A-NAME]
#
# Every file has a home, a runtime directory and a browser of its own, and a
# pipe instead of a port, so files run E2E_JOBS (2) at a time.  A line
#
#   // run: beside       starts first and runs next to all others: it waits for
#                        minutes and works for seconds
#   // run: alone        runs by itself at the end: it presses real keys, or
#                        measures
#
# among a file's first ten says what else it needs.  What a file said is shown
# whole once it has ended.  A browser on a busy machine may lose a click, so
# what failed is run again at the end, by itself, at most twice, and every
# outcome is shown.  A file that cannot run says why with status 77, and that is
# a failure here: whoever asks for this has Chromium.
set -uo pipefail

dir=$1 part=${2:-}
jobs=${E2E_JOBS:-2}
node=${NODE:-node}
left=$(mktemp -d) || exit 1
trap 'rm -rf "$left"' EXIT
export node left

# one SECONDS FILE: a name below $left is a file that failed.
one() {
	local name=${2##*/} log=$2.log rc=0 began=$SECONDS
	timeout --kill-after=10 "$1" "$node" "$2" >"$log" 2>&1 </dev/null || rc=$?
	(
		flock 9
		echo "# $name, $((SECONDS - began)) s"
		if [ $rc -eq 0 ]; then
			cat "$log"
		else
			sed 's/^/first try: /' "$log"
			echo "# $name ended with $rc, it is run again at the end"
			: >"$left/$name"
		fi
	) 9>"$left/.lock"
}
export -f one

kind() {
	sed -n '1,10s,^// run: \([a-z]*\).*,\1,p' "$1"
}

beside=() alone=() rest=()
for f in "$dir"/*.e2e.mjs; do
	case $f in *"$part"*) ;; *) continue ;; esac
	case $(kind "$f") in
	beside) beside+=("$f") ;;
	alone) alone+=("$f") ;;
	*) rest+=("$f") ;;
	esac
done
[ $((${#beside[@]} + ${#alone[@]} + ${#rest[@]})) -gt 0 ] ||
	{ echo "run.sh: no file like '$part' in $dir" >&2; exit 2; }

for f in "${beside[@]}"; do one 900 "$f" & done
# The largest files first, which are the longest by and large, so
# that none is left over at the end with one processor idle.
[ ${#rest[@]} -eq 0 ] || ls -S "${rest[@]}" |
	xargs -d '\n' -P "$jobs" -I{} bash -c 'one 300 "$1"' one {}
for f in "${alone[@]}"; do one 300 "$f"; done
wait

bad=0
for f in "$left"/*; do
	[ -e "$f" ] || continue
	name=${f##*/} log=$dir/${f##*/}.log
	for try in second third; do
		rc=0
		echo "# $name once more"
		timeout --kill-after=10 900 "$node" "$dir/$name" >"$log" 2>&1 \
		    </dev/null || rc=$?
		[ $rc -ne 0 ] && [ $try = second ] || break
		sed "s/^/$try try: /" "$log"
	done
	cat "$log"
	[ $rc -eq 0 ] || { bad=1; echo "FAIL: $name ended with $rc, three times"; }
done
exit $bad
