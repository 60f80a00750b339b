/* Writing a policy: control.md 4.4, 4.5 under the lock, 3.6 step 3. */
#include "policyworld.h"

static struct gk_presence *proof;
static struct gk_policy_done done;

static void
setup(void)
{
	world_init();
	proof = NULL;
	ck_assert_int_eq(gk_presence_typed(t.ctx, "allow", 5, &proof), 0);
	fakestore_set(&f, GK_RECORD_TRUST, TRUST("2"));
}

static void
teardown(void)
{
	gk_presence_free(proof);
	world_done();
}

static enum gk_policy_error
commit(struct gk_presence *p)
{
	static const uint8_t sig[GK_POLICY_SIG_BYTES] = { 1 };
	struct gk_hold *hold = NULL;
	enum gk_policy_error e;

	if (plan->lane == GK_LANE_GRANT)
		gk_policy_plan_sign(plan, sig, KEY_ID);
	ck_assert_int_eq(gk_store_hold(&f.store, &hold, why, sizeof(why)), 0);
	why[0] = '\0';
	e = gk_policy_commit(plan, &f.store, hold, p, &done, why,
	    sizeof(why));
	f.store.drop(f.store.user, hold);
	ck_assert((e == GK_POLICY_FINE) == (why[0] == '\0'));
	return e;
}

static bool
holds(int record, const char *part)
{
	return f.text[record] != NULL &&
	    strstr(f.text[record], part) != NULL;
}

START_TEST(test_a_set_pushes_writes_and_stamps)
{
	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_FINE);
	ck_assert(done.written && !done.history_lost);
	ck_assert_uint_eq(f.writes, 3);
	ck_assert(holds(GK_RECORD_TRUST, "\"epoch\":6,"));
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":6,"));
	ck_assert(holds(GK_RECORD_TRUST, "\"host_key_epoch\":2,"));
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
	ck_assert(holds(GK_RECORD_HISTORY, "\"superseded_unix\":1700000000"));
	world_look();
	ck_assert_int_eq(policy.state, GK_POLICY_PRESENT);
	ck_assert_uint_eq(policy.rec->doc.revision, 2);
	ck_assert(policy.rec->is_signed);
	ck_assert_uint_eq(policy.rec->sig[0], 1);
	ck_assert_str_eq(policy.rec->key_id, KEY_ID);
	ck_assert_uint_eq(policy.rec->effective.num[GK_POLICY_CDP_MODE], 1);
	/* The proof is gone. */
	ck_assert(!gk_presence_use(proof));
}
END_TEST

START_TEST(test_the_first_set_has_nothing_to_push)
{
	fakestore_set(&f, GK_RECORD_POLICY, _i == 0 ? NULL : KEPT);
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_FINE);
	ck_assert_ptr_null(f.text[GK_RECORD_HISTORY]);
	ck_assert(!done.history_lost);
	ck_assert_uint_eq(f.writes, 2);
}
END_TEST

START_TEST(test_a_restriction_needs_no_proof_and_keeps_the_signature)
{
	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(commit(NULL), GK_POLICY_FINE);
	ck_assert(holds(GK_RECORD_POLICY, SIG1));
	ck_assert(holds(GK_RECORD_POLICY,
	    "\"overlay\":{\"confirmGraceMs\":1}"));
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":6,"));
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
}
END_TEST

START_TEST(test_a_plan_that_writes_nothing_writes_nothing)
{
	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":1}");
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(commit(NULL), GK_POLICY_FINE);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert(!done.written);
}
END_TEST

START_TEST(test_one_proof_pays_for_one_write)
{
	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(NULL), GK_POLICY_REFUSED);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert_int_eq(commit(proof), GK_POLICY_FINE);
	ck_assert_int_eq(set("{\"cdpMode\":false}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_REFUSED);
	ck_assert_uint_eq(f.writes, 3);
}
END_TEST

START_TEST(test_nothing_unsigned_is_written)
{
	struct gk_hold *hold = NULL;

	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(gk_store_hold(&f.store, &hold, why, sizeof(why)), 0);
	ck_assert_int_eq(gk_policy_commit(plan, &f.store, hold, proof, &done,
	    why, sizeof(why)), GK_POLICY_NO_SIGNING_KEY);
	f.store.drop(f.store.user, hold);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert(gk_presence_use(proof));
}
END_TEST

/* ----------------------------------------------------------------- conflict */

/* What moves between plan and write, and whether it is one. */
static const struct {
	const char	*doc;		/* NULL: no record */
	const char	*rest;
	const char	*host_key;
	bool		 set, restricted;	/* conflicts */
} moved[] = {
	{ D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":9}", "2", false,
	  false },
	{ D2, SIGNED(SIG2) ",\"overlay\":{\"confirmGraceMs\":9}", "2", true,
	  true },
	{ D1, SIGNED(SIG1), "2", true, true },
	{ D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":8}", "2", true,
	  true },
	{ D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":9,"
	  "\"cdpMode\":false}", "2", true, true },
	{ NULL, KEPT, "2", true, true },
	{ NULL, NULL, "2", true, true },
	{ D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":9}", "3", true,
	  false },
};

static void
move(int i)
{
	static char text[512];

	if (moved[i].doc != NULL)
		world_policy(moved[i].doc, moved[i].rest);
	else
		fakestore_set(&f, GK_RECORD_POLICY, moved[i].rest);
	(void)snprintf(text, sizeof(text), "%s", TRUST("2"));
	*strstr(text, "\"host_key_epoch\":2") = '"';
	strstr(text, "host_key_epoch\":2")[16] = moved[i].host_key[0];
	fakestore_set(&f, GK_RECORD_TRUST, text);
}

START_TEST(test_whatever_moved_is_a_conflict)
{
	enum gk_policy_error e;

	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":9}");
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	move(_i);
	e = commit(proof);
	ck_assert_int_eq(e, moved[_i].set ? GK_POLICY_CONFLICT :
	    GK_POLICY_FINE);
	ck_assert_uint_eq(f.writes, moved[_i].set ? 0 : 3);
	if (moved[_i].set)
		ck_assert_ptr_nonnull(strstr(why, "conflict"));
}
END_TEST

START_TEST(test_a_restriction_conflicts_but_not_over_the_key)
{
	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":9}");
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	move(_i);
	ck_assert_int_eq(commit(NULL), moved[_i].restricted ?
	    GK_POLICY_CONFLICT : GK_POLICY_FINE);
	ck_assert_uint_eq(f.writes, moved[_i].restricted ? 0 : 3);
}
END_TEST

START_TEST(test_a_first_set_conflicts_with_another_first_set)
{
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(commit(proof), GK_POLICY_CONFLICT);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

/* One who does not care for the lock, between the read and the rename. */
START_TEST(test_a_rival_without_the_lock_is_a_conflict)
{
	f.rival = KEPT;
	f.rivals = 1;
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_CONFLICT);
	ck_assert(!done.written);
	ck_assert_str_eq(f.text[GK_RECORD_POLICY], KEPT);
}
END_TEST

/* ----------------------------------------------------------------- failures */

START_TEST(test_the_history_never_stands_in_the_way)
{
	world_policy(D1, SIGNED(SIG1));
	f.refuse[GK_RECORD_HISTORY] = GENKAN_E_IO;
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_FINE);
	ck_assert(done.written && done.history_lost);
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":6,"));
}
END_TEST

START_TEST(test_an_unreadable_history_gives_way_to_a_fresh_one)
{
	world_policy(D1, SIGNED(SIG1));
	fakestore_set(&f, GK_RECORD_HISTORY, "{\"version\":0,\"entries\":7}");
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_FINE);
	ck_assert(!done.history_lost);
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
	ck_assert(!holds(GK_RECORD_HISTORY, "7}"));
}
END_TEST

/* It may be readable the next time. */
START_TEST(test_a_history_that_was_not_got_is_kept)
{
	world_policy(D1, SIGNED(SIG1));
	world_earlier(D2, SIGNED(SIG2) ",\"superseded_unix\":3");
	f.hidden[GK_RECORD_HISTORY] = true;
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_FINE);
	ck_assert(done.written && done.history_lost);
	ck_assert(holds(GK_RECORD_HISTORY, SIG2));
	ck_assert(!holds(GK_RECORD_HISTORY, SIG1));
}
END_TEST

START_TEST(test_a_readable_history_grows)
{
	world_policy(D1, SIGNED(SIG1));
	world_earlier(D2, SIGNED(SIG2) ",\"superseded_unix\":3");
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_FINE);
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
	ck_assert(strstr(f.text[GK_RECORD_HISTORY], SIG2) <
	    strstr(f.text[GK_RECORD_HISTORY], SIG1));
}
END_TEST

START_TEST(test_a_record_that_cannot_be_written_is_named)
{
	world_policy(D1, SIGNED(SIG1));
	f.refuse[GK_RECORD_POLICY] = GENKAN_E_IO;
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_IO);
	ck_assert_ptr_nonnull(strstr(why, "policy.json cannot be written"));
	ck_assert(!done.written);
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":1,"));
	ck_assert(holds(GK_RECORD_POLICY, SIG1));
}
END_TEST

/* Revision 1 was in force as it is signed, and is now with an overlay. */
START_TEST(test_a_policy_that_was_not_written_leaves_no_row)
{
	const char *old;
	char *kept;

	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":1}");
	if (_i > 0)
		world_earlier(D1, SIGNED(SIG1) ",\"superseded_unix\":3");
	old = f.text[GK_RECORD_HISTORY];
	kept = old != NULL ? strdup(old) : NULL;
	f.refuse[GK_RECORD_POLICY] = _i < 2 ? GENKAN_E_IO : GENKAN_E_AGAIN;
	ck_assert_int_eq(restrict_to("{\"evalToastTimeoutMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(commit(NULL), _i < 2 ? GK_POLICY_IO :
	    GK_POLICY_CONFLICT);
	ck_assert(!done.written && !done.history_lost);
	switch (_i) {
	case 0:
		ck_assert_ptr_null(f.text[GK_RECORD_HISTORY]);
		break;
	case 1:
		ck_assert_str_eq(f.text[GK_RECORD_HISTORY], kept);
		ck_assert_int_eq(roll_back(1, NULL), GK_POLICY_FINE);
		break;
	default:	/* somebody superseded it */
		ck_assert(holds(GK_RECORD_HISTORY, "confirmGraceMs"));
	}
	free(kept);
}
END_TEST

/* The rename was done, and making it last failed: what is in force has a way
 * back, and is told to who runs. */
START_TEST(test_a_policy_that_is_there_all_the_same_is_one)
{
	world_policy(D1, SIGNED(SIG1));
	f.late[GK_RECORD_POLICY] = GENKAN_E_IO;
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), GK_POLICY_IO);
	ck_assert_ptr_eq(strstr(why, "policy.json was written, but"), why);
	ck_assert_ptr_nonnull(strstr(why, "not made to last"));
	ck_assert(done.written && !done.history_lost);
	ck_assert(!holds(GK_RECORD_POLICY, SIG1));
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":6,"));
}
END_TEST

/* Of a row it is the same: there, and taken back with the rest. */
START_TEST(test_a_row_that_is_there_all_the_same_is_taken_back)
{
	world_policy(D1, SIGNED(SIG1));
	f.late[GK_RECORD_HISTORY] = GENKAN_E_IO;
	f.refuse[GK_RECORD_POLICY] = _i == 0 ? 0 : GENKAN_E_IO;
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_int_eq(commit(proof), _i == 0 ? GK_POLICY_FINE :
	    GK_POLICY_IO);
	ck_assert(!done.history_lost);
	if (_i == 0)
		ck_assert(holds(GK_RECORD_HISTORY, SIG1));
	else
		ck_assert_ptr_null(f.text[GK_RECORD_HISTORY]);
}
END_TEST

/* It cannot be read what came of the write. */
START_TEST(test_what_nobody_knows_is_told_and_not_taken_back)
{
	struct gk_hold *hold = NULL;

	world_policy(D1, SIGNED(SIG1));
	f.late[GK_RECORD_POLICY] = GENKAN_E_IO;
	f.hides = true;
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(gk_store_hold(&f.store, &hold, why, sizeof(why)), 0);
	ck_assert_int_eq(gk_policy_commit(plan, &f.store, hold, NULL, &done,
	    why, sizeof(why)), GK_POLICY_IO);
	f.store.drop(f.store.user, hold);
	ck_assert_ptr_eq(strstr(why, "policy.json may have been written"),
	    why);
	ck_assert(done.written);
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":6,"));
}
END_TEST

START_TEST(test_a_stamp_that_failed_does_not_hide_the_write)
{
	world_policy(D1, SIGNED(SIG1));
	f.refuse[GK_RECORD_TRUST] = GENKAN_E_IO;
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(commit(NULL), GK_POLICY_IO);
	ck_assert(done.written);
	ck_assert_ptr_nonnull(strstr(why, "the policy was written"));
	ck_assert(holds(GK_RECORD_POLICY, "overlay"));
}
END_TEST

START_TEST(test_what_became_unreadable_is_not_written_over)
{
	static const int record[] = { GK_RECORD_TRUST, GK_RECORD_POLICY };

	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	fakestore_set(&f, record[_i], "{");
	ck_assert_int_eq(commit(proof), GK_POLICY_IO);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert_str_eq(f.text[record[_i]], "{");
}
END_TEST

START_TEST(test_want_of_memory_while_writing)
{
	enum gk_policy_error e = GK_POLICY_IO;
	struct gk_hold *hold = (struct gk_hold *)&f;
	size_t i;

	f.held = 1;
	for (i = 1; e != GK_POLICY_FINE && i < 2000; i++) {
		fakestore_set(&f, GK_RECORD_TRUST, TRUST("2"));
		fakestore_set(&f, GK_RECORD_HISTORY, NULL);
		world_policy(D1, SIGNED(SIG1));
		ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
		    GK_POLICY_FINE);
		t.fail_at = i;
		e = gk_policy_commit(plan, &f.store, hold, NULL, &done, why,
		    sizeof(why));
		if (t.fail_at == 0 && e == GK_POLICY_FINE &&
		    done.history_lost)
			e = GK_POLICY_IO;	/* it failed, but there */
		t.fail_at = 0;
		ck_assert(done.written == holds(GK_RECORD_POLICY, "overlay"));
	}
	f.held = 0;
	ck_assert_int_eq(e, GK_POLICY_FINE);
	ck_assert_uint_gt(i, 40);
}
END_TEST

/* ----------------------------------------------------------------- disposal */

static int
dispose(bool *unreadable)
{
	struct gk_hold *hold = NULL;
	int r;

	ck_assert_int_eq(gk_store_hold(&f.store, &hold, why, sizeof(why)), 0);
	r = gk_policy_dispose(t.ctx, &f.store, hold, unreadable, why,
	    sizeof(why));
	f.store.drop(f.store.user, hold);
	return r;
}

START_TEST(test_a_disposal_keeps_what_is_disabled_in_force)
{
	bool unreadable = true;

	world_policy(D2, SIGNED(SIG2) ",\"overlay\":{\"confirmGraceMs\":1,"
	    "\"disabledTools\":[\"cookie_get\",\"page_upload\"]}");
	ck_assert_int_eq(dispose(&unreadable), 0);
	ck_assert(!unreadable);
	ck_assert_str_eq(f.text[GK_RECORD_POLICY], "{\"version\":0,"
	    "\"overlay\":{\"disabledTools\":[\"cookie_get\","
	    "\"page_upload\"]}}\n");
	ck_assert(holds(GK_RECORD_HISTORY, SIG2));
	/* The epochs are the caller's. */
	ck_assert(holds(GK_RECORD_TRUST, "\"epoch\":5,"));
}
END_TEST

START_TEST(test_a_disposal_of_a_policy_that_disables_nothing_removes_it)
{
	bool unreadable = true;

	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(dispose(&unreadable), 0);
	ck_assert_ptr_null(f.text[GK_RECORD_POLICY]);
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
}
END_TEST

START_TEST(test_a_disposal_leaves_the_rest_alone)
{
	bool unreadable = true;

	ck_assert_int_eq(dispose(&unreadable), 0);
	ck_assert(!unreadable);
	fakestore_set(&f, GK_RECORD_POLICY, KEPT);
	ck_assert_int_eq(dispose(&unreadable), 0);
	ck_assert_str_eq(f.text[GK_RECORD_POLICY], KEPT);
	fakestore_set(&f, GK_RECORD_POLICY, "{");
	ck_assert_int_eq(dispose(&unreadable), 0);
	ck_assert(unreadable);
	ck_assert_ptr_nonnull(strstr(why, "policy.json"));
	ck_assert_str_eq(f.text[GK_RECORD_POLICY], "{");
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_a_disposal_that_cannot_write_says_so)
{
	bool unreadable = true;

	f.refuse[GK_RECORD_POLICY] = GENKAN_E_IO;
	world_policy(_i == 0 ? D1 : D2, SIGNED(SIG1));
	ck_assert_int_lt(dispose(&unreadable), 0);
	ck_assert_str_eq(why, _i == 0 ?
	    "policy.json cannot be deleted: no room" :
	    "policy.json cannot be written: no room");
	ck_assert_ptr_null(f.text[GK_RECORD_HISTORY]);
	ck_assert(holds(GK_RECORD_POLICY, SIG1));
}
END_TEST

/* The policy is put away: the history is where it is now. */
START_TEST(test_a_disposal_not_made_to_last_keeps_its_row)
{
	bool unreadable = true;

	f.late[GK_RECORD_POLICY] = GENKAN_E_IO;
	world_policy(_i == 0 ? D1 : D2, SIGNED(SIG1));
	ck_assert_int_lt(dispose(&unreadable), 0);
	ck_assert_ptr_nonnull(strstr(why, "but that may not outlast"));
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
	ck_assert(!holds(GK_RECORD_POLICY, SIG1));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policyact");
	TCase *tc = tcase_create("policyact");
	const int moves = (int)GK_ARRAY_LEN(moved);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_set_pushes_writes_and_stamps);
	tcase_add_loop_test(tc, test_the_first_set_has_nothing_to_push, 0, 2);
	tcase_add_test(tc,
	    test_a_restriction_needs_no_proof_and_keeps_the_signature);
	tcase_add_test(tc, test_a_plan_that_writes_nothing_writes_nothing);
	tcase_add_test(tc, test_one_proof_pays_for_one_write);
	tcase_add_test(tc, test_nothing_unsigned_is_written);
	tcase_add_loop_test(tc, test_whatever_moved_is_a_conflict, 0, moves);
	tcase_add_loop_test(tc,
	    test_a_restriction_conflicts_but_not_over_the_key, 0, moves);
	tcase_add_test(tc, test_a_first_set_conflicts_with_another_first_set);
	tcase_add_test(tc, test_a_rival_without_the_lock_is_a_conflict);
	tcase_add_test(tc, test_the_history_never_stands_in_the_way);
	tcase_add_test(tc,
	    test_an_unreadable_history_gives_way_to_a_fresh_one);
	tcase_add_test(tc, test_a_history_that_was_not_got_is_kept);
	tcase_add_test(tc, test_a_readable_history_grows);
	tcase_add_test(tc, test_a_record_that_cannot_be_written_is_named);
	tcase_add_loop_test(tc,
	    test_a_policy_that_was_not_written_leaves_no_row, 0, 3);
	tcase_add_test(tc,
	    test_a_policy_that_is_there_all_the_same_is_one);
	tcase_add_loop_test(tc,
	    test_a_row_that_is_there_all_the_same_is_taken_back, 0, 2);
	tcase_add_test(tc,
	    test_what_nobody_knows_is_told_and_not_taken_back);
	tcase_add_test(tc, test_a_stamp_that_failed_does_not_hide_the_write);
	tcase_add_loop_test(tc,
	    test_what_became_unreadable_is_not_written_over, 0, 2);
	tcase_add_test(tc, test_want_of_memory_while_writing);
	tcase_add_test(tc,
	    test_a_disposal_keeps_what_is_disabled_in_force);
	tcase_add_test(tc,
	    test_a_disposal_of_a_policy_that_disables_nothing_removes_it);
	tcase_add_test(tc, test_a_disposal_leaves_the_rest_alone);
	tcase_add_loop_test(tc, test_a_disposal_that_cannot_write_says_so, 0,
	    2);
	tcase_add_loop_test(tc, test_a_disposal_not_made_to_last_keeps_its_row,
	    0, 2);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
