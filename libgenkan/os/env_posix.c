#include "os/env.h"

#include <stdlib.h>

const char *
gk_env_get(const char *name)
{
	const char *value = getenv(name);

	return value == NULL || *value == '\0' ? NULL : value;
}
