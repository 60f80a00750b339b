#include <string.h>

#include "contract/schema.h"

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

static const struct gk_policy_field policy[] = {
#define GK_POLICY(sym, name, kind, def, looser, flag, text) \
	{ #sym, name, flag, text, GK_PKIND_##kind, GK_LOOSER_##looser, def },
#include "policy.def"
#undef GK_POLICY
};

static const struct gk_audit_row audit[] = {
#define AUDIT_EVENT	1
#define AUDIT_OWN	0
#define GK_AUDIT(sym, name, surfaces, event, members, text) \
	{ #sym, name, text, surfaces, members, AUDIT_##event },
#include "audit.def"
};

static const struct gk_audit_member audit_members[] = {
#define GK_AUDIT_MEMBER(sym, name, type) { name, GK_KIND_##type },
#include "audit.def"
};

static const struct gk_ident_row idents[] = {
#define GK_IDENT(sym, value, text) { #sym, value, text },
#include "identity.def"
};

static const struct gk_browser_row browsers[] = {
#define GK_BROWSER(sym, key, vendor, flatpak, snap, image1, image2) \
	{ key, vendor, flatpak, snap, { image1, image2 } },
#include "browsers.def"
};

static const struct gk_system_dir system_dirs[] = {
#define GK_SYSTEM_DIR(sym, dir, keys, wrapper) { dir, keys, wrapper },
#include "browsers.def"
};

static const struct gk_record_row records[] = {
#define GK_RECORD(sym, file, cap, shape, text) \
	{ file, text, cap, GK_SHAPE_##shape },
#include "records.def"
};

static const struct gk_file_row files[] = {
#define GK_FILE(sym, dir, file, text) { file, #dir, text },
#include "records.def"
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

const struct gk_policy_field *
gk_schema_policy(size_t *n)
{
	*n = NROWS(policy);
	return policy;
}

int
gk_schema_policy_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NROWS(policy); i++)
		if (same(policy[i].name, name, len))
			return (int)i;
	return -1;
}

const struct gk_audit_row *
gk_schema_audit(size_t *n)
{
	*n = NROWS(audit);
	return audit;
}

const struct gk_audit_member *
gk_schema_audit_members(size_t *n)
{
	*n = NROWS(audit_members);
	return audit_members;
}

const struct gk_ident_row *
gk_schema_idents(size_t *n)
{
	*n = NROWS(idents);
	return idents;
}

const char *
gk_schema_ident(enum gk_ident ident)
{
	return (size_t)ident < NROWS(idents) ? idents[ident].value : "";
}

const struct gk_browser_row *
gk_schema_browsers(size_t *n)
{
	*n = NROWS(browsers);
	return browsers;
}

int
gk_schema_browser_find(const char *key, size_t len)
{
	size_t i;

	for (i = 0; i < NROWS(browsers); i++)
		if (same(browsers[i].key, key, len))
			return (int)i;
	return -1;
}

const struct gk_system_dir *
gk_schema_system_dirs(size_t *n)
{
	*n = NROWS(system_dirs);
	return system_dirs;
}

const struct gk_record_row *
gk_schema_records(size_t *n)
{
	*n = NROWS(records);
	return records;
}

const struct gk_record_row *
gk_schema_record(int record)
{
	return record < 0 || record >= GK_RECORD_END ? NULL : &records[record];
}

const struct gk_file_row *
gk_schema_files(size_t *n)
{
	*n = NROWS(files);
	return files;
}

const char *
gk_schema_file(enum gk_file_id file)
{
	return (size_t)file < NROWS(files) ? files[file].file : "";
}
