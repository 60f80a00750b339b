/*
 * Inside the control plane; for engine/control*.c alone.  A handler answers
 * its frame before it returns, in the frame's own result, or takes note of
 * what will be answered later.
 */
#ifndef GK_ENGINE_CONTROL_IMPL_H
#define GK_ENGINE_CONTROL_IMPL_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "codec/jstr.h"
#include "codec/url.h"
#include "engine/control.h"
#include "proto/nm.h"

#define GK_CONTROL_TAG	"control"

/*
 * A frame that is being built; the caller writes members with the gk_json_put_*
 * functions on .buf.
 */
struct gk_answer {
	struct gk_control	*c;
	int			 tag;
	int			 r;		/* how opening it went */
	struct gk_buf		 buf;
};

/* {"type":TAG is there, or .r says why not: gk_answer_send() looks. */
void	gk_answer_open(struct gk_answer *, struct gk_control *, int tag);
/* Closes and queues it; r is what the caller's writes said.  Who waits for an
 * answer that cannot be made would wait for ever, so it marks the control plane
 * as failed and the host ends. */
void	gk_answer_send(struct gk_answer *, int r);

/* {"type":TAG,"ok":true} and {"type":TAG,"ok":false,"error":TEXT}. */
void	gk_answer_ok(struct gk_control *, int tag);
void	gk_answer_error(struct gk_control *, int tag, const char *text);
/* {"type":TAG,"ok":false,"reason":"CODE: DETAIL"}; detail may be NULL. */
void	gk_answer_reason(struct gk_control *, int tag, enum gk_refusal_id,
	    const char *detail);

/* A string member of a frame that was classified as HANDLE, decoded into
 * scratch where need be; ptr NULL where it is absent. */
struct gk_span gk_control_text(const struct gk_control_frame *,
	    const char *name, struct gk_buf *scratch);

void	gk_control_look(struct gk_control *, struct gk_trust_view *ret);
void	gk_control_audit(struct gk_control *, const struct gk_audit *);

/* An answer is out that others waited for. */
void	gk_control_resume(struct gk_control *);

/* control_kill.c */
void	gk_control_push_kill(struct gk_control *, const struct gk_trust_view *);
void	gk_control_kill_status(struct gk_control *);
void	gk_control_kill_engage(struct gk_control *);
/*
 * control_act.c: the record lock.  begin starts the wait; look is true once it
 * is settled: *ret 0 and the hold, to be dropped, or an error with its
 * sentence.  Until then .pending is true and .retry_at the next look.
 */
void	gk_control_wait_begin(struct gk_control *, struct gk_control_wait *);
bool	gk_control_wait_look(struct gk_control *, struct gk_control_wait *,
	    struct gk_hold **hold, int *ret, char *why, size_t whylen);
bool	gk_control_wait_due(const struct gk_control *,
	    const struct gk_control_wait *);
/* .act.act was made; the proof becomes ours. */
void	gk_control_act_start(struct gk_control *, int tag,
	    struct gk_presence *);
void	gk_control_act_tick(struct gk_control *);
void	gk_control_client_revoke(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_browser_revoke(struct gk_control *);
/*
 * control_rules.c: the table of control 6.2.  A new act is a row, a handler of
 * its frame that ends in gk_control_ask(), and a grant.
 */
enum gk_control_set {
	GK_CONTROL_OWN,		/* credentials under our label may answer */
	GK_CONTROL_ANY		/* all credentials of the machine */
};

/*
 * What a proof starts.  The proof is the grant's: it hands it on to an act, or
 * uses and frees it.  It sees to it that presence_result{ok:true} and then the
 * act's frames are sent, now or from a tick.  What it takes out of the slot it
 * clears there; the rest is freed behind it.
 */
typedef void gk_control_grant_fn(struct gk_control *,
	    struct gk_control_slot *, struct gk_presence *);

struct gk_control_rule {
	int			 tag;		/* the frame that asks */
	enum gk_control_set	 set;
	bool			 window;	/* where the set is empty */
	const char		*command;	/* at a terminal; NULL: none */
	gk_control_grant_fn	*grant;
};

const struct gk_control_rule *gk_control_rule(int tag);	/* or NULL */
void	gk_control_kill_release(struct gk_control *);
void	gk_control_client_pair(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_presence_begin(struct gk_control *,
	    const struct gk_control_frame *);

/*
 * control_presence.c.  gk_control_ask(): the prechecks have passed, next has
 * what the grant needs and is taken in any case; sends presence_request, or
 * the frame's own result and false where there is no randomness.  view is the
 * record as the prechecks saw it.
 */
bool	gk_control_ask(struct gk_control *, int tag,
	    const struct gk_trust_view *view, const struct gk_action *,
	    struct gk_control_slot *next);
void	gk_control_presence_answer(struct gk_control *,
	    const struct gk_control_frame *);
/* Audited; what is left of the slot is freed. */
void	gk_control_refuse(struct gk_control *, struct gk_control_slot *,
	    enum gk_refusal_id, const char *detail);
void	gk_control_grant(struct gk_control *, struct gk_control_slot *,
	    struct gk_presence *);
/* The label whose credentials may answer; NULL: any of the machine. */
const char *gk_control_set_label(const struct gk_control *,
	    const struct gk_control_rule *);
void	gk_control_slot_empty(struct gk_control *);
void	gk_control_slot_done(struct gk_control_slot *);
/* "member":[ids of a label; of all for NULL]. */
int	gk_control_put_ids(struct gk_buf *, const char *member,
	    const struct gk_trustrec *, const char *label);
/* Does the parent qualify (6.2), at start and now?  Ask when it counts. */
bool	gk_control_parent(const struct gk_control *);
/* control_policy.c */
void	gk_control_push_policy(struct gk_control *);
void	gk_control_policy_history(struct gk_control *);
/* Nothing where the record cannot be read. */
void	gk_control_push_lang(struct gk_control *);
/* control_change.c: frames that change the policy or the language. */
void	gk_control_policy_restrict(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_policy_set(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_policy_rollback(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_lang_set(struct gk_control *,
	    const struct gk_control_frame *);
/*
 * control_write.c: .write has a tag, and a plan or a language.  The answer,
 * behind that of the proof where one was given, ends it.
 */
void	gk_control_write_start(struct gk_control *);
void	gk_control_write_tick(struct gk_control *);
void	gk_control_write_drop(struct gk_control *);
bool	gk_control_writing(const struct gk_control *);
gk_control_grant_fn gk_control_grant_policy;
/*
 * control_ask.c: the host key, asynchronously (3.4).  msg is the whole message
 * (gk_key_challenge(), gk_key_policy()), copied; NULL: does a key load?  done
 * is called once, maybe before this returns; not if the connection ends first.
 * An asker that owes an answer makes itself busy (gk_control_busy()) and calls
 * gk_control_resume() when it has sent it.
 */
typedef void gk_control_key_fn(struct gk_control *,
	    const struct gk_key_answer *);
void	gk_control_key_ask(struct gk_control *, const void *msg, size_t len,
	    gk_control_key_fn *done);
void	gk_control_key_dispose(struct gk_control *, gk_control_key_fn *done);
void	gk_control_asks_init(struct gk_control *);
void	gk_control_asks_done(struct gk_control *);
/* control_key.c */
void	gk_control_push_revoked(struct gk_control *);
void	gk_control_challenge(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_revoke(struct gk_control *);
/* control_clients.c */
void	gk_control_client_list(struct gk_control *);
/* control_admin.c */
void	gk_control_audit_event(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_audit_read(struct gk_control *,
	    const struct gk_control_frame *);
/* control_query.c */
void	gk_control_look_up(struct gk_control *,
	    const struct gk_control_frame *);
/* control_webauthn.c, control_enroll.c; counted and enrolled: their act has
 * run. */
void	gk_control_webauthn(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_tap(struct gk_control *, struct gk_control_slot *,
	    const struct gk_control_frame *);
void	gk_control_counted(struct gk_control *, int r, const char *why);
void	gk_control_enroll_begin(struct gk_control *);
void	gk_control_enroll_finish(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_enrolled(struct gk_control *, int r, const char *why);
void	gk_control_enroll_drop(struct gk_control *);
/* What stands on a tap; first use does not. */
void	gk_control_approval_drop(struct gk_control *);
gk_control_grant_fn gk_control_grant_enroll;

#endif
