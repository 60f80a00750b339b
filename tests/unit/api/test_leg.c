/* The public verbs of a leg: arguments checked, then the machine's own. */
#include <string.h>

#include "base/clock.h"
#include "genkan/leg.h"
#include "proto/machine.h"
#include "util.h"

static struct gk_test t;
static char calls[64];
static int64_t due, seen;		/* seen: when the machine was called */

static void
note(const char *what)
{
	strcat(calls, what);
}

static int
fake_feed(struct genkan_leg *l, const void *buf, size_t len, size_t *used)
{
	seen = gk_now(l->ctx);
	(void)buf;
	note("f");
	*used = len / 2;
	return len == 3 ? GENKAN_E_PROTOCOL : 0;
}

static size_t
fake_room(struct genkan_leg *l, void **ret)
{
	static char place[8];

	(void)l;
	note("r");
	*ret = place;
	return due == 0 ? 0 : sizeof(place);
}

static void
fake_eof(struct genkan_leg *l)
{
	seen = gk_now(l->ctx);
	note("e");
}

static void
fake_broken(struct genkan_leg *l)
{
	seen = gk_now(l->ctx);
	note("b");
}

static int
fake_output(struct genkan_leg *l, const void **ptr, size_t *len)
{
	(void)l;
	*ptr = "xy";
	*len = 2;
	note("o");
	return 1;
}

static int
fake_gather(struct genkan_leg *l, void *buf, size_t size, size_t *len)
{
	(void)l;
	memcpy(buf, "zz", GK_MIN(size, (size_t)2));
	*len = 2;
	note("g");
	return 1;
}

static void
fake_wrote(struct genkan_leg *l, size_t n)
{
	seen = gk_now(l->ctx);
	note(n == 2 ? "w" : "?");
}

static int
fake_wants(const struct genkan_leg *l)
{
	(void)l;
	return GENKAN_WANT_READ | GENKAN_WANT_WRITE;
}

static int64_t
fake_deadline(const struct genkan_leg *l)
{
	(void)l;
	return due;
}

static void
fake_tick(struct genkan_leg *l)
{
	note(gk_now(l->ctx) == 4711 ? "t" : "?");
}

static void
fake_free(struct genkan_leg *l)
{
	seen = gk_now(l->ctx);
	note("x");
}

static const struct gk_leg_ops ops = {
	"fake", fake_feed, fake_room, fake_eof, fake_broken, fake_output, fake_gather,
	fake_wrote, fake_wants, fake_deadline, fake_tick, fake_free
};
static struct genkan_leg leg;

static void
setup(void)
{
	gk_test_init(&t);
	leg.ops = &ops;
	leg.ctx = t.ctx;
	calls[0] = '\0';
}

static void
teardown(void)
{
	gk_test_done(&t);
}

START_TEST(test_each_verb_reaches_the_machine_once)
{
	const void *p;
	char buf[4];
	size_t n;
	int64_t ms;

	ck_assert_int_eq(genkan_leg_feed(&leg, "abcd", 4, &n), 0);
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(genkan_leg_feed(&leg, "abc", 3, &n),
	    GENKAN_E_PROTOCOL);
	ck_assert_uint_eq(n, 1);
	genkan_leg_eof(&leg);
	genkan_leg_broken(&leg);
	ck_assert_int_eq(genkan_leg_output(&leg, &p, &n), 1);
	ck_assert_mem_eq(p, "xy", n);
	genkan_leg_wrote(&leg, n);
	ck_assert_int_eq(genkan_leg_gather(&leg, buf, sizeof(buf), &n), 1);
	ck_assert_uint_eq(n, 2);
	ck_assert_mem_eq(buf, "zz", n);
	ck_assert_int_eq(genkan_leg_wants(&leg),
	    GENKAN_WANT_READ | GENKAN_WANT_WRITE);
	due = 99;
	ck_assert_int_eq(genkan_leg_deadline(&leg, &ms), 1);
	ck_assert_int_eq(ms, 99);
	genkan_leg_tick(&leg, 4711);
	genkan_leg_free(&leg);
	ck_assert_str_eq(calls, "ffebowgtx");
}
END_TEST

START_TEST(test_a_place_to_read_to_comes_from_the_machine)
{
	void *p;
	size_t n = 7;

	due = 1;
	ck_assert_int_eq(genkan_leg_room(&leg, &p, &n), 1);
	ck_assert_uint_eq(n, 8);
	memset(p, 'x', n);
	due = 0;
	ck_assert_int_eq(genkan_leg_room(&leg, &p, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_str_eq(calls, "rr");
	ck_assert_int_eq(genkan_leg_room(NULL, &p, &n), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_room(&leg, NULL, &n), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_room(&leg, &p, NULL), GENKAN_E_INVAL);
	ck_assert_str_eq(calls, "rr");
}
END_TEST

START_TEST(test_no_deadline_leaves_the_output_alone)
{
	int64_t ms = 5;

	due = GK_CLOCK_NEVER;
	ck_assert_int_eq(genkan_leg_deadline(&leg, &ms), 0);
	ck_assert_int_eq(ms, 5);
}
END_TEST

START_TEST(test_wrong_arguments_never_reach_the_machine)
{
	const void *p;
	char buf[4];
	size_t n = 7;
	int64_t ms;

	ck_assert_int_eq(genkan_leg_feed(NULL, "a", 1, &n), GENKAN_E_INVAL);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(genkan_leg_feed(&leg, NULL, 1, &n), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_feed(&leg, "a", 1, NULL),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_output(NULL, &p, &n), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_output(&leg, NULL, &n), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_output(&leg, &p, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_gather(NULL, buf, 1, &n), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_gather(&leg, NULL, 1, &n),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_gather(&leg, buf, 1, NULL),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_deadline(NULL, &ms), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_deadline(&leg, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_leg_wants(NULL), GENKAN_WANT_CLOSE);
	genkan_leg_eof(NULL);
	genkan_leg_broken(NULL);
	genkan_leg_wrote(NULL, 1);
	genkan_leg_wrote(&leg, 0);
	genkan_leg_tick(NULL, 1);
	genkan_leg_free(NULL);
	ck_assert_str_eq(calls, "");
}
END_TEST

/* An hour without a tick is not added to what a verb begins. */
START_TEST(test_a_verb_that_changes_something_asks_the_clock_first)
{
	int64_t now;
	size_t n;

	gk_test_clock(&t);
	now = gk_test_hour(&t);
	ck_assert_int_eq(genkan_leg_feed(&leg, "ab", 2, &n), 0);
	ck_assert_int_eq(seen, now);
	now = gk_test_hour(&t);
	genkan_leg_wrote(&leg, 2);
	ck_assert_int_eq(seen, now);
	now = gk_test_hour(&t);
	genkan_leg_eof(&leg);
	ck_assert_int_eq(seen, now);
	now = gk_test_hour(&t);
	genkan_leg_broken(&leg);
	ck_assert_int_eq(seen, now);
	now = gk_test_hour(&t);
	genkan_leg_free(&leg);
	ck_assert_int_eq(seen, now);
	ck_assert_str_eq(calls, "fwebx");
}
END_TEST

START_TEST(test_feeding_nothing_is_allowed)
{
	size_t n = 7;

	ck_assert_int_eq(genkan_leg_feed(&leg, NULL, 0, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_str_eq(calls, "f");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("leg");
	TCase *tc = tcase_create("leg");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_each_verb_reaches_the_machine_once);
	tcase_add_test(tc,
	    test_a_place_to_read_to_comes_from_the_machine);
	tcase_add_test(tc, test_no_deadline_leaves_the_output_alone);
	tcase_add_test(tc, test_wrong_arguments_never_reach_the_machine);
	tcase_add_test(tc, test_feeding_nothing_is_allowed);
	tcase_add_test(tc,
	    test_a_verb_that_changes_something_asks_the_clock_first);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
