# What fails in a leg, and its second run; read by tests/run.

# why DIR TEST: what the test said where it failed.
why() {
	local log=$1/${2%.*}.log said
	[ -s "$log" ] || { echo "$2: it did not run"; return; }
	echo "$2:"
	said=$(excerpt <"$log"; grep -aE -m1 -A25 'Sanitizer|runtime error' "$log")
	[ -n "$said" ] || said=$(tail -n 25 "$log")
	head -n 60 <<<"$said"
}

# unpassed DIR TEST...: those without a good result.
unpassed() {
	local dir=$1 test
	shift
	for test in "$@"; do
		grep -qsE '^:global-test-result: (PASS|SKIP)' \
			"$dir/${test%.*}.trs" || echo "$test"
	done
}

# final LOG: no second run forgives what a sanitizer or valgrind reports, what
# crashed, what a program that races ends with, or an answer that was lost or
# somebody else's: only a wait that a machine without time made too short.
final() {
	local crash='-(4|6|7|8|11)|66'
	grep -qaE -e 'Sanitizer|runtime error:|^==[^ ]+== ' \
	    -e 'terminated by signal|Received signal' \
	    -e 'exited with status 1[34][0-9]' \
	    -e "(, status|ended with) ($crash)([:, ]|\$)" \
	    -e '^# PROBLEM .*(lost|doubled|crossed|misrouted|invented)' \
	    -e '^# PROBLEM .*(not what was said|nothing in flight)' "$1"
}

# suite DIR TARGET LIST [OPTION...]: makes TARGET, whose tests are those of the
# Makefile's list LIST.  Few that fail are left for again(), which ends with 75.
suite() {
	local dir=$1 target=$2 list=$3 rc=0 tests bad test
	shift 3
	read -ra tests < <(make -s -C "$dir" print-list LIST="$list")
	# The results of an earlier run are none.
	for test in "${tests[@]}"; do rm -f "$dir/${test%.*}.trs"; done
	make -C "$dir" --no-print-directory "$@" -k "$target" \
		>"$logs/$name.first" 2>&1 || rc=$?
	if [ $rc -eq 0 ]; then
		cat "$logs/$name.first"
		return
	fi
	sed 's/^# \([A-Z]*:\)/# first: \1/' "$logs/$name.first"
	sift "$dir" "${tests[@]}"
	[ ${#bad[@]} -gt 0 ] || return $rc
	put_off "$dir" make -C "$dir" --no-print-directory "$target" \
	    PROTOCOL_JOBS=1 "$list=${bad[*]}"
}

# sift DIR TEST...: counts those that passed; the others are `bad`.
sift() {
	local dir=$1 test good=()
	shift
	mapfile -t bad < <(unpassed "$dir" "$@")
	for test in "$@"; do
		[[ " ${bad[*]} " = *" $test "* ]] || good+=("$test")
	done
	[ ${#good[@]} -eq 0 ] || results "$dir" "${good[@]}"
}

# put_off DIR COMMAND...: those of `bad`, whose results are in DIR, fail; or they
# are left for later, when COMMAND runs them with nothing beside them.
put_off() {
	local dir=$1 test
	shift
	for test in "${bad[@]}"; do why "$dir" "$test"; done >"$logs/$name.why"
	if [ ${#bad[@]} -le 8 ] && ! final "$logs/$name.first" &&
	    ! final "$logs/$name.why"; then
		sed 's/^/again: /' "$logs/$name.why"
		leave "$dir" "$@"
		return 75
	fi
	sed 's/^/why: /' "$logs/$name.why"
	results "$dir" "${bad[@]}"
	return 1
}

# leave DIR COMMAND...: what again() needs to know; `bad` tells what it is about.
leave() {
	again_dir=$1 again_what=("${bad[@]}") again_how=("${@:2}")
	declare -p again_dir again_what again_how >"$logs/$name.again"
}

# again NAME: what failed in this leg, once more; the second result counts.
again() {
	local name=$1 again_dir again_what again_how rc=0 test
	. "$logs/$name.again"
	if [ -z "$again_dir" ]; then
		"${again_how[@]}" || rc=$?
	else
		"${again_how[@]}" >"$logs/$name.second" 2>&1 || rc=$?
		# Of another folder's tests the Makefile has said the results.
		if [ -d "$again_dir" ]; then
			sed 's/^# \([A-Z]*:\)/# second: \1/' "$logs/$name.second"
			results "$again_dir" "${again_what[@]}"
			for test in $(unpassed "$again_dir" "${again_what[@]}"); do
				why "$again_dir" "$test" | sed 's/^/why: /'
			done
		else
			cat "$logs/$name.second"
		fi
	fi
	if [ $rc -eq 0 ]; then
		echo "again: ${again_what[*]} passed when run once more, alone"
	else
		echo "again: ${again_what[*]} failed twice"
	fi
	return $rc
}

# results DIR TEST...: their results, added up in the words of automake.
results() {
	local dir=$1 test
	shift
	for test in "$@"; do
		cat "$dir/${test%.*}.trs" 2>/dev/null || echo ':test-result: ERROR'
	done | awk '
	/^:test-result: / { n[$2]++ }
	END { for (r in n) print "# " r ": " n[r] }'
}
