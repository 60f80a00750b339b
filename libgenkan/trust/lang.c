#include "trust/lang.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "trust/admission.h"
#include "trust/change.h"

static int
load(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_langrec *ret, struct gk_stamp *stamp, char *why, size_t whylen)
{
	char reason[GK_WHY_MAX];
	struct gk_buf bytes;
	int r;

	r = gk_store_load(ctx, store, GK_RECORD_LANG, &bytes, stamp, reason,
	    sizeof(reason));
	if (r == GENKAN_E_NOENT) {
		gk_langrec_default(ret);
		r = 0;
	} else if (r == 0) {
		r = gk_langrec_parse(ctx, bytes.ptr, bytes.len, ret, reason,
		    sizeof(reason));
	}
	if (r < 0)
		gk_store_unreadable(store, GK_RECORD_LANG, reason, why,
		    whylen);
	gk_buf_done(&bytes);
	return r;
}

int
gk_lang_look(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_langrec *ret, char *why, size_t whylen)
{
	struct gk_stamp stamp;

	return load(ctx, store, ret, &stamp, why, whylen);
}

static int
write_lang(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const struct gk_langrec *lang,
    const struct gk_stamp *seen, enum gk_wrote *ret, char *why, size_t whylen)
{
	struct gk_buf out;
	int r;

	*ret = GK_WROTE_NOTHING;
	gk_buf_init(&out, ctx, gk_record_cap(GK_RECORD_LANG));
	r = gk_langrec_format(lang, &out);
	if (r < 0)
		(void)snprintf(why, whylen, "%s cannot be written: %s",
		    gk_store_name(store, GK_RECORD_LANG), r ==
		    GENKAN_E_INVAL ? "its number cannot grow any further" :
		    gk_err_text(r));
	else
		r = gk_store_replace(ctx, store, hold, GK_RECORD_LANG, &out,
		    seen, ret, why, whylen);
	gk_buf_done(&out);
	return r;
}

/* A change that could not be stamped is none. */
static int
check_trust(struct genkan_ctx *ctx, const struct gk_store *store, char *why,
    size_t whylen)
{
	struct gk_trust_cache cache = { 0 };
	struct gk_trust_view view;
	int r = 0;

	gk_trust_look(ctx, store, &cache, &view);
	if (view.state == GK_TRUST_UNREADABLE) {
		(void)snprintf(why, whylen, "%s", view.why);
		r = GENKAN_E_RECORD_CORRUPT;
	}
	gk_trust_cache_done(&cache);
	return r;
}

int
gk_lang_set(struct genkan_ctx *ctx, const struct gk_store *store,
    struct gk_hold *hold, const char *value, struct gk_langrec *ret,
    char *why, size_t whylen)
{
	const struct gk_change change = { .scopes = GK_SCOPE_LANG };
	struct gk_langrec lang;
	char reason[GK_WHY_FULL];
	struct gk_stamp seen;
	enum gk_wrote wrote;
	int r, told;

	if ((r = load(ctx, store, &lang, &seen, why, whylen)) < 0)
		return r;
	if (strcmp(lang.value, value) == 0) {
		*ret = lang;
		return 1;
	}
	lang.value = value;
	lang.seq++;
	if ((r = check_trust(ctx, store, why, whylen)) < 0)
		return r;
	r = write_lang(ctx, store, hold, &lang, &seen, &wrote, why, whylen);
	if (wrote == GK_WROTE_NOTHING)
		return r;
	told = gk_trust_change_held(ctx, store, hold, &change, NULL, reason,
	    sizeof(reason));
	if (r < 0)
		return r;
	*ret = lang;
	if (told < 0)
		(void)snprintf(why, whylen, "the language was written, but "
		    "running programs could not be told: %s", reason);
	return told;
}
