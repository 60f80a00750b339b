#include "local/install.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "os/look.h"

#define TAG	"attest"

static const unsigned roles[] = {
	GK_ROLE_SERVER, GK_ROLE_HOST, GK_ROLE_CLI
};

static void
directory_of(const char *path, char ret[GK_PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t n = slash == NULL ? 0 : (size_t)(slash - path);

	if (n == 0)
		n = 1;		/* the root itself */
	memcpy(ret, path, n);
	ret[n] = '\0';
}

/* 0 also for one that is left out; an error where it could not be looked at. */
static int
add_sibling(struct genkan_ctx *ctx, int dir, unsigned role,
    struct gk_install *in, struct gk_notes *notes, struct gk_why *ret)
{
	const char *name = gk_role_program(role);
	struct gk_image image;
	struct gk_fstat st;
	struct gk_why why = { 0, "" };
	int r;

	/* The running image under its own name is in the set already. */
	if (gk_file_stat(dir, name, &st, NULL) == 0 &&
	    st.dev == in->self.st.dev && st.ino == in->self.st.ino &&
	    (gk_installset_roles(&in->set, in->self.hash) & role) != 0)
		return 0;
	r = gk_image_file(ctx, dir, name, &image, &why);
	if (r == 0 && (r = gk_installset_add(&in->set, image.hash, role)) < 0)
		(void)gk_why_set(&why, r, 0, "%s", gk_err_text(r));
	if (r == 0)
		return 0;
	gk_notes_add(notes, GK_LOG_WARN, TAG, "sibling-left-out",
	    "%s/%s is not part of the install set: %.300s", in->dir, name,
	    why.text);
	return gk_why_shortage(r, &why) ? gk_why_set(ret, r, 0, "%s/%s: %.300s",
	    in->dir, name, why.text) : 0;
}

/* Of in->dir.  Who is left out for want of memory or descriptors would be a
 * stranger for as long as this program runs, so that is a failure. */
static int
add_siblings(struct genkan_ctx *ctx, struct gk_install *in,
    struct gk_notes *notes, struct gk_why *why)
{
	int dir, r = 0;
	size_t i;

	dir = open(in->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 && gk_why_is_want(errno))
		return gk_why_set(why, GENKAN_E_IO, errno, "%s", in->dir);
	if (dir < 0) {
		gk_notes_add(notes, GK_LOG_WARN, TAG, "no-directory",
		    "program directory %s cannot be opened: the install set "
		    "is this program alone", in->dir);
		return 0;
	}
	for (i = 0; r == 0 && i < GK_ARRAY_LEN(roles); i++)
		r = add_sibling(ctx, dir, roles[i], in, notes, why);
	(void)close(dir);
	return r;
}

int
gk_install_siblings(struct genkan_ctx *ctx, const char *dir,
    struct gk_install *ret, struct gk_notes *notes, struct gk_why *why)
{
	memset(ret, 0, sizeof(*ret));
	gk_installset_init(&ret->set);
	(void)gk_str_copy(ret->dir, sizeof(ret->dir), dir, strlen(dir));
	return add_siblings(ctx, ret, notes, why);
}

int
gk_install_scan(struct genkan_ctx *ctx, unsigned role, struct gk_install *ret,
    struct gk_notes *notes, struct gk_why *why)
{
	int r;

	gk_installset_init(&ret->set);
	r = gk_image_self(ctx, &ret->self, why);
	if (r == 0)
		r = gk_installset_add(&ret->set, ret->self.hash, role);
	if (r < 0) {
		gk_why_prefix(why, "own image cannot be measured");
		return r;
	}
	gk_look_unmark(ret->self.path);
	directory_of(ret->self.path, ret->dir);
	r = add_siblings(ctx, ret, notes, why);
	if (r < 0) {
		gk_why_prefix(why, "install set");
		return r;
	}
	gk_notes_add(notes, GK_LOG_INFO, TAG, "active",
	    "peer attestation active, own image %.12s", ret->self.hash);
	return 0;
}

enum gk_replaced_verdict
gk_replaced_glance(const struct gk_install *in, struct gk_replaced *rp)
{
	struct gk_fstat st;
	struct gk_why why;
	int r;

	if (rp->replaced)
		return GK_REPLACED_YES;
	r = gk_file_stat_path(in->self.path, &st, &why);
	if (r == GENKAN_E_NOENT || (r == 0 && !S_ISREG(st.mode))) {
		rp->replaced = true;
		return GK_REPLACED_YES;
	}
	if (r < 0)
		return GK_REPLACED_NO;	/* nothing was found out */
	if (st.dev == in->self.st.dev && st.ino == in->self.st.ino)
		return GK_REPLACED_NO;
	if (rp->judged && gk_file_stat_same(&st, &rp->last))
		return GK_REPLACED_NO;
	return GK_REPLACED_HASH;
}

bool
gk_replaced_look(struct genkan_ctx *ctx, const struct gk_install *in,
    struct gk_replaced *rp)
{
	struct gk_fstat st;
	char hash[65];
	int fd, r;

	if (gk_replaced_glance(in, rp) != GK_REPLACED_HASH)
		return rp->replaced;
	fd = open(in->self.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		rp->replaced = errno == ENOENT || errno == ENOTDIR;
		return rp->replaced;
	}
	r = gk_file_stat_fd(fd, &st, NULL);
	/* Of another length, so of other bytes: nothing to read for that. */
	hash[0] = '\0';
	if (r == 0 && st.size == in->self.st.size)
		r = gk_image_fd(ctx, fd, hash, NULL);
	(void)close(fd);
	if (r < 0)
		return false;
	rp->replaced = strcmp(hash, in->self.hash) != 0;
	rp->judged = true;
	rp->last = st;
	return rp->replaced;
}
