/*
 * The audit trail as `genkan audit` prints it: control.md 11.3.
 */
#ifndef GK_LOCAL_AUDITVIEW_H
#define GK_LOCAL_AUDITVIEW_H

#include "local/desk.h"

/* The last limit records into the report, as text or as the lines that lie on
 * disk.  0 or GENKAN_E_NOMEM. */
int	gk_auditview_fill(struct gk_desk *, size_t limit, bool json);

#endif
