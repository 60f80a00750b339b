/*
 * The control plane of one host (control 2): frames of the extension that the
 * host answers itself, what it pushes, and the watch over the trust record.
 *
 * Records are read afresh for every answer.  Answers and pushes go to the
 * browser's queue as finished frames, in the order in which they are made.
 */
#ifndef GK_ENGINE_CONTROL_H
#define GK_ENGINE_CONTROL_H

#include "codec/scan.h"
#include "contract/schema.h"
#include "records/store.h"
#include "trust/act.h"
#include "trust/admission.h"
#include "trust/hostkey.h"
#include "trust/policyact.h"
#include "trust/statement.h"

struct gk_outq;
struct gk_control;

/* ---------------------------------------------------------- classification */

enum gk_control_verdict {
	GK_CONTROL_FORWARD,	/* no control frame */
	GK_CONTROL_HANDLE,
	GK_CONTROL_MALFORMED	/* never forwarded */
};

struct gk_control_frame {
	enum gk_control_verdict	 verdict;
	int			 tag;		/* GK_TAG_*, or NONE */
	struct gk_span		 object;
	char			 why[160];	/* of MALFORMED */
};

/* A pure function of one frame that gk_scan() has accepted (2.1). */
void	gk_control_classify(struct genkan_ctx *, const struct gk_scan *,
	    struct gk_control_frame *ret);
/* The tag alone: a control tag of either direction, or GK_TAG_NONE. */
int	gk_control_tag(const struct gk_scan *);

/* ----------------------------------------------------------------- machine */

/* The latch is being engaged (5.4); see control_kill.c. */
struct gk_control_kill {
	bool		 pending;
	bool		 forced;	/* without the record lock */
	unsigned	 asked;		/* answers owed */
	int64_t		 retry_at;
	int64_t		 give_up;	/* of the present phase */
	struct gk_act	 act;
	char		 lock[GK_WHY_FULL / 2];	/* why it was not had */
};

/* Waiting for the record lock without blocking: one look every 20 ms. */
struct gk_control_wait {
	bool		 pending;
	int64_t		 retry_at;
	int64_t		 give_up;
};

/* An act on the trust record that waits for its lock; see control_act.c. */
struct gk_control_act {
	struct gk_control_wait	 wait;
	int			 tag;		/* the frame that asked */
	struct gk_act		 act;
	struct gk_presence	*proof;		/* ours; NULL: none needed */
};

/*
 * A change of the policy or the language under way: the host key is asked
 * (asking), then the record lock is waited for.  See control_write.c.
 */
struct gk_control_write {
	int			 tag;		/* the frame that asked */
	bool			 asking;
	struct gk_control_wait	 wait;
	struct gk_policy_plan	*plan;		/* ours */
	struct gk_presence	*proof;		/* ours; NULL: none needed */
	const char		*lang;		/* lang_set; static */
};

/* What only the disk can answer, and a job asks it; see control_query.c. */
struct gk_host_ask;
struct gk_control_query {
	bool	pending;	/* an answer is owed */
	bool	wanted;		/* nobody has taken it on yet */
	int	tag;		/* the frame that asked */
	int	browser[GK_BROWSER_END];	/* repair, first-seen order */
	size_t	n;		/* 0: those that are detected */
};

/*
 * The presence slot (6.5): what was asked for, and what its act needs to know
 * when a proof comes; see control_presence.c.  Empty while rule is NULL.
 */
struct gk_control_slot {
	const struct gk_control_rule *rule;
	char			 nonce[GK_CHALLENGE_LEN + 1];
	char			 challenge[GK_CHALLENGE_LEN + 1];
	int64_t			 expires;
	uint64_t		 kill_epoch;	/* kill_release, enroll_begin */
	struct gk_client	 client;	/* client_pair */
	const char		*op;		/* presence_begin; static */
	char			 origin[GK_ORIGIN_MAX + 1];
	struct gk_policy_plan	*plan;		/* policy_set, _rollback */
};

/*
 * The enrollment slot: full between enroll_options and its answer.  With a
 * proof it is somebody's approval; without one it is first use.  The approval
 * itself, before enroll_begin comes for it, has the same form and no
 * challenge.  It is worth as much as the credential that gave it, and nothing
 * once the switch was engaged.  See control_webauthn.c.
 */
struct gk_control_enroll {
	bool			 full;
	struct gk_presence	*proof;
	uint64_t		 kill_epoch;	/* as it was asked for */
	char			 challenge[GK_CHALLENGE_LEN + 1];
	int64_t			 expires;
};

/* A frame that waits behind an answer (2.2); its bytes lie behind it. */
struct gk_control_waiting {
	struct gk_control_waiting *next;
	struct gk_control_frame	   frame;
};

/*
 * A question about the host key on its way; see control_ask.c.  Whoever drives
 * the host has the answer made, on any thread, and brings it back.
 */
struct gk_key_ask {
	struct gk_key_ask	*next;
	enum gk_key_kind	 kind;
	void			(*done)(struct gk_control *,
				    const struct gk_key_answer *);
	struct gk_key_answer	 answer;	/* to be filled in */
	size_t			 len;		/* of the message, which lies
						 * behind this struct */
};

struct gk_control_key {
	struct gk_key_ask	*first;		/* not handed out yet */
	struct gk_key_ask	**last;
	bool			 pending;	/* a frame waits for one */
	bool			 looking;	/* a push does */
	bool			 look_again;
};

struct gk_control {
	struct genkan_ctx	*ctx;
	const struct gk_store	*store;
	struct gk_outq		*out;		/* the browser's; NULL once
						 * it is gone */
	char			 label[GK_LABEL_MAX + 1];	/* never "" */
	struct gk_trust_cache	 trust;
	struct gk_policy_cache	 policy;

	/* The watch of 2.9: what was seen last. */
	bool			 started;
	bool			 readable;
	uint64_t		 kill_epoch;
	uint64_t		 host_key_epoch;
	uint64_t		 policy_epoch;
	uint64_t		 lang_epoch;

	struct gk_control_kill	 kill;
	struct gk_control_act	 act;
	struct gk_control_write	 write;
	struct gk_control_query	 query;
	struct gk_control_key	 key;
	struct gk_control_slot	 slot;
	struct gk_control_slot	 tapped;	/* while its counter waits
						 * for the record lock */
	struct gk_control_enroll enroll;
	struct gk_control_enroll approval;
	bool			 parent_is_browser;	/* at start, by image */
	bool			(*parent_still)(void *user);	/* see host.h */
	void			*parent_user;

	struct gk_control_waiting *first;
	struct gk_control_waiting **last;	/* where the next one goes */
	size_t			 nwaiting;
	size_t			 waiting_bytes;
	bool			 ending;	/* nothing new is looked up */
	bool			 failed;	/* an answer was lost */
};

/* label "" or NULL: the default one. */
void	gk_control_init(struct gk_control *, struct genkan_ctx *,
	    const struct gk_store *, struct gk_outq *, const char *label);
void	gk_control_done(struct gk_control *);

/* The latch, read now (2.10, cases a and b). */
enum gk_kill gk_control_latch(struct gk_control *);

/* Connection start: its pushes; from now on gk_control_watch() may be called. */
void	gk_control_start(struct gk_control *);
/* Pushes what has moved since the last look. */
void	gk_control_watch(struct gk_control *);

/*
 * Answers a HANDLE or MALFORMED frame; while another answer waits for the
 * record lock it is copied and waits too, all but kill_engage, which is acted
 * on at once.  full: nothing more is to be read from the browser.
 */
void	gk_control_answer(struct gk_control *, const struct gk_control_frame *);
bool	gk_control_full(const struct gk_control *);

/* The next question to answer, yours until it is brought back answered or
 * freed; NULL: there is none. */
struct gk_key_ask *gk_control_asked(struct gk_control *);
/* Taken. */
void	gk_control_key_answered(struct gk_control *, struct gk_key_ask *);
void	gk_key_ask_free(struct genkan_ctx *, struct gk_key_ask *);

/* An answer is owed that waits: for the record lock, or for a job. */
bool	gk_control_busy(const struct gk_control *);

/* A question for a job, once; its answer comes through gk_control_told(): the
 * finished value of the answer's payload, or an error and its sentence. */
bool	gk_control_query(struct gk_control *, struct gk_host_ask *ret);
void	gk_control_told(struct gk_control *, int r, struct gk_span value,
	    const char *why);

/* The connection ends: questions are given up, so that acts that wait behind
 * one are still seen through. */
void	gk_control_end(struct gk_control *);
int64_t	gk_control_deadline(const struct gk_control *);
void	gk_control_tick(struct gk_control *);

#endif
