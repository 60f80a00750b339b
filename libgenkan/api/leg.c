/* <genkan/leg.h>: checks the arguments, then the machine's own verb. */
#include "genkan/leg.h"

#include "api/now.h"
#include "proto/machine.h"

int
genkan_leg_feed(genkan_leg *leg, const void *buf, size_t len, size_t *used)
{
	if (used == NULL)
		return GENKAN_E_INVAL;
	*used = 0;
	if (leg == NULL || (buf == NULL && len > 0))
		return GENKAN_E_INVAL;
	gk_api_now(leg->ctx);
	return gk_leg_feed(leg, buf, len, used);
}

void
genkan_leg_eof(genkan_leg *leg)
{
	if (leg == NULL)
		return;
	gk_api_now(leg->ctx);
	gk_leg_eof(leg);
}

void
genkan_leg_broken(genkan_leg *leg)
{
	if (leg == NULL)
		return;
	gk_api_now(leg->ctx);
	gk_leg_broken(leg);
}

int
genkan_leg_output(genkan_leg *leg, const void **ptr, size_t *len)
{
	if (leg == NULL || ptr == NULL || len == NULL)
		return GENKAN_E_INVAL;
	return gk_leg_output(leg, ptr, len);
}

int
genkan_leg_gather(genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	if (leg == NULL || buf == NULL || len == NULL)
		return GENKAN_E_INVAL;
	return gk_leg_gather(leg, buf, size, len);
}

void
genkan_leg_wrote(genkan_leg *leg, size_t n)
{
	if (leg == NULL || n == 0)
		return;
	gk_api_now(leg->ctx);
	gk_leg_wrote(leg, n);
}

int
genkan_leg_wants(const genkan_leg *leg)
{
	return leg == NULL ? GENKAN_WANT_CLOSE : gk_leg_wants(leg);
}

int
genkan_leg_deadline(const genkan_leg *leg, int64_t *ms)
{
	int64_t at;

	if (leg == NULL || ms == NULL)
		return GENKAN_E_INVAL;
	at = gk_leg_deadline(leg);
	if (at == GK_CLOCK_NEVER)
		return 0;
	*ms = at;
	return 1;
}

void
genkan_leg_tick(genkan_leg *leg, int64_t now_ms)
{
	if (leg != NULL && gk_api_tick(leg->ctx, now_ms))
		gk_leg_tick(leg, gk_now(leg->ctx));
}

void
genkan_leg_free(genkan_leg *leg)
{
	if (leg == NULL)
		return;
	gk_api_now(leg->ctx);
	gk_leg_free(leg);
}
