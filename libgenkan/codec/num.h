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

/* The digits of a number: how many, at most GK_NUM_TEXT; no NUL behind them. */
#define GK_NUM_TEXT	20
size_t	gk_num_text(uint64_t, char ret[GK_NUM_TEXT]);

#endif
