/* See election.h. */
#include "engine/election.h"

enum gk_election_act
gk_election_decide(const struct gk_election_facts *f, bool *supersede)
{
	if (supersede != NULL)
		*supersede = false;
	/* Step 1.  Whatever stands there, a replaced image touches nothing:
	 * least of all the broker of the new installation. */
	if (f->replaced)
		return GK_ELECT_OUTDATED;
	/* Step 2.  A lock of our own is left over from a process that had our
	 * pid. */
	if (f->readable && !f->own_pid && f->alive && f->image_ok)
		return f->same_dir ? GK_ELECT_DIAL : GK_ELECT_MISMATCH;
	/* Step 3. */
	if (supersede != NULL)
		*supersede = f->readable && !f->own_pid && f->alive;
	return GK_ELECT_BIND;
}

const char *
gk_elected_name(enum gk_elected e)
{
	static const char *const name[] = {
		[GK_ELECTED_BROKER] = "broker",
		[GK_ELECTED_DIALLED] = "dialled",
		[GK_ELECTED_FOUND] = "found",
		[GK_ELECTED_OUTDATED] = "outdated",
		[GK_ELECTED_RETRY] = "retry",
		[GK_ELECTED_DENIED] = "denied",
		[GK_ELECTED_FAILED] = "failed",
	};

	return (size_t)e < GK_ARRAY_LEN(name) ? name[e] : "unknown";
}
