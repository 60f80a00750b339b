#include "local/lockfile.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "local/place.h"
#include "os/file.h"

int
gk_lockfile_read(struct genkan_ctx *ctx, int dir, struct gk_runlock *ret,
    struct gk_why *why)
{
	char text[256];
	struct gk_buf raw;
	int r;

	/* The buffer wipes what it held; nothing else ever sees the bytes. */
	gk_buf_init(&raw, ctx, GK_LOCK_FILE_MAX + 1);
	r = gk_file_read(dir, GK_PLACE_LOCK, GK_LOCK_FILE_MAX, GK_FILE_OWNED,
	    &raw, NULL, why);
	if (r == 0) {
		r = gk_runlock_parse(ctx, raw.ptr, raw.len, ret, text,
		    sizeof(text));
		if (r < 0)
			(void)gk_why_set(why, r, 0, "%s: %s", GK_PLACE_LOCK,
			    text);
	}
	gk_buf_done(&raw);
	return r;
}

int
gk_lockfile_write(struct genkan_ctx *ctx, int dir,
    const struct gk_runlock *lock, struct gk_why *why)
{
	struct gk_file_new file;
	struct gk_buf raw;
	int r;

	gk_buf_init(&raw, ctx, GK_LOCK_FILE_MAX);
	r = gk_runlock_format(lock, &raw);
	if (r < 0) {
		(void)gk_why_set(why, r, 0, "%s cannot be written: the paths "
		    "of this user are not valid UTF-8, or too long",
		    GK_PLACE_LOCK);
		goto out;
	}
	r = gk_file_begin(dir, GK_PLACE_LOCK, GK_PLACE_TMP, raw.ptr, raw.len,
	    0600, 0, &file, why);
	if (r == 0)
		r = gk_file_commit(&file, why);
out:
	gk_buf_done(&raw);
	return r;
}

/* The last component of path if it lies directly in dir, else NULL. */
static const char *
inside(const char *dir, const char *path)
{
	const size_t n = strlen(dir);
	const char *name;

	if (strncmp(path, dir, n) != 0 || path[n] != '/')
		return NULL;
	name = path + n + 1;
	return *name == '\0' || strchr(name, '/') != NULL ? NULL : name;
}

int
gk_lockfile_remove(int dir, const char *runtime,
    const struct gk_runlock *lock, struct gk_why *why)
{
	const char *sock = lock == NULL ? NULL :
	    inside(runtime, lock->endpoint);

	if (sock != NULL)
		(void)gk_file_unlink_socket(dir, sock, NULL);
	return gk_file_unlink(dir, GK_PLACE_LOCK, why);
}
