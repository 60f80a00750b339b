/* The fields and their order: control.md 4.1, 4.2. */
#include <stdio.h>
#include <string.h>

#include "records/policyval.h"
#include "util.h"

static struct gk_test t;
static struct gk_policyval a, b, c;

static void
setup(void)
{
	gk_test_init(&t);
	ck_assert_int_eq(gk_policyval_defaults(&a, t.ctx), 0);
	ck_assert_int_eq(gk_policyval_defaults(&b, t.ctx), 0);
	gk_policyval_init(&c, t.ctx);
}

static void
teardown(void)
{
	gk_policyval_done(&a);
	gk_policyval_done(&b);
	gk_policyval_done(&c);
	gk_test_done(&t);
}

static void
disable(struct gk_policyval *p, const char *tool)
{
	ck_assert_int_eq(gk_policyval_disable(p, tool, strlen(tool)), 0);
}

START_TEST(test_the_defaults_are_the_deny_baseline)
{
	static const uint64_t want[GK_POLICY_NFIELDS] = {
		0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 60000, 30000, 45000, 0
	};

	ck_assert_uint_eq(a.has, 0x7fff);
	ck_assert_mem_eq(a.num, want, sizeof(want));
	ck_assert_uint_eq(a.disabled.n, 0);
	ck_assert_str_eq(gk_policyval_field_name(0), "cdpMode");
	ck_assert_str_eq(gk_policyval_field_name(14), "disabledTools");
}
END_TEST

/* field, from, to, looser there, looser back */
static const struct {
	unsigned	field;
	uint64_t	from, to;
	bool		looser, back;
} pairs[] = {
	{ GK_POLICY_CDP_MODE, 0, 1, true, false },
	{ GK_POLICY_PAGE_EVAL, 0, 0, false, false },
	{ GK_POLICY_PAGE_EVAL, 1, 1, false, false },
	{ GK_POLICY_CONFIRM_PAGE_EVAL, 1, 0, true, false },
	{ GK_POLICY_EVAL_MASK, 1, 0, true, false },
	{ GK_POLICY_PRESENCE_CONFIRM, 0, 0, false, false },
	{ GK_POLICY_CONFIRM_GRACE_MS, 60000, 60001, true, false },
	{ GK_POLICY_CONFIRM_GRACE_MS, 0, 1, true, false },
	{ GK_POLICY_CLICK_TOAST_TIMEOUT_MS, 5, 5, false, false },
	{ GK_POLICY_HOST_REVERIFY_MS, 1000, 2000, true, false },
	{ GK_POLICY_HOST_REVERIFY_MS, 1000, 0, true, false },
	{ GK_POLICY_HOST_REVERIFY_MS, 9007199254740991, 0, true, false },
	{ GK_POLICY_HOST_REVERIFY_MS, 0, 0, false, false },
};

START_TEST(test_looser_by_field)
{
	const uint32_t bit = GK_POLICY_BIT(pairs[_i].field);

	a.num[pairs[_i].field] = pairs[_i].from;
	b.num[pairs[_i].field] = pairs[_i].to;
	ck_assert_uint_eq(gk_policyval_looser(&a, &b),
	    pairs[_i].looser ? bit : 0);
	ck_assert_uint_eq(gk_policyval_looser(&b, &a),
	    pairs[_i].back ? bit : 0);
	ck_assert_uint_eq(gk_policyval_differs(&a, &b),
	    pairs[_i].from != pairs[_i].to ? bit : 0);
}
END_TEST

/* Losing a member loosens, whatever is gained; order says nothing. */
START_TEST(test_a_set_is_looser_when_it_loses_a_member)
{
	const uint32_t bit = GK_POLICY_BIT(GK_POLICY_DISABLED_TOOLS);

	disable(&a, "page_eval");
	disable(&a, "tab_close");
	disable(&b, "tab_close");
	ck_assert_uint_eq(gk_policyval_looser(&a, &b), bit);
	ck_assert_uint_eq(gk_policyval_looser(&b, &a), 0);
	disable(&b, "cookie_get");
	ck_assert_uint_eq(gk_policyval_looser(&a, &b), bit);
	ck_assert_uint_eq(gk_policyval_looser(&b, &a), bit);
	disable(&b, "page_eval");
	ck_assert_uint_eq(gk_policyval_looser(&a, &b), 0);
	ck_assert_uint_eq(gk_policyval_differs(&a, &b), bit);
	disable(&a, "cookie_get");
	ck_assert_uint_eq(gk_policyval_differs(&a, &b), 0);
}
END_TEST

START_TEST(test_only_fields_that_both_have_are_compared)
{
	c.has = GK_POLICY_BIT(GK_POLICY_CDP_MODE);
	c.num[GK_POLICY_CDP_MODE] = 1;
	c.num[GK_POLICY_PAGE_EVAL] = 1;		/* not in has */
	ck_assert_uint_eq(gk_policyval_looser(&a, &c),
	    GK_POLICY_BIT(GK_POLICY_CDP_MODE));
}
END_TEST

START_TEST(test_fold_replaces_the_named_fields_alone)
{
	struct gk_policyval folded;

	disable(&a, "page_eval");
	a.num[GK_POLICY_CDP_MODE] = 1;
	c.has = GK_POLICY_BIT(GK_POLICY_CONFIRM_GRACE_MS);
	c.num[GK_POLICY_CONFIRM_GRACE_MS] = 5;
	ck_assert_int_eq(gk_policyval_fold(&a, &c, &folded), 0);
	ck_assert_uint_eq(folded.has, GK_POLICY_ALL);
	ck_assert_uint_eq(folded.num[GK_POLICY_CONFIRM_GRACE_MS], 5);
	ck_assert_uint_eq(folded.num[GK_POLICY_CDP_MODE], 1);
	ck_assert(gk_policyval_disables(&folded, "page_eval", 9));
	gk_policyval_done(&folded);
	c.has = GK_POLICY_BIT(GK_POLICY_DISABLED_TOOLS);
	disable(&c, "tab_open");
	ck_assert_int_eq(gk_policyval_fold(&a, &c, &folded), 0);
	ck_assert(!gk_policyval_disables(&folded, "page_eval", 9));
	ck_assert(gk_policyval_disables(&folded, "tab_open", 8));
	ck_assert(!gk_policyval_disables(&folded, "tab_ope", 7));
	ck_assert_uint_eq(folded.num[GK_POLICY_CONFIRM_GRACE_MS], 60000);
	gk_policyval_done(&folded);
}
END_TEST

static const struct {
	const char	*name;
	bool		 ok;
} names[] = {
	{ "a", true }, { "page_eval", true }, { "a b", true },
	{ "\xc3\xa9", true }, { "no_such_tool", true },
	{ "", false }, { " a", false }, { "a ", false }, { "\ta", false },
	{ "a,b", false }, { ",", false }, { "a\n", false }, { "a\x7f", false },
	{ "a\xc2\x85" "b", false },		/* C1 */
	{ "a\xc2\xa0", false },			/* no-break space */
	{ "\xe3\x80\x80" "a", false },		/* ideographic space */
	{ "\xef\xbb\xbf" "a", false },		/* byte-order mark */
	{ "a\xff", false }, { "\xc3", false },
};

START_TEST(test_names_of_disabled_tools)
{
	ck_assert_msg(gk_policyval_tool_is_valid(names[_i].name,
	    strlen(names[_i].name)) == names[_i].ok, "%s", names[_i].name);
}
END_TEST

START_TEST(test_a_name_has_1_to_128_bytes_and_a_set_256_names)
{
	char name[130];
	int i;

	memset(name, 'x', sizeof(name));
	ck_assert_int_eq(gk_policyval_disable(&a, name, 127), 0);
	ck_assert_int_eq(gk_policyval_disable(&a, name, 128), 0);
	ck_assert_int_eq(gk_policyval_disable(&a, name, 129),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(gk_policyval_disable(&a, name, 128),
	    GENKAN_E_EXIST);
	for (i = 2; i < 256; i++) {
		(void)snprintf(name, sizeof(name), "t%d", i);
		disable(&a, name);
	}
	ck_assert_uint_eq(a.disabled.n, 256);
	ck_assert_int_eq(gk_policyval_disable(&a, "one", 3), GENKAN_E_RANGE);
	ck_assert_uint_eq(a.disabled.n, 256);
}
END_TEST

START_TEST(test_want_of_memory_leaks_nothing)
{
	struct gk_policyval copy;
	size_t i;
	int r = GENKAN_E_NOMEM;

	disable(&a, "x");
	disable(&a, "y");
	for (i = 1; r == GENKAN_E_NOMEM && i < 20; i++) {
		t.fail_at = i;
		r = gk_policyval_fold(&a, &a, &copy);
		t.fail_at = 0;
		if (r == 0)
			gk_policyval_done(&copy);
	}
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 5);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policyval");
	TCase *tc = tcase_create("policyval");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_the_defaults_are_the_deny_baseline);
	tcase_add_loop_test(tc, test_looser_by_field, 0,
	    (int)GK_ARRAY_LEN(pairs));
	tcase_add_test(tc, test_a_set_is_looser_when_it_loses_a_member);
	tcase_add_test(tc, test_only_fields_that_both_have_are_compared);
	tcase_add_test(tc, test_fold_replaces_the_named_fields_alone);
	tcase_add_loop_test(tc, test_names_of_disabled_tools, 0,
	    (int)GK_ARRAY_LEN(names));
	tcase_add_test(tc, test_a_name_has_1_to_128_bytes_and_a_set_256_names);
	tcase_add_test(tc, test_want_of_memory_leaks_nothing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
