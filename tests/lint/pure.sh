#!/bin/sh
# What only the I/O floors may do, by the undefined symbols of the objects; and
# that the front-ends use the public interface alone.  Runs in a build
# directory, after make.
set -u

builddir=${GENKAN_BUILDDIR:-$(pwd)}
nm=${NM:-nm}	# may carry flags of its own
cd "$builddir" || exit 1
bad=0
seen=0

# Under their own names, as the large-file system calls and as the checked
# versions that _FORTIFY_SOURCE puts in.
io='open|openat|open64|openat64|__open_2|__openat_2|__open64_2|__openat64_2'
io="$io|creat|fopen|fopen64|fdopen|freopen|opendir|fdopendir"
io="$io|read|pread|pread64|readv|__read_chk|__pread_chk|__pread64_chk"
io="$io|write|pwrite|pwrite64|writev|close|dup|dup2|dup3|fcntl|fcntl64|ioctl"
io="$io|poll|ppoll|__poll_chk|select|pselect|epoll_wait|epoll_ctl"
io="$io|socket|bind|listen|accept|accept4|connect|send|sendto|sendmsg"
io="$io|recv|recvfrom|recvmsg|__recv_chk|__recvfrom_chk"
io="$io|stat|lstat|fstat|fstatat|stat64|lstat64|fstat64|fstatat64|readlink"
io="$io|readlinkat|unlink|unlinkat|rename|renameat|mkdir|mkdirat|flock"
io="$io|time|gettimeofday|clock_gettime|clock|sleep|usleep|nanosleep"
io="$io|getenv|secure_getenv|__secure_getenv|setenv|putenv|unsetenv"
io="$io|printf|vprintf|puts|putchar|putc|fprintf|vfprintf|fputs|fputc|fwrite"
io="$io|perror|dprintf|__printf_chk|__vprintf_chk|__fprintf_chk"
io="$io|__vfprintf_chk|__dprintf_chk|stdout|stderr|syslog|stdin"
io="$io|exit|_exit|_Exit|quick_exit|atexit|__cxa_atexit|fork|vfork|execve"
io="$io|system|popen|kill|raise|signal|sigaction|getpid|getppid|geteuid"
io="$io|setlocale|umask|chdir|pthread_create|getrandom|rand|random"
memory='malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf'
memory="$memory|vasprintf|__asprintf_chk|__vasprintf_chk|aligned_alloc"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM

# The objects below, of two that libtool made from one source one.
objects() {
	find "$@" -name '*.o' 2>/dev/null | LC_ALL=C sort | awk '
	{ source = $0; sub("/\\.libs/", "/", source) }
	!(source in seen) { seen[source]; print }'
}

# Lines "OBJECT SYMBOL", of the objects on standard input.
undefined() {
	xargs $nm -A -u | sed -n 's/^\(.*\): *U \([^@]*\).*/\1 \2/p'
}

reject() {	# file of such lines, pattern, what it may not do
	hits=$(grep -E "^[^ ]* ($2)\$" "$1")
	[ $? -ne 1 ] || return
	printf '%s\n' "$hits" | sed "s|\$|	<- $3|"
	bad=1
}

for floor in contract base codec crypto records trust proto engine api; do
	objects "libgenkan/$floor" | grep -v gencontract >"$tmp/objects"
	n=$(wc -l <"$tmp/objects")
	if [ "$n" -eq 0 ]; then
		echo "pure.sh: no object of libgenkan/$floor: run make first"
		bad=1
		continue
	fi
	undefined <"$tmp/objects" >"$tmp/undefined"
	reject "$tmp/undefined" "$io" "only os/ and local/ may do that"
	grep -v '/base/[^ ]*alloc\.o ' "$tmp/undefined" >"$tmp/others"
	reject "$tmp/others" "$memory" "memory comes from base/alloc.h"
	seen=$((seen + n))
done

objects frontends examples bindings >"$tmp/objects"
seen=$((seen + $(wc -l <"$tmp/objects")))
undefined <"$tmp/objects" >"$tmp/undefined"
reject "$tmp/undefined" 'gk_.*' "the library's own functions are not for programs"

# The other way round: the check sees what it looks for.
printf '%s\n' '#include <stdlib.h>' '#include <unistd.h>' \
	'int gk_probe(void);' 'char *probe(void);' \
	'char *probe(void) { return gk_probe() ? malloc((size_t)read(0, 0, 0)) : 0; }' \
	> "$tmp/probe.c"
if ${CC:-cc} -c -o "$tmp/probe.o" "$tmp/probe.c"; then
	objects "$tmp" | undefined >"$tmp/undefined"
	found=$(grep -c -E " ($io|$memory|gk_.*)\$" "$tmp/undefined")
	if [ "$found" -ne 3 ]; then
		echo "pure.sh: the probe shows $found of 3 symbols"
		bad=1
	fi
else
	echo "pure.sh: no compiler for the probe"
	bad=1
fi
[ "$bad" -eq 0 ] && echo "pure.sh: $seen objects keep to their floor"
exit "$bad"
