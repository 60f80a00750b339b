/* A record store in memory: one text a record, and a count of what was asked. */
#ifndef GK_TESTS_FAKESTORE_H
#define GK_TESTS_FAKESTORE_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "records/store.h"

struct fakestore {
	struct gk_store	 store;
	const char	*text[GK_RECORD_END];	/* NULL: absent */
	int		 error;			/* of load and stamp, if < 0 */
	bool		 young;			/* stamps may not be reused */
	uint64_t	 serial;		/* changes with the text */
	unsigned	 loads;
};

static int
fakestore_stamp(void *user, int record, struct gk_stamp *ret)
{
	struct fakestore *f = user;

	if (f->error < 0)
		return f->error;
	if (f->text[record] == NULL)
		return GENKAN_E_NOENT;
	memset(ret, 0, sizeof(*ret));
	ret->ino = 1 + f->serial;
	ret->size = strlen(f->text[record]);
	return 0;
}

static int
fakestore_load(void *user, int record, struct gk_buf *ret,
    struct gk_stamp *stamp, char *why, size_t whylen)
{
	struct fakestore *f = user;
	int r = fakestore_stamp(user, record, stamp);

	f->loads++;
	if (r < 0) {
		(void)snprintf(why, whylen, "cannot be read");
		return r;
	}
	if (f->young)
		stamp->size |= (uint64_t)1 << 63;
	r = gk_buf_puts(ret, f->text[record]);
	if (r < 0)
		(void)snprintf(why, whylen, "out of memory");
	return r;
}

static void
fakestore_init(struct fakestore *f)
{
	memset(f, 0, sizeof(*f));
	f->store.user = f;
	f->store.load = fakestore_load;
	f->store.stamp = fakestore_stamp;
}

/* Another file with another text. */
static void
fakestore_set(struct fakestore *f, int record, const char *text)
{
	f->text[record] = text;
	f->serial++;
}

#endif
