#include "contract/schema.h"

#include <string.h>

#define NROWS(a)	(sizeof(a) / sizeof((a)[0]))

static const struct gk_limit limits[] = {
#define GK_LIMIT(vis, name, value, unit, text) \
	{ #name, #vis, #unit, text, value },
#include "limits.def"
#undef GK_LIMIT
};

static const struct gk_error errors[] = {
#define GK_ERROR(sym, num, wire, cls, text) \
	{ #sym, wire, text, num, GK_CLASS_##cls },
#include "errors.def"
#undef GK_ERROR
};

static const struct gk_code_row codes[] = {
#define CODE_EXT	1
#define CODE_NOT	0
#define GK_CODE(sym, cat, retry, ext, by, text) \
	{ #sym, #cat, by, text, GK_CODE_##sym, retry, CODE_##ext },
#include "codes.def"
#undef GK_CODE
};

static const struct gk_refusal_row refusals[] = {
#define GK_REFUSAL(sym, num, wire, text) \
	{ #sym, wire, text, GK_REFUSAL_##sym },
#include "refusals.def"
#undef GK_REFUSAL
};

/* Counted text against a C string of the tables. */
static int
same(const char *row, const char *text, size_t len)
{
	return strlen(row) == len && memcmp(row, text, len) == 0;
}

const struct gk_limit *
gk_schema_limits(size_t *n)
{
	*n = NROWS(limits);
	return limits;
}

const struct gk_error *
gk_schema_errors(size_t *n)
{
	*n = NROWS(errors);
	return errors;
}

const struct gk_error *
gk_schema_error(int num)
{
	size_t i;

	for (i = 0; i < NROWS(errors); i++)
		if (errors[i].num == num)
			return &errors[i];
	return NULL;
}

const struct gk_code_row *
gk_schema_codes(size_t *n)
{
	*n = NROWS(codes);
	return codes;
}

const struct gk_code_row *
gk_schema_code(int code)
{
	if (code <= GK_CODE_NONE || code >= GK_CODE_END)
		return NULL;
	return &codes[code - 1];
}

int
gk_schema_code_find(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < NROWS(codes); i++)
		if (same(codes[i].name, text, len))
			return (int)codes[i].code;
	return -1;
}

const struct gk_refusal_row *
gk_schema_refusals(size_t *n)
{
	*n = NROWS(refusals);
	return refusals;
}

const struct gk_refusal_row *
gk_schema_refusal(int code)
{
	size_t i;

	for (i = 0; i < NROWS(refusals); i++)
		if ((int)refusals[i].code == code)
			return &refusals[i];
	return NULL;
}

int
gk_schema_refusal_find(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < NROWS(refusals); i++)
		if (same(refusals[i].wire, text, len))
			return (int)refusals[i].code;
	return -1;
}
