#include "common/hygiene.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void
open_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			_exit(1);	/* nobody could be told */
	} while (fd < 3);
	(void)close(fd);
}

/* We never exec, but a library might. */
static void
close_on_exec(void)
{
#ifdef SYS_close_range
	(void)syscall(SYS_close_range, 3u, ~0u, 4u /* CLOEXEC */);
#endif
}

/*
 * One heap: one for each thread would cost more than all that we hold.  And
 * what a message of a megabyte took stays ours until hygiene_rest(), instead of
 * being cleared by the system page by page for each one.
 */
static void
set_up_heap(void)
{
	(void)mallopt(M_ARENA_MAX, 1);
	(void)mallopt(M_MMAP_THRESHOLD, 16 * 1024 * 1024);
	(void)mallopt(M_TRIM_THRESHOLD, 64 * 1024 * 1024);
}

/*
 * The limit binds what the kernel writes into a file, and not what it hands to a
 * collector of crashes by a pipe, as many systems do (core(5)): that one gets a
 * dump with no memory in it.
 */
static void
no_core(void)
{
	const struct rlimit none = { 0, 0 };
	int fd;

	(void)setrlimit(RLIMIT_CORE, &none);
	fd = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;		/* the limit stands alone then */
	(void)!write(fd, "0", 1);
	(void)close(fd);
}

void
hygiene(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	open_standard();
	close_on_exec();
	(void)sigaction(SIGPIPE, &ignore, NULL);
	no_core();
	set_up_heap();
}

/* Code and constants of the library of digests, which runs when an image is
 * hashed and not again before the next one; and what relocating it took, a
 * megabyte of symbols that nobody looks up any more.  These pages are clean:
 * they are read again from the file when they are needed. */
static int
drop_library(struct dl_phdr_info *info, size_t size, void *user)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t from, to;
	int i;

	(void)size;
	(void)user;
	if (strstr(info->dlpi_name, "libcrypto") == NULL)
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD ||
		    (info->dlpi_phdr[i].p_flags & PF_W) != 0)
			continue;
		from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		to = from + info->dlpi_phdr[i].p_memsz;
		from &= ~(page - 1);
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
	}
	return 0;
}

void
hygiene_rest(void)
{
	(void)malloc_trim(0);
	(void)dl_iterate_phdr(drop_library, NULL);
}

/*
 * O_NONBLOCK belongs to the open file, which parents and shells may share.  A
 * pipe or terminal can be opened anew by its name in /proc; a socket cannot,
 * and a plain file does not need it.
 */
int
hygiene_private(int fd, int writes)
{
	char path[32];
	struct stat st;
	int copy;

	if (fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) ||
	    S_ISCHR(st.st_mode))) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		copy = open(path, (writes ? O_WRONLY : O_RDONLY) |
		    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (copy >= 0)
			return copy;
	}
	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static void
give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* A pipe of another user cannot be opened anew, nor can a socket: then the
 * flag is set where it is. */
static void
unblock(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && flags >= 0 &&
	    (flags & O_NONBLOCK) == 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

void
hygiene_stdio(int *in, int *out)
{
	*out = hygiene_private(STDOUT_FILENO, 1);
	if (*out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		give_up("stdout");
	*in = hygiene_private(STDIN_FILENO, 0);
	if (*in < 0)
		give_up("stdin");
	unblock(*in);
	unblock(*out);
	/* Only the private copies hold the pipes from here on, so that closing
	 * them says what it should say to the other side. */
	(void)close(STDIN_FILENO);
	if (open("/dev/null", O_RDONLY | O_CLOEXEC) != STDIN_FILENO)
		give_up("/dev/null");
}
