/*
 * Events by callback: what becomes of objects, contexts and callbacks that go
 * while one of them runs.
 */
#include "dispatch_world.h"

#include "util.h"

static void
free_client(void)
{
	genkan_client_free(W.p.client);
	/* as good as ever, and freed once */
	ck_assert_int_eq(genkan_client_state(W.p.client),
	    GENKAN_CLIENT_ATTACHED);
	genkan_client_free(W.p.client);
	ck_assert_int_eq(W.freed, 0);
}

START_TEST(test_an_object_that_is_freed_from_inside_goes_at_the_end)
{
	genkan_client *dead;

	dispatch_make();
	W.inside = free_client;
	dead = W.p.client;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 1);
	W.p.client = NULL;
	ck_assert_uint_eq(W.n, 1);	/* nothing else is told any more */
	ck_assert_int_eq(W.freed, 1);
	ck_assert_int_eq(genkan_leg_wants(W.p.here), GENKAN_WANT_CLOSE);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, dead), GENKAN_E_NOENT);
	ck_assert_int_eq(W.freed, 1);
}
END_TEST

static void
free_all(void)
{
	if (W.said == 1)
		genkan_ctx_free(W.p.ctx);
	pair_free(&W.p);
	genkan_ctx_free(W.p.ctx);
	genkan_ctx_free(W.p.ctx);
	ck_assert_int_eq(W.ctx_freed, 0);
	ck_assert_ptr_nonnull(W.p.ctx);
}

/* Objects first, or the context. */
START_TEST(test_everything_is_freed_from_inside)
{
	dispatch_make();
	W.inside = free_all;
	W.said = _i;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 1);
	ck_assert_int_eq(W.freed, 1);
	ck_assert_int_eq(W.ctx_freed, 1);
	ck_assert_ptr_null(W.p.ctx);
}
END_TEST

static void
dispatch_again(void)
{
	W.said = genkan_dispatch(W.p.ctx, W.p.client);
}

START_TEST(test_a_dispatch_of_the_same_object_is_refused_inside)
{
	dispatch_make();
	W.inside = dispatch_again;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 2);
	ck_assert_int_eq(W.said, GENKAN_E_STATE);
	ck_assert_uint_eq(W.n, 2);
}
END_TEST

static genkan_client *second;

static void
free_both(void)
{
	genkan_client_free(W.p.client);
	genkan_client_free(second);
	genkan_ctx_free(W.p.ctx);
	ck_assert_int_eq(W.freed, 0);
}

static void
dispatch_second(void)
{
	W.inside = free_both;
	W.said = genkan_dispatch(W.p.ctx, second);
	/* the end of the inner one is no end of the outer one */
	ck_assert_int_eq(W.freed, 1);
	ck_assert_ptr_nonnull(W.p.ctx);
	ck_assert_int_eq(genkan_client_state(W.p.client),
	    GENKAN_CLIENT_ATTACHED);
	pair_free(&W.p);
	ck_assert_int_eq(W.freed, 1);
}

START_TEST(test_another_object_is_dispatched_inside_and_frees_the_first)
{
	dispatch_make();
	ck_assert_int_eq(genkan_client_new(W.p.ctx, NULL, &second), 0);
	ck_assert_int_eq(genkan_client_set_callbacks(second, &W.cb), 0);
	ck_assert_int_eq(genkan_client_attach(second), 0);
	W.inside = dispatch_second;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 1);
	ck_assert_int_eq(W.said, 2);		/* a job, and no broker */
	ck_assert_uint_eq(W.n, 2);
	ck_assert_int_eq(W.status[1], GENKAN_CLIENT_DETACHED);
	ck_assert_int_eq(W.freed, 2);
	ck_assert_int_eq(W.ctx_freed, 1);
}
END_TEST

static void
replace(void)
{
	genkan_callbacks cb = dispatch_others();

	/* twice: what was there in between is never called */
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &cb), 0);
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &cb), 0);
	ck_assert_int_eq(W.freed + W.other_freed, 0);
}

START_TEST(test_callbacks_that_are_replaced_inside_go_at_the_end)
{
	dispatch_make();
	W.inside = replace;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 2);
	ck_assert_uint_eq(W.n, 1);
	ck_assert_int_eq(W.others, 1);
	ck_assert_int_eq(W.freed, 1);
	ck_assert_int_eq(W.other_freed, 1);
	PAIR_DROP(genkan_client_free, W.p.client);
	ck_assert_int_eq(W.other_freed, 2);
}
END_TEST

static void
take_away(void)
{
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, NULL), 0);
	ck_assert_int_eq(W.freed, 0);
}

START_TEST(test_callbacks_that_are_taken_away_inside_end_it)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	dispatch_make();
	W.inside = take_away;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 1);
	ck_assert_int_eq(W.freed, 1);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client),
	    GENKAN_E_NOENT);
	/* the other event waits */
	ck_assert_int_eq(genkan_client_next(W.p.client, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_STATE);
}
END_TEST

static void
pull(void)
{
	genkan_event ev = GENKAN_EVENT_INIT;

	W.said = genkan_client_next(W.p.client, &ev);
	ck_assert_int_eq(ev.kind, GENKAN_EV_STATE);
}

START_TEST(test_what_is_pulled_inside_is_not_told_as_well)
{
	dispatch_make();
	W.inside = pull;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 1);
	ck_assert_int_eq(W.said, 1);
	ck_assert_uint_eq(W.n, 1);
}
END_TEST

static void
call_again(void)
{
	uint64_t id;

	ck_assert_int_eq(genkan_client_call(W.p.client, "list_browsers", NULL,
	    0, 0, &id), 0);
	pair_talk(&W.p);
}

START_TEST(test_events_that_callbacks_bring_about_are_among_them)
{
	dispatch_make();
	W.inside = call_again;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 3);
	ck_assert_int_eq(W.kind[1], GENKAN_EV_RESULT);
	ck_assert_int_eq(W.kind[2], GENKAN_EV_STATE);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dispatch_inside");
	TCase *tc = tcase_create("inside");

	tcase_add_checked_fixture(tc, dispatch_setup, dispatch_teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc,
	    test_an_object_that_is_freed_from_inside_goes_at_the_end);
	tcase_add_loop_test(tc, test_everything_is_freed_from_inside, 0, 2);
	tcase_add_test(tc,
	    test_a_dispatch_of_the_same_object_is_refused_inside);
	tcase_add_test(tc,
	    test_another_object_is_dispatched_inside_and_frees_the_first);
	tcase_add_test(tc, test_callbacks_that_are_replaced_inside_go_at_the_end);
	tcase_add_test(tc, test_callbacks_that_are_taken_away_inside_end_it);
	tcase_add_test(tc, test_what_is_pulled_inside_is_not_told_as_well);
	tcase_add_test(tc,
	    test_events_that_callbacks_bring_about_are_among_them);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
