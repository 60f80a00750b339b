/* Pushes and the trust watch: control 2.9. */
#include "engine/control_impl.h"

/* No record's epoch, so that the next look sees a move. */
#define EPOCH_UNSEEN	UINT64_MAX

/*
 * While a frame about the host key is being answered its epoch is left as it
 * was: the record moves before the key is gone, and a watch in between would
 * say what the answer says.  Where the answer does not, the next watch will.
 */
static void
remember(struct gk_control *c, const struct gk_trust_view *view)
{
	c->readable = view->state != GK_TRUST_UNREADABLE;
	if (!c->readable)
		return;
	c->kill_epoch = view->rec->kill_epoch;
	if (!c->key.pending)
		c->host_key_epoch = view->rec->host_key_epoch;
	c->policy_epoch = view->rec->policy_epoch;
	c->lang_epoch = view->rec->lang_epoch;
}

/* Everything of connection start; kill: the latch's state whatever it is. */
static void
push_all(struct gk_control *c, const struct gk_trust_view *view, bool kill)
{
	bool disposed = view->state != GK_TRUST_UNREADABLE &&
	    view->rec->host_key_epoch > 0;

	remember(c, view);
	if (kill || view->kill != GK_KILL_CLEAR)
		gk_control_push_kill(c, view);
	gk_control_push_policy(c);
	gk_control_push_lang(c);
	if (disposed && c->key.pending)
		c->host_key_epoch = EPOCH_UNSEEN;
	else if (disposed)
		gk_control_push_revoked(c);
}

void
gk_control_start(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	c->started = true;
	push_all(c, &view, false);
}

static void
push_moved(struct gk_control *c, const struct gk_trust_view *view)
{
	bool kill = view->rec->kill_epoch != c->kill_epoch;
	bool policy = view->rec->policy_epoch != c->policy_epoch;
	bool lang = view->rec->lang_epoch != c->lang_epoch;
	bool key = !c->key.pending &&
	    view->rec->host_key_epoch != c->host_key_epoch;

	remember(c, view);
	if (kill)
		gk_control_push_kill(c, view);
	if (policy)
		gk_control_push_policy(c);
	if (lang)
		gk_control_push_lang(c);
	if (key)
		gk_control_push_revoked(c);
}

void
gk_control_watch(struct gk_control *c)
{
	struct gk_trust_view view;

	if (!c->started)
		return;
	gk_control_look(c, &view);
	if (view.state == GK_TRUST_UNREADABLE) {
		if (c->readable)
			gk_control_push_kill(c, &view);
		c->readable = false;
		return;
	}
	if (!c->readable)
		push_all(c, &view, true);
	else
		push_moved(c, &view);
}
