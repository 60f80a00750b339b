#include "cli/ends.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "common/grace.h"

static const int ends[] = { SIGHUP, SIGINT, SIGTERM };

/* Whoever started us is to see which signal it was. */
static void
on_over(int sig)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t set;

	(void)sigaction(sig, &plain, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, sig);
	(void)raise(sig);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + sig);
}

void
ends_start(void)
{
	struct sigaction was;
	sigset_t set;
	size_t i;

	(void)sigemptyset(&set);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigaction(ends[i], NULL, &was) == 0 &&
		    was.sa_handler != SIG_IGN)
			(void)sigaddset(&set, ends[i]);
	(void)grace_start(&set, NULL, on_over);
}
