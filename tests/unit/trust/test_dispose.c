/* Disposal of the host key, and what is left when a step fails: control 3.6. */
#include "policyworld.h"
#include "trust/dispose.h"

static struct gk_disposal d;
static int erase_result;
static unsigned erased;
/* What the records were when the key was deleted. */
static unsigned writes_before;

static int
erase(void *user, struct gk_hold *hold, char *text, size_t len)
{
	ck_assert_ptr_eq(user, &d);
	ck_assert_ptr_nonnull(hold);
	erased++;
	writes_before = f.writes;
	if (erase_result < 0)
		(void)snprintf(text, len, "the store is locked");
	return erase_result;
}

static void
setup(void)
{
	world_init();
	memset(&d, 0, sizeof(d));
	d.erase = erase;
	d.user = &d;
	erase_result = 0;
	erased = 0;
	fakestore_set(&f, GK_RECORD_TRUST, TRUST("2"));
}

static int
run(void)
{
	struct gk_hold *hold = NULL;
	int r;

	ck_assert_int_eq(gk_store_hold(&f.store, &hold, why, sizeof(why)), 0);
	r = gk_dispose(t.ctx, &f.store, hold, &d);
	f.store.drop(f.store.user, hold);
	ck_assert((r < 0) == (d.why[0] != '\0'));
	return r;
}

static bool
holds(int record, const char *part)
{
	return f.text[record] != NULL &&
	    strstr(f.text[record], part) != NULL;
}

START_TEST(test_a_disposal_goes_through_its_steps)
{
	world_policy(D2, SIGNED(SIG2));
	ck_assert_int_eq(run(), 0);
	ck_assert(d.absent);
	ck_assert_str_eq(d.note, "");
	ck_assert_uint_eq(erased, 1);
	ck_assert_uint_eq(writes_before, 0);
	ck_assert_str_eq(f.text[GK_RECORD_POLICY], "{\"version\":0,"
	    "\"overlay\":{\"disabledTools\":[\"page_upload\"]}}\n");
	ck_assert(holds(GK_RECORD_HISTORY, SIG2));
	/* One write, both epochs, nothing else. */
	ck_assert(holds(GK_RECORD_TRUST, "\"epoch\":6,\"killed\":false,"
	    "\"kill_epoch\":0,\"host_key_epoch\":6,\"policy_epoch\":6,"
	    "\"lang_epoch\":0"));
	ck_assert_uint_eq(f.writes, 3);
}
END_TEST

START_TEST(test_without_any_record_only_the_epochs_are_written)
{
	fakestore_set(&f, GK_RECORD_TRUST, NULL);
	ck_assert_int_eq(run(), 0);
	ck_assert(d.absent);
	ck_assert_ptr_null(f.text[GK_RECORD_POLICY]);
	ck_assert_ptr_null(f.text[GK_RECORD_HISTORY]);
	ck_assert(holds(GK_RECORD_TRUST, "\"host_key_epoch\":1,"));
	ck_assert_uint_eq(f.writes, 1);
}
END_TEST

START_TEST(test_an_unreadable_trust_record_stops_it_at_once)
{
	world_policy(D2, SIGNED(SIG2));
	fakestore_set(&f, GK_RECORD_TRUST, "{");
	ck_assert_int_lt(run(), 0);
	ck_assert(!d.absent);
	ck_assert_uint_eq(erased, 0);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert_str_eq(f.text[GK_RECORD_TRUST], "{");
	ck_assert_ptr_nonnull(strstr(d.why, "trust.json"));
}
END_TEST

START_TEST(test_a_key_that_stays_changes_nothing_else)
{
	world_policy(D2, SIGNED(SIG2));
	erase_result = GENKAN_E_LOCKED;
	ck_assert_int_eq(run(), GENKAN_E_LOCKED);
	ck_assert(!d.absent);
	ck_assert_str_eq(d.why, "the store is locked");
	ck_assert_uint_eq(f.writes, 0);
	ck_assert(holds(GK_RECORD_POLICY, "baseline_b64"));
	ck_assert(holds(GK_RECORD_TRUST, "\"epoch\":5,"));
}
END_TEST

/* The hosts are told all the same: the key is gone. */
START_TEST(test_a_policy_that_cannot_be_put_away_is_an_error_after_the_key)
{
	world_policy(D2, SIGNED(SIG2));
	f.refuse[GK_RECORD_POLICY] = GENKAN_E_IO;
	ck_assert_int_eq(run(), GENKAN_E_IO);
	ck_assert(d.absent);
	ck_assert_ptr_nonnull(strstr(d.why, "the host key is gone, but the "
	    "policy"));
	ck_assert(holds(GK_RECORD_POLICY, "baseline_b64"));
	ck_assert(holds(GK_RECORD_TRUST, "\"host_key_epoch\":6,"));
}
END_TEST

START_TEST(test_a_history_that_cannot_be_written_stops_nothing)
{
	world_policy(D2, SIGNED(SIG2));
	f.refuse[GK_RECORD_HISTORY] = GENKAN_E_IO;
	ck_assert_int_eq(run(), 0);
	ck_assert(!holds(GK_RECORD_POLICY, "baseline_b64"));
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":6,"));
}
END_TEST

START_TEST(test_epochs_that_cannot_be_written_are_an_error_after_the_key)
{
	world_policy(D2, SIGNED(SIG2));
	f.refuse[GK_RECORD_TRUST] = GENKAN_E_IO;
	ck_assert_int_eq(run(), GENKAN_E_IO);
	ck_assert(d.absent);
	ck_assert_ptr_nonnull(strstr(d.why, "hosts are not told"));
	ck_assert(!holds(GK_RECORD_POLICY, "baseline_b64"));
	ck_assert(holds(GK_RECORD_TRUST, "\"epoch\":5,"));
}
END_TEST

START_TEST(test_a_policy_without_baseline_stays_as_it_is)
{
	fakestore_set(&f, GK_RECORD_POLICY, KEPT);
	ck_assert_int_eq(run(), 0);
	ck_assert_str_eq(f.text[GK_RECORD_POLICY], KEPT);
	ck_assert_str_eq(d.note, "");
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":6,"));
}
END_TEST

START_TEST(test_an_unreadable_policy_stays_and_is_noted)
{
	fakestore_set(&f, GK_RECORD_POLICY, "{");
	ck_assert_int_eq(run(), 0);
	ck_assert(d.absent);
	ck_assert_str_eq(f.text[GK_RECORD_POLICY], "{");
	ck_assert_ptr_nonnull(strstr(d.note, "policy.json"));
	ck_assert(holds(GK_RECORD_TRUST, "\"host_key_epoch\":6,"));
}
END_TEST

/* Once more finds nothing to do, and says so to the hosts again. */
START_TEST(test_a_disposal_can_be_repeated)
{
	world_policy(D2, SIGNED(SIG2));
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(run(), 0);
	ck_assert(holds(GK_RECORD_POLICY, "page_upload"));
	ck_assert(holds(GK_RECORD_TRUST, "\"host_key_epoch\":7,"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dispose");
	TCase *tc = tcase_create("dispose");

	tcase_add_checked_fixture(tc, setup, world_done);
	tcase_add_test(tc, test_a_disposal_goes_through_its_steps);
	tcase_add_test(tc,
	    test_without_any_record_only_the_epochs_are_written);
	tcase_add_test(tc, test_an_unreadable_trust_record_stops_it_at_once);
	tcase_add_test(tc, test_a_key_that_stays_changes_nothing_else);
	tcase_add_test(tc,
	    test_a_policy_that_cannot_be_put_away_is_an_error_after_the_key);
	tcase_add_test(tc,
	    test_a_history_that_cannot_be_written_stops_nothing);
	tcase_add_test(tc,
	    test_epochs_that_cannot_be_written_are_an_error_after_the_key);
	tcase_add_test(tc, test_a_policy_without_baseline_stays_as_it_is);
	tcase_add_test(tc, test_an_unreadable_policy_stays_and_is_noted);
	tcase_add_test(tc, test_a_disposal_can_be_repeated);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
