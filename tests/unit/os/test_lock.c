#include "os/lock.h"

#include <signal.h>

#include "genkan/contract.h"
#include "os/clock.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_why why;
static int dir;

static void
setup(void)
{
	scratch_make();
	dir = dir_fd(".");
	memset(&why, 0, sizeof(why));
}

static void
teardown(void)
{
	ck_assert_int_eq(close(dir), 0);
	scratch_drop();
}

START_TEST(test_a_free_lock_is_had_and_private)
{
	int lock = -1;

	ck_assert_int_eq(gk_lock_take(dir, "m", 0, &lock, &why), 0);
	ck_assert_int_ge(lock, 0);
	ck_assert_int_eq(mode_of("m"), 0600);
	gk_lock_drop(lock);
	ck_assert_int_eq(gk_lock_take(dir, "m", GK_LOCK_FOREVER, &lock,
	    &why), 0);
	gk_lock_drop(lock);
	gk_lock_drop(-1);
}
END_TEST

/* Also between two holders of one process: a job and the loop. */
START_TEST(test_a_held_lock_is_waited_for_no_longer_than_told)
{
	const int ms = _i;
	uint64_t start, took;
	int lock, second = -1;

	ck_assert_int_eq(gk_lock_take(dir, "m", 0, &lock, &why), 0);
	start = gk_clock_mono_ms();
	ck_assert_int_eq(gk_lock_take(dir, "m", ms, &second, &why),
	    GENKAN_E_LOCKED);
	took = gk_clock_mono_ms() - start;
	ck_assert_uint_ge(took, (uint64_t)ms);
	ck_assert_uint_lt(took, (uint64_t)ms + 200);
	ck_assert_int_eq(second, -1);
	ck_assert_ptr_nonnull(strstr(why.text, "held"));
	gk_lock_drop(lock);
	ck_assert_int_eq(gk_lock_take(dir, "m", 0, &second, &why), 0);
	gk_lock_drop(second);
}
END_TEST

START_TEST(test_a_lock_is_had_as_soon_as_its_holder_ends)
{
	int lock, ready[2];
	char c;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (gk_lock_take(dir, "m", 0, &lock, NULL) != 0)
			_exit(1);
		(void)!write(ready[1], "x", 1);
		gk_clock_sleep_ms(100);
		_exit(0);	/* without dropping it */
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_int_eq(_i == 0 ?
	    gk_lock_take(dir, "m", 5000, &lock, &why) :
	    gk_lock_take(dir, "m", GK_LOCK_FOREVER, &lock, &why), 0);
	ck_assert_int_eq(reap(pid), 0);
	gk_lock_drop(lock);
	ck_assert_int_eq(close(ready[0]) | close(ready[1]), 0);
}
END_TEST

START_TEST(test_what_is_no_file_of_ours_is_refused)
{
	int lock = -1;

	switch (_i) {
	case 0:
		put("victim", "x", 0600);
		ck_assert_int_eq(symlink("victim", at("m")), 0);
		break;
	case 1:
		ck_assert_int_eq(mkdir(at("m"), 0700), 0);
		break;
	case 2:
		ck_assert_int_eq(mkfifo(at("m"), 0600), 0);
		break;
	default:
		put("m", "", 0666);
		if (geteuid() != 0)
			return;		/* nothing can be given away */
		ck_assert_int_eq(chown(at("m"), OTHER_UID, OTHER_UID), 0);
		break;
	}
	ck_assert_int_eq(gk_lock_take(dir, "m", 0, &lock, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(lock, -1);
}
END_TEST

START_TEST(test_a_wider_lock_file_is_narrowed)
{
	int lock;

	put("m", "", 0666);
	ck_assert_int_eq(gk_lock_take(dir, "m", 0, &lock, &why), 0);
	ck_assert_int_eq(mode_of("m"), 0600);
	gk_lock_drop(lock);
}
END_TEST

/* Somebody removes the file while we wait: the next comer would lock another
 * one, so ours must be the one that the name leads to. */
START_TEST(test_a_removed_lock_file_is_taken_anew)
{
	int lock, mine;
	pid_t pid;

	ck_assert_int_eq(gk_lock_take(dir, "m", 0, &lock, &why), 0);
	pid = fork();
	if (pid == 0) {
		gk_clock_sleep_ms(50);
		(void)unlink(at("m"));
		gk_clock_sleep_ms(50);
		_exit(0);
	}
	/* The child shares our open file: what it holds ends with both. */
	gk_lock_drop(lock);
	ck_assert_int_eq(gk_lock_take(dir, "m", 5000, &mine, &why), 0);
	ck_assert_int_eq(reap(pid), 0);
	ck_assert(exists("m"));
	gk_lock_drop(mine);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("lock");
	TCase *tc = tcase_create("lock");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_free_lock_is_had_and_private);
	tcase_add_loop_test(tc,
	    test_a_held_lock_is_waited_for_no_longer_than_told, 0, 1);
	tcase_add_loop_test(tc,
	    test_a_held_lock_is_waited_for_no_longer_than_told, 50, 51);
	tcase_add_loop_test(tc,
	    test_a_lock_is_had_as_soon_as_its_holder_ends, 0, 2);
	tcase_add_loop_test(tc, test_what_is_no_file_of_ours_is_refused, 0,
	    4);
	tcase_add_test(tc, test_a_wider_lock_file_is_narrowed);
	tcase_add_test(tc, test_a_removed_lock_file_is_taken_anew);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
