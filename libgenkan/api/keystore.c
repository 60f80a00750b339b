/* <genkan/keystore.h>: checks the arguments, then calls down. */
#include "genkan/keystore.h"

#include "api/atdesk.h"
#include "api/door.h"
#include "base/err.h"
#include "local/hostpair.h"

#define KIND	"host_key_pair"

static int
pair(struct gk_desk *d, void *arg)
{
	struct gk_hostpair *p = arg;
	struct gk_presence *proof = NULL;

	if (gk_api_can_ask(d, KIND, NULL) != 0 ||
	    gk_hostpair_check(p, d) != 0)
		return 0;
	if (gk_api_ask(d, gk_hostpair_reason(p), KIND, NULL, &proof) == 0)
		gk_hostpair_run(p, d, proof);
	gk_presence_free(proof);
	return 0;
}

int
genkan_key_pair(genkan_ctx *ctx, uint32_t flags, genkan_report **ret)
{
	struct gk_hostpair p;
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door(ctx)) < 0)
		return r;
	if ((flags & ~(GENKAN_KEY_RESET | GENKAN_KEY_FILE)) != 0)
		return gk_err_set(ctx, GENKAN_E_INVAL, "unknown flags");
	memset(&p, 0, sizeof(p));
	p.reset = (flags & GENKAN_KEY_RESET) != 0;
	p.file = (flags & GENKAN_KEY_FILE) != 0;
	return gk_api_at_desk(ctx, pair, &p, ret);
}

static int
status(struct gk_desk *d, void *arg)
{
	(void)arg;
	return gk_hostkey_status(d);
}

int
genkan_key_status(genkan_ctx *ctx, genkan_report **ret)
{
	return gk_api_at_desk(ctx, status, NULL, ret);
}
