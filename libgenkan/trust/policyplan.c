#include "trust/policyplan.h"

#include "base/alloc.h"
#include "base/str.h"
#include "trust/hostkey.h"

/* --------------------------------------------------------------------- plan */

void
gk_policy_plan_free(struct gk_policy_plan *plan)
{
	if (plan == NULL)
		return;
	gk_policyrec_free(plan->seen);
	gk_policyrec_free(plan->next);
	gk_free(plan->ctx, plan);
}

static struct gk_policyrec *
new_record(struct genkan_ctx *ctx)
{
	struct gk_policyrec *p = gk_calloc(ctx, 1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->ctx = ctx;
	gk_policyval_init(&p->doc.policy, ctx);
	gk_policyval_init(&p->overlay, ctx);
	gk_policyval_init(&p->effective, ctx);
	return p;
}

static int
copy_document(const struct gk_policyrec *from, struct gk_policyrec *to)
{
	if (!from->has_baseline)
		return 0;
	to->doc_bytes = gk_memdup(to->ctx, from->doc_bytes, from->doc_len);
	if (to->doc_bytes == NULL)
		return GENKAN_E_NOMEM;
	to->doc_len = from->doc_len;
	to->has_baseline = true;
	to->doc.revision = from->doc.revision;
	to->doc.touched = from->doc.touched;
	to->is_signed = from->is_signed;
	memcpy(to->sig, from->sig, sizeof(to->sig));
	memcpy(to->key_id, from->key_id, sizeof(to->key_id));
	return gk_policyval_copy(&from->doc.policy, &to->doc.policy);
}

static int
copy_record(const struct gk_policyrec *from, struct gk_policyrec **ret)
{
	struct gk_policyrec *p = new_record(from->ctx);
	int r = GENKAN_E_NOMEM;

	if (p != NULL && (r = copy_document(from, p)) == 0 &&
	    (r = gk_policyval_copy(&from->overlay, &p->overlay)) == 0)
		r = gk_policyval_copy(&from->effective, &p->effective);
	if (r < 0) {
		gk_policyrec_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

/* Remembers what there is, and begins what it becomes. */
int
gk_policy_plan_new(struct genkan_ctx *ctx, const struct gk_policy_now *now,
    enum gk_policy_lane lane, uint32_t fields, struct gk_policy_plan **ret)
{
	struct gk_policy_plan *plan = gk_calloc(ctx, 1, sizeof(*plan));
	int r = 0;

	if (plan == NULL)
		return GENKAN_E_NOMEM;
	plan->ctx = ctx;
	plan->lane = lane;
	plan->fields = fields;
	plan->host_key_epoch = now->trust->rec->host_key_epoch;
	if ((plan->next = new_record(ctx)) == NULL)
		r = GENKAN_E_NOMEM;
	if (r == 0 && now->policy->rec != NULL)
		r = copy_record(now->policy->rec, &plan->seen);
	if (r < 0) {
		gk_policy_plan_free(plan);
		return r;
	}
	*ret = plan;
	return 0;
}

enum gk_policy_error
gk_policy_check_readable(const struct gk_policy_now *now, char *why,
    size_t whylen)
{
	if (now->trust->state == GK_TRUST_UNREADABLE)
		return gk_policy_fail(GK_POLICY_IO, why, whylen, "%s",
		    now->trust->why);
	if (now->policy->state == GK_POLICY_UNREADABLE)
		return gk_policy_fail(GK_POLICY_IO, why, whylen, "%s",
		    now->policy->why);
	return GK_POLICY_FINE;
}

static enum gk_policy_error
check_change(const struct gk_policy_now *now,
    const struct gk_policyval *change, char *why, size_t whylen)
{
	enum gk_policy_error e = gk_policy_check_readable(now, why, whylen);

	if (e == GK_POLICY_FINE && change->has == 0)
		e = gk_policy_fail(GK_POLICY_INVALID, why, whylen,
		    "it names no field");
	return e;
}

/* What could not be read back is not planned either. */
static enum gk_policy_error
check_size(const struct gk_policy_plan *plan, char *why, size_t whylen)
{
	/* Room for the signature to come. */
	const size_t cap = gk_record_cap(GK_RECORD_POLICY) - 512;
	struct gk_buf out;
	int r;

	gk_buf_init(&out, plan->ctx, cap);
	r = gk_policyrec_put_members(plan->next, &out);
	gk_buf_done(&out);
	if (r == GENKAN_E_NOMEM)
		return gk_policy_no_memory(why, whylen);
	if (r < 0)
		return gk_policy_fail(GK_POLICY_INVALID, why, whylen,
		    "the record would pass its limit of %zu bytes",
		    gk_record_cap(GK_RECORD_POLICY));
	return GK_POLICY_FINE;
}

/* ---------------------------------------------------------------------- set */

/* The new document: touched fields from the change, all others from the
 * baseline, never from the policy in force. */
static int
make_document(struct gk_policy_plan *plan, const struct gk_policyval *baseline,
    const struct gk_policyval *change)
{
	struct gk_policyrec *next = plan->next;
	struct gk_buf out;
	int r;

	next->doc.revision = 1;
	if (plan->seen != NULL && plan->seen->has_baseline)
		next->doc.revision = plan->seen->doc.revision + 1;
	next->doc.touched = change->has;
	next->has_baseline = true;
	if ((r = gk_policyval_fold(baseline, change,
	    &next->doc.policy)) < 0)
		return r;
	gk_buf_init(&out, plan->ctx, gk_record_cap(GK_RECORD_POLICY));
	r = gk_policydoc_format(&next->doc, &out);
	if (r == 0 && (next->doc_bytes = gk_buf_steal(&out,
	    &next->doc_len)) == NULL)
		r = GENKAN_E_NOMEM;
	gk_buf_done(&out);
	return r;
}

/* The stored overlay without the touched fields. */
static int
keep_overlay(struct gk_policy_plan *plan)
{
	struct gk_policyrec *next = plan->next;
	int r;

	if (plan->seen == NULL)
		return 0;
	r = gk_policyval_copy(&plan->seen->overlay, &next->overlay);
	if (r == 0)
		gk_policyval_drop(&next->overlay, plan->fields);
	return r;
}

/* Whatever becomes looser in force is named in the signed document. */
static bool
names_all_it_loosens(const struct gk_policy_plan *plan,
    const struct gk_policyval *before)
{
	return (gk_policyval_looser(before, &plan->next->effective) &
	    ~plan->next->doc.touched) == 0;
}

static enum gk_policy_error
fill_set(struct gk_policy_plan *plan, const struct gk_policyval *change,
    char *why, size_t whylen)
{
	struct gk_policyval deny;
	const struct gk_policyval *baseline = &deny, *before = &deny;
	enum gk_policy_error e = GK_POLICY_FINE;
	int r;

	(void)gk_policyval_defaults(&deny, plan->ctx);
	if (plan->seen != NULL) {
		before = &plan->seen->effective;
		if (plan->seen->has_baseline)
			baseline = &plan->seen->doc.policy;
	}
	if ((r = make_document(plan, baseline, change)) < 0 ||
	    (r = keep_overlay(plan)) < 0 ||
	    (r = gk_policyval_fold(&plan->next->doc.policy,
	    &plan->next->overlay, &plan->next->effective)) < 0)
		e = r == GENKAN_E_NOMEM ? gk_policy_no_memory(why, whylen) :
		    gk_policy_fail(GK_POLICY_INVALID, why, whylen,
		    "the document would not be one");
	else if (!names_all_it_loosens(plan, before))
		e = gk_policy_fail(GK_POLICY_INVALID, why, whylen,
		    "it would loosen fields that it does not name");
	else
		e = check_size(plan, why, whylen);
	gk_policyval_done(&deny);
	return e;
}

enum gk_policy_error
gk_policy_plan_set(struct genkan_ctx *ctx, const struct gk_policy_now *now,
    const struct gk_policyval *change, struct gk_policy_plan **ret, char *why,
    size_t whylen)
{
	const struct gk_policyrec *rec = now->policy->rec;
	struct gk_policy_plan *plan = NULL;
	enum gk_policy_error e;

	if ((e = check_change(now, change, why, whylen)) != GK_POLICY_FINE)
		return e;
	if (rec != NULL && rec->has_baseline &&
	    rec->doc.revision >= (uint64_t)GK_INTEGER_MAX)
		return gk_policy_fail(GK_POLICY_REVISION_OVERFLOW, why,
		    whylen, "%s", "");
	if (gk_policy_plan_new(ctx, now, GK_LANE_GRANT, change->has, &plan) < 0)
		return gk_policy_no_memory(why, whylen);
	e = fill_set(plan, change, why, whylen);
	if (e == GK_POLICY_FINE)
		*ret = plan;
	else
		gk_policy_plan_free(plan);
	return e;
}

/* ----------------------------------------------------------------- restrict */

static enum gk_policy_error
not_a_restriction(struct genkan_ctx *ctx, uint32_t looser, char *why,
    size_t whylen)
{
	enum gk_policy_error e;
	struct gk_buf names;

	gk_buf_init(&names, ctx, GK_WHY_FULL);
	if (gk_policy_put_names(looser, &names) < 0)
		e = gk_policy_no_memory(why, whylen);
	else
		e = gk_policy_fail(GK_POLICY_NOT_A_RESTRICTION, why, whylen,
		    "%.*s; `genkan policy set` can do that", (int)names.len,
		    (const char *)names.ptr);
	gk_buf_done(&names);
	return e;
}

static bool
same_overlay(const struct gk_policyval *a, const struct gk_policyval *b)
{
	return a->has == b->has && gk_policyval_differs(a, b) == 0;
}

static enum gk_policy_error
fill_restrict(struct gk_policy_plan *plan, const struct gk_policyval *change,
    char *why, size_t whylen)
{
	const struct gk_policyrec *seen = plan->seen;
	struct gk_policyrec *next = plan->next;
	uint32_t looser;

	/* A partial policy folds like a full one: the argument wins. */
	if (copy_document(seen, next) < 0 ||
	    gk_policyval_fold(&seen->overlay, change, &next->overlay) < 0 ||
	    gk_policyval_fold(&next->doc.policy, &next->overlay,
	    &next->effective) < 0)
		return gk_policy_no_memory(why, whylen);
	looser = gk_policyval_looser(&seen->effective, &next->effective);
	if (looser != 0)
		return not_a_restriction(plan->ctx, looser, why, whylen);
	if (same_overlay(&seen->overlay, &next->overlay))
		plan->lane = GK_LANE_NONE;
	return check_size(plan, why, whylen);
}

enum gk_policy_error
gk_policy_plan_restrict(struct genkan_ctx *ctx,
    const struct gk_policy_now *now, const struct gk_policyval *change,
    struct gk_policy_plan **ret, char *why, size_t whylen)
{
	struct gk_policy_plan *plan = NULL;
	enum gk_policy_error e;

	if ((e = check_change(now, change, why, whylen)) != GK_POLICY_FINE)
		return e;
	if (now->policy->state != GK_POLICY_PRESENT)
		return gk_policy_fail(GK_POLICY_NO_BASELINE, why, whylen,
		    "%s", "");
	if (gk_policy_plan_new(ctx, now, GK_LANE_FREE, change->has, &plan) < 0)
		return gk_policy_no_memory(why, whylen);
	e = fill_restrict(plan, change, why, whylen);
	if (e == GK_POLICY_FINE)
		*ret = plan;
	else
		gk_policy_plan_free(plan);
	return e;
}

/* ---------------------------------------------------------- carrying it out */

int
gk_policy_plan_message(const struct gk_policy_plan *plan, struct gk_buf *to)
{
	return gk_key_policy(to, gk_span(plan->next->doc_bytes,
	    plan->next->doc_len));
}

void
gk_policy_plan_sign(struct gk_policy_plan *plan,
    const uint8_t sig[GK_POLICY_SIG_BYTES], const char *key_id)
{
	struct gk_policyrec *next = plan->next;

	memcpy(next->sig, sig, sizeof(next->sig));
	next->is_signed = gk_str_copy(next->key_id, sizeof(next->key_id),
	    key_id, strlen(key_id));
}

bool
gk_policy_plan_holds(const struct gk_policy_plan *plan,
    const struct gk_policyrec *now)
{
	const struct gk_policyrec *seen = plan->seen;

	if (seen == NULL || now == NULL)
		return seen == NULL && now == NULL;
	/* The bytes, and so the revision; a restriction is one of this very
	 * document. */
	return seen->has_baseline == now->has_baseline &&
	    seen->doc_len == now->doc_len &&
	    (seen->doc_len == 0 || memcmp(seen->doc_bytes, now->doc_bytes,
	    seen->doc_len) == 0) &&
	    same_overlay(&seen->overlay, &now->overlay);
}
