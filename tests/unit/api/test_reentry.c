/*
 * The functions that a program gives to a context or to a store are called in the
 * middle of an operation.  From inside each of them every exported function is
 * called here: the outcome is that of <genkan/context.h>, nothing has changed,
 * and everything goes on working.  The table below and libgenkan/genkan.map name
 * the same functions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "os/scratch.h"
#include "pair.h"
#include "util.h"

enum kind { NEVER, ALLOC, FREE, LOG, RANDOM, CLOCK, LOAD, VERSION, AUDIT,
    UNIX_MS, STORE_FREE, ENDS };

/* What the library asked the program for. */
struct counts {
	size_t	allocs, frees, logs, randoms, clocks, loads, others;
};

static struct {
	struct pair	 p;
	genkan_server	*server;
	genkan_host	*host;
	genkan_client	*dialler;	/* never gets through */
	genkan_native	*dec;
	genkan_report	*report;
	genkan_credential *cred;
	genkan_job	*job;

	struct counts	 n;
	uint64_t	 version;	/* of the records */
	size_t		 live;		/* blocks of the context */
	int		 freed;		/* calls of its free_user */
	size_t		 fail_at;	/* the n-th allocation from now; 0 */

	enum kind	 armed;		/* when to come in, with row */
	size_t		 row;
	bool		 all;		/* always, with all rows; or */
	bool		 each;		/* with the next one every time */
	bool		 loose;		/* not all that rows name is there */
	bool		 inside;
	size_t		 came_in;
} W;

/* Outputs of what is refused: nothing writes there. */
static struct {
	void		*ptr;
	int64_t		 ms;
	uint64_t	 id;
	size_t		 len;
	uint32_t	 count;
	char		 text[GENKAN_CHALLENGE_SIZE];
} out;
static genkan_event ev;
static genkan_authdata authdata;
static size_t zeroed;		/* one that is set whatever is returned */
static int user_freed;		/* of tables that are given */

/* ------------------------------------------------------------- what is tried */

static void
count_user(void *user)
{
	(void)user;
	user_freed++;
}

static int
load_nothing(void *user, int record, const void **ptr, size_t *len,
    uint64_t *version)
{
	(void)user;
	(void)record;
	(void)ptr;
	(void)len;
	(void)version;
	return GENKAN_E_NOENT;
}

/* What was given with it is given back; but without a context it is not read. */
static int
given_back(int r)
{
	ck_assert_int_eq(user_freed, r == GENKAN_E_STATE);
	return r;
}

/* Whatever is wrong with the options: from the inside it is not even said. */
static void
refused_unread(int r)
{
	ck_assert_int_eq(r, W.p.ctx == NULL ? GENKAN_E_INVAL :
	    GENKAN_E_STATE);
}

static genkan_store
a_store(void)
{
	genkan_store s = GENKAN_STORE_INIT;

	s.free_user = count_user;
	s.load = load_nothing;
	user_freed = 0;
	return s;
}

static int
new_broker(void)
{
	genkan_broker_options o = GENKAN_BROKER_OPTIONS_INIT, bad = { .size = 1 };
	genkan_store s = a_store();

	o.secret = PAIR_SECRET;
	o.store = &s;
	refused_unread(genkan_broker_new(W.p.ctx, &bad, (void *)&out.ptr));
	return given_back(genkan_broker_new(W.p.ctx, &o, (void *)&out.ptr));
}

static int
new_server(void)
{
	genkan_server_options o = GENKAN_SERVER_OPTIONS_INIT, bad = { .size = 1 };
	genkan_store s = a_store();

	o.store = &s;
	refused_unread(genkan_server_new(W.p.ctx, &bad, (void *)&out.ptr));
	return given_back(genkan_server_new(W.p.ctx, &o, (void *)&out.ptr));
}

static const genkan_callbacks *
callbacks(void)
{
	static genkan_callbacks cb = GENKAN_CALLBACKS_INIT;

	cb.free_user = count_user;
	user_freed = 0;
	return &cb;
}

static int
given_back_always(int r)
{
	ck_assert_int_eq(user_freed, 1);
	return r;
}

/* Another context, which has nothing to do with this one. */
static int
another(void)
{
	genkan_native *dec;
	genkan_ctx *ctx;
	size_t used;
	int r;

	r = genkan_ctx_new(NULL, &ctx);
	if (r < 0)
		return r;
	r = genkan_native_new(ctx, 100, &dec);
	if (r == 0)
		r = genkan_native_feed(dec, "\2\0\0\0{}", 6, &used) - 1;
	genkan_native_free(dec);
	genkan_ctx_free(ctx);
	return r;
}

static int
pair_them(void)
{
	genkan_pair_options o = GENKAN_PAIR_OPTIONS_INIT;

	o.name = "x";
	o.hash = PAIR_HASH;
	return genkan_trust_pair(W.p.ctx, &o, (void *)&out.ptr);
}

static const genkan_rp *
an_rp(void)
{
	static genkan_rp rp = GENKAN_RP_INIT;

	rp.challenge = "x";
	return &rp;
}

static const char *const value[] = { "on" };
static const uint8_t point[GENKAN_PUBLIC_KEY_LEN] = { 4 };
static const genkan_peer_facts facts = GENKAN_PEER_FACTS_INIT;

#define CTX	W.p.ctx
#define OUT	(void *)&out.ptr
#define IS_EMPTY(s)	(strcmp(s, "") == 0)

/*
 * REFUSED: GENKAN_E_STATE.  SILENT: nothing happens.  GIVES: what it says of
 * NULL, or less.  OPEN: works.
 */
#define ROWS \
	REFUSED(audit_read, (CTX, 1, 0, OUT)) \
	REFUSED(broker_accept, (W.p.broker, W.p.peer, OUT)) \
	GIVES(broker_browsers, genkan_broker_browsers(W.p.broker) == 0) \
	GIVES(broker_clients, genkan_broker_clients(W.p.broker) == 0) \
	REFUSED(broker_deadline, (W.p.broker, &out.ms)) \
	SILENT(broker_free, (W.p.broker)) \
	REFUSED_BY(broker_new, new_broker()) \
	REFUSED(broker_next, (W.p.broker, &ev)) \
	REFUSED_BY(broker_set_callbacks, given_back_always( \
	    genkan_broker_set_callbacks(W.p.broker, callbacks()))) \
	SILENT(broker_tick, (W.p.broker, 100000)) \
	REFUSED(client_attach, (W.dialler)) \
	REFUSED(client_call, (W.p.client, "t", NULL, 0, 0, &out.id)) \
	REFUSED(client_cancel, (W.p.client, 1)) \
	REFUSED(client_deadline, (W.p.client, &out.ms)) \
	SILENT(client_free, (W.p.client)) \
	REFUSED(client_join, (W.dialler, PAIR_SECRET, OUT)) \
	REFUSED(client_new, (CTX, NULL, OUT)) \
	REFUSED(client_next, (W.p.client, &ev)) \
	GIVES(client_outstanding, genkan_client_outstanding(W.p.client) == 0) \
	REFUSED_BY(client_set_callbacks, given_back_always( \
	    genkan_client_set_callbacks(W.p.client, callbacks()))) \
	REFUSED(client_state, (W.p.client)) \
	SILENT(client_tick, (W.p.client, 100000)) \
	REFUSED(client_tools, (W.p.client, &out.id)) \
	OPEN(code_name, genkan_code_name(0)[0] != '\0') \
	OPEN(code_retryable, genkan_code_retryable(0) == 0) \
	OPEN(code_text, genkan_code_text(0)[0] != '\0') \
	GIVES(credential_backup_eligible, \
	    genkan_credential_backup_eligible(W.cred) == 0) \
	REFUSED(credential_counted, (W.cred, 1000)) \
	SILENT(credential_free, (W.cred)) \
	GIVES(credential_id, genkan_credential_id(W.cred, &zeroed) == NULL) \
	REFUSED(credential_new, (CTX, "0123456789abcdef", 16, point, 0, 0, \
	    OUT)) \
	GIVES(credential_public_key, \
	    genkan_credential_public_key(W.cred) == NULL) \
	GIVES(credential_sign_count, \
	    genkan_credential_sign_count(W.cred) == 0) \
	SILENT(ctx_free, (CTX)) \
	OPEN(ctx_last_error, genkan_ctx_last_error(CTX) != NULL) \
	OPEN(ctx_new, another() == 0) \
	REFUSED(ctx_set_time, (CTX, 100000)) \
	REFUSED(dispatch, (CTX, &W)) \
	REFUSED(doctor_check, (CTX, OUT)) \
	REFUSED(doctor_list, (CTX, OUT)) \
	REFUSED(doctor_paths, (CTX, OUT)) \
	OPEN(error_class, genkan_error_class(GENKAN_E_STATE) == \
	    GENKAN_CLASS_CALLER) \
	OPEN(error_name, IS_EMPTY(genkan_error_name(0)) == 0) \
	OPEN(error_text, IS_EMPTY(genkan_error_text(0)) == 0) \
	REFUSED(host_deadline, (W.host, &out.ms)) \
	SILENT(host_free, (W.host)) \
	REFUSED(host_new, (CTX, 0, NULL, OUT)) \
	REFUSED(host_next, (W.host, &ev)) \
	REFUSED_BY(host_set_callbacks, given_back_always( \
	    genkan_host_set_callbacks(W.host, callbacks()))) \
	GIVES(host_state, IS_EMPTY(genkan_host_state(W.host))) \
	GIVES(host_stdio, genkan_host_stdio(W.host) == NULL) \
	SILENT(host_stop, (W.host)) \
	SILENT(host_tick, (W.host, 100000)) \
	SILENT(job_done, (W.job)) \
	SILENT(job_run, (W.job)) \
	REFUSED(key_pair, (CTX, 0, OUT)) \
	REFUSED(key_status, (CTX, OUT)) \
	REFUSED(kill_engage, (CTX, OUT)) \
	REFUSED(kill_release, (CTX, OUT)) \
	REFUSED(lang_set, (CTX, "en", OUT)) \
	REFUSED(lang_show, (CTX, OUT)) \
	SILENT(leg_broken, (W.p.here)) \
	REFUSED(leg_deadline, (W.p.here, &out.ms)) \
	SILENT(leg_eof, (W.p.here)) \
	REFUSED(leg_feed, (W.p.here, "x\n", 2, &zeroed)) \
	SILENT(leg_free, (W.p.here)) \
	REFUSED(leg_gather, (W.p.here, out.text, 4, &out.len)) \
	REFUSED(leg_output, (W.p.here, OUT, &out.len)) \
	SILENT(leg_tick, (W.p.here, 100000)) \
	GIVES(leg_wants, genkan_leg_wants(W.p.here) == \
	    (W.p.here == NULL ? GENKAN_WANT_CLOSE : 0)) \
	SILENT(leg_wrote, (W.p.here, 1)) \
	OPEN(native_encode, genkan_native_encode("{}", 2, 9, six, 6) == 0) \
	REFUSED(native_eof, (W.dec)) \
	REFUSED(native_feed, (W.dec, "x", 1, &zeroed)) \
	GIVES(native_frame, genkan_native_frame(W.dec, &zeroed) == NULL) \
	SILENT(native_free, (W.dec)) \
	OPEN(native_header, genkan_native_header(2, 9, six) == 0) \
	REFUSED(native_new, (CTX, 100, OUT)) \
	SILENT(peer_free, (W.p.peer)) \
	GIVES(peer_hash, genkan_peer_hash(W.p.peer) == NULL) \
	REFUSED(peer_new, (CTX, &facts, OUT)) \
	GIVES(peer_path, genkan_peer_path(W.p.peer) == NULL) \
	GIVES(peer_pid, genkan_peer_pid(W.p.peer) == 0) \
	REFUSED(peer_query, (CTX, 0, "/", OUT)) \
	GIVES(peer_roles, genkan_peer_roles(W.p.peer) == 0) \
	GIVES(peer_same_user, genkan_peer_same_user(W.p.peer) == 0) \
	GIVES(peer_why, IS_EMPTY(genkan_peer_why(W.p.peer))) \
	OPEN(policy_field, genkan_policy_field(0) != NULL) \
	OPEN(policy_flag, genkan_policy_flag(0) != NULL) \
	REFUSED(policy_history, (CTX, OUT)) \
	REFUSED(policy_restrict, (CTX, value, 1, OUT)) \
	REFUSED(policy_rollback, (CTX, 0, NULL, OUT)) \
	REFUSED(policy_set, (CTX, value, 1, OUT)) \
	REFUSED(policy_show, (CTX, OUT)) \
	OPEN(refusal_name, genkan_refusal_name(1) != NULL) \
	OPEN(refusal_text, genkan_refusal_text(1) != NULL) \
	REFUSED(register_remove, (CTX, NULL, OUT)) \
	REFUSED(register_write, (CTX, NULL, OUT)) \
	SILENT(report_free, (W.report)) \
	GIVES(report_json, IS_EMPTY(genkan_report_json(W.report))) \
	GIVES(report_status, genkan_report_status(W.report) == \
	    GENKAN_STATUS_FAILED) \
	GIVES(report_text, IS_EMPTY(genkan_report_text(W.report))) \
	GIVES(report_warnings, IS_EMPTY(genkan_report_warnings(W.report))) \
	REFUSED(server_accept, (W.server)) \
	REFUSED(server_deadline, (W.server, &out.ms)) \
	SILENT(server_free, (W.server)) \
	REFUSED_BY(server_new, new_server()) \
	REFUSED(server_next, (W.server, &ev)) \
	GIVES(server_role, IS_EMPTY(genkan_server_role(W.server))) \
	REFUSED_BY(server_set_callbacks, given_back_always( \
	    genkan_server_set_callbacks(W.server, callbacks()))) \
	GIVES(server_stdio, genkan_server_stdio(W.server) == NULL) \
	SILENT(server_stop, (W.server)) \
	SILENT(server_tick, (W.server, 100000)) \
	REFUSED(trust_list, (CTX, OUT)) \
	REFUSED_BY(trust_pair, pair_them()) \
	REFUSED(trust_revoke, (CTX, "x", OUT)) \
	REFUSED(trust_revoke_all, (CTX, OUT)) \
	REFUSED(trust_revoke_browser, (CTX, "x", OUT)) \
	OPEN(version, genkan_version()[0] != '\0') \
	REFUSED(webauthn_assert, (CTX, an_rp(), W.cred, "x", 1, "{}", 2, \
	    "x", 1, &out.count)) \
	OPEN(webauthn_attestation, genkan_webauthn_attestation("x", 1, \
	    (void *)&unused, &zeroed) > 0) \
	REFUSED(webauthn_authdata, (CTX, "x", 1, &authdata)) \
	REFUSED(webauthn_challenge, (CTX, GENKAN_CEREMONY_ENROLL, NULL, "x", \
	    "x", out.text)) \
	REFUSED(webauthn_nonce, (CTX, out.text)) \
	REFUSED(webauthn_register, (CTX, an_rp(), "x", 1, "{}", 2, OUT))

static uint8_t six[6];
static const void *unused;

/* Where not everything is there any more, or yet, it may be NULL. */
static void
is_refused(int r)
{
	ck_assert(r == GENKAN_E_STATE || (W.loose && r == GENKAN_E_INVAL));
}

#define REFUSED(name, args)	REFUSED_BY(name, genkan_##name args)
#define REFUSED_BY(name, call) \
	static void try_##name(void) { is_refused(call); }
#define SILENT(name, args) \
	static void try_##name(void) { genkan_##name args; }
#define GIVES(name, what) \
	static void try_##name(void) { ck_assert(what); }
#define OPEN(name, what)	GIVES(name, what)
ROWS
#undef REFUSED_BY
#undef SILENT
#undef GIVES

static const struct {
	const char	*name;
	void		(*try)(void);
} row[] = {
#define REFUSED_BY(name, call)	{ "genkan_" #name, try_##name },
#define SILENT(name, args)	REFUSED_BY(name, )
#define GIVES(name, what)	REFUSED_BY(name, )
ROWS
};

#define NROWS	(sizeof(row) / sizeof(row[0]))

/* -------------------------------------------------------------- coming in */

static void
come_in(size_t i)
{
	const struct counts before = W.n;
	static unsigned char was[sizeof(out)];
	char error[1024];

	(void)snprintf(error, sizeof(error), "%s",
	    genkan_ctx_last_error(W.p.ctx));
	memset(&out, 0x5a, sizeof(out));
	memset(was, 0x5a, sizeof(was));
	zeroed = 0;
	W.inside = true;
	row[i].try();
	W.inside = false;
	W.came_in++;
	ck_assert_mem_eq(&out, was, sizeof(out));
	ck_assert_int_eq(ev.kind, GENKAN_EV_NONE);
	ck_assert_uint_eq(zeroed, 0);
	ck_assert_msg(memcmp(&W.n, &before, sizeof(before)) == 0,
	    "%s asks for something", row[i].name);
	ck_assert_str_eq(genkan_ctx_last_error(W.p.ctx), error);
}

static void
called(enum kind kind)
{
	size_t i;

	if (W.inside)
		return;
	if (W.all) {
		for (i = 0; i < NROWS; i++)
			come_in(i);
	} else if (W.each) {
		come_in(W.row++ % NROWS);
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
	ck_assert_int_eq(another(), 0);
}

/* ------------------------------------------------------------------- world */

static genkan_store
store_of(void)
{
	genkan_store s = GENKAN_STORE_INIT;

	s.user = &W;
	s.free_user = store_free;
	s.load = load;
	s.version = version;
	s.audit = audit;
	s.unix_ms = unix_ms;
	return s;
}

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
	ck_assert_int_eq(mkdir(at("home"), 0700), 0);
	ck_assert_int_eq(mkdir(at("run"), 0700), 0);
	ck_assert_int_eq(setenv("HOME", at("home"), 1), 0);
	ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", at("run"), 1), 0);
	memset(&W, 0, sizeof(W));
	ev = fresh;
	authdata.size = sizeof(authdata);
}

static void
make(void)
{
	genkan_store s = store_of();

	ck_assert_int_eq(make_ctx(), 0);
	ck_assert_int_eq(pair_make(&W.p, &s, 1), 0);
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
	genkan_store s = store_of();
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
		o.store = &s;
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
	for (W.row = 0; W.row < NROWS; W.row++) {
		look(before, sizeof(before));
		W.armed = kind;
		W.came_in = 0;
		provoke(kind);
		ck_assert_msg(W.came_in == 1, "%d was not called", (int)kind);
		look(after, sizeof(after));
		ck_assert_msg(strcmp(before, after) == 0, "%s: %s became %s",
		    row[W.row].name, before, after);
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
	ck_assert_uint_gt(W.came_in, 200 * NROWS);
}
END_TEST

static int
life(void)
{
	genkan_store s = store_of();
	genkan_native *dec = NULL;
	size_t used;
	int r;

	r = make_ctx();
	if (r == 0)
		r = pair_make(&W.p, &s, 1);
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
		for (i = 0; i < NROWS && strcmp(row[i].name, p) != 0; i++)
			continue;
		ck_assert_msg(i < NROWS, "%s is not tried", p);
		n++;
	}
	free(map);
	ck_assert_uint_eq(n, NROWS);
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
