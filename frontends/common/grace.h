/*
 * The time that a signal leaves a program to finish what it is doing, as wire
 * 3.3 gives it to a server.  A thread that does nothing else takes the signal,
 * so that nothing is cut in two, and ends the process when the time is over,
 * whatever it is doing.
 */
#ifndef GK_FRONTENDS_GRACE_H
#define GK_FRONTENDS_GRACE_H

#include <signal.h>

/*
 * Before any other thread is started, and once.  came, which may be NULL, is
 * called when a signal of the set comes, over when the time is; both in the
 * thread.  over does not return.  0, or -1: signals do what they did then.
 */
int	grace_start(const sigset_t *, void (*came)(int sig),
	    void (*over)(int sig));

#endif
