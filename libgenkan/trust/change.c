#include <stdio.h>

#include "base/buf.h"
#include "trust/change.h"

/* Writers beside the lock exist (the kill switch), but not this many. */
#define TRIES	64

/* The record as it lies there, or a fresh one.  seen is zero for the latter. */
static int
read_record(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_trustrec **ret, struct gk_stamp *seen, char *why,
    size_t whylen)
{
	char reason[GK_WHY_MAX];
	struct gk_buf bytes;
	int r;

	r = gk_store_load(ctx, store, GK_RECORD_TRUST, &bytes, seen, reason,
	    sizeof(reason));
	if (r == GENKAN_E_NOENT) {
		*ret = gk_trustrec_new(ctx);
		r = *ret != NULL ? 0 : GENKAN_E_NOMEM;
		(void)snprintf(reason, sizeof(reason), "out of memory");
	} else if (r == 0) {
		r = gk_trustrec_parse(ctx, bytes.ptr, bytes.len, ret, reason,
		    sizeof(reason));
	}
	if (r < 0)
		gk_store_unreadable(store, GK_RECORD_TRUST, reason, why,
		    whylen);
	gk_buf_done(&bytes);
	return r;
}

static int
stamp(struct gk_trustrec *rec, unsigned scopes, char *why, size_t whylen)
{
	if (rec->epoch >= (uint64_t)GK_INTEGER_MAX) {
		(void)snprintf(why, whylen, "the epoch of the trust record "
		    "cannot grow any further");
		return GENKAN_E_RANGE;
	}
	rec->epoch++;
	if ((scopes & GK_SCOPE_KILL) != 0)
		rec->kill_epoch = rec->epoch;
	if ((scopes & GK_SCOPE_HOST_KEY) != 0)
		rec->host_key_epoch = rec->epoch;
	if ((scopes & GK_SCOPE_POLICY) != 0)
		rec->policy_epoch = rec->epoch;
	if ((scopes & GK_SCOPE_LANG) != 0)
		rec->lang_epoch = rec->epoch;
	return 0;
}

static int
write_record(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_trustrec *rec, size_t spare,
    const struct gk_stamp *seen, char *why, size_t whylen)
{
	enum gk_wrote wrote;
	struct gk_buf out;
	int r;

	gk_buf_init(&out, ctx, gk_record_cap(GK_RECORD_TRUST));
	r = gk_trustrec_format(rec, &out);
	if (r == 0 && out.len > out.max - spare)
		r = GENKAN_E_TOO_LARGE;
	if (r == GENKAN_E_TOO_LARGE && spare > 0)
		(void)snprintf(why, whylen, "the trust record would come "
		    "closer than %zu bytes to its limit of %zu, which are "
		    "kept for taking trust back", spare,
		    gk_record_cap(GK_RECORD_TRUST));
	else if (r == GENKAN_E_TOO_LARGE)
		(void)snprintf(why, whylen, "the trust record would pass its "
		    "limit of %zu bytes", gk_record_cap(GK_RECORD_TRUST));
	else if (r < 0)
		(void)snprintf(why, whylen, "the trust record cannot be "
		    "written: %s", r == GENKAN_E_NOMEM ? "out of memory" :
		    "a value is not valid");
	else
		r = gk_store_replace(ctx, store, hold, GK_RECORD_TRUST, &out,
		    seen, &wrote, why, whylen);
	gk_buf_done(&out);
	return r;
}

/* One round; GENKAN_E_AGAIN if another writer came between. */
static int
once(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_change *change, uint64_t *epoch,
    char *why, size_t whylen)
{
	struct gk_trustrec *rec = NULL;
	struct gk_stamp seen;
	int r;

	if ((r = read_record(ctx, store, &rec, &seen, why, whylen)) < 0)
		return r;
	if (change->apply != NULL &&
	    (r = change->apply(change->user, rec)) != 0)
		goto out;
	if ((r = stamp(rec, change->scopes, why, whylen)) < 0)
		goto out;
	r = write_record(ctx, store, hold, rec, change->spare, &seen, why,
	    whylen);
out:
	if (r >= 0 && epoch != NULL)
		*epoch = rec->epoch;
	gk_trustrec_free(rec);
	return r;
}

int
gk_trust_change_held(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_change *change, uint64_t *epoch,
    char *why, size_t whylen)
{
	int r = GENKAN_E_AGAIN, i;

	why[0] = '\0';
	for (i = 0; i < TRIES && r == GENKAN_E_AGAIN; i++)
		r = once(ctx, store, hold, change, epoch, why, whylen);
	if (r >= 0)
		why[0] = '\0';
	return r;
}

int
gk_trust_change(struct genkan_ctx *ctx, const struct gk_store *store,
    const struct gk_change *change, uint64_t *epoch, char *why, size_t whylen)
{
	struct gk_hold *hold = NULL;
	int r;

	if ((r = gk_store_hold(store, &hold, why, whylen)) < 0)
		return r;
	r = gk_trust_change_held(ctx, store, hold, change, epoch, why,
	    whylen);
	store->drop(store->user, hold);
	return r;
}
