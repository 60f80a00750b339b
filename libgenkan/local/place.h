/*
 * Where the files of this user lie (wire 2.1), resolved once at the start of a
 * program.  Paths only: what is in there is looked at afresh every time.
 */
#ifndef GK_LOCAL_PLACE_H
#define GK_LOCAL_PLACE_H

#include "base/base.h"
#include "contract/schema.h"
#include "os/dirs.h"

/* File names of wire 2.2. */
#define GK_PLACE_LOCK	gk_schema_file(GK_FILE_RUN_LOCK)
#define GK_PLACE_TMP	gk_schema_file(GK_FILE_RUN_LOCK_TMP)
#define GK_PLACE_SOCK	gk_schema_file(GK_FILE_RUN_SOCK)
#define GK_PLACE_MUTEX	gk_schema_file(GK_FILE_RUN_MUTEX)
#define GK_PLACE_RECORDS gk_schema_file(GK_FILE_RECORDS_MUTEX)

struct gk_place {
	char	runtime[GK_PATH_MAX];
	char	state[GK_PATH_MAX];
	char	sock[GK_PATH_MAX];	/* runtime/run.sock */
};

/* 0, GENKAN_E_NOENT without a home, GENKAN_E_ADDR for a path too long. */
int	gk_place_resolve(struct gk_place *ret, struct gk_why *);

#endif
