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
#include "engine/control.h"
#include "proto/nm.h"

#define GK_CONTROL_TAG	"control"

/*
 * A frame that is being built.  Errors are kept and tell at the end; the
 * caller writes members with the gk_json_put_* functions on .buf.
 */
struct gk_answer {
	struct gk_control	*c;
	int			 tag;
	struct gk_buf		 buf;
};

/* {"type":TAG is there. */
void	gk_answer_open(struct gk_answer *, struct gk_control *, int tag);
/* Closes and queues it; r is what the caller's writes said. */
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
/* control_act.c: .act.act was made; the proof becomes ours. */
void	gk_control_act_start(struct gk_control *, int tag,
	    struct gk_presence *);
void	gk_control_act_tick(struct gk_control *);
void	gk_control_client_revoke(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_browser_revoke(struct gk_control *);
/* control_presence.c */
void	gk_control_kill_release(struct gk_control *);
void	gk_control_client_pair(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_presence_answer(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_slot_empty(struct gk_control *);
/* Does the parent qualify (6.2), at start and now?  Ask when it counts. */
bool	gk_control_parent(const struct gk_control *);
/* control_policy.c */
void	gk_control_push_policy(struct gk_control *);
/* Nothing where the record cannot be read. */
void	gk_control_push_lang(struct gk_control *);
/* control_key.c: 3.4 */
enum gk_key_absence {
	GK_KEY_ABSENT,		/* verified */
	GK_KEY_PRESENT,
	GK_KEY_UNKNOWN		/* the place cannot be read */
};
enum gk_key_absence gk_control_key(struct gk_control *);
void	gk_control_push_revoked(struct gk_control *);
void	gk_control_challenge(struct gk_control *);
void	gk_control_revoke(struct gk_control *);
/* control_clients.c */
void	gk_control_client_list(struct gk_control *);
/* control_admin.c */
void	gk_control_audit_event(struct gk_control *,
	    const struct gk_control_frame *);
void	gk_control_audit_read(struct gk_control *,
	    const struct gk_control_frame *);
/* control_webauthn.c */
void	gk_control_webauthn(struct gk_control *,
	    const struct gk_control_frame *);

#endif
