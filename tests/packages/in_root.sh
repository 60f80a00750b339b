#!/bin/sh
# in_root.sh ROOT DEBS MODULES: the part of run.sh that happens in the clean root.  Each step
# prints `step STATUS NAME`; the first that fails ends it.
set -u
root=$1 debs=$2 modules=$3
work=$root/tmp/genkan

step() {
	name=$1
	shift
	echo "--- $name"
	"$@" </dev/null
	rc=$?
	echo "step $rc $name"
	[ $rc = 0 ] || exit 1
}

inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Everything but what apt, dpkg and other packages write as a matter of course.
listing() {
	(cd "$root" && find etc usr var/lib root home -xdev \
		! -path 'var/lib/dpkg*' ! -path 'var/lib/apt*' \
		! -path 'usr/share/mime*' ! -path '*/__pycache__*' \
		! -path 'etc/ld.so.cache' | LC_ALL=C sort)
}

# The files of the tests, from the very tree that the packages came from.
stage() {
	mkdir -p "$work" && cp "$debs"/*.deb "$work" &&
	cp -R "$debs"/genkan-*/debian/tests "$work/tests.d" &&
	mkdir -p "$work/tests" && cp -R "$debs"/genkan-*/tests/e2e "$work/tests/e2e" &&
	cp -R "$modules" "$work/tests/e2e/node_modules" &&
	rm -f "$work"/*-dbgsym_*
}

needed() {
	inside apt-get -q -o Acquire::Retries=3 update &&
	inside apt-get -qy -o Acquire::Retries=3 --no-install-recommends install chromium nodejs python3 \
		gcc libc6-dev pkg-config
}

dependencies() {
	inside sh -c 'apt-get -qy -o Acquire::Retries=3 --no-install-recommends install \
		$(apt-get -s install --no-install-recommends /tmp/genkan/*.deb |
		sed -n "s/^Inst \([^ ]*\) .*/\1/p" | grep -v genkan)'
}

autopkgtest() {
	mkdir -p "$work/tmp.$1" &&
	inside sh -c "cd /tmp/genkan && AUTOPKGTEST_TMP=/tmp/genkan/tmp.$1 tests.d/$1"
}

unchanged() {
	listing >"$work/after"
	diff "$work/before" "$work/after"
}

step 'the tests are there' stage
step 'what the tests need is installed' needed
step 'dependencies are installed' dependencies
listing >"$work/before"
step 'the packages install' \
	inside sh -c 'apt-get -qy -o Acquire::Retries=3 --no-install-recommends install /tmp/genkan/*.deb'
for name in $(sed -n 's/^Tests: //p' "$work/tests.d/control"); do
	step "autopkgtest $name" autopkgtest "$name"
done
step 'the packages purge' \
	inside sh -c 'apt-get -qy purge $(dpkg-query -W -f "\${Package}\n" | grep genkan)'
step 'nothing is left after purge' unchanged
