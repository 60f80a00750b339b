#include "local/measure.h"

#include <unistd.h>

#include "base/str.h"
#include "local/install.h"
#include "os/proc.h"
#include "os/sock.h"

static void
why_not(struct gk_peer *p, int r, const struct gk_why *why)
{
	p->shortage = gk_why_shortage(r, why) != 0;
	(void)gk_str_copy(p->why, sizeof(p->why), why->text,
	    strlen(why->text));
}

static void
fill(struct gk_measure *m, const struct gk_image *image)
{
	m->ok = true;
	memcpy(m->hash, image->hash, sizeof(m->hash));
	(void)gk_str_copy(m->path, sizeof(m->path), image->path,
	    strlen(image->path));
}

void
gk_measure_harness(struct genkan_ctx *ctx, struct gk_measure *ret)
{
	struct gk_proc proc = GK_PROC_INIT;
	struct gk_image image;

	memset(ret, 0, sizeof(*ret));
	if (gk_proc_parent(&proc, NULL) < 0)
		return;
	if (gk_proc_measure(ctx, &proc, &image, NULL) == 0)
		fill(ret, &image);
	gk_proc_done(&proc);
}

/* Hash and, for an image of ours, the code that is mapped beside it. */
static int
measure(struct genkan_ctx *ctx, const struct gk_proc *proc,
    const struct gk_install *in, int64_t most, struct gk_peer *ret)
{
	struct gk_image image;
	struct gk_why why;
	unsigned has;
	int r;

	r = gk_proc_measure_most(ctx, proc, most, &image, &why);
	if (r < 0) {
		why_not(ret, r, &why);
		return r == GENKAN_E_LIMIT ? r : 0;
	}
	has = gk_installset_roles(&in->set, image.hash);
	if (has != 0)
		r = gk_proc_code(proc, &image, in->dir, &why);
	if (r < 0) {
		why_not(ret, r, &why);
		return 0;
	}
	ret->roles = has;
	fill(&ret->image, &image);
	return 0;
}

static int
measure_peer(struct genkan_ctx *ctx, int fd, const struct gk_install *in,
    int64_t most, struct gk_peer *ret)
{
	struct gk_proc proc = GK_PROC_INIT;
	struct gk_why why;
	uint32_t uid;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = gk_sock_cred(fd, &uid, &ret->pid, &why);
	if (r < 0) {
		why_not(ret, r, &why);
		return 0;
	}
	ret->uid_known = true;
	ret->uid_ours = uid == geteuid();
	if (!ret->uid_ours)
		return 0;
	r = gk_proc_peer(fd, &proc, &why);
	if (r < 0) {
		why_not(ret, r, &why);
		return 0;
	}
	r = measure(ctx, &proc, in, most, ret);
	gk_proc_done(&proc);
	return r;
}

void
gk_measure_peer(struct genkan_ctx *ctx, int fd, const struct gk_install *in,
    struct gk_peer *ret)
{
	(void)measure_peer(ctx, fd, in, GK_IMAGE_MAX, ret);
}

int
gk_measure_peer_quick(struct genkan_ctx *ctx, int fd,
    const struct gk_install *in, struct gk_peer *ret)
{
	return measure_peer(ctx, fd, in, GK_IMAGE_QUICK, ret);
}

void
gk_measure_pid(struct genkan_ctx *ctx, int64_t pid,
    const struct gk_install *in, struct gk_peer *ret)
{
	struct gk_proc proc = GK_PROC_INIT;
	struct gk_why why;
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	r = gk_proc_pid(pid, &proc, &why);
	if (r < 0) {
		why_not(ret, r, &why);
		return;
	}
	(void)measure(ctx, &proc, in, GK_IMAGE_MAX, ret);
	gk_proc_done(&proc);
}
