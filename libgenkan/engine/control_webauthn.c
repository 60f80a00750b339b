/*
 * Enrollment and security keys, of which this build has none: what would begin
 * something is told why not, what answers something that there is nothing.
 */
#include "engine/control_impl.h"

#define NOT_HERE	"this version of genkan cannot ask for presence yet"

/* Known before anything else: without the record nothing is decided. */
static bool
readable(struct gk_control *c, int result, struct gk_trust_view *view)
{
	gk_control_look(c, view);
	if (view->state != GK_TRUST_UNREADABLE)
		return true;
	gk_answer_reason(c, result, GK_REFUSAL_STORE_ERROR, view->why);
	return false;
}

void
gk_control_webauthn(struct gk_control *c, const struct gk_control_frame *f)
{
	int result = gk_schema_frame(f->tag)->bad;
	struct gk_trust_view view;

	/* These read the record in an order of their own. */
	if (f->tag == GK_TAG_PRESENCE_ASSERT ||
	    f->tag == GK_TAG_PRESENCE_CONFIRM) {
		gk_control_presence_answer(c, f);
		return;
	}
	if (f->tag == GK_TAG_PRESENCE_BEGIN) {
		gk_control_presence_begin(c, f);
		return;
	}
	if (!readable(c, result, &view))
		return;
	switch (f->tag) {
	case GK_TAG_ENROLL_FINISH:
		gk_answer_reason(c, result,
		    GK_REFUSAL_NO_ENROLLMENT_OUTSTANDING, NULL);
		break;
	case GK_TAG_BROWSER_REVOKE:
		gk_control_browser_revoke(c);
		break;
	default:
		gk_answer_reason(c, result, GK_REFUSAL_STORE_ERROR, NOT_HERE);
		break;
	}
}
