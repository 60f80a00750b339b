/* The manifest of native messaging: control.md 10.2, 10.3. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "records/manifest.h"
#include "records/store.h"
#include "util.h"

#define NAME	"\"name\":\"com.vivswan.genkan.host\""
#define DESC	"\"description\":\"Genkan native messaging host (managed by " \
		"genkan)\""
#define REST	"\"path\":\"/w\",\"type\":\"stdio\",\"allowed_origins\":[\"" \
		"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl/\"]"

static struct gk_test t;
static struct gk_manifest m;
static char why[GK_WHY_MAX];

static void
setup(void)
{
	gk_test_init(&t);
}

static void
teardown(void)
{
	gk_test_done(&t);
}

static int
parse(const char *text)
{
	return gk_manifest_parse(t.ctx, text, strlen(text), &m, why,
	    sizeof(why));
}

START_TEST(test_what_is_written_is_ours)
{
	struct gk_buf out;

	gk_buf_init(&out, t.ctx, 65536);
	ck_assert_int_eq(gk_manifest_format("/home/\"x\"/run-host.sh", &out),
	    0);
	ck_assert(gk_span_is(gk_buf_span(&out),
	    "{\n"
	    "  \"name\": \"com.vivswan.genkan.host\",\n"
	    "  \"description\": \"Genkan native messaging host (managed by "
	    "genkan)\",\n"
	    "  \"path\": \"/home/\\\"x\\\"/run-host.sh\",\n"
	    "  \"type\": \"stdio\",\n"
	    "  \"allowed_origins\": [\n"
	    "    \"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl/\"\n"
	    "  ]\n"
	    "}\n"));
	ck_assert_int_eq(gk_manifest_parse(t.ctx, out.ptr, out.len, &m, why,
	    sizeof(why)), 0);
	ck_assert(m.ours);
	ck_assert(!m.foreign_origin);
	ck_assert(!m.not_stdio);
	ck_assert_str_eq(m.path, "/home/\"x\"/run-host.sh");
	gk_buf_done(&out);
}
END_TEST

static const struct {
	const char	*text;
	bool		 ours;
} owners[] = {
	{ "{" NAME "," DESC "}", true },
	{ "{" DESC "," NAME ",\"more\":1}", true },
	{ "{" NAME "}", false },
	{ "{" DESC "}", false },
	{ "{}", false },
	{ "{" NAME ",\"description\":\"Genkan native messaging host\"}",
	  false },
	{ "{" NAME ",\"description\":\"genkan native messaging host (managed "
	  "by genkan)\"}", false },
	{ "{" DESC ",\"name\":\"com.vivswan.genkan.host2\"}", false },
	{ "{" NAME ",\"description\":[\"Genkan native messaging host (managed "
	  "by genkan)\"]}", false },
};

START_TEST(test_name_and_description_make_it_ours)
{
	ck_assert_int_eq(parse(owners[_i].text), 0);
	ck_assert_msg(m.ours == owners[_i].ours, "%s", owners[_i].text);
}
END_TEST

static const char *const unreadable[] = {
	"", "{", "[" "]", "{" NAME "," NAME "}", "// c\n{}", "{" NAME ",}",
	"\xff",
};

START_TEST(test_what_is_no_object_is_unreadable)
{
	ck_assert_int_eq(parse(unreadable[_i]), GENKAN_E_RECORD_CORRUPT);
	ck_assert_str_ne(why, "");
}
END_TEST

static const char *const origins[] = {
	"[]", "null", "\"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl/\"",
	"[\"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl\"]",
	"[\"chrome-extension://pbnfjeejlhchbgfnohdclpcidddibccl/\"]",
	"[\"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl/\","
	    "\"chrome-extension://pbnfjeejlhchbgfnohdclpcidddibccl/\"]",
};

START_TEST(test_any_other_origin_is_noticed)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), "{" NAME "," DESC ",\"path\":"
	    "\"/w\",\"type\":\"stdio\",\"allowed_origins\":%s}", origins[_i]);
	ck_assert_int_eq(parse(text), 0);
	ck_assert(m.ours);
	ck_assert(m.foreign_origin);
}
END_TEST

START_TEST(test_a_path_that_is_none_stays_empty)
{
	ck_assert_int_eq(parse("{" NAME "," DESC ",\"path\":1}"), 0);
	ck_assert_str_eq(m.path, "");
	ck_assert_int_eq(parse("{" NAME "," DESC ",\"path\":\"/a\\u0000b\"}"),
	    0);
	ck_assert_str_eq(m.path, "");
	ck_assert_int_eq(parse("{" NAME "," DESC "," REST "}"), 0);
	ck_assert_str_eq(m.path, "/w");
	ck_assert(!m.foreign_origin && !m.not_stdio);
}
END_TEST

START_TEST(test_a_manifest_has_at_most_64_kib)
{
	static char text[65540];

	memset(text, ' ', sizeof(text));
	memcpy(text, "{" NAME "," DESC "}", strlen("{" NAME "," DESC "}"));
	ck_assert_int_eq(gk_manifest_parse(t.ctx, text, (size_t)(65535 + _i),
	    &m, why, sizeof(why)), _i < 2 ? 0 : GENKAN_E_TOO_LARGE);
}
END_TEST

START_TEST(test_only_absolute_utf8_paths_are_written)
{
	struct gk_buf out;

	gk_buf_init(&out, t.ctx, 65536);
	ck_assert_int_eq(gk_manifest_format("run-host.sh", &out),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(gk_manifest_format("", &out), GENKAN_E_INVAL);
	ck_assert_int_eq(gk_manifest_format("/\xff", &out), GENKAN_E_INVAL);
	ck_assert_uint_eq(out.len, 0);
	gk_buf_done(&out);
}
END_TEST

START_TEST(test_want_of_memory_is_no_damage)
{
	size_t i;
	int r = GENKAN_E_NOMEM;

	for (i = 1; r == GENKAN_E_NOMEM && i < 100; i++) {
		t.fail_at = i;
		t.failed = 0;
		r = parse("{" NAME "," DESC ",\"path\":\"/\\u0077\"}");
		ck_assert_int_eq(r, t.failed > 0 ? GENKAN_E_NOMEM : 0);
		if (r < 0)
			ck_assert_str_eq(why, "out of memory");
	}
	t.fail_at = 0;
	ck_assert_str_eq(m.path, "/w");
	ck_assert_uint_gt(i, 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("manifest");
	TCase *tc = tcase_create("manifest");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_what_is_written_is_ours);
	tcase_add_loop_test(tc, test_name_and_description_make_it_ours, 0,
	    (int)GK_ARRAY_LEN(owners));
	tcase_add_loop_test(tc, test_what_is_no_object_is_unreadable, 0,
	    (int)GK_ARRAY_LEN(unreadable));
	tcase_add_loop_test(tc, test_any_other_origin_is_noticed, 0,
	    (int)GK_ARRAY_LEN(origins));
	tcase_add_test(tc, test_a_path_that_is_none_stays_empty);
	tcase_add_loop_test(tc, test_a_manifest_has_at_most_64_kib, 0, 3);
	tcase_add_test(tc, test_only_absolute_utf8_paths_are_written);
	tcase_add_test(tc, test_want_of_memory_is_no_damage);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
