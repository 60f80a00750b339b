/* See nm.h. */
#include "proto/nm.h"

#include "contract/schema.h"

void
gk_nm_init(struct gk_frame *f, struct genkan_ctx *ctx)
{
	gk_frame_init(f, ctx, GK_NATIVE_IN_MAX, true);
}

int
gk_nm_send(struct gk_outq *out, struct gk_span json)
{
	uint8_t prefix[GK_FRAME_PREFIX];
	struct gk_span v[2];

	if (json.len == 0)
		return GENKAN_E_FRAME_EMPTY;
	if (json.len > GK_NATIVE_OUT_MAX)
		return GENKAN_E_FRAME_SIZE;
	gk_frame_header(prefix, (uint32_t)json.len);
	v[0] = gk_span(prefix, sizeof(prefix));
	v[1] = json;
	return gk_outq_putv(out, v, 2, NULL);
}

const char *
gk_nm_offence(int error)
{
	if (error >= 0)
		return NULL;
	return error == GENKAN_E_FRAME_SIZE ? GK_NM_TOO_LARGE :
	    GK_NM_READ_ERROR;
}

const char *
gk_nm_eof_offence(const struct gk_frame *f)
{
	return gk_frame_eof(f) == GK_FRAME_EOF_BODY ? GK_NM_READ_ERROR : NULL;
}
