#include "local/rendezvous.h"

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/str.h"
#include "crypto/mac.h"
#include "local/lockfile.h"
#include "local/rendezvous_impl.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/proc.h"
#include "os/sock.h"

#define TAG	"election"

static void
end(struct gk_election *e, enum gk_elected outcome, const char *reason)
{
	e->outcome = outcome;
	(void)gk_str_escaped(e->reason, sizeof(e->reason), reason,
	    strlen(reason), sizeof(e->reason) - 1);
}

/* ---------------------------------------------------------- step 3: bind */

/* The runtime directory is ours alone, so whatever stands under our socket's
 * name is a leftover; a directory would be somebody's doing and stays. */
static void
clear_socket(int dir, struct gk_notes *notes)
{
	struct gk_why why;

	if (gk_file_unlink(dir, GK_PLACE_SOCK, &why) < 0)
		gk_notes_add(notes, GK_LOG_WARN, TAG, "stale-socket", "%s",
		    why.text);
}

void
gk_rendezvous_secret(struct genkan_ctx *ctx, uint8_t ret[GK_SECRET_HEX])
{
	static const char digit[] = "0123456789abcdef";
	uint8_t raw[GK_SECRET_BYTES];
	size_t i;

	memset(ret, 0, GK_SECRET_HEX);
	if (gk_rng_bytes(ctx, raw, sizeof(raw)) < 0)
		return;
	for (i = 0; i < sizeof(raw); i++) {
		ret[2 * i] = (uint8_t)digit[raw[i] >> 4];
		ret[2 * i + 1] = (uint8_t)digit[raw[i] & 15];
	}
	gk_wipe(raw, sizeof(raw));
}

static int
new_lock(const struct gk_place *place, const uint8_t secret[GK_SECRET_HEX],
    struct gk_runlock *ret, struct gk_why *why)
{
	memset(ret, 0, sizeof(*ret));
	if (secret[0] == 0)
		return gk_why_set(why, GENKAN_E_RANDOM, 0,
		    "no randomness for the secret");
	memcpy(ret->secret, secret, sizeof(ret->secret));
	(void)gk_str_copy(ret->endpoint, sizeof(ret->endpoint), place->sock,
	    strlen(place->sock));
	(void)gk_str_copy(ret->state_dir, sizeof(ret->state_dir),
	    place->state, strlen(place->state));
	ret->pid = (uint32_t)gk_proc_self();
	return 0;
}

static int
bind_and_write(struct genkan_ctx *ctx, const struct gk_place *place, int dir,
    const struct gk_election *e, int *fd, struct gk_why *why)
{
	struct gk_runlock lock;
	int r, listener;

	r = gk_sock_listen(place->sock, GK_LISTEN_BACKLOG, &listener, why);
	if (r < 0)
		return r;
	r = new_lock(place, e->secret, &lock, why);
	if (r == 0)
		r = gk_lockfile_write(ctx, dir, &lock, why);
	gk_wipe(&lock, sizeof(lock));
	if (r < 0) {
		(void)close(listener);
		(void)gk_file_unlink_socket(dir, GK_PLACE_SOCK, NULL);
		return r;
	}
	*fd = listener;
	return 0;
}

static void
take_over(struct genkan_ctx *ctx, const struct gk_rendezvous *rv, int dir,
    const struct gk_runlock *old, struct gk_election *e, int *fd,
    struct gk_notes *notes)
{
	struct gk_why why;

	if (gk_lockfile_remove(dir, rv->place->runtime, old, &why) < 0) {
		end(e, GK_ELECTED_FAILED, why.text);
		return;
	}
	clear_socket(dir, notes);
	if (bind_and_write(ctx, rv->place, dir, e, fd, &why) < 0) {
		end(e, GK_ELECTED_FAILED, why.text);
		return;
	}
	e->outcome = GK_ELECTED_BROKER;
}

/* ------------------------------------------------------ steps 1 and 2 */

/*
 * Of a lock that names this very process: is it a server's that runs here, too,
 * or was it left over by an earlier process of that number?  1, 0, or an error:
 * it could not be learnt.  Under the runtime lock a refusal is proof (3.2), and
 * so is a name that no socket can have; a full backlog is somebody's.
 */
static int
listens_here(const struct gk_runlock *lock, struct gk_why *why)
{
	uint32_t uid;
	int64_t pid;
	int r, fd;

	r = gk_sock_connect(lock->endpoint, GK_SETUP_DIAL_MS, &fd, why);
	switch (r) {
	case 0:
		break;
	case GENKAN_E_CONNECT:
	case GENKAN_E_ADDR:
		return 0;
	case GENKAN_E_TIMEOUT:
		return 1;
	default:
		return r;
	}
	r = gk_sock_cred(fd, &uid, &pid, why);
	(void)close(fd);
	return r < 0 ? r : pid == gk_proc_self();
}

/* What the lock says, and who is behind it.  false: nothing was learnt. */
static bool
gather(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    const struct gk_runlock *lock, struct gk_election_facts *ret,
    struct gk_peer *who, struct gk_why *why)
{
	int here = 0;

	ret->own_pid = (int64_t)lock->pid == gk_proc_self();
	ret->alive = gk_proc_exists((int64_t)lock->pid) != 0;
	if (ret->own_pid && (here = listens_here(lock, why)) < 0)
		return false;
	if (!ret->alive || (ret->own_pid && here == 0))
		return true;
	if (ret->own_pid) {
		/* Whatever our image is, it is nobody to be superseded;
		 * whether it is to be attached to is seen when dialled. */
		ret->own_pid = false;
		ret->image_ok = true;
	} else {
		gk_measure_pid(ctx, (int64_t)lock->pid, rv->install, who);
		ret->image_ok = gk_attest_broker_image(&who->image,
		    &rv->install->set);
	}
	ret->same_dir = gk_dirs_same(lock->state_dir, rv->place->state) != 0;
	if (who->shortage)
		(void)gk_why_set(why, 0, 0, "%s", who->why);
	return !who->shortage;
}

static void
note_superseded(const struct gk_runlock *lock, const struct gk_peer *who,
    struct gk_notes *notes)
{
	gk_notes_add(notes, GK_LOG_WARN, TAG, "superseded",
	    "run.lock names process %lu (%.200s): %s, taking over",
	    (unsigned long)lock->pid,
	    who->image.ok ? who->image.path : who->why, GK_ATTEST_MISMATCH);
}

/* Under the runtime lock.  true: a broker lives, and *lock says where. */
static bool
settle(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    struct gk_replaced *rp, int dir, struct gk_runlock *lock,
    struct gk_election *e, int *fd, struct gk_notes *notes)
{
	struct gk_election_facts facts = { 0 };
	struct gk_peer who = { 0 };
	struct gk_why why;
	bool learnt, supersede = false;
	int r;

	facts.replaced = gk_replaced_look(ctx, rv->install, rp);
	if (!facts.replaced) {
		r = gk_lockfile_read(ctx, dir, lock, &why);
		facts.readable = r == 0;
		learnt = r < 0 ? !gk_why_no_answer(r, &why) :
		    gather(ctx, rv, lock, &facts, &who, &why);
		/* Otherwise a broker may live: no taking over. */
		if (!learnt) {
			end(e, GK_ELECTED_RETRY, why.text);
			return false;
		}
		if (r < 0 && r != GENKAN_E_NOENT)
			gk_notes_add(notes, GK_LOG_WARN, TAG, "unreadable",
			    "%s; taking over", why.text);
	}
	switch (gk_election_decide(&facts, &supersede)) {
	case GK_ELECT_OUTDATED:
		end(e, GK_ELECTED_OUTDATED,
		    "genkan was upgraded while this server ran");
		return false;
	case GK_ELECT_DIAL:
		return true;
	case GK_ELECT_MISMATCH:
		gk_rendezvous_mismatch(lock, rv->place, e->reason);
		e->outcome = GK_ELECTED_DENIED;
		return false;
	case GK_ELECT_BIND:
	default:
		break;
	}
	if (supersede)
		note_superseded(lock, &who, notes);
	take_over(ctx, rv, dir, facts.readable ? lock : NULL, e, fd, notes);
	return false;
}

/* ---------------------------------------------------------- step 4: dial */

static void
dial(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    const struct gk_runlock *lock, struct gk_election *e, int *fd,
    struct gk_notes *notes)
{
	struct gk_why why;

	switch (gk_rendezvous_connect(ctx, rv, lock, fd, &why, notes)) {
	case GK_CONNECT_OK:
		e->outcome = GK_ELECTED_DIALLED;
		memcpy(e->secret, lock->secret, sizeof(e->secret));
		break;
	case GK_CONNECT_FOREIGN:
		end(e, GK_ELECTED_DENIED, why.text);
		break;
	case GK_CONNECT_NONE:
	case GK_CONNECT_UNMEASURABLE:
	default:
		end(e, GK_ELECTED_RETRY, why.text);
		break;
	}
}

/* The directory and the lock in it; a failure ends the election. */
static int
enter(const struct gk_place *place, int *dir, int *lock, struct gk_why *why)
{
	int r;

	r = gk_sock_fits(place->sock, why);
	if (r == 0)
		r = gk_dirs_make(place->runtime, dir, why);
	if (r < 0)
		return r;
	r = gk_lock_take(*dir, GK_PLACE_MUTEX, GK_LOCK_FOREVER, lock, why);
	if (r < 0)
		(void)close(*dir);
	return r;
}

void
gk_rendezvous_round(struct genkan_ctx *ctx, const struct gk_rendezvous *rv,
    struct gk_replaced *rp, bool want_dial, struct gk_election *e, int *fd,
    struct gk_notes *notes)
{
	struct gk_runlock lock;
	struct gk_why why;
	int dir, mutex;
	bool found;

	e->outcome = GK_ELECTED_FAILED;
	e->reason[0] = '\0';
	*fd = -1;
	if (enter(rv->place, &dir, &mutex, &why) < 0) {
		end(e, GK_ELECTED_FAILED, why.text);
		return;
	}
	found = settle(ctx, rv, rp, dir, &lock, e, fd, notes);
	gk_lock_drop(mutex);
	(void)close(dir);
	if (found && want_dial) {
		dial(ctx, rv, &lock, e, fd, notes);
	} else if (found) {
		e->outcome = GK_ELECTED_FOUND;
		(void)snprintf(e->reason, sizeof(e->reason),
		    "process %lu is the broker already",
		    (unsigned long)lock.pid);
	}
	gk_wipe(&lock, sizeof(lock));
}

/* --------------------------------------------------------------- leaving */

int
gk_rendezvous_leave(struct genkan_ctx *ctx, const struct gk_place *place,
    const uint8_t secret[GK_SECRET_HEX], int wait_ms, struct gk_notes *notes)
{
	struct gk_runlock lock;
	struct gk_why why;
	int r, dir, mutex;

	if (gk_dirs_open(place->runtime, &dir, NULL) < 0)
		return 0;
	r = gk_lock_take(dir, GK_PLACE_MUTEX, wait_ms, &mutex, &why);
	if (r < 0) {
		gk_notes_add(notes, GK_LOG_WARN, "leave", "no-lock",
		    "%s; lock and socket are left to the next starter",
		    why.text);
		(void)close(dir);
		return GENKAN_E_LOCKED;
	}
	if (gk_lockfile_read(ctx, dir, &lock, NULL) == 0 &&
	    (int64_t)lock.pid == gk_proc_self() &&
	    gk_mac_eq(lock.secret, sizeof(lock.secret), secret,
	    GK_SECRET_HEX)) {
		(void)gk_lockfile_remove(dir, place->runtime, &lock, NULL);
		(void)gk_file_unlink_socket(dir, GK_PLACE_SOCK, NULL);
	}
	gk_wipe(&lock, sizeof(lock));
	gk_lock_drop(mutex);
	(void)close(dir);
	return 0;
}
