/*
 * Frames that change the policy or the language (control 2.6, 4.5, 4.6): what
 * can be told before anybody is asked.
 */
#include "engine/control_impl.h"

#include "records/langrec.h"

/* ------------------------------------------------------------------ reading */

static enum gk_policy_error
read_overlay(struct gk_control *c, const struct gk_control_frame *f,
    struct gk_policyval *ret, char *why, size_t whylen)
{
	char reason[GK_WHY_MAX];
	struct gk_member m;
	struct gk_scan scan;
	int r;

	gk_scan_object(f->object, NULL, 0, &scan);
	(void)gk_scan_find(&scan, "overlay", &m);
	r = gk_overlay_parse(c->ctx, m.value, ret, reason, sizeof(reason));
	if (r == 0)
		return GK_POLICY_FINE;
	return r == GENKAN_E_NOMEM ? gk_policy_no_memory(why, whylen) :
	    gk_policy_fail(GK_POLICY_INVALID, why, whylen, "%s", reason);
}

static void
look(struct gk_control *c, struct gk_trust_view *trust,
    struct gk_policy_view *policy, struct gk_policy_now *ret)
{
	gk_control_look(c, trust);
	gk_policy_look(c->ctx, c->store, &c->policy, policy);
	ret->trust = trust;
	ret->policy = policy;
}

typedef enum gk_policy_error plan_fn(struct genkan_ctx *,
    const struct gk_policy_now *, const struct gk_policyval *,
    struct gk_policy_plan **, char *, size_t);

static enum gk_policy_error
plan_change(struct gk_control *c, const struct gk_control_frame *f,
    plan_fn *plan, struct gk_policy_plan **ret, char *why, size_t whylen)
{
	struct gk_policyval change;
	struct gk_policy_view policy;
	struct gk_trust_view trust;
	struct gk_policy_now now;
	enum gk_policy_error e;

	if ((e = read_overlay(c, f, &change, why, whylen)) != GK_POLICY_FINE)
		return e;
	look(c, &trust, &policy, &now);
	e = plan(c->ctx, &now, &change, ret, why, whylen);
	gk_policyval_done(&change);
	return e;
}

/* "entry":{"id":text}; ptr NULL where none is named. */
static struct gk_span
read_entry(const struct gk_control_frame *f, struct gk_buf *scratch)
{
	struct gk_control_frame entry = *f;
	struct gk_member m;
	struct gk_scan scan;

	gk_scan_object(f->object, NULL, 0, &scan);
	if (!gk_scan_find(&scan, "entry", &m))
		return gk_span(NULL, 0);
	entry.object = m.value;
	return gk_control_text(&entry, "id", scratch);
}

static enum gk_policy_error
plan_rollback(struct gk_control *c, const struct gk_control_frame *f,
    struct gk_policy_plan **ret, char *why, size_t whylen)
{
	struct gk_historyrec *h = NULL;
	struct gk_policy_view policy;
	struct gk_trust_view trust;
	struct gk_policy_now now;
	enum gk_policy_error e;
	struct gk_member m;
	struct gk_scan scan;
	struct gk_buf scratch;

	e = gk_policy_load_history(c->ctx, c->store, &h, why, whylen);
	if (e != GK_POLICY_FINE)
		return e;
	gk_scan_object(f->object, NULL, 0, &scan);
	(void)gk_scan_find(&scan, "revision", &m);
	gk_buf_init(&scratch, c->ctx, f->object.len);
	look(c, &trust, &policy, &now);
	e = gk_policy_plan_rollback(c->ctx, &now, h, (uint64_t)m.integer,
	    read_entry(f, &scratch), ret, why, whylen);
	gk_buf_done(&scratch);
	gk_historyrec_free(h);
	return e;
}

/* ------------------------------------------------------------------- asking */

/* 6.4: a text that is too long is refused before any request. */
static enum gk_policy_error
make_action(const struct gk_policy_plan *plan, struct gk_action *ret,
    char *why, size_t whylen)
{
	struct gk_buf summary;
	int r;

	gk_buf_init(&summary, plan->ctx, GK_ACTION_TEXT_MAX);
	r = gk_policy_plan_summary(plan, &summary);
	if (r == 0 && plan->target != 0)
		r = gk_action_rollback(ret, plan->target,
		    gk_buf_span(&summary));
	else if (r == 0)
		r = gk_action_policy(ret, gk_buf_span(&summary));
	gk_buf_done(&summary);
	if (r == 0)
		return GK_POLICY_FINE;
	return r == GENKAN_E_NOMEM ? gk_policy_no_memory(why, whylen) :
	    gk_policy_fail(GK_POLICY_INVALID, why, whylen, "what a person "
	    "would be shown is longer than %d bytes; use `genkan policy` at "
	    "a terminal", (int)GK_ACTION_TEXT_MAX);
}

static void
fail(struct gk_control *c, const char *why)
{
	const int tag = c->write.tag;

	gk_control_write_drop(c);
	gk_answer_error(c, gk_schema_frame(tag)->bad, why);
}

/* The last precheck has passed, or not: is there a key to sign with? */
static void
has_key(struct gk_control *c, const struct gk_key_answer *key)
{
	struct gk_control_slot next = { 0 };
	char why[2 * GK_WHY_FULL];
	struct gk_trust_view view;
	struct gk_action action;
	enum gk_policy_error e = GK_POLICY_FINE;
	const int tag = c->write.tag;

	gk_control_look(c, &view);
	if (key->code != GK_KEY_OK)
		e = gk_policy_fail(GK_POLICY_NO_SIGNING_KEY, why, sizeof(why),
		    "%s", key->why);
	else if (view.state == GK_TRUST_UNREADABLE)
		e = gk_policy_fail(GK_POLICY_IO, why, sizeof(why), "%s",
		    view.why);
	else
		e = make_action(c->write.plan, &action, why, sizeof(why));
	if (e != GK_POLICY_FINE) {
		fail(c, why);
	} else {
		next.plan = c->write.plan;
		c->write.plan = NULL;
		gk_control_write_drop(c);
		(void)gk_control_ask(c, tag, &view, &action, &next);
	}
	gk_control_resume(c);
}

static void
ask_for_presence(struct gk_control *c)
{
	struct gk_action action;
	char why[GK_WHY_FULL];

	if (make_action(c->write.plan, &action, why, sizeof(why)) !=
	    GK_POLICY_FINE) {
		fail(c, why);
		return;
	}
	c->write.asking = true;
	gk_control_key_ask(c, NULL, 0, has_key);
}

/* ------------------------------------------------------------------- frames */

/* A plan was made, or there is a sentence about why not. */
static void
go_on(struct gk_control *c, int tag, enum gk_policy_error e,
    struct gk_policy_plan *plan, const char *why)
{
	c->write.tag = tag;
	c->write.plan = plan;
	if (e != GK_POLICY_FINE)
		fail(c, why);
	else if (plan->lane == GK_LANE_GRANT)
		ask_for_presence(c);
	else
		gk_control_write_start(c);
}

void
gk_control_policy_restrict(struct gk_control *c,
    const struct gk_control_frame *f)
{
	struct gk_policy_plan *plan = NULL;
	char why[2 * GK_WHY_FULL];
	enum gk_policy_error e;

	e = plan_change(c, f, gk_policy_plan_restrict, &plan, why,
	    sizeof(why));
	go_on(c, GK_TAG_POLICY_RESTRICT, e, plan, why);
}

void
gk_control_policy_set(struct gk_control *c, const struct gk_control_frame *f)
{
	struct gk_policy_plan *plan = NULL;
	char why[2 * GK_WHY_FULL];
	enum gk_policy_error e;

	gk_control_slot_empty(c);
	e = plan_change(c, f, gk_policy_plan_set, &plan, why, sizeof(why));
	go_on(c, GK_TAG_POLICY_SET, e, plan, why);
}

void
gk_control_policy_rollback(struct gk_control *c,
    const struct gk_control_frame *f)
{
	struct gk_policy_plan *plan = NULL;
	char why[2 * GK_WHY_FULL];
	enum gk_policy_error e;

	gk_control_slot_empty(c);
	e = plan_rollback(c, f, &plan, why, sizeof(why));
	go_on(c, GK_TAG_POLICY_ROLLBACK, e, plan, why);
}

/* Another value than those of the roster changes nothing. */
void
gk_control_lang_set(struct gk_control *c, const struct gk_control_frame *f)
{
	const char *value = NULL;
	struct gk_buf scratch;
	struct gk_span s;

	gk_buf_init(&scratch, c->ctx, f->object.len);
	s = gk_control_text(f, "value", &scratch);
	if (s.ptr != NULL)
		value = gk_lang_lookup(s.ptr, s.len);
	gk_buf_done(&scratch);
	if (value == NULL) {
		gk_control_push_lang(c);
		return;
	}
	c->write.tag = GK_TAG_LANG_SET;
	c->write.lang = value;
	gk_control_write_start(c);
}
