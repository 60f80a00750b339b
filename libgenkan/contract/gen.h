/*
 * gencontract: prints what is not our C from the contract tables.  It runs
 * during the build only and is never linked in.  One output a file; each
 * printer writes to the stream it is given, and main() looks at ferror() once.
 */
#ifndef GK_CONTRACT_GEN_H
#define GK_CONTRACT_GEN_H

#include <stdio.h>

#include "contract/schema.h"

void	gen_h(FILE *);			/* include/genkan/contract.h */
void	gen_tools(FILE *);		/* tools_json.h, for tooljson.c */
void	gen_json(FILE *);		/* contract.json */
void	gen_policy1(FILE *);		/* fields of the policy in genkan.1 */
void	gen_errors3(FILE *);		/* table of genkan-errors.3 */
void	gen_protocol7(FILE *);		/* tables of genkan-protocol.7 */

/* The files of extension/.contract. */
struct gen_ts {
	const char	*file;
	void		(*print)(FILE *);
};
const struct gen_ts *gen_ts_files(size_t *n);

/* Shared by the printers. */
void	gen_str(FILE *, const char *);	/* as JSON, which is C and TS as well */
void	gen_list(FILE *, const char *const *);	/* ["a","b"] */
void	gen_word(FILE *, const char *);	/* "HIGH_RISK" as "high-risk" */
void	gen_tool_entry(FILE *, const struct gk_tool *);	/* of tools/list */

#endif
