/* Acts on the trust record: control.md 5.3 to 5.5, 6.1. */
#include "crypto/ossl.h"
#include "../records/fakestore.h"
#include "trust/act.h"
#include "util.h"

#define HASH_A	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

#define CLIENT(name, hash)	"{\"name\":\"" name "\",\"anchor\":" \
	"{\"kind\":\"hash\",\"value\":\"" hash "\"},\"added_unix\":1}"
#define RECORD(epoch, killed, kill, clients)	\
	"{\"version\":0,\"epoch\":" epoch ",\"killed\":" killed "," \
	"\"kill_epoch\":" kill ",\"host_key_epoch\":0,\"policy_epoch\":0," \
	"\"lang_epoch\":0,\"clients\":" clients ",\"enrollments\":[]}\n"

static struct gk_test t;
static struct fakestore f;
static struct gk_act act;
static struct gk_presence *proof;

static void
setup(void)
{
	gk_test_init(&t);
	fakestore_init(&f);
	proof = NULL;
	ck_assert_int_eq(gk_presence_typed(t.ctx, "allow\n", 6, &proof), 0);
}

static void
teardown(void)
{
	ck_assert_int_eq(f.held, 0);
	gk_presence_free(proof);
	fakestore_done(&f);
	gk_test_done(&t);
}

static void
set(const char *text)
{
	fakestore_set(&f, GK_RECORD_TRUST, text);
}

static const char *
now(void)
{
	return f.text[GK_RECORD_TRUST];
}

static struct gk_client
client(const char *name, const char *hash)
{
	struct gk_client c;

	memset(&c, 0, sizeof(c));
	(void)snprintf(c.name, sizeof(c.name), "%s", name);
	c.anchor.kind = GK_ANCHOR_HASH;
	(void)snprintf(c.anchor.value, sizeof(c.anchor.value), "%s", hash);
	c.added_unix = 1;
	return c;
}

static int
pair(const char *name, const char *hash, struct gk_presence *p)
{
	const struct gk_client c = client(name, hash);

	gk_act_pair(&act, t.ctx, p, &c);
	return gk_act_run(&act, &f.store, NULL);
}

/* ---------------------------------------------------------------- presence */

START_TEST(test_only_the_phrase_is_a_proof)
{
	static const struct {
		const char	*line;
		int		 r;
	} rows[] = {
		{ "allow", 0 }, { "allow\n", 0 }, { " \t allow \r\n", 0 },
		{ "", 1 }, { "\n", 1 }, { "Allow\n", 1 }, { "allo\n", 1 },
		{ "allow allow\n", 1 }, { "allowed\n", 1 }, { "yes\n", 1 },
		{ "al low\n", 1 }, { "\"allow\"\n", 1 },
	};
	struct gk_presence *p;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p = NULL;
		ck_assert_msg(gk_presence_typed(t.ctx, rows[i].line,
		    strlen(rows[i].line), &p) == rows[i].r, "%s",
		    rows[i].line);
		ck_assert_int_eq(p != NULL, rows[i].r == 0);
		gk_presence_free(p);
	}
	p = NULL;
	ck_assert_int_eq(gk_presence_typed(t.ctx, "allow\0", 6, &p), 1);
}
END_TEST

START_TEST(test_a_proof_pays_once)
{
	ck_assert_str_eq(gk_presence_path(proof), "tty");
	ck_assert(gk_presence_use(proof));
	ck_assert(!gk_presence_use(proof));
	ck_assert(!gk_presence_use(NULL));
}
END_TEST

START_TEST(test_two_acts_take_two_proofs)
{
	ck_assert_int_eq(pair("a", HASH_A, proof), 0);
	ck_assert_int_eq(pair("b", HASH_B, proof), GENKAN_E_ACCESS);
	ck_assert_ptr_nonnull(strstr(act.why, "no proof"));
	ck_assert_int_eq(pair("b", HASH_B, NULL), GENKAN_E_ACCESS);
	ck_assert_str_eq(now(), RECORD("1", "false", "0",
	    "[" CLIENT("a", HASH_A) "]"));
	ck_assert_uint_eq(f.holds, 1);
}
END_TEST

/* ----------------------------------------------------------------- clients */

START_TEST(test_pairing_begins_replaces_and_appends)
{
	ck_assert_int_eq(pair("a", HASH_A, proof), 0);
	ck_assert(!act.was);
	ck_assert_uint_eq(act.epoch, 1);
	gk_presence_free(proof);
	ck_assert_int_eq(gk_presence_typed(t.ctx, "allow", 5, &proof), 0);
	set(RECORD("5", "true", "3", "[" CLIENT("a", HASH_A) ","
	    CLIENT("b", HASH_B) "]"));
	ck_assert_int_eq(pair("a", "cccccccccccccccccccccccccccccccccccccccc",
	    proof), 0);
	ck_assert(act.was);
	ck_assert_str_eq(now(), RECORD("6", "true", "3", "["
	    CLIENT("a", "cccccccccccccccccccccccccccccccccccccccc") ","
	    CLIENT("b", HASH_B) "]"));
}
END_TEST

START_TEST(test_an_anchor_belongs_to_one_name)
{
	const struct gk_client c = client("z", HASH_B);
	struct gk_trust_cache cache = { 0 };
	struct gk_trust_view view;
	char why[GK_WHY_FULL];

	set(RECORD("5", "false", "0", "[" CLIENT("a", HASH_A) ","
	    CLIENT("b", HASH_B) "]"));
	gk_trust_look(t.ctx, &f.store, &cache, &view);
	ck_assert_int_eq(gk_act_check_pair(&view, &c, why, sizeof(why)),
	    GENKAN_E_EXIST);
	ck_assert_ptr_nonnull(strstr(why, "under the name b;"));
	gk_trust_cache_done(&cache);
	ck_assert_int_eq(pair("z", HASH_B, proof), GENKAN_E_EXIST);
	ck_assert_ptr_nonnull(strstr(act.why, "under the name b;"));
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_the_last_client_leaves_an_empty_list)
{
	set(RECORD("5", "false", "0", "[" CLIENT("a", HASH_A) ","
	    CLIENT("b", HASH_B) "]"));
	gk_act_revoke_client(&act, t.ctx, "a");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(now(), RECORD("6", "false", "0",
	    "[" CLIENT("b", HASH_B) "]"));
	gk_act_revoke_client(&act, t.ctx, "b");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(now(), RECORD("7", "false", "0", "[]"));
}
END_TEST

START_TEST(test_who_is_not_there_is_not_revoked)
{
	gk_act_revoke_client(&act, t.ctx, "a");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_NOENT);
	ck_assert_ptr_nonnull(strstr(act.why, "was ever paired"));
	set(RECORD("5", "false", "0", "[" CLIENT("a", HASH_A) "]"));
	gk_act_revoke_client(&act, t.ctx, "A");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_NOENT);
	ck_assert_ptr_nonnull(strstr(act.why, "under that name"));
	gk_act_revoke_client(&act, t.ctx,
	    "a-name-that-is-far-longer-than-any-label-may-be");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_NOENT);
	gk_act_revoke_browser(&act, t.ctx, "chromium");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_NOENT);
	ck_assert_ptr_nonnull(strstr(act.why, "enrolled: none"));
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

#define KEY	"BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" \
	"AAAAAAAAAAAAAAAAAAAAAAA"
#define ENROLLED(label, id)	"{\"label\":\"" label "\",\"credential\":" \
	"{\"id\":\"" id "\",\"public_key\":\"" KEY "\",\"sign_count\":0," \
	"\"backup_eligible\":false}}"
#define ID_1	"AAAAAAAAAAAAAAAAAAAAAQ"
#define ID_2	"AAAAAAAAAAAAAAAAAAAAAg"
#define ID_3	"AAAAAAAAAAAAAAAAAAAAAw"
#define ENROLLMENTS(epoch, clients, list)	\
	"{\"version\":0,\"epoch\":" epoch ",\"killed\":true," \
	"\"kill_epoch\":2,\"host_key_epoch\":0,\"policy_epoch\":0," \
	"\"lang_epoch\":0,\"clients\":" clients ",\"enrollments\":[" list "]}\n"

START_TEST(test_a_browser_loses_all_its_credentials_and_no_other)
{
	set(ENROLLMENTS("5", "null", ENROLLED("brave", ID_1) ","
	    ENROLLED("default", ID_2) "," ENROLLED("brave", ID_3)));
	gk_act_revoke_browser(&act, t.ctx, "chrome");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_NOENT);
	ck_assert_ptr_nonnull(strstr(act.why, "enrolled: brave, default"));
	gk_act_revoke_browser(&act, t.ctx, "brave");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_uint_eq(act.gone, 2);
	ck_assert_str_eq(now(), ENROLLMENTS("6", "null",
	    ENROLLED("default", ID_2)));
}
END_TEST

START_TEST(test_all_are_revoked_in_one_write)
{
	set(ENROLLMENTS("5", "[" CLIENT("a", HASH_A) "]",
	    ENROLLED("brave", ID_1)));
	gk_act_revoke_all(&act, t.ctx);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(now(), ENROLLMENTS("6", "[]", ""));
	gk_act_revoke_all(&act, t.ctx);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 1);
	ck_assert_uint_eq(f.writes, 1);
	/* Who never had a list has none afterwards. */
	set(ENROLLMENTS("5", "null", ENROLLED("brave", ID_1)));
	gk_act_revoke_all(&act, t.ctx);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(now(), ENROLLMENTS("6", "null", ""));
}
END_TEST

/* ------------------------------------------------------------- kill switch */

START_TEST(test_killing_twice_stamps_twice)
{
	gk_act_kill(&act, t.ctx);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(now(), RECORD("1", "true", "1", "null"));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(now(), RECORD("2", "true", "2", "null"));
}
END_TEST

START_TEST(test_engaged_is_success_though_the_stamp_cannot_be_written)
{
	f.replace_error = GENKAN_E_IO;
	set(RECORD("5", "false", "0", "null"));
	gk_act_kill(&act, t.ctx);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_IO);
	ck_assert_ptr_nonnull(strstr(act.why, "no room"));
	set(RECORD("5", "true", "3", "null"));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(act.why, "");
}
END_TEST

START_TEST(test_a_release_is_bound_to_what_was_seen)
{
	set(RECORD("5", "true", "3", "null"));
	gk_act_unkill(&act, t.ctx, proof, 2);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_EXIST);
	ck_assert_ptr_nonnull(strstr(act.why, "engaged again"));
	ck_assert_uint_eq(f.writes, 0);
	gk_presence_free(proof);
	ck_assert_int_eq(gk_presence_typed(t.ctx, "allow", 5, &proof), 0);
	gk_act_unkill(&act, t.ctx, proof, 3);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_str_eq(now(), RECORD("6", "false", "6", "null"));
}
END_TEST

/* Between reading and renaming, somebody engages again beside the lock. */
START_TEST(test_a_kill_beside_the_lock_is_not_undone)
{
	set(RECORD("5", "true", "3", "null"));
	f.rival = RECORD("6", "true", "6", "null");
	f.rivals = 1;
	gk_act_unkill(&act, t.ctx, proof, 3);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_EXIST);
	ck_assert_str_eq(now(), f.rival);
}
END_TEST

static int
pair_signer(const char *name, int len)
{
	struct gk_client c = client(name, "");

	c.anchor.kind = GK_ANCHOR_SIGNER;
	memset(c.anchor.value, 's', (size_t)len);
	gk_presence_free(proof);
	proof = NULL;
	ck_assert_int_eq(gk_presence_typed(t.ctx, "allow\n", 6, &proof), 0);
	gk_act_pair(&act, t.ctx, proof, &c);
	return gk_act_run(&act, &f.store, NULL);
}

/* A record of so many clients that one more just fits, and its epochs are about
 * to take another digit. */
static void
set_nearly_full(void)
{
	const size_t cap = gk_record_cap(GK_RECORD_TRUST);
	struct gk_buf b;
	int i;

	gk_buf_init(&b, t.ctx, cap);
	ck_assert_int_eq(gk_buf_puts(&b, "{\"version\":0,\"epoch\":97,"
	    "\"killed\":false,\"kill_epoch\":0,\"host_key_epoch\":0,"
	    "\"policy_epoch\":0,\"lang_epoch\":0,\"clients\":["), 0);
	for (i = 0; b.len < cap - 640; i++)
		ck_assert_int_eq(gk_buf_putf(&b, "%s{\"name\":\"c%d\","
		    "\"anchor\":{\"kind\":\"signer\",\"value\":\"%0200d\"},"
		    "\"added_unix\":1}", i > 0 ? "," : "", i, i), 0);
	ck_assert_int_eq(gk_buf_puts(&b, "],\"enrollments\":[]}\n"), 0);
	ck_assert_int_eq(gk_buf_putc(&b, '\0'), 0);
	set((const char *)b.ptr);
	ck_assert_int_eq(pair_signer("last", 1), 0);
	gk_buf_done(&b);
}

/* What grants leaves the room that taking power away needs. */
START_TEST(test_a_full_record_can_be_killed_all_the_same)
{
	int most;

	set_nearly_full();
	most = 1 + (int)(gk_record_cap(GK_RECORD_TRUST) - strlen(now()));
	ck_assert_int_le(most, 512);
	ck_assert_int_eq(pair_signer("last", most), GENKAN_E_TOO_LARGE);
	ck_assert_ptr_nonnull(strstr(act.why, "limit"));
	ck_assert_int_eq(pair_signer("last", most - GK_TRUST_SPARE + 1),
	    GENKAN_E_TOO_LARGE);
	ck_assert_int_eq(pair_signer("last", most - GK_TRUST_SPARE), 0);
	gk_act_kill(&act, t.ctx);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_ptr_nonnull(strstr(now(), "\"epoch\":100,\"killed\":true,"
	    "\"kill_epoch\":100,"));
	ck_assert_int_eq(pair_signer("last", most - GK_TRUST_SPARE),
	    GENKAN_E_TOO_LARGE);
	gk_act_revoke_client(&act, t.ctx, "c0");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
}
END_TEST

START_TEST(test_an_unreadable_record_is_never_changed)
{
	struct gk_trust_cache cache = { 0 };
	struct gk_trust_view view;
	char why[2 * GK_WHY_FULL];
	uint64_t epoch;

	set("{\"version\":0}");
	gk_act_kill(&act, t.ctx);
	ck_assert_int_lt(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_ptr_nonnull(strstr(act.why, "trust.json"));
	gk_act_revoke_all(&act, t.ctx);
	ck_assert_int_lt(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_int_lt(pair("a", HASH_A, proof), 0);
	gk_trust_look(t.ctx, &f.store, &cache, &view);
	ck_assert_int_lt(gk_act_check_unkill(&view, &epoch, why,
	    sizeof(why)), 0);
	ck_assert_ptr_nonnull(strstr(why, "fail open"));
	ck_assert_ptr_nonnull(strstr(why, "trust.json"));
	gk_trust_cache_done(&cache);
	ck_assert_uint_eq(f.writes, 0);
	ck_assert_str_eq(now(), "{\"version\":0}");
}
END_TEST

START_TEST(test_nothing_to_release_is_no_act)
{
	struct gk_trust_cache cache = { 0 };
	struct gk_trust_view view;
	char why[GK_WHY_FULL];
	uint64_t epoch = 9;

	gk_trust_look(t.ctx, &f.store, &cache, &view);
	ck_assert_int_eq(gk_act_check_unkill(&view, &epoch, why,
	    sizeof(why)), 1);
	gk_trust_cache_done(&cache);
	gk_act_unkill(&act, t.ctx, proof, 0);
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 1);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

START_TEST(test_a_grant_never_goes_without_the_lock)
{
	set(RECORD("5", "true", "3", "null"));
	gk_act_unkill(&act, t.ctx, proof, 3);
	ck_assert_int_eq(gk_act_run_unlocked(&act, &f.store), GENKAN_E_INVAL);
	ck_assert_uint_eq(f.writes, 0);
}
END_TEST

static int
pair_once(struct gk_test *unused, void *arg)
{
	struct gk_presence *p = NULL;
	int r;

	(void)unused;
	(void)arg;
	set(RECORD("5", "false", "0", "[" CLIENT("a", HASH_A) "]"));
	r = gk_presence_typed(t.ctx, "allow", 5, &p);
	if (r == 0)
		r = pair("b", HASH_B, p);
	gk_presence_free(p);
	return r;
}

/* ------------------------------------------------------------ authenticators */

static const struct gk_credential *
credential(uint8_t fill, uint32_t count)
{
	static struct gk_credential c;

	memset(&c, 0, sizeof(c));
	memset(c.id, fill, 16);
	c.idlen = 16;
	memset(c.public_key, fill, sizeof(c.public_key));
	c.public_key[0] = 4;
	c.sign_count = count;
	return &c;
}

START_TEST(test_the_first_credential_needs_no_proof_and_later_ones_do)
{
	gk_act_enroll(&act, t.ctx, NULL, 0, "chrome", credential(1, 7));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_ptr_nonnull(strstr(now(), "\"sign_count\":7"));
	gk_act_enroll(&act, t.ctx, NULL, 0, "chrome", credential(2, 7));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_REFUSED);
	ck_assert_int_eq(act.refusal, GK_REFUSAL_MACHINE_ALREADY_ENROLLED);
	gk_act_enroll(&act, t.ctx, proof, 0, "edge", credential(2, 8));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	gk_act_enroll(&act, t.ctx, proof, 0, "edge", credential(3, 9));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_ACCESS);
	ck_assert_uint_eq(f.writes, 2);
	ck_assert_ptr_null(strstr(now(), "\"sign_count\":9"));
}
END_TEST

START_TEST(test_a_tap_is_a_proof_once_its_counter_is_on_disk)
{
	struct gk_presence *tap = NULL;

	gk_act_enroll(&act, t.ctx, NULL, 0, "chrome", credential(1, 7));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	/* An act of another kind makes none, nor one that did not run. */
	ck_assert_int_eq(gk_presence_tapped(t.ctx, &act, &tap),
	    GENKAN_E_INVAL);
	gk_act_count(&act, t.ctx, "chrome", credential(1, 8));
	ck_assert_int_eq(gk_presence_tapped(t.ctx, &act, &tap),
	    GENKAN_E_INVAL);
	f.hold_error = GENKAN_E_LOCKED;
	ck_assert_int_lt(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_int_eq(gk_presence_tapped(t.ctx, &act, &tap),
	    GENKAN_E_INVAL);
	f.hold_error = 0;
	gk_act_count(&act, t.ctx, "chrome", credential(1, 7));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_REFUSED);
	ck_assert_int_eq(act.refusal, GK_REFUSAL_SIGN_COUNT_NOT_INCREASED);
	ck_assert_int_eq(gk_presence_tapped(t.ctx, &act, &tap),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(tap);
	gk_act_count(&act, t.ctx, "chrome", credential(1, 8));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_ptr_nonnull(strstr(now(), "\"sign_count\":8"));
	ck_assert_int_eq(gk_presence_tapped(t.ctx, &act, &tap), 0);
	/* SHA-256 of sixteen bytes 01. */
	ck_assert_str_eq(gk_presence_path(tap), "webauthn:"
	    "cc8cd41cef907c4d216069122c4b89936211361f9050a717a1e37ad1862e952f");
	ck_assert(gk_presence_use(tap));
	ck_assert(!gk_presence_use(tap));
	gk_presence_free(tap);
	gk_ossl_free(t.ctx);
}
END_TEST

START_TEST(test_a_tap_that_was_kept_stands_while_its_credential_does)
{
	struct gk_presence *tap = NULL;

	gk_act_enroll(&act, t.ctx, NULL, 0, "chrome", credential(1, 7));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	gk_act_count(&act, t.ctx, "chrome", credential(1, 8));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_int_eq(gk_presence_tapped(t.ctx, &act, &tap), 0);
	/* Asked for before the switch was engaged. */
	gk_act_enroll(&act, t.ctx, tap, 1, "edge", credential(2, 1));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_REFUSED);
	ck_assert_int_eq(act.refusal, GK_REFUSAL_NO_ENROLLMENT_OUTSTANDING);
	gk_presence_free(tap);
	gk_act_count(&act, t.ctx, "chrome", credential(1, 9));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	ck_assert_int_eq(gk_presence_tapped(t.ctx, &act, &tap), 0);
	gk_act_revoke_browser(&act, t.ctx, "chrome");
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), 0);
	gk_act_enroll(&act, t.ctx, tap, 0, "edge", credential(2, 1));
	ck_assert_int_eq(gk_act_run(&act, &f.store, NULL), GENKAN_E_REFUSED);
	ck_assert_int_eq(act.refusal, GK_REFUSAL_CREDENTIAL_NOT_ENROLLED);
	ck_assert_ptr_null(strstr(now(), "edge"));
	gk_presence_free(tap);
	gk_ossl_free(t.ctx);
}
END_TEST

static int
enroll_once(struct gk_test *unused, void *arg)
{
	struct gk_presence *tap = NULL;
	int r;

	(void)unused;
	(void)arg;
	set(RECORD("5", "false", "0", "null"));
	gk_act_enroll(&act, t.ctx, NULL, 0, "chrome", credential(1, 1));
	r = gk_act_run(&act, &f.store, NULL);
	if (r == 0) {
		gk_act_count(&act, t.ctx, "chrome", credential(1, 2));
		r = gk_act_run(&act, &f.store, NULL);
	}
	if (r == 0)
		r = gk_presence_tapped(t.ctx, &act, &tap);
	gk_presence_free(tap);
	gk_ossl_free(t.ctx);
	return r;
}

START_TEST(test_every_allocation_may_fail)
{
	ck_assert_uint_ge(gk_test_sweep(&t, pair_once, NULL), 4);
	ck_assert_uint_ge(gk_test_sweep(&t, enroll_once, NULL), 6);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("act");
	TCase *tc = tcase_create("act");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_only_the_phrase_is_a_proof);
	tcase_add_test(tc, test_a_proof_pays_once);
	tcase_add_test(tc, test_two_acts_take_two_proofs);
	tcase_add_test(tc, test_pairing_begins_replaces_and_appends);
	tcase_add_test(tc, test_an_anchor_belongs_to_one_name);
	tcase_add_test(tc, test_the_last_client_leaves_an_empty_list);
	tcase_add_test(tc, test_who_is_not_there_is_not_revoked);
	tcase_add_test(tc,
	    test_a_browser_loses_all_its_credentials_and_no_other);
	tcase_add_test(tc, test_all_are_revoked_in_one_write);
	tcase_add_test(tc, test_killing_twice_stamps_twice);
	tcase_add_test(tc,
	    test_engaged_is_success_though_the_stamp_cannot_be_written);
	tcase_add_test(tc, test_a_release_is_bound_to_what_was_seen);
	tcase_add_test(tc, test_a_kill_beside_the_lock_is_not_undone);
	tcase_add_test(tc, test_a_full_record_can_be_killed_all_the_same);
	tcase_add_test(tc, test_an_unreadable_record_is_never_changed);
	tcase_add_test(tc, test_nothing_to_release_is_no_act);
	tcase_add_test(tc, test_a_grant_never_goes_without_the_lock);
	tcase_add_test(tc,
	    test_the_first_credential_needs_no_proof_and_later_ones_do);
	tcase_add_test(tc,
	    test_a_tap_is_a_proof_once_its_counter_is_on_disk);
	tcase_add_test(tc,
	    test_a_tap_that_was_kept_stands_while_its_credential_does);
	tcase_add_test(tc, test_every_allocation_may_fail);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
