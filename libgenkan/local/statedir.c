#include "local/statedir.h"

#include "os/dirs.h"
#include "os/file.h"

void
gk_statedir_init(struct gk_statedir *d, struct genkan_ctx *ctx,
    const char *path)
{
	d->ctx = ctx;
	d->path = path;
	d->fd = -1;
	d->looked = -1;
	d->dev = 0;
	d->ino = 0;
}

void
gk_statedir_done(struct gk_statedir *d)
{
	gk_file_close(d->fd);
	d->fd = -1;
}

static int
reopen(struct gk_statedir *d, struct gk_why *why)
{
	struct gk_fstat st;
	int r, fd;

	gk_statedir_done(d);
	r = gk_dirs_open(d->path, &fd, why);
	if (r < 0)
		return r;
	r = gk_file_stat_fd(fd, &st, why);
	if (r < 0) {
		gk_file_close(fd);
		return r;
	}
	d->fd = fd;
	d->dev = st.dev;
	d->ino = st.ino;
	return 0;
}

int
gk_statedir_get(struct gk_statedir *d, int *ret, struct gk_why *why)
{
	int r = 0;

	if (d->fd < 0 || (d->looked != gk_now(d->ctx) &&
	    !gk_dirs_is(d->path, d->dev, d->ino)))
		r = reopen(d, why);
	if (r < 0)
		return r;
	d->looked = gk_now(d->ctx);
	*ret = d->fd;
	return 0;
}
