/* How a change of the policy and its errors read. */
#include "trust/policyplan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ------------------------------------------------------------------- errors */

static const struct {
	const char	*name;
	const char	*begin;		/* of the sentence */
} errors[] = {
	[GK_POLICY_FINE] = { "Fine", "" },
	[GK_POLICY_INVALID] = { "Invalid", "this change is not valid: " },
	[GK_POLICY_REFUSED] = { "Refused", "refused: " },
	[GK_POLICY_NO_SIGNING_KEY] = { "NoSigningKey", "there is no usable "
	    "host key, and only a signed policy may grant anything: " },
	[GK_POLICY_NO_BASELINE] = { "NoBaseline", "there is no policy yet that "
	    "could be restricted; `genkan policy set` makes the first one" },
	[GK_POLICY_NOT_A_RESTRICTION] = { "NotARestriction", "this is no "
	    "restriction, it would loosen " },
	[GK_POLICY_REVISION_OVERFLOW] = { "RevisionOverflow", "the revision "
	    "of the policy cannot grow any further" },
	[GK_POLICY_CONFLICT] = { "Conflict", "conflict: the policy or the host "
	    "key was changed by another program meanwhile, so nothing was "
	    "written; look at it and ask anew" },
	[GK_POLICY_IO] = { "Io", "" },
};

const char *
gk_policy_error_name(enum gk_policy_error e)
{
	return errors[e].name;
}

enum gk_policy_error
gk_policy_fail(enum gk_policy_error e, char *why, size_t whylen,
    const char *fmt, ...)
{
	char detail[GK_WHY_FULL];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	(void)snprintf(why, whylen, "%s%s", errors[e].begin, detail);
	return e;
}

enum gk_policy_error
gk_policy_no_memory(char *why, size_t whylen)
{
	return gk_policy_fail(GK_POLICY_IO, why, whylen, "out of memory");
}

/* -------------------------------------------------------------------- texts */

static int
put_tools(const struct gk_toolset *set, struct gk_buf *to)
{
	size_t i;
	int r;

	r = gk_buf_putc(to, '[');
	for (i = 0; r == 0 && i < set->n; i++) {
		if (i > 0)
			r = gk_buf_putc(to, ',');
		if (r == 0)
			r = gk_buf_puts(to, set->name[i]);
	}
	return r == 0 ? gk_buf_putc(to, ']') : r;
}

int
gk_policy_put_value(const struct gk_policyval *p, unsigned field,
    struct gk_buf *to)
{
	size_t n;

	switch (gk_schema_policy(&n)[field].kind) {
	case GK_PKIND_MS:
		return gk_buf_putf(to, "%" PRIu64, p->num[field]);
	case GK_PKIND_SET:
		return put_tools(&p->disabled, to);
	case GK_PKIND_GRANT:
	case GK_PKIND_BOOL:
		break;
	}
	return gk_buf_puts(to, p->num[field] != 0 ? "on" : "off");
}

static int
put_fields(uint32_t fields, const struct gk_policyval *values,
    struct gk_buf *to)
{
	bool first = true;
	unsigned i;
	int r = 0;

	for (i = 0; r == 0 && i < GK_POLICY_NFIELDS; i++) {
		if ((fields & GK_POLICY_BIT(i)) == 0)
			continue;
		r = gk_buf_putf(to, "%s%s", first ? "" : ",",
		    gk_policyval_field_name(i));
		if (r == 0 && values != NULL)
			r = gk_buf_putc(to, '=');
		if (r == 0 && values != NULL)
			r = gk_policy_put_value(values, i, to);
		first = false;
	}
	return r;
}

int
gk_policy_put_names(uint32_t fields, struct gk_buf *to)
{
	return put_fields(fields, NULL, to);
}

int
gk_policy_plan_summary(const struct gk_policy_plan *plan, struct gk_buf *to)
{
	return put_fields(plan->fields, &plan->next->effective, to);
}

int
gk_policy_plan_detail(const struct gk_policy_plan *plan, const char *path,
    struct gk_buf *to)
{
	int r;

	r = gk_buf_putf(to, "auth=%s; %s=", path != NULL ? path : "none",
	    plan->lane == GK_LANE_GRANT ? "touched" : "restricted");
	if (r == 0)
		r = gk_policy_put_names(plan->fields, to);
	return r == 0 ? gk_buf_putc(to, '\0') : r;
}
