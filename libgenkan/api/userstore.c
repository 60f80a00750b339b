#include "api/userstore.h"

#include "api/sized.h"
#include "base/buf.h"
#include "base/ctx.h"
#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "os/clock.h"
#include "records/auditrec.h"

#define STORE_V1	GK_SIZED_TO(genkan_store, unix_ms)

_Static_assert(GENKAN_RECORD_TRUST == GK_RECORD_TRUST &&
    GENKAN_RECORD_POLICY == GK_RECORD_POLICY, "records are one list");

/* What a program returns is no code of ours by promise; readers of records
 * tell "none" from "unreadable" by it, so nothing else may look like either. */
static int
judged(int r)
{
	if (r == 0 || r == GENKAN_E_NOENT)
		return r;
	return r < 0 && gk_err_class(r) >= 0 ? r : GENKAN_E_IO;
}

static void
to_stamp(uint64_t version, struct gk_stamp *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->ino = version;
}

static int
load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	struct gk_userstore *s = user;
	const size_t cap = gk_record_cap(record);
	const void *ptr = NULL;
	uint64_t version = 0;
	size_t len = 0;
	int r;

	memset(stamp, 0, sizeof(*stamp));
	gk_ctx_out(s->ctx);
	r = s->given.load(s->given.user, record, &ptr, &len, &version);
	gk_ctx_back(s->ctx);
	r = judged(r);
	if (r == 0 && ptr == NULL && len > 0)
		r = GENKAN_E_IO;
	/* One byte over the cap tells the reader all that it wants to know. */
	if (r == 0)
		r = gk_buf_put(ret, gk_bytes(ptr), GK_MIN(len, cap + 1));
	if (r == 0)
		to_stamp(version, stamp);
	else if (why != NULL && whylen > 0)
		(void)gk_str_copy(why, whylen, gk_err_text(r),
		    strlen(gk_err_text(r)));
	return r;
}

static int
stamp(void *user, int record, struct gk_stamp *ret)
{
	struct gk_userstore *s = user;
	uint64_t version = 0;
	int r = 0;

	if (s->given.version != NULL) {
		gk_ctx_out(s->ctx);
		r = s->given.version(s->given.user, record, &version);
		gk_ctx_back(s->ctx);
		r = judged(r);
	}
	if (r == 0)
		to_stamp(version, ret);
	return r;
}

static int
secret(void *user, uint8_t ret[32])
{
	struct gk_userstore *s = user;

	return gk_store_secret(s->below, ret);
}

static uint64_t
unix_ms(struct gk_userstore *s)
{
	uint64_t ms;

	if (s->given.unix_ms == NULL)
		return gk_clock_wall_ms();
	gk_ctx_out(s->ctx);
	ms = s->given.unix_ms(s->given.user);
	gk_ctx_back(s->ctx);
	return ms;
}

static uint64_t
unix_time(void *user)
{
	return unix_ms(user) / 1000;
}

static void
audit(void *user, const struct gk_audit *rec)
{
	struct gk_userstore *s = user;
	const struct gk_audit_when when = { unix_ms(s), s->dropped };
	struct gk_buf line;

	gk_buf_init(&line, s->ctx, GK_AUDIT_LINE_MAX);
	if (gk_auditrec_put(&line, rec, &when) == 0) {
		s->dropped = 0;
		gk_ctx_out(s->ctx);
		s->given.audit(s->given.user, (const char *)line.ptr,
		    line.len);
		gk_ctx_back(s->ctx);
	} else if (s->dropped++ == 0) {
		gk_log(s->ctx, GK_LOG_WARN, "store", "audit-lost",
		    "the audit trail lacks a line: %s",
		    gk_err_text(GENKAN_E_NOMEM));
	}
	gk_buf_done(&line);
}

int
gk_userstore_take(struct gk_userstore *s, struct genkan_ctx *ctx,
    const genkan_store *given, int failed)
{
	static const genkan_store none = GENKAN_STORE_INIT;
	int r;

	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->given = none;
	if (given == NULL)
		return failed;
	r = gk_sized_take(&s->given, sizeof(s->given), given, STORE_V1);
	if (r == GENKAN_E_INVAL)
		return failed < 0 ? failed :
		    gk_err_set(ctx, r, "store: bad size");
	if (r == 0 && s->given.load == NULL)
		r = GENKAN_E_INVAL;
	if (failed < 0)
		r = failed;
	else if (r < 0)
		(void)gk_err_set(ctx, r, r == GENKAN_E_ABI ?
		    "store: made for a newer libgenkan" : "store: no .load");
	if (r < 0)
		gk_userstore_done(s);
	return r;
}

struct gk_store *
gk_userstore_over(struct gk_userstore *s, const struct gk_store *below)
{
	s->below = below;
	s->store.user = s;
	s->store.programs = true;
	s->store.load = load;
	s->store.stamp = stamp;
	s->store.secret = below != NULL ? secret : NULL;
	s->store.audit = s->given.audit != NULL ? audit : NULL;
	s->store.unix_time = unix_time;
	return &s->store;
}

void
gk_userstore_done(struct gk_userstore *s)
{
	const genkan_store given = s->given;

	memset(&s->given, 0, sizeof(s->given));
	if (given.free_user == NULL)
		return;
	gk_ctx_out(s->ctx);
	given.free_user(given.user);
	gk_ctx_back(s->ctx);
}
