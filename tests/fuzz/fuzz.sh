#!/bin/sh
# Builds the fuzz targets with clang's libFuzzer and runs each for a while.
#
#   fuzz.sh SRCDIR BUILDDIR SECONDS [READER...]
#
# With FUZZ_MERGE a folder of folders of inputs, those go to the corpora instead,
# as far as they show a target something new.
#
# The floors are compiled once; FUZZ_JOBS targets (2) run at a time, and one more
# as soon as there is a file FUZZ_THEN.  New inputs go to
# BUILDDIR/tests/fuzz/run, never to the source.  The last line is
# `# N passed, M failed`.
set -u
src=$1 build=$2 seconds=$3
shift 3
run=$build/tests/fuzz/run
cc=${FUZZ_CC:-clang}
flags="-g -O1 -DGK_FUZZING -std=gnu11 -D_GNU_SOURCE -fno-omit-frame-pointer
  -fsanitize=address,undefined -fno-sanitize-recover=undefined
  -I$build/include -I$src/include -I$src/libgenkan -I$build/libgenkan
  -I$src/tests/fuzz -I$src/frontends"
libs=$(pkg-config --libs jansson libsodium libcrypto)
mkdir -p "$run/obj" || exit 1
# An object is as old as the newest header, whether it includes it or not.
headers=$(find "$src/libgenkan" "$src/include" "$build/include" \
    -name '*.h' -o -name '*.def' | xargs ls -t | head -n 1)
export run cc flags headers
{
	for floor in contract base codec crypto records trust proto engine; do
		find "$src/libgenkan/$floor" -name '*.c'
	done
	# What fuzz_control shares with the unit tests, and what fuzz_args and
	# fuzz_proctext read.
	ls "$src/tests/unit/softkey.c" "$src/tests/unit/engine/memstore.c" \
	    "$src/libgenkan/os/proctext.c" \
	    "$src/frontends/common/opt.c"
} | grep -v '/gen_[a-z]*\.c$\|/gencontract\.c$' |
xargs -P 2 -I{} sh -c '
	o=$run/obj/$(basename "$(dirname {})")-$(basename {} .c).o
	[ "$o" -nt {} ] && [ "$o" -nt "$headers" ] ||
	$cc $flags -fsanitize=fuzzer-no-link -c {} -o "$o"' ||
	{ echo "the floors do not compile"; exit 1; }
rm -f "$run/lib.a"
ar rcs "$run/lib.a" "$run"/obj/*.o || exit 1

[ $# -gt 0 ] || set -- $(ls "$src"/tests/fuzz/fuzz_*.c |
    sed 's,.*/fuzz_\(.*\)\.c,\1,')
# Before the lanes begin: there is no time for linking in one.
export src libs
for r in "$@"; do rm -f "$run/$r"; done
printf '%s\n' "$@" | xargs -P 2 -I{} sh -c '
	$cc $flags -fsanitize=fuzzer -o "$run/{}" "$src/tests/fuzz/fuzz_{}.c" \
	    "$run/lib.a" $libs'
rm -rf "$run/taken"
mkdir "$run/taken" || exit 1

# dictionary READER: its own one or that of its kind, and the words of those
# tables of the contract that its peers speak.
dictionary() {
	own=$src/tests/fuzz/dict/$1.dict tables=
	case $1 in
	control | host) tables="frames policy refusals" ;;
	attach | broker | dial | embed | envelope | handshake | relay | response)
		tables="envelopes codes" ;;
	catalog | mcp | server) tables=tools ;;
	manifest) tables=browsers ;;
	auditrec) tables=audit ;;
	*rec | runlock) tables="records policy" ;;
	esac
	[ -f "$own" ] || case $1 in
	*rec | runlock) own=$src/tests/fuzz/dict/records.dict ;;
	*) own=$src/tests/fuzz/dict/json.dict ;;
	esac
	cat "$own"
	for table in $tables; do
		grep -oh '"[A-Za-z0-9_./:-]\{2,40\}"' \
		    "$src/libgenkan/contract/$table.def"
	done | sort -u | sed 's/"/\\"/g; s/.*/"&"/'
}

# merge READER: what of FUZZ_MERGE/READER shows it anything new goes beside what
# is in its corpus, as rec-*.
merge() {
	corpus=$src/tests/fuzz/corpus/$1
	[ -d "$FUZZ_MERGE/$1" ] || return 0
	rm -rf "$run/merged-$1"
	mkdir -p "$corpus" && cp -r "$corpus" "$run/merged-$1" || return 1
	"$run/$1" -merge=1 -max_len=4000 -use_counters=0 "$run/merged-$1" \
	    "$FUZZ_MERGE/$1" >"$run/$1.log" 2>&1 || return 1
	for new in "$run/merged-$1"/*; do
		name=$(basename "$new")
		[ ${#name} -ne 40 ] ||
			cp "$new" "$corpus/rec-$(echo "$name" | cut -c1-12)"
	done
}

# A slow machine has other work: only what takes a minute hangs.
fuzz() {
	r=$1
	dictionary "$r" >"$run/$r.dict"
	[ -x "$run/$r" ] || { echo "not ok $r: does not build"; return; }
	if [ -n "${FUZZ_MERGE:-}" ]; then
		merge "$r" && echo "ok $r" || echo "not ok $r: not merged"
		return
	fi
	mkdir -p "$run/corpus-$r"
	# Of structure one change at a time, or nothing is valid any more.
	depth=5
	! grep -q 'mutate_json\.h' "$src/tests/fuzz/fuzz_$r.c" || depth=2
	if GK_FUZZ_WORDS="$run/$r.dict" "$run/$r" -seed=1 -max_len=4000 \
	    -max_total_time="$seconds" -timeout=60 -mutate_depth=$depth \
	    -dict="$run/$r.dict" -artifact_prefix="$run/$r-" \
	    "$run/corpus-$r" "$src/tests/fuzz/corpus/$r" >"$run/$r.log" 2>&1
	then
		echo "ok $r: $(sed -n 's/^Done \(.*\) in .*/\1/p' \
		    "$run/$r.log"),$(grep -o ' cov: [0-9]*' "$run/$r.log" |
		    tail -n 1 | cut -d: -f2) edges"
	else
		echo "not ok $r"
		tail -n 30 "$run/$r.log" | sed 's/^/# /'
	fi
}

# Each target goes to whoever makes its folder.
lane() {
	for r in "$@"; do
		mkdir "$run/taken/$r" 2>/dev/null || continue
		said=$(fuzz "$r")
		printf '%s\n' "$said"
	done
}

late() {
	while [ ! -e "$FUZZ_THEN" ]; do
		[ "$(ls "$run/taken" | wc -l)" -lt $# ] || return 0
		sleep 2
	done
	lane "$@"
}

{
	i=0
	while [ $i -lt "${FUZZ_JOBS:-2}" ]; do
		lane "$@" &
		i=$((i + 1))
	done
	[ -z "${FUZZ_THEN:-}" ] || late "$@" &
	wait
} | tee "$run/summary"
passed=$(grep -c '^ok ' "$run/summary")
failed=$(grep -c '^not ok ' "$run/summary")
echo "# $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -eq $# ]
