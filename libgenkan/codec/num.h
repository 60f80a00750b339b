/*
 * Number tokens, without strtod(): that one asks the locale, and a library
 * does not know what its host set.
 */
#ifndef GK_CODEC_NUM_H
#define GK_CODEC_NUM_H

#include "base/base.h"

/* token: an integer by the JSON grammar.  false beyond signed 64 bits. */
bool	gk_num_int(struct gk_span token, int64_t *ret);

/* token: any number by the JSON grammar.  false if it rounds to infinity. */
bool	gk_num_is_finite(struct gk_span token);

#endif
