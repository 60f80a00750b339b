/* policy.json and the signed document: control.md 4.3, 4.4. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/b64.h"
#include "codec/hex.h"
#include "crypto/digest.h"
#include "crypto/ossl.h"
#include "records/policyrec.h"
#include "records/store.h"
#include "policydocs.h"
#include "util.h"

static struct gk_test t;
static struct gk_policyrec *rec;
static struct gk_policydoc doc;
static char why[GK_WHY_MAX];

static void
setup(void)
{
	gk_test_init(&t);
	rec = NULL;
	memset(&doc, 0, sizeof(doc));
	gk_policyval_init(&doc.policy, t.ctx);
}

static void
teardown(void)
{
	gk_policyrec_free(rec);
	gk_policydoc_done(&doc);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

static int
parse_doc(const char *text)
{
	gk_policydoc_done(&doc);
	return gk_policydoc_parse(t.ctx, text, strlen(text), &doc, why,
	    sizeof(why));
}

/* {"version":0,"baseline_b64":"<doc>"<rest>} */
static int
parse_with(const char *document, const char *rest)
{
	struct gk_buf b;
	int r;

	gk_policyrec_free(rec);
	rec = NULL;
	gk_buf_init(&b, t.ctx, 1 << 20);
	ck_assert_int_eq(gk_buf_puts(&b, "{\"version\":0,\"baseline_b64\":\""),
	    0);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_STD, document,
	    strlen(document)), 0);
	ck_assert_int_eq(gk_buf_putf(&b, "\"%s}", rest), 0);
	r = gk_policyrec_parse(t.ctx, b.ptr, b.len, &rec, why, sizeof(why));
	gk_buf_done(&b);
	return r;
}

static int
parse(const char *text)
{
	gk_policyrec_free(rec);
	rec = NULL;
	return gk_policyrec_parse(t.ctx, text, strlen(text), &rec, why,
	    sizeof(why));
}

/* Text with its first occurrence of one part replaced, on the heap. */
static char *
swap(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	size_t size = strlen(text) + strlen(to) + 1;
	char *ret = malloc(size);

	ck_assert_msg(at != NULL && ret != NULL, "%s", from);
	(void)snprintf(ret, size, "%.*s%s%s", (int)(at - text), text, to,
	    at + strlen(from));
	return ret;
}

/* ------------------------------------------------------------ documents */

static const struct {
	const char	*text;
	size_t		 len;
	const char	*sha256;
} vectors[] = {
	{ D1, 383,
	  "522254afe319630d0eb235ce99378b85a20ab8385a522c948971de2743f37265" },
	{ D2, 446,
	  "77d93da6a6121f6640616209f588a1562992c526c1c520d003dba7eb2994ea93" },
};

START_TEST(test_the_vectors_are_the_bytes_of_the_specification)
{
	uint8_t raw[GK_SHA256_LEN];
	char hex[65];

	ck_assert_uint_eq(strlen(vectors[_i].text), vectors[_i].len);
	ck_assert_int_eq(gk_sha256(t.ctx, vectors[_i].text, vectors[_i].len,
	    raw), 0);
	gk_hex_encode(hex, raw, sizeof(raw));
	ck_assert_str_eq(hex, vectors[_i].sha256);
}
END_TEST

START_TEST(test_a_document_is_written_byte_for_byte_as_signed)
{
	struct gk_buf out;

	ck_assert_int_eq(parse_doc(vectors[_i].text), 0);
	gk_buf_init(&out, t.ctx, 4096);
	ck_assert_int_eq(gk_policydoc_format(&doc, &out), 0);
	ck_assert_uint_eq(out.len, vectors[_i].len);
	ck_assert_mem_eq(out.ptr, vectors[_i].text, out.len);
	gk_buf_done(&out);
}
END_TEST

START_TEST(test_the_values_of_a_document)
{
	ck_assert_int_eq(parse_doc(D2), 0);
	ck_assert_uint_eq(doc.revision, 2);
	ck_assert_uint_eq(doc.touched, GK_POLICY_BIT(GK_POLICY_PAGE_EVAL) |
	    GK_POLICY_BIT(GK_POLICY_CONFIRM_GRACE_MS) |
	    GK_POLICY_BIT(GK_POLICY_DISABLED_TOOLS));
	ck_assert_uint_eq(doc.policy.has, GK_POLICY_ALL);
	ck_assert_uint_eq(doc.policy.num[GK_POLICY_PAGE_EVAL], 1);
	ck_assert_uint_eq(doc.policy.num[GK_POLICY_CDP_MODE], 0);
	ck_assert_uint_eq(doc.policy.num[GK_POLICY_CONFIRM_GRACE_MS], 120000);
	ck_assert_uint_eq(doc.policy.disabled.n, 1);
	ck_assert_str_eq(doc.policy.disabled.name[0], "page_upload");
}
END_TEST

/* What in D2 is replaced by what, and the document is refused. */
static const char *const doc_bad[][2] = {
	{ "\"v\":1", "\"v\":2" }, { "\"v\":1", "\"v\":1.0" },
	{ "\"v\":1", "\"v\":\"1\"" }, { "\"v\":1,", "" },
	{ "\"v\":1", "\"v\":1,\"v\":1" }, { "\"v\":1", "\"v\":1,\"x\":1" },
	{ "\"revision\":2", "\"revision\":0" },
	{ "\"revision\":2", "\"revision\":-0" },
	{ "\"revision\":2", "\"revision\":9007199254740992" },
	{ "\"revision\":2", "\"revision\":2e0" },
	{ "\"touched\":[", "\"touched\":{},\"y\":[" },
	{ "\"pageEvalEnabled\",", "\"pageEvalEnabled\",\"pageEvalEnabled\"," },
	{ "\"pageEvalEnabled\",\"confirmGraceMs\"",
	  "\"confirmGraceMs\",\"pageEvalEnabled\"" },
	{ "\"pageEvalEnabled\",", "\"nothing\"," },
	{ "\"pageEvalEnabled\",", "1," },
	{ "\"cdpMode\":false", "\"cdpMode\":0" },
	{ "\"cdpMode\":false", "\"cdpMode\":null" },
	{ "\"cdpMode\":false,", "" },
	{ "\"evalMask\":true", "\"evalmask\":true" },
	{ "\"confirmGraceMs\":120000", "\"confirmGraceMs\":-1" },
	{ "\"confirmGraceMs\":120000", "\"confirmGraceMs\":-0" },
	{ "\"confirmGraceMs\":120000", "\"confirmGraceMs\":1.5" },
	{ "\"confirmGraceMs\":120000", "\"confirmGraceMs\":9007199254740992" },
	{ "\"confirmGraceMs\":120000", "\"confirmGraceMs\":true" },
	{ "[\"page_upload\"]", "\"page_upload\"" },
	{ "[\"page_upload\"]", "[\"page_upload\",1]" },
	{ "[\"page_upload\"]", "[\"page_upload\",\"page_upload\"]" },
	{ "[\"page_upload\"]", "[\"page_upload\",\"page_\\u0075pload\"]" },
	{ "[\"page_upload\"]", "[\"\"]" },
	{ "[\"page_upload\"]", "[\" a\"]" },
	{ "[\"page_upload\"]", "[\"a,b\"]" },
	{ "[\"page_upload\"]", "[\"a\\u0000\"]" },
	{ "{\"v\"", "[{\"v\"" }, { "{\"v\"", "\xef\xbb\xbf{\"v\"" },
};

START_TEST(test_a_document_is_parsed_strictly)
{
	char *text = swap(D2, doc_bad[_i][0], doc_bad[_i][1]);

	ck_assert_msg(parse_doc(text) == GENKAN_E_RECORD_CORRUPT, "%s", text);
	ck_assert_str_ne(why, "");
	free(text);
}
END_TEST

/* Nothing is canonicalised: white space and order do not matter to the parse,
 * since the exact bytes are what is signed. */
START_TEST(test_order_and_spacing_are_not_judged)
{
	char *text = swap(D1, "{\"v\":1,\"revision\":1,",
	    "{ \"revision\" : 9007199254740991,\n\"v\":1,");

	ck_assert_int_eq(parse_doc(text), 0);
	ck_assert_uint_eq(doc.revision, (uint64_t)GK_INTEGER_MAX);
	free(text);
}
END_TEST

START_TEST(test_no_document_is_written_that_would_not_be_read)
{
	struct gk_buf out;

	gk_buf_init(&out, t.ctx, 4096);
	ck_assert_int_eq(parse_doc(D1), 0);
	doc.revision = 0;
	ck_assert_int_eq(gk_policydoc_format(&doc, &out), GENKAN_E_INVAL);
	doc.revision = (uint64_t)GK_INTEGER_MAX + 1;
	ck_assert_int_eq(gk_policydoc_format(&doc, &out), GENKAN_E_INVAL);
	doc.revision = 1;
	doc.policy.has &= ~1u;
	ck_assert_int_eq(gk_policydoc_format(&doc, &out), GENKAN_E_INVAL);
	ck_assert_uint_eq(out.len, 0);
	gk_buf_done(&out);
}
END_TEST

/* --------------------------------------------------------------- records */

#define SIGNED(sig)	",\"sig_b64\":\"" sig "\",\"key_id\":\"" KEY_ID "\""

START_TEST(test_a_signed_record)
{
	ck_assert_int_eq(parse_with(D2, SIGNED(SIG2)), 0);
	ck_assert(rec->has_baseline);
	ck_assert(rec->is_signed);
	ck_assert_uint_eq(rec->doc_len, 446);
	ck_assert_mem_eq(rec->doc_bytes, D2, 446);
	ck_assert_uint_eq(rec->sig[0], 0xa0);
	ck_assert_str_eq(rec->key_id, KEY_ID);
	ck_assert_uint_eq(rec->overlay.has, 0);
	ck_assert_uint_eq(rec->effective.num[GK_POLICY_PAGE_EVAL], 1);
}
END_TEST

START_TEST(test_an_unsigned_record_still_loads)
{
	ck_assert_int_eq(parse_with(D1, ""), 0);
	ck_assert(!rec->is_signed);
	ck_assert_uint_eq(rec->effective.has, GK_POLICY_ALL);
}
END_TEST

START_TEST(test_an_overlay_tightens_and_is_folded)
{
	ck_assert_int_eq(parse_with(D2, SIGNED(SIG2) ",\"overlay\":{"
	    "\"disabledTools\":[\"cookie_get\",\"page_upload\"],"
	    "\"pageEvalEnabled\":false,\"hostReverifyMs\":1000}"), 0);
	ck_assert_uint_eq(rec->effective.num[GK_POLICY_PAGE_EVAL], 0);
	ck_assert_uint_eq(rec->effective.num[GK_POLICY_HOST_REVERIFY_MS],
	    1000);
	ck_assert_uint_eq(rec->effective.num[GK_POLICY_CONFIRM_GRACE_MS],
	    120000);
	ck_assert(gk_policyval_disables(&rec->effective, "cookie_get", 10));
	ck_assert(gk_policyval_disables(&rec->effective, "page_upload", 11));
}
END_TEST

static const struct {
	const char	*rest;
	const char	*reason;
} bad_rest[] = {
	{ ",\"sig_b64\":\"" SIG2 "\"", "come together" },
	{ ",\"key_id\":\"" KEY_ID "\"", "come together" },
	{ ",\"sig_b64\":\"AAAA\",\"key_id\":\"" KEY_ID "\"", "sig_b64" },
	{ ",\"sig_b64\":null,\"key_id\":\"" KEY_ID "\"", "sig_b64" },
	{ ",\"sig_b64\":\"" SIG2 "\",\"key_id\":\"x\"", "key_id" },
	{ ",\"sig_b64\":\"" SIG2 "\",\"key_id\":\"4269889431E3131966fcaf6a"
	  "457141943ed2c35b5b917ae62cb339546f523551\"", "key_id" },
	{ ",\"overlay\":null", "overlay" },
	{ ",\"overlay\":[]", "overlay" },
	{ ",\"overlay\":{\"nothing\":1}", "nothing" },
	{ ",\"overlay\":{\"cdpMode\":1}", "cdpMode" },
	{ ",\"overlay\":{\"confirmGraceMs\":-0}", "confirmGraceMs" },
	{ ",\"overlay\":{\"cdpMode\":true}", "the overlay loosens cdpMode" },
	{ ",\"overlay\":{\"confirmGraceMs\":120001}",
	  "the overlay loosens confirmGraceMs" },
	{ ",\"overlay\":{\"disabledTools\":[]}",
	  "the overlay loosens disabledTools" },
	{ ",\"overlay\":{\"disabledTools\":[\"cookie_get\"]}",
	  "the overlay loosens disabledTools" },
	{ ",\"more\":1", "more" },
};

START_TEST(test_a_damaged_record_is_an_error_and_never_clamped)
{
	ck_assert_msg(parse_with(D2, bad_rest[_i].rest) ==
	    GENKAN_E_RECORD_CORRUPT, "%s", bad_rest[_i].rest);
	ck_assert_msg(strstr(why, bad_rest[_i].reason) != NULL, "%s: %s",
	    bad_rest[_i].rest, why);
	ck_assert_ptr_null(rec);
}
END_TEST

START_TEST(test_the_baseline_must_be_base64_of_a_document)
{
	ck_assert_int_eq(parse_with("{}", ""), GENKAN_E_RECORD_CORRUPT);
	ck_assert_msg(strncmp(why, "baseline: ", 10) == 0, "%s", why);
	ck_assert_int_eq(parse("{\"version\":0,\"baseline_b64\":\"e30\"}"),
	    GENKAN_E_RECORD_CORRUPT);
	ck_assert_str_eq(why, "baseline_b64: not base64");
	ck_assert_int_eq(parse("{\"version\":0,\"baseline_b64\":\"\"}"),
	    GENKAN_E_RECORD_CORRUPT);
}
END_TEST

START_TEST(test_what_a_disposal_leaves)
{
	ck_assert_int_eq(parse("{\"version\":0,\"overlay\":{"
	    "\"disabledTools\":[\"page_eval\"]}}"), 0);
	ck_assert(!rec->has_baseline);
	ck_assert(gk_policyval_disables(&rec->effective, "page_eval", 9));
	ck_assert_uint_eq(rec->effective.num[GK_POLICY_CONFIRM_GRACE_MS],
	    60000);
}
END_TEST

static const char *const no_baseline[] = {
	"{\"version\":0}",
	"{\"version\":0,\"overlay\":{}}",
	"{\"version\":0,\"overlay\":{\"disabledTools\":[]}}",
	"{\"version\":0,\"overlay\":{\"cdpMode\":false}}",
	"{\"version\":0,\"overlay\":{\"disabledTools\":[\"a\"],"
	    "\"cdpMode\":false}}",
	"{\"version\":0,\"overlay\":{\"disabledTools\":[\"a\"]},"
	    "\"sig_b64\":\"" SIG2 "\",\"key_id\":\"" KEY_ID "\"}",
};

START_TEST(test_any_other_record_without_baseline_is_damaged)
{
	ck_assert_msg(parse(no_baseline[_i]) == GENKAN_E_RECORD_CORRUPT,
	    "%s", no_baseline[_i]);
}
END_TEST

START_TEST(test_what_is_written_is_read_back)
{
	struct gk_policyrec *first;
	struct gk_buf out;

	ck_assert_int_eq(parse_with(D2, SIGNED(SIG2) ",\"overlay\":{"
	    "\"disabledTools\":[\"page_upload\",\"cookie_get\"],"
	    "\"pageEvalEnabled\":false}"), 0);
	first = rec;
	rec = NULL;
	gk_buf_init(&out, t.ctx, 1 << 20);
	ck_assert_int_eq(gk_policyrec_format(first, &out), 0);
	ck_assert_int_eq(gk_policyrec_parse(t.ctx, out.ptr, out.len, &rec,
	    why, sizeof(why)), 0);
	ck_assert_mem_eq(rec->doc_bytes, D2, 446);
	ck_assert_mem_eq(rec->sig, first->sig, sizeof(rec->sig));
	ck_assert_uint_eq(gk_policyval_differs(&rec->effective,
	    &first->effective), 0);
	gk_buf_clear(&out);
	/* As in the entry-id vector: catalogue order, list order kept. */
	ck_assert_int_eq(gk_overlay_format(&rec->overlay, &out), 0);
	ck_assert(gk_span_is(gk_buf_span(&out), "{\"pageEvalEnabled\":false,"
	    "\"disabledTools\":[\"page_upload\",\"cookie_get\"]}"));
	gk_buf_clear(&out);
	rec->overlay.num[GK_POLICY_PAGE_EVAL] = 0;
	rec->overlay.has |= GK_POLICY_BIT(GK_POLICY_CDP_MODE);
	rec->overlay.num[GK_POLICY_CDP_MODE] = 1;
	ck_assert_int_eq(gk_policyrec_format(rec, &out), GENKAN_E_INVAL);
	ck_assert_uint_eq(out.len, 0);
	gk_buf_done(&out);
	gk_policyrec_free(first);
}
END_TEST

START_TEST(test_want_of_memory_is_no_damage_and_leaks_nothing)
{
	static const char text[] = "{\"version\":0,\"overlay\":{"
	    "\"disabledTools\":[\"page_\\u0065val\",\"x\"]}}";
	size_t i;
	int r = GENKAN_E_NOMEM;

	for (i = 1; r == GENKAN_E_NOMEM && i < 1000; i++) {
		t.fail_at = i;
		r = parse(text);
		t.fail_at = 0;
	}
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 8);
	r = GENKAN_E_NOMEM;
	for (i = 1; r == GENKAN_E_NOMEM && i < 1000; i++) {
		t.fail_at = i;
		r = parse_doc(D2);
		t.fail_at = 0;
	}
	ck_assert_int_eq(r, 0);
}
END_TEST

/* Every string of it is escaped, so that each is copied. */
START_TEST(test_want_of_memory_for_a_signed_record)
{
	static const char head[] = "{\"version\":0,\"baseline_b64\":\"\\u0065";
	struct gk_buf in, out;
	size_t i;
	int r = GENKAN_E_NOMEM;

	gk_buf_init(&in, t.ctx, 1 << 16);
	gk_buf_init(&out, t.ctx, 1 << 16);
	ck_assert_int_eq(gk_buf_puts(&in, head), 0);
	ck_assert_int_eq(gk_b64_put(&out, GK_B64_STD, D2, strlen(D2)), 0);
	ck_assert_uint_eq(out.ptr[0], 'e');
	gk_buf_drop(&out, 1);
	ck_assert_int_eq(gk_buf_put_span(&in, gk_buf_span(&out)), 0);
	ck_assert_int_eq(gk_buf_putf(&in, "\",\"sig_b64\":\"\\u00%02x%s\","
	    "\"key_id\":\"\\u00%02x%s\",\"overlay\":{\"disabledTools\":["
	    "\"page_\\u0075pload\"]}}", SIG2[0], &SIG2[1], KEY_ID[0],
	    &KEY_ID[1]), 0);
	for (i = 1; r == GENKAN_E_NOMEM && i < 1000; i++) {
		t.fail_at = i;
		r = gk_policyrec_parse(t.ctx, in.ptr, in.len, &rec, why,
		    sizeof(why));
		t.fail_at = 0;
		ck_assert((r < 0) == (rec == NULL));
		if (r < 0)
			ck_assert_msg(strcmp(why, "out of memory") == 0,
			    "%d: %s", r, why);
	}
	ck_assert_msg(r == 0, "%s", why);
	ck_assert_uint_gt(i, 12);
	ck_assert(rec->is_signed);
	ck_assert_str_eq(rec->key_id, KEY_ID);
	gk_buf_done(&in);
	gk_buf_done(&out);
}
END_TEST

/* The room ends in each of the members. */
START_TEST(test_members_end_with_the_room)
{
	struct gk_buf whole, small;
	size_t n;

	ck_assert_int_eq(parse_with(D2, SIGNED(SIG2) ",\"overlay\":{"
	    "\"disabledTools\":[\"page_upload\"]}"), 0);
	gk_buf_init(&whole, t.ctx, 65536);
	ck_assert_int_eq(gk_buf_putc(&whole, '{'), 0);
	ck_assert_int_eq(gk_policyrec_put_members(rec, &whole), 0);
	for (n = 1; n <= whole.len; n++) {
		gk_buf_init(&small, t.ctx, n);
		ck_assert_int_eq(gk_buf_putc(&small, '{'), 0);
		ck_assert_int_eq(gk_policyrec_put_members(rec, &small),
		    n < whole.len ? GENKAN_E_FRAME_SIZE : 0);
		gk_buf_done(&small);
	}
	gk_buf_done(&whole);
}
END_TEST

/* Whatever room there is, it is written whole or not at all. */
START_TEST(test_what_does_not_fit_is_not_begun)
{
	struct gk_buf whole, small;
	size_t n;

	ck_assert_int_eq(parse_doc(D2), 0);
	gk_buf_init(&whole, t.ctx, 65536);
	ck_assert_int_eq(gk_policydoc_format(&doc, &whole), 0);
	for (n = 0; n <= whole.len; n++) {
		gk_buf_init(&small, t.ctx, n);
		ck_assert_int_eq(gk_policydoc_format(&doc, &small),
		    n < whole.len ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, n < whole.len ? 0 : n);
		gk_buf_done(&small);
	}
	ck_assert_int_eq(parse_with(D2, SIGNED(SIG2) ",\"overlay\":{"
	    "\"disabledTools\":[\"page_upload\"]}"), 0);
	gk_buf_clear(&whole);
	ck_assert_int_eq(gk_policyrec_format(rec, &whole), 0);
	for (n = 0; n <= whole.len; n++) {
		gk_buf_init(&small, t.ctx, n);
		ck_assert_int_eq(gk_policyrec_format(rec, &small),
		    n < whole.len ? GENKAN_E_FRAME_SIZE : 0);
		ck_assert_uint_eq(small.len, n < whole.len ? 0 : n);
		gk_buf_done(&small);
	}
	gk_buf_done(&whole);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policyrec");
	TCase *tc = tcase_create("policyrec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
	    test_the_vectors_are_the_bytes_of_the_specification, 0, 2);
	tcase_add_loop_test(tc,
	    test_a_document_is_written_byte_for_byte_as_signed, 0, 2);
	tcase_add_test(tc, test_the_values_of_a_document);
	tcase_add_loop_test(tc, test_a_document_is_parsed_strictly, 0,
	    (int)GK_ARRAY_LEN(doc_bad));
	tcase_add_test(tc, test_order_and_spacing_are_not_judged);
	tcase_add_test(tc, test_no_document_is_written_that_would_not_be_read);
	tcase_add_test(tc, test_a_signed_record);
	tcase_add_test(tc, test_an_unsigned_record_still_loads);
	tcase_add_test(tc, test_an_overlay_tightens_and_is_folded);
	tcase_add_loop_test(tc,
	    test_a_damaged_record_is_an_error_and_never_clamped, 0,
	    (int)GK_ARRAY_LEN(bad_rest));
	tcase_add_test(tc, test_the_baseline_must_be_base64_of_a_document);
	tcase_add_test(tc, test_what_a_disposal_leaves);
	tcase_add_loop_test(tc,
	    test_any_other_record_without_baseline_is_damaged, 0,
	    (int)GK_ARRAY_LEN(no_baseline));
	tcase_add_test(tc, test_what_is_written_is_read_back);
	tcase_add_test(tc, test_want_of_memory_is_no_damage_and_leaks_nothing);
	tcase_add_test(tc, test_want_of_memory_for_a_signed_record);
	tcase_add_test(tc, test_members_end_with_the_room);
	tcase_add_test(tc, test_what_does_not_fit_is_not_begun);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
