#include "trust/hostkey.h"

#include "base/buf.h"

const char *
gk_key_code(enum gk_key_state state)
{
	return state == GK_KEY_OK ? NULL :
	    gk_schema_set(GK_SET_ENCLAVE_REASON)[state - 1];
}

/* The domain and its NUL. */
static int
domain(struct gk_buf *ret, enum gk_ident ident)
{
	const char *name = gk_schema_ident(ident);

	return gk_buf_put(ret, name, strlen(name) + 1);
}

static bool
fits(struct gk_span s, size_t min, size_t max)
{
	return s.len >= min && s.len <= max &&
	    (s.len == 0 || memchr(s.ptr, '\0', s.len) == NULL);
}

int
gk_key_challenge(struct gk_buf *ret, struct gk_span nonce,
    struct gk_span context)
{
	size_t at = ret->len;
	int r;

	if (!fits(nonce, 1, GK_CHALLENGE_NONCE_MAX) ||
	    !fits(context, 0, GK_CHALLENGE_CONTEXT_MAX))
		return GENKAN_E_INVAL;
	if ((r = domain(ret, GK_IDENT_DOMAIN_CHALLENGE)) < 0 ||
	    (r = gk_buf_put(ret, nonce.ptr, nonce.len)) < 0 ||
	    (r = gk_buf_putc(ret, '\0')) < 0 ||
	    (r = gk_buf_put(ret, context.ptr, context.len)) < 0)
		gk_buf_truncate(ret, at);
	return r;
}

int
gk_key_policy(struct gk_buf *ret, struct gk_span document)
{
	size_t at = ret->len;
	int r;

	if ((r = domain(ret, GK_IDENT_DOMAIN_POLICY)) < 0 ||
	    (r = gk_buf_put(ret, document.ptr, document.len)) < 0)
		gk_buf_truncate(ret, at);
	return r;
}
