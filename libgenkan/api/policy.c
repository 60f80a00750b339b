/* <genkan/policy.h>: checks the arguments, then calls down. */
#include "genkan/policy.h"

#include "api/atdesk.h"
#include "api/door.h"
#include "base/err.h"
#include "local/policydesk.h"
#include "records/langrec.h"

#define KIND	"policy_write"

const char *
genkan_policy_field(size_t index)
{
	return index < GK_POLICY_NFIELDS ?
	    gk_policyval_field_name((unsigned)index) : NULL;
}

const char *
genkan_policy_flag(size_t index)
{
	size_t n;
	const struct gk_policy_field *f = gk_schema_policy(&n);

	return index < n ? f[index].flag : NULL;
}

static int
show(struct gk_desk *d, void *arg)
{
	(void)arg;
	return gk_policydesk_show(d);
}

int
genkan_policy_show(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_at_desk(ctx, show, NULL, ret);
}

static int
history(struct gk_desk *d, void *arg)
{
	(void)arg;
	return gk_policydesk_history(d);
}

int
genkan_policy_history(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_at_desk(ctx, history, NULL, ret);
}

/* ------------------------------------------------------------------ changes */

/* 6.3 steps 3 to 7; the plan is used up. */
static int
carry_out(struct gk_desk *d, struct gk_policy_plan *plan)
{
	struct gk_presence *proof = NULL;
	struct gk_buf reason;
	int r = 0;

	if (plan == NULL)
		return 0;
	gk_buf_init(&reason, d->ctx, 262144);
	if (plan->lane != GK_LANE_GRANT)
		gk_policydesk_run(d, plan, NULL);
	else if (gk_policydesk_reason(plan, &reason) < 0 ||
	    gk_buf_putc(&reason, '\0') < 0)
		r = GENKAN_E_NOMEM;
	else if (gk_api_ask(d, (const char *)reason.ptr, KIND, NULL,
	    &proof) == 0)
		gk_policydesk_run(d, plan, proof);
	gk_presence_free(proof);
	gk_buf_done(&reason);
	gk_policy_plan_free(plan);
	return r;
}

static int
set(struct gk_desk *d, void *values)
{
	return carry_out(d, gk_policydesk_set(d, values));
}

static int
restrict_to(struct gk_desk *d, void *values)
{
	return carry_out(d, gk_policydesk_restrict(d, values));
}

static int
change(genkan_ctx *ctx, const char *const *values, size_t n,
    int (*fn)(struct gk_desk *, void *), genkan_report **ret)
{
	struct gk_policyval read;
	int r;

	if (ret == NULL || (values == NULL && n > 0))
		return GENKAN_E_INVAL;
	if ((r = gk_door(ctx)) < 0)
		return r;
	gk_err_clear(ctx);
	if ((r = gk_policydesk_read(ctx, values, n, &read)) < 0)
		return r;
	r = gk_api_at_desk(ctx, fn, &read, ret);
	gk_policyval_done(&read);
	return r;
}

int
genkan_policy_set(genkan_ctx *ctx, const char *const *values, size_t n,
    genkan_report **ret)
{
	return change(ctx, values, n, set, ret);
}

int
genkan_policy_restrict(genkan_ctx *ctx, const char *const *values, size_t n,
    genkan_report **ret)
{
	return change(ctx, values, n, restrict_to, ret);
}

struct target {
	uint64_t	 revision;
	const char	*entry;
};

static int
rollback(struct gk_desk *d, void *arg)
{
	const struct target *t = arg;

	return carry_out(d, gk_policydesk_rollback(d, t->revision, t->entry));
}

int
genkan_policy_rollback(genkan_ctx *ctx, uint64_t revision, const char *entry,
    genkan_report **ret)
{
	struct target t = { revision, entry };
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door(ctx)) < 0)
		return r;
	gk_err_clear(ctx);
	if (revision < 1 || revision > (uint64_t)GK_INTEGER_MAX)
		return gk_err_set(ctx, GENKAN_E_INVAL, "a revision is a "
		    "number from 1 to 2^53-1");
	return gk_api_at_desk(ctx, rollback, &t, ret);
}

/* ----------------------------------------------------------------- language */

static int
lang_show(struct gk_desk *d, void *arg)
{
	(void)arg;
	gk_langdesk_show(d);
	return 0;
}

int
genkan_lang_show(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_at_desk(ctx, lang_show, NULL, ret);
}

static int
lang_set(struct gk_desk *d, void *arg)
{
	const char *const *value = arg;

	gk_langdesk_set(d, *value);
	return 0;
}

int
genkan_lang_set(genkan_ctx *ctx, const char *value, genkan_report **ret)
{
	const char *known;
	int r;

	if (value == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door(ctx)) < 0)
		return r;
	gk_err_clear(ctx);
	known = gk_lang_lookup(value, strlen(value));
	if (known == NULL)
		return gk_err_set(ctx, GENKAN_E_INVAL, "a language is auto, "
		    "en, zh_CN or zh_TW");
	return gk_api_at_desk(ctx, lang_set, &known, ret);
}
