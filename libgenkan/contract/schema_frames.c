#include <string.h>

#include "contract/schema.h"

#define NROWS(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * One list of members a frame or shape, each begun by its row and ended by the
 * next; the first is empty and stands for "no such shape".
 */
#define END_OF_LIST \
	{ NULL, GK_KIND_ANY, 0, GK_WHEN_OPT, 0, 0, 0, 0, 0, 0 }
#define NEW_LIST(sym) \
	END_OF_LIST }; \
static const struct gk_shape_member members_##sym[] = {
#define ONE(kind, name, lo, hi, when, flags, ref) \
	{ name, GK_KIND_##kind, 0, GK_WHEN_##when, flags, ref, lo, hi, 0, 0 },
#define MANY(kind, name, lo, hi, fewest, most, when, flags, ref) \
	{ name, GK_KIND_##kind, 1, GK_WHEN_##when, flags, ref, lo, hi, \
	  fewest, most },

static const struct gk_shape_member members_none[] = {
#define GK_FRAME(sym, tag, dir, family, bad, form)	NEW_LIST(sym)
#define GK_SHAPE(sym, first, strict)			NEW_LIST(sym)
#define GK_M						ONE
#define GK_A						MANY
#include "frames.def"
#define GK_SHAPE(sym, first, strict)			NEW_LIST(sym)
#define GK_M						ONE
#define GK_A						MANY
#include "envelopes.def"
#define GK_SHAPE(sym, first, strict)			NEW_LIST(sym)
#define GK_M						ONE
#define GK_A						MANY
#include "records.def"
	END_OF_LIST
};

#define DIR_B	'B'
#define DIR_H	'H'
static const struct gk_tag_row frames[] = {
#define GK_FRAME(sym, tag, dir, family, bad, form) \
	{ #sym, tag, #family, DIR_##dir, GK_TAG_##bad, GK_BAD_##form, \
	  members_##sym },
#include "frames.def"
};

static const struct gk_reply replies[] = {
#define GK_REPLY(frame, answer) { GK_TAG_##frame, GK_TAG_##answer },
#include "frames.def"
};

#define MODE_STRICT	0
#define MODE_LENIENT	1
#define SHAPE_ROW(sym, first, strict) \
	{ #sym, members_##sym, GK_SHAPE_##first, MODE_##strict },
static const struct gk_shape shapes[] = {
#define GK_FRAME(sym, tag, dir, family, bad, form) SHAPE_ROW(sym, sym, STRICT)
#define GK_SHAPE SHAPE_ROW
#include "frames.def"
#define GK_SHAPE SHAPE_ROW
#include "envelopes.def"
#define GK_SHAPE SHAPE_ROW
#include "records.def"
};

static const char *const set_browser[] = {
#define GK_BROWSER(sym, key, vendor, flatpak, snap, image1, image2) key,
#include "browsers.def"
	NULL
};
static const char *const set_language[] = {
#define GK_LANG(sym, value) value,
#include "identity.def"
	NULL
};
static const char *const set_mcp_version[] = {
#define GK_MCP_VERSION(sym, value) value,
#include "identity.def"
	NULL
};
static const char *const set_policy_field[] = {
#define GK_POLICY(sym, name, kind, def, looser, flag, text) name,
#include "policy.def"
#undef GK_POLICY
	NULL
};
/* What a bridge request may name: the tools that are not the server's own. */
static const char *const set_op[] = {
#define OP_SERVER(name)
#define OP_TAB(name)	name,
#define OP_PAGE(name)	name,
#define GK_TOOL(sym, name, title, risk, scope, perm, confirm, cap, grant1, \
    grant2, render, at, rdio, text) OP_##scope(name)
#include "tools.def"
	NULL
};
static const char *const set_ext_code[] = {
#define CODE_EXT(sym)	#sym,
#define CODE_NOT(sym)
#define GK_CODE(sym, cat, retry, ext, by, text) CODE_##ext(sym)
#include "codes.def"
#undef GK_CODE
	NULL
};
static const char *const set_audit_event[] = {
#define AUDIT_EVENT(name)	name,
#define AUDIT_OWN(name)
#define GK_AUDIT(sym, name, surfaces, event, members, text) AUDIT_##event(name)
#include "audit.def"
	NULL
};
#define VALUE_OUTCOME_OUTCOME(name)	name,
#define VALUE_OUTCOME_SURFACE(name)
#define VALUE_SURFACE_OUTCOME(name)
#define VALUE_SURFACE_SURFACE(name)	name,
static const char *const set_audit_outcome[] = {
#define GK_AUDIT_VALUE(which, sym, name) VALUE_OUTCOME_##which(name)
#include "audit.def"
	NULL
};
static const char *const set_audit_surface[] = {
#define GK_AUDIT_VALUE(which, sym, name) VALUE_SURFACE_##which(name)
#include "audit.def"
	NULL
};

static const char *const set_none[] = { NULL };
static const char *const *const sets[] = {
	set_none,
#define GK_SET(sym, list) list,
#include "frames.def"
#define GK_SET(sym, list) list,
#include "envelopes.def"
	set_browser, set_language, set_policy_field, set_op, set_ext_code,
	set_audit_event, set_audit_outcome, set_audit_surface, set_mcp_version,
};

static int
same(const char *row, const char *text, size_t len)
{
	return strlen(row) == len && memcmp(row, text, len) == 0;
}

const struct gk_shape *
gk_schema_shape(int shape)
{
	return shape < 0 || shape >= GK_SHAPE_END ? NULL : &shapes[shape];
}

const struct gk_shape_member *
gk_schema_member_find(const struct gk_shape *shape, const char *name,
    size_t len)
{
	const struct gk_shape_member *m;

	for (m = shape == NULL ? members_none : shape->members;
	    m->name != NULL; m++)
		if (same(m->name, name, len))
			return m;
	return NULL;
}

const struct gk_tag_row *
gk_schema_frames(size_t *n)
{
	*n = NROWS(frames);
	return frames;
}

const struct gk_tag_row *
gk_schema_frame(int tag)
{
	return tag < 0 || tag >= GK_TAG_END ? NULL : &frames[tag];
}

int
gk_schema_frame_find(const char *tag, size_t len)
{
	size_t i;

	for (i = 0; i < NROWS(frames); i++)
		if (same(frames[i].tag, tag, len))
			return (int)i;
	return -1;
}

const struct gk_reply *
gk_schema_replies(size_t *n)
{
	*n = NROWS(replies);
	return replies;
}

const char *const *
gk_schema_set(int set)
{
	return set < 0 || set >= GK_SET_END ? set_none : sets[set];
}

int
gk_schema_set_find(int set, const char *text, size_t len)
{
	const char *const *list = gk_schema_set(set);
	int i;

	for (i = 0; list[i] != NULL; i++)
		if (same(list[i], text, len))
			return i;
	return -1;
}
