/*
 * Prints the filter of calls.def as instructions for the kernel.  Runs during
 * the build, so that neither libseccomp nor the time it takes to compile a
 * filter, nor the memory, is part of a program.
 *
 *   genfilter ARCHITECTURE
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>

#include "confine.h"

#define KERNEL_MAX	4096	/* instructions that the kernel takes */

struct row {
	const char		*name;
	uint32_t		 action;
	unsigned int		 args;
	struct scmp_arg_cmp	 arg;
};

#define CALL(name)	{ #name, SCMP_ACT_ALLOW, 0, { 0, 0, 0, 0 } },
#define LIMIT(name, why, ...)	{ #name, SCMP_ACT_ALLOW, 1, __VA_ARGS__ },
#define FAILS(name, number)	{ #name, SCMP_ACT_ERRNO(number), 0, \
				    { 0, 0, 0, 0 } },
#define OTHERWISE(name, number, ...) \
				{ #name, SCMP_ACT_ERRNO(number), 1, __VA_ARGS__ },
#define FATAL(name)	{ #name, SCMP_ACT_KILL_PROCESS, 0, { 0, 0, 0, 0 } },

static const struct row rows[] = {
#include "calls.def"
};

/* A name that this libseccomp does not know is not in its architecture's table
 * either: then the default answers. */
static int
add(scmp_filter_ctx ctx, const struct row *row)
{
	const int number = seccomp_syscall_resolve_name(row->name);
	int r;

	if (number == __NR_SCMP_ERROR)
		return 0;
	r = seccomp_rule_add_array(ctx, row->action, number, row->args,
	    row->args > 0 ? &row->arg : NULL);
	errno = -r;
	if (r < 0)
		(void)fprintf(stderr, "genfilter: %s: %m\n", row->name);
	return r;
}

static int
fill(scmp_filter_ctx ctx, const char *architecture)
{
	const uint32_t arch = seccomp_arch_resolve_name(architecture);
	size_t i;
	int r;

	if (arch == 0) {
		(void)fprintf(stderr, "genfilter: no architecture %s\n",
		    architecture);
		return -EINVAL;
	}
	if (arch != seccomp_arch_native() &&
	    ((r = seccomp_arch_add(ctx, arch)) < 0 ||
	    (r = seccomp_arch_remove(ctx, SCMP_ARCH_NATIVE)) < 0))
		return r;
	/* Calls by the numbers of another architecture are nobody's. */
	if ((r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_KILL_PROCESS)) < 0 ||
	    (r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2)) < 0)
		return r;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((r = add(ctx, &rows[i])) < 0)
			return r;
	return 0;
}

/* Numbers of one architecture and word size, which another compiler may be
 * asked for later. */
static int
guard(const char *architecture)
{
	static const char *const known[] = { "x86_64", "aarch64" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(architecture, known[i]) == 0) {
			(void)printf("#if !defined(__%s__) || "
			    "!defined(__LP64__)\n"
			    "#error this filter is for %s\n"
			    "#endif\n", architecture, architecture);
			return 0;
		}
	return -EINVAL;
}

static int
print(FILE *f)
{
	struct sock_filter one;
	int n = 0;

	rewind(f);
	while (fread(&one, sizeof(one), 1, f) == 1) {
		(void)printf("{ 0x%04x, %u, %u, 0x%08x },\n", one.code, one.jt,
		    one.jf, one.k);
		n++;
	}
	return n > 0 && n <= KERNEL_MAX && fflush(stdout) == 0 ? 0 : -EFBIG;
}

int
main(int argc, char **argv)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	FILE *f = tmpfile();
	int r = -ENOMEM;

	if (argc == 2 && ctx != NULL && f != NULL &&
	    (r = guard(argv[1])) == 0 && (r = fill(ctx, argv[1])) == 0 &&
	    (r = seccomp_export_bpf(ctx, fileno(f))) == 0)
		r = print(f);
	errno = -r;
	if (r < 0)
		(void)fprintf(stderr, "genfilter: %m\n");
	seccomp_release(ctx);
	return r < 0;
}
