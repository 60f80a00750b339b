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
enum gk_refusal {
	GK_REFUSAL_NONE,
#define GK_REFUSAL(sym, num, wire, text) GK_REFUSAL_##sym = num,
#include "refusals.def"
#undef GK_REFUSAL
	GK_REFUSAL_END
};

struct gk_refusal_row {
	const char	*sym, *wire, *text;
	enum gk_refusal	 code;
};
const struct gk_refusal_row *gk_schema_refusals(size_t *n);
const struct gk_refusal_row *gk_schema_refusal(int code);
int	gk_schema_refusal_find(const char *text, size_t len);	/* or -1 */

#endif
