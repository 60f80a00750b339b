/* One control plane of a browser "chrome", records in memory, what it sends. */
#ifndef GK_TESTS_CONTROL_WORLD_H
#define GK_TESTS_CONTROL_WORLD_H

#include "engine/control.h"
#include "memstore.h"
#include "proto/queue.h"
#include "util.h"

extern struct gk_test t;
extern struct memstore m;
extern struct gk_outq out;
extern struct gk_control c;
extern char got[65536];		/* what sent() returned */
/* What DISPOSE says of the host key. */
extern enum gk_key_state disposal;

void	control_setup(void);
void	control_teardown(void);

void	classify(const char *, struct gk_control_frame *);
/* What went out since, one frame a line; each fits its row of the table. */
const char *sent_so_far(void);
/* And with every question about the host key answered. */
const char *sent(void);
/* The frame is answered; what went out for it. */
const char *answer(const char *);
/* Ticks from now to a time. */
void	run_until(int64_t ms);

#endif
