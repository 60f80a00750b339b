/* The dispatch gate: control.md 4.7. */
#include "trust/policy.h"
#include "../records/fakestore.h"
#include "util.h"

/* D2 of control.md 4.3: pageEvalEnabled on, page_upload disabled. */
#define BASE64	\
	"eyJ2IjoxLCJyZXZpc2lvbiI6MiwidG91Y2hlZCI6WyJwYWdlRXZhbEVuYWJsZWQiLCJj" \
	"b25maXJtR3JhY2VNcyIsImRpc2FibGVkVG9vbHMiXSwiY2RwTW9kZSI6ZmFsc2UsImZp" \
	"bGVVcGxvYWRFbmFibGVkIjpmYWxzZSwiaGFuZGxlRGlhbG9nRW5hYmxlZCI6ZmFsc2Us" \
	"InBhZ2VFdmFsRW5hYmxlZCI6dHJ1ZSwiY29uZmlybUhpZ2hSaXNrQ2xpY2siOnRydWUs" \
	"ImNvbmZpcm1QYWdlRXZhbCI6dHJ1ZSwicHJlc2VuY2VDb25maXJtIjp0cnVlLCJjb25m" \
	"aXJtVGFiQ2xvc2UiOnRydWUsIndhcm5QcmVjaXNlU25hcHNob3QiOnRydWUsImV2YWxN" \
	"YXNrIjp0cnVlLCJob3N0UmV2ZXJpZnlNcyI6MCwiY29uZmlybUdyYWNlTXMiOjEyMDAw" \
	"MCwiY2xpY2tUb2FzdFRpbWVvdXRNcyI6MzAwMDAsImV2YWxUb2FzdFRpbWVvdXRNcyI6" \
	"NDUwMDAsImRpc2FibGVkVG9vbHMiOlsicGFnZV91cGxvYWQiXX0="
#define D2	"{\"version\":0,\"baseline_b64\":\"" BASE64 "\"}"
#define D2_WITH(overlay) "{\"version\":0,\"baseline_b64\":\"" BASE64 "\"," \
	"\"overlay\":" overlay "}"
#define KEPT	"{\"version\":0,\"overlay\":{\"disabledTools\":[\"page_eval\"]}}"
#define EVAL	GK_POLICY_BIT(GK_POLICY_PAGE_EVAL)
#define CDP	GK_POLICY_BIT(GK_POLICY_CDP_MODE)
#define DIALOG	GK_POLICY_BIT(GK_POLICY_HANDLE_DIALOG)

static struct gk_test t;
static struct fakestore f;
static struct gk_policy_cache cache;
static struct gk_policy_view view;
static char why[GK_WHY_FULL];

static void
setup(void)
{
	gk_test_init(&t);
	fakestore_init(&f);
	memset(&cache, 0, sizeof(cache));
}

static void
teardown(void)
{
	gk_policy_cache_done(&cache);
	gk_test_done(&t);
}

static void
look(const char *text)
{
	fakestore_set(&f, GK_RECORD_POLICY, text);
	gk_policy_look(t.ctx, &f.store, &cache, &view);
}

static bool
gate(const char *tool, uint32_t grants)
{
	memset(why, 'x', sizeof(why));
	return gk_policy_gate(&view, tool, grants, why, sizeof(why));
}

START_TEST(test_before_the_first_baseline_everything_passes)
{
	look(NULL);
	ck_assert_int_eq(view.state, GK_POLICY_ABSENT);
	ck_assert(gate("tab_list", 0));
	ck_assert(gate("page_eval", EVAL));
	ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(test_a_missing_grant_refuses_and_is_named)
{
	look(D2);
	ck_assert_int_eq(view.state, GK_POLICY_PRESENT);
	ck_assert(gate("page_eval", EVAL));
	ck_assert(!gate("console_get", CDP));
	ck_assert_str_eq(why, "console_get is off by policy: the grant "
	    "cdpMode is off");
	ck_assert(!gate("page_handle_dialog", CDP | DIALOG));
	ck_assert_ptr_nonnull(strstr(why, "cdpMode"));
	ck_assert(!gate("page_handle_dialog", DIALOG));
	ck_assert_ptr_nonnull(strstr(why, "handleDialogEnabled"));
}
END_TEST

START_TEST(test_the_list_of_disabled_tools_refuses)
{
	look(D2);
	ck_assert(gate("tab_list", 0));
	ck_assert(!gate("page_upload", 0));
	ck_assert_str_eq(why, "page_upload is off by policy: it is in the "
	    "list of disabled tools");
	/* The grant is what is named first. */
	ck_assert(!gate("page_upload", CDP));
	ck_assert_ptr_nonnull(strstr(why, "cdpMode"));
}
END_TEST

START_TEST(test_the_effective_policy_decides)
{
	look(D2_WITH("{\"pageEvalEnabled\":false,\"disabledTools\":"
	    "[\"cookie_get\",\"page_upload\"]}"));
	ck_assert(!gate("page_eval", EVAL));
	ck_assert(!gate("cookie_get", 0));
	ck_assert(gate("storage_get", 0));
}
END_TEST

START_TEST(test_what_a_disposal_kept_still_refuses)
{
	look(KEPT);
	ck_assert_int_eq(view.state, GK_POLICY_KEPT);
	ck_assert(!gate("page_eval", EVAL));
	ck_assert_ptr_nonnull(strstr(why, "disabled tools"));
	/* Otherwise as absent: grants are not asked for. */
	ck_assert(gate("console_get", CDP));
	ck_assert(gate("tab_list", 0));
}
END_TEST

/* Defaults may be looser than what the user had set. */
START_TEST(test_an_unreadable_policy_refuses_every_tool)
{
	static const char *const bad[] = {
		"", "{}", "{\"version\":1}", "{\"version\":0}",
		D2_WITH("{\"cdpMode\":true}"),
	};
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(bad); i++) {
		look(bad[i]);
		ck_assert_int_eq(view.state, GK_POLICY_UNREADABLE);
		ck_assert_ptr_null(view.rec);
		ck_assert(!gate("tab_list", 0));
		ck_assert_msg(strstr(why, "tab_list") != NULL, "%s", why);
		ck_assert_msg(strstr(why, "policy.json") != NULL, "%s", why);
		ck_assert_msg(strstr(why, "delete it") != NULL, "%s", why);
	}
	f.error = GENKAN_E_IO;
	look(NULL);
	ck_assert(!gate("list_browsers", 0));
	ck_assert_ptr_nonnull(strstr(why, "cannot be read"));
}
END_TEST

START_TEST(test_the_record_is_looked_at_for_every_call)
{
	look(D2);
	gk_policy_look(t.ctx, &f.store, &cache, &view);
	ck_assert_uint_eq(f.loads, 1);
	look(KEPT);
	ck_assert_uint_eq(f.loads, 2);
	ck_assert(!gate("page_eval", 0));
	look(NULL);
	ck_assert(gate("page_eval", 0));
	look("{");
	ck_assert(!gate("page_eval", 0));
}
END_TEST

START_TEST(test_want_of_memory_refuses)
{
	size_t i;

	view.state = GK_POLICY_UNREADABLE;
	for (i = 1; view.state != GK_POLICY_PRESENT && i < 100; i++) {
		t.fail_at = i;
		look(D2);
		t.fail_at = 0;
		if (view.state != GK_POLICY_PRESENT)
			ck_assert(!gate("tab_list", 0));
	}
	ck_assert_int_eq(view.state, GK_POLICY_PRESENT);
	ck_assert_uint_gt(i, 4);
}
END_TEST

START_TEST(test_a_foreign_name_is_quoted_short_and_escaped)
{
	char name[201];

	memset(name, 'n', sizeof(name));
	name[0] = '\n';
	name[200] = '\0';
	look("{");
	ck_assert(!gate(name, 0));
	ck_assert_ptr_null(strchr(why, '\n'));
	ck_assert_ptr_nonnull(strstr(why, "n... is refused"));
}
END_TEST

/* tools.md 2, the tools that need a grant; the other twenty need none. */
static const struct {
	const char	*tool;
	uint32_t	 grants;
} granted[] = {
	{ "page_eval", EVAL },
	{ "page_snapshot_precise", CDP },
	{ "console_get", CDP },
	{ "page_handle_dialog", CDP | DIALOG },
	{ "page_upload", CDP | GK_POLICY_BIT(GK_POLICY_FILE_UPLOAD) },
};

static uint32_t
grants_of(const struct gk_tool *tool)
{
	uint32_t bits = 0, want = 0;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(tool->grant); i++)
		if (tool->grant[i] != GK_POLICY_NONE)
			bits |= GK_POLICY_BIT(tool->grant[i]);
	for (i = 0; i < GK_ARRAY_LEN(granted); i++)
		if (strcmp(granted[i].tool, tool->name) == 0)
			want = granted[i].grants;
	ck_assert_msg(bits == want, "%s", tool->name);
	return bits;
}

/* Every tool under every combination of the four grants. */
START_TEST(test_each_tool_passes_exactly_under_its_grants)
{
	const struct gk_tool *tool;
	struct gk_policyrec rec;
	uint32_t grants;
	size_t n, i;
	unsigned k;

	tool = gk_schema_tools(&n);
	ck_assert_uint_eq(n, 26);
	memset(&rec, 0, sizeof(rec));
	(void)gk_policyval_defaults(&rec.effective, t.ctx);
	for (k = 0; k < 4; k++)
		rec.effective.num[k] = ((unsigned)_i >> k) & 1;
	view.state = GK_POLICY_PRESENT;
	view.rec = &rec;
	for (i = 0; i < n; i++) {
		grants = grants_of(&tool[i]);
		ck_assert_msg(gate(tool[i].name, grants) ==
		    ((grants & ~(uint32_t)_i) == 0), "%s", tool[i].name);
	}
}
END_TEST

/* And the list of disabled tools stands above all grants. */
START_TEST(test_each_tool_can_be_disabled)
{
	const struct gk_tool *tool;
	struct gk_policyrec rec;
	size_t n, i, k;

	tool = gk_schema_tools(&n);
	for (i = 0; i < n; i++) {
		memset(&rec, 0, sizeof(rec));
		(void)gk_policyval_defaults(&rec.effective, t.ctx);
		for (k = 0; k < 4; k++)
			rec.effective.num[k] = 1;
		ck_assert_int_eq(gk_policyval_disable(&rec.effective,
		    tool[i].name, strlen(tool[i].name)), 0);
		view.rec = &rec;
		for (k = 0; k < n; k++) {
			view.state = GK_POLICY_PRESENT;
			ck_assert(gate(tool[k].name, grants_of(&tool[k])) ==
			    (k != i));
			view.state = GK_POLICY_KEPT;
			ck_assert(gate(tool[k].name, grants_of(&tool[k])) ==
			    (k != i));
		}
		gk_policyval_done(&rec.effective);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policy");
	TCase *tc = tcase_create("policy");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_before_the_first_baseline_everything_passes);
	tcase_add_test(tc, test_a_missing_grant_refuses_and_is_named);
	tcase_add_test(tc, test_the_list_of_disabled_tools_refuses);
	tcase_add_test(tc, test_the_effective_policy_decides);
	tcase_add_test(tc, test_what_a_disposal_kept_still_refuses);
	tcase_add_loop_test(tc,
	    test_each_tool_passes_exactly_under_its_grants, 0, 16);
	tcase_add_test(tc, test_each_tool_can_be_disabled);
	tcase_add_test(tc, test_an_unreadable_policy_refuses_every_tool);
	tcase_add_test(tc, test_the_record_is_looked_at_for_every_call);
	tcase_add_test(tc, test_want_of_memory_refuses);
	tcase_add_test(tc, test_a_foreign_name_is_quoted_short_and_escaped);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
