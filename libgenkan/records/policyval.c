#include "base/alloc.h"
#include "base/str.h"
#include "records/policyval.h"

static const struct gk_policy_field *
row(unsigned field)
{
	size_t n;

	return &gk_schema_policy(&n)[field];
}

const char *
gk_policyval_field_name(unsigned field)
{
	return row(field)->name;
}

/* ------------------------------------------------------------- memory */

void
gk_policyval_init(struct gk_policyval *p, struct genkan_ctx *ctx)
{
	memset(p, 0, sizeof(*p));
	p->ctx = ctx;
}

static void
clear_tools(struct gk_policyval *p)
{
	size_t i;

	for (i = 0; i < p->disabled.n; i++)
		gk_free(p->ctx, p->disabled.name[i]);
	gk_free(p->ctx, p->disabled.name);
	p->disabled.name = NULL;
	p->disabled.n = 0;
}

void
gk_policyval_done(struct gk_policyval *p)
{
	if (p->ctx != NULL)
		clear_tools(p);
	gk_policyval_init(p, p->ctx);
}

void
gk_policyval_drop(struct gk_policyval *p, uint32_t fields)
{
	unsigned i;

	for (i = 0; i < GK_POLICY_NFIELDS; i++) {
		if ((p->has & fields & GK_POLICY_BIT(i)) == 0)
			continue;
		p->num[i] = 0;
		if (row(i)->kind == GK_PKIND_SET)
			clear_tools(p);
	}
	p->has &= ~fields;
}

int
gk_policyval_defaults(struct gk_policyval *p, struct genkan_ctx *ctx)
{
	unsigned i;

	gk_policyval_init(p, ctx);
	for (i = 0; i < GK_POLICY_NFIELDS; i++)
		p->num[i] = (uint64_t)row(i)->def;
	p->has = GK_POLICY_ALL;
	return 0;
}

static int
add_tool(struct gk_policyval *p, const char *tool, size_t len)
{
	char **list, *copy;

	list = gk_reallocarray(p->ctx, p->disabled.name, p->disabled.n + 1,
	    sizeof(*list));
	if (list == NULL)
		return GENKAN_E_NOMEM;
	p->disabled.name = list;
	if ((copy = gk_strndup(p->ctx, tool, len)) == NULL)
		return GENKAN_E_NOMEM;
	list[p->disabled.n++] = copy;
	return 0;
}

static int
copy_tools(const struct gk_policyval *from, struct gk_policyval *to)
{
	size_t i;
	int r;

	clear_tools(to);
	for (i = 0; i < from->disabled.n; i++)
		if ((r = add_tool(to, from->disabled.name[i],
		    strlen(from->disabled.name[i]))) < 0)
			return r;
	return 0;
}

int
gk_policyval_copy(const struct gk_policyval *from, struct gk_policyval *ret)
{
	int r;

	gk_policyval_init(ret, from->ctx);
	ret->has = from->has;
	memcpy(ret->num, from->num, sizeof(ret->num));
	if ((r = copy_tools(from, ret)) < 0)
		gk_policyval_done(ret);
	return r;
}

/* ------------------------------------------------------- disabled tools */

bool
gk_policyval_disables(const struct gk_policyval *p, const char *tool, size_t len)
{
	size_t i;

	for (i = 0; i < p->disabled.n; i++)
		if (gk_span_is(gk_span(tool, len), p->disabled.name[i]))
			return true;
	return false;
}

/* White space as the extension's trim() knows it; controls are refused
 * anyway. */
static bool
is_space(uint32_t cp)
{
	return cp == 0x20 || cp == 0xa0 || cp == 0x1680 ||
	    (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 ||
	    cp == 0x202f || cp == 0x205f || cp == 0x3000 || cp == 0xfeff;
}

bool
gk_policyval_tool_is_valid(const char *s, size_t len)
{
	const char *p, *end = s + len;
	uint32_t cp = 0;
	size_t n;

	if (len < 1 || len > GK_DISABLED_TOOL_MAX || !gk_str_is_plain(s, len) ||
	    memchr(s, ',', len) != NULL)
		return false;
	for (p = s; p < end; p += n) {
		if ((n = gk_utf8_next(p, end, &cp)) == 0)
			return false;
		if (p == s && is_space(cp))
			return false;
	}
	return !is_space(cp);	/* the last one */
}

int
gk_policyval_disable(struct gk_policyval *p, const char *tool, size_t len)
{
	if (!gk_policyval_tool_is_valid(tool, len))
		return GENKAN_E_INVAL;
	if (gk_policyval_disables(p, tool, len))
		return GENKAN_E_EXIST;
	if (p->disabled.n >= GK_DISABLED_TOOLS_MAX)
		return GENKAN_E_RANGE;
	return add_tool(p, tool, len);
}

/* ---------------------------------------------------------------- order */

int
gk_policyval_fold(const struct gk_policyval *baseline,
    const struct gk_policyval *overlay, struct gk_policyval *ret)
{
	unsigned i;
	int r;

	if ((r = gk_policyval_copy(baseline, ret)) < 0)
		return r;
	for (i = 0; i < GK_POLICY_NFIELDS; i++) {
		if ((overlay->has & GK_POLICY_BIT(i)) == 0)
			continue;
		ret->num[i] = overlay->num[i];
		if (row(i)->kind == GK_PKIND_SET &&
		    (r = copy_tools(overlay, ret)) < 0) {
			gk_policyval_done(ret);
			return r;
		}
	}
	ret->has |= overlay->has;
	return 0;
}

/* Some member of a is missing in b. */
static bool
loses(const struct gk_policyval *a, const struct gk_policyval *b)
{
	size_t i;

	for (i = 0; i < a->disabled.n; i++)
		if (!gk_policyval_disables(b, a->disabled.name[i],
		    strlen(a->disabled.name[i])))
			return true;
	return false;
}

static bool
looser(unsigned i, const struct gk_policyval *a, const struct gk_policyval *b)
{
	uint64_t x = a->num[i], y = b->num[i];

	switch (row(i)->looser) {
	case GK_LOOSER_ON:
		return x == 0 && y != 0;
	case GK_LOOSER_OFF:
		return x != 0 && y == 0;
	case GK_LOOSER_LARGER:
		return y > x;
	case GK_LOOSER_LARGER_0_LOOSEST:
		return x != 0 && (y == 0 || y > x);
	case GK_LOOSER_FEWER:
		return loses(a, b);
	}
	return true;	/* a direction nobody knows counts as looser */
}

uint32_t
gk_policyval_looser(const struct gk_policyval *a, const struct gk_policyval *b)
{
	uint32_t ret = 0;
	unsigned i;

	for (i = 0; i < GK_POLICY_NFIELDS; i++)
		if ((a->has & b->has & GK_POLICY_BIT(i)) != 0 &&
		    looser(i, a, b))
			ret |= GK_POLICY_BIT(i);
	return ret;
}

uint32_t
gk_policyval_differs(const struct gk_policyval *a, const struct gk_policyval *b)
{
	uint32_t ret = 0;
	unsigned i;

	for (i = 0; i < GK_POLICY_NFIELDS; i++) {
		if ((a->has & b->has & GK_POLICY_BIT(i)) == 0)
			continue;
		if (row(i)->kind == GK_PKIND_SET ?
		    loses(a, b) || loses(b, a) : a->num[i] != b->num[i])
			ret |= GK_POLICY_BIT(i);
	}
	return ret;
}
