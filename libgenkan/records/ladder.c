#include "records/ladder.h"

int
gk_ladder_climb(const struct gk_ladder *ladder, uint64_t version,
    json_t *object)
{
	size_t i;

	if (version < ladder->first)
		return GENKAN_E_RECORD_OLDER;
	if (version > gk_ladder_current(ladder))
		return GENKAN_E_RECORD_NEWER;
	for (i = (size_t)(version - ladder->first); i < ladder->n; i++)
		if (ladder->rung[i](object) < 0)
			return GENKAN_E_RECORD_CORRUPT;
	return 0;
}
