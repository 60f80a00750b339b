#include "local/hostask.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/ctx.h"
#include "base/err.h"
#include "base/str.h"
#include "codec/jstr.h"
#include "local/doctor.h"
#include "local/register_run.h"

/* ------------------------------------------------------------------ report */

static int
report(struct genkan_ctx *ctx, struct gk_buf *ret, char why[GK_WHY_FULL])
{
	struct gk_doctor *d;
	int r;

	gk_err_clear(ctx);
	r = gk_doctor_collect(ctx, GK_ROLE_HOST, &d);
	if (r < 0) {
		(void)snprintf(why, GK_WHY_FULL, "%s", ctx->err_text);
		return r;
	}
	r = gk_doctor_frame(d, ret);
	gk_doctor_free(d);
	return r;
}

/* ------------------------------------------------------------ registration */

/* Too large for a stack. */
struct work {
	struct gk_browsers	 browsers;
	struct gk_reg_host	 host;
	struct gk_target	 target;
	struct gk_reg_row	 row;
	struct gk_why		 why;
};

static int
put_state(struct gk_buf *out, const struct gk_reg_state *state)
{
	const char *kind = gk_reg_kind_name(state->kind);
	char detail[4 * sizeof(state->detail)];
	int r = gk_json_put_key(out, "state");

	if (r == 0)
		r = gk_buf_putc(out, '{');
	if (r == 0)
		r = gk_json_put_str_member(out, "kind", kind, strlen(kind));
	gk_str_line(detail, sizeof(detail), state->detail,
	    strlen(state->detail));
	if (r == 0 && state->kind != GK_REG_MISSING &&
	    state->kind != GK_REG_OK)
		r = gk_json_put_str_member(out, "detail", detail,
		    strlen(detail));
	return r == 0 ? gk_buf_putc(out, '}') : r;
}

static int
put_row(struct gk_buf *out, const struct gk_reg_row *row)
{
	int r = gk_buf_putc(out, '{');

	if (r == 0)
		r = gk_json_put_str_member(out, "browser", row->key,
		    strlen(row->key));
	if (r == 0)
		r = gk_json_put_bool_member(out, "detected", row->detected);
	if (r == 0)
		r = put_state(out, &row->state);
	if (r == 0)
		r = gk_json_put_str_member(out, "location", row->location,
		    strlen(row->location));
	return r == 0 ? gk_buf_putc(out, '}') : r;
}

/* One row per browser, of this user's manifests. */
static int
rows(struct genkan_ctx *ctx, struct work *w, struct gk_buf *ret)
{
	int i, r = gk_buf_putc(ret, '[');

	for (i = 0; r == 0 && i < GK_BROWSER_END; i++) {
		if (i > 0)
			r = gk_buf_putc(ret, ',');
		if (r == 0)
			r = gk_reg_row_of(ctx, &w->browsers, &w->host, i,
			    false, &w->target, &w->row, &w->why);
		if (r == 0)
			r = put_row(ret, &w->row);
	}
	return r == 0 ? gk_buf_putc(ret, ']') : r;
}

/* "chrome: refused: ..." behind what stands there already. */
static void
add_failure(char why[GK_WHY_FULL], const char *key, int r,
    const char *reason)
{
	const size_t len = strlen(why);

	(void)snprintf(why + len, GK_WHY_FULL - len, "%s%s: %s: %s",
	    len > 0 ? "; " : "", key, r == GENKAN_E_NOT_OURS ? "refused" :
	    "failed", reason);
}

/* One target; those before and behind it are written whatever becomes of it. */
static int
write_one(struct genkan_ctx *ctx, struct work *w, int browser, bool named,
    char why[GK_WHY_FULL])
{
	int r;

	r = gk_browsers_user(&w->browsers, browser, &w->target, &w->why);
	if (r == 0 && !named && !w->target.detected)
		return 0;
	if (r == 0)
		r = gk_reg_write(ctx, &w->host, &w->target, &w->why);
	if (r < 0)
		add_failure(why, w->target.name, r, w->why.text);
	return r < 0 ? r : 0;
}

static int
repair(struct genkan_ctx *ctx, struct work *w, const struct gk_host_ask *ask,
    char why[GK_WHY_FULL])
{
	const char *refusal = gk_reg_refusal(w->browsers.home);
	const bool named = ask->n > 0;
	const size_t n = named ? ask->n : (size_t)GK_BROWSER_END;
	int first = 0, r;
	size_t i;

	if (refusal != NULL) {
		(void)snprintf(why, GK_WHY_FULL, "refused: %s", refusal);
		return GENKAN_E_ACCESS;
	}
	if (w->host.hash[0] == '\0') {
		(void)snprintf(why, GK_WHY_FULL, "the genkan-host of this "
		    "installation cannot be used: %s", w->host.why);
		return GENKAN_E_ACCESS;
	}
	why[0] = '\0';
	for (i = 0; i < n; i++) {
		r = write_one(ctx, w, named ? ask->browser[i] : (int)i, named,
		    why);
		if (first == 0)
			first = r;
	}
	return first;
}

static int
registration(struct genkan_ctx *ctx, const struct gk_host_ask *ask,
    struct gk_buf *ret, char why[GK_WHY_FULL])
{
	struct work *w = gk_calloc(ctx, 1, sizeof(*w));
	int r;

	if (w == NULL)
		return GENKAN_E_NOMEM;
	r = gk_browsers_init(&w->browsers, &w->why);
	if (r == 0)
		r = gk_reg_host(ctx, &w->host, &w->why);
	if (r < 0)
		(void)snprintf(why, GK_WHY_FULL, "%s", w->why.text);
	if (r == 0 && ask->tag == GK_TAG_REGISTRATION_REPAIR)
		r = repair(ctx, w, ask, why);
	if (r == 0) {
		r = rows(ctx, w, ret);
		if (r < 0)
			(void)snprintf(why, GK_WHY_FULL, "%s", w->why.text);
	}
	gk_free(ctx, w);
	return r;
}

int
gk_hostask_run(struct genkan_ctx *ctx, const struct gk_host_ask *ask,
    struct gk_buf *ret, char why[GK_WHY_FULL])
{
	char text[GK_WHY_FULL] = "";
	int r;

	if (ask->tag == GK_TAG_DOCTOR_REPORT)
		r = report(ctx, ret, text);
	else
		r = registration(ctx, ask, ret, text);
	if (r < 0) {
		gk_buf_clear(ret);
		gk_str_line(why, GK_WHY_FULL, text[0] != '\0' ? text :
		    gk_err_text(r), strlen(text[0] != '\0' ? text :
		    gk_err_text(r)));
	}
	return r;
}
