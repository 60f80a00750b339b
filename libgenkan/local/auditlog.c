#include "local/auditlog.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "os/append.h"
#include "os/clock.h"
#include "os/env.h"
#include "os/lock.h"
#include "records/auditrec.h"

#define TAG	"audit"

void
gk_auditlog_init(struct gk_auditlog *l, struct genkan_ctx *ctx,
    struct gk_statedir *dir)
{
	const char *form = gk_env_get("GENKAN_LOG_FORMAT");

	memset(l, 0, sizeof(*l));
	l->ctx = ctx;
	l->dir = dir;
	l->fd = -1;
	l->json = form != NULL && strcmp(form, "json") == 0;
}

/* ----------------------------------------------------------------- writing */

/*
 * Moves a full file out of the way.  Whoever has the lock looks again, since
 * another process may just have done it; whoever has it not goes on with what
 * is there: nothing waits for a rotation.
 */
static void
rotate(int dir, size_t more)
{
	struct gk_fstat st;
	int lock;

	if (gk_lock_take(dir, GK_AUDITLOG_LOCK, 0, &lock, NULL) < 0)
		return;
	if (gk_file_stat(dir, GK_AUDITLOG_FILE, &st, NULL) == 0 &&
	    st.size > 0 && st.size + more > GK_AUDIT_FILE_MAX)
		(void)gk_append_rotate(dir, GK_AUDITLOG_FILE, GK_AUDITLOG_OLD,
		    NULL);
	gk_lock_drop(lock);
}

static void
shut(struct gk_auditlog *l)
{
	gk_file_close(l->fd);
	l->fd = -1;
}

static int
reopen(struct gk_auditlog *l, int dir, struct gk_fstat *st,
    struct gk_why *why)
{
	int r;

	shut(l);
	r = gk_append_open(dir, GK_AUDITLOG_FILE, &l->fd, st, why);
	if (r == 0) {
		l->dev = st->dev;
		l->ino = st->ino;
		l->end = 0;
	}
	return r;
}

/* The file that has the name now, with the bits it should have. */
static int
ready(struct gk_auditlog *l, int dir, struct gk_fstat *st, struct gk_why *why)
{
	if (l->fd >= 0 && gk_file_stat(dir, GK_AUDITLOG_FILE, st, NULL) == 0 &&
	    st->dev == l->dev && st->ino == l->ino &&
	    (st->mode & 07777) == 0600)
		return 0;
	return reopen(l, dir, st, why);
}

/* What was seen in this very millisecond, our own lines added, if that leaves
 * nothing to be done about the file. */
static bool
was_ready(const struct gk_auditlog *l, size_t more, uint64_t now,
    struct gk_fstat *st)
{
	st->size = l->end;
	return l->fd >= 0 && l->looked == now &&
	    l->end + more <= GK_AUDIT_FILE_MAX;
}

/* The file to append to, with room. */
static int
open_for(struct gk_auditlog *l, int dir, size_t more, uint64_t now,
    struct gk_fstat *st, struct gk_why *why)
{
	int r;

	if (was_ready(l, more, now, st))
		return 0;
	r = ready(l, dir, st, why);
	if (r == 0 && st->size > 0 && st->size + more > GK_AUDIT_FILE_MAX) {
		rotate(dir, more);
		r = ready(l, dir, st, why);
	}
	return r;
}

static int
append(struct gk_auditlog *l, int dir, const struct gk_buf *line,
    uint64_t now, struct gk_why *why)
{
	struct gk_fstat st;
	int r;

	r = open_for(l, dir, line->len, now, &st, why);
	if (r == 0)
		r = gk_append_line(l->fd, line->ptr, line->len,
		    st.size != l->end && gk_append_is_torn(l->fd), why);
	l->looked = r < 0 ? 0 : now;
	l->end = r < 0 ? 0 : st.size + (uint64_t)r;
	return r < 0 ? r : 0;
}

/* The directory, made where it is missing: this is about to write. */
static int
directory(struct gk_auditlog *l, int *ret, struct gk_why *why)
{
	int r, dir;

	r = gk_statedir_get(l->dir, ret, why);
	if (r != GENKAN_E_NOENT)
		return r;
	r = gk_dirs_make(l->dir->path, &dir, why);
	if (r < 0)
		return r;
	(void)close(dir);
	return gk_statedir_get(l->dir, ret, why);
}

static int
write_record(struct gk_auditlog *l, const struct gk_audit *rec,
    const struct gk_audit_when *when, struct gk_why *why)
{
	struct gk_buf line;
	int r, dir = -1;

	gk_buf_init(&line, l->ctx, GK_AUDIT_LINE_MAX);
	r = gk_auditrec_put(&line, rec, when);
	if (r == 0)
		r = gk_buf_putc(&line, '\n');
	if (r < 0)
		(void)gk_why_set(why, r, 0, "out of memory");
	if (r == 0)
		r = directory(l, &dir, why);
	if (r == 0)
		r = append(l, dir, &line, when->ts_ms, why);
	gk_buf_done(&line);
	return r;
}

/* Not through gk_log(): a record is cut nowhere but in its strings, and what
 * is JSON has to stay JSON. */
static void
echo(const struct gk_auditlog *l, const struct gk_audit *rec,
    const struct gk_audit_when *when)
{
	struct gk_buf line;
	int r;

	if (!gk_log_wants(l->ctx, GK_LOG_INFO))
		return;
	gk_buf_init(&line, l->ctx, GK_AUDIT_LINE_MAX);
	r = l->json ? gk_auditrec_echo_json(&line, rec, when) :
	    gk_auditrec_echo(&line, rec, when);
	if (r == 0)
		r = gk_buf_putc(&line, '\0');
	if (r == 0)
		gk_log_line(l->ctx, GK_LOG_INFO, TAG, l->json ?
		    "audit-json" : "audit-text", (const char *)line.ptr);
	gk_buf_done(&line);
}

void
gk_auditlog_put(struct gk_auditlog *l, const struct gk_audit *rec)
{
	const struct gk_audit_when when = { gk_clock_wall_ms(), l->dropped };
	struct gk_why why = { 0, "" };

	echo(l, rec, &when);
	if (write_record(l, rec, &when, &why) == 0) {
		l->dropped = 0;
		return;
	}
	if (l->dropped++ == 0)
		gk_log(l->ctx, GK_LOG_WARN, TAG, "audit-lost",
		    "the audit trail in %s cannot be written: %s",
		    l->dir->path, why.text);
}

void
gk_auditlog_done(struct gk_auditlog *l)
{
	shut(l);
}

/* ----------------------------------------------------------------- reading */

static int
read_one(int dir, const char *name, struct gk_buf *ret, struct gk_why *why)
{
	const size_t before = ret->len;
	int r;

	r = gk_file_read(dir, name, GK_AUDITLOG_READ_MAX, GK_FILE_OWNED |
	    GK_FILE_TAIL, ret, NULL, why);
	/* A torn end must not swallow the first line of the next file. */
	if (r == 0 && ret->len > before && ret->ptr[ret->len - 1] != '\n')
		r = gk_buf_putc(ret, '\n');
	return r == GENKAN_E_NOENT ? 0 : r;
}

/* What lies in the place of the older file and cannot be read hides nothing of
 * the other one: a line that is no record tells of it, where its were. */
static int
read_old(int dir, struct gk_buf *ret, struct gk_why *why)
{
	const size_t before = ret->len;
	int r = read_one(dir, GK_AUDITLOG_OLD, ret, why);

	if (r >= 0 || gk_why_shortage(r, why))
		return r;
	gk_buf_truncate(ret, before);
	r = gk_str_put_line(ret, why->text, strlen(why->text),
	    sizeof(why->text));
	return r < 0 ? r : gk_buf_putc(ret, '\n');
}

int
gk_auditlog_read(const struct gk_place *place, struct gk_buf *ret,
    struct gk_why *why)
{
	int r, dir;

	r = gk_dirs_open(place->state, &dir, why);
	if (r < 0)
		return r == GENKAN_E_NOENT ? 0 : r;
	r = read_old(dir, ret, why);
	if (r == 0)
		r = read_one(dir, GK_AUDITLOG_FILE, ret, why);
	(void)close(dir);
	return r;
}
