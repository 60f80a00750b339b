#include "common/grace.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

/* Of the 500 ms of wire 3.3; the rest is for being scheduled. */
#define GRACE_MS	460

static sigset_t set;
static void (*on_came)(int), (*on_over)(int);

static void *
thread(void *unused)
{
	const struct timespec grace = { 0, GRACE_MS * 1000000L };
	int sig;

	(void)unused;
	while (sigwait(&set, &sig) != 0)
		continue;
	if (on_came != NULL)
		on_came(sig);
	(void)nanosleep(&grace, NULL);
	on_over(sig);
	return NULL;
}

int
grace_start(const sigset_t *sigs, void (*came)(int), void (*over)(int))
{
	pthread_attr_t attr;
	pthread_t id;
	sigset_t was;
	int r = -1;

	set = *sigs;
	on_came = came;
	on_over = over;
	if (pthread_attr_init(&attr) != 0)
		return -1;
	(void)pthread_attr_setstacksize(&attr, 64 * 1024);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_sigmask(SIG_BLOCK, &set, &was) == 0 &&
	    (r = pthread_create(&id, &attr, thread, NULL)) != 0)
		(void)pthread_sigmask(SIG_SETMASK, &was, NULL);
	(void)pthread_attr_destroy(&attr);
	return r == 0 ? 0 : -1;
}
