/* What a change would write: control.md 4.2, 4.5, 4.6, 6.4. */
#include "policyworld.h"

#define BIT(name)	GK_POLICY_BIT(GK_POLICY_##name)

static void
setup(void)
{
	world_init();
}

static void
teardown(void)
{
	world_done();
}

static const char *
document(void)
{
	static char ret[4096];

	ck_assert(plan->next->has_baseline);
	ck_assert_uint_lt(plan->next->doc_len, sizeof(ret));
	memcpy(ret, plan->next->doc_bytes, plan->next->doc_len);
	ret[plan->next->doc_len] = '\0';
	return ret;
}

static const char *
overlay(void)
{
	static char ret[4096];
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, sizeof(ret) - 1);
	ck_assert_int_eq(gk_overlay_format(&plan->next->overlay, &b), 0);
	memcpy(ret, b.ptr, b.len);
	ret[b.len] = '\0';
	gk_buf_done(&b);
	return ret;
}

/* ---------------------------------------------------------------------- set */

START_TEST(test_the_first_baseline_grows_from_the_deny_baseline)
{
	struct gk_buf b;

	ck_assert_int_eq(set("{\"confirmGraceMs\":60000}"), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_GRANT);
	ck_assert_ptr_null(plan->seen);
	ck_assert_ptr_nonnull(strstr(document(), "{\"v\":1,\"revision\":1,"
	    "\"touched\":[\"confirmGraceMs\"],\"cdpMode\":false,"));
	ck_assert(!plan->next->is_signed);
	ck_assert_uint_eq(plan->next->overlay.has, 0);
	gk_buf_init(&b, t.ctx, 4096);
	ck_assert_int_eq(gk_policy_plan_message(plan, &b), 0);
	ck_assert_uint_eq(b.len, 17 + plan->next->doc_len);
	ck_assert_mem_eq(b.ptr, "genkan-policy-v1\0{\"v\":1,", 24);
	gk_buf_done(&b);
}
END_TEST

/* From D1 to D2: the very bytes that the specification has signed. */
START_TEST(test_a_set_makes_the_bytes_of_the_specification)
{
	struct gk_buf b;

	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(set("{\"disabledTools\":[\"page_upload\"],"
	    "\"pageEvalEnabled\":true,\"confirmGraceMs\":120000}"),
	    GK_POLICY_FINE);
	ck_assert_str_eq(document(), D2);
	ck_assert_str_eq(summary(), "pageEvalEnabled=on,confirmGraceMs=120000,"
	    "disabledTools=[page_upload]");
	gk_buf_init(&b, t.ctx, 4096);
	ck_assert_int_eq(gk_policy_plan_message(plan, &b), 0);
	ck_assert_uint_eq(b.len, 463);
	gk_buf_done(&b);
}
END_TEST

START_TEST(test_untouched_fields_come_from_the_baseline_not_from_the_effect)
{
	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":1000,"
	    "\"disabledTools\":[\"tab_list\"]}");
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_ptr_nonnull(strstr(document(), "\"confirmGraceMs\":60000"));
	ck_assert_ptr_nonnull(strstr(document(), "\"disabledTools\":[]"));
	ck_assert_str_eq(overlay(), "{\"confirmGraceMs\":1000,"
	    "\"disabledTools\":[\"tab_list\"]}");
	ck_assert_uint_eq(plan->next->effective.num[
	    GK_POLICY_CONFIRM_GRACE_MS], 1000);
	ck_assert_uint_eq(plan->fields, BIT(CDP_MODE));
}
END_TEST

START_TEST(test_a_touched_field_leaves_the_overlay)
{
	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":1000,"
	    "\"disabledTools\":[\"tab_list\"]}");
	ck_assert_int_eq(set("{\"confirmGraceMs\":2000,\"disabledTools\":[]}"),
	    GK_POLICY_FINE);
	ck_assert_uint_eq(plan->next->overlay.has, 0);
	ck_assert_uint_eq(plan->next->effective.num[
	    GK_POLICY_CONFIRM_GRACE_MS], 2000);
	ck_assert_uint_eq(plan->next->effective.disabled.n, 0);
	ck_assert_uint_eq(plan->next->doc.touched, BIT(CONFIRM_GRACE_MS) |
	    BIT(DISABLED_TOOLS));
}
END_TEST

START_TEST(test_what_a_disposal_kept_stays_unless_it_is_touched)
{
	fakestore_set(&f, GK_RECORD_POLICY, KEPT);
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_uint_eq(plan->next->doc.revision, 1);
	ck_assert_str_eq(overlay(), "{\"disabledTools\":[\"page_eval\"]}");
	ck_assert(gk_policyval_disables(&plan->next->effective, "page_eval",
	    9));
	ck_assert_int_eq(set("{\"disabledTools\":[\"tab_list\"]}"),
	    GK_POLICY_FINE);
	ck_assert_uint_eq(plan->next->overlay.has, 0);
	ck_assert(!gk_policyval_disables(&plan->next->effective, "page_eval",
	    9));
}
END_TEST

START_TEST(test_a_change_names_a_field)
{
	ck_assert_int_eq(set("{}"), GK_POLICY_INVALID);
	world_policy(D1, "");
	ck_assert_int_eq(set("{}"), GK_POLICY_INVALID);
	ck_assert_int_eq(restrict_to("{}"), GK_POLICY_INVALID);
	ck_assert_ptr_nonnull(strstr(why, "not valid"));
}
END_TEST

static char *
at_revision(const char *revision)
{
	static char doc[1024];

	(void)snprintf(doc, sizeof(doc), "{\"v\":1,\"revision\":%s%s",
	    revision, strstr(D1, ",\"touched\""));
	return doc;
}

START_TEST(test_the_revision_ends_at_the_integer_bound)
{
	world_policy(at_revision("9007199254740990"), SIGNED(SIG1));
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_FINE);
	ck_assert_uint_eq(plan->next->doc.revision, (uint64_t)GK_INTEGER_MAX);
	world_policy(at_revision("9007199254740991"), SIGNED(SIG1));
	ck_assert_int_eq(set("{\"cdpMode\":true}"),
	    GK_POLICY_REVISION_OVERFLOW);
	ck_assert_ptr_nonnull(strstr(why, "revision"));
	/* A restriction needs none. */
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_uint_eq(plan->next->doc.revision, (uint64_t)GK_INTEGER_MAX);
}
END_TEST

START_TEST(test_nothing_is_planned_over_a_record_that_cannot_be_read)
{
	static const int record[] = { GK_RECORD_TRUST, GK_RECORD_POLICY };
	static const char *const file[] = { "trust.json", "policy.json" };

	world_policy(D1, "");
	world_earlier(D2, ",\"superseded_unix\":1");
	fakestore_set(&f, record[_i], "{");
	ck_assert_int_eq(set("{\"cdpMode\":true}"), GK_POLICY_IO);
	ck_assert_ptr_nonnull(strstr(why, file[_i]));
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"), GK_POLICY_IO);
	ck_assert_ptr_nonnull(strstr(why, file[_i]));
	ck_assert_int_eq(roll_back(2, NULL), GK_POLICY_IO);
	ck_assert_ptr_nonnull(strstr(why, file[_i]));
}
END_TEST

/* ----------------------------------------------------------------- restrict */

/* Every field in both directions, from a middle position. */
#define MIDDLE	"{\"v\":1,\"revision\":7,\"touched\":[],\"cdpMode\":%s," \
	"\"fileUploadEnabled\":%s,\"handleDialogEnabled\":%s," \
	"\"pageEvalEnabled\":%s,\"confirmHighRiskClick\":%s," \
	"\"confirmPageEval\":%s,\"presenceConfirm\":%s," \
	"\"confirmTabClose\":%s,\"warnPreciseSnapshot\":%s,\"evalMask\":%s," \
	"\"hostReverifyMs\":5000,\"confirmGraceMs\":5000," \
	"\"clickToastTimeoutMs\":5000,\"evalToastTimeoutMs\":5000," \
	"\"disabledTools\":[\"a\",\"b\"]}"

static const struct {
	const char	*field;
	const char	*tight;
	const char	*loose;
	const char	*loosest;	/* another way to be looser, or NULL */
} direction[] = {
	{ "cdpMode", "false", "true", NULL },
	{ "fileUploadEnabled", "false", "true", NULL },
	{ "handleDialogEnabled", "false", "true", NULL },
	{ "pageEvalEnabled", "false", "true", NULL },
	{ "confirmHighRiskClick", "true", "false", NULL },
	{ "confirmPageEval", "true", "false", NULL },
	{ "presenceConfirm", "true", "false", NULL },
	{ "confirmTabClose", "true", "false", NULL },
	{ "warnPreciseSnapshot", "true", "false", NULL },
	{ "evalMask", "true", "false", NULL },
	{ "hostReverifyMs", "4999", "5001", "0" },
	{ "confirmGraceMs", "4999", "5001", "9007199254740991" },
	{ "clickToastTimeoutMs", "0", "5001", NULL },
	{ "evalToastTimeoutMs", "0", "5001", NULL },
	{ "disabledTools", "[\"b\",\"a\",\"c\"]", "[\"a\"]",
	  "[\"a\",\"c\",\"d\"]" },
};

/* A record whose flags are all tight, or all loose. */
static void
middle(bool loose)
{
	const char *grant = loose ? "true" : "false";
	const char *flag = loose ? "false" : "true";
	char doc[1024];

	(void)snprintf(doc, sizeof(doc), MIDDLE, grant, grant, grant, grant,
	    flag, flag, flag, flag, flag, flag);
	world_policy(doc, SIGNED(SIG1));
}

static const char *
one(int i, const char *value)
{
	static char json[256];

	(void)snprintf(json, sizeof(json), "{\"%s\":%s}", direction[i].field,
	    value);
	return json;
}

START_TEST(test_each_field_tightens_freely)
{
	ck_assert_uint_eq(GK_ARRAY_LEN(direction), GK_POLICY_NFIELDS);
	ck_assert_str_eq(gk_policyval_field_name((unsigned)_i),
	    direction[_i].field);
	middle(true);
	ck_assert_int_eq(restrict_to(one(_i, direction[_i].tight)),
	    GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_FREE);
	ck_assert_uint_eq(plan->fields, GK_POLICY_BIT((unsigned)_i));
	ck_assert_uint_eq(plan->next->doc.revision, 7);
	ck_assert(plan->next->is_signed);
	ck_assert_uint_eq(plan->next->overlay.has,
	    GK_POLICY_BIT((unsigned)_i));
	ck_assert_uint_eq(gk_policyval_looser(&plan->next->effective,
	    &plan->seen->effective), GK_POLICY_BIT((unsigned)_i));
}
END_TEST

START_TEST(test_no_field_loosens_freely)
{
	const char *value[] = { direction[_i].loose, direction[_i].loosest };
	size_t k;

	for (k = 0; k < 2 && value[k] != NULL; k++) {
		middle(false);
		ck_assert_int_eq(restrict_to(one(_i, value[k])),
		    GK_POLICY_NOT_A_RESTRICTION);
		ck_assert_msg(strstr(why, direction[_i].field) != NULL, "%s",
		    why);
		/* A set may, and names it. */
		ck_assert_int_eq(set(one(_i, value[k])), GK_POLICY_FINE);
		ck_assert_uint_eq(plan->next->doc.touched,
		    GK_POLICY_BIT((unsigned)_i));
		ck_assert_uint_eq(plan->next->doc.revision, 8);
	}
	/* Either way it takes the grant lane. */
	middle(true);
	ck_assert_int_eq(set(one(_i, direction[_i].tight)), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_GRANT);
}
END_TEST

START_TEST(test_zero_is_the_loosest_age_of_all)
{
	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(restrict_to("{\"hostReverifyMs\":"
	    "9007199254740991}"), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_FREE);
	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"hostReverifyMs\":1}");
	ck_assert_int_eq(restrict_to("{\"hostReverifyMs\":0}"),
	    GK_POLICY_NOT_A_RESTRICTION);
	ck_assert_int_eq(restrict_to("{\"hostReverifyMs\":2}"),
	    GK_POLICY_NOT_A_RESTRICTION);
	ck_assert_int_eq(restrict_to("{\"hostReverifyMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_NONE);
}
END_TEST

START_TEST(test_restrictions_merge_and_the_argument_wins)
{
	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"confirmGraceMs\":1000,"
	    "\"disabledTools\":[\"a\"]}");
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":500,"
	    "\"clickToastTimeoutMs\":9,\"disabledTools\":[\"b\",\"a\"]}"),
	    GK_POLICY_FINE);
	ck_assert_str_eq(overlay(), "{\"confirmGraceMs\":500,"
	    "\"clickToastTimeoutMs\":9,\"disabledTools\":[\"b\",\"a\"]}");
	ck_assert_str_eq(document(), D1);
	/* Looser than what is in force, though not than the baseline. */
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1001}"),
	    GK_POLICY_NOT_A_RESTRICTION);
	ck_assert_int_eq(restrict_to("{\"disabledTools\":[\"b\"],"
	    "\"confirmGraceMs\":1}"), GK_POLICY_NOT_A_RESTRICTION);
	ck_assert_ptr_nonnull(strstr(why, "disabledTools"));
	ck_assert_ptr_null(strstr(why, "confirmGraceMs"));
}
END_TEST

START_TEST(test_what_is_so_already_writes_nothing)
{
	world_policy(D1, SIGNED(SIG1) ",\"overlay\":{\"disabledTools\":"
	    "[\"a\",\"b\"]}");
	ck_assert_int_eq(restrict_to("{\"disabledTools\":[\"b\",\"a\"]}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_NONE);
}
END_TEST

START_TEST(test_there_is_nothing_to_restrict_before_the_first_set)
{
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_NO_BASELINE);
	fakestore_set(&f, GK_RECORD_POLICY, KEPT);
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_NO_BASELINE);
	ck_assert_ptr_nonnull(strstr(why, "policy set"));
}
END_TEST

/* White space in a document counts, since its bytes are kept. */
START_TEST(test_what_would_pass_the_cap_of_the_record_is_refused)
{
	const size_t pad = 140000, list = 256 * (128 + 3) + 64;
	char *doc = malloc(pad + sizeof(D1)), *json = malloc(2 * list);
	size_t i, n;

	ck_assert(doc != NULL && json != NULL);
	(void)snprintf(doc, pad + sizeof(D1), "{%*s%s", (int)pad, "",
	    &D1[1]);
	n = (size_t)snprintf(json, list, "{\"disabledTools\":[");
	for (i = 0; i < 256; i++) {
		if (i > 0)
			json[n++] = ',';
		n += (size_t)snprintf(json + n, 2 * list - n, "\"%03zu", i);
		memset(json + n, 'x', 125);
		/* Escaped, each takes two bytes. */
		memcpy(json + n, "\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"", 16);
		n += 125;
		json[n++] = '"';
	}
	(void)snprintf(json + n, 2 * list - n, "]}");
	world_policy(doc, "");
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(restrict_to(json), GK_POLICY_FINE);
	free(doc);
	doc = malloc(175000 + sizeof(D1));
	ck_assert_ptr_nonnull(doc);
	(void)snprintf(doc, 175000 + sizeof(D1), "{%*s%s", 175000, "",
	    &D1[1]);
	world_policy(doc, "");
	ck_assert_int_eq(restrict_to("{\"confirmGraceMs\":1}"),
	    GK_POLICY_FINE);
	ck_assert_int_eq(restrict_to(json), GK_POLICY_INVALID);
	ck_assert_ptr_nonnull(strstr(why, "262144"));
	free(doc);
	free(json);
}
END_TEST

/* ----------------------------------------------------------------- rollback */

#define AT(n)	",\"superseded_unix\":" #n

START_TEST(test_rolling_back_to_what_is_so_writes_nothing)
{
	world_policy(D2, SIGNED(SIG2));
	world_earlier(D2, SIGNED(SIG2) AT(1));
	ck_assert_int_eq(roll_back(2, NULL), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_NONE);
	ck_assert_uint_eq(plan->target, 2);
}
END_TEST

START_TEST(test_a_tightening_rollback_is_a_restriction)
{
	world_policy(D2, SIGNED(SIG2));
	world_earlier(D2, SIGNED(SIG2) ",\"overlay\":{\"pageEvalEnabled\":"
	    "false,\"disabledTools\":[\"page_upload\",\"cookie_get\"]}" AT(1));
	ck_assert_int_eq(roll_back(2, NULL), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_FREE);
	ck_assert_uint_eq(plan->fields, BIT(PAGE_EVAL) | BIT(DISABLED_TOOLS));
	ck_assert_str_eq(document(), D2);
	ck_assert_str_eq(overlay(), "{\"pageEvalEnabled\":false,"
	    "\"disabledTools\":[\"page_upload\",\"cookie_get\"]}");
}
END_TEST

/* D1 grants less but disables less, too: any looser field decides. */
START_TEST(test_a_relaxing_rollback_is_a_set_of_what_differs)
{
	world_policy(D2, SIGNED(SIG2) ",\"overlay\":{\"confirmTabClose\":true,"
	    "\"clickToastTimeoutMs\":10,\"confirmGraceMs\":7}");
	world_earlier(D1, SIGNED(SIG1) AT(1));
	ck_assert_int_eq(roll_back(1, NULL), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_GRANT);
	ck_assert_uint_eq(plan->next->doc.revision, 3);
	ck_assert_uint_eq(plan->next->doc.touched, BIT(PAGE_EVAL) |
	    BIT(CONFIRM_GRACE_MS) | BIT(CLICK_TOAST_TIMEOUT_MS) |
	    BIT(DISABLED_TOOLS));
	ck_assert_uint_eq(gk_policyval_differs(&plan->next->effective,
	    &plan->seen->effective), plan->fields);
	ck_assert_str_eq(summary(), "pageEvalEnabled=off,confirmGraceMs=60000,"
	    "clickToastTimeoutMs=30000,disabledTools=[]");
	/* What did not differ stays where it was. */
	ck_assert_str_eq(overlay(), "{\"confirmTabClose\":true}");
	/* Old signed bytes are never written back. */
	ck_assert_str_ne(document(), D1);
	ck_assert(!plan->next->is_signed);
	ck_assert_ptr_nonnull(strstr(document(), "\"revision\":3,"));
}
END_TEST

START_TEST(test_the_target_is_found_or_what_there_is_is_listed)
{
	world_policy(D1, SIGNED(SIG1));
	ck_assert_int_eq(roll_back(1, NULL), GK_POLICY_INVALID);
	ck_assert_ptr_nonnull(strstr(why, "available revisions: none"));
	world_earlier(D2, SIGNED(SIG2) AT(1));
	world_earlier("{}", AT(2));
	world_earlier(D1, SIGNED(SIG1) AT(3));
	ck_assert_int_eq(roll_back(3, NULL), GK_POLICY_INVALID);
	ck_assert_msg(strstr(why, "available revisions: 1, 2") != NULL, "%s",
	    why);
	ck_assert_int_eq(roll_back(2, NULL), GK_POLICY_FINE);
}
END_TEST

#define ID1	"c54dc2a7469b4f9aecb3837d76c6c7ae148db9bc7fde52d092ec33bf48e0da28"

START_TEST(test_an_entry_is_named_by_its_id)
{
	world_policy(D2, SIGNED(SIG2));
	world_earlier(D1, SIGNED(SIG1) AT(1700000000));
	ck_assert_int_eq(roll_back(1, ID1), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_GRANT);
	ck_assert_int_eq(roll_back(2, ID1), GK_POLICY_INVALID);
	ck_assert_ptr_nonnull(strstr(why, "another revision"));
	ck_assert_int_eq(roll_back(1, "c54d"), GK_POLICY_INVALID);
	ck_assert_ptr_nonnull(strstr(why, "no such entry"));
	ck_assert_int_eq(roll_back(1, ""), GK_POLICY_INVALID);
}
END_TEST

START_TEST(test_a_revision_in_two_shapes_is_ambiguous)
{
	struct gk_historyrec *h = NULL;
	char id[2][65];

	world_policy(D1, SIGNED(SIG1));
	world_earlier(D2, SIGNED(SIG2) AT(1));
	world_earlier(D2, SIGNED(SIG2) AT(2));
	/* Twice the same effect is one. */
	ck_assert_int_eq(roll_back(2, NULL), GK_POLICY_FINE);
	world_earlier(D2, SIGNED(SIG2) ",\"overlay\":{\"confirmGraceMs\":1}"
	    AT(3));
	ck_assert_int_eq(roll_back(2, NULL), GK_POLICY_INVALID);
	ck_assert_ptr_nonnull(strstr(why, "ambiguous"));
	ck_assert_int_eq(gk_policy_load_history(t.ctx, &f.store, &h, why,
	    sizeof(why)), GK_POLICY_FINE);
	memcpy(id[0], h->row[0].id, 65);
	memcpy(id[1], h->row[2].id, 65);
	gk_historyrec_free(h);
	ck_assert_int_eq(roll_back(2, id[0]), GK_POLICY_FINE);
	ck_assert_uint_eq(plan->next->effective.num[
	    GK_POLICY_CONFIRM_GRACE_MS], 120000);
	ck_assert_int_eq(roll_back(2, id[1]), GK_POLICY_FINE);
	ck_assert_uint_eq(plan->next->effective.num[
	    GK_POLICY_CONFIRM_GRACE_MS], 1);
}
END_TEST

/* After a disposal the history is still there. */
START_TEST(test_a_rollback_without_a_baseline_is_a_first_set)
{
	world_earlier(D2, SIGNED(SIG2) AT(1));
	fakestore_set(&f, GK_RECORD_POLICY, KEPT);
	ck_assert_int_eq(roll_back(2, NULL), GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_GRANT);
	ck_assert_uint_eq(plan->next->doc.revision, 1);
	ck_assert_uint_eq(plan->next->overlay.has, 0);
	ck_assert_str_eq(summary(), "pageEvalEnabled=on,confirmGraceMs=120000,"
	    "disabledTools=[page_upload]");
	/* Only tighter: that lane needs a baseline. */
	fakestore_set(&f, GK_RECORD_POLICY, NULL);
	world_earlier(at_revision("9"), ",\"overlay\":{\"confirmGraceMs\":1}"
	    AT(2));
	ck_assert_int_eq(roll_back(9, NULL), GK_POLICY_NO_BASELINE);
}
END_TEST

START_TEST(test_an_unreadable_history_is_said)
{
	world_policy(D1, "");
	fakestore_set(&f, GK_RECORD_HISTORY, "[]");
	ck_assert_int_eq(roll_back(1, NULL), GK_POLICY_IO);
	ck_assert_ptr_nonnull(strstr(why, "policy-history.json"));
}
END_TEST

/* ------------------------------------------------------------------- errors */

START_TEST(test_every_error_has_its_name_and_its_sentence)
{
	static const char *const name[] = { "Fine", "Invalid", "Refused",
		"NoSigningKey", "NoBaseline", "NotARestriction",
		"RevisionOverflow", "Conflict", "Io" };
	int e;

	for (e = GK_POLICY_FINE; e <= GK_POLICY_IO; e++) {
		ck_assert_str_eq(gk_policy_error_name((enum gk_policy_error)e),
		    name[e]);
		ck_assert_int_eq(gk_policy_fail((enum gk_policy_error)e, why,
		    sizeof(why), "%s", "X"), e);
		ck_assert_ptr_nonnull(strstr(why, "X"));
	}
}
END_TEST

START_TEST(test_want_of_memory_is_an_error_and_leaks_nothing)
{
	enum gk_policy_error e = GK_POLICY_IO;
	size_t i;

	world_policy(D2, SIGNED(SIG2) ",\"overlay\":{\"disabledTools\":"
	    "[\"page_upload\",\"x\"]}");
	world_earlier(D1, SIGNED(SIG1) AT(1));
	world_look();
	for (i = 1; e == GK_POLICY_IO && i < 2000; i++) {
		struct gk_historyrec *h = NULL;

		gk_policy_plan_free(plan);
		plan = NULL;
		t.fail_at = i;
		e = gk_policy_load_history(t.ctx, &f.store, &h, why,
		    sizeof(why));
		if (e == GK_POLICY_FINE)
			e = gk_policy_plan_rollback(t.ctx, &now, h, 1,
			    gk_span(NULL, 0), &plan, why, sizeof(why));
		t.fail_at = 0;
		gk_historyrec_free(h);
	}
	ck_assert_int_eq(e, GK_POLICY_FINE);
	ck_assert_int_eq(plan->lane, GK_LANE_GRANT);
	ck_assert_uint_gt(i, 30);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policyplan");
	TCase *tc = tcase_create("policyplan");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
	    test_the_first_baseline_grows_from_the_deny_baseline);
	tcase_add_test(tc, test_a_set_makes_the_bytes_of_the_specification);
	tcase_add_test(tc,
	    test_untouched_fields_come_from_the_baseline_not_from_the_effect);
	tcase_add_test(tc, test_a_touched_field_leaves_the_overlay);
	tcase_add_test(tc,
	    test_what_a_disposal_kept_stays_unless_it_is_touched);
	tcase_add_test(tc, test_a_change_names_a_field);
	tcase_add_test(tc, test_the_revision_ends_at_the_integer_bound);
	tcase_add_loop_test(tc,
	    test_nothing_is_planned_over_a_record_that_cannot_be_read, 0, 2);
	tcase_add_loop_test(tc, test_each_field_tightens_freely, 0,
	    GK_POLICY_NFIELDS);
	tcase_add_loop_test(tc, test_no_field_loosens_freely, 0,
	    GK_POLICY_NFIELDS);
	tcase_add_test(tc, test_zero_is_the_loosest_age_of_all);
	tcase_add_test(tc, test_restrictions_merge_and_the_argument_wins);
	tcase_add_test(tc, test_what_is_so_already_writes_nothing);
	tcase_add_test(tc,
	    test_there_is_nothing_to_restrict_before_the_first_set);
	tcase_add_test(tc,
	    test_what_would_pass_the_cap_of_the_record_is_refused);
	tcase_add_test(tc, test_rolling_back_to_what_is_so_writes_nothing);
	tcase_add_test(tc, test_a_tightening_rollback_is_a_restriction);
	tcase_add_test(tc, test_a_relaxing_rollback_is_a_set_of_what_differs);
	tcase_add_test(tc,
	    test_the_target_is_found_or_what_there_is_is_listed);
	tcase_add_test(tc, test_an_entry_is_named_by_its_id);
	tcase_add_test(tc, test_a_revision_in_two_shapes_is_ambiguous);
	tcase_add_test(tc,
	    test_a_rollback_without_a_baseline_is_a_first_set);
	tcase_add_test(tc, test_an_unreadable_history_is_said);
	tcase_add_test(tc, test_every_error_has_its_name_and_its_sentence);
	tcase_add_test(tc,
	    test_want_of_memory_is_an_error_and_leaks_nothing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
