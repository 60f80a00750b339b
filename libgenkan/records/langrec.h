/* lang.json: the language of the user interface, and how often it changed. */
#ifndef GK_RECORDS_LANGREC_H
#define GK_RECORDS_LANGREC_H

#include "records/record.h"

#define GK_LANG_DEFAULT	"en"

struct gk_langrec {
	const char	*value;		/* static: one of the roster */
	uint64_t	 seq;
};

/* What stands where there is no file: "en", 0. */
void	gk_langrec_default(struct gk_langrec *);

/* The roster's own copy of a language, NULL for any other text. */
const char *gk_lang_lookup(const char *, size_t);

int	gk_langrec_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_langrec *ret, char *why, size_t whylen);
int	gk_langrec_format(const struct gk_langrec *, struct gk_buf *ret);

#endif
