#include "records/keyrec.h"

#include "codec/b64.h"
#include "codec/jstr.h"
#include "contract/schema.h"
#include "records/store.h"

enum { K_VERSION, K_SCALAR, K_N };

static const struct gk_field fields[K_N] = {
	[K_VERSION] = { "version", GK_J_INT, 0, 0, GK_INTEGER_MAX },
	[K_SCALAR] = { "scalar", GK_J_STRING, 0, 0, 0 },
};

int
gk_keyrec_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_buf *ret, char *why, size_t whylen)
{
	struct gk_member m[K_N];
	struct gk_rec rec;
	struct gk_span text;
	uint64_t version;
	int r;

	r = gk_record_open(ctx, &gk_ladder_hostkey, bytes, len,
	    gk_record_cap(GK_RECORD_HOST_KEY), &rec, why, whylen);
	if (r < 0 ||
	    (r = gk_record_fields(&rec, rec.text, "", fields, K_N, m)) < 0 ||
	    (r = gk_record_uint(&rec, &m[K_VERSION], "version",
	    &version)) < 0 ||
	    (r = gk_record_string(&rec, &m[K_SCALAR], &text)) < 0)
		goto out;
	r = gk_b64_put_decoded(ret, GK_B64_STD, text.ptr, text.len);
	if (r == GENKAN_E_NOMEM)
		r = gk_record_nomem(&rec);
	else if (r < 0)
		r = gk_record_bad(&rec, "scalar: not base64");
out:
	gk_record_done(&rec);
	return r;
}

int
gk_keyrec_format(const uint8_t scalar[GK_P256_SCALAR], struct gk_buf *ret)
{
	size_t at = ret->len;
	int r;

	if ((r = gk_buf_putc(ret, '{')) < 0 ||
	    (r = gk_json_put_int_member(ret, "version",
	    (int64_t)gk_ladder_current(&gk_ladder_hostkey))) < 0 ||
	    (r = gk_buf_puts(ret, ",\"scalar\":\"")) < 0 ||
	    (r = gk_b64_put(ret, GK_B64_STD, scalar, GK_P256_SCALAR)) < 0 ||
	    (r = gk_buf_puts(ret, "\"}\n")) < 0)
		gk_buf_truncate(ret, at);
	return r;
}
