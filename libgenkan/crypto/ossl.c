#include "crypto/ossl.h"

#include "crypto/ossl_priv.h"

#include <openssl/ecerr.h>
#include <openssl/err.h>

#include "base/alloc.h"
#include "base/ctx.h"
#include "base/err.h"

/*
 * First of all calls into OpenSSL: no atexit() handler, since a library may be
 * unloaded before the process ends, and no configuration file of the host's.
 * Both count only where the host has not initialised OpenSSL already, and then
 * they are its own business.
 */
static int
prepare(void)
{
	return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT |
	    OPENSSL_INIT_NO_LOAD_CONFIG, NULL) == 1 ? 0 : GENKAN_E_CRYPTO;
}

int
gk_ossl_init(struct genkan_ctx *ctx)
{
	struct gk_ossl *o;
	int r;

	if (ctx->ossl != NULL)
		return 0;
	if ((o = gk_calloc(ctx, 1, sizeof(*o))) == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "out of memory");
	r = GENKAN_E_CRYPTO;
	if (prepare() < 0 || (o->lib = OSSL_LIB_CTX_new()) == NULL ||
	    (o->sha256 = EVP_MD_fetch(o->lib, "SHA256", NULL)) == NULL)
		goto out;

	ctx->ossl = o;
	o = NULL;
	r = 0;
out:
	/*
	 * The queue of errors is the thread's, and a stale entry confuses who
	 * reads it next.  Not ERR_set_mark() in front instead: the first use of
	 * the queue loads every error string, half a megabyte, for nothing.
	 */
	if (o != NULL) {
		ERR_clear_error();
		OSSL_LIB_CTX_free(o->lib);
		gk_free(ctx, o);
	}
	return r == 0 ? 0 : gk_err_set(ctx, r, "OpenSSL has no SHA-256");
}

/* The words for a point that is none. */
static bool
is_no_point(unsigned long e)
{
	return ERR_GET_LIB(e) == ERR_LIB_EC &&
	    (ERR_GET_REASON(e) == EC_R_INVALID_ENCODING ||
	    ERR_GET_REASON(e) == EC_R_POINT_IS_NOT_ON_CURVE);
}

int
gk_ossl_failed(struct genkan_ctx *ctx, int err)
{
	bool starved = false, no_point = false;
	unsigned long e;

	while ((e = ERR_get_error()) != 0) {
		no_point = no_point || is_no_point(e);
		starved = starved ||
		    ERR_GET_REASON(e) == ERR_R_MALLOC_FAILURE;
	}
	if (starved)
		err = GENKAN_E_NOMEM;
	else if (err == GENKAN_E_ENCODING && !no_point)
		err = GENKAN_E_CRYPTO;
	if (err == GENKAN_E_NOMEM || err == GENKAN_E_CRYPTO)
		gk_ossl_free(ctx);
	return err;
}

void
gk_ossl_free(struct genkan_ctx *ctx)
{
	struct gk_ossl *o = ctx->ossl;

	if (o == NULL)
		return;
	EVP_MD_free(o->sha256);
	OSSL_LIB_CTX_free(o->lib);
	gk_free(ctx, o);
	ctx->ossl = NULL;
}
