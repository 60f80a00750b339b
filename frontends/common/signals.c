#include "common/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* Of the 500 ms of wire 3.3; the rest is for being scheduled. */
#define GRACE_MS	460

static atomic_int came;
static sigset_t set;

static void *
thread(void *user)
{
	const struct timespec grace = { 0, GRACE_MS * 1000000L };
	int sig;

	while (sigwait(&set, &sig) != 0)
		continue;
	atomic_store(&came, 1);
	loop_wake(user);
	(void)nanosleep(&grace, NULL);
	_exit(0);
}

int
signals_start(struct loop *loop)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	pthread_attr_t attr;
	pthread_t id;
	int r;

	/* One that a parent had ignored would never be waited for. */
	(void)sigaction(SIGTERM, &plain, NULL);
	(void)sigaction(SIGINT, &plain, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 ||
	    pthread_attr_init(&attr) != 0)
		return -1;
	(void)pthread_attr_setstacksize(&attr, 64 * 1024);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&id, &attr, thread, loop);
	(void)pthread_attr_destroy(&attr);
	return r == 0 ? 0 : -1;
}

int
signals_came(void)
{
	return atomic_load(&came);
}
