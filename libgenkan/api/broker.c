#include "genkan/broker.h"

#include "api/job.h"
#include "api/now.h"
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
	struct gk_broker	*m;
	struct gk_userstore	 own;		/* if one was given */
	struct gk_ground	*ground;	/* else this user's: both */
	struct gk_stores	 stores;
	struct gk_store		 store;		/* either, with the secret */
	const struct gk_store	*under;
	uint8_t			 secret[GK_SECRET_HEX];
};

/* ------------------------------------------------------------------ records */

static int
load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	const struct gk_store *u = ((struct genkan_broker *)user)->under;

	return u->load(u->user, record, ret, stamp, why, whylen);
}

static int
stamp(void *user, int record, struct gk_stamp *ret)
{
	const struct gk_store *u = ((struct genkan_broker *)user)->under;

	return u->stamp(u->user, record, ret);
}

static int
secret(void *user, uint8_t ret[32])
{
	memcpy(ret, ((struct genkan_broker *)user)->secret, GK_SECRET_HEX);
	return 0;
}

static void
audit(void *user, const struct gk_audit *rec)
{
	gk_store_audit(((struct genkan_broker *)user)->under, rec);
}

static const char *
path(void *user, int record)
{
	const struct gk_store *u = ((struct genkan_broker *)user)->under;

	return u->path == NULL ? NULL : u->path(u->user, record);
}

static int
open_store(struct genkan_broker *b, struct gk_why *why)
{
	int r;

	if (b->own.given.load != NULL) {
		b->under = gk_userstore_over(&b->own, NULL);
	} else {
		r = gk_ground_new(b->ctx, &b->ground, why);
		if (r < 0)
			return r;
		r = gk_stores_init(&b->stores, b->ctx, &b->ground->place);
		if (r < 0)
			return gk_why_set(why, r, 0, "no memory");
		b->under = &b->stores.store;
	}
	b->store.user = b;
	b->store.programs = b->under->programs;
	b->store.load = load;
	b->store.stamp = stamp;
	b->store.secret = secret;
	b->store.audit = audit;
	b->store.path = path;
	return 0;
}

/* ------------------------------------------------------------------- object */

static int
take_options(struct genkan_ctx *ctx, const genkan_broker_options *src,
    genkan_broker_options *dst)
{
	static const genkan_broker_options defaults =
	    GENKAN_BROKER_OPTIONS_INIT;
	int r;

	*dst = defaults;
	r = gk_options_take(ctx, dst, sizeof(*dst), src, OPTIONS_V1);
	if (r == 0 && dst->reserved != 0)
		r = gk_err_set(ctx, GENKAN_E_ABI,
		    "options: made for a newer libgenkan");
	return r;
}

static int
set_up(struct genkan_broker *b, const genkan_broker_options *opts,
    struct gk_why *why)
{
	int r;

	if (!gk_secret_fits(opts->secret))
		return gk_why_set(why, GENKAN_E_INVAL, 0, "options: the "
		    "secret is not 32 lowercase hex characters");
	memcpy(b->secret, opts->secret, sizeof(b->secret));
	r = open_store(b, why);
	if (r < 0)
		return r;
	b->m = gk_broker_new(b->ctx, &b->store);
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
	genkan_broker_options opts;
	struct gk_why why = { 0, "" };
	struct gk_userstore own;
	struct genkan_broker *b;
	int r;

	if (ctx == NULL || options == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	r = take_options(ctx, options, &opts);
	if (r == GENKAN_E_INVAL)
		return r;
	r = gk_userstore_take(&own, ctx, opts.store, r);
	if (r < 0)
		return r;
	b = gk_calloc(ctx, 1, sizeof(*b));
	if (b == NULL) {
		gk_userstore_done(&own);
		return gk_err_set(ctx, GENKAN_E_NOMEM, "no memory");
	}
	b->ctx = ctx;
	b->own = own;
	gk_api_now(ctx);
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
	struct genkan_ctx *ctx;

	if (b == NULL)
		return;
	ctx = b->ctx;
	gk_broker_free(b->m);
	if (b->stores.ctx != NULL)
		gk_stores_done(&b->stores);
	gk_ground_unref(b->ground);
	gk_userstore_done(&b->own);
	gk_free_wiped(ctx, b, sizeof(*b));
}

/* -------------------------------------------------------------------- verbs */

int
genkan_broker_accept(genkan_broker *b, const genkan_peer *peer,
    genkan_leg **ret)
{
	if (b == NULL || peer == NULL || ret == NULL)
		return GENKAN_E_INVAL;
	gk_api_now(b->ctx);
	if (gk_broker_claim(b->m) < 0)
		return gk_err_set(b->ctx, GENKAN_E_LIMIT,
		    "too many connections are being set up");
	return gk_broker_accept(b->m, &peer->facts, ret);
}

int
genkan_broker_next(genkan_broker *b, genkan_event *ret)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	if (b == NULL || !gk_event_fits(ret))
		return GENKAN_E_INVAL;
	gk_api_now(b->ctx);
	if (gk_broker_next(b->m) != GK_BROKER_LEAVE)
		return 0;
	ev.kind = GENKAN_EV_EXIT;
	return gk_event_give(&ev, ret);
}

int
genkan_broker_deadline(const genkan_broker *b, int64_t *ms)
{
	if (b == NULL || ms == NULL)
		return GENKAN_E_INVAL;
	*ms = gk_broker_deadline(b->m);
	return 1;
}

void
genkan_broker_tick(genkan_broker *b, int64_t now_ms)
{
	if (b != NULL && gk_api_tick(b->ctx, now_ms))
		gk_broker_tick(b->m, gk_now(b->ctx));
}

size_t
genkan_broker_clients(const genkan_broker *b)
{
	return b == NULL ? 0 : gk_broker_clients(b->m);
}

size_t
genkan_broker_browsers(const genkan_broker *b)
{
	return b == NULL ? 0 : gk_broker_browsers(b->m);
}
