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

/* Whether the process of the lock is a broker of this installation: 1, 0, or
 * an error where there was too little of something to look. */
static int
is_broker(struct genkan_ctx *ctx, int64_t pid, struct gk_why *why)
{
	struct gk_install *install;
	struct gk_peer *who;
	int r = gk_why_set(why, GENKAN_E_NOMEM, 0, "out of memory");

	if (!gk_proc_exists(pid))
		return 0;
	install = gk_calloc(ctx, 1, sizeof(*install));
	who = gk_calloc(ctx, 1, sizeof(*who));
	if (install != NULL && who != NULL)
		r = gk_install_scan(ctx, GK_ROLE_CLI, install, NULL, why);
	if (r == 0) {
		gk_measure_pid(ctx, pid, install, who);
		r = gk_attest_broker_image(&who->image, &install->set);
		if (who->shortage)
			r = gk_why_set(why, GENKAN_E_LIMIT, 0, "%s",
			    who->why);
	}
	gk_free(ctx, install);
	gk_free(ctx, who);
	return r;
}

/* As gk_desk_mismatch(); the lock in dir is read into *lock. */
static int
differs(struct genkan_ctx *ctx, const struct gk_place *place, int dir,
    struct gk_runlock *lock, struct gk_why *why)
{
	int r = gk_lockfile_read(ctx, dir, lock, why);

	/* One that cannot be made out names no state directory; one that was
	 * not seen may. */
	if (r < 0)
		return gk_why_no_answer(r, why) ? r : 0;
	return gk_dirs_same(lock->state_dir, place->state) ? 0 :
	    is_broker(ctx, (int64_t)lock->pid, why);
}

int
gk_desk_mismatch(struct genkan_ctx *ctx, const struct gk_place *place,
    char reason[512], char state[GK_PATH_MAX])
{
	struct gk_why why = { 0, "" };
	struct gk_runlock lock;
	int dir, r;

	r = gk_dirs_open(place->runtime, &dir, &why);
	if (r == GENKAN_E_NOENT)
		return 0;
	if (r == 0) {
		r = differs(ctx, place, dir, &lock, &why);
		(void)close(dir);
	}
	if (r < 0)
		(void)snprintf(reason, 512, "no look at the running server: "
		    "%.400s", why.text);
	if (r > 0)
		gk_rendezvous_mismatch(&lock, place, reason);
	if (r > 0 && state != NULL)
		(void)gk_str_copy(state, GK_PATH_MAX, lock.state_dir,
		    strlen(lock.state_dir));
	gk_wipe(&lock, sizeof(lock));
	return r;
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
	if (gk_desk_mismatch(ctx, &d->place, reason, NULL) == 0)
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
