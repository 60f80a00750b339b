/* The validators of extension/.contract, for gen_ts.c. */
#ifndef GK_CONTRACT_GEN_ZOD_H
#define GK_CONTRACT_GEN_ZOD_H

#include "contract/gen.h"

void	zod_kit(FILE *);		/* kit.ts: what the others are made of */
void	zod_args(FILE *);		/* the end of ops.ts */
void	zod_shape(FILE *, enum gk_shape_id);	/* a const and its type */
void	zod_envelopes(FILE *);		/* envelopes.ts */
void	zod_frames(FILE *);		/* frames.ts */
void	gen_vectors(FILE *);		/* vectors.ts: gen_vectors.c */

#endif
