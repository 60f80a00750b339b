#include "local/stores.h"

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "local/lockfile.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/lock.h"

#define YOUNG_NS	2000000000u

struct gk_hold {
	int	dir;
	int	lock;
};

static int
tell_text(int r, const char *text, char *why, size_t whylen)
{
	if (why != NULL && whylen > 0)
		(void)gk_str_escaped(why, whylen, text, strlen(text), whylen);
	return r;
}

static int
tell(int r, const struct gk_why *from, char *why, size_t whylen)
{
	return tell_text(r, from->text, why, whylen);
}

/* Readers put the path in front, so the name is not said twice. */
static int
tell_record(int r, const char *name, const struct gk_why *from, char *why,
    size_t whylen)
{
	const char *text = from->text;
	const size_t n = strlen(name);

	if (strncmp(text, name, n) == 0 && strncmp(text + n, ": ", 2) == 0)
		text += n + 2;
	return tell_text(r, text, why, whylen);
}

static void
to_stamp(const struct gk_fstat *st, struct gk_stamp *ret)
{
	ret->dev = st->dev;
	ret->ino = st->ino;
	ret->size = st->size;
	ret->mtime_ns = st->mtime_ns;
	ret->ctime_ns = st->ctime_ns;
}

static bool
is_young(const struct gk_fstat *st)
{
	const uint64_t now = gk_clock_wall_ms() * 1000000u;
	const uint64_t last = GK_MAX(st->mtime_ns, st->ctime_ns);

	return last + YOUNG_NS > now;	/* the future too */
}

static int
load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	struct gk_stores *s = user;
	const char *name = gk_record_file(record);
	struct gk_fstat st, after;
	struct gk_why text = { 0, "" };
	int r, dir;

	memset(stamp, 0, sizeof(*stamp));
	r = gk_statedir_get(&s->dir, &dir, &text);
	/* Asked for at every call, and on a fresh machine always answered
	 * "no": a look, and no words for what is no failure. */
	if (r == GENKAN_E_NOENT || (r == 0 &&
	    gk_file_stat(dir, name, &after, NULL) == GENKAN_E_NOENT))
		return GENKAN_E_NOENT;
	if (r == 0)
		r = gk_file_read(dir, name, gk_record_cap(record),
		    GK_FILE_OWNED, ret, &st, &text);
	if (r < 0)
		return tell_record(r, name, &text, why, whylen);
	to_stamp(&st, stamp);
	if (is_young(&st) || gk_file_stat(dir, name, &after, NULL) < 0 ||
	    !gk_file_stat_same(&st, &after))
		stamp->size |= GK_STAMP_YOUNG;
	return 0;
}

static int
stamp(void *user, int record, struct gk_stamp *ret)
{
	struct gk_stores *s = user;
	struct gk_fstat st;
	int r, dir;

	r = gk_statedir_get(&s->dir, &dir, NULL);
	if (r == 0)
		r = gk_file_stat(dir, gk_record_file(record), &st, NULL);
	if (r == 0)
		to_stamp(&st, ret);
	return r;
}

static int
secret(void *user, uint8_t ret[32])
{
	struct gk_stores *s = user;
	struct gk_runlock lock;
	int r, dir;

	r = gk_dirs_open(s->place->runtime, &dir, NULL);
	if (r < 0)
		return r;
	r = gk_lockfile_read(s->ctx, dir, &lock, NULL);
	if (r == 0)
		memcpy(ret, lock.secret, sizeof(lock.secret));
	gk_wipe(&lock, sizeof(lock));
	(void)close(dir);
	return r;
}

static const char *
path(void *user, int record)
{
	struct gk_stores *s = user;

	return record < 0 || record >= GK_RECORD_END ? NULL : s->path[record];
}

/* -------------------------------------------------------------- writing */

static int
hold(void *user, int wait_ms, struct gk_hold **ret, char *why, size_t whylen)
{
	struct gk_stores *s = user;
	struct gk_why text = { 0, "no memory" };
	struct gk_hold *h;
	int r;

	h = gk_malloc(s->ctx, sizeof(*h));
	if (h == NULL)
		return tell(GENKAN_E_NOMEM, &text, why, whylen);
	r = gk_dirs_make(s->place->state, &h->dir, &text);
	if (r == 0) {
		r = gk_lock_take(h->dir, GK_PLACE_RECORDS, wait_ms, &h->lock,
		    &text);
		if (r < 0)
			(void)close(h->dir);
	}
	if (r < 0) {
		gk_free(s->ctx, h);
		return tell(r, &text, why, whylen);
	}
	*ret = h;
	return 0;
}

static void
drop(void *user, struct gk_hold *h)
{
	struct gk_stores *s = user;

	if (h == NULL)
		return;
	gk_lock_drop(h->lock);
	(void)close(h->dir);
	gk_free(s->ctx, h);
}

/* Is what lies there still what the writer has read?  1, 0, or the error where
 * that cannot be told. */
static int
unchanged(int dir, const char *name, const struct gk_stamp *seen,
    struct gk_why *why)
{
	struct gk_fstat st;
	struct gk_stamp now, then;
	int r;

	r = gk_file_stat(dir, name, &st, why);
	if (r < 0 && r != GENKAN_E_NOENT)
		return r;
	if (seen == NULL || gk_stamp_is_zero(seen))
		return r == GENKAN_E_NOENT;
	if (r < 0)
		return 0;
	to_stamp(&st, &now);
	then = *seen;
	then.size &= ~GK_STAMP_YOUNG;
	return gk_stamp_equal(&now, &then);
}

static int
replace(void *user, struct gk_hold *h, int record, const void *bytes,
    size_t len, const struct gk_stamp *seen, char *why, size_t whylen)
{
	struct gk_stores *s = user;
	const char *name = gk_record_file(record);
	struct gk_file_new file;
	struct gk_why text = { 0, "" };
	int r = 0, dir = h != NULL ? h->dir : -1;

	if (h == NULL)
		r = gk_dirs_make(s->place->state, &dir, &text);
	if (r < 0)
		return tell(r, &text, why, whylen);
	r = gk_file_begin(dir, name, NULL, bytes, len, 0600, GK_FILE_SYNC,
	    &file, &text);
	if (r == 0) {
		r = unchanged(dir, name, seen, &text);
		if (r == 0)
			r = gk_why_set(&text, GENKAN_E_AGAIN, 0,
			    "was changed by another program");
		if (r > 0)
			r = gk_file_commit(&file, &text);
		else
			gk_file_cancel(&file);
	}
	if (h == NULL)
		(void)close(dir);
	return r < 0 ? tell(r, &text, why, whylen) : 0;
}

static int
take_away(void *user, struct gk_hold *h, int record, char *why, size_t whylen)
{
	struct gk_why text = { 0, "" };
	int r;

	(void)user;
	r = gk_file_unlink(h->dir, gk_record_file(record), &text);
	/* Also where it is gone already, perhaps not for good. */
	if (r == 0)
		r = gk_file_sync_dir(h->dir, &text);
	return r < 0 ? tell(r, &text, why, whylen) : 0;
}

/* ----------------------------------------------------------------- audit */

static void
audit(void *user, const struct gk_audit *rec)
{
	struct gk_stores *s = user;

	gk_auditlog_put(&s->audit, rec);
}

static int
trail(void *user, struct gk_buf *ret, char *why, size_t whylen)
{
	struct gk_stores *s = user;
	struct gk_why text = { 0, "" };
	int r = gk_auditlog_read(s->place, ret, &text);

	return r < 0 ? tell(r, &text, why, whylen) : 0;
}

static const char *
trail_path(void *user)
{
	struct gk_stores *s = user;

	return s->trail;
}

static uint64_t
unix_time(void *user)
{
	(void)user;
	return gk_clock_wall_ms() / 1000;
}

/* ---------------------------------------------------------------- object */

static const struct gk_store table = {
	.load = load,
	.stamp = stamp,
	.secret = secret,
	.path = path,
	.hold = hold,
	.drop = drop,
	.replace = replace,
	.remove = take_away,
	.audit = audit,
	.trail = trail,
	.trail_path = trail_path,
	.unix_time = unix_time,
};

/* "<state>/<file>"; NULL on lack of memory. */
static char *
path_of(struct genkan_ctx *ctx, const struct gk_place *place,
    const char *file)
{
	const size_t len = strlen(place->state) + strlen(file) + 2;
	char *ret = gk_malloc(ctx, len);

	if (ret != NULL)
		(void)snprintf(ret, len, "%s/%s", place->state, file);
	return ret;
}

int
gk_stores_init(struct gk_stores *s, struct genkan_ctx *ctx,
    const struct gk_place *place)
{
	bool whole;
	int i;

	memset(s, 0, sizeof(*s));
	s->store = table;
	s->store.user = s;
	s->ctx = ctx;
	s->place = place;
	gk_statedir_init(&s->dir, ctx, place->state);
	gk_auditlog_init(&s->audit, ctx, &s->dir);
	s->trail = path_of(ctx, place, GK_AUDITLOG_FILE);
	whole = s->trail != NULL;
	for (i = 0; whole && i < GK_RECORD_END; i++) {
		s->path[i] = path_of(ctx, place, gk_record_file(i));
		whole = s->path[i] != NULL;
	}
	if (whole)
		return 0;
	gk_stores_done(s);
	return GENKAN_E_NOMEM;
}

void
gk_stores_done(struct gk_stores *s)
{
	int i;

	for (i = 0; i < GK_RECORD_END; i++) {
		gk_free(s->ctx, s->path[i]);
		s->path[i] = NULL;
	}
	gk_free(s->ctx, s->trail);
	s->trail = NULL;
	gk_auditlog_done(&s->audit);
	gk_statedir_done(&s->dir);
}
