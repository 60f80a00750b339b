/* The catalogue: order, metadata, and tools/list byte for byte. */
#include <stdio.h>
#include <stdlib.h>

#include "contract/schema.h"
#include "tap.h"

/* One row of the catalogue as one line, so that a change shows as a whole. */
static const char *const catalogue[] = {
	"list_browsers|List browsers|LOW|SERVER|TABS|NONE|-||JSON|SRV|y-y-",
	"tab_list|List tabs|LOW|TAB|TABS|NONE|tab_control||JSON|SW|y-yy",
	"tab_focus|Focus tab|LOW|TAB|TABS|NONE|tab_control||JSON|SW|--y-",
	"tab_open|Open tab|MEDIUM|TAB|TABS|NONE|tab_control||JSON|SW|---y",
	"tab_close|Close tab|HIGH|TAB|TABS|EVERY_CALL|tab_control||JSON|SW|-yy-",
	"page_snapshot|Page outline|LOW|PAGE|SCRIPTING|NONE|page_snapshot||TEXT|PG|y-yy",
	"page_click|Click|HIGH|PAGE|SCRIPTING|HIGH_RISK|page_interact||JSON|PG|-y-y",
	"page_fill|Fill field|HIGH|PAGE|SCRIPTING|NONE|page_interact||JSON|PG|-yyy",
	"page_text|Page text|MEDIUM|PAGE|SCRIPTING|NONE|page_read||JSON|PG|y-yy",
	"page_screenshot|Screenshot|MEDIUM|PAGE|TABS|NONE|tab_control||IMAGE|PGSW|y-yy",
	"page_scroll|Scroll|LOW|PAGE|SCRIPTING|NONE|page_interact||JSON|PG|---y",
	"page_wait_for|Wait for page|LOW|PAGE|SCRIPTING|NONE|page_interact||JSON|PG|y-yy",
	"page_eval|Run JavaScript|CRITICAL|PAGE|SCRIPTING|EVERY_CALL|page_eval|pageEvalEnabled |JSON|PG|-y-y",
	"page_snapshot_precise|Precise outline|MEDIUM|PAGE|DEBUGGER|WARN|page_snapshot_precise|cdpMode |TEXT|SW|y-yy",
	"cookie_get|Read cookies|HIGH|TAB|COOKIES|NONE|cookie_read||JSON|SW|y-yy",
	"storage_get|Read web storage|HIGH|PAGE|SCRIPTING|NONE|storage_read||JSON|PG|y-yy",
	"page_navigate|Navigate|MEDIUM|TAB|TABS|NONE|tab_control||JSON|SW|--yy",
	"page_back|Back|LOW|TAB|TABS|NONE|tab_control||JSON|SW|---y",
	"page_forward|Forward|LOW|TAB|TABS|NONE|tab_control||JSON|SW|---y",
	"page_reload|Reload|LOW|TAB|TABS|NONE|tab_control||JSON|SW|--yy",
	"page_press|Press keys|HIGH|PAGE|SCRIPTING|EVERY_CALL|page_interact||JSON|PG|-y-y",
	"page_hover|Hover|LOW|PAGE|SCRIPTING|NONE|page_interact||JSON|PG|--yy",
	"page_select|Select option|HIGH|PAGE|SCRIPTING|EVERY_CALL|page_interact||JSON|PG|-yyy",
	"console_get|Read console|MEDIUM|PAGE|DEBUGGER|WARN|console_read|cdpMode |JSON|SW|y-yy",
	"page_handle_dialog|Answer dialog|HIGH|PAGE|DEBUGGER|WARN|dialog_control|cdpMode handleDialogEnabled |JSON|SW|-y-y",
	"page_upload|Upload file|CRITICAL|PAGE|DEBUGGER|EVERY_CALL|file_upload|cdpMode fileUploadEnabled |JSON|SW|-yyy",
};

START_TEST(test_twenty_six_tools_in_order)
{
	const struct gk_policy_field *p;
	const struct gk_tool *t;
	const char *cap;
	char line[256], grants[80];
	size_t i, j, n, np;

	p = gk_schema_policy(&np);
	t = gk_schema_tools(&n);
	ck_assert_uint_eq(n, 26);
	ck_assert_uint_eq(sizeof(catalogue) / sizeof(catalogue[0]), 26);
	for (i = 0; i < n; i++) {
		grants[0] = '\0';
		for (j = 0; j < 2; j++)
			if (t[i].grant[j] != GK_POLICY_NONE) {
				strcat(grants, p[t[i].grant[j]].name);
				strcat(grants, " ");
			}
		cap = gk_schema_cap(t[i].cap);
		snprintf(line, sizeof(line), "%s|%s|%s|%s|%s|%s|%s|%s|%s|%s|%s",
		    t[i].name, t[i].title, t[i].w_risk, t[i].w_scope,
		    t[i].w_perm, t[i].w_confirm, cap == NULL ? "-" : cap,
		    grants, t[i].w_render, t[i].w_at, t[i].rdio);
		ck_assert_str_eq(line, catalogue[i]);
		ck_assert_int_eq(gk_schema_tool_find(T(t[i].name)), (int)i);
		ck_assert_ptr_eq(gk_schema_tool((int)i), &t[i]);
	}
}
END_TEST

/* The golden file was written from the specification, not by gencontract. */
START_TEST(test_tools_list_byte_for_byte)
{
	const char *dir = getenv("GENKAN_SRCDIR"), *entry;
	char path[4096], line[8192];
	size_t len;
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "%s/tests/unit/contract/tools_list.json",
	    dir == NULL ? "." : dir);
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "cannot read %s", path);
	for (i = 0; fgets(line, sizeof(line), f) != NULL; i++) {
		line[strcspn(line, "\n")] = '\0';
		entry = gk_schema_tool_json(i, &len);
		ck_assert_ptr_nonnull(entry);
		ck_assert_str_eq(entry, line);
		ck_assert_uint_eq(len, strlen(line));
	}
	fclose(f);
	ck_assert_int_eq(i, GK_TOOL_END);
}
END_TEST

START_TEST(test_no_entry_outside_the_catalogue)
{
	size_t len = 7;

	ck_assert_ptr_null(gk_schema_tool_json(-1, &len));
	ck_assert_ptr_null(gk_schema_tool_json(GK_TOOL_END, &len));
	ck_assert_uint_eq(len, 7);
	ck_assert_ptr_null(gk_schema_tool(-1));
	ck_assert_ptr_null(gk_schema_tool(GK_TOOL_END));
	ck_assert_int_eq(gk_schema_tool_find(T("tab_lis")), -1);
	ck_assert_int_eq(gk_schema_tool_find(T("tab_list_")), -1);
	ck_assert_ptr_null(gk_schema_cap(GK_CAP_NONE));
	ck_assert_ptr_null(gk_schema_cap(GK_CAP_END));
}
END_TEST

START_TEST(test_capability_names_in_order)
{
	static const char *const want[] = {
		"tab_control", "page_snapshot", "page_snapshot_precise",
		"page_interact", "page_read", "page_eval", "cookie_read",
		"storage_read", "console_read", "dialog_control",
		"file_upload",
	};
	int i;

	ck_assert_int_eq(GK_CAP_END, 11);
	for (i = 0; i < GK_CAP_END; i++) {
		ck_assert_str_eq(gk_schema_cap(i), want[i]);
		ck_assert_int_eq(gk_schema_cap_find(T(want[i])), i);
	}
	ck_assert_int_eq(gk_schema_cap_find(T("tab_contro")), -1);
}
END_TEST

/* What is taken out by the server, and what travels. */
START_TEST(test_common_arguments)
{
	const struct gk_arg *a;
	const struct gk_tool *t;
	size_t i, n;
	int with_tab = 0;

	t = gk_schema_tools(&n);
	for (i = 0; i < n; i++) {
		ck_assert_ptr_null(gk_schema_arg_find(&t[i], T("browser")));
		ck_assert_int_eq(t[i].browser, i != GK_TOOL_LIST_BROWSERS);
		a = gk_schema_arg_find(&t[i], T("tabId"));
		if (a == NULL || a->required)
			continue;
		with_tab++;
		ck_assert_ptr_null(a[1].name);	/* last of its own */
		ck_assert_int_eq(a->lo, -GK_INTEGER_MAX);
		ck_assert_int_eq(a->hi, GK_INTEGER_MAX);
	}
	ck_assert_int_eq(with_tab, 21);
	ck_assert_ptr_null(gk_schema_arg_find(NULL, T("tabId")));
}
END_TEST

START_TEST(test_arguments_carry_their_bounds)
{
	const struct gk_arg *a;

	a = gk_schema_arg_find(gk_schema_tool(GK_TOOL_PAGE_CLICK),
	    T("modifiers"));
	ck_assert_int_eq((int)a->type, GK_ARG_ARRAY);
	ck_assert_int_eq(a->hi, 4);
	ck_assert_str_eq(a->values[3], "Shift");
	ck_assert_ptr_null(a->values[4]);
	a = gk_schema_arg_find(gk_schema_tool(GK_TOOL_PAGE_CLICK), T("count"));
	ck_assert_int_eq(a->lo, 1);
	ck_assert_int_eq(a->hi, 2);
	a = gk_schema_arg_find(gk_schema_tool(GK_TOOL_PAGE_EVAL), T("code"));
	ck_assert_int_eq(a->lo, 1);
	ck_assert_int_eq(a->hi, 65536);
	ck_assert_int_eq(a->required, 1);
	a = gk_schema_arg_find(gk_schema_tool(GK_TOOL_PAGE_FILL), T("value"));
	ck_assert_int_eq(a->lo, GK_ANY);
	ck_assert_int_eq(a->hi, GK_ANY);
	a = gk_schema_arg_find(gk_schema_tool(GK_TOOL_TAB_FOCUS), T("tabId"));
	ck_assert_int_eq(a->required, 1);
}
END_TEST

/* A bridge request names a tool of the extension, never the server's own. */
START_TEST(test_bridge_ops_are_all_but_list_browsers)
{
	const char *const *ops = gk_schema_set(GK_SET_OP);
	size_t n;

	for (n = 0; ops[n] != NULL; n++)
		ck_assert_int_ge(gk_schema_tool_find(T(ops[n])), 1);
	ck_assert_uint_eq(n, 25);
	ck_assert_int_eq(gk_schema_set_find(GK_SET_OP, T("list_browsers")), -1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tools");
	TCase *tc = tcase_create("catalogue");

	tcase_add_test(tc, test_twenty_six_tools_in_order);
	tcase_add_test(tc, test_tools_list_byte_for_byte);
	tcase_add_test(tc, test_no_entry_outside_the_catalogue);
	tcase_add_test(tc, test_capability_names_in_order);
	tcase_add_test(tc, test_common_arguments);
	tcase_add_test(tc, test_arguments_carry_their_bounds);
	tcase_add_test(tc, test_bridge_ops_are_all_but_list_browsers);
	suite_add_tcase(s, tc);
	return tap_main(s);
}
