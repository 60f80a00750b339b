/* The validators of extension/.contract, for gen_ts.c. */
#ifndef GK_CONTRACT_GEN_ZOD_H
#define GK_CONTRACT_GEN_ZOD_H

#include "contract/gen.h"

/* The first line of every file. */
#define HEAD "// Generated from the contract tables of libgenkan; do not edit.\n"

void	zod_kit(FILE *);		/* kit.ts: what the others are made of */
void	zod_args(FILE *);		/* the end of ops.ts */
void	zod_shape(FILE *, enum gk_shape_id);	/* a const and its type */
void	zod_pascal(FILE *, const char *sym);	/* "A_ROW" as ARow */
/* A const of that name, "export const ARow = " to ";", and its type. */
void	zod_begin(FILE *, const char *sym);
void	zod_end(FILE *, const char *sym);
/* An object, or the union of its two verdicts; tag NULL: no frame. */
void	zod_verdicts(FILE *, const char *tag,
	    const struct gk_shape_member *);
void	zod_envelopes(FILE *);		/* envelopes.ts */
void	zod_frames(FILE *);		/* frames.ts */
void	gen_vectors(FILE *);		/* vectors.ts: gen_vectors.c */

#endif
