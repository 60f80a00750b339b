#include "genkan/native.h"

#include "api/door.h"
#include "base/alloc.h"
#include "codec/frame.h"

struct genkan_native {
	struct genkan_ctx	*ctx;
	struct gk_frame		 frame;
};

_Static_assert(GENKAN_NATIVE_HEADER_LEN == GK_FRAME_PREFIX &&
    GENKAN_NATIVE_EOF_CLEAN == GK_FRAME_EOF_CLEAN &&
    GENKAN_NATIVE_EOF_PREFIX == GK_FRAME_EOF_PREFIX &&
    GENKAN_NATIVE_EOF_BODY == GK_FRAME_EOF_BODY,
    "codec and header agree");

int
genkan_native_new(genkan_ctx *ctx, uint32_t max, genkan_native **ret)
{
	genkan_native *dec;
	int r;

	if (max == 0 || ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door_fresh(ctx)) < 0)
		return r;
	if ((dec = gk_calloc(ctx, 1, sizeof(*dec))) == NULL)
		return GENKAN_E_NOMEM;
	dec->ctx = ctx;
	/* The caller's bytes are ours for the call only, so frames are copied. */
	gk_frame_init(&dec->frame, ctx, max, false);
	*ret = dec;
	return 0;
}

void
genkan_native_free(genkan_native *dec)
{
	if (!GK_OPEN(dec))
		return;
	gk_frame_done(&dec->frame);
	gk_free(dec->ctx, dec);
}

int
genkan_native_feed(genkan_native *dec, const void *buf, size_t len,
    size_t *used)
{
	int r;

	if (used == NULL)
		return GENKAN_E_INVAL;
	*used = 0;
	if (buf == NULL && len > 0)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_FRESH(dec)) < 0)
		return r;
	return gk_frame_feed(&dec->frame, buf, len, used);
}

const void *
genkan_native_frame(const genkan_native *dec, size_t *len)
{
	struct gk_span f = { NULL, 0 };

	if (GK_OPEN(dec))
		f = gk_frame_get(&dec->frame);
	if (len != NULL)
		*len = f.len;
	return f.ptr;
}

int
genkan_native_eof(const genkan_native *dec)
{
	int r = GK_DOOR_FRESH(dec);

	return r < 0 ? r : gk_frame_eof(&dec->frame);
}

static int
check_size(size_t len, uint32_t max)
{
	if (len == 0)
		return GENKAN_E_FRAME_EMPTY;
	return len > max ? GENKAN_E_FRAME_SIZE : 0;
}

int
genkan_native_header(size_t len, uint32_t max, uint8_t *ret)
{
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = check_size(len, max)) == 0)
		gk_frame_header(ret, (uint32_t)len);
	return r;
}

int
genkan_native_encode(const void *json, size_t len, uint32_t max, void *buf,
    size_t size)
{
	int r;

	if (buf == NULL || (json == NULL && len > 0))
		return GENKAN_E_INVAL;
	if ((r = check_size(len, max)) < 0)
		return r;
	if (size < GK_FRAME_PREFIX || size - GK_FRAME_PREFIX < len)
		return GENKAN_E_INVAL;
	gk_frame_header(buf, (uint32_t)len);
	memcpy((uint8_t *)buf + GK_FRAME_PREFIX, json, len);
	return 0;
}
