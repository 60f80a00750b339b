/* Gates and their order: wire 9.1, control.md 4.7, and the audit of calls. */
#include "broker_world.h"

#include "codec/b64.h"

static struct world W;
static struct peer B;

static void
setup(void)
{
	world_init(&W);
	world_own(&W);
}

static void
teardown(void)
{
	peer_free(&B);
	world_done(&W);
}

/* A browser with every capability, its hello done. */
static void
ready(void)
{
	browser(&W, &B, "b");
	tell(&B, "{\"id\":44,\"ok\":true}");
}

/* policy.json with this baseline: name and value of what is not default. */
static void
policy(const char *grants, const char *disabled, const char *overlay)
{
	static const char *const field[] = {
		"cdpMode", "fileUploadEnabled", "handleDialogEnabled",
		"pageEvalEnabled"
	};
	char doc[1024], rec[4096];
	struct gk_buf b64;
	size_t i;
	int n;

	n = sprintf(doc, "{\"v\":1,\"revision\":1,\"touched\":[]");
	for (i = 0; i < 4; i++)
		n += sprintf(doc + n, ",\"%s\":%s", field[i],
		    strstr(grants, field[i]) != NULL ? "true" : "false");
	sprintf(doc + n, ",\"confirmHighRiskClick\":true,"
	    "\"confirmPageEval\":true,\"presenceConfirm\":true,"
	    "\"confirmTabClose\":true,\"warnPreciseSnapshot\":true,"
	    "\"evalMask\":true,\"hostReverifyMs\":0,\"confirmGraceMs\":60000,"
	    "\"clickToastTimeoutMs\":30000,\"evalToastTimeoutMs\":45000,"
	    "\"disabledTools\":[%s]}", disabled);
	gk_buf_init(&b64, W.t.ctx, 4096);
	ck_assert_int_eq(gk_b64_put(&b64, GK_B64_STD, doc, strlen(doc)), 0);
	snprintf(rec, sizeof(rec), "{\"version\":0,\"baseline_b64\":\"%.*s\"%s"
	    "%s}", (int)b64.len, (char *)b64.ptr, overlay == NULL ? "" :
	    ",\"overlay\":", overlay == NULL ? "" : overlay);
	gk_buf_done(&b64);
	world_write(&W, GK_RECORD_POLICY, rec);
}

/* ---------------------------------------------------------------- policy */

static const struct {
	const char	*grants;	/* NULL: no record with a baseline */
	const char	*disabled;
	const char	*overlay;
	const char	*record;	/* instead */
	const char	*call;
	const char	*why;		/* NULL: passes */
} policies[] = {
	{ NULL, NULL, NULL, NULL, CALL("1", "page_eval",
	    "{\"code\":\"1\"}"), NULL },
	{ "", "", NULL, NULL, CALL("1", "tab_list", "{}"), NULL },
	{ "", "", NULL, NULL, CALL("1", "page_eval", "{\"code\":\"1\"}"),
	    "pageEvalEnabled" },
	{ "pageEvalEnabled", "", NULL, NULL, CALL("1", "page_eval",
	    "{\"code\":\"1\"}"), NULL },
	{ "pageEvalEnabled", "", "{\"pageEvalEnabled\":false}", NULL,
	    CALL("1", "page_eval", "{\"code\":\"1\"}"), "pageEvalEnabled" },
	{ "", "", NULL, NULL, CALL("1", "console_get", "{}"), "cdpMode" },
	{ "cdpMode", "", NULL, NULL, CALL("1", "console_get", "{}"), NULL },
	{ "cdpMode", "", NULL, NULL, CALL("1", "page_upload",
	    "{\"selector\":\"a\",\"path\":\"/a\"}"), "fileUploadEnabled" },
	{ "fileUploadEnabled", "", NULL, NULL, CALL("1", "page_upload",
	    "{\"selector\":\"a\",\"path\":\"/a\"}"), "cdpMode" },
	{ "cdpMode fileUploadEnabled", "", NULL, NULL, CALL("1",
	    "page_upload", "{\"selector\":\"a\",\"path\":\"/a\"}"), NULL },
	{ "cdpMode handleDialogEnabled", "", NULL, NULL, CALL("1",
	    "page_handle_dialog", "{\"action\":\"accept\"}"), NULL },
	{ "cdpMode", "", NULL, NULL, CALL("1", "page_handle_dialog",
	    "{\"action\":\"accept\"}"), "handleDialogEnabled" },
	{ "", "\"tab_list\"", NULL, NULL, CALL("1", "tab_list", "{}"),
	    "list of disabled tools" },
	{ "", "\"tab_list\"", NULL, NULL, CALL("1", "tab_focus",
	    "{\"tabId\":1}"), NULL },
	{ "", "", "{\"disabledTools\":[\"tab_list\"]}", NULL,
	    CALL("1", "tab_list", "{}"), "list of disabled tools" },
	{ "", "\"list_browsers\"", NULL, NULL, CALL("1", "list_browsers",
	    "{}"), "list of disabled tools" },
	/* without baseline */
	{ NULL, NULL, NULL, DISABLES("\"tab_list\""), CALL("1", "tab_list",
	    "{}"), "list of disabled tools" },
	{ NULL, NULL, NULL, DISABLES("\"tab_list\""), CALL("1", "page_eval",
	    "{\"code\":\"1\"}"), NULL },
	/* damaged: nothing passes */
	{ NULL, NULL, NULL, "{", CALL("1", "tab_list", "{}"),
	    "/state/policy.json cannot be used" },
	{ NULL, NULL, NULL, "{\"version\":1}", CALL("1", "list_browsers",
	    "{}"), "/state/policy.json cannot be used" },
};

START_TEST(test_policy_row)
{
	ready();
	if (policies[_i].grants != NULL)
		policy(policies[_i].grants, policies[_i].disabled,
		    policies[_i].overlay);
	else
		world_write(&W, GK_RECORD_POLICY, policies[_i].record);
	own_say(&W, policies[_i].call);
	if (policies[_i].why != NULL) {
		ck_fails(own_hear(&W), "TOOL_DISABLED", policies[_i].why);
		ck_assert_str_eq(hear(&B), "");
	} else {
		ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\""));
		ck_assert_str_eq(own_hear(&W), "");
	}
}
END_TEST

/* ------------------------------------------------------------------ kill */

static const struct {
	const char	*trust;
	const char	*why;		/* NULL: passes */
} kills[] = {
	{ NULL, NULL }, { FRESH, NULL }, { PAIRED_A, NULL },
	{ KILLED, "`genkan unkill`" },
	{ "{", "/state/trust.json cannot be used" },
	{ TRUST("false", "5"), "`genkan doctor`" },
};

START_TEST(test_kill_row)
{
	ready();
	world_write(&W, GK_RECORD_TRUST, kills[_i].trust);
	own_say(&W, CALL("1", "tab_list", "{}"));
	if (kills[_i].why != NULL)
		ck_fails(own_hear(&W), "BRIDGE_KILLED", kills[_i].why);
	else
		ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\"tab_list\""));
}
END_TEST

START_TEST(test_record_that_cannot_be_loaded_is_unreadable)
{
	ready();
	W.fails[GK_RECORD_TRUST] = GENKAN_E_IO;
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "made to fail");
	W.fails[GK_RECORD_TRUST] = 0;
	W.fails[GK_RECORD_POLICY] = GENKAN_E_ACCESS;
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "TOOL_DISABLED", "made to fail");
	W.fails[GK_RECORD_POLICY] = 0;
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\"tab_list\""));
}
END_TEST

/* Records are read for every call; an unchanged one is not parsed again. */
START_TEST(test_records_are_looked_at_for_every_call)
{
	size_t loads;

	ready();
	world_write(&W, GK_RECORD_TRUST, FRESH);
	world_write(&W, GK_RECORD_POLICY, DISABLES("\"tab_focus\""));
	own_say(&W, CALL("1", "tab_list", "{}"));
	loads = W.loads;
	own_say(&W, CALL("2", "tab_list", "{}"));
	ck_assert_uint_eq(W.loads, loads);
	world_write(&W, GK_RECORD_POLICY, DISABLES("\"tab_list\""));
	own_say(&W, CALL("3", "tab_list", "{}"));
	ck_fails(own_hear(&W), "TOOL_DISABLED", "");
	world_write(&W, GK_RECORD_TRUST, KILLED);
	own_say(&W, CALL("3", "tab_list", "{}"));
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "");
	world_write(&W, GK_RECORD_TRUST, NULL);
	world_write(&W, GK_RECORD_POLICY, NULL);
	own_say(&W, CALL("3", "tab_list", "{}"));
	ck_assert_str_eq(own_hear(&W), "");
}
END_TEST

/* ----------------------------------------------------------------- order */

/* Everything is wrong at once; taking one away shows the next gate. */
START_TEST(test_first_gate_that_fails_answers)
{
	world_write(&W, GK_RECORD_TRUST, KILLED);
	policy("", "\"tab_focus\"", NULL);
	/* an unfit call comes before gate 1, and is not audited */
	own_say(&W, CALL("1", "nope", "{\"browser\":5}"));
	ck_assert_ptr_nonnull(strstr(own_hear(&W), "-32602"));
	ck_assert_uint_eq(audits(&W, "tool_call"), 0);
	/* 1 */
	own_say(&W, CALL("1", "tab_focus", "{\"browser\":5,\"x\":1}"));
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "");
	world_write(&W, GK_RECORD_TRUST, NULL);
	/* 2 */
	own_say(&W, CALL("1", "tab_focus", "{\"browser\":5,\"x\":1}"));
	ck_fails(own_hear(&W), "INVALID_ARGUMENT", "browser");
	/* 3 */
	own_say(&W, CALL("1", "tab_focus", "{\"browser\":\"n\",\"x\":1}"));
	ck_fails(own_hear(&W), "INVALID_ARGUMENT", "x is unknown");
	/* 4 */
	own_say(&W, CALL("1", "tab_focus", "{\"browser\":\"n\","
	    "\"tabId\":1}"));
	ck_fails(own_hear(&W), "TOOL_DISABLED", "disabled tools");
	world_write(&W, GK_RECORD_POLICY, NULL);
	/* 5, and the id that it draws */
	browser(&W, &B, "b");
	own_say(&W, CALL("1", "tab_focus", "{\"browser\":\"n\","
	    "\"tabId\":1}"));
	ck_fails(own_hear(&W), "BROWSER_NOT_FOUND", "");
	ck_assert_str_eq(audited(&W, 1),
	    "tool_call error tab_focus BROWSER_NOT_FOUND - - 1 -1 0ms");
	/* 7 */
	hello(&B, "");
	own_say(&W, CALL("1", "tab_focus", "{\"tabId\":1}"));
	ck_fails(own_hear(&W), "TOOL_DISABLED", "tab_focus needs the "
	    "capability tab_control, which browser b has not announced");
	/* nothing was sent all the while */
	ck_assert_str_eq(hear(&B), "");
	/* refused calls left gaps */
	peer_free(&B);
	browser(&W, &B, "b");
	tell(&B, "{\"id\":44,\"ok\":true}");
	own_say(&W, CALL("1", "tab_focus", "{\"tabId\":1}"));
	ck_assert_str_eq(hear(&B), "{\"id\":3,\"op\":\"tab_focus\","
	    "\"browser\":\"b\",\"args\":{\"tabId\":1}}");
}
END_TEST

/* Gates 1 to 4 come before any waiting. */
START_TEST(test_early_gates_do_not_wait_for_a_browser)
{
	own_say(&W, CALL("1", "tab_focus", "{}"));
	ck_fails(own_hear(&W), "INVALID_ARGUMENT", "tabId is missing");
	own_say(&W, CALL("1", "tab_list", "{\"browser\":{}}"));
	ck_fails(own_hear(&W), "INVALID_ARGUMENT", "not {}");
	world_write(&W, GK_RECORD_POLICY, DISABLES("\"tab_list\""));
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "TOOL_DISABLED", "");
	world_write(&W, GK_RECORD_TRUST, KILLED);
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "");
}
END_TEST

START_TEST(test_records_again_after_the_wait_for_a_browser)
{
	own_say(&W, CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("2", "tab_focus", "{\"tabId\":1}"));
	world_write(&W, GK_RECORD_POLICY, DISABLES("\"tab_list\""));
	browser(&W, &B, "b");
	ck_fails(own_hear(&W), "TOOL_DISABLED", "disabled tools");
	ck_assert_str_eq(own_hear(&W), "");
	tell(&B, "{\"id\":44,\"ok\":true}");
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\"tab_focus\""));
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

/* No browser will be admitted, so there is nothing to wait for. */
START_TEST(test_a_kill_ends_the_wait_for_a_browser_with_the_next_sweep)
{
	own_say(&W, CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("2", "tab_list", "{\"browser\":\"b\"}"));
	world_write(&W, GK_RECORD_TRUST, _i == 0 ? KILLED : "{");
	world_run(&W, 1999);
	ck_assert_str_eq(own_hear(&W), "");
	world_run(&W, 2000);
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "\"id\":1");
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "\"id\":2");
	ck_assert_uint_eq(audits(&W, "tool_call refused tab_list "
	    "BRIDGE_KILLED - - "), 2);
	/* Released, it waits as ever. */
	world_write(&W, GK_RECORD_TRUST, NULL);
	own_say(&W, CALL("3", "tab_list", "{}"));
	world_run(&W, 3000);
	ck_assert_str_eq(own_hear(&W), "");
	browser(&W, &B, "b");
	hello(&B, "\"tab_control\"");
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"op\":\"tab_list\""));
}
END_TEST

START_TEST(test_records_again_after_the_hello_wait)
{
	browser(&W, &B, "b");
	own_say(&W, CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("2", "tab_list", "{}"));
	world_write(&W, GK_RECORD_TRUST, KILLED);
	hello(&B, "\"tab_control\"");
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "\"id\":1");
	ck_fails(own_hear(&W), "BRIDGE_KILLED", "\"id\":2");
	ck_assert_uint_eq(audits(&W, "tool_call refused tab_list "
	    "BRIDGE_KILLED b - "), 2);
	ck_assert_str_eq(hear(&B), "");
}
END_TEST

/* ----------------------------------------------------------------- audit */

START_TEST(test_one_record_for_each_call_that_reaches_gate_1)
{
	ready();
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_assert_uint_eq(audits(&W, "tool_call"), 0);
	world_run(&W, 1250);
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":\"page data\"}");
	ck_assert_str_eq(audited(&W, 1), "tool_call ok tab_list - b - 1 1 "
	    "250ms");
	own_hear(&W);
	own_say(&W, CALL("1", "tab_list", "{}"));
	tell(&B, "{\"id\":2,\"ok\":false,\"error\":\"page data\",\"code\":"
	    "\"USER_DENIED\"}");
	ck_assert_str_eq(audited(&W, 1), "tool_call refused tab_list "
	    "USER_DENIED b - 2 1 0ms");
	own_say(&W, CALL("2", "tab_list", "{\"secret\":\"argument\"}"));
	ck_assert_str_eq(audited(&W, 1), "tool_call error tab_list "
	    "INVALID_ARGUMENT - - -1 -1 0ms");
	own_say(&W, CALL("3", "tab_list", "{}"));
	own_say(&W, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":3}}");
	ck_assert_str_eq(audited(&W, 1), "tool_call error tab_list - b "
	    "cancelled 3 1 0ms");
	ck_assert_uint_eq(audits(&W, "tool_call"), 4);
}
END_TEST

/* control.md 11.2: with a client's first tool call, never before, once. */
START_TEST(test_harness_admit_with_the_first_call)
{
	struct peer r, n;

	memset(&r, 0, sizeof(r));
	memset(&n, 0, sizeof(n));
	ck_assert_uint_eq(audits(&W, "harness_admit"), 0);
	/* not while the record cannot be read */
	world_write(&W, GK_RECORD_TRUST, "{");
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_assert_uint_eq(audits(&W, "harness_admit"), 0);
	world_write(&W, GK_RECORD_TRUST, KILLED);
	own_say(&W, CALL("2", "tab_list", "{}"));
	ck_assert_uint_eq(audits(&W, "harness_admit unenrolled - - - hash:"
	    HASH_A), 1);
	world_write(&W, GK_RECORD_TRUST, NULL);
	own_say(&W, CALL("3", "tab_list", "{}"));
	ck_assert_uint_eq(audits(&W, "harness_admit"), 1);

	relay(&W, &n, NULL);
	client_open(&n);
	tell(&n, CALL("1", "nope", "{}"));
	ck_assert_uint_eq(audits(&W, "harness_admit"), 1);
	tell(&n, CALL("1", "tab_list", "{}"));
	ck_assert_str_eq(audited(&W, 1),
	    "harness_admit unenrolled - - - unmeasured -1 -1");
	peer_free(&n);

	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	relay(&W, &r, HASH_A);
	client_open(&r);
	tell(&r, CALL("1", "tab_list", "{}"));
	tell(&r, CALL("2", "tab_list", "{}"));
	ck_assert_uint_eq(audits(&W, "harness_admit ok - - alpha hash:"
	    HASH_A), 1);
	ck_assert_uint_eq(audits(&W, "harness_admit"), 3);
	peer_free(&r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gate");
	TCase *tc = tcase_create("gate");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_policy_row, 0, GK_ARRAY_LEN(policies));
	tcase_add_loop_test(tc, test_kill_row, 0, GK_ARRAY_LEN(kills));
	tcase_add_test(tc, test_record_that_cannot_be_loaded_is_unreadable);
	tcase_add_test(tc, test_records_are_looked_at_for_every_call);
	tcase_add_test(tc, test_first_gate_that_fails_answers);
	tcase_add_test(tc, test_early_gates_do_not_wait_for_a_browser);
	tcase_add_test(tc, test_records_again_after_the_wait_for_a_browser);
	tcase_add_loop_test(tc,
	    test_a_kill_ends_the_wait_for_a_browser_with_the_next_sweep, 0, 2);
	tcase_add_test(tc, test_records_again_after_the_hello_wait);
	tcase_add_test(tc, test_one_record_for_each_call_that_reaches_gate_1);
	tcase_add_test(tc, test_harness_admit_with_the_first_call);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
