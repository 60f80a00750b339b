#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "local/lockfile.h"
#include "local/rendezvous_impl.h"
#include "os/lock.h"
#include "os/proc.h"
#include "os/sock.h"

#define TAG	"dial"

void
gk_rendezvous_mismatch(const struct gk_runlock *lock,
    const struct gk_place *place, char ret[512])
{
	char theirs[200], ours[200];

	(void)snprintf(ret, 512, "state directory mismatch: the broker "
	    "(process %lu) uses %s, this program %s",
	    (unsigned long)lock->pid,
	    gk_str_escaped(theirs, sizeof(theirs), lock->state_dir,
	    strlen(lock->state_dir), sizeof(theirs) - 8),
	    gk_str_escaped(ours, sizeof(ours), place->state,
	    strlen(place->state), sizeof(ours) - 8));
}

/*
 * 3.2: nobody answered.  A broker listens before it writes its lock and
 * removes it under the runtime lock; so if it still does not answer while we
 * hold that lock, it is gone, whoever has its pid now.
 */
static void
sweep_stale(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    const struct gk_runlock *dialled, struct gk_notes *notes)
{
	struct gk_runlock now;
	int dir, mutex, fd = -1, r;

	if (gk_dirs_open(rv->place->runtime, &dir, NULL) < 0)
		return;
	if (gk_lock_take(dir, GK_PLACE_MUTEX, GK_LOCK_FOREVER, &mutex,
	    NULL) < 0) {
		(void)close(dir);
		return;
	}
	r = gk_lockfile_read(ctx, dir, &now, NULL);
	if (r == 0 && now.pid == dialled->pid &&
	    strcmp(now.endpoint, dialled->endpoint) == 0 &&
	    (!gk_proc_exists((int64_t)now.pid) ||
	    gk_sock_connect(now.endpoint, GK_SETUP_DIAL_MS, &fd, NULL) ==
	    GENKAN_E_CONNECT)) {
		(void)gk_lockfile_remove(dir, rv->place->runtime, &now, NULL);
		gk_notes_add(notes, GK_LOG_INFO, TAG, "stale",
		    "removed the lock of process %lu, which does not listen",
		    (unsigned long)now.pid);
	}
	if (fd >= 0)
		(void)close(fd);
	gk_wipe(&now, sizeof(now));
	gk_lock_drop(mutex);
	(void)close(dir);
}

/* 5.2 step 3, uid and image. */
static enum gk_connect
check(const struct gk_peer *who, struct gk_why *why)
{
	if (!who->uid_known) {
		(void)gk_why_set(why, 0, 0, "the server cannot be measured: "
		    "%s", who->why);
		return GK_CONNECT_UNMEASURABLE;
	}
	if (!who->uid_ours) {
		(void)gk_why_set(why, 0, 0, "%s: the server belongs to "
		    "another user", GK_ATTEST_MISMATCH);
		return GK_CONNECT_FOREIGN;
	}
	if (!who->image.ok) {
		(void)gk_why_set(why, 0, 0, "the server cannot be measured: "
		    "%s", who->why);
		return GK_CONNECT_UNMEASURABLE;
	}
	if (!gk_attest_broker(who)) {
		(void)gk_why_set(why, 0, 0, "%s: the server's image is %.300s",
		    GK_ATTEST_MISMATCH, who->image.path);
		return GK_CONNECT_FOREIGN;
	}
	return GK_CONNECT_OK;
}

enum gk_connect
gk_rendezvous_connect(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    const struct gk_runlock *lock, int *fd, struct gk_why *why,
    struct gk_notes *notes)
{
	enum gk_connect c;
	struct gk_peer who;
	int r;

	*fd = -1;
	r = gk_sock_connect(lock->endpoint, GK_SETUP_DIAL_MS, fd, why);
	if (r < 0) {
		*fd = -1;
		if (r == GENKAN_E_CONNECT)
			sweep_stale(ctx, rv, lock, notes);
		return GK_CONNECT_NONE;
	}
	gk_measure_peer(ctx, *fd, rv->install, &who);
	c = check(&who, why);
	if (c != GK_CONNECT_OK) {
		(void)close(*fd);
		*fd = -1;
	}
	return c;
}

/* ------------------------------------------------------------ for hosts */

static int
read_lock(struct genkan_ctx *ctx, const struct gk_place *place,
    struct gk_runlock *ret, struct gk_why *why)
{
	int r, dir;

	r = gk_dirs_open(place->runtime, &dir, why);
	if (r < 0)
		return r;
	r = gk_lockfile_read(ctx, dir, ret, why);
	(void)close(dir);
	return r;
}

/* 2.4 applies only where the lock's process is a broker of ours. */
static bool
mismatches(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    const struct gk_runlock *lock)
{
	struct gk_peer who;

	if (gk_dirs_same(lock->state_dir, rv->place->state) ||
	    !gk_proc_exists((int64_t)lock->pid))
		return false;
	gk_measure_pid(ctx, (int64_t)lock->pid, rv->install, &who);
	return gk_attest_broker_image(&who.image, &rv->install->set);
}

static void
no_lock(int r, const struct gk_why *why, char ret[512])
{
	if (r == GENKAN_E_NOENT)
		(void)snprintf(ret, 512, "no %s: is the MCP server running?  "
		    "It starts with an MCP client, or as genkan-server --broker",
		    GK_PLACE_LOCK);
	else
		(void)gk_str_escaped(ret, 512, why->text, strlen(why->text),
		    500);
}

void
gk_rendezvous_dial(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    struct gk_dialling *ret, char endpoint[GK_RUNLOCK_PATH_MAX], int *fd,
    struct gk_notes *notes)
{
	struct gk_runlock lock;
	struct gk_why why = { 0, "" };
	enum gk_connect c;
	int r;

	memset(ret, 0, sizeof(*ret));
	*fd = -1;
	ret->outcome = GK_DIALLED_NONE;
	ret->err = GENKAN_E_CONNECT;
	r = read_lock(ctx, rv->place, &lock, &why);
	if (r < 0) {
		no_lock(r, &why, ret->reason);
		return;
	}
	c = gk_rendezvous_connect(ctx, rv, &lock, fd, &why, notes);
	if (c == GK_CONNECT_OK && !gk_dirs_same(lock.state_dir,
	    rv->place->state)) {
		ret->outcome = GK_DIALLED_MISMATCH;
		ret->err = GENKAN_E_MISMATCH;
		gk_rendezvous_mismatch(&lock, rv->place, ret->reason);
		(void)close(*fd);
		*fd = -1;
	} else if (c == GK_CONNECT_OK) {
		ret->outcome = GK_DIALLED_OK;
		ret->err = 0;
		ret->id.pid = lock.pid;
		memcpy(endpoint, lock.endpoint, sizeof(lock.endpoint));
		ret->id.endpoint = endpoint;
		memcpy(ret->secret, lock.secret, sizeof(ret->secret));
	} else {
		if (c != GK_CONNECT_NONE) {
			ret->outcome = GK_DIALLED_FOREIGN;
			ret->err = c == GK_CONNECT_FOREIGN ?
			    GENKAN_E_AUTH_PEER : GENKAN_E_UNMEASURABLE;
		}
		(void)gk_str_escaped(ret->reason, sizeof(ret->reason),
		    why.text, strlen(why.text), sizeof(ret->reason) - 8);
	}
	gk_wipe(&lock, sizeof(lock));
}

enum gk_probe
gk_rendezvous_probe(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    bool connect, char reason[512])
{
	struct gk_runlock lock;
	enum gk_probe p = GK_PROBE_LOCK;
	int fd;

	reason[0] = '\0';
	if (read_lock(ctx, rv->place, &lock, NULL) < 0)
		return GK_PROBE_NONE;
	if (mismatches(ctx, rv, &lock)) {
		gk_rendezvous_mismatch(&lock, rv->place, reason);
		p = GK_PROBE_MISMATCH;
	} else if (connect && gk_sock_connect(lock.endpoint,
	    GK_SETUP_DIAL_MS, &fd, NULL) == 0) {
		(void)close(fd);
		p = GK_PROBE_BROKER;
	} else if (connect) {
		p = GK_PROBE_NONE;
	}
	gk_wipe(&lock, sizeof(lock));
	return p;
}

int
gk_rendezvous_look(struct genkan_ctx *ctx, const struct gk_place *place,
    uint32_t *pid, char endpoint[GK_RUNLOCK_PATH_MAX])
{
	struct gk_runlock lock;
	int r;

	r = read_lock(ctx, place, &lock, NULL);
	if (r == 0 && !gk_proc_exists((int64_t)lock.pid))
		r = GENKAN_E_NOENT;
	if (r == 0) {
		*pid = lock.pid;
		memcpy(endpoint, lock.endpoint, sizeof(lock.endpoint));
	}
	gk_wipe(&lock, sizeof(lock));
	return r;
}
