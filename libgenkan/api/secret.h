/* The secret of a broker, as callers give it. */
#ifndef GK_API_SECRET_H
#define GK_API_SECRET_H

#include "base/str.h"
#include "contract/schema.h"

static inline bool
gk_secret_fits(const char *secret)
{
	return secret != NULL && strlen(secret) == GK_SECRET_HEX &&
	    gk_str_is_hex_lower(secret, GK_SECRET_HEX);
}

#endif
