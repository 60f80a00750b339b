/*
 * A host between a browser and a broker, both played by hand, with records in
 * memory.
 */
#ifndef GK_TESTS_HOST_WORLD_H
#define GK_TESTS_HOST_WORLD_H

#include "engine/host.h"
#include "memstore.h"
#include "proto/machine.h"
#include "util.h"

#define KILLED	MEM_TRUST(5, true, 5, 0, 0, 0, "null")
#define CLEAR	MEM_TRUST(6, false, 6, 0, 0, 0, "null")
#define POLICY	"{\"type\":\"policy_current\",\"ok\":false,\"error\":\"no " \
	"policy has been set on this machine yet\"}\n"
#define LANG	"{\"type\":\"lang_current\",\"value\":\"en\",\"seq\":0}\n"
#define KILL_ON	"{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":true}\n"
#define KILL_OFF "{\"type\":\"kill_status_result\",\"ok\":true,\"killed\":" \
	"false}\n"

extern struct gk_test t;
extern struct memstore m;
extern struct gk_host *h;
extern struct genkan_leg *browser, *bridge;	/* bridge: NULL before it stands */
extern char got[1 << 16];	/* what browser_got() returned */
extern char line[1 << 16];	/* what broker_got() did */

/* Every test of it starts with a host of the browser "chrome". */
TCase	*host_tcase(Suite *, const char *name);
/* A host over the records as they are. */
void	make(const char *label);

enum gk_host_event_kind event(struct gk_host_event *);
void	assert_event(enum gk_host_event_kind);
/* LEAVE with this status, and nothing behind it. */
void	assert_leave(int status);
/* Runs the clock to ms, stopping at every deadline. */
void	run_until(int64_t ms);

/* Bytes for a leg, all of them taken. */
void	feed(struct genkan_leg *, const void *, size_t);
void	browser_send(const char *json);
/* What the browser has got since the last look, one frame a line. */
const char *browser_got(void);
void	broker_send(const char *);
const char *broker_got(void);

/* Up to the DIAL, with its answer. */
void	dial(enum gk_dialled);
/* The broker's side of the set-up, up to the reply. */
void	meet(const char *reply);
/* Both: the bridge stands. */
void	attach(void);
/* Over this record the host goes into control-plane mode. */
void	start_control(const char *trust);

#endif
