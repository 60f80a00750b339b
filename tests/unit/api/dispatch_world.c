/* What its functions note, and that all it was given is given back once. */
#include "dispatch_world.h"

#include <stdlib.h>

#include "os/scratch.h"
#include "util.h"

struct dispatch W;

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

int
dispatch_load(void *user, int record, const void **ptr, size_t *len,
    uint64_t *version)
{
	(void)user;
	*version = 1;
	return pair_load(record, ptr, len);
}

void
dispatch_gone(void *user)
{
	ck_assert_ptr_eq(user, &W);
	W.freed++;
}

void
dispatch_note(void *user, const genkan_event *ev)
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

genkan_callbacks
dispatch_others(void)
{
	genkan_callbacks cb = GENKAN_CALLBACKS_INIT;

	cb.user = &W.others;
	cb.free_user = other_gone;
	cb.state = other_note;
	return cb;
}

int
dispatch_make_ctx(void)
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

int
dispatch_make_pair(void)
{
	genkan_store s = GENKAN_STORE_INIT;
	int r = dispatch_make_ctx();

	s.load = dispatch_load;
	return r < 0 ? r : pair_make(&W.p, &s, 1);
}

void
dispatch_setup(void)
{
	static const genkan_callbacks all = { sizeof(all), &W, dispatch_gone,
	    NULL, dispatch_note, dispatch_note, dispatch_note, dispatch_note,
	    dispatch_note, dispatch_note, dispatch_note };

	memset(&W, 0, sizeof(W));
	W.cb = all;
	W.fd = -1;
	scratch_make();
	scratch_home();
}

void
dispatch_teardown(void)
{
	pair_free(&W.p);
	genkan_ctx_free(W.p.ctx);
	ck_assert_ptr_null(W.p.ctx);
	ck_assert_uint_eq(W.live, 0);
	ck_assert_int_eq(W.ctx_freed, 1);
	scratch_drop();
}

void
dispatch_make(void)
{
	uint64_t id;

	ck_assert_int_eq(dispatch_make_pair(), 0);
	ck_assert_int_eq(genkan_client_set_callbacks(W.p.client, &W.cb), 0);
	ck_assert_int_eq(genkan_client_call(W.p.client, "list_browsers", NULL,
	    0, 0, &id), 0);
	pair_talk(&W.p);
	ck_assert_uint_eq(W.n, 0);
}
