/*
 * The single door to Jansson.  Trees are for what is small and irregular;
 * whatever only passes through stays text (codec/scan.h).
 *
 * gk_json_parse() accepts exactly what gk_scan() accepts, because it scans
 * first and then builds from the accepted text.  Jansson's own parser is not
 * used on foreign bytes: it refuses integers beyond 64 bits, which here read
 * as reals, and limits depth only at 2048.
 *
 * No secret enters a json_t: Jansson cannot wipe.
 */
#ifndef GK_CODEC_JSON_H
#define GK_CODEC_JSON_H

#include <jansson.h>

#include "codec/field.h"

/*
 * 0 and a tree, yours (json_decref()); else what gk_scan() returns,
 * with the reason in gk_err_set().
 */
int	gk_json_parse(struct genkan_ctx *, const void *text, size_t len,
	    json_t **ret);
/* The tree of any value span of an accepted text; yours, NULL on lack of
 * memory. */
json_t	*gk_json_build(struct genkan_ctx *, struct gk_span value);

/* Appends the compact form, members in insertion order.  Errors as
 * gk_buf_put(); GENKAN_E_INTERNAL for a tree deeper than GK_JSON_DEPTH. */
int	gk_json_dump(struct gk_buf *, const json_t *);

/* GK_J_* bit; 0 for NULL. */
uint8_t	gk_json_type(const json_t *);

/* Like gk_fields_span(); ret gets borrowed values, NULL where absent. */
int	gk_fields_json(const json_t *object, const struct gk_field *tab,
	    size_t n, bool lenient, json_t **ret, struct gk_field_why *why);

#endif
