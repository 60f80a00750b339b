#ifndef GK_OS_KEYSTORE_CALL_H
#define GK_OS_KEYSTORE_CALL_H

#include <stdbool.h>

#include "os/keystore.h"
#include "os/keystore_lib.h"

/*
 * One call of the Secret Service: what of it has nothing to do with keys.
 *
 * Every step is asynchronous, on a main context that belongs to the call, and
 * one deadline covers them all: libsecret's synchronous calls wait for half a
 * minute for a service that hangs.  A step that outlives even its cancellation
 * is abandoned: what it would still write to stays allocated for good, which
 * costs a few kilobytes and no correctness.
 */
struct gk_keycall {
	struct gk_keystore_lib lib;
	GMainContext	*main;
	GCancellable	*cancel;
	GSource		*timer;		/* NULL: no deadline */
	GHashTable	*attrs;
	SecretService	*service;
	GAsyncResult	*result;	/* of the step under way */
	bool		 timed_out;
	bool		 abandoned;
	struct gk_why	*why;
};

/* What we store is found by. */
extern const SecretSchema gk_keycall_schema;

/* Opens the bus and the service.  ms 0: without a deadline.  A failure has been
 * said in why; gk_keycall_end() follows in every case. */
int	gk_keycall_begin(struct gk_keycall **ret, const char *account, int ms,
	    struct gk_why *);
void	gk_keycall_end(struct gk_keycall *);

/* The callback of a step, with the call as its user; and the result of the step
 * that was just begun, to be unreferenced, NULL when it was abandoned. */
void	gk_keycall_arrived(GObject *source, GAsyncResult *, gpointer user);
GAsyncResult *gk_keycall_await(struct gk_keycall *);

/* Says what became of a step, takes the error, which may be NULL, and returns
 * the code. */
int	gk_keycall_fail(struct gk_keycall *, GError *);
int	gk_keycall_locked(struct gk_keycall *);

/* NULL is fine. */
void	gk_keycall_drop(struct gk_keycall *, gpointer object);

#endif
