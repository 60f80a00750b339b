#ifndef GK_OS_KEYSTORE_H
#define GK_OS_KEYSTORE_H

#include <stdbool.h>

#include "base/buf.h"
#include "os/why.h"

/*
 * The credential store of the system: one small value under the service
 * "genkan" and an account (control 3.4).  On Linux the Secret Service.
 *
 * Each call below ends after GK_KEYSTORE_MS at the latest, with
 * GENKAN_E_TIMEOUT, and never shows the person a prompt; the one exception is
 * gk_keystore_unlock().  All block, on any thread, without an event loop of
 * the caller's.  Besides the two of a store that does answer, NOENT and
 * LOCKED, they fail with GENKAN_E_UNAVAILABLE (no bus, no service, an answer
 * that makes no sense), GENKAN_E_NOMEM, or GENKAN_E_UNSUPPORTED in a build
 * without a backend.  A failing store is one whose state is not known.
 */

/* Is there a backend in this build? */
bool	gk_keystore_built(void);

/*
 * Appends the stored text to @ret.  GENKAN_E_NOENT: the store is unlocked and
 * holds none.  GENKAN_E_LOCKED: locked or missing; which of the two cannot be
 * told.
 */
int	gk_keystore_load(const char *account, struct gk_buf *ret,
	    struct gk_why *);

/* GENKAN_E_LOCKED: nothing was stored. */
int	gk_keystore_store(const char *account, const char *text, size_t len,
	    struct gk_why *);

/* Deletes every entry and looks again: 0, absence is verified; 1, and there
 * was none to begin with. */
int	gk_keystore_erase(const char *account, struct gk_why *);

/* Has the person unlock the store, or make one, however long that takes.  0;
 * GENKAN_E_LOCKED: they did not, or could not be asked. */
int	gk_keystore_unlock(struct gk_why *);

#endif
