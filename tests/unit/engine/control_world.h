/* One control plane of a browser "chrome", records in memory, what it sends. */
#ifndef GK_TESTS_CONTROL_WORLD_H
#define GK_TESTS_CONTROL_WORLD_H

#include "engine/control.h"
#include "memstore.h"
#include "proto/queue.h"
#include "util.h"

/* Records, and frames that more than one test waits for. */
#define KILLED		MEM_TRUST(5, true, 5, 0, 0, 0, "null")
#define CLEAR		MEM_TRUST(5, false, 4, 0, 0, 0, "null")
#define LISTED		MEM_TRUST(5, false, 0, 0, 0, 0, "["		\
	MEM_CLIENT("a", MEM_HASH) "," MEM_CLIENT("b", MEM_OTHER) "]")
#define KILL_ON		"{\"type\":\"kill_status_result\",\"ok\":true,"	\
	"\"killed\":true}\n"
#define KILL_OFF	"{\"type\":\"kill_status_result\",\"ok\":true,"	\
	"\"killed\":false}\n"
#define REVOKED		"{\"type\":\"enclave_revoked\"}\n"

extern struct gk_test t;
extern struct memstore m;
extern struct gk_outq out;
extern struct gk_control c;
extern char got[65536];		/* what sent() returned */
/* What DISPOSE says of the host key. */
extern enum gk_key_state disposal;

void	control_setup(void);
void	control_teardown(void);
/* Its tests start and end with these two. */
TCase	*control_tcase(Suite *, const char *name);

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
