#!/bin/sh
# Makes the recorded part of the corpora anew, of what passes while other tests
# run.
#
#   record.sh SRCDIR BUILDDIR TEST.py...
#
# The programs are watched by strace from outside, so that neither they nor the
# tests know: what they read and write on pipes, sockets and in files goes to
# BUILDDIR/tests/fuzz/traffic.  The end-to-end files RECORD_E2E run too, where
# `make e2e-deps extension` has been made.  seeds.py makes inputs of it in
# BUILDDIR/tests/fuzz/seeds; those that show a target something new are put
# beside the ones made by hand, as SRCDIR/tests/fuzz/corpus/*/rec-*.
#
# That a test fails, since its programs are slow, loses some seeds and is no
# failure.  RECORD_KEEP=1 takes the traffic that is there.
set -u
src=$1 build=$2
shift 2
traffic=$build/tests/fuzz/traffic seeds=$build/tests/fuzz/seeds
python=${PYTHON3:-python3}
export PYTHONDONTWRITEBYTECODE=1

# watch NAME PROGRAM...: what the programs did goes to NAME.gz.  Bytes, names
# of files and of programs are written in hexadecimal; these begin with genkan.
watch() {
	name=$1
	shift
	rm -f "$traffic/$name.pipe"
	mkfifo "$traffic/$name.pipe" || exit 1
	grep -a '^[0-9]*<\\x67\\x65\\x6e\\x6b\\x61\\x6e' <"$traffic/$name.pipe" |
	    gzip -1 >"$traffic/$name.gz" &
	rc=0
	timeout 300 strace -f -qq -y -Y -xx -s 70000 --seccomp-bpf \
	    -e trace=read,readv,write,writev,sendto,sendmsg,recvfrom,recvmsg \
	    -e signal=none -o "$traffic/$name.pipe" "$@" \
	    >"$traffic/$name.log" 2>&1 </dev/null || rc=$?
	wait
	rm -f "$traffic/$name.pipe"
	echo "# $name ended with $rc"
}

if [ -z "${RECORD_KEEP:-}" ]; then
	rm -rf "$traffic"
	mkdir -p "$traffic" || exit 1
	export GENKAN_SRCDIR="$src" GENKAN_BUILDDIR="$build"
	export GENKAN_SLOW="${GENKAN_SLOW:-4}"
	for t in "$@"; do
		watch "$(basename "$t" .py)" "$python" "$src/$t"
	done
	e2e=$build/tests/e2e
	for t in ${RECORD_E2E:-presence tools pairing}; do
		[ -d "$e2e/node_modules" ] || break
		watch "e2e-$t" "${NODE:-node}" "$e2e/$t.e2e.mjs"
	done
fi
rm -rf "$seeds"
"$python" "$src/tests/fuzz/seeds.py" "$src" "$build" "$seeds" \
    "$traffic"/*.gz || exit 1
rm -f "$src"/tests/fuzz/corpus/*/rec-*
FUZZ_MERGE="$seeds" "$src/tests/fuzz/fuzz.sh" "$src" "$build" 0
