/* Changing the trust record: control.md 5.1, 12.1. */
#include "base/alloc.h"
#include "trust/admission.h"
#include "trust/change.h"
#include "../records/fakestore.h"
#include "util.h"

#define RECORD(epoch, killed)	\
	"{\"version\":0,\"epoch\":" epoch ",\"killed\":" killed "," \
	"\"kill_epoch\":1,\"host_key_epoch\":2,\"policy_epoch\":3," \
	"\"lang_epoch\":4,\"clients\":null,\"enrollments\":[]}\n"

static struct gk_test t;
static struct fakestore f;
static char why[GK_WHY_FULL];
static uint64_t epoch;

static void
setup(void)
{
	gk_test_init(&t);
	fakestore_init(&f);
	epoch = 99;
}

static void
teardown(void)
{
	ck_assert_int_eq(f.held, 0);
	fakestore_done(&f);
	gk_test_done(&t);
}

static int
change(unsigned scopes, int (*apply)(void *, struct gk_trustrec *))
{
	const struct gk_change c = { .scopes = scopes, .apply = apply,
	    .user = &t };

	memset(why, 'x', sizeof(why));
	return gk_trust_change(t.ctx, &f.store, &c, &epoch, why, sizeof(why));
}

static int
kill_it(void *user, struct gk_trustrec *rec)
{
	ck_assert_ptr_eq(user, &t);
	rec->killed = true;
	return 0;
}

static int
nothing(void *user, struct gk_trustrec *rec)
{
	(void)user;
	rec->killed = true;	/* and yet it is not written */
	return GK_CHANGE_NOTHING;
}

static int
refuses(void *user, struct gk_trustrec *rec)
{
	(void)user;
	(void)rec;
	return GENKAN_E_STATE;
}

static int
spoils(void *user, struct gk_trustrec *rec)
{
	(void)user;
	rec->lang_epoch = (uint64_t)GK_INTEGER_MAX + 1;
	return 0;
}

START_TEST(test_a_fresh_machine_gets_its_first_record)
{
	ck_assert_int_eq(change(GK_SCOPE_KILL, kill_it), 0);
	ck_assert_uint_eq(epoch, 1);
	ck_assert_str_eq(why, "");
	ck_assert_str_eq(f.text[GK_RECORD_TRUST],
	    "{\"version\":0,\"epoch\":1,\"killed\":true,\"kill_epoch\":1,"
	    "\"host_key_epoch\":0,\"policy_epoch\":0,\"lang_epoch\":0,"
	    "\"clients\":null,\"enrollments\":[]}\n");
}
END_TEST

/* Each scope stamps its own marker with the new epoch, and no other. */
START_TEST(test_the_scope_decides_which_marker_moves)
{
	const struct {
		unsigned	 scopes;
		uint64_t	 kill, key, policy, lang;
	} want[] = {
		{ 0, 1, 2, 3, 4 },
		{ GK_SCOPE_KILL, 8, 2, 3, 4 },
		{ GK_SCOPE_HOST_KEY, 1, 8, 3, 4 },
		{ GK_SCOPE_POLICY, 1, 2, 8, 4 },
		{ GK_SCOPE_LANG, 1, 2, 3, 8 },
		{ GK_SCOPE_POLICY | GK_SCOPE_HOST_KEY, 1, 8, 8, 4 },
	};
	struct gk_trustrec *rec = NULL;

	fakestore_set(&f, GK_RECORD_TRUST, RECORD("7", "false"));
	ck_assert_int_eq(change(want[_i].scopes, NULL), 0);
	ck_assert_uint_eq(epoch, 8);
	ck_assert_int_eq(gk_trustrec_parse(t.ctx, f.text[GK_RECORD_TRUST],
	    strlen(f.text[GK_RECORD_TRUST]), &rec, why, sizeof(why)), 0);
	ck_assert_uint_eq(rec->epoch, 8);
	ck_assert_uint_eq(rec->kill_epoch, want[_i].kill);
	ck_assert_uint_eq(rec->host_key_epoch, want[_i].key);
	ck_assert_uint_eq(rec->policy_epoch, want[_i].policy);
	ck_assert_uint_eq(rec->lang_epoch, want[_i].lang);
	gk_trustrec_free(rec);
}
END_TEST

START_TEST(test_nothing_to_do_writes_nothing)
{
	fakestore_set(&f, GK_RECORD_TRUST, RECORD("7", "false"));
	ck_assert_int_eq(change(GK_SCOPE_KILL, nothing), GK_CHANGE_NOTHING);
	ck_assert_uint_eq(epoch, 7);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert_uint_eq(f.holds, 1);
}
END_TEST

START_TEST(test_an_act_that_refuses_writes_nothing)
{
	fakestore_set(&f, GK_RECORD_TRUST, RECORD("7", "false"));
	ck_assert_int_eq(change(GK_SCOPE_KILL, refuses), GENKAN_E_STATE);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert_uint_eq(epoch, 99);
}
END_TEST

/* Never rebuilt, never touched, and the sentence says what a person can do. */
START_TEST(test_an_unreadable_record_is_not_changed)
{
	static const char *const bad[] = { "", "{}", "{\"version\":1}",
	    RECORD("-1", "false") };
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(bad); i++) {
		fakestore_set(&f, GK_RECORD_TRUST, bad[i]);
		ck_assert_int_lt(change(GK_SCOPE_KILL, kill_it), 0);
		ck_assert_ptr_eq(f.text[GK_RECORD_TRUST], bad[i]);
		ck_assert_ptr_nonnull(strstr(why, "trust.json"));
		ck_assert_ptr_nonnull(strstr(why, "delete it"));
	}
	f.error = GENKAN_E_IO;
	ck_assert_int_eq(change(GK_SCOPE_KILL, kill_it), GENKAN_E_IO);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_an_epoch_at_the_bound_is_an_error)
{
	fakestore_set(&f, GK_RECORD_TRUST,
	    RECORD("9007199254740990", "false"));
	ck_assert_int_eq(change(0, NULL), 0);
	ck_assert_uint_eq(epoch, (uint64_t)GK_INTEGER_MAX);
	ck_assert_int_eq(change(0, NULL), GENKAN_E_RANGE);
	ck_assert_ptr_nonnull(strstr(why, "epoch"));
	ck_assert_uint_eq(f.writes, 1);
}
END_TEST

START_TEST(test_a_lock_that_is_not_had_is_named)
{
	f.hold_error = GENKAN_E_LOCKED;
	ck_assert_int_eq(change(GK_SCOPE_KILL, kill_it), GENKAN_E_LOCKED);
	ck_assert_ptr_nonnull(strstr(why, "records.mutex"));
	ck_assert_ptr_nonnull(strstr(why, "held for 2000 ms"));
	f.hold_error = GENKAN_E_IO;
	ck_assert_int_eq(change(GK_SCOPE_KILL, kill_it), GENKAN_E_IO);
	ck_assert_ptr_nonnull(strstr(why, "records.mutex"));
	f.store.hold = NULL;
	ck_assert_int_eq(change(GK_SCOPE_KILL, kill_it),
	    GENKAN_E_UNSUPPORTED);
	ck_assert_uint_eq(f.loads, 0);
}
END_TEST

/* Who engages the latch beside the lock must not be undone by a holder who had
 * read the record before. */
START_TEST(test_a_write_between_read_and_rename_is_kept)
{
	struct gk_trustrec *rec = NULL;

	fakestore_set(&f, GK_RECORD_TRUST, RECORD("7", "false"));
	f.rival = RECORD("20", "true");
	f.rivals = 1;
	ck_assert_int_eq(change(GK_SCOPE_LANG, NULL), 0);
	ck_assert_uint_eq(epoch, 21);
	ck_assert_uint_eq(f.loads, 2);
	ck_assert_int_eq(gk_trustrec_parse(t.ctx, f.text[GK_RECORD_TRUST],
	    strlen(f.text[GK_RECORD_TRUST]), &rec, why, sizeof(why)), 0);
	ck_assert(rec->killed);
	ck_assert_uint_eq(rec->lang_epoch, 21);
	gk_trustrec_free(rec);
}
END_TEST

START_TEST(test_a_record_that_appears_meanwhile_is_kept_too)
{
	f.rival = RECORD("20", "true");
	f.rivals = 1;
	ck_assert_int_eq(change(GK_SCOPE_LANG, NULL), 0);
	ck_assert_uint_eq(epoch, 21);
}
END_TEST

START_TEST(test_an_endless_rival_ends_in_an_error)
{
	f.rival = RECORD("20", "true");
	f.rivals = 1000;
	ck_assert_int_eq(change(GK_SCOPE_LANG, NULL), GENKAN_E_AGAIN);
	ck_assert_int_gt(f.rivals, 0);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_a_failing_write_is_said)
{
	f.replace_error = GENKAN_E_IO;
	ck_assert_int_eq(change(GK_SCOPE_KILL, kill_it), GENKAN_E_IO);
	ck_assert_ptr_nonnull(strstr(why, "trust.json"));
	ck_assert_ptr_nonnull(strstr(why, "no room"));
}
END_TEST

/* It is in force, and the act is an error all the same: it may not last. */
START_TEST(test_a_change_that_may_not_last_is_said)
{
	f.late[GK_RECORD_TRUST] = GENKAN_E_IO;
	ck_assert_int_eq(change(GK_SCOPE_KILL, kill_it), GENKAN_E_IO);
	ck_assert_ptr_eq(strstr(why, "trust.json was written, but"), why);
	ck_assert_ptr_nonnull(strstr(f.text[GK_RECORD_TRUST],
	    "\"killed\":true"));
	ck_assert_uint_eq(epoch, 99);
	ck_assert_uint_eq(f.writes, 1);
}
END_TEST

START_TEST(test_what_could_not_be_read_back_is_not_written)
{
	ck_assert_int_eq(change(GK_SCOPE_KILL, spoils), GENKAN_E_INVAL);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_want_of_memory_changes_nothing)
{
	size_t i;
	int r = GENKAN_E_NOMEM;

	fakestore_set(&f, GK_RECORD_TRUST, RECORD("7", "false"));
	for (i = 1; r != 0 && i < 200; i++) {
		t.fail_at = i;
		r = change(GK_SCOPE_KILL, kill_it);
		t.fail_at = 0;
		ck_assert_uint_eq(f.writes, r == 0);
		ck_assert_int_eq(f.held, 0);
	}
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 4);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("change");
	TCase *tc = tcase_create("change");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_fresh_machine_gets_its_first_record);
	tcase_add_loop_test(tc, test_the_scope_decides_which_marker_moves, 0,
	    6);
	tcase_add_test(tc, test_nothing_to_do_writes_nothing);
	tcase_add_test(tc, test_an_act_that_refuses_writes_nothing);
	tcase_add_test(tc, test_an_unreadable_record_is_not_changed);
	tcase_add_test(tc, test_an_epoch_at_the_bound_is_an_error);
	tcase_add_test(tc, test_a_lock_that_is_not_had_is_named);
	tcase_add_test(tc, test_a_write_between_read_and_rename_is_kept);
	tcase_add_test(tc, test_a_record_that_appears_meanwhile_is_kept_too);
	tcase_add_test(tc, test_an_endless_rival_ends_in_an_error);
	tcase_add_test(tc, test_a_failing_write_is_said);
	tcase_add_test(tc, test_a_change_that_may_not_last_is_said);
	tcase_add_test(tc, test_what_could_not_be_read_back_is_not_written);
	tcase_add_test(tc, test_want_of_memory_changes_nothing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
