/* trust.json: control.md 5.1, 5.2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "records/store.h"
#include "records/trustrec.h"
#include "util.h"

#define H40	"0123456789abcdef0123456789abcdef01234567"
#define H64	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define KEY	"BNddDPOYjXlFQjAQwhJGqAbQS33v-wXQllUMFs2DZNlWWlhvqwDCPbvhO7ei" \
		"r9r0-8F2TVOg_RBrh6TJvRa_F4U"
#define ID	"KueeMESJyPogqTmB3GO9BV6GlZpURXq0I0rNXzvISEU"
#define ID16	"AAECAwQFBgcICQoLDA0ODw"

#define HEAD	"{\"version\":0,\"epoch\":7,\"killed\":false,\"kill_epoch\":1," \
		"\"host_key_epoch\":2,\"policy_epoch\":3,\"lang_epoch\":4,"
#define RECORD(clients, enrollments)	\
	HEAD "\"clients\":" clients ",\"enrollments\":" enrollments "}"
#define CLIENT(name, kind, value)	"{\"name\":\"" name "\",\"anchor\":{" \
	"\"kind\":\"" kind "\",\"value\":\"" value "\"},\"added_unix\":1700000000}"
#define ENROLLMENT(label, id, key, count)	"{\"label\":\"" label "\"," \
	"\"credential\":{\"id\":\"" id "\",\"public_key\":\"" key "\"," \
	"\"sign_count\":" count ",\"backup_eligible\":true}}"

static struct gk_test t;
static struct gk_trustrec *rec;
static char why[GK_WHY_MAX];

static void
setup(void)
{
	gk_test_init(&t);
	rec = NULL;
}

static void
teardown(void)
{
	gk_trustrec_free(rec);
	gk_test_done(&t);
}

static int
parse(const char *text)
{
	gk_trustrec_free(rec);
	rec = NULL;
	return gk_trustrec_parse(t.ctx, text, strlen(text), &rec, why,
	    sizeof(why));
}

START_TEST(test_every_member_is_read)
{
	ck_assert_int_eq(parse(RECORD("[" CLIENT("claude", "hash", H64) ","
	    CLIENT("other", "signer", "Team \\\"X\\\"") "]",
	    "[" ENROLLMENT("chrome", ID, KEY, "4294967295") "]")), 0);
	ck_assert_uint_eq(rec->epoch, 7);
	ck_assert(!rec->killed);
	ck_assert_uint_eq(rec->kill_epoch, 1);
	ck_assert_uint_eq(rec->host_key_epoch, 2);
	ck_assert_uint_eq(rec->policy_epoch, 3);
	ck_assert_uint_eq(rec->lang_epoch, 4);
	ck_assert(rec->paired);
	ck_assert_uint_eq(rec->nclients, 2);
	ck_assert_str_eq(rec->client[0].name, "claude");
	ck_assert_int_eq(rec->client[0].anchor.kind, GK_ANCHOR_HASH);
	ck_assert_str_eq(rec->client[0].anchor.value, H64);
	ck_assert_uint_eq(rec->client[0].added_unix, 1700000000);
	ck_assert_int_eq(rec->client[1].anchor.kind, GK_ANCHOR_SIGNER);
	ck_assert_str_eq(rec->client[1].anchor.value, "Team \"X\"");
	ck_assert_ptr_eq(gk_trustrec_client(rec, "other"), &rec->client[1]);
	ck_assert_ptr_null(gk_trustrec_client(rec, "Other"));
	ck_assert_uint_eq(rec->nenrollments, 1);
	ck_assert_str_eq(rec->enrollment[0].label, "chrome");
	ck_assert_uint_eq(rec->enrollment[0].idlen, 32);
	ck_assert_uint_eq(rec->enrollment[0].id[0], 0x2a);
	ck_assert_uint_eq(rec->enrollment[0].public_key[64], 0x85);
	ck_assert_uint_eq(rec->enrollment[0].sign_count, UINT32_MAX);
	ck_assert(rec->enrollment[0].backup_eligible);
}
END_TEST

START_TEST(test_null_and_an_empty_list_of_clients_differ)
{
	ck_assert_int_eq(parse(RECORD("null", "[]")), 0);
	ck_assert(!rec->paired);
	ck_assert_int_eq(parse(RECORD("[]", "[]")), 0);
	ck_assert(rec->paired);
	ck_assert_uint_eq(rec->nclients, 0);
}
END_TEST

/* One bad entry, and nothing of the record is used. */
static const char *const bad[] = {
	/* members */
	"{\"version\":0}",
	HEAD "\"enrollments\":[]}",
	HEAD "\"clients\":null}",
	HEAD "\"clients\":null,\"enrollments\":[],\"more\":1}",
	HEAD "\"clients\":{},\"enrollments\":[]}",
	HEAD "\"clients\":null,\"enrollments\":null}",
	"{\"version\":0,\"epoch\":-0,\"killed\":false,\"kill_epoch\":1,"
	    "\"host_key_epoch\":2,\"policy_epoch\":3,\"lang_epoch\":4,"
	    "\"clients\":null,\"enrollments\":[]}",
	"{\"version\":0,\"epoch\":9007199254740992,\"killed\":false,"
	    "\"kill_epoch\":1,\"host_key_epoch\":2,\"policy_epoch\":3,"
	    "\"lang_epoch\":4,\"clients\":null,\"enrollments\":[]}",
	"{\"version\":0,\"epoch\":1,\"killed\":0,\"kill_epoch\":1,"
	    "\"host_key_epoch\":2,\"policy_epoch\":3,\"lang_epoch\":4,"
	    "\"clients\":null,\"enrollments\":[]}",
	"{\"version\":0,\"epoch\":1,\"killed\":false,\"kill_epoch\":1,"
	    "\"host_key_epoch\":2,\"policy_epoch\":3,\"lang_epoch\":1.0,"
	    "\"clients\":null,\"enrollments\":[]}",
	/* clients */
	RECORD("[1]", "[]"),
	RECORD("[null]", "[]"),
	RECORD("[{\"name\":\"a\"}]", "[]"),
	RECORD("[" CLIENT("", "hash", H64) "]", "[]"),
	RECORD("[" CLIENT("-a", "hash", H64) "]", "[]"),
	RECORD("[" CLIENT("a b", "hash", H64) "]", "[]"),
	RECORD("[" CLIENT("a\\u0000", "hash", H64) "]", "[]"),
	RECORD("[" CLIENT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "hash", H64) "]",
	    "[]"),
	RECORD("[" CLIENT("a", "Hash", H64) "]", "[]"),
	RECORD("[" CLIENT("a", "hash", "") "]", "[]"),
	RECORD("[" CLIENT("a", "hash", H40 "0") "]", "[]"),
	RECORD("[" CLIENT("a", "hash", "0" H64) "]", "[]"),
	RECORD("[" CLIENT("a", "hash",
	    "0123456789ABCDEF0123456789abcdef01234567") "]", "[]"),
	RECORD("[" CLIENT("a", "signer", "") "]", "[]"),
	RECORD("[" CLIENT("a", "signer", "a\\u0007") "]", "[]"),
	RECORD("[" CLIENT("a", "signer", "a\\u0000") "]", "[]"),
	RECORD("[" CLIENT("a", "signer", "a\\u0085") "]", "[]"),
	RECORD("[{\"name\":\"a\",\"anchor\":{\"kind\":\"hash\",\"value\":\""
	    H64 "\",\"x\":1},\"added_unix\":1}]", "[]"),
	RECORD("[{\"name\":\"a\",\"anchor\":{\"kind\":\"hash\",\"value\":\""
	    H64 "\"},\"added_unix\":-1}]", "[]"),
	RECORD("[" CLIENT("ok", "hash", H40) "," CLIENT("b", "hash", "x") "]",
	    "[]"),
	/* repeats */
	RECORD("[" CLIENT("a", "hash", H40) "," CLIENT("a", "hash", H64) "]",
	    "[]"),
	RECORD("[" CLIENT("a", "hash", H40) "," CLIENT("b", "hash", H40) "]",
	    "[]"),
	RECORD("[" CLIENT("a", "signer", "x") "," CLIENT("b", "signer", "\\u0078")
	    "]", "[]"),
	/* enrollments */
	RECORD("null", "[1]"),
	RECORD("null", "[{\"label\":\"a\"}]"),
	RECORD("null", "[" ENROLLMENT("a b", ID, KEY, "0") "]"),
	RECORD("null", "[" ENROLLMENT("a", "", KEY, "0") "]"),
	RECORD("null", "[" ENROLLMENT("a", "AAECAwQFBgcICQoLDA0O", KEY, "0") "]"),
	RECORD("null", "[" ENROLLMENT("a", ID16 "==", KEY, "0") "]"),
	RECORD("null", "[" ENROLLMENT("a", "AAECAwQFBgcICQoLDA0ODx", KEY, "0")
	    "]"),
	RECORD("null", "[" ENROLLMENT("a", "AAECAwQFBgcICQoLDA0O+w", KEY, "0")
	    "]"),
	RECORD("null", "[" ENROLLMENT("a", ID, "BNdd", "0") "]"),
	RECORD("null", "[" ENROLLMENT("a", ID, KEY "AA", "0") "]"),
	RECORD("null", "[" ENROLLMENT("a", ID, "A" "NddDPOYjXlFQjAQwhJGqAbQS33v"
	    "-wXQllUMFs2DZNlWWlhvqwDCPbvhO7eir9r0-8F2TVOg_RBrh6TJvRa_F4U", "0")
	    "]"),
	RECORD("null", "[" ENROLLMENT("a", ID, KEY, "4294967296") "]"),
	RECORD("null", "[" ENROLLMENT("a", ID, KEY, "-0") "]"),
	RECORD("null", "[" ENROLLMENT("a", ID, KEY, "0") ","
	    ENROLLMENT("b", ID, KEY, "1") "]"),
};

START_TEST(test_one_bad_entry_makes_the_whole_record_unreadable)
{
	ck_assert_msg(parse(bad[_i]) == GENKAN_E_RECORD_CORRUPT, "%s",
	    bad[_i]);
	ck_assert_ptr_null(rec);
	ck_assert_msg(why[0] != '\0' && strchr(why, '\n') == NULL, "%s", why);
}
END_TEST

START_TEST(test_the_reason_names_the_entry)
{
	ck_assert_int_eq(parse(RECORD("[" CLIENT("ok", "hash", H40) ","
	    CLIENT("b", "hash", "x") "]", "[]")), GENKAN_E_RECORD_CORRUPT);
	ck_assert_str_eq(why, "clients[1]: invalid hash anchor");
	ck_assert_int_eq(parse(RECORD("[" CLIENT("a", "hash", H40) ","
	    CLIENT("a", "hash", H64) "]", "[]")), GENKAN_E_RECORD_CORRUPT);
	ck_assert_str_eq(why, "clients[1]: the name occurs twice");
	ck_assert_int_eq(parse(RECORD("null", "[" ENROLLMENT("a", ID, KEY, "0")
	    "," ENROLLMENT("b", ID, KEY, "1") "]")), GENKAN_E_RECORD_CORRUPT);
	ck_assert_str_eq(why, "enrollments[1]: the credential id occurs twice");
}
END_TEST

/* A hash and a signer of the same text are two anchors; two credentials may
 * stand under one label. */
START_TEST(test_what_only_looks_repeated_is_fine)
{
	ck_assert_int_eq(parse(RECORD("[" CLIENT("a", "hash", H40) ","
	    CLIENT("b", "signer", H40) "," CLIENT("A", "signer", "x") "]",
	    "[" ENROLLMENT("a", ID, KEY, "0") ","
	    ENROLLMENT("a", ID16, KEY, "0") "]")), 0);
	ck_assert_uint_eq(rec->nclients, 3);
	ck_assert_uint_eq(rec->nenrollments, 2);
}
END_TEST

START_TEST(test_a_signer_has_at_most_512_bytes)
{
	char signer[514], text[2048];
	int len = 511 + _i;

	memset(signer, 's', sizeof(signer));
	signer[len] = '\0';
	(void)snprintf(text, sizeof(text), HEAD "\"clients\":[{\"name\":\"a\","
	    "\"anchor\":{\"kind\":\"signer\",\"value\":\"%s\"},"
	    "\"added_unix\":0}],\"enrollments\":[]}", signer);
	ck_assert_int_eq(parse(text), _i < 2 ? 0 : GENKAN_E_RECORD_CORRUPT);
}
END_TEST

START_TEST(test_a_credential_id_has_at_most_1023_bytes)
{
	/* 1364 characters are 1023 bytes, 1366 are 1024. */
	char id[1400], text[4096];
	int len = _i == 0 ? 1363 : _i == 1 ? 1364 : 1366;

	memset(id, 'A', sizeof(id));
	id[len] = '\0';
	(void)snprintf(text, sizeof(text), HEAD "\"clients\":null,"
	    "\"enrollments\":[{\"label\":\"a\",\"credential\":{\"id\":\"%s\","
	    "\"public_key\":\"" KEY "\",\"sign_count\":0,"
	    "\"backup_eligible\":false}}]}", id);
	ck_assert_int_eq(parse(text), _i < 2 ? 0 : GENKAN_E_RECORD_CORRUPT);
	if (_i == 1)
		ck_assert_uint_eq(rec->enrollment[0].idlen, 1023);
}
END_TEST

START_TEST(test_what_is_written_is_read_back)
{
	static const char text[] = RECORD("[" CLIENT("a", "hash", H64) ","
	    CLIENT("b", "signer", "T\\u00e9am") "]", "["
	    ENROLLMENT("chrome", ID, KEY, "12") ","
	    ENROLLMENT("edge", ID16, KEY, "0") "]");
	struct gk_trustrec *first;
	struct gk_buf out, again;

	ck_assert_int_eq(parse(text), 0);
	first = rec;
	rec = NULL;
	gk_buf_init(&out, t.ctx, 1 << 20);
	gk_buf_init(&again, t.ctx, 1 << 20);
	ck_assert_int_eq(gk_trustrec_format(first, &out), 0);
	ck_assert_uint_eq(out.ptr[out.len - 1], '\n');
	ck_assert_int_eq(gk_trustrec_parse(t.ctx, out.ptr, out.len, &rec, why,
	    sizeof(why)), 0);
	ck_assert_int_eq(gk_trustrec_format(rec, &again), 0);
	ck_assert_uint_eq(out.len, again.len);
	ck_assert_mem_eq(out.ptr, again.ptr, out.len);
	ck_assert_str_eq(rec->client[1].anchor.value, "T\xc3\xa9" "am");
	gk_buf_done(&out);
	gk_buf_done(&again);
	gk_trustrec_free(first);
}
END_TEST

START_TEST(test_nothing_is_written_that_could_not_be_read)
{
	struct gk_client twice[2];
	struct gk_buf out;

	gk_buf_init(&out, t.ctx, 1 << 20);
	rec = gk_trustrec_new(t.ctx);
	ck_assert_ptr_nonnull(rec);
	ck_assert_int_eq(gk_trustrec_format(rec, &out), 0);
	gk_buf_clear(&out);
	rec->epoch = (uint64_t)GK_INTEGER_MAX + 1;
	ck_assert_int_eq(gk_trustrec_format(rec, &out), GENKAN_E_INVAL);
	rec->epoch = 0;
	memset(twice, 0, sizeof(twice));
	(void)strcpy(twice[0].name, "a");
	(void)strcpy(twice[0].anchor.value, H64);
	twice[1] = twice[0];
	rec->paired = true;
	rec->client = gk_memdup(t.ctx, twice, sizeof(twice));
	rec->nclients = 2;
	ck_assert_int_eq(gk_trustrec_format(rec, &out), GENKAN_E_INVAL);
	ck_assert_uint_eq(out.len, 0);
	gk_buf_done(&out);
}
END_TEST

START_TEST(test_a_record_over_its_cap_is_not_written)
{
	struct gk_buf out;
	size_t i, n = 500;

	gk_buf_init(&out, t.ctx, 1 << 20);
	rec = gk_trustrec_new(t.ctx);
	rec->paired = true;
	rec->client = gk_calloc(t.ctx, n, sizeof(*rec->client));
	ck_assert_ptr_nonnull(rec->client);
	for (i = 0; i < n; i++) {
		(void)snprintf(rec->client[i].name,
		    sizeof(rec->client[i].name), "c%zu", i);
		rec->client[i].anchor.kind = GK_ANCHOR_SIGNER;
		(void)snprintf(rec->client[i].anchor.value,
		    sizeof(rec->client[i].anchor.value), "%0*zu", 512, i);
	}
	rec->nclients = 400;
	ck_assert_int_eq(gk_trustrec_format(rec, &out), 0);
	ck_assert_uint_gt(out.len, 200000);
	rec->nclients = n;
	ck_assert_int_eq(gk_trustrec_format(rec, &out), GENKAN_E_TOO_LARGE);
	gk_buf_done(&out);
}
END_TEST

START_TEST(test_want_of_memory_is_no_damage_and_leaks_nothing)
{
	static const char text[] = RECORD("[" CLIENT("a", "hash", H64) ","
	    CLIENT("b", "signer", "T\\u00e9am") "]", "["
	    ENROLLMENT("chrome", ID, KEY, "12") "]");
	size_t i;
	int r = GENKAN_E_NOMEM;

	for (i = 1; r == GENKAN_E_NOMEM && i < 1000; i++) {
		t.fail_at = i;
		r = parse(text);
		t.fail_at = 0;
		ck_assert_ptr_eq(r < 0 ? rec : NULL, NULL);
	}
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 6);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("trustrec");
	TCase *tc = tcase_create("trustrec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_every_member_is_read);
	tcase_add_test(tc, test_null_and_an_empty_list_of_clients_differ);
	tcase_add_loop_test(tc,
	    test_one_bad_entry_makes_the_whole_record_unreadable, 0,
	    (int)GK_ARRAY_LEN(bad));
	tcase_add_test(tc, test_the_reason_names_the_entry);
	tcase_add_test(tc, test_what_only_looks_repeated_is_fine);
	tcase_add_loop_test(tc, test_a_signer_has_at_most_512_bytes, 0, 3);
	tcase_add_loop_test(tc, test_a_credential_id_has_at_most_1023_bytes,
	    0, 3);
	tcase_add_test(tc, test_what_is_written_is_read_back);
	tcase_add_test(tc, test_nothing_is_written_that_could_not_be_read);
	tcase_add_test(tc, test_a_record_over_its_cap_is_not_written);
	tcase_add_test(tc, test_want_of_memory_is_no_damage_and_leaks_nothing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
