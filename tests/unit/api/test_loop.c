/* The loop of the programs: its timers, which share one descriptor, and what
 * is called once for a whole round. */
#include "common/loop.h"

#include <unistd.h>

#include "util.h"

static struct loop *loop;
static int calls[LOOP_TIMERS], rounds, reads;
static int64_t called_at;

static void
setup(void)
{
	memset(calls, 0, sizeof(calls));
	rounds = reads = 0;
	called_at = -1;
	ck_assert_ptr_nonnull(loop = loop_new());
}

static void
teardown(void)
{
	loop_free(loop);
}

static void
on_first(void *user)
{
	(void)user;
	calls[0]++;
	called_at = loop_now(loop);
}

static void
on_last(void *user)
{
	(void)user;
	calls[1]++;
	loop_stop(loop);
}

static void
watch_timers(void)
{
	loop_on_timer(loop, 0, on_first, NULL);
	loop_on_timer(loop, 1, on_last, NULL);
}

START_TEST(test_a_timer_is_called_once_and_not_before_its_time)
{
	const int64_t now = loop_now(loop);

	watch_timers();
	loop_set_timer(loop, 1, now + 30);
	loop_set_timer(loop, 0, now + 10);
	loop_run(loop);
	ck_assert_int_eq(calls[0], 1);
	ck_assert_int_ge(called_at, now + 10);
	ck_assert_int_ge(loop_now(loop), now + 30);
}
END_TEST

START_TEST(test_a_timer_that_was_put_off_is_called_at_the_later_time)
{
	const int64_t now = loop_now(loop);

	watch_timers();
	loop_set_timer(loop, 0, now + 1);
	loop_set_timer(loop, 0, now + 20);
	loop_set_timer(loop, 1, now + 40);
	loop_run(loop);
	ck_assert_int_eq(calls[0], 1);
	ck_assert_int_ge(called_at, now + 20);
}
END_TEST

START_TEST(test_a_timer_that_was_taken_back_is_not_called)
{
	const int64_t now = loop_now(loop);

	watch_timers();
	loop_set_timer(loop, 0, now + 1);
	loop_set_timer(loop, 0, -1);
	loop_set_timer(loop, 1, now + 20);
	loop_run(loop);
	ck_assert_int_eq(calls[0], 0);
	ck_assert_int_eq(calls[1], 1);
}
END_TEST

/* 0 is a time like any other, and long over. */
START_TEST(test_a_time_in_the_past_is_called_at_once)
{
	watch_timers();
	loop_set_timer(loop, 1, _i == 0 ? 0 : loop_now(loop) - 1);
	loop_run(loop);
	ck_assert_int_eq(calls[1], 1);
}
END_TEST

static void
on_read(void *user, unsigned what)
{
	ck_assert((what & LOOP_READ) != 0);
	ck_assert_int_eq(rounds, 0);
	reads += *(int *)user;
}

static void
on_round(void *user)
{
	(void)user;
	rounds++;
	loop_stop(loop);
}

START_TEST(test_a_round_is_told_once_behind_all_its_calls)
{
	struct loop_watch *watch[2];
	int fd[2][2], value[2] = { 1, 10 }, i;

	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(pipe(fd[i]), 0);
		ck_assert_int_eq(write(fd[i][1], "x", 1), 1);
		watch[i] = loop_watch_new(loop, fd[i][0], on_read, &value[i]);
		ck_assert_ptr_nonnull(watch[i]);
		loop_watch_set(watch[i], LOOP_READ);
	}
	loop_on_round(loop, on_round, NULL);
	loop_run(loop);
	ck_assert_int_eq(reads, 11);
	ck_assert_int_eq(rounds, 1);
	for (i = 0; i < 2; i++) {
		loop_watch_free(watch[i]);
		(void)close(fd[i][0]);
		(void)close(fd[i][1]);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("loop");
	TCase *tc = tcase_create("loop");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_timer_is_called_once_and_not_before_its_time);
	tcase_add_test(tc,
	    test_a_timer_that_was_put_off_is_called_at_the_later_time);
	tcase_add_test(tc, test_a_timer_that_was_taken_back_is_not_called);
	tcase_add_loop_test(tc, test_a_time_in_the_past_is_called_at_once, 0,
	    2);
	tcase_add_test(tc, test_a_round_is_told_once_behind_all_its_calls);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
