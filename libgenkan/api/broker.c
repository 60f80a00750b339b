#include "genkan/broker.h"

#include "api/dispatch.h"
#include "api/door.h"
#include "api/job.h"
#include "api/peer.h"
#include "api/secret.h"
#include "api/sized.h"
#include "api/userstore.h"
#include "base/alloc.h"
#include "engine/broker.h"
#include "local/stores.h"

#define OPTIONS_V1	GK_SIZED_TO(genkan_broker_options, reserved)

struct genkan_broker {
	struct genkan_ctx	*ctx;
	struct gk_dispatch	 dispatch;
	struct gk_broker	*m;
	struct gk_userstore	 own;		/* if one was given */
	struct gk_ground	*ground;	/* else this user's: both */
	struct gk_stores	 stores;
	uint8_t			 secret[GK_SECRET_HEX];
};

/* ------------------------------------------------------------------- object */

GK_DISPATCH_OPS(genkan_broker, 0);

int
genkan_broker_set_callbacks(genkan_broker *b, const genkan_callbacks *callbacks)
{
	return gk_dispatch_set(b == NULL ? NULL : &b->dispatch, callbacks);
}

static int
open_store(struct genkan_broker *b, struct gk_store **ret,
    struct gk_why *why)
{
	int r;

	if (b->own.given.load != NULL) {
		*ret = gk_userstore_over(&b->own, NULL);
		return 0;
	}
	r = gk_ground_new(b->ctx, &b->ground, why);
	if (r < 0)
		return r;
	*ret = &b->stores.store;
	r = gk_stores_init(&b->stores, b->ctx, &b->ground->place);
	return r == 0 ? 0 : gk_why_set(why, r, 0, "no memory");
}

static int
set_up(struct genkan_broker *b, const genkan_broker_options *opts,
    struct gk_why *why)
{
	struct gk_store *store;
	int r;

	if (!gk_secret_fits(opts->secret))
		return gk_why_set(why, GENKAN_E_INVAL, 0, "options: the "
		    "secret is not 32 lowercase hex characters");
	memcpy(b->secret, opts->secret, sizeof(b->secret));
	r = open_store(b, &store, why);
	if (r < 0)
		return r;
	store->told = b->secret;
	b->m = gk_broker_new(b->ctx, store);
	if (b->m == NULL)
		return gk_why_set(why, GENKAN_E_NOMEM, 0, "no memory");
	if (opts->stay != 0)
		gk_broker_stay(b->m);
	return 0;
}

int
genkan_broker_new(genkan_ctx *ctx, const genkan_broker_options *options,
    genkan_broker **ret)
{
	genkan_broker_options opts = GENKAN_BROKER_OPTIONS_INIT;
	struct gk_why why = { 0, "" };
	struct gk_userstore own;
	struct genkan_broker *b;
	int r, shut;

	if (ctx == NULL || options == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	shut = gk_door_in(ctx);
	r = gk_options_take(ctx, &opts, sizeof(opts), options, OPTIONS_V1,
	    &opts.reserved, 1);
	if (r == GENKAN_E_INVAL)
		return shut < 0 ? shut : r;
	r = gk_userstore_take(&own, ctx, opts.store, shut < 0 ? shut : r);
	if (r < 0)
		return r;
	b = gk_calloc(ctx, 1, sizeof(*b));
	if (b == NULL) {
		gk_userstore_done(&own);
		return gk_err_set(ctx, GENKAN_E_NOMEM, "no memory");
	}
	b->ctx = ctx;
	gk_dispatch_init(&b->dispatch, ctx, b, &dispatch_ops);
	b->own = own;
	r = set_up(b, &opts, &why);
	if (r < 0) {
		genkan_broker_free(b);
		return gk_err_set(ctx, r, "%s", why.text);
	}
	*ret = b;
	return 0;
}

void
genkan_broker_free(genkan_broker *b)
{
	genkan_callbacks callbacks;
	struct genkan_ctx *ctx;

	if (GK_DOOR(b) < 0 || gk_dispatch_later(&b->dispatch))
		return;
	ctx = b->ctx;
	gk_dispatch_end(&b->dispatch, &callbacks);
	gk_broker_free(b->m);
	if (b->stores.ctx != NULL)
		gk_stores_done(&b->stores);
	gk_ground_unref(b->ground);
	gk_userstore_done(&b->own);
	gk_wipe(b->secret, sizeof(b->secret));
	gk_free(ctx, b);
	gk_callbacks_free(&callbacks);
}

/* -------------------------------------------------------------------- verbs */

int
genkan_broker_accept(genkan_broker *b, const genkan_peer *peer,
    genkan_leg **ret)
{
	int r;

	if (peer == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(b)) < 0 || (r = GK_DOOR(peer)) < 0)
		return r;
	if (gk_broker_claim(b->m) < 0)
		return gk_err_set(b->ctx, GENKAN_E_LIMIT,
		    "too many connections are being set up");
	return gk_broker_accept(b->m, &peer->facts, ret);
}

int
genkan_broker_next(genkan_broker *b, genkan_event *ret)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	int r;

	if (!gk_event_fits(ret))
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(b)) < 0)
		return r;
	if (gk_broker_next(b->m) != GK_BROKER_LEAVE)
		return 0;
	ev.kind = GENKAN_EV_EXIT;
	return gk_event_give(&ev, ret);
}

int
genkan_broker_deadline(const genkan_broker *b, int64_t *ms)
{
	int r;

	if (ms == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(b)) < 0)
		return r;
	*ms = gk_broker_deadline(b->m);
	return 1;
}

void
genkan_broker_tick(genkan_broker *b, int64_t now_ms)
{
	if (b != NULL && gk_door_tick(b->ctx, now_ms))
		gk_broker_tick(b->m, gk_now(b->ctx));
}

size_t
genkan_broker_clients(const genkan_broker *b)
{
	return GK_OPEN(b) ? gk_broker_clients(b->m) : 0;
}

size_t
genkan_broker_browsers(const genkan_broker *b)
{
	return GK_OPEN(b) ? gk_broker_browsers(b->m) : 0;
}
