#include "api/atdesk.h"

#include <stdio.h>

#include "api/ceremony.h"
#include "api/door.h"
#include "base/err.h"

_Static_assert(sizeof(struct gk_desk) < 65536, "a desk fits on a stack");

int
gk_api_report(genkan_ctx *ctx, int (*fill)(genkan_ctx *, void *,
    genkan_report *), void *arg, genkan_report **ret)
{
	genkan_report *rep;
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door(ctx)) < 0)
		return r;
	gk_err_clear(ctx);
	rep = gk_report_new(ctx);
	r = rep != NULL ? fill(ctx, arg, rep) : GENKAN_E_NOMEM;
	if (r == 0)
		r = gk_report_finish(rep);
	if (r < 0) {
		gk_report_free(rep);
		return r == GENKAN_E_NOMEM ?
		    gk_err_set(ctx, r, "out of memory") : r;
	}
	*ret = rep;
	return 0;
}

struct at_desk {
	int	(*fn)(struct gk_desk *, void *);
	void	 *arg;
};

static int
fill_at_desk(genkan_ctx *ctx, void *arg, genkan_report *rep)
{
	const struct at_desk *a = arg;
	struct gk_desk d;
	int r;

	r = gk_desk_open(&d, ctx, rep);
	if (r != 0)
		return r < 0 ? r : 0;
	r = a->fn(&d, a->arg);
	gk_desk_done(&d);
	return r;
}

int
gk_api_at_desk(genkan_ctx *ctx, int (*fn)(struct gk_desk *, void *),
    void *arg, genkan_report **ret)
{
	struct at_desk a = { fn, arg };

	return gk_api_report(ctx, fill_at_desk, &a, ret);
}

static void
refused(struct gk_desk *d, const char *kind, const char *name,
    enum gk_refusal_id refusal, const struct gk_why *why)
{
	char detail[64];

	gk_desk_fail(d, "%s", why->text);
	(void)snprintf(detail, sizeof(detail), "presence: %s",
	    gk_schema_refusal((int)refusal)->wire);
	gk_desk_audit(d, kind, "refused", name, detail);
}

int
gk_api_ask(struct gk_desk *d, const char *reason, const char *kind,
    const char *name, struct gk_presence **ret)
{
	enum gk_refusal_id refusal = GK_REFUSAL_IO_ERROR;
	struct gk_why why = { 0, "" };

	if (gk_ceremony(d->ctx, reason, ret, &refusal, &why) == 0)
		return 0;
	refused(d, kind, name, refusal, &why);
	return 1;
}

int
gk_api_can_ask(struct gk_desk *d, const char *kind, const char *name)
{
	enum gk_refusal_id refusal = GK_REFUSAL_IO_ERROR;
	struct gk_why why = { 0, "" };

	if (gk_ceremony_possible(&refusal, &why) == 0)
		return 0;
	refused(d, kind, name, refusal, &why);
	return 1;
}
