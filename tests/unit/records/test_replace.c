/* Replacing a record: what is known after every way in which a write ends. */
#include "fakestore.h"
#include "base/err.h"
#include "util.h"

#define OLD	"{\"version\":0,\"value\":\"en\",\"seq\":1}\n"
#define NEW	"{\"version\":0,\"value\":\"zh_TW\",\"seq\":2}\n"
#define OTHER	"{\"version\":0,\"value\":\"auto\",\"seq\":2}\n"

/* What a store does to the record, whatever it then says. */
enum deed {
	LEAVES,		/* it is the file that was read */
	WRITES,
	TEARS,		/* half of it is there */
	OVERTAKEN,	/* somebody else has written since */
	LOSES,		/* there is none any more */
	HIDES		/* and it cannot be read any more */
};

static struct gk_test t;
static struct fakestore f;
static enum deed deed;
static int says;
static size_t fail_then;	/* the allocation after the write to fail */
static unsigned asked;
static struct gk_buf bytes;
static struct gk_stamp seen;
static enum gk_wrote wrote;
static char why[GK_WHY_FULL];

static int
act(int record, const char *text, char *reason, size_t len)
{
	static char half[8];

	asked++;
	switch (deed) {
	case LEAVES:
		break;
	case WRITES:
		fakestore_set(&f, record, text);
		break;
	case TEARS:
		(void)snprintf(half, sizeof(half), "%.7s", text);
		fakestore_set(&f, record, half);
		break;
	case OVERTAKEN:
		fakestore_set(&f, record, OTHER);
		break;
	case LOSES:
		fakestore_set(&f, record, NULL);
		break;
	case HIDES:
		f.error = GENKAN_E_IO;
		break;
	}
	if (says < 0)
		(void)snprintf(reason, len, "no luck");
	t.fail_at = fail_then;
	return says;
}

static int
replace(void *user, struct gk_hold *hold, int record, const void *ptr,
    size_t len, const struct gk_stamp *stamp, char *reason, size_t size)
{
	ck_assert_ptr_eq(user, &f);
	ck_assert_ptr_eq(hold, &f);
	ck_assert_ptr_eq(stamp, &seen);
	ck_assert_uint_eq(len, bytes.len);
	ck_assert_mem_eq(ptr, bytes.ptr, len);
	return act(record, NEW, reason, size);
}

static int
take_away(void *user, struct gk_hold *hold, int record, char *reason,
    size_t size)
{
	ck_assert_ptr_eq(user, &f);
	ck_assert_ptr_eq(hold, &f);
	return act(record, NULL, reason, size);
}

static void
setup(void)
{
	struct gk_buf there;

	gk_test_init(&t);
	fakestore_init(&f);
	f.store.replace = replace;
	f.store.remove = take_away;
	asked = 0;
	fail_then = 0;
	wrote = GK_WROTE_PERHAPS;
	memset(why, 0, sizeof(why));
	fakestore_set(&f, GK_RECORD_LANG, OLD);
	ck_assert_int_eq(gk_store_load(t.ctx, &f.store, GK_RECORD_LANG,
	    &there, &seen, why, sizeof(why)), 0);
	gk_buf_done(&there);
	gk_buf_init(&bytes, t.ctx, 8192);
	ck_assert_int_eq(gk_buf_puts(&bytes, NEW), 0);
}

static void
teardown(void)
{
	t.fail_at = 0;
	gk_buf_done(&bytes);
	fakestore_done(&f);
	gk_test_done(&t);
}

static int
run(const struct gk_buf *with)
{
	return gk_store_replace(t.ctx, &f.store, (struct gk_hold *)&f,
	    GK_RECORD_LANG, with, &seen, &wrote, why, sizeof(why));
}

struct end {
	const char	*name;
	enum deed	 deed;
	int		 says;
	int		 want;
	enum gk_wrote	 wrote;
	const char	*why;
};

#define CANNOT	"lang.json cannot be written: "
#define MAYBE	"lang.json may have been written or not: "
#define WAS	"lang.json was written, but that may not outlast a loss of " \
	"power: "
#define LIE	"the store says that it is done, and it is not"

static const struct end ends[] = {
	{ "it is done", WRITES, 0, 0, GK_WROTE_IT, "" },
	{ "a short write, and no room for the rest", LEAVES, GENKAN_E_IO,
	  GENKAN_E_IO, GK_WROTE_NOTHING, CANNOT "no luck" },
	{ "no memory", LEAVES, GENKAN_E_NOMEM, GENKAN_E_NOMEM,
	  GK_WROTE_NOTHING, CANNOT "no luck" },
	{ "the rename is done, its fsync is not", WRITES, GENKAN_E_IO,
	  GENKAN_E_IO, GK_WROTE_IT, WAS "no luck" },
	{ "that, and another writes behind it", OVERTAKEN, GENKAN_E_IO,
	  GENKAN_E_IO, GK_WROTE_PERHAPS, MAYBE "no luck" },
	{ "the disk is gone", HIDES, GENKAN_E_IO, GENKAN_E_IO,
	  GK_WROTE_PERHAPS, MAYBE "no luck" },
	{ "the file is gone", LOSES, GENKAN_E_IO, GENKAN_E_IO,
	  GK_WROTE_NOTHING, CANNOT "no luck" },
	{ "a store that does not keep a record whole", TEARS, GENKAN_E_IO,
	  GENKAN_E_IO, GK_WROTE_PERHAPS, MAYBE "no luck" },
	{ "another one was faster", OVERTAKEN, GENKAN_E_AGAIN, GENKAN_E_AGAIN,
	  GK_WROTE_NOTHING, CANNOT "no luck" },
	{ "it says that another was, and has written", WRITES, GENKAN_E_AGAIN,
	  GENKAN_E_AGAIN, GK_WROTE_NOTHING, CANNOT "no luck" },
	{ "it says that it is done, and did nothing", LEAVES, 0, GENKAN_E_IO,
	  GK_WROTE_NOTHING, CANNOT LIE },
	{ "it says that it is done, and nothing is there", LOSES, 0,
	  GENKAN_E_IO, GK_WROTE_NOTHING, CANNOT LIE },
	{ "it is done, and another has written since", OVERTAKEN, 0, 0,
	  GK_WROTE_IT, "" },
	{ "it is done, and nobody can look", HIDES, 0, 0, GK_WROTE_IT, "" },
	{ "it says something else than 0, and has written", WRITES, 7,
	  GENKAN_E_IO, GK_WROTE_IT, NULL },
	{ "it says something else than 0, and has not", LEAVES, 7,
	  GENKAN_E_IO, GK_WROTE_NOTHING, NULL },
	{ "it says what is no code", WRITES, -9999, GENKAN_E_IO, GK_WROTE_IT,
	  WAS "no luck" },
};

static void
check(const struct end *end, const struct gk_buf *with)
{
	int r;

	deed = end->deed;
	says = end->says;
	r = run(with);
	ck_assert_msg(r == end->want, "%s: %d", end->name, r);
	ck_assert_msg(wrote == end->wrote, "%s: %d", end->name, (int)wrote);
	ck_assert_uint_eq(asked, 1);
	if (end->why != NULL)
		ck_assert_str_eq(why, end->why);
	else
		ck_assert_ptr_nonnull(strstr(why, gk_err_text(GENKAN_E_IO)));
}

START_TEST(test_every_end_of_a_write_is_told_apart)
{
	check(&ends[_i], &bytes);
}
END_TEST

/* Its stamp is marked by load, so that it equals none; it is known all the
 * same. */
START_TEST(test_a_young_file_is_known_again)
{
	seen.size |= (uint64_t)1 << 63;
	check(&ends[_i], &bytes);
}
END_TEST

#define UNDELETED	"lang.json cannot be deleted: "

static const struct end deletions[] = {
	{ "it is done", LOSES, 0, 0, GK_WROTE_IT, "" },
	{ "it is not", LEAVES, GENKAN_E_IO, GENKAN_E_IO, GK_WROTE_NOTHING,
	  UNDELETED "no luck" },
	{ "it is, and not for good", LOSES, GENKAN_E_IO, GENKAN_E_IO,
	  GK_WROTE_IT, "lang.json was deleted, but that may not outlast a loss "
	  "of power: no luck" },
	{ "nobody knows", HIDES, GENKAN_E_IO, GENKAN_E_IO, GK_WROTE_PERHAPS,
	  "lang.json may have been deleted or not: no luck" },
	{ "it says that it is, and did nothing", LEAVES, 0, GENKAN_E_IO,
	  GK_WROTE_NOTHING, UNDELETED LIE },
	{ "it says that it is, and nobody can look", HIDES, 0, GENKAN_E_IO,
	  GK_WROTE_PERHAPS, "lang.json may have been deleted or not: " LIE },
	{ "it says that another was faster", LEAVES, GENKAN_E_AGAIN,
	  GENKAN_E_AGAIN, GK_WROTE_NOTHING, UNDELETED "no luck" },
};

START_TEST(test_every_end_of_a_deletion_is_told_apart)
{
	check(&deletions[_i], NULL);
}
END_TEST

/* Nothing was there to be the file that was read. */
START_TEST(test_a_first_record_that_is_not_written_is_not_there)
{
	static const struct end first[] = {
		{ "it is done", WRITES, 0, 0, GK_WROTE_IT, "" },
		{ "it is not", LEAVES, GENKAN_E_IO, GENKAN_E_IO,
		  GK_WROTE_NOTHING, CANNOT "no luck" },
		{ "it lies", LEAVES, 0, GENKAN_E_IO, GK_WROTE_NOTHING,
		  CANNOT LIE },
		{ "and not for good", WRITES, GENKAN_E_IO, GENKAN_E_IO,
		  GK_WROTE_IT, WAS "no luck" },
		{ "another's is there", OVERTAKEN, GENKAN_E_IO, GENKAN_E_IO,
		  GK_WROTE_PERHAPS, MAYBE "no luck" },
	};

	fakestore_set(&f, GK_RECORD_LANG, NULL);
	memset(&seen, 0, sizeof(seen));
	check(&first[_i], &bytes);
}
END_TEST

START_TEST(test_want_of_memory_for_the_second_look_is_no_answer)
{
	deed = WRITES;
	says = GENKAN_E_IO;
	fail_then = 1;
	ck_assert_int_eq(run(&bytes), GENKAN_E_IO);
	ck_assert_int_eq(wrote, GK_WROTE_PERHAPS);
	ck_assert_str_eq(why, MAYBE "no luck");
}
END_TEST

/* 4096 is the cap of this record; more is not even tried. */
START_TEST(test_no_record_passes_its_cap)
{
	const size_t len = 4095 + (size_t)_i;

	gk_buf_clear(&bytes);
	while (bytes.len < len)
		ck_assert_int_eq(gk_buf_putc(&bytes, 'x'), 0);
	deed = OVERTAKEN;
	says = 0;
	ck_assert_int_eq(run(&bytes), _i < 2 ? 0 : GENKAN_E_TOO_LARGE);
	ck_assert_uint_eq(asked, _i < 2);
	ck_assert_int_eq(wrote, _i < 2 ? GK_WROTE_IT : GK_WROTE_NOTHING);
	ck_assert_str_eq(why, _i < 2 ? "" : CANNOT "larger than 4096 bytes");
}
END_TEST

START_TEST(test_a_store_that_cannot_write_says_so)
{
	if (_i == 0)
		f.store.replace = NULL;
	else
		f.store.remove = NULL;
	ck_assert_int_eq(run(&bytes), GENKAN_E_UNSUPPORTED);
	ck_assert_int_eq(wrote, GK_WROTE_NOTHING);
	ck_assert_str_eq(why, CANNOT "this store cannot be written");
}
END_TEST

static const char *
path(void *user, int record)
{
	(void)user;
	return record == GK_RECORD_LANG ? "/home/a\n/lang.json" : NULL;
}

START_TEST(test_the_sentence_is_one_line)
{
	f.store.path = path;
	deed = LEAVES;
	says = GENKAN_E_IO;
	ck_assert_int_eq(run(&bytes), GENKAN_E_IO);
	ck_assert_str_eq(why, "/home/a\\n/lang.json cannot be written: no "
	    "luck");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("replace");
	TCase *tc = tcase_create("replace");
	const int n = (int)GK_ARRAY_LEN(ends);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_every_end_of_a_write_is_told_apart, 0, n);
	tcase_add_loop_test(tc, test_a_young_file_is_known_again, 0, n);
	tcase_add_loop_test(tc, test_every_end_of_a_deletion_is_told_apart, 0,
	    (int)GK_ARRAY_LEN(deletions));
	tcase_add_loop_test(tc,
	    test_a_first_record_that_is_not_written_is_not_there, 0, 5);
	tcase_add_test(tc,
	    test_want_of_memory_for_the_second_look_is_no_answer);
	tcase_add_loop_test(tc, test_no_record_passes_its_cap, 0, 3);
	tcase_add_loop_test(tc, test_a_store_that_cannot_write_says_so, 0, 2);
	tcase_add_test(tc, test_the_sentence_is_one_line);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
