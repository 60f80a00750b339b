/* <genkan/leg.h>: checks the arguments, then the machine's own verb. */
#include "genkan/leg.h"

#include "api/door.h"
#include "proto/machine.h"

int
genkan_leg_feed(genkan_leg *leg, const void *buf, size_t len, size_t *used)
{
	int r;

	if (used == NULL)
		return GENKAN_E_INVAL;
	*used = 0;
	if (buf == NULL && len > 0)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(leg)) < 0)
		return r;
	return gk_leg_feed(leg, buf, len, used);
}

int
genkan_leg_room(genkan_leg *leg, void **ptr, size_t *len)
{
	int r;

	if (ptr == NULL || len == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(leg)) < 0)
		return r;
	return gk_leg_room(leg, ptr, len);
}

void
genkan_leg_eof(genkan_leg *leg)
{
	if (GK_DOOR_IN(leg) == 0)
		gk_leg_eof(leg);
}

void
genkan_leg_broken(genkan_leg *leg)
{
	if (GK_DOOR_IN(leg) == 0)
		gk_leg_broken(leg);
}

int
genkan_leg_output(genkan_leg *leg, const void **ptr, size_t *len)
{
	int r;

	if (ptr == NULL || len == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(leg)) < 0)
		return r;
	return gk_leg_output(leg, ptr, len);
}

int
genkan_leg_gather(genkan_leg *leg, void *buf, size_t size, size_t *len)
{
	int r;

	if (buf == NULL || len == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(leg)) < 0)
		return r;
	return gk_leg_gather(leg, buf, size, len);
}

void
genkan_leg_wrote(genkan_leg *leg, size_t n)
{
	if (n > 0 && GK_DOOR_IN(leg) == 0)
		gk_leg_wrote(leg, n);
}

int
genkan_leg_wants(const genkan_leg *leg)
{
	if (leg == NULL)
		return GENKAN_WANT_CLOSE;
	/* Nothing just now; a leg that seemed over would be freed. */
	return GK_OPEN(leg) ? gk_leg_wants(leg) : 0;
}

int
genkan_leg_deadline(const genkan_leg *leg, int64_t *ms)
{
	int64_t at;
	int r;

	if (ms == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(leg)) < 0)
		return r;
	at = gk_leg_deadline(leg);
	if (at == GK_CLOCK_NEVER)
		return 0;
	*ms = at;
	return 1;
}

void
genkan_leg_tick(genkan_leg *leg, int64_t now_ms)
{
	if (leg != NULL && gk_door_tick(leg->ctx, now_ms))
		gk_leg_tick(leg, gk_now(leg->ctx));
}

void
genkan_leg_free(genkan_leg *leg)
{
	if (GK_DOOR_IN(leg) == 0)
		gk_leg_free(leg);
}
