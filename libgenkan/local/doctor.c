/* The facts. */
#include "local/doctor.h"

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/str.h"
#include "local/lockfile.h"
#include "local/measure.h"
#include "os/look.h"
#include "os/proc.h"
#include "os/sock.h"

static void
copy(char *ret, size_t size, const char *text)
{
	(void)gk_str_copy(ret, size, text, strlen(text));
}

/* The lock, without its secret: only the length goes on. */
static void
look_lock(struct gk_doctor *d)
{
	struct gk_why why = { 0, "" };
	struct gk_runlock lock;
	int dir = -1, r;

	r = gk_look_dir(d->place.runtime, GK_LOOK_OURS, &dir, &why);
	if (r == 0) {
		r = gk_lockfile_read(d->ctx, dir, &lock, &why);
		(void)close(dir);
	}
	if (r == GENKAN_E_NOENT) {
		d->lock = GK_DOCTOR_LOCK_ABSENT;
		return;
	}
	if (r < 0) {
		d->lock = GK_DOCTOR_LOCK_UNREADABLE;
		copy(d->lock_why, sizeof(d->lock_why), why.text);
		return;
	}
	d->lock = GK_DOCTOR_LOCK_PRESENT;
	d->pid = lock.pid;
	d->secret_len = sizeof(lock.secret);
	copy(d->endpoint, sizeof(d->endpoint), lock.endpoint);
	copy(d->lock_state, sizeof(d->lock_state), lock.state_dir);
	gk_wipe(&lock, sizeof(lock));
}

/* Whether the process of the lock is a genkan-server of this installation. */
static bool
look_process(struct gk_doctor *d)
{
	struct gk_why why = { 0, "" };
	struct gk_install *install;
	struct gk_peer *peer;
	bool ok = false;

	if (!gk_proc_exists(d->pid)) {
		copy(d->server_why, sizeof(d->server_why),
		    "the process that the lock names is dead");
		return false;
	}
	install = gk_calloc(d->ctx, 1, sizeof(*install));
	peer = gk_calloc(d->ctx, 1, sizeof(*peer));
	if (install == NULL || peer == NULL) {
		copy(d->server_why, sizeof(d->server_why), "out of memory");
	} else if (gk_install_scan(d->ctx, d->role, install, NULL,
	    &why) < 0) {
		copy(d->server_why, sizeof(d->server_why), why.text);
	} else {
		gk_measure_pid(d->ctx, d->pid, install, peer);
		ok = gk_attest_broker_image(&peer->image, &install->set);
		if (!ok)
			copy(d->server_why, sizeof(d->server_why),
			    "the process that the lock names is no "
			    "genkan-server of this installation");
	}
	gk_free(d->ctx, install);
	gk_free(d->ctx, peer);
	return ok;
}

/* 1 if the process of the lock spoke, else 0 or an error. */
static int
listen_to(struct gk_doctor *d, int fd, struct gk_why *why)
{
	int64_t pid = 0;
	uint32_t uid = 0;
	int r;

	if ((r = gk_sock_cred(fd, &uid, &pid, why)) < 0)
		return r;
	if (uid != gk_look_euid() || pid != (int64_t)d->pid)
		return gk_why_set(why, GENKAN_E_AUTH_PEER, 0, "another "
		    "process listens on its socket");
	/*
	 * Waits for the challenge so that the broker is not left with a peer
	 * that was gone before it could be measured; that would be audited.
	 */
	r = gk_look_wait(fd, GK_DOCTOR_PROBE_MS, why);
	if (r == 0)
		(void)gk_why_set(why, 0, 0, "it did not answer within %d ms",
		    (int)GK_DOCTOR_PROBE_MS);
	return r;
}

static void
probe(struct gk_doctor *d)
{
	struct gk_why why = { 0, "" };
	int fd = -1, r;

	r = gk_sock_connect(d->endpoint, GK_DOCTOR_PROBE_MS, &fd, &why);
	if (r == 0) {
		r = listen_to(d, fd, &why);
		(void)close(fd);
	}
	d->server = r > 0 ? GK_DOCTOR_REACHABLE : GK_DOCTOR_UNREACHABLE;
	if (r <= 0)
		copy(d->server_why, sizeof(d->server_why), why.text);
}

static void
look_server(struct gk_doctor *d)
{
	d->server = GK_DOCTOR_NOT_PROBED;
	if (d->lock != GK_DOCTOR_LOCK_PRESENT) {
		copy(d->server_why, sizeof(d->server_why),
		    "there is no readable lock");
		return;
	}
	if (!look_process(d))
		return;
	d->mismatch = !gk_dirs_same(d->lock_state, d->place.state);
	probe(d);
}

static int
look_registration(struct gk_doctor *d)
{
	struct gk_why why = { 0, "" };
	int r;

	if ((r = gk_browsers_init(&d->browsers, &why)) < 0 ||
	    (r = gk_reg_host(d->ctx, &d->host, &why)) < 0 ||
	    (r = gk_reg_rows(d->ctx, &d->browsers, &d->host, d->row,
	    &why)) < 0)
		return gk_err_set(d->ctx, r, "%s", why.text);
	d->nsandboxed = gk_browsers_sandboxed(&d->browsers, d->sandboxed);
	d->has_extension = gk_reg_extension(&d->host, d->extension);
	return 0;
}

static int
look_place(struct genkan_ctx *ctx, struct gk_place *place,
    char lock_path[GK_PATH_MAX])
{
	struct gk_why why = { 0, "" };
	int r, n;

	if ((r = gk_place_resolve(place, &why)) < 0)
		return gk_err_set(ctx, r, "%s", why.text);
	n = snprintf(lock_path, GK_PATH_MAX, "%s/%s", place->runtime,
	    gk_schema_file(GK_FILE_RUN_LOCK));
	return n > 0 && n < GK_PATH_MAX ? 0 :
	    gk_err_set(ctx, GENKAN_E_ADDR, "path too long");
}

int
gk_doctor_collect(struct genkan_ctx *ctx, unsigned role,
    struct gk_doctor **ret)
{
	struct gk_doctor *d = gk_calloc(ctx, 1, sizeof(*d));
	int r;

	if (d == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "out of memory");
	d->ctx = ctx;
	d->role = role;
	gk_look_platform(d->os, d->arch);
	if ((r = look_place(ctx, &d->place, d->lock_path)) < 0)
		goto out;
	look_lock(d);
	look_server(d);
	gk_doctor_records(d);
	if ((r = look_registration(d)) < 0)
		goto out;
	gk_doctor_judge(d);
	*ret = d;
	d = NULL;
out:
	gk_doctor_free(d);
	return r;
}

void
gk_doctor_free(struct gk_doctor *d)
{
	if (d == NULL)
		return;
	gk_trust_cache_done(&d->trust_cache);
	gk_policy_cache_done(&d->policy_cache);
	gk_free(d->ctx, d);
}

int
gk_doctor_paths(struct genkan_ctx *ctx, struct genkan_report *report)
{
	char lock_path[GK_PATH_MAX];
	struct gk_place place;
	int r;

	if ((r = look_place(ctx, &place, lock_path)) < 0)
		return r;
	gk_report_line(report, "runtime dir: %s", place.runtime);
	gk_report_line(report, "state dir: %s", place.state);
	gk_report_line(report, "lock file: %s", lock_path);
	return 0;
}
