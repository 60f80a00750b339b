/* Admission and attestation: control.md 5.1, 5.2; wire.md 4.3, 4.4. */
#include "trust/admission.h"
#include "../records/fakestore.h"
#include "util.h"

#define H1	"1111111111111111111111111111111111111111111111111111111111111111"
#define H2	"2222222222222222222222222222222222222222222222222222222222222222"
#define H3	"3333333333333333333333333333333333333333333333333333333333333333"
#define RECORD(killed, clients)	\
	"{\"version\":0,\"epoch\":1,\"killed\":" killed ",\"kill_epoch\":1," \
	"\"host_key_epoch\":0,\"policy_epoch\":0,\"lang_epoch\":0," \
	"\"clients\":" clients ",\"enrollments\":[]}"
#define CLIENT(name, kind, value)	"{\"name\":\"" name "\",\"anchor\":{" \
	"\"kind\":\"" kind "\",\"value\":\"" value "\"},\"added_unix\":0}"
#define PAIRED	"[" CLIENT("one", "hash", H1) "," \
	CLIENT("team", "signer", "Team X") "]"

static struct gk_test t;
static struct fakestore f;
static struct gk_trust_cache cache;
static struct gk_trust_view view;
static struct gk_admission a;
static struct gk_measure m;

static void
setup(void)
{
	gk_test_init(&t);
	fakestore_init(&f);
	memset(&cache, 0, sizeof(cache));
	memset(&m, 0, sizeof(m));
	m.ok = true;
	(void)strcpy(m.hash, H1);
}

static void
teardown(void)
{
	gk_trust_cache_done(&cache);
	gk_test_done(&t);
}

static void
look(const char *text)
{
	fakestore_set(&f, GK_RECORD_TRUST, text);
	gk_trust_look(t.ctx, &f.store, &cache, &view);
}

/* ---------------------------------------------------------------- looks */

START_TEST(test_an_absent_record_is_a_fresh_machine)
{
	look(NULL);
	ck_assert_int_eq(view.state, GK_TRUST_ABSENT);
	ck_assert_int_eq(view.kill, GK_KILL_CLEAR);
	ck_assert(!view.rec->paired);
	ck_assert_uint_eq(view.rec->kill_epoch, 0);
	ck_assert_str_eq(view.why, "");
}
END_TEST

START_TEST(test_the_latch_is_seen)
{
	look(RECORD("true", "null"));
	ck_assert_int_eq(view.state, GK_TRUST_OK);
	ck_assert_int_eq(view.kill, GK_KILL_ENGAGED);
	look(RECORD("false", "null"));
	ck_assert_int_eq(view.kill, GK_KILL_CLEAR);
}
END_TEST

START_TEST(test_a_damaged_record_is_unreadable_and_says_so)
{
	look("{\"version\":0}");
	ck_assert_int_eq(view.state, GK_TRUST_UNREADABLE);
	ck_assert_int_eq(view.kill, GK_KILL_UNREADABLE);
	ck_assert_ptr_null(view.rec);
	ck_assert_ptr_nonnull(strstr(view.why, "trust.json"));
	ck_assert_ptr_nonnull(strstr(view.why, "member epoch"));
	ck_assert_ptr_nonnull(strstr(view.why, "delete it"));
	ck_assert_ptr_nonnull(strstr(view.why, "`genkan doctor`"));
}
END_TEST

START_TEST(test_any_other_error_than_absence_fails_closed)
{
	static const int errors[] = { GENKAN_E_IO, GENKAN_E_ACCESS,
	    GENKAN_E_NOMEM, GENKAN_E_INTERNAL, GENKAN_E_AGAIN };
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(errors); i++) {
		f.error = errors[i];
		look(NULL);
		ck_assert_int_eq(view.state, GK_TRUST_UNREADABLE);
		ck_assert_ptr_nonnull(strstr(view.why, "cannot be read"));
	}
}
END_TEST

START_TEST(test_an_unchanged_file_is_parsed_once)
{
	const struct gk_trustrec *first;

	look(RECORD("false", PAIRED));
	first = view.rec;
	gk_trust_look(t.ctx, &f.store, &cache, &view);
	gk_trust_look(t.ctx, &f.store, &cache, &view);
	ck_assert_uint_eq(f.loads, 1);
	ck_assert_ptr_eq(view.rec, first);
	look(RECORD("true ", PAIRED));
	ck_assert_uint_eq(f.loads, 2);
	ck_assert_int_eq(view.kill, GK_KILL_ENGAGED);
}
END_TEST

/* A file that may still change without a trace is read every time. */
START_TEST(test_a_young_file_is_read_every_time)
{
	f.young = true;
	look(RECORD("false", "null"));
	f.text[GK_RECORD_TRUST] = RECORD("true ", "null");
	gk_trust_look(t.ctx, &f.store, &cache, &view);
	ck_assert_uint_eq(f.loads, 2);
	ck_assert_int_eq(view.kill, GK_KILL_ENGAGED);
}
END_TEST

START_TEST(test_deletion_and_damage_are_noticed_at_the_next_look)
{
	look(RECORD("true", PAIRED));
	look(NULL);
	ck_assert_int_eq(view.state, GK_TRUST_ABSENT);
	look(RECORD("true", PAIRED));
	ck_assert_int_eq(view.state, GK_TRUST_OK);
	look("{");
	ck_assert_int_eq(view.state, GK_TRUST_UNREADABLE);
	f.error = GENKAN_E_IO;
	gk_trust_look(t.ctx, &f.store, &cache, &view);
	ck_assert_int_eq(view.state, GK_TRUST_UNREADABLE);
	f.error = 0;
	look(RECORD("false", "null"));
	ck_assert_int_eq(view.state, GK_TRUST_OK);
	ck_assert_str_eq(view.why, "");
}
END_TEST

START_TEST(test_want_of_memory_is_an_unreadable_record)
{
	size_t i;

	view.state = GK_TRUST_UNREADABLE;
	for (i = 1; view.state != GK_TRUST_OK && i < 100; i++) {
		t.fail_at = i;
		look(RECORD("false", PAIRED));
		t.fail_at = 0;
		if (view.state != GK_TRUST_OK)
			ck_assert_int_eq(view.state, GK_TRUST_UNREADABLE);
	}
	ck_assert_int_eq(view.state, GK_TRUST_OK);
	ck_assert_uint_gt(i, 4);
}
END_TEST

/* -------------------------------------------------------------- verdicts */

START_TEST(test_without_a_list_everybody_is_admitted)
{
	look(NULL);
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_UNENROLLED);
	gk_admission_decide(&view, NULL, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_UNENROLLED);
	look(RECORD("true", "null"));
	m.ok = false;
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_UNENROLLED);
	ck_assert_ptr_null(a.reason);
}
END_TEST

START_TEST(test_an_empty_list_admits_nobody)
{
	look(RECORD("false", "[]"));
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
	ck_assert_str_eq(a.reason, "not on the allowlist");
	ck_assert(!a.unreadable);
}
END_TEST

START_TEST(test_a_listed_hash_or_signer_is_trusted_under_its_name)
{
	look(RECORD("false", PAIRED));
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_TRUSTED);
	ck_assert_str_eq(a.client->name, "one");
	(void)strcpy(m.hash, H2);
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
	ck_assert_ptr_null(a.client);
	(void)strcpy(m.signer, "Team X");
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_TRUSTED);
	ck_assert_str_eq(a.client->name, "team");
}
END_TEST

/* What is unmeasured matches nothing, not even if the fields are filled. */
START_TEST(test_what_cannot_be_measured_is_refused_by_a_list)
{
	look(RECORD("false", PAIRED));
	m.ok = false;
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
	ck_assert_str_eq(a.reason, "the program cannot be measured");
	gk_admission_decide(&view, NULL, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
}
END_TEST

/* The name that a client gives itself decides nothing. */
START_TEST(test_a_claimed_name_is_no_anchor)
{
	look(RECORD("false", PAIRED));
	(void)strcpy(m.hash, H3);
	(void)strcpy(m.name, "one");
	(void)strcpy(m.path, "/usr/bin/one");
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
}
END_TEST

START_TEST(test_a_hash_is_no_signer)
{
	look(RECORD("false", "[" CLIENT("a", "signer", H1) "]"));
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
	look(RECORD("false", "[" CLIENT("a", "hash", H2) "]"));
	m.hash[0] = '\0';
	(void)strcpy(m.signer, H2);
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
}
END_TEST

START_TEST(test_an_unreadable_record_refuses_and_is_told_apart)
{
	look("{}");
	gk_admission_decide(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
	ck_assert(a.unreadable);
}
END_TEST

START_TEST(test_an_embedder_needs_a_list)
{
	look(NULL);
	gk_admission_embedder(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_REFUSE);
	ck_assert_ptr_nonnull(a.reason);
	look(RECORD("false", PAIRED));
	gk_admission_embedder(&view, &m, &a);
	ck_assert_int_eq(a.verdict, GK_VERDICT_TRUSTED);
}
END_TEST

START_TEST(test_only_trusted_to_unenrolled_is_weaker)
{
	ck_assert(gk_admission_weakened(GK_VERDICT_TRUSTED,
	    GK_VERDICT_UNENROLLED));
	ck_assert(!gk_admission_weakened(GK_VERDICT_UNENROLLED,
	    GK_VERDICT_TRUSTED));
	ck_assert(!gk_admission_weakened(GK_VERDICT_UNENROLLED,
	    GK_VERDICT_UNENROLLED));
	ck_assert(!gk_admission_weakened(GK_VERDICT_TRUSTED,
	    GK_VERDICT_TRUSTED));
}
END_TEST

START_TEST(test_the_measurement_as_text)
{
	char text[GK_MEASURE_TEXT];

	ck_assert_str_eq(gk_measure_text(&m, text, sizeof(text)), "hash:" H1);
	m.hash[0] = '\0';
	(void)strcpy(m.signer, "Team X");
	ck_assert_str_eq(gk_measure_text(&m, text, sizeof(text)),
	    "signer:Team X");
	m.ok = false;
	ck_assert_str_eq(gk_measure_text(&m, text, sizeof(text)),
	    "unmeasured");
	ck_assert_str_eq(gk_measure_text(NULL, text, sizeof(text)),
	    "unmeasured");
}
END_TEST

/* ----------------------------------------------------------- attestation */

static struct gk_peer peer;

static void
be(unsigned roles)
{
	memset(&peer, 0, sizeof(peer));
	peer.uid_known = peer.uid_ours = true;
	peer.image = m;
	peer.roles = roles;
}

/* wire.md 4.3, row by row. */
START_TEST(test_what_each_image_may_attach_as)
{
	look(NULL);
	be(GK_ROLE_HOST);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), GK_MAY_BROWSER);
	be(GK_ROLE_SERVER);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), GK_MAY_RELAY);
	be(GK_ROLE_CLI);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), GK_MAY_NOTHING);
	be(GK_ROLE_SERVER | GK_ROLE_HOST);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view),
	    GK_MAY_RELAY | GK_MAY_BROWSER);
	be(0);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), 0);
	look("{}");
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), 0);
	be(GK_ROLE_HOST);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), GK_MAY_BROWSER);
	look(RECORD("false", PAIRED));
	be(0);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), GK_MAY_EMBEDDER);
	(void)strcpy(peer.image.hash, H3);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), 0);
}
END_TEST

/* Being on the allowlist gives one of our own images no further role. */
START_TEST(test_a_listed_host_is_no_embedder)
{
	look(RECORD("false", PAIRED));
	be(GK_ROLE_HOST);
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), GK_MAY_BROWSER);
}
END_TEST

START_TEST(test_uid_and_measurement_come_first)
{
	look(RECORD("false", PAIRED));
	be(GK_ROLE_SERVER);
	ck_assert(gk_attest_broker(&peer));
	peer.uid_ours = false;
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), 0);
	ck_assert(!gk_attest_broker(&peer));
	be(GK_ROLE_SERVER);
	peer.uid_known = false;
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), 0);
	ck_assert(!gk_attest_broker(&peer));
	be(GK_ROLE_SERVER);
	peer.image.ok = false;
	ck_assert_uint_eq(gk_attest_peer(&peer, &view), 0);
	ck_assert(!gk_attest_broker(&peer));
	be(GK_ROLE_HOST);
	ck_assert(!gk_attest_broker(&peer));
	be(0);		/* paired, but no broker: it could pass the gates */
	ck_assert(!gk_attest_broker(&peer));
}
END_TEST

START_TEST(test_the_process_of_a_lock_is_judged_by_image)
{
	struct gk_installset set;

	gk_installset_init(&set);
	ck_assert_int_eq(gk_installset_add(&set, H1, GK_ROLE_SERVER), 0);
	ck_assert_int_eq(gk_installset_add(&set, H2, GK_ROLE_HOST), 0);
	ck_assert(gk_attest_broker_image(&m, &set));
	(void)strcpy(m.hash, H2);
	ck_assert(!gk_attest_broker_image(&m, &set));
	(void)strcpy(m.hash, H1);
	m.ok = false;
	ck_assert(!gk_attest_broker_image(&m, &set));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("admission");
	TCase *tc = tcase_create("admission");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_an_absent_record_is_a_fresh_machine);
	tcase_add_test(tc, test_the_latch_is_seen);
	tcase_add_test(tc, test_a_damaged_record_is_unreadable_and_says_so);
	tcase_add_test(tc, test_any_other_error_than_absence_fails_closed);
	tcase_add_test(tc, test_an_unchanged_file_is_parsed_once);
	tcase_add_test(tc, test_a_young_file_is_read_every_time);
	tcase_add_test(tc,
	    test_deletion_and_damage_are_noticed_at_the_next_look);
	tcase_add_test(tc, test_want_of_memory_is_an_unreadable_record);
	tcase_add_test(tc, test_without_a_list_everybody_is_admitted);
	tcase_add_test(tc, test_an_empty_list_admits_nobody);
	tcase_add_test(tc,
	    test_a_listed_hash_or_signer_is_trusted_under_its_name);
	tcase_add_test(tc, test_what_cannot_be_measured_is_refused_by_a_list);
	tcase_add_test(tc, test_a_claimed_name_is_no_anchor);
	tcase_add_test(tc, test_a_hash_is_no_signer);
	tcase_add_test(tc, test_an_unreadable_record_refuses_and_is_told_apart);
	tcase_add_test(tc, test_an_embedder_needs_a_list);
	tcase_add_test(tc, test_only_trusted_to_unenrolled_is_weaker);
	tcase_add_test(tc, test_the_measurement_as_text);
	tcase_add_test(tc, test_what_each_image_may_attach_as);
	tcase_add_test(tc, test_a_listed_host_is_no_embedder);
	tcase_add_test(tc, test_uid_and_measurement_come_first);
	tcase_add_test(tc, test_the_process_of_a_lock_is_judged_by_image);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
