/* Values of the policy as they are typed: control.md 4.8. */
#include "local/policydesk.h"

#include "base/err.h"
#include "base/str.h"

static int
bad(struct genkan_ctx *ctx, const struct gk_policy_field *f, const char *what)
{
	return gk_err_set(ctx, GENKAN_E_INVAL, "%s %s", f->flag, what);
}

static int
read_bool(struct genkan_ctx *ctx, const struct gk_policy_field *f,
    const char *text, uint64_t *ret)
{
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		return bad(ctx, f, "is on or off");
	*ret = text[1] == 'n';
	return 0;
}

static int
read_ms(struct genkan_ctx *ctx, const struct gk_policy_field *f,
    const char *text, uint64_t *ret)
{
	uint64_t n = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > (uint64_t)GK_INTEGER_MAX)
			break;
	}
	if (p == text || *p != '\0')
		return bad(ctx, f, "is a number of milliseconds, at most "
		    "2^53-1");
	*ret = n;
	return 0;
}

/* Empty parts are dropped, repeats folded. */
static int
read_tools(struct genkan_ctx *ctx, const struct gk_policy_field *f,
    const char *text, struct gk_policyval *ret)
{
	size_t len;
	int r;

	for (; *text != '\0'; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		r = len == 0 ? 0 : gk_policyval_disable(ret, text, len);
		if (r == GENKAN_E_RANGE)
			return bad(ctx, f, "has at most 256 names");
		if (r == GENKAN_E_INVAL)
			return bad(ctx, f, "has names of 1 to 128 bytes, "
			    "without control characters and without spaces "
			    "around them");
		if (r < 0 && r != GENKAN_E_EXIST)
			return r;
	}
	return 0;
}

static int
read_one(struct genkan_ctx *ctx, unsigned i, const char *text,
    struct gk_policyval *ret)
{
	const struct gk_policy_field *f;
	size_t n;

	f = &gk_schema_policy(&n)[i];
	ret->has |= GK_POLICY_BIT(i);
	switch (f->kind) {
	case GK_PKIND_GRANT:
	case GK_PKIND_BOOL:
		return read_bool(ctx, f, text, &ret->num[i]);
	case GK_PKIND_MS:
		return read_ms(ctx, f, text, &ret->num[i]);
	case GK_PKIND_SET:
		return read_tools(ctx, f, text, ret);
	}
	return GENKAN_E_INTERNAL;
}

int
gk_policydesk_read(struct genkan_ctx *ctx, const char *const *values,
    size_t n, struct gk_policyval *ret)
{
	unsigned i;
	int r = 0;

	gk_policyval_init(ret, ctx);
	if (n > GK_POLICY_NFIELDS)
		return gk_err_set(ctx, GENKAN_E_INVAL, "there are %d fields",
		    (int)GK_POLICY_NFIELDS);
	for (i = 0; i < n && r == 0; i++)
		if (values[i] != NULL)
			r = read_one(ctx, i, values[i], ret);
	if (r == 0 && ret->has == 0)
		r = gk_err_set(ctx, GENKAN_E_INVAL, "at least one field is "
		    "needed");
	if (r < 0)
		gk_policyval_done(ret);
	return r;
}
