#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "contract/schema.h"
#include "records/store.h"

/*
 * What deleting the file costs.  The reader is told because deleting is the
 * only way out: nothing here ever rebuilds a record it could not read.
 */
static const char *const cost[] = {
	[GK_RECORD_TRUST] = "which resets paired clients, browser enrollments, "
	    "the kill switch and the epochs",
	[GK_RECORD_POLICY] = "which leaves this machine without a policy until "
	    "the next one is set",
	[GK_RECORD_HISTORY] = "which forgets earlier policies",
	[GK_RECORD_LANG] = "which resets the language",
	[GK_RECORD_HOST_KEY] = "which forgets the host key, so that browsers have "
	    "to be paired again",
};

const char *
gk_record_file(int record)
{
	const struct gk_record_row *row = gk_schema_record(record);

	return row != NULL ? row->file : "(no record)";
}

size_t
gk_record_cap(int record)
{
	const struct gk_record_row *row = gk_schema_record(record);

	return row != NULL ? row->cap : 0;
}

bool
gk_stamp_is_zero(const struct gk_stamp *s)
{
	return (s->dev | s->ino | s->size | s->mtime_ns | s->ctime_ns) == 0;
}

bool
gk_stamp_equal(const struct gk_stamp *a, const struct gk_stamp *b)
{
	return !gk_stamp_is_zero(a) && a->dev == b->dev && a->ino == b->ino &&
	    a->size == b->size && a->mtime_ns == b->mtime_ns &&
	    a->ctime_ns == b->ctime_ns;
}

const char *
gk_store_name(const struct gk_store *store, int record)
{
	const char *path = NULL;

	if (store->path != NULL)
		path = store->path(store->user, record);
	return path != NULL ? path : gk_record_file(record);
}

int
gk_store_secret(const struct gk_store *store, uint8_t ret[32])
{
	if (store->told != NULL) {
		memcpy(ret, store->told, GK_SECRET_HEX);
		return 0;
	}
	return store->secret == NULL ? GENKAN_E_NOENT :
	    store->secret(store->user, ret);
}

int
gk_store_load(struct genkan_ctx *ctx, const struct gk_store *store, int record,
    struct gk_buf *ret, struct gk_stamp *stamp, char *why, size_t whylen)
{
	size_t cap = gk_record_cap(record);
	int r;

	gk_buf_init(ret, ctx, cap + 1);
	memset(stamp, 0, sizeof(*stamp));
	why[0] = '\0';
	r = store->load(store->user, record, ret, stamp, why, whylen);
	if (r >= 0 && ret->len > cap) {
		(void)snprintf(why, whylen, "larger than %zu bytes", cap);
		r = GENKAN_E_TOO_LARGE;
	}
	if (r < 0) {
		gk_buf_clear(ret);
		memset(stamp, 0, sizeof(*stamp));
		return r;
	}
	return 0;
}

#define SHOWN_MAX	(GK_WHY_FULL / 2)

/* The name as it may stand in a sentence. */
static void
shown(const struct gk_store *store, int record, char ret[SHOWN_MAX])
{
	const char *name = gk_store_name(store, record);

	gk_str_escaped(ret, SHOWN_MAX, name, strlen(name), SHOWN_MAX / 4);
}

void
gk_store_unreadable(const struct gk_store *store, int record, const char *why,
    char *ret, size_t len)
{
	char path[SHOWN_MAX];

	shown(store, record, path);
	if (record < 0 || record >= GK_RECORD_END)
		record = GK_RECORD_TRUST;
	if (store->programs) {
		(void)snprintf(ret, len, "%s, as the program that runs this "
		    "broker keeps it, cannot be used: %s", path, why);
		return;
	}
	(void)snprintf(ret, len, "%s cannot be used: %s; inspect it and, to "
	    "start over, delete it by hand, %s (`genkan doctor` shows the "
	    "state)", path, why, cost[record]);
}

void
gk_store_lock_why(int r, const char *reason, char *why, size_t whylen)
{
	const char *lock = gk_schema_file(GK_FILE_RECORDS_MUTEX);

	if (r == GENKAN_E_LOCKED)
		(void)snprintf(why, whylen, "the record lock (%s) was not had "
		    "within %d ms: %s", lock, (int)GK_RECORD_LOCK_MS, reason);
	else
		(void)snprintf(why, whylen, "the record lock (%s) cannot be "
		    "taken: %s", lock, reason);
}

int
gk_store_hold(const struct gk_store *store, struct gk_hold **ret, char *why,
    size_t whylen)
{
	char reason[GK_WHY_MAX] = "";
	int r;

	if (store->hold == NULL) {
		(void)snprintf(why, whylen, "this store cannot be written");
		return GENKAN_E_UNSUPPORTED;
	}
	r = store->hold(store->user, GK_RECORD_LOCK_MS, ret, reason,
	    sizeof(reason));
	if (r < 0)
		gk_store_lock_why(r, reason, why, whylen);
	return r;
}

/* ------------------------------------------------------------- replacing */

/* Sizes are left out: load marks them in files that are young. */
static bool
is_same_file(const struct gk_stamp *a, const struct gk_stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	    a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* The store says that it is done.  Against that stands only what cannot be so
 * if it is; of a record that another has written since, nothing can be said. */
static bool
is_lie(const struct gk_store *store, int record, const struct gk_buf *bytes,
    const struct gk_stamp *seen)
{
	struct gk_stamp now;
	int r = store->stamp(store->user, record, &now);

	if (bytes == NULL)
		return r != GENKAN_E_NOENT;
	return r == GENKAN_E_NOENT || (r == 0 && seen != NULL &&
	    is_same_file(&now, seen));
}

/* It says that it is not, or not for good. */
static enum gk_wrote
look_again(struct genkan_ctx *ctx, const struct gk_store *store, int record,
    const struct gk_buf *bytes, const struct gk_stamp *seen)
{
	enum gk_wrote wrote = GK_WROTE_PERHAPS;
	char why[GK_WHY_MAX];
	struct gk_stamp now;
	struct gk_buf there;
	int r;

	if (bytes == NULL) {
		r = store->stamp(store->user, record, &now);
		return r == GENKAN_E_NOENT ? GK_WROTE_IT :
		    r == 0 ? GK_WROTE_NOTHING : GK_WROTE_PERHAPS;
	}
	r = gk_store_load(ctx, store, record, &there, &now, why, sizeof(why));
	if (r == 0 && gk_span_eq(gk_buf_span(&there), gk_buf_span(bytes)))
		wrote = GK_WROTE_IT;
	else if (r == GENKAN_E_NOENT || (r == 0 && seen != NULL &&
	    is_same_file(&now, seen)))
		wrote = GK_WROTE_NOTHING;
	gk_buf_done(&there);
	return wrote;
}

static void
say(const struct gk_store *store, int record, const char *verb,
    enum gk_wrote wrote, const char *reason, char *why, size_t whylen)
{
	char path[SHOWN_MAX];

	shown(store, record, path);
	if (wrote == GK_WROTE_IT)
		(void)snprintf(why, whylen, "%s was %s, but that may not "
		    "outlast a loss of power: %s", path, verb, reason);
	else if (wrote == GK_WROTE_PERHAPS)
		(void)snprintf(why, whylen, "%s may have been %s or not: %s",
		    path, verb, reason);
	else
		(void)snprintf(why, whylen, "%s cannot be %s: %s", path, verb,
		    reason);
}

/* As gk_store_replace(); why is the reason alone, or "". */
static int
replace(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, int record, const struct gk_buf *bytes,
    const struct gk_stamp *seen, enum gk_wrote *ret, char *why, size_t whylen)
{
	int r;

	*ret = GK_WROTE_NOTHING;
	if (store->replace == NULL || store->remove == NULL) {
		(void)snprintf(why, whylen, "this store cannot be written");
		return GENKAN_E_UNSUPPORTED;
	}
	if (bytes != NULL && bytes->len > gk_record_cap(record)) {
		(void)snprintf(why, whylen, "larger than %zu bytes",
		    gk_record_cap(record));
		return GENKAN_E_TOO_LARGE;
	}
	r = bytes != NULL ? store->replace(store->user, hold, record,
	    bytes->ptr, bytes->len, seen, why, whylen) :
	    store->remove(store->user, hold, record, why, whylen);
	if (r == GENKAN_E_AGAIN && bytes != NULL)
		return r;
	if (r == 0 && !is_lie(store, record, bytes, seen)) {
		*ret = GK_WROTE_IT;
		return 0;
	}
	if (r == 0)
		(void)snprintf(why, whylen, "the store says that it is done, "
		    "and it is not");
	*ret = look_again(ctx, store, record, bytes, seen);
	return r < 0 && gk_err_class(r) >= 0 ? r : GENKAN_E_IO;
}

int
gk_store_replace(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, int record, const struct gk_buf *bytes,
    const struct gk_stamp *seen, enum gk_wrote *ret, char *why, size_t whylen)
{
	char reason[GK_WHY_MAX] = "";
	int r;

	r = replace(ctx, store, hold, record, bytes, seen, ret, reason,
	    sizeof(reason));
	if (r < 0)
		say(store, record, bytes != NULL ? "written" : "deleted",
		    *ret, reason[0] != '\0' ? reason : gk_err_text(r), why,
		    whylen);
	return r;
}

void
gk_store_audit(const struct gk_store *store, const struct gk_audit *rec)
{
	if (store != NULL && store->audit != NULL)
		store->audit(store->user, rec);
}
