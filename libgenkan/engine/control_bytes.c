#include "engine/control_bytes.h"

#include "codec/b64.h"

void
gk_control_bytes_done(struct gk_control_bytes *b)
{
	while (b->n > 0)
		gk_buf_done(&b->buf[--b->n]);
}

/* 0; 1 for what is no base64url or too long; GENKAN_E_NOMEM. */
static int
decode(struct gk_control *c, const struct gk_control_frame *f,
    const struct gk_control_member *m, struct gk_buf *ret)
{
	struct gk_buf scratch;
	struct gk_span s;
	int r;

	gk_buf_init(ret, c->ctx, m->max);
	gk_buf_init(&scratch, c->ctx, f->object.len);
	s = gk_control_text(f, m->name, &scratch);
	r = s.ptr == NULL ? GENKAN_E_NOMEM :
	    gk_b64_put_decoded(ret, GK_B64_URL, s.ptr, s.len);
	gk_buf_done(&scratch);
	return r == 0 || r == GENKAN_E_NOMEM ? r : 1;
}

enum gk_refusal_id
gk_control_bytes_get(struct gk_control *c, const struct gk_control_frame *f,
    const struct gk_control_member *m, size_t n,
    struct gk_control_bytes *ret, const char **detail)
{
	int r;

	ret->n = 0;
	while (ret->n < n) {
		r = decode(c, f, &m[ret->n], &ret->buf[ret->n]);
		ret->n++;
		if (r == 0)
			continue;
		*detail = r > 0 ? m[ret->n - 1].name : gk_err_text(r);
		return r > 0 ? GK_REFUSAL_ENCODING : GK_REFUSAL_IO_ERROR;
	}
	return GK_REFUSAL_NONE;
}

enum gk_refusal_id
gk_control_verdict(int r, enum gk_refusal_id refusal, const char **detail)
{
	if (r >= 0)
		return refusal;
	*detail = gk_err_text(r);
	return GK_REFUSAL_IO_ERROR;
}
