/*
 * The script between a manifest and genkan-host.  A manifest cannot carry
 * arguments, and the label of a browser is one.
 *
 * A wrapper is ours only if nothing can be hidden in it: comments and a single
 * exec of a program called genkan-host, spelled in plain literals.
 */
#ifndef GK_RECORDS_WRAPPER_H
#define GK_RECORDS_WRAPPER_H

#include "base/base.h"
#include "contract/schema.h"

struct gk_buf;

#define GK_WRAPPER_PATH_MAX	4096

struct gk_wrapper {
	char	path[GK_WRAPPER_PATH_MAX];	/* of the executable */
	char	label[GK_LABEL_MAX + 1];	/* "" without --label */
};

/* 0 and *ret, or GENKAN_E_NOT_OURS; what was found wrong is in *why, static
 * and for people. */
int	gk_wrapper_parse(const void *bytes, size_t len, struct gk_wrapper *ret,
	    const char **why);

/* The script; appended.  label may be NULL.  GENKAN_E_INVAL for what would not
 * be recognised again: a relative path, another program, a line break. */
int	gk_wrapper_format(const char *path, const char *label,
	    struct gk_buf *ret);

#endif
