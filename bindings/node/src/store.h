/*
 * Records that a JavaScript program keeps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_NODE_STORE_H
#define GENKAN_NODE_STORE_H

#include <genkan/store.h>

#include "call.h"

/* Four functions that keep records, as store.cjs has them, or nothing at all;
 * for one who has entered, and gives the table to the library, which frees what
 * is behind it. */
bool	gkn_arg_store(struct gkn_call *, size_t i, genkan_store *table,
	    const genkan_store **);

#endif
