#include "cli/grace.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* Of the 500 ms; the rest is for being scheduled. */
#define GRACE_MS	460

static const int ends[] = { SIGHUP, SIGINT, SIGTERM };
static sigset_t set;

/* Whoever started us is to see which signal it was. */
static void *
thread(void *unused)
{
	const struct timespec left = { 0, GRACE_MS * 1000000L };
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	int sig;

	(void)unused;
	while (sigwait(&set, &sig) != 0)
		continue;
	(void)nanosleep(&left, NULL);
	(void)sigaction(sig, &plain, NULL);
	(void)raise(sig);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + sig);
}

static void
wanted(void)
{
	struct sigaction was;
	size_t i;

	(void)sigemptyset(&set);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigaction(ends[i], NULL, &was) == 0 &&
		    was.sa_handler != SIG_IGN)
			(void)sigaddset(&set, ends[i]);
}

void
grace(void)
{
	sigset_t was;
	pthread_attr_t attr;
	pthread_t id;

	wanted();
	if (pthread_attr_init(&attr) != 0)
		return;
	(void)pthread_attr_setstacksize(&attr, 64 * 1024);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_sigmask(SIG_BLOCK, &set, &was) == 0 &&
	    pthread_create(&id, &attr, thread, NULL) != 0)
		(void)pthread_sigmask(SIG_SETMASK, &was, NULL);
	(void)pthread_attr_destroy(&attr);
}
