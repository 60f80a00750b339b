#include "local/stores.h"

#include "base/buf.h"
#include "local/ground.h"

static struct gk_stores stores;
static struct gk_store *st;
static struct gk_stamp stamp, now;
static struct gk_buf buf;
static char text[256];

static void
setup(void)
{
	ground_make();
	ck_assert_int_eq(gk_stores_init(&stores, t.ctx, &place), 0);
	st = &stores.store;
	gk_buf_init(&buf, t.ctx, 300 * 1024);
	memset(&stamp, 0, sizeof(stamp));
	text[0] = '\0';
}

static void
setup_with_state(void)
{
	int dir = -1;

	setup();
	ck_assert_int_eq(gk_dirs_make(place.state, &dir, &why), 0);
	ck_assert_int_eq(close(dir), 0);
}

static void
teardown(void)
{
	gk_buf_done(&buf);
	gk_stores_done(&stores);
	ground_drop();
}

#define TRUST	"home/.local/state/genkan/trust.json"

/* The directory is looked at once for each millisecond. */
static int
load(void)
{
	gk_test_time(&t, t.ctx->now_ms + 1);
	gk_buf_clear(&buf);
	return st->load(st->user, GK_RECORD_TRUST, &buf, &stamp, text,
	    sizeof(text));
}

START_TEST(test_a_missing_directory_is_one_without_files)
{
	ck_assert_int_eq(load(), GENKAN_E_NOENT);
	ck_assert_int_eq(st->stamp(st->user, GK_RECORD_TRUST, &now),
	    GENKAN_E_NOENT);
	ck_assert(!exists("home/.local"));
}
END_TEST

START_TEST(test_a_record_is_read_whole)
{
	ck_assert_int_eq(load(), GENKAN_E_NOENT);
	put(TRUST, "{\"x\":1}", 0600);
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(buf.len, 7);
	ck_assert_mem_eq(buf.ptr, "{\"x\":1}", 7);
	ck_assert_str_eq(st->path(st->user, GK_RECORD_TRUST), at(TRUST));
	ck_assert_ptr_null(st->path(st->user, GK_RECORD_END));
}
END_TEST

START_TEST(test_what_cannot_be_trusted_is_unreadable_not_absent)
{
	char big[GK_PATH_MAX];
	int want = GENKAN_E_ACCESS, i, fd;

	switch (_i) {
	case 0:
		put("victim", "{}", 0600);
		ck_assert_int_eq(symlink(at("victim"), at(TRUST)), 0);
		break;
	case 1:
		ck_assert_int_eq(mkdir(at(TRUST), 0700), 0);
		break;
	case 2:
		ck_assert_int_eq(mkfifo(at(TRUST), 0600), 0);
		break;
	case 3:		/* one byte more than the cap */
		memset(big, ' ', sizeof(big));
		fd = open(at(TRUST), O_WRONLY | O_CREAT, 0600);
		for (i = 0; i < 64; i++)
			ck_assert_int_eq(write(fd, big, 4096), 4096);
		ck_assert_int_eq(write(fd, "x", 1), 1);
		ck_assert_int_eq(close(fd), 0);
		want = GENKAN_E_TOO_LARGE;
		break;
	case 4:		/* the directory itself */
		ck_assert_int_eq(rename(at("home/.local/state/genkan"),
		    at("moved")), 0);
		ck_assert_int_eq(symlink(at("moved"),
		    at("home/.local/state/genkan")), 0);
		break;
	default:
		put(TRUST, "{}", 0644);
		ck_assert_int_eq(chown(at(TRUST), OTHER_UID, OTHER_UID), 0);
		break;
	}
	ck_assert_int_eq(load(), want);
	ck_assert_uint_gt(strlen(text), 0);
	/* The reader puts the path in front of it. */
	ck_assert_ptr_null(strstr(text, "trust.json"));
	ck_assert(gk_stamp_is_zero(&stamp));
}
END_TEST

/* Somebody leads the directory elsewhere: no file there is not "no file". */
START_TEST(test_absence_is_believed_only_of_the_own_directory)
{
	ck_assert_int_eq(load(), GENKAN_E_NOENT);
	ck_assert_int_eq(rename(at("home/.local/state/genkan"), at("moved")),
	    0);
	ck_assert_int_eq(load(), GENKAN_E_NOENT);
	ck_assert_int_eq(symlink(at("moved"), at("home/.local/state/genkan")),
	    0);
	ck_assert_int_eq(load(), GENKAN_E_ACCESS);
	ck_assert_int_eq(st->stamp(st->user, GK_RECORD_TRUST, &now),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(unlink(at("home/.local/state/genkan")), 0);
	put("home/.local/state/genkan", "no directory", 0600);
	ck_assert_int_eq(load(), GENKAN_E_ACCESS);
}
END_TEST

START_TEST(test_a_wider_directory_is_narrowed_by_reading)
{
	ck_assert_int_eq(chmod(at("home/.local/state/genkan"), 0755), 0);
	ck_assert_int_eq(load(), GENKAN_E_NOENT);
	ck_assert_int_eq(mode_of("home/.local/state/genkan"), 0700);
}
END_TEST

/* A file just written could be written again without its times moving. */
START_TEST(test_a_young_file_is_parsed_again)
{
	put(TRUST, "{}", 0600);
	ck_assert_int_eq(load(), 0);
	ck_assert_int_eq(st->stamp(st->user, GK_RECORD_TRUST, &now), 0);
	ck_assert(!gk_stamp_equal(&stamp, &now));
	ck_assert_uint_eq(stamp.size, 2 | GK_STAMP_YOUNG);
	ck_assert_uint_eq(now.size, 2);
}
END_TEST

START_TEST(test_an_old_file_is_known_by_its_stamp)
{
	put(TRUST, "{}", 0600);
	nap(2200);
	ck_assert_int_eq(load(), 0);
	ck_assert_int_eq(st->stamp(st->user, GK_RECORD_TRUST, &now), 0);
	ck_assert(gk_stamp_equal(&stamp, &now));
	put("home/.local/state/genkan/other", "{}", 0600);
	ck_assert_int_eq(rename(at("home/.local/state/genkan/other"),
	    at(TRUST)), 0);
	ck_assert_int_eq(st->stamp(st->user, GK_RECORD_TRUST, &now), 0);
	ck_assert(!gk_stamp_equal(&stamp, &now));
}
END_TEST

/* ---------------------------------------------------------------- writing */

static struct gk_hold *held;

static void
hold(void)
{
	ck_assert_int_eq(st->hold(st->user, 0, &held, text, sizeof(text)),
	    0);
}

static int
replace(struct gk_hold *h, const char *bytes, const struct gk_stamp *seen)
{
	return st->replace(st->user, h, GK_RECORD_TRUST, bytes,
	    strlen(bytes), seen, text, sizeof(text));
}

START_TEST(test_a_writer_replaces_what_it_has_read)
{
	hold();
	ck_assert_int_eq(replace(held, "{\"a\":1}", NULL), 0);
	ck_assert_int_eq(mode_of(TRUST), 0600);
	ck_assert_int_eq(load(), 0);
	ck_assert_int_eq(replace(held, "{\"b\":2}", &stamp), 0);
	ck_assert_int_eq(load(), 0);
	ck_assert_mem_eq(buf.ptr, "{\"b\":2}", 7);
	st->drop(st->user, held);
}
END_TEST

START_TEST(test_a_writer_does_not_replace_what_it_has_not_read)
{
	struct gk_stamp old;

	hold();
	ck_assert_int_eq(replace(held, "{}", NULL), 0);
	/* It thinks that there is none. */
	ck_assert_int_eq(replace(held, "{\"lost\":1}", NULL), GENKAN_E_AGAIN);
	ck_assert_int_eq(load(), 0);
	old = stamp;
	ck_assert_int_eq(replace(NULL, "{\"kill\":1}", &stamp), 0);
	ck_assert_int_eq(replace(held, "{\"lost\":1}", &old), GENKAN_E_AGAIN);
	ck_assert_int_eq(unlink(at(TRUST)), 0);
	ck_assert_int_eq(replace(held, "{\"lost\":1}", &old), GENKAN_E_AGAIN);
	ck_assert(!exists(TRUST));
	st->drop(st->user, held);
}
END_TEST

START_TEST(test_the_record_lock_is_waited_for_and_named)
{
	struct gk_hold *second = NULL;

	hold();
	ck_assert_int_eq(st->hold(st->user, 30, &second, text, sizeof(text)),
	    GENKAN_E_LOCKED);
	ck_assert_ptr_null(second);
	ck_assert_ptr_nonnull(strstr(text, "records.mutex"));
	st->drop(st->user, held);
	ck_assert_int_eq(st->hold(st->user, 30, &second, text, sizeof(text)),
	    0);
	st->drop(st->user, second);
	st->drop(st->user, NULL);
}
END_TEST

START_TEST(test_removing_takes_a_record_away_once)
{
	put(TRUST, "{}", 0600);
	hold();
	ck_assert_int_eq(st->remove(st->user, held, GK_RECORD_TRUST, text,
	    sizeof(text)), 0);
	ck_assert(!exists(TRUST));
	ck_assert_int_eq(st->remove(st->user, held, GK_RECORD_TRUST, text,
	    sizeof(text)), 0);
	st->drop(st->user, held);
}
END_TEST

START_TEST(test_the_first_writer_makes_the_directory)
{
	hold();
	ck_assert_int_eq(replace(held, "{}", NULL), 0);
	st->drop(st->user, held);
	ck_assert_int_eq(mode_of("home/.local/state/genkan"), 0700);
	ck_assert_int_eq(mode_of("home/.local/state/genkan/records.mutex"),
	    0600);
}
END_TEST

/* ----------------------------------------------------------------- secret */

START_TEST(test_the_secret_is_read_afresh_from_the_lock)
{
	uint8_t secret[GK_SECRET_HEX], want[GK_SECRET_HEX];

	ck_assert_int_lt(st->secret(st->user, secret), 0);
	plant_lock(1, place.sock, place.state);
	ck_assert_int_eq(st->secret(st->user, secret), 0);
	memset(want, 'a', sizeof(want));
	ck_assert_mem_eq(secret, want, sizeof(want));
	ck_assert_int_eq(rename(at("run/genkan/run.lock"), at("moved")), 0);
	ck_assert_int_eq(symlink(at("moved"), at("run/genkan/run.lock")), 0);
	ck_assert_int_lt(st->secret(st->user, secret), 0);
}
END_TEST

static int
make_stores(struct gk_test *unused, void *arg)
{
	struct gk_stores s;
	int r;

	(void)unused;
	(void)arg;
	r = gk_stores_init(&s, t.ctx, &place);
	if (r == 0)
		gk_stores_done(&s);
	return r;
}

START_TEST(test_lack_of_memory_leaves_nothing)
{
	ck_assert_uint_ge(gk_test_sweep(&t, make_stores, NULL),
	    GK_RECORD_END);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stores");
	TCase *tc = tcase_create("missing directory");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_missing_directory_is_one_without_files);
	tcase_add_test(tc, test_the_first_writer_makes_the_directory);
	suite_add_tcase(s, tc);
	tc = tcase_create("stores");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup_with_state, teardown);
	tcase_add_test(tc, test_a_record_is_read_whole);
	tcase_add_loop_test(tc,
	    test_what_cannot_be_trusted_is_unreadable_not_absent, 0,
	    geteuid() == 0 ? 6 : 5);
	tcase_add_test(tc,
	    test_absence_is_believed_only_of_the_own_directory);
	tcase_add_test(tc, test_a_wider_directory_is_narrowed_by_reading);
	tcase_add_test(tc, test_a_young_file_is_parsed_again);
	tcase_add_test(tc, test_an_old_file_is_known_by_its_stamp);
	tcase_add_test(tc, test_a_writer_replaces_what_it_has_read);
	tcase_add_test(tc,
	    test_a_writer_does_not_replace_what_it_has_not_read);
	tcase_add_test(tc, test_the_record_lock_is_waited_for_and_named);
	tcase_add_test(tc, test_removing_takes_a_record_away_once);
	tcase_add_test(tc, test_the_secret_is_read_afresh_from_the_lock);
	tcase_add_test(tc, test_lack_of_memory_leaves_nothing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
