/*
 * Records as the doctor sees them.  The store of the programs sets the state
 * directory to 0700 whenever it opens it; a report that is to change nothing
 * must not, so it brings a store of its own that only looks.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "local/doctor.h"
#include "os/look.h"

struct looker {
	const char	*state;
	char		 path[GK_PATH_MAX];
};

static int
load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	const struct looker *l = user;
	struct gk_why text = { 0, "" };
	int dir = -1, r;

	/* One look is all there is, so no stamp is ever compared. */
	memset(stamp, 0, sizeof(*stamp));
	r = gk_look_dir(l->state, GK_LOOK_OURS, &dir, &text);
	if (r == 0) {
		r = gk_file_read(dir, gk_record_file(record),
		    gk_record_cap(record), GK_FILE_OWNED, ret, NULL, &text);
		(void)close(dir);
	}
	if (r < 0)
		gk_str_escaped(why, whylen, text.text, strlen(text.text),
		    whylen);
	return r;
}

static int
no_stamp(void *user, int record, struct gk_stamp *ret)
{
	(void)user;
	(void)record;
	(void)ret;
	return GENKAN_E_UNSUPPORTED;
}

static const char *
path(void *user, int record)
{
	struct looker *l = user;
	int n = snprintf(l->path, sizeof(l->path), "%s/%s", l->state,
	    gk_record_file(record));

	return n > 0 && (size_t)n < sizeof(l->path) ? l->path : NULL;
}

void
gk_doctor_records(struct gk_doctor *d)
{
	struct looker l = { .state = d->place.state };
	const struct gk_store store = {
		.user = &l,
		.load = load,
		.stamp = no_stamp,
		.path = path,
	};

	gk_trust_look(d->ctx, &store, &d->trust_cache, &d->trust);
	gk_policy_look(d->ctx, &store, &d->policy_cache, &d->policy);
}
