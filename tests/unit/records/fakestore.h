/*
 * A record store in memory: one text a record, and a count of what was asked.
 * Whoever writes to it calls fakestore_done().
 */
#ifndef GK_TESTS_FAKESTORE_H
#define GK_TESTS_FAKESTORE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "records/store.h"

struct fakestore {
	struct gk_store	 store;
	const char	*text[GK_RECORD_END];	/* NULL: absent */
	int		 error;			/* of load and stamp, if < 0 */
	bool		 young;			/* stamps may not be reused */
	uint64_t	 serial[GK_RECORD_END];	/* changes with the text */
	unsigned	 loads;
	/* writing */
	char		*own[GK_RECORD_END];	/* what was written last */
	int		 hold_error;
	int		 replace_error;
	int		 refuse[GK_RECORD_END];	/* the same for one record */
	int		 late[GK_RECORD_END];	/* and this after it is done */
	bool		 hides;			/* and then it cannot be read */
	bool		 hidden[GK_RECORD_END];	/* the disk fails under it */
	int		 held;			/* locks taken and not dropped */
	unsigned	 holds, writes;
	/* A rival who writes this just before each of so many renames. */
	const char	*rival;
	int		 rivals;
};

static inline int
fakestore_stamp(void *user, int record, struct gk_stamp *ret)
{
	struct fakestore *f = user;

	if (f->error < 0)
		return f->error;
	if (f->text[record] == NULL)
		return GENKAN_E_NOENT;
	memset(ret, 0, sizeof(*ret));
	ret->ino = 1 + f->serial[record];
	ret->size = strlen(f->text[record]);
	return 0;
}

static inline int
fakestore_load(void *user, int record, struct gk_buf *ret,
    struct gk_stamp *stamp, char *why, size_t whylen)
{
	struct fakestore *f = user;
	int r = fakestore_stamp(user, record, stamp);

	f->loads++;
	if (f->hidden[record])
		r = GENKAN_E_IO;
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

static inline int
fakestore_hold(void *user, int wait_ms, struct gk_hold **ret, char *why,
    size_t whylen)
{
	struct fakestore *f = user;

	if (f->hold_error < 0) {
		(void)snprintf(why, whylen, "held for %d ms", wait_ms);
		return f->hold_error;
	}
	f->holds++;
	f->held++;
	*ret = (struct gk_hold *)f;
	return 0;
}

static inline void
fakestore_drop(void *user, struct gk_hold *hold)
{
	struct fakestore *f = user;

	if (hold == (struct gk_hold *)f)
		f->held--;
}

static inline int
fakestore_replace(void *user, struct gk_hold *hold, int record,
    const void *bytes, size_t len, const struct gk_stamp *seen, char *why,
    size_t whylen)
{
	struct fakestore *f = user;
	struct gk_stamp now;
	int r;

	if (hold != (struct gk_hold *)f || f->held != 1)
		abort();
	if (f->rivals > 0) {
		f->rivals--;
		f->text[record] = f->rival;
		f->serial[record]++;
	}
	r = f->replace_error < 0 ? f->replace_error : f->refuse[record];
	if (r == 0 && fakestore_stamp(user, record, &now) ==
	    GENKAN_E_NOENT)
		r = seen == NULL || gk_stamp_is_zero(seen) ? 0 :
		    GENKAN_E_AGAIN;
	else if (r == 0)
		r = seen != NULL && gk_stamp_equal(&now, seen) ? 0 :
		    GENKAN_E_AGAIN;
	if (r < 0) {
		(void)snprintf(why, whylen, "no room");
		return r;
	}
	free(f->own[record]);
	if ((f->own[record] = malloc(len + 1)) == NULL)
		abort();
	memcpy(f->own[record], bytes, len);
	f->own[record][len] = '\0';
	f->text[record] = f->own[record];
	f->serial[record]++;
	f->writes++;
	if (f->late[record] < 0) {
		f->hidden[record] = f->hides;
		(void)snprintf(why, whylen, "not made to last");
	}
	return f->late[record];
}

static inline int
fakestore_remove(void *user, struct gk_hold *hold, int record, char *why,
    size_t whylen)
{
	struct fakestore *f = user;

	if (hold != (struct gk_hold *)f || f->held != 1)
		abort();
	if (f->refuse[record] < 0) {
		(void)snprintf(why, whylen, "no room");
		return f->refuse[record];
	}
	f->text[record] = NULL;
	f->serial[record]++;
	if (f->late[record] < 0)
		(void)snprintf(why, whylen, "not made to last");
	return f->late[record];
}

static inline uint64_t
fakestore_time(void *user)
{
	(void)user;
	return 1700000000;
}

static inline void
fakestore_done(struct fakestore *f)
{
	int i;

	for (i = 0; i < GK_RECORD_END; i++)
		free(f->own[i]);
	memset(f, 0, sizeof(*f));
}

static inline void
fakestore_init(struct fakestore *f)
{
	memset(f, 0, sizeof(*f));
	f->store.user = f;
	f->store.load = fakestore_load;
	f->store.stamp = fakestore_stamp;
	f->store.hold = fakestore_hold;
	f->store.drop = fakestore_drop;
	f->store.replace = fakestore_replace;
	f->store.remove = fakestore_remove;
	f->store.unix_time = fakestore_time;
}

/* Another file with another text. */
static inline void
fakestore_set(struct fakestore *f, int record, const char *text)
{
	f->text[record] = text;
	f->serial[record]++;
}

#endif
