/*
 * A starting program on its ground: what a round of the election came to.
 */
#ifndef GK_TESTS_STARTER_H
#define GK_TESTS_STARTER_H

#include "local/ground.h"

static const struct gk_rendezvous rv = { &place, &install };
static struct gk_replaced replaced;
static struct gk_election e;
static int fd;

static inline void
setup(void)
{
	ground_make();
	memset(&replaced, 0, sizeof(replaced));
	fd = -1;
}

static inline void
teardown(void)
{
	if (fd >= 0)
		ck_assert_int_eq(close(fd), 0);
	ground_drop();
}

static inline enum gk_elected
elect(void)
{
	if (fd >= 0)
		(void)close(fd);
	gk_rendezvous_secret(t.ctx, e.secret);
	gk_rendezvous_round(t.ctx, &rv, &replaced, true, &e, &fd, &notes);
	return e.outcome;
}

static inline size_t
runtime_names(void)
{
	struct dirent **list;
	int i, n = scandir(place.runtime, &list, NULL, NULL);

	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return (size_t)n - 2;
}

/* What a child does to be a broker: one round that must bind. */
static inline void
be_broker(void)
{
	if (elect() != GK_ELECTED_BROKER)
		_exit(1);
}

static inline TCase *
starter_tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	suite_add_tcase(s, tc);
	return tc;
}

#endif
