#include "genkan/peer.h"

#include "api/door.h"
#include "api/peer.h"
#include "api/sized.h"
#include "base/alloc.h"
#include "base/err.h"
#include "base/str.h"
#include "local/install.h"
#include "local/measure.h"

_Static_assert(GENKAN_ROLE_SERVER == GK_ROLE_SERVER &&
    GENKAN_ROLE_HOST == GK_ROLE_HOST && GENKAN_ROLE_CLI == GK_ROLE_CLI,
    "roles are one list");

#define FACTS_V1	GK_SIZED_TO(genkan_peer_facts, path)
#define ROLES		(GK_ROLE_SERVER | GK_ROLE_HOST | GK_ROLE_CLI)

static int
check_facts(const genkan_peer_facts *f)
{
	if (f->pid < 0 || ((unsigned)f->roles & ~ROLES) != 0)
		return GENKAN_E_INVAL;
	if (f->hash == NULL)
		return f->roles == 0 ? 0 : GENKAN_E_INVAL;
	return strlen(f->hash) == GK_HASH_HEX &&
	    gk_str_is_hex_lower(f->hash, GK_HASH_HEX) ? 0 : GENKAN_E_INVAL;
}

int
genkan_peer_new(genkan_ctx *ctx, const genkan_peer_facts *facts,
    genkan_peer **ret)
{
	genkan_peer_facts f = GENKAN_PEER_FACTS_INIT;
	struct genkan_peer *p;
	int r;

	if (facts == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0)
		return r;
	r = gk_options_take(ctx, &f, sizeof(f), facts, FACTS_V1, NULL, 0);
	if (r == 0)
		r = check_facts(&f);
	if (r < 0)
		return r;
	p = gk_calloc(ctx, 1, sizeof(*p));
	if (p == NULL)
		return GENKAN_E_NOMEM;
	p->ctx = ctx;
	p->facts.uid_known = true;
	p->facts.uid_ours = f.same_user != 0;
	p->facts.pid = f.pid;
	p->facts.roles = (unsigned)f.roles;
	p->facts.image.ok = f.hash != NULL;
	if (f.hash != NULL)
		memcpy(p->facts.image.hash, f.hash, GK_HASH_HEX + 1);
	if (f.path != NULL)
		(void)gk_str_copy(p->facts.image.path,
		    sizeof(p->facts.image.path), f.path, strlen(f.path));
	*ret = p;
	return 0;
}

int
genkan_peer_query(genkan_ctx *ctx, int fd, const char *dir,
    genkan_peer **ret)
{
	struct gk_install *in;
	struct genkan_peer *p;
	int r;

	if (fd < 0 || dir == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0)
		return r;
	/* A relative one would let the working directory say who is genkan. */
	if (dir[0] != '/' || strlen(dir) >= sizeof(in->dir))
		return gk_err_set(ctx, GENKAN_E_INVAL,
		    "the program directory is no absolute path");
	r = GENKAN_E_NOMEM;
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
	if (GK_OPEN(p))
		gk_free(p->ctx, p);
}

int
genkan_peer_same_user(const genkan_peer *p)
{
	return GK_OPEN(p) && p->facts.uid_known && p->facts.uid_ours;
}

int64_t
genkan_peer_pid(const genkan_peer *p)
{
	return GK_OPEN(p) ? p->facts.pid : 0;
}

const char *
genkan_peer_hash(const genkan_peer *p)
{
	return GK_OPEN(p) && p->facts.image.ok ? p->facts.image.hash : NULL;
}

const char *
genkan_peer_path(const genkan_peer *p)
{
	return GK_OPEN(p) && p->facts.image.ok ? p->facts.image.path : NULL;
}

int
genkan_peer_roles(const genkan_peer *p)
{
	return GK_OPEN(p) ? (int)p->facts.roles : 0;
}

const char *
genkan_peer_why(const genkan_peer *p)
{
	return GK_OPEN(p) ? p->facts.why : "";
}
