/* The policy as text and as JSON: control.md 4.8. */
#include "local/policydesk.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "codec/jstr.h"
#include "records/auditrec.h"

/* --------------------------------------------------------------------- show */

static int
put_store(struct gk_buf *b, const char *store)
{
	int r;

	gk_buf_clear(b);
	r = gk_buf_puts(b, "{\"v\":1");
	return r == 0 ? gk_json_put_str_member(b, "store", store,
	    strlen(store)) : r;
}

static int
put_present(struct gk_buf *b, const struct gk_policyrec *rec)
{
	int r;

	if ((r = put_store(b, "present")) < 0 ||
	    (r = gk_json_put_int_member(b, "revision",
	    (int64_t)rec->doc.revision)) < 0 ||
	    (r = gk_json_put_bool_member(b, "signed", rec->is_signed)) < 0 ||
	    (r = gk_json_put_bool_member(b, "overlay_active",
	    rec->overlay.has != 0)) < 0 ||
	    (r = gk_json_put_key(b, "effective")) < 0 ||
	    (r = gk_overlay_format(&rec->effective, b)) < 0)
		return r;
	return gk_buf_putc(b, '}');
}

static int
put_none(struct gk_buf *b, const struct gk_policyrec *kept)
{
	size_t i;
	int r;

	if ((r = put_store(b, "none")) < 0)
		return r;
	if (kept != NULL) {
		r = gk_buf_puts(b, ",\"kept_disabled_tools\":[");
		for (i = 0; r == 0 && i < kept->overlay.disabled.n; i++) {
			if (i > 0)
				r = gk_buf_putc(b, ',');
			if (r == 0)
				r = gk_json_put_cstr(b,
				    kept->overlay.disabled.name[i]);
		}
		if (r == 0)
			r = gk_buf_putc(b, ']');
	}
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

static int
put_error(struct gk_buf *b, const char *why)
{
	int r;

	r = put_store(b, "error");
	if (r == 0)
		r = gk_json_put_str_member(b, "detail", why, strlen(why));
	return r == 0 ? gk_buf_putc(b, '}') : r;
}

/* A list of tools may be longer than a line of a report. */
static int
row(struct gk_desk *d, unsigned i, const struct gk_policyval *p,
    uint32_t covered)
{
	struct gk_buf *to = &d->report->text;
	struct gk_buf value;
	int r;

	gk_buf_init(&value, d->ctx, 65536);
	if ((r = gk_policy_put_value(p, i, &value)) == 0 &&
	    (r = gk_buf_putf(to, "%-22s ",
	    gk_policyval_field_name(i))) == 0 &&
	    (r = gk_str_escape(to, (const char *)value.ptr, value.len,
	    value.len)) == 0)
		r = gk_buf_puts(to, (covered & GK_POLICY_BIT(i)) != 0 ?
		    "  (restricted)\n" : "\n");
	gk_buf_done(&value);
	return r;
}

static int
rows(struct gk_desk *d, const struct gk_policyrec *rec)
{
	const struct gk_policyval *p;
	struct gk_policyval deny;
	unsigned i;
	int r = 0;

	(void)gk_policyval_defaults(&deny, d->ctx);
	p = rec != NULL ? &rec->effective : &deny;
	for (i = 0; r == 0 && i < GK_POLICY_NFIELDS; i++)
		r = row(d, i, p, rec != NULL ? rec->overlay.has : 0);
	gk_policyval_done(&deny);
	return r;
}

static void
header(struct gk_desk *d, const struct gk_policy_view *view)
{
	switch (view->state) {
	case GK_POLICY_PRESENT:
		gk_report_line(d->report, "policy: revision %" PRIu64 ", %s%s",
		    view->rec->doc.revision, view->rec->is_signed ?
		    "signed" : "unsigned", view->rec->overlay.has != 0 ?
		    ", restricted" : "");
		break;
	case GK_POLICY_KEPT:
		gk_report_line(d->report, "policy: none; the disabled tools "
		    "of an earlier one are kept");
		break;
	case GK_POLICY_ABSENT:
	default:
		gk_report_line(d->report, "policy: none has been set yet; "
		    "these are the defaults");
		break;
	}
}

int
gk_policydesk_show(struct gk_desk *d)
{
	struct gk_policy_cache cache = { 0 };
	struct gk_policy_view view;
	int r;

	gk_policy_look(d->ctx, &d->stores.store, &cache, &view);
	if (view.state == GK_POLICY_UNREADABLE) {
		gk_report_line(d->report, "policy: UNREADABLE");
		gk_desk_fail(d, "%s", view.why);
		r = put_error(&d->report->json, view.why);
	} else {
		header(d, &view);
		r = rows(d, view.rec);
		if (r == 0)
			r = view.state == GK_POLICY_PRESENT ?
			    put_present(&d->report->json, view.rec) :
			    put_none(&d->report->json, view.rec);
	}
	gk_policy_cache_done(&cache);
	return r;
}

/* ------------------------------------------------------------------ history */

static int
put_held(struct gk_buf *b, const struct gk_policyrec *held)
{
	int r;

	if (held == NULL)
		return gk_buf_puts(b, ",\"revision\":null,\"held\":null");
	if ((r = gk_json_put_int_member(b, "revision",
	    (int64_t)held->doc.revision)) < 0 ||
	    (r = gk_json_put_key(b, "held")) < 0)
		return r;
	return gk_overlay_format(&held->effective, b);
}

static int
put_entry(struct gk_buf *b, const struct gk_history_row *e)
{
	int r;

	if ((r = gk_buf_putc(b, '{')) < 0 ||
	    (r = gk_json_put_str_member(b, "id", e->id, strlen(e->id))) < 0 ||
	    (r = put_held(b, e->held)) < 0 ||
	    (r = gk_json_put_bool_member(b, "signed", e->is_signed)) < 0 ||
	    (r = gk_json_put_bool_member(b, "overlay_active",
	    e->has_overlay)) < 0 ||
	    (r = e->has_time ? gk_json_put_int_member(b, "superseded_unix",
	    (int64_t)e->superseded_unix) :
	    gk_buf_puts(b, ",\"superseded_unix\":null")) < 0)
		return r;
	return gk_buf_putc(b, '}');
}

static void
line(struct gk_desk *d, const struct gk_history_row *e)
{
	char revision[48] = "damaged";
	struct gk_buf until;

	gk_buf_init(&until, d->ctx, 128);
	if (e->held != NULL)
		(void)snprintf(revision, sizeof(revision), "revision %" PRIu64,
		    e->held->doc.revision);
	if (e->has_time && (gk_buf_puts(&until, ", until ") < 0 ||
	    gk_auditrec_time(&until, e->superseded_unix * 1000) < 0))
		d->report->failed = 1;
	gk_report_line(d->report, "%s  %s, %s%s%.*s", e->id, revision,
	    e->is_signed ? "signed" : "unsigned",
	    e->has_overlay ? ", restricted" : "", (int)until.len,
	    until.len > 0 ? (const char *)until.ptr : "");
	gk_buf_done(&until);
}

static int
fill_history(struct gk_desk *d, const struct gk_historyrec *h)
{
	struct gk_buf *b = &d->report->json;
	size_t i;
	int r;

	if (h->n == 0)
		gk_report_line(d->report, "no policy has been replaced yet");
	r = gk_buf_puts(b, "{\"v\":1,\"entries\":[");
	for (i = 0; r == 0 && i < h->n; i++) {
		line(d, &h->row[i]);
		if (i > 0)
			r = gk_buf_putc(b, ',');
		if (r == 0)
			r = put_entry(b, &h->row[i]);
	}
	return r == 0 ? gk_buf_puts(b, "]}") : r;
}

int
gk_policydesk_history(struct gk_desk *d)
{
	struct gk_historyrec *h = NULL;
	char why[GK_WHY_FULL];
	int r = 0;

	if (gk_policy_load_history(d->ctx, &d->stores.store, &h, why,
	    sizeof(why)) != GK_POLICY_FINE)
		gk_desk_fail(d, "%s", why);
	else
		r = fill_history(d, h);
	gk_historyrec_free(h);
	return r;
}
