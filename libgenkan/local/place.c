#include "local/place.h"

#include <stdio.h>

int
gk_place_resolve(struct gk_place *ret, struct gk_why *why)
{
	int r, n;

	r = gk_dirs_state(ret->state, why);
	if (r == 0)
		r = gk_dirs_runtime(ret->runtime, why);
	if (r < 0)
		return r;
	n = snprintf(ret->sock, sizeof(ret->sock), "%s/%s", ret->runtime,
	    GK_PLACE_SOCK);
	if (n < 0 || (size_t)n >= sizeof(ret->sock))
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "%.200s...: path too long", ret->runtime);
	return 0;
}
