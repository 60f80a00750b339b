/*
 * Inside the broker; for engine/{broker,leg,browser,client,call,route,gate,
 * registry,listing,sweep}.c alone.
 *
 * Who owns what: legs belong to the program, everything else to the broker.  A
 * call is owned by the list of its client (a probe by its listing) and linked
 * where it waits; whatever ends it unlinks it everywhere first and frees it
 * last, so that one call's end may end others.
 */
#ifndef GK_ENGINE_BROKER_IMPL_H
#define GK_ENGINE_BROKER_IMPL_H

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "codec/line.h"
#include "contract/schema.h"
#include "engine/broker.h"
#include "engine/chain.h"
#include "proto/accept.h"
#include "proto/envelope.h"
#include "proto/machine.h"
#include "proto/mcp.h"
#include "proto/queue.h"
#include "trust/admission.h"
#include "trust/policy.h"

/* Replies and progress that a client has not read; beyond that its input is
 * not read either. */
#define GK_CLIENT_BACKLOG	1048576

/* Of a client's leg that is to close once its replies are out, and of a
 * refusal: how long the peer may take to read them. */
#define GK_FLUSH_MS		10000

#define GK_BROKER_OUTDATED_TEXT "genkan was upgraded while this server ran; " \
	"restart the MCP client so that it starts the new one"

/* What a browser has until it says otherwise. */
#define GK_CAPS_ALL		((UINT32_C(1) << GK_CAP_END) - 1)

enum gk_bleg_state {
	GK_BLEG_SETUP,		/* steps 4 and 5 */
	GK_BLEG_BROWSER,
	GK_BLEG_CLIENT,
	GK_BLEG_FLUSH,		/* the rest of the output, then close */
	GK_BLEG_CLOSED
};

/* A connection of the bridge socket. */
struct gk_bleg {
	struct genkan_leg	 leg;		/* first */
	struct gk_broker	*broker;	/* NULL: outlived it */
	struct gk_chain		 node;		/* in broker->legs */
	enum gk_bleg_state	 state;
	struct gk_outq		 out;
	int64_t			 deadline;	/* of FLUSH */
	struct gk_peer		 peer;
	unsigned		 may;		/* GK_MAY_* */
	struct gk_accept	*setup;		/* SETUP only */
	struct gk_browser_leg	*browser;	/* BROWSER only */
	struct gk_client_leg	*client;	/* CLIENT only */
};

/* What a registered browser adds to its leg. */
struct gk_browser_leg {
	struct gk_bleg		*leg;
	struct gk_line		 in;
	char			 label[GK_LABEL_MAX + 1];
	int64_t			 generation;
	int64_t			 ready_at;	/* end of the hello wait */
	bool			 spoke;		/* a frame has come */
	int64_t			 protocol;
	uint32_t		 caps;
	struct gk_chain		 hello;		/* calls that wait for it */
	struct gk_chain		 queued;	/* in the order of the queue */
	struct gk_chain		 sent;
};

/* A counted client: the own harness, a relay, an embedder. */
struct gk_broker_client {
	struct gk_broker	*broker;
	struct gk_chain		 node;		/* in broker->clients */
	struct gk_mcp		*mcp;
	struct gk_client_leg	*leg;		/* NULL: the own harness */
	struct gk_chain		 calls;		/* in arrival order */
	size_t			 bytes;		/* arguments not yet written */
	bool			 embedder;
	struct gk_measure	 as;		/* what it is judged on */
	enum gk_verdict		 admitted;
	bool			 audited;	/* harness_admit is out */
};

/* What an attached client adds to its leg. */
struct gk_client_leg {
	struct gk_bleg		*leg;
	struct gk_broker_client	 base;
	struct gk_line		 in;
	int64_t			 level;		/* rate tokens, in thousandths */
	int64_t			 level_at;
	bool			 eof;		/* its input has ended */
};

enum gk_call_state {
	GK_CALL_GATES,		/* linked nowhere yet */
	GK_CALL_BROWSER,	/* waits for any browser */
	GK_CALL_HELLO,		/* routed, waits for its leg's first frame */
	GK_CALL_QUEUED,		/* request not wholly out */
	GK_CALL_SENT,
	GK_CALL_PROBING		/* list_browsers */
};

struct gk_call {
	struct gk_broker	*broker;
	struct gk_broker_client	*client;	/* NULL: a probe */
	struct gk_mcp_call	*mcp;		/* NULL: a probe */
	struct gk_listing	*listing;	/* own, or the probe's */
	size_t			 entry;		/* of a probe, in listing */
	const struct gk_tool	*tool;
	enum gk_call_state	 state;
	bool			 audited;	/* reached gate 1 */
	int64_t			 id;		/* 0: not drawn yet */
	int64_t			 read_at;
	int64_t			 budget;	/* ms, of deadline */
	int64_t			 deadline;
	int64_t			 wait_until;	/* GK_CALL_BROWSER */
	struct gk_buf		 args;
	size_t			 counted;	/* bytes in client->bytes */
	bool			 named;
	size_t			 want_len;
	char			 want[GK_QUOTE_MAX + 1];
	struct gk_browser_leg	*browser;	/* HELLO, QUEUED, SENT */
	int64_t			 generation;	/* 0: not routed */
	char			 label[GK_LABEL_MAX + 1];
	uint64_t		 handle;	/* QUEUED */
	struct gk_chain		 owner;		/* client->calls */
	struct gk_chain		 place;		/* where it waits */
	struct gk_chain		 timer;		/* broker->timers */
};

struct gk_broker {
	struct genkan_ctx	*ctx;
	const struct gk_store	*store;
	struct gk_trust_cache	 trust;
	struct gk_policy_cache	 policy;
	struct gk_chain		 legs;
	struct gk_chain		 clients;
	struct gk_broker_client	*own;
	size_t			 nclients;
	size_t			 npending;
	size_t			 nsetup;	/* legs in SETUP */
	size_t			 nflush;	/* legs in FLUSH */
	bool			 dry;		/* a leg may be out of tokens */
	/* Registered browsers, sorted by label. */
	struct gk_browser_leg	*browser[GK_MAX_BROWSERS];
	size_t			 nbrowsers;
	int64_t			 generation;	/* given last */
	int64_t			 id;		/* drawn last */
	struct gk_umap		 pending;	/* id to struct gk_call */
	struct gk_chain		 waiting;	/* GK_CALL_BROWSER, in order */
	struct gk_chain		 timers;	/* by deadline */
	struct gk_chain		 probes;	/* the same, of probes */
	size_t			 queued;	/* arguments not yet written */
	int64_t			 sweep_at;
	bool			 latch;
	bool			 stay;		/* no latch */
	bool			 retired;
	bool			 leave;		/* event is due */
	bool			 outdated;	/* event is due */
	bool			 told_outdated;
};

/* call.c: the life of a call */
struct gk_call *gk_call_new(struct gk_broker *, const struct gk_tool *,
	    int64_t read_at, int64_t budget);
void	gk_call_count(struct gk_call *);
void	gk_call_uncount(struct gk_call *);
void	gk_call_start_timer(struct gk_call *);
/* These end it: the pointer is dead afterwards. */
void	gk_call_success(struct gk_call *, struct gk_span data, bool canonical);
void	gk_call_failure(struct gk_call *, enum gk_code, struct gk_span text)
	    GK_COLD;
void	gk_call_fail(struct gk_call *, enum gk_code, const char *fmt, ...)
	    GK_PRINTF(3, 4) GK_COLD;
void	gk_call_cancel(struct gk_call *);
void	gk_call_timeout(struct gk_call *) GK_COLD;
/* Every call of the list, one by one, whatever their ends do to the rest. */
void	gk_calls_fail(struct gk_chain *, enum gk_code, const char *text)
	    GK_COLD;

/* gate.c: gates 1 and 4; true, or the call has ended.  seen as in
 * gk_broker_call() */
bool	gk_gate_records(struct gk_call *);
bool	gk_gate_kill(struct gk_call *, const struct gk_trust_view *seen);
bool	gk_gate_policy(struct gk_call *);
bool	gk_gate_hello(struct gk_call *);

/* route.c: from gate 5 on */
void	gk_route(struct gk_call *);
void	gk_route_nobody(struct gk_call *);
void	gk_route_to(struct gk_call *, struct gk_browser_leg *);
void	gk_route_send(struct gk_call *);
void	gk_route_waiting(struct gk_broker *);
void	gk_route_hello(struct gk_browser_leg *);

/* listing.c: list_browsers */
void	gk_listing_begin(struct gk_call *);
void	gk_listing_result(struct gk_call *probe, struct gk_span data);
void	gk_listing_failed(struct gk_call *probe, enum gk_code,
	    struct gk_span text);
void	gk_listing_free(struct gk_listing *);

/* registry.c: live labels */
struct gk_browser_leg *gk_registry_find(const struct gk_broker *,
	    const char *label, size_t len);
int	gk_registry_add(struct gk_browser_leg *);
void	gk_registry_remove(struct gk_browser_leg *);
int	gk_registry_labels(const struct gk_broker *, struct gk_buf *);

/* leg.c: any connection */
void	gk_bleg_close(struct gk_bleg *);
void	gk_bleg_flush(struct gk_bleg *);

/* browser.c */
int	gk_browser_begin(struct gk_bleg *, const char *label);
int	gk_browser_feed(struct gk_bleg *, const void *, size_t, size_t *used);
void	gk_browser_wrote(struct gk_bleg *);
void	gk_browser_cancel(struct gk_browser_leg *, int64_t id);
/* how: "severed", "superseded" ..., for the log and the calls' text. */
void	gk_browser_sever(struct gk_browser_leg *, const char *how) GK_COLD;

/* client.c */
int	gk_client_begin(struct gk_bleg *, const struct gk_broker_client *as);
int	gk_client_feed(struct gk_bleg *, const void *, size_t, size_t *used);
bool	gk_client_wants_read(const struct gk_client_leg *);
int64_t	gk_client_deadline(const struct gk_client_leg *);
void	gk_client_eof(struct gk_bleg *);
/* Nothing is owed any more and the input has ended: close. */
void	gk_client_settle(struct gk_broker_client *);
/* Calls cancelled, nothing more is written. */
void	gk_client_drop(struct gk_client_leg *);
void	gk_client_init(struct gk_broker_client *, struct gk_broker *);
int	gk_client_count(struct gk_broker_client *);
void	gk_client_release(struct gk_broker_client *);
void	gk_client_judge(struct gk_broker_client *, const struct gk_trust_view *,
	    struct gk_admission *);

/* admit.c: steps 6 and 7 of 5.1 */
void	gk_admit(struct gk_bleg *);
void	gk_admit_audit(struct gk_broker *, const char *kind,
	    const char *outcome, const char *name, const char *detail);

/* sweep.c */
void	gk_sweep(struct gk_broker *);
void	gk_retire_settle(struct gk_broker *);

static inline void
gk_broker_look(struct gk_broker *b, struct gk_trust_view *ret)
{
	gk_trust_look(b->ctx, b->store, &b->trust, ret);
}

#endif
