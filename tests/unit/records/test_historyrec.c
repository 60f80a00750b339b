/* policy-history.json: control.md 4.4. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "codec/b64.h"
#include "crypto/ossl.h"
#include "records/historyrec.h"
#include "records/store.h"
#include "policydocs.h"
#include "util.h"

#define ID1	"c54dc2a7469b4f9aecb3837d76c6c7ae148db9bc7fde52d092ec33bf48e0da28"
#define ID2	"23315554ec40d5f7899fab279f28dc88e8048aca53f3a51da02a9b57f088190e"
#define OVERLAY2 "{\"pageEvalEnabled\":false,\"disabledTools\":" \
		"[\"page_upload\",\"cookie_get\"]}"
#define SIGNED(sig)	",\"sig_b64\":\"" sig "\",\"key_id\":\"" KEY_ID "\""

static struct gk_test t;
static struct gk_historyrec *h;
static struct gk_buf text;
static char why[GK_WHY_MAX];

static void
setup(void)
{
	gk_test_init(&t);
	h = NULL;
	gk_buf_init(&text, t.ctx, 1 << 22);
}

static void
teardown(void)
{
	gk_historyrec_free(h);
	gk_buf_done(&text);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

/* {"baseline_b64":"<doc>"<rest>} */
static void
add_row(const char *doc, const char *rest)
{
	ck_assert_int_eq(gk_buf_puts(&text, text.len == 0 ?
	    "{\"version\":0,\"entries\":[" : ","), 0);
	ck_assert_int_eq(gk_buf_puts(&text, "{\"baseline_b64\":\""), 0);
	ck_assert_int_eq(gk_b64_put(&text, GK_B64_STD, doc, strlen(doc)), 0);
	ck_assert_int_eq(gk_buf_putf(&text, "\"%s}", rest), 0);
}

static int
parse_text(const char *s, size_t len)
{
	gk_historyrec_free(h);
	h = NULL;
	return gk_historyrec_parse(t.ctx, s, len, &h, why, sizeof(why));
}

static int
parse(void)
{
	ck_assert_int_eq(gk_buf_puts(&text, "]}"), 0);
	return parse_text((const char *)text.ptr, text.len);
}

START_TEST(test_the_ids_of_the_specification)
{
	add_row(D1, SIGNED(SIG1) ",\"superseded_unix\":1700000000");
	/* Order and spacing of the overlay do not matter to its id. */
	add_row(D2, SIGNED(SIG2) ",\"overlay\":{ \"disabledTools\":"
	    "[\"page_upload\",\"cookie_get\"], \"pageEvalEnabled\":false},"
	    "\"superseded_unix\":1700000001");
	ck_assert_int_eq(parse(), 0);
	ck_assert_uint_eq(h->n, 2);
	ck_assert_str_eq(h->row[0].id, ID1);
	ck_assert_str_eq(h->row[1].id, ID2);
	ck_assert(h->row[0].is_signed && !h->row[0].has_overlay);
	ck_assert(h->row[1].is_signed && h->row[1].has_overlay);
	ck_assert_uint_eq(h->row[1].superseded_unix, 1700000001);
	ck_assert_uint_eq(h->row[1].held->doc.revision, 2);
	ck_assert_uint_eq(h->row[1].held->effective.num[GK_POLICY_PAGE_EVAL],
	    0);
}
END_TEST

static struct gk_policyrec *
policy(const char *doc, const char *rest)
{
	struct gk_policyrec *ret = NULL;
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, 1 << 20);
	ck_assert_int_eq(gk_buf_puts(&b, "{\"version\":0,\"baseline_b64\":\""),
	    0);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_STD, doc, strlen(doc)), 0);
	ck_assert_int_eq(gk_buf_putf(&b, "\"%s}", rest), 0);
	ck_assert_int_eq(gk_policyrec_parse(t.ctx, b.ptr, b.len, &ret, why,
	    sizeof(why)), 0);
	gk_buf_done(&b);
	return ret;
}

START_TEST(test_what_is_pushed_is_read_back_with_its_id)
{
	struct gk_policyrec *one = policy(D1, SIGNED(SIG1));
	struct gk_policyrec *two = policy(D2, SIGNED(SIG2) ",\"overlay\":"
	    OVERLAY2);

	h = gk_historyrec_new(t.ctx);
	ck_assert_ptr_nonnull(h);
	ck_assert_int_eq(gk_historyrec_push(h, one, 1700000000), 0);
	ck_assert_int_eq(gk_historyrec_push(h, two, 1700000001), 0);
	ck_assert_int_eq(gk_historyrec_push(h, two,
	    (uint64_t)GK_INTEGER_MAX + 1), GENKAN_E_INVAL);
	ck_assert_str_eq(h->row[0].id, ID1);
	ck_assert_int_eq(gk_historyrec_format(h, &text), 0);
	ck_assert_int_eq(parse_text((const char *)text.ptr, text.len), 0);
	ck_assert_uint_eq(h->n, 2);
	ck_assert_str_eq(h->row[0].id, ID1);
	ck_assert_str_eq(h->row[1].id, ID2);
	ck_assert_mem_eq(h->row[1].held->doc_bytes, D2, 446);
	ck_assert_uint_eq(text.ptr[text.len - 1], '\n');
	gk_policyrec_free(one);
	gk_policyrec_free(two);
}
END_TEST

START_TEST(test_what_has_no_baseline_never_enters)
{
	static const char kept[] = "{\"version\":0,\"overlay\":{"
	    "\"disabledTools\":[\"page_eval\"]}}";
	struct gk_policyrec *p = NULL;

	ck_assert_int_eq(gk_policyrec_parse(t.ctx, kept, strlen(kept), &p,
	    why, sizeof(why)), 0);
	h = gk_historyrec_new(t.ctx);
	ck_assert_int_eq(gk_historyrec_push(h, p, 1), GENKAN_E_INVAL);
	ck_assert_uint_eq(h->n, 0);
	gk_policyrec_free(p);
}
END_TEST

/* Values that do not read: the row keeps its place, and nothing is held. */
static const struct {
	const char	*doc;
	const char	*rest;
	bool		 is_signed, has_overlay;
} damaged[] = {
	{ "{}", ",\"superseded_unix\":5", false, false },
	{ "", ",\"superseded_unix\":5", false, false },
	{ D1, ",\"sig_b64\":\"" SIG1 "\",\"superseded_unix\":5", true, false },
	{ D1, ",\"key_id\":\"" KEY_ID "\",\"superseded_unix\":5", false,
	  false },
	{ D1, SIGNED("AAAA") ",\"superseded_unix\":5", true, false },
	{ D1, ",\"overlay\":{\"cdpMode\":true},\"superseded_unix\":5", false,
	  true },
	{ D1, ",\"overlay\":{\"other\":true},\"superseded_unix\":5", false,
	  true },
};

START_TEST(test_a_damaged_row_keeps_its_place)
{
	struct gk_buf out;
	char id[GK_HISTORY_ID + 1];

	add_row(D1, ",\"superseded_unix\":1");
	add_row(damaged[_i].doc, damaged[_i].rest);
	add_row(D2, ",\"superseded_unix\":9");
	ck_assert_int_eq(parse(), 0);
	ck_assert_str_eq(why, "");
	ck_assert_uint_eq(h->n, 3);
	ck_assert_ptr_nonnull(h->row[0].held);
	ck_assert_ptr_null(h->row[1].held);
	ck_assert_ptr_nonnull(h->row[2].held);
	ck_assert(h->row[1].is_signed == damaged[_i].is_signed);
	ck_assert(h->row[1].has_overlay == damaged[_i].has_overlay);
	ck_assert_uint_eq(h->row[1].superseded_unix, 5);
	ck_assert_uint_eq(strlen(h->row[1].id), 64);
	ck_assert_str_ne(h->row[1].id, h->row[0].id);
	memcpy(id, h->row[1].id, sizeof(id));
	/* It is carried along. */
	gk_buf_init(&out, t.ctx, 1 << 20);
	ck_assert_int_eq(gk_historyrec_format(h, &out), 0);
	ck_assert_int_eq(parse_text((const char *)out.ptr, out.len), 0);
	ck_assert_str_eq(h->row[1].id, id);
	gk_buf_done(&out);
}
END_TEST

static const char *const no_time[] = { "-1", "-0", "9007199254740992",
	"1.5", "1e3", "99999999999999999999" };

START_TEST(test_a_time_out_of_range_is_left_out)
{
	char rest[80];

	(void)snprintf(rest, sizeof(rest), ",\"superseded_unix\":%s",
	    no_time[_i]);
	add_row(D1, rest);
	ck_assert_int_eq(parse(), 0);
	ck_assert(!h->row[0].has_time);
	ck_assert_ptr_nonnull(h->row[0].held);
}
END_TEST

static const char *const unreadable[] = {
	"{\"version\":0}",
	"{\"version\":0,\"entries\":{}}",
	"{\"version\":0,\"entries\":null}",
	"{\"version\":0,\"entries\":[1]}",
	"{\"version\":0,\"entries\":[[]]}",
	"{\"version\":0,\"entries\":[{}]}",
	"{\"version\":0,\"entries\":[{\"baseline_b64\":\"\"}]}",
	"{\"version\":0,\"entries\":[{\"superseded_unix\":1}]}",
	"{\"version\":0,\"entries\":[{\"baseline_b64\":1,"
	    "\"superseded_unix\":1}]}",
	"{\"version\":0,\"entries\":[{\"baseline_b64\":\"\","
	    "\"superseded_unix\":\"1\"}]}",
	"{\"version\":0,\"entries\":[{\"baseline_b64\":\"\","
	    "\"superseded_unix\":1,\"x\":1}]}",
	"{\"version\":0,\"entries\":[{\"baseline_b64\":\"\","
	    "\"superseded_unix\":1,\"superseded_unix\":1}]}",
	"{\"version\":0,\"entries\":[{\"baseline_b64\":\"\","
	    "\"overlay\":null,\"superseded_unix\":1}]}",
	"{\"version\":0,\"entries\":[],\"more\":1}",
	"{\"version\":1,\"entries\":[]}", "{\"entries\":[]}", "[]", "",
};

START_TEST(test_a_ring_of_another_shape_is_unreadable)
{
	ck_assert_msg(parse_text(unreadable[_i], strlen(unreadable[_i])) < 0,
	    "%s", unreadable[_i]);
	ck_assert_ptr_null(h);
	ck_assert_str_ne(why, "");
}
END_TEST

/* Rows of one length each, so that exactly so many fit. */
START_TEST(test_the_oldest_are_evicted_until_the_rest_fits)
{
	const size_t cap = gk_record_cap(GK_RECORD_HISTORY);
	const size_t around = strlen("{\"version\":0,\"entries\":[]}\n");
	struct gk_policyrec *p = policy(D1, SIGNED(SIG1));
	struct gk_buf out;
	size_t fit, i, row;

	h = gk_historyrec_new(t.ctx);
	ck_assert_int_eq(gk_historyrec_push(h, p, 1000000), 0);
	row = h->row[0].len;
	fit = (cap - around + 1) / (row + 1);
	for (i = 1; i < fit; i++)
		ck_assert_int_eq(gk_historyrec_push(h, p, 1000000 + i), 0);
	gk_buf_init(&out, t.ctx, cap);
	ck_assert_int_eq(gk_historyrec_format(h, &out), 0);
	ck_assert_uint_eq(out.len, around + fit * (row + 1) - 1);
	for (i = fit; i < fit + 3; i++)
		ck_assert_int_eq(gk_historyrec_push(h, p, 1000000 + i), 0);
	gk_buf_clear(&out);
	ck_assert_int_eq(gk_historyrec_format(h, &out), 0);
	ck_assert_int_eq(parse_text((const char *)out.ptr, out.len), 0);
	ck_assert_uint_eq(h->n, fit);
	ck_assert_uint_eq(h->row[0].superseded_unix, 1000003);
	ck_assert_uint_eq(h->row[fit - 1].superseded_unix, 1000000 + fit + 2);
	gk_buf_done(&out);
	gk_policyrec_free(p);
}
END_TEST

/* The first row is sized so that two rows come to the cap, or one beyond. */
START_TEST(test_the_bound_is_exact)
{
	const size_t cap = gk_record_cap(GK_RECORD_HISTORY);
	size_t used, pad;
	struct gk_buf out;
	char *big;

	add_row(D1, ",\"superseded_unix\":2");
	used = strlen("{\"version\":0,\"entries\":[]}\n,") +
	    text.len - strlen("{\"version\":0,\"entries\":[") +
	    strlen("{\"baseline_b64\":\"\",\"superseded_unix\":1}");
	pad = cap - used + (size_t)_i;
	gk_buf_clear(&text);
	big = malloc(pad + 1);
	ck_assert_ptr_nonnull(big);
	memset(big, 'A', pad);
	big[pad] = '\0';
	ck_assert_int_eq(gk_buf_putf(&text, "{\"version\":0,\"entries\":["
	    "{\"baseline_b64\":\"%.*s\",\"superseded_unix\":1}", (int)1000,
	    big), 0);
	add_row(D1, ",\"superseded_unix\":2");
	ck_assert_int_eq(parse(), 0);
	/* Grown behind the reader's back. */
	gk_free(t.ctx, h->row[0].text);
	h->row[0].len = pad + strlen("{\"baseline_b64\":\"\","
	    "\"superseded_unix\":1}");
	h->row[0].text = gk_malloc(t.ctx, h->row[0].len + 1);
	ck_assert_ptr_nonnull(h->row[0].text);
	(void)snprintf(h->row[0].text, h->row[0].len + 1,
	    "{\"baseline_b64\":\"%s\",\"superseded_unix\":1}", big);
	gk_buf_init(&out, t.ctx, cap);
	ck_assert_int_eq(gk_historyrec_format(h, &out), 0);
	ck_assert_int_eq(parse_text((const char *)out.ptr, out.len), 0);
	ck_assert_uint_eq(h->n, _i <= 0 ? 2 : 1);
	ck_assert_uint_eq(h->row[h->n - 1].superseded_unix, 2);
	if (_i == 0)
		ck_assert_uint_eq(out.len, cap);
	gk_buf_done(&out);
	free(big);
}
END_TEST

static int
sweep(struct gk_test *test, void *arg)
{
	struct gk_historyrec *back = NULL;
	struct gk_policyrec *p = NULL;
	struct gk_buf *in = arg, out;
	char reason[GK_WHY_MAX];
	int r;

	gk_buf_init(&out, test->ctx, 1 << 20);
	r = gk_historyrec_parse(test->ctx, in->ptr, in->len, &back, reason,
	    sizeof(reason));
	if (r == 0)
		r = gk_historyrec_push(back, back->row[0].held, 7);
	if (r == 0)
		r = gk_historyrec_format(back, &out);
	gk_buf_done(&out);
	gk_policyrec_free(p);
	gk_historyrec_free(back);
	return r;
}

START_TEST(test_want_of_memory_loses_nothing_silently)
{
	add_row(D2, SIGNED(SIG2) ",\"overlay\":" OVERLAY2
	    ",\"superseded_unix\":1700000001");
	add_row("{}", ",\"superseded_unix\":1700000001");
	ck_assert_int_eq(parse(), 0);
	ck_assert_uint_gt(gk_test_sweep(&t, sweep, &text), 20);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("historyrec");
	TCase *tc = tcase_create("historyrec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_the_ids_of_the_specification);
	tcase_add_test(tc, test_what_is_pushed_is_read_back_with_its_id);
	tcase_add_test(tc, test_what_has_no_baseline_never_enters);
	tcase_add_loop_test(tc, test_a_damaged_row_keeps_its_place, 0,
	    (int)GK_ARRAY_LEN(damaged));
	tcase_add_loop_test(tc, test_a_time_out_of_range_is_left_out, 0,
	    (int)GK_ARRAY_LEN(no_time));
	tcase_add_loop_test(tc, test_a_ring_of_another_shape_is_unreadable, 0,
	    (int)GK_ARRAY_LEN(unreadable));
	tcase_add_test(tc, test_the_oldest_are_evicted_until_the_rest_fits);
	tcase_add_loop_test(tc, test_the_bound_is_exact, -1, 2);
	tcase_add_test(tc, test_want_of_memory_loses_nothing_silently);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
