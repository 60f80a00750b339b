/*
 * The native-messaging manifest that a browser reads to find genkan-host:
 * written here, and recognised again so that nobody else's file is touched
 * (control.md 10.2, 10.3).
 */
#ifndef GK_RECORDS_MANIFEST_H
#define GK_RECORDS_MANIFEST_H

#include "base/base.h"
#include "contract/schema.h"

struct gk_buf;

#define GK_MANIFEST_PATH_MAX	4096

struct gk_manifest {
	bool	ours;		/* our name and exactly our description */
	bool	foreign_origin;	/* allowed_origins is not just our extension */
	bool	not_stdio;	/* another type, so no browser starts it */
	char	path[GK_MANIFEST_PATH_MAX];	/* "" where it has none */
};

/*
 * 0 for any JSON object, ours or not: .ours tells.  GENKAN_E_TOO_LARGE,
 * GENKAN_E_RECORD_CORRUPT (no JSON object), GENKAN_E_NOMEM with the reason in
 * why.
 */
int	gk_manifest_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_manifest *ret, char *why, size_t whylen);

/* Indented, with LF; appended.  wrapper is an absolute path in UTF-8, else
 * GENKAN_E_INVAL. */
int	gk_manifest_format(const char *wrapper, struct gk_buf *ret);

#endif
