/* Arguments against the catalogue: tools.md 1.2, gates 2 and 3. */
#include <stdio.h>
#include <stdlib.h>

#include "codec/scan.h"
#include "codec/walk.h"
#include "contract/schema.h"
#include "engine/catalog.h"
#include "util.h"

static struct gk_test T;
static struct gk_arguments A;

static void
setup(void)
{
	gk_test_init(&T);
}

static void
teardown(void)
{
	gk_test_done(&T);
}

static int
check(const char *tool, const char *args)
{
	const struct gk_tool *t =
	    gk_schema_tool(gk_schema_tool_find(tool, strlen(tool)));
	struct gk_scan s;

	ck_assert_ptr_nonnull(t);
	if (args == NULL)
		return gk_arguments_check(T.ctx, t, gk_span(NULL, 0), &A);
	ck_assert_int_eq(gk_scan(T.ctx, args, strlen(args), NULL, 0, &s), 0);
	return gk_arguments_check(T.ctx, t, s.text, &A);
}

static const struct {
	const char	*tool;
	const char	*args;		/* NULL: no arguments at all */
	const char	*out;		/* what goes to the browser, or NULL */
	const char	*why;		/* part of the refusal */
} rows[] = {
	{ "tab_list", NULL, "{}", NULL },
	{ "tab_list", "{}", "{}", NULL },
	{ "list_browsers", NULL, "{}", NULL },
	/* browser is taken out */
	{ "tab_list", "{\"browser\":null}", "{}", NULL },
	{ "tab_list", "{\"browser\":\"b\"}", "{}", NULL },
	{ "tab_list", "{\"browser\":\"\"}", "{}", NULL },
	{ "tab_focus", "{\"brow\\u0073er\":\"b\",\"tabId\":1}",
	    "{\"tabId\":1}", NULL },
	{ "tab_list", "{\"browser\":5}", NULL, "tab_list: argument browser "
	    "must be a string, not 5; list_browsers tells" },
	{ "tab_list", "{\"browser\":[\"b\"]}", NULL, "not [\"b\"];" },
	{ "tab_list", "{\"browser\":true}", NULL, "not true;" },
	{ "list_browsers", "{\"browser\":\"b\"}", NULL,
	    "list_browsers: argument browser is unknown" },
	{ "list_browsers", "{\"browser\":null}", NULL, "browser is unknown" },
	/* gate 2 is before gate 3 */
	{ "tab_focus", "{\"x\":1,\"browser\":1}", NULL, "browser must be" },
	/* unknown and missing */
	{ "tab_list", "{\"tabId\":1}", NULL,
	    "tab_list: argument tabId is unknown" },
	{ "tab_list", "{\"\":1}", NULL, "tab_list: argument  is unknown" },
	{ "tab_focus", "{}", NULL, "tab_focus: argument tabId is missing" },
	{ "tab_focus", NULL, NULL, "tab_focus: argument tabId is missing" },
	{ "page_fill", "{\"ref\":\"e1\"}", NULL, "value is missing" },
	/* names spelled with escapes are the names */
	{ "tab_focus", "{\"t\\u0061bId\":7}", "{\"tabId\":7}", NULL },
	/* integers */
	{ "tab_focus", "{\"tabId\":7}", "{\"tabId\":7}", NULL },
	{ "tab_focus", "{\"tabId\":-0}", "{\"tabId\":-0}", NULL },
	{ "tab_focus", "{\"tabId\":7.0}", NULL, "tabId must be an integer" },
	{ "tab_focus", "{\"tabId\":7.5}", NULL, "tabId must be an integer" },
	{ "tab_focus", "{\"tabId\":7e0}", NULL, "tabId must be an integer" },
	{ "tab_focus", "{\"tabId\":\"7\"}", NULL, "tabId must be an integer" },
	{ "tab_focus", "{\"tabId\":null}", NULL, "tabId must be an integer" },
	{ "tab_focus", "{\"tabId\":true}", NULL, "tabId must be an integer" },
	{ "tab_focus", "{\"tabId\":9007199254740991}",
	    "{\"tabId\":9007199254740991}", NULL },
	{ "tab_focus", "{\"tabId\":-9007199254740991}",
	    "{\"tabId\":-9007199254740991}", NULL },
	{ "tab_focus", "{\"tabId\":9007199254740992}", NULL,
	    "tabId is out of range" },
	{ "tab_focus", "{\"tabId\":-9007199254740992}", NULL,
	    "tabId is out of range" },
	{ "tab_focus", "{\"tabId\":99999999999999999999}", NULL,
	    "tabId must be an integer" },
	{ "page_click", "{\"ref\":\"e\",\"count\":0}", NULL,
	    "count is out of range" },
	{ "page_click", "{\"ref\":\"e\",\"count\":1}",
	    "{\"ref\":\"e\",\"count\":1}", NULL },
	{ "page_click", "{\"count\":2,\"ref\":\"e\"}",
	    "{\"count\":2,\"ref\":\"e\"}", NULL },
	{ "page_click", "{\"ref\":\"e\",\"count\":3}", NULL,
	    "count is out of range" },
	/* the extension clamps, we do not */
	{ "page_wait_for", "{\"text\":\"x\",\"timeoutMs\":-5}",
	    "{\"text\":\"x\",\"timeoutMs\":-5}", NULL },
	/* strings */
	{ "tab_open", "{\"url\":\"u\"}", "{\"url\":\"u\"}", NULL },
	{ "tab_open", "{\"url\":\"\"}", NULL, "url must not be empty" },
	{ "tab_open", "{\"url\":5}", NULL, "url must be a string" },
	{ "tab_open", "{\"url\":null}", NULL, "url must be a string" },
	{ "page_fill", "{\"ref\":\"\",\"value\":\"\"}",
	    "{\"ref\":\"\",\"value\":\"\"}", NULL },
	{ "page_fill", "{\"value\":\"a\\u0000\\/\\n\\u00e9\"}",
	    "{\"value\":\"a\\u0000/\\n\u00e9\"}", NULL },
	/* 16 code points, however many bytes */
	{ "page_fill", "{\"value\":\"\",\"ref\":\"0123456789abcdef\"}",
	    "{\"value\":\"\",\"ref\":\"0123456789abcdef\"}", NULL },
	{ "page_fill", "{\"value\":\"\",\"ref\":\"0123456789abcdefg\"}", NULL,
	    "ref is too long" },
	{ "page_fill", "{\"value\":\"\",\"ref\":\"\u00e9\u00e9\u00e9\u00e9"
	    "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
	    "\\u00e9\\ud83d\\ude00\"}", "{\"value\":\"\",\"ref\":\"\u00e9"
	    "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
	    "\u00e9\u00e9\u00e9\u00e9\U0001f600\"}", NULL },
	{ "page_fill", "{\"value\":\"\",\"ref\":\"\u00e9\u00e9\u00e9\u00e9"
	    "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
	    "\u00e9\\u00e9\\ud83d\\ude00\"}", NULL, "ref is too long" },
	/* enum */
	{ "page_click", "{\"button\":\"left\"}", "{\"button\":\"left\"}",
	    NULL },
	{ "page_click", "{\"button\":\"\\u006ceft\"}",
	    "{\"button\":\"left\"}", NULL },
	{ "page_click", "{\"button\":\"Left\"}", NULL,
	    "button is not one of its values" },
	{ "page_handle_dialog", "{\"action\":\"accept\",\"promptText\":\"\"}",
	    "{\"action\":\"accept\",\"promptText\":\"\"}", NULL },
	/* booleans */
	{ "page_snapshot", "{\"interactiveOnly\":false}",
	    "{\"interactiveOnly\":false}", NULL },
	{ "page_snapshot", "{\"interactiveOnly\":0}", NULL,
	    "interactiveOnly must be a boolean" },
	{ "page_snapshot", "{\"interactiveOnly\":\"true\"}", NULL,
	    "interactiveOnly must be a boolean" },
	/* arrays */
	{ "page_click", "{\"modifiers\":[]}", "{\"modifiers\":[]}", NULL },
	{ "page_click", "{ \"modifiers\" : [ \"Alt\" , \"Alt\",\"Meta\" ,"
	    "\"Shift\" ] }", "{\"modifiers\":[\"Alt\",\"Alt\",\"Meta\","
	    "\"Shift\"]}", NULL },
	{ "page_click", "{\"modifiers\":[\"Alt\",\"Alt\",\"Alt\",\"Alt\","
	    "\"Alt\"]}", NULL, "modifiers has too many items" },
	{ "page_click", "{\"modifiers\":[\"alt\"]}", NULL,
	    "modifiers has an item that is not one of its values" },
	{ "page_click", "{\"modifiers\":[1]}", NULL,
	    "modifiers must be an array of strings" },
	{ "page_click", "{\"modifiers\":\"Alt\"}", NULL,
	    "modifiers must be an array of strings" },
	{ "page_click", "{\"modifiers\":null}", NULL,
	    "modifiers must be an array of strings" },
	/* tabId travels */
	{ "page_text", "{\"tabId\":5,\"browser\":\"b\",\"selector\":\"p\"}",
	    "{\"tabId\":5,\"selector\":\"p\"}", NULL },
	/* as many as there are, and one more */
	{ "page_click", "{\"ref\":\"e1\",\"button\":\"left\",\"count\":1,"
	    "\"modifiers\":[],\"tabId\":2,\"browser\":\"b\"}",
	    "{\"ref\":\"e1\",\"button\":\"left\",\"count\":1,"
	    "\"modifiers\":[],\"tabId\":2}", NULL },
	{ "page_click", "{\"ref\":\"e1\",\"button\":\"left\",\"count\":1,"
	    "\"modifiers\":[],\"tabId\":2,\"x\":1}", NULL,
	    "page_click: argument x is unknown" },
	{ "page_click", "{\"ref\":\"e1\",\"button\":\"left\",\"count\":1,"
	    "\"modifiers\":[],\"tabId\":2,\"browser\":5}", NULL,
	    "page_click: argument browser must be a string" },
};

START_TEST(test_row)
{
	int r = check(rows[_i].tool, rows[_i].args);

	ck_assert_int_eq(r, rows[_i].why == NULL);
	if (rows[_i].why == NULL) {
		ck_assert_uint_eq(A.why.len, 0);
		ck_assert_int_eq(gk_buf_putc(&A.args, '\0'), 0);
		ck_assert_str_eq((char *)A.args.ptr, rows[_i].out);
	} else {
		ck_assert_int_eq(gk_buf_putc(&A.why, '\0'), 0);
		ck_assert_msg(strstr((char *)A.why.ptr, rows[_i].why) != NULL,
		    "%s", (char *)A.why.ptr);
		ck_assert_ptr_eq(strstr((char *)A.why.ptr, rows[_i].tool),
		    (char *)A.why.ptr);
	}
	gk_arguments_done(&A);
}
END_TEST

START_TEST(test_browser_is_decoded)
{
	ck_assert_int_eq(check("tab_list", "{\"browser\":\"a\\u0062\"}"), 1);
	ck_assert(A.named);
	ck_assert(gk_span_is(gk_buf_span(&A.label), "ab"));
	gk_arguments_done(&A);
	ck_assert_int_eq(check("tab_list", "{\"browser\":null}"), 1);
	ck_assert(!A.named);
	gk_arguments_done(&A);
}
END_TEST

/* Every bound of every argument of every tool at n-1, n and n+1. */
START_TEST(test_every_length_at_its_limit)
{
	const struct gk_arg *a, *o;
	const struct gk_tool *t;
	size_t i, n, checked = 0;
	int64_t len, d;
	char *args;
	int at, r;

	t = gk_schema_tools(&n);
	for (i = 0; i < n; i++)
		for (a = t[i].args; a->name != NULL; a++) {
			if (a->type != GK_ARG_STRING || a->hi == GK_ANY)
				continue;
			for (d = -1; d <= 1; d++) {
				len = a->hi + d;
				args = malloc((size_t)len + 1000);
				ck_assert_ptr_nonnull(args);
				at = sprintf(args, "{\"%s\":\"", a->name);
				memset(args + at, 'x', (size_t)len);
				strcpy(args + at + len, "\"");
				/* what else the tool cannot do without */
				for (o = t[i].args; o->name != NULL; o++)
					if (o->required && o != a)
						sprintf(args + strlen(args),
						    ",\"%s\":%s%s%s", o->name,
						    o->type == GK_ARG_STRING ?
						    "\"" : "1",
						    o->values != NULL ?
						    o->values[0] : "",
						    o->type == GK_ARG_STRING ?
						    (o->values == NULL ?
						    "x\"" : "\"") : "");
				strcat(args, "}");
				r = check(t[i].name, args);
				ck_assert_msg(r == (d <= 0), "%s.%s %lld",
				    t[i].name, a->name, (long long)len);
				gk_arguments_done(&A);
				free(args);
				checked++;
			}
		}
	ck_assert_uint_gt(checked, 60);
}
END_TEST

START_TEST(test_unknown_name_is_quoted_up_to_256_bytes)
{
	char args[400];

	memset(args, 'n', sizeof(args));
	memcpy(args, "{\"", 2);
	strcpy(args + 2 + 300, "\":1}");
	ck_assert_int_eq(check("tab_list", args), 0);
	ck_assert_uint_eq(A.why.len,
	    strlen("tab_list: argument ") + 256 + strlen(" is unknown"));
	gk_arguments_done(&A);
}
END_TEST

static int
sweep(struct gk_test *t, void *arg)
{
	static const char text[] = "{\"sel\\u0065ctor\":\"\\u00e9\","
	    "\"brows\\u0065r\":\"x\"}";
	struct gk_scan s;
	int r;

	(void)t;
	(void)arg;
	r = gk_scan(T.ctx, text, sizeof(text) - 1, NULL, 0, &s);
	if (r < 0)
		return r;
	r = gk_arguments_check(T.ctx, gk_schema_tool(GK_TOOL_PAGE_TEXT),
	    s.text, &A);
	gk_arguments_done(&A);
	ck_assert_int_ne(r, 0);
	return r < 0 ? r : 0;
}

START_TEST(test_lack_of_memory_is_no_refusal)
{
	ck_assert_uint_gt(gk_test_sweep(&T, sweep, NULL), 3);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("catalog");
	TCase *tc = tcase_create("catalog");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_row, 0, GK_ARRAY_LEN(rows));
	tcase_add_test(tc, test_browser_is_decoded);
	tcase_add_test(tc, test_every_length_at_its_limit);
	tcase_add_test(tc, test_unknown_name_is_quoted_up_to_256_bytes);
	tcase_add_test(tc, test_lack_of_memory_is_no_refusal);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
