#include "base/str.h"
#include "codec/jstr.h"
#include "contract/schema.h"
#include "records/langrec.h"
#include "records/store.h"

static const char *const roster[] = {
#define GK_LANG(sym, value) value,
#include "contract/identity.def"
};

enum { L_VERSION, L_VALUE, L_SEQ, L_N };

static const struct gk_field fields[L_N] = {
	[L_VERSION] = { "version", GK_J_INT, 0, 0, GK_INTEGER_MAX },
	[L_VALUE] = { "value", GK_J_STRING, 0, 0, 0 },
	[L_SEQ] = { "seq", GK_J_INT, 0, 0, GK_INTEGER_MAX },
};

void
gk_langrec_default(struct gk_langrec *ret)
{
	ret->value = gk_lang_lookup(GK_LANG_DEFAULT, strlen(GK_LANG_DEFAULT));
	ret->seq = 0;
}

const char *
gk_lang_lookup(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(roster); i++)
		if (gk_span_is(gk_span(text, len), roster[i]))
			return roster[i];
	return NULL;
}

int
gk_langrec_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_langrec *ret, char *why, size_t whylen)
{
	struct gk_langrec lang;
	struct gk_member m[L_N];
	struct gk_rec rec;
	struct gk_span text;
	int r;

	r = gk_record_open(ctx, &gk_ladder_lang, bytes, len,
	    gk_record_cap(GK_RECORD_LANG), &rec, why, whylen);
	if (r < 0 ||
	    (r = gk_record_fields(&rec, rec.text, "", fields, L_N, m)) < 0 ||
	    (r = gk_record_string(&rec, &m[L_VALUE], &text)) < 0)
		goto out;
	if ((lang.value = gk_lang_lookup(text.ptr, text.len)) == NULL) {
		r = gk_record_bad(&rec, "value: not a language of the roster");
		goto out;
	}
	if ((r = gk_record_uint(&rec, &m[L_SEQ], "seq", &lang.seq)) < 0)
		goto out;
	*ret = lang;
out:
	gk_record_done(&rec);
	return r;
}

int
gk_langrec_format(const struct gk_langrec *lang, struct gk_buf *ret)
{
	size_t at = ret->len;
	int r;

	if (gk_lang_lookup(lang->value, strlen(lang->value)) == NULL ||
	    lang->seq > (uint64_t)GK_INTEGER_MAX)
		return GENKAN_E_INVAL;
	if ((r = gk_buf_putc(ret, '{')) < 0 ||
	    (r = gk_json_put_int_member(ret, "version",
	    (int64_t)gk_ladder_current(&gk_ladder_lang))) < 0 ||
	    (r = gk_json_put_str_member(ret, "value", lang->value,
	    strlen(lang->value))) < 0 ||
	    (r = gk_json_put_int_member(ret, "seq",
	    (int64_t)lang->seq)) < 0 ||
	    (r = gk_buf_puts(ret, "}\n")) < 0)
		gk_buf_truncate(ret, at);
	return r;
}
