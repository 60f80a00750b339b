#include "local/register.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/look.h"
#include "records/manifest.h"
#include "records/store.h"
#include "records/wrapper.h"

static const char *const kinds[] = {
	[GK_REG_MISSING] = "missing",
	[GK_REG_OK] = "ok",
	[GK_REG_STALE] = "stale",
	[GK_REG_FOREIGN] = "foreign",
	[GK_REG_UNREADABLE] = "unreadable",
};

const char *
gk_reg_kind_name(enum gk_reg_kind kind)
{
	return kinds[kind];
}

/* ------------------------------------------------------------- looking */

static void
set(struct gk_reg_state *ret, enum gk_reg_kind kind, const char *fmt, ...)
    GK_PRINTF(3, 4);

static void
set(struct gk_reg_state *ret, enum gk_reg_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(ret->detail, sizeof(ret->detail), fmt, ap);
	va_end(ap);
	ret->kind = kind;
}

/* Of another length, so of other bytes: a gigabyte need not be read for that. */
static bool
other_size(const struct gk_reg_host *host, const char *path)
{
	struct gk_fstat st;

	return host->size != 0 && gk_look_executable(path, NULL) == 0 &&
	    gk_file_stat_path(path, &st, NULL) == 0 && st.size != host->size;
}

/* The program that a wrapper starts, against the one installed here. */
static void
look_program(struct genkan_ctx *ctx, const struct gk_reg_host *host,
    const char *path, struct gk_reg_state *ret)
{
	struct gk_why why;
	char hash[65];

	if (host->hash[0] == '\0')
		set(ret, GK_REG_STALE, "this installation has no usable "
		    "genkan-host: %s", host->why);
	else if (other_size(host, path))
		set(ret, GK_REG_STALE, "it starts %s, which is not the "
		    "genkan-host of this installation", path);
	else if (gk_look_program(ctx, path, hash, &why) < 0)
		set(ret, GK_REG_STALE, "its program cannot be used: %s",
		    why.text);
	else if (strcmp(hash, host->hash) != 0)
		set(ret, GK_REG_STALE, "it starts %s, which is not the "
		    "genkan-host of this installation", path);
	else
		set(ret, GK_REG_OK, "%s", "");
}

static void
look_wrapper(struct genkan_ctx *ctx, const struct gk_reg_host *host,
    const char *path, struct gk_reg_state *ret)
{
	struct gk_wrapper wrapper;
	struct gk_why why;
	struct gk_buf bytes;
	const char *reason;

	gk_buf_init(&bytes, ctx, GK_MANIFEST_MAX + 1);
	if (gk_look_file(path, GK_MANIFEST_MAX, &bytes, NULL, &why) < 0)
		set(ret, GK_REG_STALE, "its wrapper cannot be read: %s",
		    why.text);
	else if (gk_wrapper_parse(bytes.ptr, bytes.len, &wrapper, &reason) < 0)
		set(ret, GK_REG_STALE, "%s is no wrapper of genkan: %s", path,
		    reason);
	else if (gk_look_executable(path, &why) < 0)
		set(ret, GK_REG_STALE, "its wrapper cannot be started: %s",
		    why.text);
	else
		look_program(ctx, host, wrapper.path, ret);
	gk_buf_done(&bytes);
}

static void
look_manifest(struct genkan_ctx *ctx, const struct gk_reg_host *host,
    const struct gk_manifest *m, struct gk_reg_state *ret)
{
	if (!m->ours)
		set(ret, GK_REG_FOREIGN, "written by something else than "
		    "genkan");
	else if (m->foreign_origin)
		set(ret, GK_REG_STALE, "it names another extension");
	else if (m->not_stdio)
		set(ret, GK_REG_STALE, "its type is not stdio");
	else if (m->path[0] != '/')
		set(ret, GK_REG_STALE, "it names no program");
	else
		look_wrapper(ctx, host, m->path, ret);
}

/* 0 and *ret, or the state that follows from what went wrong. */
static int
read_manifest(struct genkan_ctx *ctx, const char *path,
    struct gk_manifest *ret, struct gk_reg_state *state, struct gk_why *why)
{
	char reason[GK_WHY_MAX];
	struct gk_buf bytes;
	int r;

	*why = (struct gk_why){ 0, "" };
	gk_buf_init(&bytes, ctx, GK_MANIFEST_MAX + 1);
	r = gk_look_file(path, GK_MANIFEST_MAX, &bytes, NULL, why);
	if (r == GENKAN_E_NOENT)
		set(state, GK_REG_MISSING, "%s", "");
	else if (r < 0)
		set(state, GK_REG_UNREADABLE, "%s", why->text);
	else if ((r = gk_manifest_parse(ctx, bytes.ptr, bytes.len, ret,
	    reason, sizeof(reason))) < 0)
		set(state, GK_REG_UNREADABLE, "%s", reason);
	gk_buf_done(&bytes);
	return r;
}

void
gk_reg_look(struct genkan_ctx *ctx, const struct gk_reg_host *host,
    const char *manifest, struct gk_reg_state *ret)
{
	struct gk_manifest m;
	struct gk_why why;

	memset(ret, 0, sizeof(*ret));
	if (read_manifest(ctx, manifest, &m, ret, &why) == 0)
		look_manifest(ctx, host, &m, ret);
}

/* ------------------------------------------------------------- writing */

/* Whether a name may be overwritten: nothing there, or a regular file of the
 * user. */
static int
may_replace(int dir, const char *name, struct gk_why *why)
{
	struct gk_fstat st;
	int r = gk_file_stat(dir, name, &st, why);

	if (r == GENKAN_E_NOENT)
		return 0;
	if (r < 0)
		return r;
	if (!S_ISREG(st.mode) || st.uid != gk_look_euid())
		return gk_why_set(why, GENKAN_E_NOT_OURS, 0,
		    "%s: not a regular file of this user", name);
	return 0;
}

static int
write_wrapper(struct genkan_ctx *ctx, const struct gk_reg_host *host,
    const struct gk_target *t, struct gk_why *why)
{
	struct gk_buf bytes;
	int dir = -1, r;

	gk_buf_init(&bytes, ctx, GK_MANIFEST_MAX);
	r = gk_wrapper_format(host->path, t->label, &bytes);
	if (r < 0) {
		(void)gk_why_set(why, r, 0, "%s cannot be started by a "
		    "wrapper", host->path);
		goto out;
	}
	r = t->system ? gk_dirs_make_plain(t->wrappers, 0755, &dir, why) :
	    gk_dirs_make(t->wrappers, &dir, why);
	if (r < 0)
		goto out;
	if ((r = may_replace(dir, t->wrapper, why)) < 0 ||
	    (r = gk_file_replace(dir, t->wrapper, bytes.ptr, bytes.len, 0755,
	    why)) < 0)
		gk_why_prefix(why, t->wrappers);
out:
	if (dir >= 0)
		(void)close(dir);
	gk_buf_done(&bytes);
	return r;
}

static int
write_manifest(struct genkan_ctx *ctx, const struct gk_target *t,
    struct gk_why *why)
{
	char wrapper[GK_PATH_MAX + GK_WRAPPER_NAME];
	struct gk_buf bytes;
	int dir = -1, r;

	(void)snprintf(wrapper, sizeof(wrapper), "%s/%s", t->wrappers,
	    t->wrapper);
	gk_buf_init(&bytes, ctx, GK_MANIFEST_MAX);
	if ((r = gk_manifest_format(wrapper, &bytes)) < 0) {
		(void)gk_why_set(why, r, 0, "%s cannot be named in a manifest",
		    wrapper);
		goto out;
	}
	r = gk_dirs_make_plain(t->dir, t->system ? 0755 : 0700, &dir, why);
	if (r == 0)
		r = gk_file_replace(dir, strrchr(t->manifest, '/') + 1,
		    bytes.ptr, bytes.len, 0644, why);
out:
	if (dir >= 0)
		(void)close(dir);
	gk_buf_done(&bytes);
	return r;
}

/* Only what is missing or ours is written over. */
static int
may_write(struct genkan_ctx *ctx, const struct gk_target *t,
    struct gk_why *why)
{
	struct gk_reg_state state;
	struct gk_manifest m;
	int r;

	memset(&state, 0, sizeof(state));
	r = read_manifest(ctx, t->manifest, &m, &state, why);
	if (r == GENKAN_E_NOENT || (r == 0 && m.ours))
		return 0;
	if (r == 0)
		return gk_why_set(why, GENKAN_E_NOT_OURS, 0,
		    "%s was written by something else than genkan",
		    t->manifest);
	if (gk_why_no_answer(r, why))
		return gk_why_set(why, r, 0, "%s", state.detail);
	return gk_why_set(why, GENKAN_E_NOT_OURS, 0,
	    "what lies at %s cannot be read: %s", t->manifest, state.detail);
}

int
gk_reg_write(struct genkan_ctx *ctx, const struct gk_reg_host *host,
    const struct gk_target *t, struct gk_why *why)
{
	int r;

	if ((r = may_write(ctx, t, why)) < 0 ||
	    (r = write_wrapper(ctx, host, t, why)) < 0)
		return r;
	return write_manifest(ctx, t, why);
}

/* ------------------------------------------------------------ removing */

static int
unlink_in(const char *path, const char *name, struct gk_why *why)
{
	int dir, r;

	if ((r = gk_look_dir(path, 0, &dir, why)) < 0)
		return r;
	r = gk_file_unlink(dir, name, why);
	(void)close(dir);
	return r < 0 ? r : 1;
}

int
gk_reg_remove(struct genkan_ctx *ctx, const struct gk_target *t,
    struct gk_why *why)
{
	struct gk_reg_state state;
	struct gk_manifest m;
	int r;

	memset(&state, 0, sizeof(state));
	r = read_manifest(ctx, t->manifest, &m, &state, why);
	if (r == GENKAN_E_NOENT)
		return 0;
	if (gk_why_no_answer(r, why))
		return gk_why_set(why, r, 0, "%s", state.detail);
	if (r < 0)
		return gk_why_set(why, GENKAN_E_NOT_OURS, 0,
		    "%s: left alone, it cannot be read: %s", t->manifest,
		    state.detail);
	if (!m.ours)
		return gk_why_set(why, GENKAN_E_NOT_OURS, 0,
		    "%s: left alone, it was written by something else than "
		    "genkan", t->manifest);
	return unlink_in(t->dir, strrchr(t->manifest, '/') + 1, why);
}

int
gk_reg_remove_wrapper(struct genkan_ctx *ctx, const char *path,
    const char *name, struct gk_why *why)
{
	struct gk_wrapper wrapper;
	const char *reason = "";
	struct gk_buf bytes;
	int dir, r;

	if ((r = gk_look_dir(path, 0, &dir, why)) < 0)
		return r == GENKAN_E_NOENT ? 0 : r;
	gk_buf_init(&bytes, ctx, GK_MANIFEST_MAX + 1);
	r = gk_file_read(dir, name, GK_MANIFEST_MAX, GK_FILE_OWNED, &bytes,
	    NULL, why);
	if (r == GENKAN_E_NOENT) {
		r = 0;
		goto out;
	}
	if (gk_why_no_answer(r, why))
		goto out;
	if (r < 0 || gk_wrapper_parse(bytes.ptr, bytes.len, &wrapper,
	    &reason) < 0) {
		r = gk_why_set(why, GENKAN_E_NOT_OURS, 0, "%s/%s: left alone, "
		    "it is no wrapper of genkan", path, name);
		goto out;
	}
	r = gk_file_unlink(dir, name, why);
	if (r == 0)
		r = 1;
out:
	gk_buf_done(&bytes);
	(void)close(dir);
	return r;
}
