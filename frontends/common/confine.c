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

/*
 * Without SPEC_ALLOW kernels before 5.16 slow the process down, against others'
 * code that runs in it: there is none.  One that does not know the flag does
 * not do that either.
 */
static int
load(void)
{
	struct sock_fprog prog = {
		.len = (unsigned short)(sizeof(filter) / sizeof(filter[0])),
		.filter = filter
	};

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog) == 0)
		return 0;
	if (errno != EINVAL)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
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
