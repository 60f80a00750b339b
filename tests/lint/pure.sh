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

undefined() {
	$nm -u "$1" | sed -n 's/^ *U \([^@]*\).*/\1/p'
}

reject() {	# object, pattern, what it may not do
	hits=$(undefined "$1" | grep -E -x "$2" | tr '\n' ' ')
	[ -z "$hits" ] && return
	echo "$1: $3: $hits"
	bad=1
}

objects() {
	find "$@" -name '*.o' ! -path '*/.libs/*' 2>/dev/null | LC_ALL=C sort
}

for floor in contract base codec crypto records trust proto engine api; do
	n=0
	for o in $(objects "libgenkan/$floor"); do
		case $o in
		*gencontract*) continue ;;
		esac
		n=$((n + 1))
		reject "$o" "$io" "only os/ and local/ may do that"
		case $o in
		*/base/*alloc.o) ;;
		*) reject "$o" "$memory" "memory comes from base/alloc.h" ;;
		esac
	done
	if [ "$n" -eq 0 ]; then
		echo "pure.sh: no object of libgenkan/$floor: run make first"
		bad=1
	fi
	seen=$((seen + n))
done

for o in $(objects frontends examples bindings); do
	seen=$((seen + 1))
	reject "$o" 'gk_.*' "the library's own functions are not for programs"
done

# The other way round: the check sees what it looks for.
probe=$(mktemp -d) || exit 1
trap 'rm -rf "$probe"' EXIT HUP INT TERM
printf '%s\n' '#include <stdlib.h>' '#include <unistd.h>' \
	'int gk_probe(void);' 'char *probe(void);' \
	'char *probe(void) { return gk_probe() ? malloc((size_t)read(0, 0, 0)) : 0; }' \
	> "$probe/probe.c"
if ${CC:-cc} -c -o "$probe/probe.o" "$probe/probe.c"; then
	found=$(undefined "$probe/probe.o" | grep -E -x "$io|$memory|gk_.*" |
		wc -l)
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
