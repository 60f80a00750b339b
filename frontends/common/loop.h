/*
 * The event loop of the programs.  libuv is behind it and nothing else sees
 * that: descriptors, one deadline, a pause, wake-ups from other threads.
 */
#ifndef GK_FRONTENDS_LOOP_H
#define GK_FRONTENDS_LOOP_H

#include <stdint.h>

struct loop;
struct loop_watch;

/* What happened to a descriptor, and what is waited for. */
#define LOOP_READ	1u
#define LOOP_WRITE	2u
#define LOOP_GONE	4u	/* nobody at the other end, for writing */

typedef void loop_fn(void *user);
typedef void loop_watch_fn(void *user, unsigned what);

/* NULL when the system has no descriptors for it. */
struct loop *loop_new(void);
void	loop_free(struct loop *);

/* Until loop_stop(). */
void	loop_run(struct loop *);
void	loop_stop(struct loop *);

/* Monotonic milliseconds, now. */
int64_t	loop_now(struct loop *);

/* Called at the deadline, on the loop's thread.  at < 0: no deadline. */
#define LOOP_DEADLINE	0
#define LOOP_PAUSE	1
#define LOOP_REST	2
#define LOOP_TIMERS	3
void	loop_on_timer(struct loop *, int timer, loop_fn *, void *user);
void	loop_set_timer(struct loop *, int timer, int64_t at);

/* Called once after every round of the calls above and below: what one of them
 * has to say to all the others is said once for all of them. */
void	loop_on_round(struct loop *, loop_fn *, void *user);

/* loop_wake() may be called by any thread; fn runs on the loop's, once for one
 * or several calls. */
void	loop_on_wake(struct loop *, loop_fn *, void *user);
void	loop_wake(struct loop *);

/*
 * Watches one descriptor; nothing is waited for at first.  A plain file, which
 * the system cannot wait for, counts as readable all the time.  Where watching
 * fails, READ and GONE are told without having been asked for.  NULL on lack of
 * memory.
 */
struct loop_watch *loop_watch_new(struct loop *, int fd, loop_watch_fn *,
	    void *user);
/* what 0: nothing, not even GONE. */
void	loop_watch_set(struct loop_watch *, unsigned what);
/* Before the descriptor is closed.  May be called from its own callback. */
void	loop_watch_free(struct loop_watch *);

#endif
