/* The trust record changed on disk, by many at once: control.md 12.1. */
#include "trust/change.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "local/ground.h"
#include "local/stores.h"
#include "trust/admission.h"

#define WRITERS	6
#define CHANGES	20

static struct gk_stores stores;
static struct gk_trust_cache cache;
static char text[GK_WHY_FULL];

static void
setup(void)
{
	ground_make();
	ck_assert_int_eq(gk_stores_init(&stores, t.ctx, &place), 0);
}

static void
teardown(void)
{
	gk_trust_cache_done(&cache);
	gk_stores_done(&stores);
	ground_drop();
}

static int
once(unsigned scopes, uint64_t *epoch)
{
	const struct gk_change c = { .scopes = scopes };

	return gk_trust_change(t.ctx, &stores.store, &c, epoch, text,
	    sizeof(text));
}

static struct gk_trust_view
look(void)
{
	struct gk_trust_view view;

	gk_trust_look(t.ctx, &stores.store, &cache, &view);
	return view;
}

static size_t
entries(const char *path)
{
	const struct dirent *e;
	size_t n = 0;
	DIR *d = opendir(path);

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	ck_assert_int_eq(closedir(d), 0);
	return n;
}

START_TEST(test_the_first_change_makes_directory_and_record)
{
	struct gk_fstat st;
	uint64_t epoch = 0;
	char path[GK_PATH_MAX + 16];

	ck_assert_int_eq(look().state, GK_TRUST_ABSENT);
	ck_assert_int_eq(once(GK_SCOPE_LANG, &epoch), 0);
	ck_assert_uint_eq(epoch, 1);
	ck_assert_int_eq(look().state, GK_TRUST_OK);
	ck_assert_uint_eq(look().rec->lang_epoch, 1);
	ck_assert_int_eq(gk_file_stat_path(place.state, &st, &why), 0);
	ck_assert_uint_eq(st.mode & 07777, 0700);
	(void)snprintf(path, sizeof(path), "%s/trust.json", place.state);
	ck_assert_int_eq(gk_file_stat_path(path, &st, &why), 0);
	ck_assert_uint_eq(st.mode & 07777, 0600);
}
END_TEST

/* No change is lost, none is seen half, and nothing is left behind. */
START_TEST(test_many_writers_lose_nothing)
{
	pid_t pid[WRITERS];
	uint64_t epoch;
	int i, k, r, status, running = WRITERS;

	for (i = 0; i < WRITERS; i++) {
		if ((pid[i] = fork()) != 0)
			continue;
		/* A lock that others hold for 2 s is an honest failure, and
		 * on a busy machine they do. */
		for (k = 0; k < CHANGES; k += r == 0)
			if ((r = once(GK_SCOPE_LANG, &epoch)) != 0 &&
			    r != GENKAN_E_LOCKED)
				_exit(1);
		_exit(0);
	}
	while (running > 0) {
		ck_assert_int_ne(look().state, GK_TRUST_UNREADABLE);
		if (waitpid(-1, &status, WNOHANG) <= 0)
			continue;
		ck_assert_int_eq(status, 0);
		running--;
	}
	ck_assert_uint_eq(look().rec->epoch, WRITERS * CHANGES);
	ck_assert_int_eq(once(0, &epoch), 0);
	ck_assert_uint_eq(epoch, WRITERS * CHANGES + 1);
	ck_assert_uint_eq(entries(place.state), 2);
}
END_TEST

/* A writer that dies with the lock in its hand holds nobody up. */
START_TEST(test_a_killed_holder_leaves_no_lock)
{
	struct gk_hold *hold = NULL;
	uint64_t epoch;
	int ready[2], status;
	char c = 'x';
	pid_t pid;

	ck_assert_int_eq(once(0, NULL), 0);
	ck_assert_int_eq(pipe(ready), 0);
	if ((pid = fork()) == 0) {
		if (gk_store_hold(&stores.store, &hold, text,
		    sizeof(text)) == 0)
			(void)!write(ready[1], &c, 1);
		for (;;)
			nap(1000);
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_int_eq(once(0, &epoch), GENKAN_E_LOCKED);
	ck_assert_ptr_nonnull(strstr(text, "records.mutex"));
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(once(0, &epoch), 0);
	ck_assert_uint_eq(epoch, 2);
	ck_assert_int_eq(close(ready[0]) | close(ready[1]), 0);
}
END_TEST

START_TEST(test_a_damaged_record_stays_as_it_is)
{
	char path[GK_PATH_MAX + 16], back[8] = "";
	FILE *f;

	ck_assert_int_eq(once(0, NULL), 0);
	(void)snprintf(path, sizeof(path), "%s/trust.json", place.state);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs("{", f), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(once(GK_SCOPE_KILL, NULL), GENKAN_E_RECORD_CORRUPT);
	ck_assert_ptr_eq(strstr(text, path), text);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(back, 1, sizeof(back), f), 1);
	ck_assert_int_eq(back[0], '{');
	ck_assert_int_eq(fclose(f), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("change");
	TCase *tc = tcase_create("change");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_the_first_change_makes_directory_and_record);
	tcase_add_test(tc, test_many_writers_lose_nothing);
	tcase_add_test(tc, test_a_killed_holder_leaves_no_lock);
	tcase_add_test(tc, test_a_damaged_record_stays_as_it_is);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
