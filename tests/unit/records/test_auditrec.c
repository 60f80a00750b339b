/* Lines of the audit trail: control.md 11.1 and 11.3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "records/anchor.h"
#include "records/auditrec.h"
#include "util.h"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, GK_TRAIL_MAX);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

static const char *
text(void)
{
	ck_assert_int_eq(gk_buf_putc(&b, '\0'), 0);
	gk_buf_truncate(&b, b.len - 1);
	return b.len > 0 ? (const char *)b.ptr : "";
}

static const struct gk_audit whole = {
	.kind = "tool_call", .surface = "broker", .outcome = "error",
	.tool = "page_text", .code = "TIMEOUT", .name = "chromium",
	.detail = "a\nb", .cid = "c1", .req = 7, .conn = 2, .dur_ms = 0
};

START_TEST(test_members_come_in_their_order)
{
	const struct gk_audit_when when = { 1700000000123u, 3 };

	ck_assert_int_eq(gk_auditrec_put(&b, &whole, &when), 0);
	ck_assert_str_eq(text(), "{\"v\":1,\"ts_ms\":1700000000123,"
	    "\"kind\":\"tool_call\",\"surface\":\"broker\","
	    "\"outcome\":\"error\",\"tool\":\"page_text\","
	    "\"code\":\"TIMEOUT\",\"name\":\"chromium\","
	    "\"detail\":\"a\\nb\",\"cid\":\"c1\",\"req\":7,\"conn\":2,"
	    "\"dur_ms\":0,\"dropped\":3}");
}
END_TEST

START_TEST(test_what_is_left_out_is_not_there)
{
	const struct gk_audit_when when = { 5, 0 };
	struct gk_audit rec = GK_AUDIT_INIT;

	rec.kind = "kill_engage";
	rec.surface = "cli";
	ck_assert_int_eq(gk_auditrec_put(&b, &rec, &when), 0);
	ck_assert_str_eq(text(), "{\"v\":1,\"ts_ms\":5,"
	    "\"kind\":\"kill_engage\",\"surface\":\"cli\"}");
}
END_TEST

/* 511, 512 and 513 bytes, and a character across the limit. */
START_TEST(test_strings_are_cut_between_characters)
{
	static const struct {
		size_t		 ascii;
		const char	*tail;
		size_t		 want;
	} rows[] = {
		{ 511, "", 511 }, { 512, "", 512 }, { 513, "", 512 },
		{ 511, "\xc3\xa4", 511 }, { 510, "\xc3\xa4", 512 },
		{ 510, "\xe6\x97\xa5", 510 },
	};
	const struct gk_audit_when when = { 5, 0 };
	struct gk_audit rec = GK_AUDIT_INIT;
	struct gk_auditrec got;
	char detail[600];
	size_t i;

	rec.kind = "kill_engage";
	rec.surface = "cli";
	rec.detail = detail;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(detail, 'x', rows[i].ascii);
		(void)snprintf(detail + rows[i].ascii, 20, "%s",
		    rows[i].tail);
		gk_buf_clear(&b);
		ck_assert_int_eq(gk_auditrec_put(&b, &rec, &when), 0);
		ck_assert_int_eq(gk_auditrec_parse(t.ctx, gk_buf_span(&b),
		    &got), 0);
		ck_assert_uint_eq(got.m[GK_AUDIT_M_DETAIL].value.len - 2,
		    rows[i].want);
	}
}
END_TEST

START_TEST(test_the_longest_record_fits_its_buffer)
{
	const struct gk_audit_when when = { 5, 1 };
	struct gk_audit rec = whole;
	char detail[600];
	struct gk_buf line;

	memset(detail, '\001', sizeof(detail) - 1);
	detail[sizeof(detail) - 1] = '\0';
	rec.outcome = rec.tool = rec.code = rec.name = rec.detail = rec.cid =
	    rec.kind = rec.surface = detail;
	gk_buf_init(&line, t.ctx, GK_AUDIT_LINE_MAX);
	ck_assert_int_eq(gk_auditrec_put(&line, &rec, &when), 0);
	gk_buf_clear(&line);
	ck_assert_int_eq(gk_auditrec_echo(&line, &rec, &when), 0);
	gk_buf_done(&line);
}
END_TEST

/* By what a client was admitted is told however long its signer is. */
START_TEST(test_a_pairing_says_what_admitted_it)
{
	static const char auth[] = "; auth=webauthn:0123";
	struct gk_anchor a = { .kind = GK_ANCHOR_SIGNER };
	char detail[GK_AUDIT_TEXT_MAX + 1];
	const size_t room = GK_AUDIT_TEXT_MAX - strlen("signer:") -
	    strlen(auth);
	const size_t len = _i == 3 ? GK_SIGNER_MAX : room - 1 + (size_t)_i;

	memset(a.value, 's', len);
	if (_i == 3)	/* where it is cut stands half a character */
		memcpy(a.value + room - 4, "\xc3\xa9", 2);
	gk_anchor_detail(&a, auth + 7, detail);
	ck_assert_uint_eq(strlen(detail), _i == 0 ? GK_AUDIT_TEXT_MAX - 1 :
	    _i == 3 ? GK_AUDIT_TEXT_MAX - 1 : GK_AUDIT_TEXT_MAX);
	ck_assert(gk_utf8_valid(detail, strlen(detail)));
	ck_assert_int_eq(strncmp(detail, "signer:sss", 10), 0);
	ck_assert_str_eq(detail + strlen(detail) - strlen(auth), auth);
	ck_assert_int_eq(strstr(detail, "...; auth=") != NULL, _i >= 2);
}
END_TEST

START_TEST(test_the_echo_is_one_line)
{
	const struct gk_audit_when when = { 1700000000123u, 0 };

	ck_assert_int_eq(gk_auditrec_echo(&b, &whole, &when), 0);
	ck_assert_str_eq(text(), "ts=1700000000123 kind=tool_call "
	    "surface=broker outcome=error tool=page_text code=TIMEOUT "
	    "name=chromium detail=a\\nb cid=c1 req=7 conn=2 dur_ms=0");
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_auditrec_echo_json(&b, &whole, &when), 0);
	ck_assert_int_eq(strncmp(text(), "{\"level\":\"audit\",\"v\":1,"
	    "\"ts_ms\":1700000000123,\"kind\":\"tool_call\",", 62), 0);
}
END_TEST

static int
parse(const char *line)
{
	struct gk_auditrec got;

	return gk_auditrec_parse(t.ctx, gk_span_str(line), &got);
}

#define LINE(rest)	"{\"v\":1,\"ts_ms\":5,\"kind\":\"kill_engage\"," \
	"\"surface\":\"cli\"" rest "}"

START_TEST(test_the_reader_is_strict)
{
	static const char *const bad[] = {
		"", "x", "[]", "{}", LINE(",\"more\":1"),
		LINE(",\"req\":-1"), LINE(",\"req\":-0"), LINE(",\"req\":1.0"),
		LINE(",\"req\":9007199254740992"), LINE(",\"req\":\"1\""),
		LINE(",\"name\":null"), LINE(",\"name\":1"),
		LINE(",\"outcome\":\"fine\""), LINE(",\"v\":1"),
		LINE(",\"outcome\":\"ok\",\"outcome\":\"ok\""),
		"{\"v\":2,\"ts_ms\":5,\"kind\":\"kill_engage\","
		    "\"surface\":\"cli\"}",
		"{\"v\":0,\"ts_ms\":5,\"kind\":\"kill_engage\","
		    "\"surface\":\"cli\"}",
		"{\"v\":1,\"ts_ms\":5,\"kind\":\"kill_everything\","
		    "\"surface\":\"cli\"}",
		"{\"v\":1,\"ts_ms\":5,\"kind\":\"kill_engage\","
		    "\"surface\":\"page\"}",
		"{\"v\":1,\"kind\":\"kill_engage\",\"surface\":\"cli\"}",
		"{\"v\":1,\"ts_ms\":5,\"surface\":\"cli\"}",
		"{\"v\":1,\"ts_ms\":5,\"kind\":\"kill_engage\"}",
		LINE("") LINE(""),
	};
	size_t i;

	ck_assert_int_eq(parse(LINE("")), 0);
	ck_assert_int_eq(parse(LINE(",\"req\":9007199254740991")), 0);
	ck_assert_int_eq(parse(LINE(",\"outcome\":\"unenrolled\"")), 0);
	ck_assert_int_eq(parse(LINE(",\"name\":\"\"")), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(parse(bad[i]) == GENKAN_E_RECORD_CORRUPT, "%s",
		    bad[i]);
}
END_TEST

START_TEST(test_a_record_is_shown_on_one_line)
{
	struct gk_auditrec got;

	ck_assert_int_eq(gk_auditrec_parse(t.ctx, gk_span_str("{\"v\":1,"
	    "\"dropped\":2,\"ts_ms\":1700000000123,\"kind\":\"tool_call\","
	    "\"surface\":\"broker\",\"name\":\"a\\u001b[1m\","
	    "\"tool\":\"page_text\",\"dur_ms\":12,\"outcome\":\"ok\","
	    "\"req\":3,\"conn\":1}"), &got), 0);
	ck_assert_int_eq(gk_auditrec_show(&b, &got), 0);
	ck_assert_str_eq(text(), "2023-11-14 22:13:20.123Z  tool_call      "
	    " surface=broker tool=page_text name=a\\x1b[1m outcome=ok "
	    "dur_ms=12 dropped=2");
}
END_TEST

START_TEST(test_times_are_those_of_the_calendar)
{
	static const struct {
		uint64_t	 ms;
		const char	*want;
	} rows[] = {
		{ 0, "1970-01-01 00:00:00.000Z" },
		{ 951782399999u, "2000-02-28 23:59:59.999Z" },
		{ 951782400000u, "2000-02-29 00:00:00.000Z" },
		{ 951868800000u, "2000-03-01 00:00:00.000Z" },
		{ 1709251199000u, "2024-02-29 23:59:59.000Z" },
		{ 4107542400000u, "2100-03-01 00:00:00.000Z" },
		{ 1767225599999u, "2025-12-31 23:59:59.999Z" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		gk_buf_clear(&b);
		ck_assert_int_eq(gk_auditrec_time(&b, rows[i].ms), 0);
		ck_assert_str_eq(text(), rows[i].want);
	}
}
END_TEST

static void
check_tail(const char *trail, size_t limit, const char *want, size_t left)
{
	size_t older = 99;
	struct gk_span got = gk_audit_tail(gk_span_str(trail), limit, &older);

	ck_assert_uint_eq(got.len, strlen(want));
	ck_assert_int_eq(memcmp(got.ptr, want, got.len), 0);
	ck_assert_uint_eq(older, left);
}

START_TEST(test_the_last_line_is_found)
{
	static const struct {
		const char	*trail;
		const char	*want;		/* NULL: there is none */
		size_t		 at;
	} rows[] = {
		{ "", NULL, 0 }, { "\n", NULL, 0 }, { "\n\n", NULL, 0 },
		{ "a", "a", 0 }, { "a\n", "a", 0 }, { "\na\n", "a", 1 },
		{ "a\nbc", "bc", 2 }, { "a\nbc\n", "bc", 2 },
		{ "a\n\n\n", "a", 0 },
	};
	struct gk_span line;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].want == NULL) {
			ck_assert(!gk_audit_last(gk_span_str(rows[i].trail),
			    &line));
			continue;
		}
		ck_assert(gk_audit_last(gk_span_str(rows[i].trail), &line));
		ck_assert_ptr_eq(line.ptr, rows[i].trail + rows[i].at);
		ck_assert_uint_eq(line.len, strlen(rows[i].want));
	}
}
END_TEST

START_TEST(test_the_last_lines_are_taken)
{
	check_tail("", 3, "", 0);
	check_tail("a\nb\nc\n", 0, "", 3);
	check_tail("a\nb\nc\n", 1, "c\n", 2);
	check_tail("a\nb\nc\n", 2, "b\nc\n", 1);
	check_tail("a\nb\nc\n", 3, "a\nb\nc\n", 0);
	check_tail("a\nb\nc\n", 4, "a\nb\nc\n", 0);
	check_tail("a\n\n\nb", 1, "b", 1);
	check_tail("a\n\n\nb\n\n", 2, "a\n\n\nb\n\n", 0);
	check_tail("\n\n", 2, "", 0);
}
END_TEST

START_TEST(test_empty_lines_are_stepped_over)
{
	struct gk_span rest = gk_span_str("\na\n\nbc"), line;

	ck_assert(gk_audit_next(&rest, &line));
	ck_assert(gk_span_eq(line, gk_span_str("a")));
	ck_assert(gk_audit_next(&rest, &line));
	ck_assert(gk_span_eq(line, gk_span_str("bc")));
	ck_assert(!gk_audit_next(&rest, &line));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("auditrec");
	TCase *tc = tcase_create("auditrec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_members_come_in_their_order);
	tcase_add_test(tc, test_what_is_left_out_is_not_there);
	tcase_add_test(tc, test_strings_are_cut_between_characters);
	tcase_add_test(tc, test_the_longest_record_fits_its_buffer);
	tcase_add_loop_test(tc, test_a_pairing_says_what_admitted_it, 0, 4);
	tcase_add_test(tc, test_the_echo_is_one_line);
	tcase_add_test(tc, test_the_reader_is_strict);
	tcase_add_test(tc, test_a_record_is_shown_on_one_line);
	tcase_add_test(tc, test_times_are_those_of_the_calendar);
	tcase_add_test(tc, test_the_last_line_is_found);
	tcase_add_test(tc, test_the_last_lines_are_taken);
	tcase_add_test(tc, test_empty_lines_are_stepped_over);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
