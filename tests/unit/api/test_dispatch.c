/*
 * Events by callback: who is called, with what, and what becomes of objects,
 * contexts and callbacks that go while one of them runs.
 */
#include "api/dispatch.h"

#include <errno.h>
#include <sys/socket.h>

#include "os/scratch.h"
#include "pair.h"
#include "proto/machine.h"
#include "util.h"

#define MAX	16

/* The program. */
static struct {
	struct pair	 p;
	genkan_callbacks cb;
	size_t		 live, fail_at, allocs;
	int		 ctx_freed;	/* free_user of the context */
	int		 freed;		/* of callbacks */
	int		 other_freed;	/* of others that took their place */

	int		 kind[MAX];	/* what came, in order */
	int		 status[MAX];
	size_t		 n;
	int		 others;	/* told to those others */
	int		 fd;		/* of LISTEN */
	void		(*inside)(void);	/* at the first event */
	int		 said;		/* what was returned inside */
	int		 given;		/* registrations so far */
} W;

static void *
realloc_fn(void *user, void *ptr, size_t size)
{
	void *p;

	ck_assert_ptr_eq(user, &W);
	if (size == 0) {
		W.live -= ptr != NULL;
		free(ptr);
		return NULL;
	}
	W.allocs++;
	if (W.fail_at > 0 && --W.fail_at == 0)
		return NULL;
	p = realloc(ptr, size);
	W.live += ptr == NULL;
	return p;
}

static void
ctx_gone(void *user)
{
	ck_assert_ptr_eq(user, &W);
	ck_assert_uint_eq(W.live, 0);
	W.ctx_freed++;
	W.p.ctx = NULL;
}

static int
load(void *user, int record, const void **ptr, size_t *len, uint64_t *version)
{
	(void)user;
	*version = 1;
	return pair_load(record, ptr, len);
}

static void
gone(void *user)
{
	ck_assert_ptr_eq(user, &W);
	W.freed++;
}

static void
note(void *user, const genkan_event *ev)
{
	void (*inside)(void) = W.inside;

	ck_assert_ptr_eq(user, &W);
	ck_assert_uint_lt(W.n, MAX);
	W.kind[W.n] = ev->kind;
	W.status[W.n++] = ev->status;
	if (ev->kind == GENKAN_EV_LISTEN)
		W.fd = ev->fd;
	W.inside = NULL;
	if (inside != NULL)
		inside();
	/* what it borrows is there to the end */
	if (ev->kind == GENKAN_EV_RESULT && W.said != 1)
		ck_assert_str_eq(ev->text, "{\"count\":0,\"browsers\":[]}");
}

static void
other_gone(void *user)
{
	ck_assert_ptr_eq(user, &W.others);
	W.other_freed++;
}

static void
other_note(void *user, const genkan_event *ev)
{
	ck_assert_ptr_eq(user, &W.others);
	ck_assert_int_eq(ev->kind, GENKAN_EV_STATE);
	W.others++;
}

static genkan_callbacks
others(void)
{
	genkan_callbacks cb = GENKAN_CALLBACKS_INIT;

	cb.user = &W.others;
	cb.free_user = other_gone;
	cb.state = other_note;
	return cb;
}

static int
make_ctx(void)
{
	genkan_ctx_options o = GENKAN_CTX_OPTIONS_INIT;
	int r;

	o.user = &W;
	o.realloc_fn = realloc_fn;
	o.free_user = ctx_gone;
	o.program_dir = "/nonexistent";
	r = genkan_ctx_new(&o, &W.p.ctx);
	return r < 0 ? r : genkan_ctx_set_time(W.p.ctx, 1000);
}

static int
make_pair(void)
{
	genkan_store s = GENKAN_STORE_INIT;
	int r = make_ctx();

	s.load = load;
	return r < 0 ? r : pair_make(&W.p, &s, 1);
}

static void
setup(void)
{
	static const genkan_callbacks all = { sizeof(all), &W, gone, NULL,
	    note, note, note, note, note, note, note };

	memset(&W, 0, sizeof(W));
	W.cb = all;
	W.fd = -1;
	scratch_make();
	ck_assert_int_eq(mkdir(at("home"), 0700), 0);
	ck_assert_int_eq(mkdir(at("run"), 0700), 0);
	ck_assert_int_eq(setenv("HOME", at("home"), 1), 0);
	ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", at("run"), 1), 0);
}

static void
teardown(void)
{
	pair_free(&W.p);
	genkan_ctx_free(W.p.ctx);
	ck_assert_ptr_null(W.p.ctx);
	ck_assert_uint_eq(W.live, 0);
	ck_assert_int_eq(W.ctx_freed, 1);
	scratch_drop();
}

/* A client that has two events: its call has ended, and it is attached. */
static void
make(void)
{
	uint64_t id;

	ck_assert_int_eq(make_pair(), 0);
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &W.cb), 0);
	ck_assert_int_eq(genkan_client_call(W.p.client, "list_browsers", NULL,
	    0, 0, &id), 0);
	pair_talk(&W.p);
	ck_assert_uint_eq(W.n, 0);
}

/* ------------------------------------------------------------------- events */

START_TEST(test_each_event_goes_to_its_function)
{
	make();
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

	make();
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

	s.load = load;
	ck_assert_int_eq(make_ctx(), 0);
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

	ck_assert_int_eq(make_ctx(), 0);
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

	ck_assert_int_eq(make_ctx(), 0);
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

	ck_assert_int_eq(make_ctx(), 0);
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

/* -------------------------------------------------------------- from inside */

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

	make();
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
	make();
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
	make();
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
	make();
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
	genkan_callbacks cb = others();

	/* twice: what was there in between is never called */
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &cb), 0);
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &cb), 0);
	ck_assert_int_eq(W.freed + W.other_freed, 0);
}

START_TEST(test_callbacks_that_are_replaced_inside_go_at_the_end)
{
	make();
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

	make();
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
	make();
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
	make();
	W.inside = call_again;
	ck_assert_int_eq(genkan_dispatch(W.p.ctx, W.p.client), 3);
	ck_assert_int_eq(W.kind[1], GENKAN_EV_RESULT);
	ck_assert_int_eq(W.kind[2], GENKAN_EV_STATE);
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
	gone(user);
	genkan_ctx_free(W.p.ctx);
}

/* Without a dispatch at once; within one at its end. */
START_TEST(test_free_user_may_free_the_context)
{
	W.cb.free_user = gone_and_ctx;
	make();
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
	gone(user);
	PAIR_DROP(genkan_client_free, W.p.client);
}

START_TEST(test_free_user_of_the_replaced_may_free_the_object)
{
	genkan_callbacks cb = others();

	W.cb.free_user = gone_and_client;
	make();
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

	make();
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
	W.cb.serve = note;
	W.cb.unlisten = NULL;
	ck_assert_int_eq(genkan_server_set_callbacks(s, &W.cb),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(W.freed, ++n);
	W.cb.unlisten = note;
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
	genkan_callbacks cb = others();

	W.given++;
	(void)!genkan_client_set_callbacks(W.p.client, &cb);
	genkan_client_free(W.p.client);
}

/* From the context to the end, freed from inside if it comes to that. */
static void
life(void)
{
	W.inside = replace_and_free;
	if (make_pair() == 0) {
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

	tcase_add_checked_fixture(tc, setup, teardown);
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
	tcase_add_loop_test(tc, test_free_user_may_free_the_context, 0, 2);
	tcase_add_test(tc, test_free_user_of_the_replaced_may_free_the_object);
	tcase_add_test(tc,
	    test_registration_that_fails_gives_the_user_back_once);
	tcase_add_test(tc, test_every_allocation_may_fail);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
