#include <string.h>

#include "contract/schema.h"

#define NROWS(a)	(sizeof(a) / sizeof((a)[0]))

static const char *const caps[] = {
#define GK_CAP(sym, name) name,
#include "tools.def"
};

/*
 * One list of arguments a tool, each begun by the row of the tool and ended by
 * that of the next; the first is for none and stands for "no such tool".
 */
static const struct gk_arg args_none[] = {
#define REQ_REQUIRED	1
#define REQ_OPTIONAL	0
#define GK_TOOL(sym, name, title, risk, scope, perm, confirm, cap, grant1, \
    grant2, render, at, rdio, text) \
	{ NULL, GK_ARG_STRING, 0, 0, 0, NULL, NULL, NULL } }; \
static const struct gk_arg args_##sym[] = {
#define GK_ARG(type, name, req, lo, hi, values, def, text) \
	{ name, GK_ARG_##type, REQ_##req, lo, hi, values, def, text },
#include "tools.def"
	{ NULL, GK_ARG_STRING, 0, 0, 0, NULL, NULL, NULL }
};

static const struct gk_tool tools[] = {
#define GK_TOOL(sym, name, title, risk, scope, perm, confirm, cap, grant1, \
    grant2, render, at, rdio, text) \
	{ #sym, name, title, text, #risk, #scope, #perm, #confirm, #render, \
	  #at, rdio, GK_RISK_##risk, GK_SCOPE_##scope, GK_PERM_##perm, \
	  GK_CONFIRM_##confirm, GK_RENDER_##render, GK_AT_##at, \
	  GK_CAP_##cap, { GK_POLICY_##grant1, GK_POLICY_##grant2 }, \
	  args_##sym, GK_SCOPE_##scope != GK_SCOPE_SERVER },
#include "tools.def"
};

/* Apart from the rows, so that looking for a name touches one line of memory
 * and not all of the table. */
static const unsigned char name_len[] = {
#define GK_TOOL(sym, name, title, risk, scope, perm, confirm, cap, grant1, \
    grant2, render, at, rdio, text) \
	sizeof(name) - 1,
#include "tools.def"
};

static int
same(const char *row, const char *text, size_t len)
{
	return strlen(row) == len && memcmp(row, text, len) == 0;
}

const char *
gk_schema_cap(int cap)
{
	return cap < 0 || cap >= GK_CAP_END ? NULL : caps[cap];
}

int
gk_schema_cap_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NROWS(caps); i++)
		if (same(caps[i], name, len))
			return (int)i;
	return -1;
}

const struct gk_tool *
gk_schema_tools(size_t *n)
{
	*n = NROWS(tools);
	return tools;
}

const struct gk_tool *
gk_schema_tool(int tool)
{
	return tool < 0 || tool >= GK_TOOL_END ? NULL : &tools[tool];
}

int
gk_schema_tool_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NROWS(tools); i++)
		if (name_len[i] == len && memcmp(tools[i].name, name, len) == 0)
			return (int)i;
	return -1;
}

const struct gk_arg *
gk_schema_arg_find(const struct gk_tool *tool, const char *name, size_t len)
{
	const struct gk_arg *a;

	for (a = tool == NULL ? args_none : tool->args; a->name != NULL; a++)
		if (same(a->name, name, len))
			return a;
	return NULL;
}
