/* Large input as a program gives it: the first of it from a place of its own,
 * the rest where the leg says. */
#ifndef GK_TESTS_PLACE_H
#define GK_TESTS_PLACE_H

#include <string.h>

#include "proto/machine.h"
#include "util.h"

#define PLACE_FIRST	6000

/* As gk_leg_feed(); returns how much was taken. */
static inline size_t
feed_placed(struct genkan_leg *leg, const char *buf, size_t len)
{
	size_t at, n, used, placed = 0;
	void *to;

	(void)gk_leg_feed(leg, buf, GK_MIN(len, (size_t)PLACE_FIRST), &at);
	if (at < PLACE_FIRST)
		return at;
	for (; at < len; at += used) {
		if (gk_leg_room(leg, &to, &n)) {
			ck_assert_uint_ge(n, GK_LEG_ROOM);
			n = GK_MIN(n, len - at);
			memcpy(to, buf + at, n);
			(void)gk_leg_feed(leg, to, n, &used);
			placed++;
		} else {
			n = len - at;
			(void)gk_leg_feed(leg, buf + at, n, &used);
		}
		if (used < n)
			return at + used;
	}
	/* A frame says how much of it is to come, a line does not. */
	ck_assert(placed > 0 || len < PLACE_FIRST + GK_LEG_ROOM + 4 ||
	    (gk_leg_wants(leg) & GENKAN_WANT_CLOSE) != 0);
	return len;
}

#endif
