/* One round of an election as a table of facts: wire 3.1, 3.5. */
#include "engine/election.h"
#include "util.h"

/* replaced, readable, own pid, alive, image, same directory */
static const struct {
	struct gk_election_facts f;
	enum gk_election_act	 act;
	bool			 supersede;
} cases[] = {
	/* absent or unreadable, whatever else would be said */
	{ { false, false, false, false, false, false }, GK_ELECT_BIND, false },
	{ { false, false, false, true, true, true }, GK_ELECT_BIND, false },
	/* a living broker of ours */
	{ { false, true, false, true, true, true }, GK_ELECT_DIAL, false },
	{ { false, true, false, true, true, false }, GK_ELECT_MISMATCH,
	    false },
	/* dead, also with another directory */
	{ { false, true, false, false, true, true }, GK_ELECT_BIND, false },
	{ { false, true, false, false, false, false }, GK_ELECT_BIND, false },
	/* alive, but another image or unmeasurable: superseded */
	{ { false, true, false, true, false, true }, GK_ELECT_BIND, true },
	{ { false, true, false, true, false, false }, GK_ELECT_BIND, true },
	/* our own pid, left over from an earlier life */
	{ { false, true, true, true, true, true }, GK_ELECT_BIND, false },
	{ { false, true, true, true, true, false }, GK_ELECT_BIND, false },
	/* replaced: nothing of this matters */
	{ { true, false, false, false, false, false }, GK_ELECT_OUTDATED,
	    false },
	{ { true, true, false, true, true, true }, GK_ELECT_OUTDATED, false },
	{ { true, true, false, true, false, true }, GK_ELECT_OUTDATED,
	    false },
};

START_TEST(test_the_facts_decide)
{
	bool supersede = true;

	ck_assert_int_eq(gk_election_decide(&cases[_i].f, &supersede),
	    cases[_i].act);
	ck_assert_int_eq(supersede, cases[_i].supersede);
	ck_assert_int_eq(gk_election_decide(&cases[_i].f, NULL),
	    cases[_i].act);
}
END_TEST

/* Over all 64: never a bind beside a living broker, never a step by a replaced
 * image, and a mismatch exactly where two living ones would meet. */
START_TEST(test_no_combination_is_forgotten)
{
	struct gk_election_facts f;
	enum gk_election_act act;
	bool meets;
	int i;

	for (i = 0; i < 64; i++) {
		f.replaced = i & 1;
		f.readable = i & 2;
		f.own_pid = i & 4;
		f.alive = i & 8;
		f.image_ok = i & 16;
		f.same_dir = i & 32;
		meets = f.readable && !f.own_pid && f.alive && f.image_ok;
		act = gk_election_decide(&f, NULL);
		ck_assert_int_eq(act == GK_ELECT_OUTDATED, f.replaced);
		ck_assert_int_eq(act == GK_ELECT_BIND, !f.replaced && !meets);
		ck_assert_int_eq(act == GK_ELECT_MISMATCH,
		    !f.replaced && meets && !f.same_dir);
	}
}
END_TEST

START_TEST(test_outcomes_have_names)
{
	ck_assert_str_eq(gk_elected_name(GK_ELECTED_BROKER), "broker");
	ck_assert_str_eq(gk_elected_name(GK_ELECTED_FAILED), "failed");
	ck_assert_str_eq(gk_elected_name((enum gk_elected)99), "unknown");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("election");
	TCase *tc = tcase_create("election");

	tcase_add_loop_test(tc, test_the_facts_decide, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, test_no_combination_is_forgotten);
	tcase_add_test(tc, test_outcomes_have_names);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
