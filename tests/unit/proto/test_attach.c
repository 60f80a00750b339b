/* The attach frame and its reply: wire 6.1, 6.2. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "proto/attach.h"
#include "util.h"

#define H40	"0123456789abcdef0123456789abcdef01234567"
#define H64	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LABEL32	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, 1 << 20);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

static const char *
line(void)
{
	ck_assert_int_eq(gk_buf_putc(&b, '\0'), 0);
	return (const char *)b.ptr;
}

static const struct {
	struct gk_attach	 a;
	const char		*line;
} good[] = {
	{ { .role = GK_ATTACH_BROWSER }, "{\"attach\":\"browser\"}\n" },
	{ { .role = GK_ATTACH_CLIENT }, "{\"attach\":\"client\"}\n" },
	{ { .role = GK_ATTACH_CLIENT, .has_harness = true, .hash = H64 },
	    "{\"attach\":\"client\",\"harness\":{\"hash\":\"" H64 "\"}}\n" },
	{ { .role = GK_ATTACH_CLIENT, .has_harness = true, .hash = H40,
	    .signer = "a \"b\" \xc3\xa9", .name = "claude-code" },
	    "{\"attach\":\"client\",\"harness\":{\"hash\":\"" H40 "\","
	    "\"signer\":\"a \\\"b\\\" \xc3\xa9\",\"name\":\"claude-code\"}}\n"
	},
};

START_TEST(test_a_frame_is_written_as_specified_and_read_back)
{
	struct gk_attach a;

	ck_assert_int_eq(gk_attach_write(&b, &good[_i].a), 0);
	ck_assert_uint_eq(b.len, strlen(good[_i].line));
	ck_assert_mem_eq(b.ptr, good[_i].line, b.len);
	ck_assert_int_eq(gk_attach_read(t.ctx, gk_span(b.ptr, b.len - 1), &a),
	    0);
	ck_assert_int_eq(a.role, good[_i].a.role);
	ck_assert_int_eq(a.has_harness, good[_i].a.has_harness);
	ck_assert_str_eq(a.hash, good[_i].a.hash);
	ck_assert_str_eq(a.signer, good[_i].a.signer);
	ck_assert_str_eq(a.name, good[_i].a.name);
}
END_TEST

#define HARNESS(h)	"{\"attach\":\"client\",\"harness\":" h "}"

static const struct {
	const char *frame;
	int r;
} bad[] = {
	{ "", GENKAN_E_FRAME_JSON },
	{ "[]", GENKAN_E_FRAME_TYPE },
	{ "{}", GENKAN_E_FRAME_MEMBER },
	{ "{\"attach\":1}", GENKAN_E_FRAME_MEMBER },
	{ "{\"attach\":null}", GENKAN_E_FRAME_MEMBER },
	{ "{\"attach\":\"server\"}", GENKAN_E_FRAME_MEMBER },
	{ "{\"attach\":\"Browser\"}", GENKAN_E_FRAME_MEMBER },
	{ "{\"attach\":\"browser\",\"x\":1}", GENKAN_E_FRAME_MEMBER },
	{ "{\"attach\":\"browser\",\"attach\":\"browser\"}",
	    GENKAN_E_FRAME_DUP },
	{ "{\"attach\":\"browser\",\"harness\":{\"hash\":\"" H64 "\"}}",
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("null"), GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{}"), GENKAN_E_FRAME_MEMBER },
	{ HARNESS("[]"), GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "0\"}"), GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H64 "0\"}"), GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"ABCDEF6789abcdef0123456789abcdef01234567\"}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"pid\":1}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"signer\":\"\"}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"signer\":null}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"signer\":\"a\\u0000\"}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"signer\":\"a\\nb\"}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"signer\":\"\\u0085\"}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"name\":\"\"}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"name\":\"-x\"}"),
	    GENKAN_E_FRAME_MEMBER },
	{ HARNESS("{\"hash\":\"" H40 "\",\"name\":\"" LABEL32 "a\"}"),
	    GENKAN_E_FRAME_MEMBER },
};

START_TEST(test_a_frame_that_is_not_exactly_right_is_refused)
{
	struct gk_attach a;

	memset(&a, 0x5a, sizeof(a));
	ck_assert_int_eq(gk_attach_read(t.ctx, gk_span_str(bad[_i].frame),
	    &a), bad[_i].r);
	ck_assert_int_eq(a.hash[0], 0x5a);
}
END_TEST

/* 511, 512 and 513 bytes. */
START_TEST(test_a_signer_is_at_most_512_bytes)
{
	char frame[1024], signer[600];
	struct gk_attach a;

	memset(signer, 's', sizeof(signer));
	snprintf(frame, sizeof(frame), HARNESS("{\"hash\":\"" H40
	    "\",\"signer\":\"%.*s\"}"), 511 + _i, signer);
	ck_assert_int_eq(gk_attach_read(t.ctx, gk_span_str(frame), &a),
	    _i < 2 ? 0 : GENKAN_E_FRAME_MEMBER);
	if (_i < 2)
		ck_assert_uint_eq(strlen(a.signer), 511 + (size_t)_i);
}
END_TEST

START_TEST(test_replies_are_written_as_specified)
{
	ck_assert_int_eq(gk_attach_reply_write(&b, GK_ATTACH_ACCEPTED, NULL),
	    0);
	ck_assert_str_eq(line(), "{\"attach_reply\":\"accepted\"}\n");
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_attach_reply_write(&b, GK_ATTACH_REFUSED,
	    "not on the \"allowlist\""), 0);
	ck_assert_str_eq(line(), "{\"attach_reply\":\"refused\",\"reason\":"
	    "\"not on the \\\"allowlist\\\"\"}\n");
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_attach_reply_write(&b, GK_ATTACH_UNAVAILABLE,
	    "full"), 0);
	ck_assert_str_eq(line(), "{\"attach_reply\":\"unavailable\","
	    "\"reason\":\"full\"}\n");
}
END_TEST

static const struct {
	const char *frame;
	int r;			/* or the verdict */
	const char *reason;
} replies[] = {
	{ "{\"attach_reply\":\"accepted\"}", GK_ATTACH_ACCEPTED, "" },
	{ "{\"attach_reply\":\"refused\",\"reason\":\"no\"}",
	    GK_ATTACH_REFUSED, "no" },
	{ "{\"attach_reply\":\"unavailable\",\"reason\":\"a\\nb\"}",
	    GK_ATTACH_UNAVAILABLE, "a\\nb" },
	{ "{\"attach_reply\":\"refused\",\"reason\":\"\"}",
	    GK_ATTACH_REFUSED, "" },
	{ "{\"attach_reply\":\"accepted\",\"reason\":\"x\"}",
	    GENKAN_E_FRAME_MEMBER, NULL },
	{ "{\"attach_reply\":\"refused\"}", GENKAN_E_FRAME_MEMBER, NULL },
	{ "{\"attach_reply\":\"refused\",\"reason\":null}",
	    GENKAN_E_FRAME_MEMBER, NULL },
	{ "{\"attach_reply\":\"maybe\",\"reason\":\"x\"}",
	    GENKAN_E_FRAME_MEMBER, NULL },
	{ "{\"attach_reply\":\"accepted\",\"x\":1}", GENKAN_E_FRAME_MEMBER,
	    NULL },
	{ "{}", GENKAN_E_FRAME_MEMBER, NULL },
	{ "\"accepted\"", GENKAN_E_FRAME_TYPE, NULL },
};

START_TEST(test_replies_are_read_strictly)
{
	struct gk_attach_reply reply;
	int r;

	r = gk_attach_reply_read(t.ctx, gk_span_str(replies[_i].frame),
	    &reply);
	if (replies[_i].r < 0) {
		ck_assert_int_eq(r, replies[_i].r);
		return;
	}
	ck_assert_int_eq(r, 0);
	ck_assert_int_eq(reply.verdict, replies[_i].r);
	ck_assert_str_eq(reply.reason, replies[_i].reason);
}
END_TEST

/* Foreign text for people: bounded and escaped whatever it holds. */
START_TEST(test_a_long_reason_is_cut)
{
	struct gk_attach_reply reply;
	char frame[8192], *p = frame;
	int i;

	p += sprintf(p, "{\"attach_reply\":\"refused\",\"reason\":\"");
	for (i = 0; i < 1000; i++)
		p += sprintf(p, "\\u0001");
	sprintf(p, "\"}");
	ck_assert_int_eq(gk_attach_reply_read(t.ctx, gk_span_str(frame),
	    &reply), 0);
	ck_assert_uint_lt(strlen(reply.reason), sizeof(reply.reason));
	ck_assert_ptr_null(strchr(reply.reason, '\1'));
	ck_assert_int_eq(reply.reason[0], '\\');
}
END_TEST

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

int
main(void)
{
	Suite *s = suite_create("attach");
	TCase *tc = tcase_create("attach");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
	    test_a_frame_is_written_as_specified_and_read_back, 0, LEN(good));
	tcase_add_loop_test(tc,
	    test_a_frame_that_is_not_exactly_right_is_refused, 0, LEN(bad));
	tcase_add_loop_test(tc, test_a_signer_is_at_most_512_bytes, 0, 3);
	tcase_add_test(tc, test_replies_are_written_as_specified);
	tcase_add_loop_test(tc, test_replies_are_read_strictly, 0,
	    LEN(replies));
	tcase_add_test(tc, test_a_long_reason_is_cut);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
