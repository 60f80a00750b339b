/*
 * doctor_report, registration_status and registration_repair (control 2.5).
 * They hash programs and listen to a broker, which takes seconds on a bad day,
 * so a job does it; other control frames wait behind, and kill_engage does
 * not (2.2).
 */
#include "engine/control_impl.h"

#include "codec/walk.h"
#include "engine/host.h"

/* Repeats are folded, in first-seen order. */
static void
add_browser(struct gk_control_query *q, int browser)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		if (q->browser[i] == browser)
			return;
	q->browser[q->n++] = browser;
}

/* The frame was classified, so every element is a browser key. */
static int
read_browsers(struct gk_control *c, const struct gk_control_frame *f)
{
	struct gk_member list, m;
	struct gk_scan scan;
	struct gk_walk walk;
	struct gk_buf scratch;
	struct gk_span key;
	int browser, r = 0;

	c->query.n = 0;
	gk_scan_object(f->object, NULL, 0, &scan);
	if (!gk_scan_find(&scan, "browsers", &list))
		return 0;
	gk_buf_init(&scratch, c->ctx, f->object.len);
	gk_walk_init(&walk, list.value);
	while (r == 0 && gk_walk_next(&walk, &m)) {
		gk_buf_clear(&scratch);
		r = gk_jstr_text(&m, &scratch, &key);
		browser = r < 0 ? -1 :
		    gk_schema_browser_find(key.ptr, key.len);
		if (browser >= 0)
			add_browser(&c->query, browser);
	}
	gk_buf_done(&scratch);
	return r;
}

void
gk_control_look_up(struct gk_control *c, const struct gk_control_frame *f)
{
	const int result = gk_schema_frame(f->tag)->bad;
	int r;

	if (c->ending) {
		gk_answer_error(c, result, "the connection ends");
		return;
	}
	r = read_browsers(c, f);
	if (r < 0) {
		gk_answer_error(c, result, gk_err_text(r));
		return;
	}
	c->query.tag = f->tag;
	c->query.pending = c->query.wanted = true;
}

bool
gk_control_query(struct gk_control *c, struct gk_host_ask *ret)
{
	if (!c->query.wanted)
		return false;
	c->query.wanted = false;
	ret->tag = c->query.tag;
	memcpy(ret->browser, c->query.browser, sizeof(ret->browser));
	ret->n = c->query.n;
	return true;
}

void
gk_control_told(struct gk_control *c, int r, struct gk_span value,
    const char *why)
{
	struct gk_answer a;
	int result;

	if (!c->query.pending)
		return;
	c->query.pending = false;
	result = gk_schema_frame(c->query.tag)->bad;
	if (r < 0) {
		gk_answer_error(c, result, why);
	} else {
		gk_answer_open(&a, c, result);
		r = gk_json_put_bool_member(&a.buf, "ok", true);
		if (r == 0)
			r = gk_json_put_raw_member(&a.buf,
			    c->query.tag == GK_TAG_DOCTOR_REPORT ? "report" :
			    "browsers", value);
		gk_answer_send(&a, r);
	}
	gk_control_resume(c);
}

/*
 * What a person was asked for goes with the connection (6.5), so that nothing
 * is granted to a page that is gone.  A query has nobody left to read it, but
 * a frame that waits behind it takes power away, maybe, and must not be lost.
 */
void
gk_control_end(struct gk_control *c)
{
	c->ending = true;
	gk_control_slot_empty(c);
	gk_control_enroll_drop(c);
	if (!c->query.pending)
		return;
	c->query.pending = c->query.wanted = false;
	gk_answer_error(c, gk_schema_frame(c->query.tag)->bad,
	    "the connection ends");
	gk_control_resume(c);
}
