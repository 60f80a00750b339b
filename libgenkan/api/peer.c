#include "genkan/peer.h"

#include "base/alloc.h"
#include "base/str.h"
#include "local/install.h"
#include "local/measure.h"

_Static_assert(GENKAN_ROLE_SERVER == GK_ROLE_SERVER &&
    GENKAN_ROLE_HOST == GK_ROLE_HOST && GENKAN_ROLE_CLI == GK_ROLE_CLI,
    "roles are one list");

struct genkan_peer {
	struct genkan_ctx	*ctx;
	struct gk_peer		 facts;
};

int
genkan_peer_query(genkan_ctx *ctx, int fd, const char *dir,
    genkan_peer **ret)
{
	struct gk_install *in;
	struct genkan_peer *p;
	int r = GENKAN_E_NOMEM;

	if (ctx == NULL || fd < 0 || dir == NULL || ret == NULL ||
	    strlen(dir) >= sizeof(in->dir))
		return GENKAN_E_INVAL;
	in = gk_calloc(ctx, 1, sizeof(*in));
	p = gk_calloc(ctx, 1, sizeof(*p));
	if (in == NULL || p == NULL)
		goto out;
	r = gk_install_siblings(ctx, dir, in, NULL, NULL);
	if (r < 0)
		goto out;
	p->ctx = ctx;
	gk_measure_peer(ctx, fd, in, &p->facts);
	*ret = p;
	p = NULL;
out:
	gk_free(ctx, in);
	gk_free(ctx, p);
	return r;
}

void
genkan_peer_free(genkan_peer *p)
{
	if (p != NULL)
		gk_free(p->ctx, p);
}

int
genkan_peer_same_user(const genkan_peer *p)
{
	return p != NULL && p->facts.uid_known && p->facts.uid_ours;
}

int64_t
genkan_peer_pid(const genkan_peer *p)
{
	return p == NULL ? 0 : p->facts.pid;
}

const char *
genkan_peer_hash(const genkan_peer *p)
{
	return p == NULL || !p->facts.image.ok ? NULL : p->facts.image.hash;
}

const char *
genkan_peer_path(const genkan_peer *p)
{
	return p == NULL || !p->facts.image.ok ? NULL : p->facts.image.path;
}

int
genkan_peer_roles(const genkan_peer *p)
{
	return p == NULL ? 0 : (int)p->facts.roles;
}

const char *
genkan_peer_why(const genkan_peer *p)
{
	return p == NULL ? "" : p->facts.why;
}
