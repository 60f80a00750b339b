/*
 * Events by callback: who is called, with what, and who gets his .user back.
 * What goes while one of them runs: test_dispatch_inside.c.
 */
#include "api/dispatch.h"

#include <errno.h>
#include <sys/socket.h>

#include "os/scratch.h"
#include "dispatch_world.h"
#include "proto/machine.h"
#include "util.h"

/* ------------------------------------------------------------------- events */

START_TEST(test_each_event_goes_to_its_function)
{
	dispatch_make();
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 2);
	ck_assert_uint_eq(W.n, 2);
	ck_assert_int_eq(W.kind[0], GENKAN_EV_RESULT);
	ck_assert_int_eq(W.kind[1], GENKAN_EV_STATE);
	ck_assert_int_eq(W.status[1], GENKAN_CLIENT_ATTACHED);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 0);
	ck_assert_int_eq(W.freed, 0);
	pair_free(&W.p);
	ck_assert_int_eq(W.freed, 1);
}
END_TEST

START_TEST(test_who_has_no_callbacks_is_not_dispatched)
{
	genkan_ctx *ctx;

	dispatch_make();
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.broker),
	    GENKAN_E_NOENT);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, &W), GENKAN_E_NOENT);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_dispatch(NULL, W.p.client), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_ctx_new(NULL, &ctx), 0);
	ck_assert_int_eq(genkan_dispatch(ctx, W.p.client), GENKAN_E_NOENT);
	genkan_ctx_free(ctx);
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, NULL), 0);
	ck_assert_int_eq(W.freed, 1);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client),
	    GENKAN_E_NOENT);
	ck_assert_int_eq(genkan_client_set_callbacks(NULL, NULL),
	    GENKAN_E_INVAL);
	ck_assert_uint_eq(W.n, 0);
}
END_TEST

START_TEST(test_a_broker_tells_of_its_end)
{
	genkan_store s = GENKAN_STORE_INIT;

	s.load = dispatch_load;
	ck_assert_int_eq(dispatch_make_ctx(), 0);
	ck_assert_int_eq(pair_make(&W.p, &s, 0), 0);
	ck_assert_int_eq(genkan_broker_set_callbacks(W.p.broker, &W.cb), 0);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.broker), 0);
	PAIR_DROP(genkan_leg_free, W.p.there);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.broker), 1);
	ck_assert_int_eq(W.kind[0], GENKAN_EV_EXIT);
}
END_TEST

START_TEST(test_a_server_is_dispatched_from_its_first_job_to_its_exit)
{
	genkan_server_options o = GENKAN_SERVER_OPTIONS_INIT;
	genkan_server *s;

	ck_assert_int_eq(dispatch_make_ctx(), 0);
	o.broker_only = 1;
	ck_assert_int_eq(genkan_server_new(W.p.ctx, &o, &s), 0);
	ck_assert_int_eq(genkan_server_set_callbacks(s, &W.cb), 0);
	/* the jobs have no function, and are run on the spot */
	ck_assert_int_ge(genkan_dispatch(W.p.ctx, s), 2);
	ck_assert_uint_eq(W.n, 1);
	ck_assert_int_eq(W.kind[0], GENKAN_EV_LISTEN);
	ck_assert_str_eq(genkan_server_role(s), "broker");
	genkan_server_stop(s);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, s), 1);
	ck_assert_int_eq(W.kind[1], GENKAN_EV_EXIT);
	ck_assert_int_eq(close(W.fd), 0);
	genkan_server_free(s);
	ck_assert_int_eq(W.freed, 1);
}
END_TEST

START_TEST(test_a_host_is_dispatched_to_its_exit)
{
	genkan_host *h;

	ck_assert_int_eq(dispatch_make_ctx(), 0);
	ck_assert_int_eq(genkan_host_new(W.p.ctx, 0, NULL, &h), 0);
	W.cb.listen = W.cb.unlisten = NULL;	/* which a host has not */
	ck_assert_int_eq(genkan_host_set_callbacks(h, &W.cb), 0);
	genkan_host_stop(h);
	ck_assert_int_ge(genkan_dispatch(W.p.ctx, h), 1);
	ck_assert_int_eq(W.kind[W.n - 1], GENKAN_EV_EXIT);
	genkan_host_free(h);
	ck_assert_int_eq(W.freed, 1);
}
END_TEST

/* ------------------------------------------------- an object that is made up */

static struct fake {
	struct gk_dispatch	 d;
	genkan_event		 ev;
	int			 left, freed;
} fake;

static int
fake_next(void *obj, genkan_event *ev)
{
	struct fake *f = obj;

	if (f->left == 0)
		return 0;
	f->left--;
	*ev = f->ev;
	return 1;
}

static void
fake_free(void *obj)
{
	((struct fake *)obj)->freed++;
}

static const struct gk_dispatch_ops fake_ops = { fake_next, fake_free,
    { 0 } };

static int legs_freed;

static void
fake_leg_free(struct genkan_leg *leg)
{
	(void)leg;
	legs_freed++;
}

static void
make_fake(int kind)
{
	static const genkan_event none = GENKAN_EVENT_INIT;

	ck_assert_int_eq(dispatch_make_ctx(), 0);
	memset(&fake, 0, sizeof(fake));
	gk_dispatch_init(&fake.d, W.p.ctx, &fake, &fake_ops);
	fake.ev = none;
	fake.ev.kind = kind;
	fake.left = 1;
}

START_TEST(test_a_connection_that_nobody_takes_is_closed)
{
	static const struct gk_leg_ops ops = { .free = fake_leg_free };
	genkan_callbacks none = GENKAN_CALLBACKS_INIT, cb;
	struct genkan_leg leg = { &ops, NULL };
	int fd[2];
	char c;

	make_fake(GENKAN_EV_SERVE);
	leg.ctx = W.p.ctx;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	fake.ev.fd = fd[0];
	fake.ev.leg = &leg;
	legs_freed = 0;
	ck_assert_int_eq(gk_dispatch_set(&fake.d, &none), 0);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, &fake), 1);
	ck_assert_int_eq(legs_freed, 1);
	ck_assert_int_eq(read(fd[1], &c, 1), 0);
	ck_assert_int_eq(close(fd[1]), 0);
	gk_dispatch_end(&fake.d, &cb);
}
END_TEST

/* Whatever it is, and one that only a newer library has. */
START_TEST(test_of_kinds_without_a_function_nothing_is_told)
{
	genkan_callbacks none = GENKAN_CALLBACKS_INIT, cb;

	make_fake(_i);
	ck_assert_int_eq(gk_dispatch_set(&fake.d, &none), 0);
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, &fake), 1);
	if (_i > GENKAN_EV_PROGRESS) {
		fake.left = 1;
		ck_assert_int_eq(gk_dispatch_set(&fake.d, &W.cb), 0);
		ck_assert_int_eq(genkan_dispatch(W.p.ctx, &fake), 1);
		ck_assert_uint_eq(W.n, 0);
	}
	gk_dispatch_end(&fake.d, &cb);
	gk_callbacks_free(&cb);
}
END_TEST

/* --------------------------------------------------------------- free_user */

static void
free_it(void)
{
	genkan_client_free(W.p.client);
}

static void
gone_and_ctx(void *user)
{
	dispatch_gone(user);
	genkan_ctx_free(W.p.ctx);
}

/* Without a dispatch at once; within one at its end. */
START_TEST(test_free_user_may_free_the_context)
{
	W.cb.free_user = gone_and_ctx;
	dispatch_make();
	PAIR_DROP(genkan_leg_free, W.p.here);
	PAIR_DROP(genkan_leg_free, W.p.there);
	PAIR_DROP(genkan_peer_free, W.p.peer);
	PAIR_DROP(genkan_broker_free, W.p.broker);
	if (_i == 0) {
		PAIR_DROP(genkan_client_free, W.p.client);
	} else {
		W.inside = free_it;
		ck_assert_int_ge(genkan_dispatch(W.p.ctx, W.p.client), 1);
		W.p.client = NULL;
	}
	ck_assert_int_eq(W.freed, 1);
	ck_assert_int_eq(W.ctx_freed, 1);
}
END_TEST

static void
gone_and_client(void *user)
{
	dispatch_gone(user);
	PAIR_DROP(genkan_client_free, W.p.client);
}

START_TEST(test_free_user_of_the_replaced_may_free_the_object)
{
	genkan_callbacks cb = dispatch_others();

	W.cb.free_user = gone_and_client;
	dispatch_make();
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &cb), 0);
	ck_assert_ptr_null(W.p.client);
	ck_assert_int_eq(W.freed, 1);
	ck_assert_int_eq(W.other_freed, 1);
}
END_TEST

START_TEST(test_registration_that_fails_gives_the_user_back_once)
{
	struct { genkan_callbacks v1; char newer[8]; } big;
	genkan_server *s;
	genkan_host *h;
	int n = 0;

	dispatch_make();
	ck_assert_int_eq(genkan_server_new(W.p.ctx, NULL, &s), 0);
	ck_assert_int_eq(genkan_host_new(W.p.ctx, 0, NULL, &h), 0);
	memset(&big, 0, sizeof(big));
	big.v1 = W.cb;
	big.v1.size = sizeof(big);
	big.newer[3] = 1;
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &big.v1),
	    GENKAN_E_ABI);
	ck_assert_int_eq(W.freed, ++n);
	W.fail_at = 1;
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &W.cb),
	    GENKAN_E_NOMEM);
	ck_assert_int_eq(W.freed, ++n);
	W.fail_at = 0;
	ck_assert_int_eq(genkan_client_set_callbacks(NULL, &W.cb),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(W.freed, ++n);
	W.cb.serve = NULL;
	ck_assert_int_eq(genkan_host_set_callbacks(h, &W.cb), GENKAN_E_INVAL);
	ck_assert_int_eq(W.freed, ++n);
	ck_assert_int_eq(genkan_server_set_callbacks(s, &W.cb),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(W.freed, ++n);
	W.cb.serve = dispatch_note;
	W.cb.unlisten = NULL;
	ck_assert_int_eq(genkan_server_set_callbacks(s, &W.cb),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(W.freed, ++n);
	W.cb.unlisten = dispatch_note;
	W.cb.listen = NULL;
	ck_assert_int_eq(genkan_server_set_callbacks(s, &W.cb),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(W.freed, ++n);
	/* what cannot be read is left alone */
	W.cb.size--;
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &W.cb),
	    GENKAN_E_INVAL);
	W.cb.size = 4097;
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &W.cb),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(W.freed, n);
	/* and those that were there stay */
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 2);
	big.newer[3] = 0;
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &big.v1), 0);
	ck_assert_int_eq(W.freed, ++n);
	genkan_server_free(s);
	genkan_host_free(h);
}
END_TEST

/* ------------------------------------------------------------ out of memory */

static void
replace_and_free(void)
{
	genkan_callbacks cb = dispatch_others();

	W.given++;
	(void)!genkan_client_set_callbacks(W.p.client, &cb);
	genkan_client_free(W.p.client);
}

/* From the context to the end, freed from inside if it comes to that. */
static void
life(void)
{
	W.inside = replace_and_free;
	if (dispatch_make_pair() == 0) {
		W.given++;
		if (genkan_client_set_callbacks(W.p.client, &W.cb) == 0)
			(void)genkan_dispatch(W.p.ctx, W.p.client);
		if (W.inside == NULL)
			W.p.client = NULL;
	}
	pair_free(&W.p);
	genkan_ctx_free(W.p.ctx);
}

START_TEST(test_every_allocation_may_fail)
{
	size_t all, n;

	life();
	ck_assert_int_eq(W.given, 2);
	ck_assert_int_eq(W.freed + W.other_freed, 2);
	all = W.allocs;
	for (n = 1; n <= all; n++) {
		W.ctx_freed = W.freed = W.other_freed = W.given = 0;
		W.n = 0;
		W.fail_at = n;
		life();
		W.fail_at = 0;
		ck_assert_int_eq(W.freed + W.other_freed, W.given);
		ck_assert_int_eq(W.ctx_freed, 1);
		ck_assert_ptr_null(W.p.ctx);
		ck_assert_uint_eq(W.live, 0);
	}
	ck_assert_uint_gt(all, 40);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dispatch");
	TCase *tc = tcase_create("dispatch");

	tcase_add_checked_fixture(tc, dispatch_setup, dispatch_teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_each_event_goes_to_its_function);
	tcase_add_test(tc, test_who_has_no_callbacks_is_not_dispatched);
	tcase_add_test(tc, test_a_broker_tells_of_its_end);
	tcase_add_test(tc,
	    test_a_server_is_dispatched_from_its_first_job_to_its_exit);
	tcase_add_test(tc, test_a_host_is_dispatched_to_its_exit);
	tcase_add_test(tc, test_a_connection_that_nobody_takes_is_closed);
	tcase_add_loop_test(tc,
	    test_of_kinds_without_a_function_nothing_is_told,
	    GENKAN_EV_EXIT, GENKAN_EV_PROGRESS + 3);
	tcase_add_loop_test(tc, test_free_user_may_free_the_context, 0, 2);
	tcase_add_test(tc, test_free_user_of_the_replaced_may_free_the_object);
	tcase_add_test(tc,
	    test_registration_that_fails_gives_the_user_back_once);
	tcase_add_test(tc, test_every_allocation_may_fail);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}

