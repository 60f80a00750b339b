/*
 * The functions that a program gives to a context or to a store are called in the
 * middle of an operation.  From inside each of them every exported function is
 * called here: the outcome is that of <genkan/context.h>, nothing has changed,
 * and everything goes on working.  The table, of reentry_rows.c, and
 * libgenkan/genkan.map name the same functions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "os/scratch.h"
#include "reentry.h"
#include "util.h"

struct reentry W;

/* -------------------------------------------------------------- coming in */

static void
come_in(size_t i)
{
	const struct counts before = W.n;
	static unsigned char was[sizeof(reentry_out)];
	char error[1024];

	(void)snprintf(error, sizeof(error), "%s",
	    genkan_ctx_last_error(W.p.ctx));
	memset(&reentry_out, 0x5a, sizeof(reentry_out));
	memset(was, 0x5a, sizeof(was));
	reentry_zeroed = 0;
	W.inside = true;
	reentry_rows[i].try();
	W.inside = false;
	W.came_in++;
	ck_assert_mem_eq(&reentry_out, was, sizeof(reentry_out));
	ck_assert_int_eq(reentry_ev.kind, GENKAN_EV_NONE);
	ck_assert_uint_eq(reentry_zeroed, 0);
	ck_assert_msg(memcmp(&W.n, &before, sizeof(before)) == 0,
	    "%s asks for something", reentry_rows[i].name);
	ck_assert_str_eq(genkan_ctx_last_error(W.p.ctx), error);
}

static void
called(enum kind kind)
{
	size_t i;

	if (W.inside)
		return;
	if (W.all) {
		for (i = 0; i < reentry_nrows; i++)
			come_in(i);
	} else if (W.each) {
		come_in(W.row++ % reentry_nrows);
	} else if (W.armed == kind) {
		W.armed = NEVER;
		come_in(W.row);
	}
}

static void *
realloc_fn(void *user, void *ptr, size_t size)
{
	void *p;

	ck_assert_ptr_eq(user, &W);
	W.n.allocs += size > 0;
	W.n.frees += size == 0;
	called(size > 0 ? ALLOC : FREE);
	if (size == 0) {
		W.live -= ptr != NULL;
		free(ptr);
		return NULL;
	}
	if (W.fail_at > 0 && --W.fail_at == 0)
		return NULL;
	p = realloc(ptr, size);
	W.live += ptr == NULL;
	return p;
}

static void
log_fn(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	ck_assert_ptr_eq(user, &W);
	(void)level;
	(void)tag;
	(void)id;
	(void)text;
	W.n.logs++;
	called(LOG);
}

static int
random_fn(void *user, void *buf, size_t len)
{
	ck_assert_ptr_eq(user, &W);
	W.n.randoms++;
	called(RANDOM);
	memset(buf, 7, len);
	return 0;
}

static int64_t
clock_fn(void *user)
{
	ck_assert_ptr_eq(user, &W);
	W.n.clocks++;
	called(CLOCK);
	return 5000;
}

static int
load(void *user, int record, const void **ptr, size_t *len, uint64_t *version)
{
	ck_assert_ptr_eq(user, &W);
	W.n.loads++;
	called(LOAD);
	*version = ++W.version;
	return pair_load(record, ptr, len);
}

static int
version(void *user, int record, uint64_t *ret)
{
	ck_assert_ptr_eq(user, &W);
	(void)record;
	W.n.others++;
	called(VERSION);
	*ret = ++W.version;
	return 0;
}

static void
audit(void *user, const char *line, size_t len)
{
	ck_assert_ptr_eq(user, &W);
	ck_assert_int_eq(line[len - 1], '}');
	W.n.others++;
	called(AUDIT);
}

static uint64_t
unix_ms(void *user)
{
	ck_assert_ptr_eq(user, &W);
	W.n.others++;
	called(UNIX_MS);
	return 1700000000123;
}

static void
store_free(void *user)
{
	ck_assert_ptr_eq(user, &W);
	W.n.others++;
	called(STORE_FREE);
}

/* The context is no more; others are as good as ever. */
static void
free_user(void *user)
{
	ck_assert_ptr_eq(user, &W);
	ck_assert_uint_eq(W.live, 0);
	W.freed++;
	W.p.ctx = NULL;
	ck_assert_int_eq(reentry_another(), 0);
}

/* ------------------------------------------------------------------- world */

static const genkan_store store = {
	sizeof(store), &W, store_free, load, version, audit, unix_ms
};

static int
make_ctx(void)
{
	genkan_ctx_options o = GENKAN_CTX_OPTIONS_INIT;

	o.user = &W;
	o.realloc_fn = realloc_fn;
	o.log_fn = log_fn;
	o.random_fn = random_fn;
	o.clock_fn = clock_fn;
	o.free_user = free_user;
	o.log_level = GENKAN_LOG_DEBUG;
	o.program_dir = "/nonexistent";
	return genkan_ctx_new(&o, &W.p.ctx);
}

static void
make_rest(void)
{
	static const uint8_t key[GENKAN_PUBLIC_KEY_LEN] = { 4,
	    /* the generator of P-256 */
	    0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6,
	    0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb,
	    0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
	    0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb,
	    0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31,
	    0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5 };
	genkan_event got = GENKAN_EVENT_INIT;
	size_t used;

	ck_assert_int_eq(genkan_client_new(CTX, NULL, &W.dialler), 0);
	ck_assert_int_eq(genkan_native_new(CTX, 100, &W.dec), 0);
	ck_assert_int_eq(genkan_native_feed(W.dec, "\2\0\0\0{}", 6, &used), 1);
	ck_assert_int_eq(genkan_doctor_paths(CTX, &W.report), 0);
	ck_assert_int_eq(genkan_credential_new(CTX, "0123456789abcdef", 16,
	    key, 7, 1, &W.cred), 0);
	ck_assert_int_eq(genkan_host_new(CTX, 0, NULL, &W.host), 0);
	ck_assert_int_eq(genkan_server_new(CTX, NULL, &W.server), 0);
	ck_assert_int_eq(genkan_server_next(W.server, &got), 1);
	ck_assert_int_eq(got.kind, GENKAN_EV_JOB);
	W.job = got.job;
}

static void
setup(void)
{
	static const genkan_event fresh = GENKAN_EVENT_INIT;

	scratch_make();
	scratch_home();
	memset(&W, 0, sizeof(W));
	reentry_ev = fresh;
	reentry_authdata.size = sizeof(reentry_authdata);
}

static void
make(void)
{

	ck_assert_int_eq(make_ctx(), 0);
	ck_assert_int_eq(pair_make(&W.p, &store, 1), 0);
	make_rest();
}

static void
drop(void)
{
	PAIR_DROP(genkan_job_done, W.job);
	PAIR_DROP(genkan_server_free, W.server);
	PAIR_DROP(genkan_host_free, W.host);
	PAIR_DROP(genkan_credential_free, W.cred);
	PAIR_DROP(genkan_report_free, W.report);
	PAIR_DROP(genkan_native_free, W.dec);
	PAIR_DROP(genkan_client_free, W.dialler);
	pair_free(&W.p);
	genkan_ctx_free(W.p.ctx);
	ck_assert_ptr_null(W.p.ctx);
	ck_assert_int_eq(W.freed, 1);
	ck_assert_uint_eq(W.live, 0);
}

static void
teardown(void)
{
	scratch_drop();
}

/* Everything that can be seen of it. */
static void
look(char *ret, size_t size)
{
	size_t len = 0;
	const char *frame = genkan_native_frame(W.dec, &len);

	(void)snprintf(ret, size, "%s %s %d %d %zu %zu %zu %d %d %.*s %s %u "
	    "%d %.60s %s", genkan_server_role(W.server),
	    genkan_host_state(W.host), genkan_client_state(W.p.client),
	    genkan_client_state(W.dialler),
	    genkan_client_outstanding(W.p.client),
	    genkan_broker_clients(W.p.broker),
	    genkan_broker_browsers(W.p.broker), genkan_leg_wants(W.p.here),
	    genkan_leg_wants(W.p.there), (int)len, frame,
	    genkan_peer_hash(W.p.peer), genkan_credential_sign_count(W.cred),
	    genkan_report_status(W.report), genkan_report_text(W.report),
	    genkan_ctx_last_error(CTX));
}

static void
works(void)
{
	genkan_event got = GENKAN_EVENT_INIT;
	genkan_leg *leg;
	int64_t ms = 0;
	size_t used;

	ck_assert_int_eq(pair_call(&W.p), 0);
	ck_assert_int_eq(genkan_leg_wants(W.p.here), GENKAN_WANT_READ);
	/* nobody moved the time */
	ck_assert_int_eq(genkan_broker_deadline(W.p.broker, &ms), 1);
	ck_assert_int_le(ms, 6000);
	ck_assert_int_eq(genkan_native_feed(W.dec, "\2\0\0\0[]", 6, &used), 1);
	ck_assert_int_eq(genkan_native_feed(W.dec, "\2\0\0\0{}", 6, &used), 1);
	ck_assert_int_eq(genkan_host_next(W.host, &got), 1);
	ck_assert_int_eq(got.kind, GENKAN_EV_JOB);
	genkan_job_done(got.job);
	ck_assert_int_eq(genkan_credential_counted(W.cred, 7),
	    GENKAN_E_RANGE);
	ck_assert_ptr_nonnull(leg = genkan_server_stdio(W.server));
	genkan_leg_free(leg);
	ck_assert_ptr_nonnull(leg = genkan_host_stdio(W.host));
	genkan_leg_free(leg);
}

/* Something in the course of which it is called. */
static void
provoke(enum kind kind)
{
	genkan_broker_options o = GENKAN_BROKER_OPTIONS_INIT;
	genkan_event got = GENKAN_EVENT_INIT;
	char nonce[GENKAN_CHALLENGE_SIZE];
	genkan_broker *b;
	genkan_native *dec;

	switch (kind) {
	case ALLOC:
	case FREE:
		ck_assert_int_eq(genkan_native_new(CTX, 9, &dec), 0);
		genkan_native_free(dec);
		break;
	case LOG:
		ck_assert_int_eq(genkan_client_attach(W.dialler), 0);
		ck_assert_int_eq(genkan_client_next(W.dialler, &got), 1);
		genkan_job_done(got.job);
		ck_assert_int_eq(genkan_client_next(W.dialler, &got), 1);
		ck_assert_int_eq(got.status, GENKAN_CLIENT_DETACHED);
		break;
	case RANDOM:
		ck_assert_int_eq(genkan_webauthn_nonce(CTX, nonce), 0);
		break;
	case CLOCK:
		ck_assert_int_eq(genkan_ctx_set_time(CTX, GENKAN_NOW), 0);
		break;
	case STORE_FREE:
		o.secret = PAIR_SECRET;
		o.store = &store;
		ck_assert_int_eq(genkan_broker_new(CTX, &o, &b), 0);
		genkan_broker_free(b);
		break;
	default:
		ck_assert_int_eq(pair_call(&W.p), 0);
	}
}

/* -------------------------------------------------------------------- tests */

START_TEST(test_every_function_from_inside_every_callback)
{
	const enum kind kind = (enum kind)_i;
	char before[1024], after[1024];

	make();
	provoke(kind);
	for (W.row = 0; W.row < reentry_nrows; W.row++) {
		look(before, sizeof(before));
		W.armed = kind;
		W.came_in = 0;
		provoke(kind);
		ck_assert_msg(W.came_in == 1, "%d was not called", (int)kind);
		look(after, sizeof(after));
		ck_assert_msg(strcmp(before, after) == 0, "%s: %s became %s",
		    reentry_rows[W.row].name, before, after);
	}
	works();
	drop();
}
END_TEST

/* From the first allocation to the last block that is given back, while objects
 * are made and half freed as well. */
START_TEST(test_whoever_comes_in_always_finds_the_door_shut)
{
	W.all = W.loose = true;
	make();
	works();
	drop();
	ck_assert_uint_gt(W.came_in, 200 * reentry_nrows);
}
END_TEST

static int
life(void)
{
	genkan_native *dec = NULL;
	size_t used;
	int r;

	r = make_ctx();
	if (r == 0)
		r = pair_make(&W.p, &store, 1);
	if (r == 0)
		r = pair_call(&W.p);
	if (r == 0)
		r = genkan_native_new(W.p.ctx, 100, &dec);
	if (r == 0)
		r = genkan_native_feed(dec, "\2\0\0\0{}", 6, &used) - 1;
	genkan_native_free(dec);
	pair_free(&W.p);
	genkan_ctx_free(W.p.ctx);
	return r;
}

START_TEST(test_nor_does_want_of_memory_open_it)
{
	size_t n, all;

	W.each = W.loose = true;
	ck_assert_int_eq(life(), 0);
	all = W.n.allocs;
	for (n = 1; n <= all; n++) {
		W.n.allocs = 0;
		W.freed = 0;
		W.fail_at = n;
		(void)life();
		W.fail_at = 0;
		ck_assert_ptr_null(W.p.ctx);
		ck_assert_int_eq(W.freed, 1);
		ck_assert_uint_eq(W.live, 0);
	}
	ck_assert_uint_gt(all, 50);
}
END_TEST

/* A function that is new cannot be forgotten here. */
START_TEST(test_the_table_has_every_function_there_is)
{
	const char *dir = getenv("GENKAN_SRCDIR");
	char path[4096], *map, *p;
	size_t i, n = 0;

	(void)snprintf(path, sizeof(path), "%s/libgenkan/genkan.map",
	    dir != NULL ? dir : ".");
	map = gk_test_read(path, &n);
	for (p = strtok(map, " \t\n;"), n = 0; p != NULL;
	    p = strtok(NULL, " \t\n;")) {
		if (strncmp(p, "genkan_", 7) != 0)
			continue;
		for (i = 0; i < reentry_nrows && strcmp(reentry_rows[i].name, p) != 0; i++)
			continue;
		ck_assert_msg(i < reentry_nrows, "%s is not tried", p);
		n++;
	}
	free(map);
	ck_assert_uint_eq(n, reentry_nrows);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("reentry");
	TCase *tc = tcase_create("reentry");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_every_function_from_inside_every_callback,
	    ALLOC, ENDS);
	tcase_add_test(tc, test_whoever_comes_in_always_finds_the_door_shut);
	tcase_add_test(tc, test_nor_does_want_of_memory_open_it);
	tcase_add_test(tc, test_the_table_has_every_function_there_is);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
