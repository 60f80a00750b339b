#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "codec/jstr.h"
#include "records/record.h"
#include "records/runlock.h"

enum { R_ENDPOINT, R_SECRET, R_PID, R_STATE_DIR, R_N };

static const struct gk_field fields[R_N] = {
	[R_ENDPOINT] = { "endpoint", GK_J_STRING, 0, 1,
	    GK_RUNLOCK_PATH_MAX - 1 },
	[R_SECRET] = { "secret", GK_J_STRING, 0, GK_SECRET_HEX,
	    GK_SECRET_HEX },
	[R_PID] = { "pid", GK_J_INT, 0, 0, UINT32_MAX },
	[R_STATE_DIR] = { "state_dir", GK_J_STRING, 0, 1,
	    GK_RUNLOCK_PATH_MAX - 1 },
};

static int
parse_path(struct gk_rec *rec, const struct gk_member *m, const char *name,
    char *ret)
{
	int r = gk_record_copy(rec, m, name, ret, GK_RUNLOCK_PATH_MAX);

	if (r == 0 && ret[0] != '/')
		return gk_record_bad(rec, "%s: not an absolute path", name);
	return r;
}

static int
parse_body(struct gk_rec *rec, struct gk_runlock *ret)
{
	struct gk_member m[R_N];
	struct gk_field_why why;
	struct gk_span secret;
	uint64_t pid;
	int r;

	memset(&why, 0, sizeof(why));
	if (gk_fields_span(rec->text, fields, R_N, true, m, &why) < 0)
		return gk_record_bad(rec, "member %s: %s",
		    why.field != NULL ? why.field->name : "?",
		    why.text != NULL ? why.text : "invalid");
	if ((r = parse_path(rec, &m[R_ENDPOINT], "endpoint",
	    ret->endpoint)) < 0 ||
	    (r = parse_path(rec, &m[R_STATE_DIR], "state_dir",
	    ret->state_dir)) < 0 ||
	    (r = gk_record_uint(rec, &m[R_PID], "pid", &pid)) < 0 ||
	    (r = gk_record_string(rec, &m[R_SECRET], &secret)) < 0)
		return r;
	ret->pid = (uint32_t)pid;	/* the table bounds it */
	if (!gk_str_is_hex_lower(secret.ptr, secret.len))
		return gk_record_bad(rec, "secret: not lowercase hex");
	memcpy(ret->secret, secret.ptr, GK_SECRET_HEX);
	return 0;
}

int
gk_runlock_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_runlock *ret, char *why, size_t whylen)
{
	struct gk_rec rec;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (len > GK_LOCK_FILE_MAX) {
		(void)snprintf(why, whylen, "larger than %d bytes",
		    (int)GK_LOCK_FILE_MAX);
		return GENKAN_E_TOO_LARGE;
	}
	r = gk_record_text(ctx, bytes, len, &rec, why, whylen);
	if (r == 0)
		r = parse_body(&rec, ret);
	gk_record_done(&rec);
	if (r < 0)
		gk_wipe(ret, sizeof(*ret));
	return r;
}

static bool
writable(const struct gk_runlock *lock)
{
	return lock->endpoint[0] == '/' && lock->state_dir[0] == '/' &&
	    gk_utf8_valid(lock->endpoint, strlen(lock->endpoint)) &&
	    gk_utf8_valid(lock->state_dir, strlen(lock->state_dir)) &&
	    gk_str_is_hex_lower(lock->secret, sizeof(lock->secret));
}

int
gk_runlock_format(const struct gk_runlock *lock, struct gk_buf *ret)
{
	size_t at = ret->len;
	int r;

	if (!writable(lock))
		return GENKAN_E_INVAL;
	if ((r = gk_buf_putc(ret, '{')) < 0 ||
	    (r = gk_json_put_str_member(ret, "endpoint", lock->endpoint,
	    strlen(lock->endpoint))) < 0 ||
	    (r = gk_json_put_str_member(ret, "secret", lock->secret,
	    sizeof(lock->secret))) < 0 ||
	    (r = gk_json_put_int_member(ret, "pid",
	    (int64_t)lock->pid)) < 0 ||
	    (r = gk_json_put_str_member(ret, "state_dir", lock->state_dir,
	    strlen(lock->state_dir))) < 0 ||
	    (r = gk_buf_puts(ret, "}\n")) < 0)
		gk_buf_truncate(ret, at);
	return r;
}
