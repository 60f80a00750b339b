#include "common/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common/grace.h"

static atomic_int came;
static struct loop *woken;

static void
on_came(int sig)
{
	(void)sig;
	atomic_store(&came, 1);
	loop_wake(woken);
}

static void
on_over(int sig)
{
	(void)sig;
	_exit(0);
}

int
signals_start(struct loop *loop)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t set;

	woken = loop;
	/* One that a parent had ignored would never be waited for. */
	(void)sigaction(SIGTERM, &plain, NULL);
	(void)sigaction(SIGINT, &plain, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	return grace_start(&set, on_came, on_over);
}

int
signals_came(void)
{
	return atomic_load(&came);
}
