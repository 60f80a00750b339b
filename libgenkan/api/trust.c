/* <genkan/trust.h>: checks the arguments, then calls down. */
#include "genkan/trust.h"

#include "api/atdesk.h"
#include "api/door.h"
#include "api/sized.h"
#include "base/err.h"
#include "local/auditview.h"
#include "local/clients.h"
#include "local/killswitch.h"

#define PAIR_V1	GK_SIZED_TO(genkan_pair_options, this_parent)

/* ------------------------------------------------------------- kill switch */

static int
fill_kill(genkan_ctx *ctx, void *arg, genkan_report *rep)
{
	(void)arg;
	return gk_killswitch_run(ctx, rep);
}

int
genkan_kill_engage(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_report(ctx, fill_kill, NULL, ret);
}

static int
release(struct gk_desk *d, void *arg)
{
	struct gk_presence *proof = NULL;
	uint64_t epoch = 0;

	(void)arg;
	if (gk_killswitch_ask(d, &epoch) != 0)
		return 0;
	if (gk_api_ask(d, "release the kill switch: programs may then use your "
	    "browser again.\n", "kill_release", NULL, &proof) == 0)
		gk_killswitch_release(d, proof, epoch);
	gk_presence_free(proof);
	return 0;
}

int
genkan_kill_release(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_at_desk(ctx, release, NULL, ret);
}

/* ----------------------------------------------------------------- clients */

static int
list(struct gk_desk *d, void *arg)
{
	(void)arg;
	gk_clients_list(d);
	return 0;
}

int
genkan_trust_list(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_at_desk(ctx, list, NULL, ret);
}

static int
pair(struct gk_desk *d, void *arg)
{
	struct gk_pairing *p = arg;
	struct gk_presence *proof = NULL;
	struct gk_buf reason;
	int r = 0;

	if (gk_pairing_check(p, d) != 0)
		return 0;
	gk_buf_init(&reason, d->ctx, 65536);
	if (gk_pairing_reason(p, &reason) < 0 ||
	    gk_buf_putc(&reason, '\0') < 0)
		r = GENKAN_E_NOMEM;
	else if (gk_api_ask(d, (const char *)reason.ptr, "pair_client",
	    p->client.name, &proof) == 0)
		gk_pairing_run(p, d, proof);
	gk_presence_free(proof);
	gk_buf_done(&reason);
	return r;
}

static int
check_pair(genkan_ctx *ctx, const genkan_pair_options *options,
    struct gk_pairing *ret)
{
	genkan_pair_options o = GENKAN_PAIR_OPTIONS_INIT;
	int r;

	if (options == NULL)
		return gk_err_set(ctx, GENKAN_E_INVAL, "options: none");
	r = gk_options_take(ctx, &o, sizeof(o), options, PAIR_V1, NULL, 0);
	return r < 0 ? r : gk_pairing_init(ret, ctx, o.name,
	    o.this_parent != 0, o.hash, o.signer);
}

int
genkan_trust_pair(genkan_ctx *ctx, const genkan_pair_options *options,
    genkan_report **ret)
{
	struct gk_pairing p;
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door(ctx)) < 0)
		return r;
	gk_err_clear(ctx);
	if ((r = check_pair(ctx, options, &p)) < 0)
		return r;
	return gk_api_at_desk(ctx, pair, &p, ret);
}

static int
revoke_client(struct gk_desk *d, void *arg)
{
	const char *const *name = arg;

	gk_clients_revoke(d, *name);
	return 0;
}

int
genkan_trust_revoke(genkan_ctx *ctx, const char *name, genkan_report **ret)
{
	if (name == NULL)
		return GENKAN_E_INVAL;
	return gk_api_at_desk(ctx, revoke_client, &name, ret);
}

static int
revoke(struct gk_desk *d, void *arg)
{
	const char *const *label = arg;

	if (*label != NULL)
		gk_clients_revoke_browser(d, *label);
	else
		gk_clients_revoke_all(d);
	return 0;
}

int
genkan_trust_revoke_browser(genkan_ctx *ctx, const char *label,
    genkan_report **ret)
{
	if (label == NULL)
		return GENKAN_E_INVAL;
	return gk_api_at_desk(ctx, revoke, &label, ret);
}

int
genkan_trust_revoke_all(genkan_ctx *ctx, genkan_report **ret)
{
	const char *none = NULL;

	return gk_api_at_desk(ctx, revoke, &none, ret);
}

/* ------------------------------------------------------------------- audit */

struct audit_args {
	size_t	limit;
	bool	json;
};

static int
audit(struct gk_desk *d, void *arg)
{
	const struct audit_args *a = arg;

	return gk_auditview_fill(d, a->limit, a->json);
}

int
genkan_audit_read(genkan_ctx *ctx, size_t limit, int json,
    genkan_report **ret)
{
	struct audit_args a = { limit, json != 0 };

	return gk_api_at_desk(ctx, audit, &a, ret);
}
