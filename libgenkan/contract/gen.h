/*
 * gencontract: prints what is not our C from the contract tables.  It runs
 * during the build only and is never linked in.  One printer a file; each
 * writes to the stream it is given and the caller looks at ferror() once.
 */
#ifndef GK_CONTRACT_GEN_H
#define GK_CONTRACT_GEN_H

#include <stdio.h>

#include "contract/schema.h"

void	gen_h(FILE *);			/* include/genkan/contract.h */

#endif
