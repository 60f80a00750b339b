/*
 * The contract tables as C arrays, with lookup.
 *
 * Everything here is constant data that the .def files state once; this header
 * adds no fact of its own.  Names are spelled as in the tables: a row
 * GK_TOOL(TAB_LIST, ...) is GK_TOOL_TAB_LIST here.  Every enumeration starts
 * at 0 in table order unless it says otherwise.
 *
 * Lookups that take (text, len) take counted bytes without a NUL, borrowed for
 * the call; they answer NULL or -1 for what the table does not have.  What is
 * returned lives for ever.
 */
#ifndef GK_CONTRACT_SCHEMA_H
#define GK_CONTRACT_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#define GK_LIST(...)	((const char *const[]){ __VA_ARGS__, NULL })
#define GK_ANY		INT64_MIN	/* no bound in tools.def */

/* 2^53 - 1: the bound of every integer on a leg, on a frame, in a record. */
#define GK_INTEGER_MAX	((int64_t)9007199254740991)

/* GK_<name> of every row of limits.def. */
enum gk_limit_value {
#define GK_LIMIT(vis, name, value, unit, text) GK_##name = value,
#include "limits.def"
#undef GK_LIMIT
	GK_LIMIT_VALUE_END_
};

struct gk_limit {
	const char	*name, *vis, *unit, *text;
	int64_t		 value;
};
const struct gk_limit *gk_schema_limits(size_t *n);

/* ------------------------------------------------------------ errors.def */

/* Equal to GENKAN_CLASS_* of <genkan/contract.h>. */
enum gk_class {
	GK_CLASS_CALLER = 1, GK_CLASS_TRANSIENT, GK_CLASS_CONN, GK_CLASS_FATAL
};

struct gk_error {
	const char	*sym, *wire, *text;
	int		 num;			/* GENKAN_E_<sym>, negative */
	enum gk_class	 cls;
};
const struct gk_error *gk_schema_errors(size_t *n);
const struct gk_error *gk_schema_error(int num);

/* ------------------------------------------------------------- codes.def */

/* Equal to GENKAN_CODE_*; 0 is success. */
enum gk_code {
	GK_CODE_NONE,
#define GK_CODE(sym, cat, retry, ext, by, text) GK_CODE_##sym,
#include "codes.def"
#undef GK_CODE
	GK_CODE_END
};

struct gk_code_row {
	const char	*name, *category, *by, *text;
	enum gk_code	 code;
	unsigned char	 retryable;
	unsigned char	 ext;			/* an extension may send it */
};
const struct gk_code_row *gk_schema_codes(size_t *n);	/* [0] is row 1 */
const struct gk_code_row *gk_schema_code(int code);
int	gk_schema_code_find(const char *text, size_t len);	/* or -1 */

/* ---------------------------------------------------------- refusals.def */

/* Equal to GENKAN_REFUSAL_*; 0 is none. */
enum gk_refusal_id {
	GK_REFUSAL_NONE,
#define GK_REFUSAL(sym, num, wire, text) GK_REFUSAL_##sym = num,
#include "refusals.def"
#undef GK_REFUSAL
	GK_REFUSAL_END
};

struct gk_refusal_row {
	const char	*sym, *wire, *text;
	enum gk_refusal_id	 code;
};
const struct gk_refusal_row *gk_schema_refusals(size_t *n);
const struct gk_refusal_row *gk_schema_refusal(int code);
int	gk_schema_refusal_find(const char *text, size_t len);	/* or -1 */

/* ------------------------------------------------------------ policy.def */

enum gk_policy_id {
#define GK_POLICY(sym, name, kind, def, looser, flag, text) GK_POLICY_##sym,
#include "policy.def"
#undef GK_POLICY
	GK_POLICY_END,
	GK_POLICY_NONE = -1
};

enum gk_policy_kind {
	GK_PKIND_GRANT, GK_PKIND_BOOL, GK_PKIND_MS, GK_PKIND_SET
};
enum gk_looser {
	GK_LOOSER_ON, GK_LOOSER_OFF, GK_LOOSER_LARGER,
	GK_LOOSER_LARGER_0_LOOSEST, GK_LOOSER_FEWER
};

struct gk_policy_field {
	const char		*sym, *name, *flag, *text;
	enum gk_policy_kind	 kind;
	enum gk_looser		 looser;
	int64_t			 def;
};
const struct gk_policy_field *gk_schema_policy(size_t *n);
int	gk_schema_policy_find(const char *name, size_t len);	/* or -1 */

/* ------------------------------------------------------------- tools.def */

enum gk_cap {
#define GK_CAP(sym, name) GK_CAP_##sym,
#include "tools.def"
	GK_CAP_END,
	GK_CAP_NONE = -1
};
const char *gk_schema_cap(int cap);			/* or NULL */
int	gk_schema_cap_find(const char *name, size_t len);	/* or -1 */

enum gk_tool_id {
#define GK_TOOL(sym, name, title, risk, scope, perm, confirm, cap, grant1, \
    grant2, render, at, rdio, text) GK_TOOL_##sym,
#include "tools.def"
	GK_TOOL_END
};

enum gk_risk { GK_RISK_LOW, GK_RISK_MEDIUM, GK_RISK_HIGH, GK_RISK_CRITICAL };
enum gk_scope { GK_SCOPE_SERVER, GK_SCOPE_TAB, GK_SCOPE_PAGE };
enum gk_perm {
	GK_PERM_TABS, GK_PERM_SCRIPTING, GK_PERM_DEBUGGER, GK_PERM_COOKIES
};
enum gk_confirm {
	GK_CONFIRM_NONE, GK_CONFIRM_HIGH_RISK, GK_CONFIRM_EVERY_CALL,
	GK_CONFIRM_WARN
};
enum gk_render { GK_RENDER_JSON, GK_RENDER_TEXT, GK_RENDER_IMAGE };
enum gk_at { GK_AT_SRV, GK_AT_SW, GK_AT_PG, GK_AT_PGSW };

enum gk_arg_type {
	GK_ARG_STRING, GK_ARG_INTEGER, GK_ARG_BOOLEAN, GK_ARG_ARRAY
};

/*
 * One argument.  lo and hi are code points of a string, the value of an
 * integer; hi is the most items of an array, whose items are strings; GK_ANY
 * is no bound.  values, where set, are all that a string or an item may be.
 */
struct gk_arg {
	const char		*name;		/* NULL ends the list */
	enum gk_arg_type	 type;
	unsigned char		 required;
	int64_t			 lo, hi;
	const char *const	*values;	/* NULL-ended, or NULL */
	const char		*def;		/* JSON text, or NULL */
	const char		*text;		/* or NULL */
};

struct gk_tool {
	const char		*sym, *name, *title, *text;
	/* The columns as words of the table, for the printers. */
	const char		*w_risk, *w_scope, *w_perm, *w_confirm,
				*w_render, *w_at;
	const char		*rdio;		/* four of 'y' and '-' */
	enum gk_risk		 risk;
	enum gk_scope		 scope;
	enum gk_perm		 perm;
	enum gk_confirm		 confirm;
	enum gk_render		 render;
	enum gk_at		 at;
	int			 cap;		/* GK_CAP_*, NONE is -1 */
	int			 grant[2];	/* GK_POLICY_*, NONE is -1 */
	const struct gk_arg	*args;		/* without browser */
	unsigned char		 browser;	/* takes the argument browser */
};
const struct gk_tool *gk_schema_tools(size_t *n);
const struct gk_tool *gk_schema_tool(int tool);
int	gk_schema_tool_find(const char *name, size_t len);	/* or -1 */
const struct gk_arg *gk_schema_arg_find(const struct gk_tool *,
	    const char *name, size_t len);

/* The entry of a tool in tools/list, finished and compact; NULL out of range. */
const char *gk_schema_tool_json(int tool, size_t *retlen);

/* ------------------------------- frames.def, envelopes.def, records.def */

enum gk_kind {
	GK_KIND_OK, GK_KIND_BOOL, GK_KIND_INT, GK_KIND_UINT, GK_KIND_TEXT,
	GK_KIND_LABEL, GK_KIND_ENUM, GK_KIND_HEX, GK_KIND_HEX_LOWER,
	GK_KIND_B64, GK_KIND_B64URL, GK_KIND_OBJECT, GK_KIND_ANY_OBJECT,
	GK_KIND_ANY
};
enum gk_when {
	GK_WHEN_REQ, GK_WHEN_OPT, GK_WHEN_OK, GK_WHEN_OK_OPT, GK_WHEN_NOTOK,
	GK_WHEN_NOTOK_OPT
};
/* frames.def says what each means. */
enum gk_member_flag {
	GK_MF_ACT = 1, GK_MF_NONUL = 2, GK_MF_NOCTL = 4, GK_MF_NULL = 8,
	GK_MF_EMPTY = 16, GK_MF_40OR64 = 32, GK_MF_CATALOGUE = 64,
	GK_MF_TOOLSET = 128
};

struct gk_shape_member {
	const char	*name;			/* NULL ends the list */
	enum gk_kind	 kind;			/* of an element, if array */
	unsigned char	 array;
	enum gk_when	 when;
	int		 flags;
	int		 ref;			/* GK_SHAPE_*, GK_SET_*, or 0 */
	int64_t		 lo, hi;		/* hi 0: no bound */
	int64_t		 fewest, most;		/* of an array; most 0: no bound */
};

/* The 47 control tags come first, so GK_SHAPE_x is GK_TAG_x for a frame. */
enum gk_tag {
#define GK_FRAME(sym, tag, dir, family, bad, form) GK_TAG_##sym,
#include "frames.def"
	GK_TAG_END,
	GK_TAG_NONE = -1
};
enum gk_shape_id {
#define GK_FRAME(sym, tag, dir, family, bad, form) GK_SHAPE_##sym,
#define GK_SHAPE(sym, first, strict) GK_SHAPE_##sym,
#include "frames.def"
#define GK_SHAPE(sym, first, strict) GK_SHAPE_##sym,
#include "envelopes.def"
#define GK_SHAPE(sym, first, strict) GK_SHAPE_##sym,
#include "records.def"
	GK_SHAPE_END
};
enum gk_set_id {
	GK_SET_NONE,
#define GK_SET(sym, list) GK_SET_##sym,
#include "frames.def"
#define GK_SET(sym, list) GK_SET_##sym,
#include "envelopes.def"
	/* Columns of other tables. */
	GK_SET_BROWSER, GK_SET_LANGUAGE, GK_SET_POLICY_FIELD, GK_SET_OP,
	GK_SET_EXT_CODE, GK_SET_AUDIT_EVENT, GK_SET_AUDIT_OUTCOME,
	GK_SET_AUDIT_SURFACE, GK_SET_MCP_VERSION,
	GK_SET_END
};

struct gk_shape {
	const char		*sym;
	const struct gk_shape_member	*members;
	int			 first;		/* alternatives follow it */
	unsigned char		 lenient;
};
const struct gk_shape *gk_schema_shape(int shape);
const struct gk_shape_member *gk_schema_member_find(const struct gk_shape *,
	    const char *name, size_t len);

/* How a malformed frame is answered. */
enum gk_bad {
	GK_BAD_DROP, GK_BAD_ERROR, GK_BAD_REASON, GK_BAD_CLIENTS,
	GK_BAD_CHALLENGE, GK_BAD_LANG
};

struct gk_tag_row {
	const char		*sym, *tag, *family;
	char			 dir;		/* 'B' to the host, 'H' from it */
	int			 bad;		/* GK_TAG_* that answers, or -1 */
	enum gk_bad		 form;
	const struct gk_shape_member	*members;	/* without type */
};
const struct gk_tag_row *gk_schema_frames(size_t *n);
const struct gk_tag_row *gk_schema_frame(int tag);
int	gk_schema_frame_find(const char *tag, size_t len);	/* or -1 */

struct gk_reply {
	enum gk_tag	 frame, answer;
};
const struct gk_reply *gk_schema_replies(size_t *n);

/* A set as a NULL-ended list, and the place of a text in it, or -1. */
const char *const *gk_schema_set(int set);
int	gk_schema_set_find(int set, const char *text, size_t len);

/* ------------------------------------------------------------- audit.def */

enum gk_audit_kind {
#define GK_AUDIT(sym, name, surfaces, event, members, text) GK_AUDIT_##sym,
#include "audit.def"
	GK_AUDIT_END
};
enum gk_audit_surface {
#define GK_AUDIT_VALUE(which, sym, name) GK_AUDIT_VALUE_##which(sym)
#define GK_AUDIT_VALUE_SURFACE(sym) GK_SURFACE_##sym,
#define GK_AUDIT_VALUE_OUTCOME(sym)
#include "audit.def"
#undef GK_AUDIT_VALUE_SURFACE
#undef GK_AUDIT_VALUE_OUTCOME
	GK_SURFACE_END
};
enum gk_audit_outcome {
#define GK_AUDIT_VALUE(which, sym, name) GK_AUDIT_VALUE_##which(sym)
#define GK_AUDIT_VALUE_SURFACE(sym)
#define GK_AUDIT_VALUE_OUTCOME(sym) GK_OUTCOME_##sym,
#include "audit.def"
#undef GK_AUDIT_VALUE_SURFACE
#undef GK_AUDIT_VALUE_OUTCOME
	GK_OUTCOME_END,
	GK_OUTCOME_NONE = -1
};

struct gk_audit_row {
	const char	*sym, *name, *text;
	const char	*surfaces, *members;	/* words, a space between */
	unsigned char	 event;			/* the extension reports it */
};
const struct gk_audit_row *gk_schema_audit(size_t *n);

struct gk_audit_member {
	const char	*name;
	enum gk_kind	 kind;			/* UINT or TEXT */
};
const struct gk_audit_member *gk_schema_audit_members(size_t *n);

/* -------------------------------- identity.def, browsers.def, records.def */

enum gk_ident {
#define GK_IDENT(sym, value, text) GK_IDENT_##sym,
#include "identity.def"
	GK_IDENT_END
};
struct gk_ident_row {
	const char	*sym, *value, *text;
};
const struct gk_ident_row *gk_schema_idents(size_t *n);
const char *gk_schema_ident(enum gk_ident);	/* never NULL */

enum gk_mcp_version {
#define GK_MCP_VERSION(sym, value) GK_MCP_##sym,
#include "identity.def"
	GK_MCP_VERSIONS
};

enum gk_browser_id {
#define GK_BROWSER(sym, key, vendor, flatpak, snap, image1, image2) \
	GK_BROWSER_##sym,
#include "browsers.def"
	GK_BROWSER_END
};
struct gk_browser_row {
	const char	*key, *vendor, *flatpak, *snap;	/* snap may be NULL */
	const char	*image[2];			/* [1] may be NULL */
};
const struct gk_browser_row *gk_schema_browsers(size_t *n);
int	gk_schema_browser_find(const char *key, size_t len);	/* or -1 */

struct gk_system_dir {
	const char	*dir, *keys, *wrapper;
};
const struct gk_system_dir *gk_schema_system_dirs(size_t *n);

enum gk_record_id {
#define GK_RECORD(sym, file, cap, shape, text) GK_RECORD_##sym,
#include "records.def"
	GK_RECORD_END
};
struct gk_record_row {
	const char		*file, *text;
	size_t			 cap;
	enum gk_shape_id	 shape;
};
const struct gk_record_row *gk_schema_records(size_t *n);
const struct gk_record_row *gk_schema_record(int record);

enum gk_file_id {
#define GK_FILE(sym, dir, file, text) GK_FILE_##sym,
#include "records.def"
	GK_FILE_END
};
struct gk_file_row {
	const char	*file, *dir, *text;	/* dir "RUNTIME" or "STATE" */
};
const struct gk_file_row *gk_schema_files(size_t *n);
const char *gk_schema_file(enum gk_file_id);	/* never NULL */

#endif
