#include "common/confine.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>

#include <genkan/context.h>

#include "common/log.h"

#ifdef GK_SECCOMP
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sock_filter filter[] = {
#include "common/filter.inc"
};

/* Our own pid in its place, which is one. */
static int
name_self(void)
{
	size_t i;
	int n = 0;

	for (i = 0; i < sizeof(filter) / sizeof(filter[0]); i++)
		if (filter[i].k == CONFINE_SELF) {
			filter[i].k = (uint32_t)getpid();
			n++;
		}
	errno = EINVAL;
	return n == 1 ? 0 : -1;
}

/* 0, or -1 with errno: also where a thread cannot be taken along. */
static int
set_mode(unsigned long flags)
{
	struct sock_fprog prog = {
		.len = (unsigned short)(sizeof(filter) / sizeof(filter[0])),
		.filter = filter
	};
	const long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
	    &prog);

	if (r > 0)
		errno = EBUSY;
	return r == 0 ? 0 : -1;
}

/*
 * Without SPEC_ALLOW kernels before 5.16 slow the process down, against others'
 * code that runs in it: there is none.  One that does not know the flag does
 * not do that either.
 */
static int
load(void)
{
	if (name_self() != 0)
		return -1;
	if (set_mode(SECCOMP_FILTER_FLAG_TSYNC |
	    SECCOMP_FILTER_FLAG_SPEC_ALLOW) == 0)
		return 0;
	return errno == EINVAL ? set_mode(SECCOMP_FILTER_FLAG_TSYNC) : -1;
}
#else
static int
load(void)
{
	return 0;
}
#endif

void
confine(const char *tag)
{
	char text[160];

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && load() == 0)
		return;
	(void)snprintf(text, sizeof(text), "the kernel takes no filter of "
	    "system calls (%m): going on without");
	log_line(GENKAN_LOG_WARN, tag, text);
}
