#include "local/desk.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/str.h"
#include "local/lockfile.h"
#include "local/measure.h"
#include "local/rendezvous_impl.h"
#include "os/proc.h"

/* The process of the lock is a broker of this installation. */
static bool
is_broker(struct genkan_ctx *ctx, int64_t pid)
{
	struct gk_install *install;
	struct gk_peer *who;
	bool ok = false;

	if (!gk_proc_exists(pid))
		return false;
	install = gk_calloc(ctx, 1, sizeof(*install));
	who = gk_calloc(ctx, 1, sizeof(*who));
	if (install != NULL && who != NULL &&
	    gk_install_scan(ctx, GK_ROLE_CLI, install, NULL, NULL) == 0) {
		gk_measure_pid(ctx, pid, install, who);
		ok = gk_attest_broker_image(&who->image, &install->set);
	}
	gk_free(ctx, install);
	gk_free(ctx, who);
	return ok;
}

bool
gk_desk_mismatch(struct genkan_ctx *ctx, const struct gk_place *place,
    char reason[512], char state[GK_PATH_MAX])
{
	struct gk_runlock lock;
	bool differs = false;
	int dir = -1;

	if (gk_dirs_open(place->runtime, &dir, NULL) < 0)
		return false;
	if (gk_lockfile_read(ctx, dir, &lock, NULL) == 0) {
		differs = !gk_dirs_same(lock.state_dir, place->state) &&
		    is_broker(ctx, (int64_t)lock.pid);
		if (differs)
			gk_rendezvous_mismatch(&lock, place, reason);
		if (differs && state != NULL)
			(void)gk_str_copy(state, GK_PATH_MAX, lock.state_dir,
			    strlen(lock.state_dir));
	}
	gk_wipe(&lock, sizeof(lock));
	(void)close(dir);
	return differs;
}

int
gk_desk_open_unchecked(struct gk_desk *d, struct genkan_ctx *ctx,
    struct genkan_report *report)
{
	struct gk_why why = { 0, "" };
	int r;

	memset(d, 0, sizeof(*d));
	d->ctx = ctx;
	d->report = report;
	if ((r = gk_place_resolve(&d->place, &why)) < 0)
		return gk_err_set(ctx, r, "%s", why.text);
	return gk_stores_init(&d->stores, ctx, &d->place);
}

int
gk_desk_open(struct gk_desk *d, struct genkan_ctx *ctx,
    struct genkan_report *report)
{
	char reason[512];
	int r;

	if ((r = gk_desk_open_unchecked(d, ctx, report)) < 0)
		return r;
	if (!gk_desk_mismatch(ctx, &d->place, reason, NULL))
		return 0;
	gk_desk_fail(d, "%s", reason);
	gk_desk_done(d);
	return 1;
}

void
gk_desk_done(struct gk_desk *d)
{
	gk_trust_cache_done(&d->cache);
	gk_stores_done(&d->stores);
}

void
gk_desk_fail(struct gk_desk *d, const char *fmt, ...)
{
	char text[2 * GK_WHY_FULL];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	gk_report_warn(d->report, "genkan: %s", text);
	gk_report_error(d->report, text);
	d->report->status = GK_EXIT_FAILED;
}

void
gk_desk_look(struct gk_desk *d, struct gk_trust_view *ret)
{
	gk_trust_look(d->ctx, &d->stores.store, &d->cache, ret);
}

void
gk_desk_audit(struct gk_desk *d, const char *kind, const char *outcome,
    const char *name, const char *detail)
{
	struct gk_audit rec = GK_AUDIT_INIT;

	rec.kind = kind;
	rec.surface = "cli";
	rec.outcome = outcome;
	rec.name = name;
	rec.detail = detail;
	gk_store_audit(&d->stores.store, &rec);
}
