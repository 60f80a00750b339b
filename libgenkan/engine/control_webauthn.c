/*
 * Presence and enrollment: this build never has a request outstanding, so
 * what answers one is told exactly that; what would make one is told why not.
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

static bool
is_enrolled(const struct gk_control *c, const struct gk_trustrec *rec)
{
	size_t i;

	for (i = 0; i < rec->nenrollments; i++)
		if (strcmp(rec->enrollment[i].label, c->label) == 0)
			return true;
	return false;
}

static void
browser_revoke(struct gk_control *c, const struct gk_trust_view *view)
{
	if (is_enrolled(c, view->rec))
		gk_answer_reason(c, GK_TAG_BROWSER_REVOKE_RESULT,
		    GK_REFUSAL_STORE_ERROR,
		    "this version of genkan cannot revoke a browser yet");
	else
		gk_answer_reason(c, GK_TAG_BROWSER_REVOKE_RESULT,
		    GK_REFUSAL_NOT_ENROLLED, NULL);
}

void
gk_control_webauthn(struct gk_control *c, const struct gk_control_frame *f)
{
	int result = gk_schema_frame(f->tag)->bad;
	struct gk_trust_view view;

	if (!readable(c, result, &view))
		return;
	switch (f->tag) {
	case GK_TAG_ENROLL_FINISH:
		gk_answer_reason(c, result,
		    GK_REFUSAL_NO_ENROLLMENT_OUTSTANDING, NULL);
		break;
	case GK_TAG_PRESENCE_ASSERT:
	case GK_TAG_PRESENCE_CONFIRM:
		gk_answer_reason(c, result,
		    GK_REFUSAL_NO_REQUEST_OUTSTANDING, NULL);
		break;
	case GK_TAG_BROWSER_REVOKE:
		browser_revoke(c, &view);
		break;
	default:
		gk_answer_reason(c, result, GK_REFUSAL_STORE_ERROR, NOT_HERE);
		break;
	}
}
