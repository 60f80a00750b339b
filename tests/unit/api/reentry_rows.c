/*
 * Every exported function, with what becomes of a call from inside a function
 * that the program has given: <genkan/context.h>.
 */
#include "reentry.h"

#include "util.h"

struct reentry_out reentry_out;
genkan_event reentry_ev;
genkan_authdata reentry_authdata;
size_t reentry_zeroed;

static int user_freed;		/* of tables that are given */

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
	refused_unread(genkan_broker_new(W.p.ctx, &bad, (void *)&reentry_out.ptr));
	return given_back(genkan_broker_new(W.p.ctx, &o, (void *)&reentry_out.ptr));
}

static int
new_server(void)
{
	genkan_server_options o = GENKAN_SERVER_OPTIONS_INIT, bad = { .size = 1 };
	genkan_store s = a_store();

	o.store = &s;
	refused_unread(genkan_server_new(W.p.ctx, &bad, (void *)&reentry_out.ptr));
	return given_back(genkan_server_new(W.p.ctx, &o, (void *)&reentry_out.ptr));
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

int
reentry_another(void)
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
	return genkan_trust_pair(W.p.ctx, &o, (void *)&reentry_out.ptr);
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

#define OUT	(void *)&reentry_out.ptr
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
	REFUSED(broker_deadline, (W.p.broker, &reentry_out.ms)) \
	SILENT(broker_free, (W.p.broker)) \
	REFUSED_BY(broker_new, new_broker()) \
	REFUSED(broker_next, (W.p.broker, &reentry_ev)) \
	REFUSED_BY(broker_set_callbacks, given_back_always( \
	    genkan_broker_set_callbacks(W.p.broker, callbacks()))) \
	SILENT(broker_tick, (W.p.broker, 100000)) \
	REFUSED(client_attach, (W.dialler)) \
	REFUSED(client_call, (W.p.client, "t", NULL, 0, 0, &reentry_out.id)) \
	REFUSED(client_cancel, (W.p.client, 1)) \
	REFUSED(client_deadline, (W.p.client, &reentry_out.ms)) \
	SILENT(client_free, (W.p.client)) \
	REFUSED(client_join, (W.dialler, PAIR_SECRET, OUT)) \
	REFUSED(client_new, (CTX, NULL, OUT)) \
	REFUSED(client_next, (W.p.client, &reentry_ev)) \
	GIVES(client_outstanding, genkan_client_outstanding(W.p.client) == 0) \
	REFUSED_BY(client_set_callbacks, given_back_always( \
	    genkan_client_set_callbacks(W.p.client, callbacks()))) \
	REFUSED(client_state, (W.p.client)) \
	SILENT(client_tick, (W.p.client, 100000)) \
	REFUSED(client_tools, (W.p.client, &reentry_out.id)) \
	OPEN(code_name, genkan_code_name(0)[0] != '\0') \
	OPEN(code_retryable, genkan_code_retryable(0) == 0) \
	OPEN(code_text, genkan_code_text(0)[0] != '\0') \
	GIVES(credential_backup_eligible, \
	    genkan_credential_backup_eligible(W.cred) == 0) \
	REFUSED(credential_counted, (W.cred, 1000)) \
	SILENT(credential_free, (W.cred)) \
	GIVES(credential_id, genkan_credential_id(W.cred, &reentry_zeroed) == NULL) \
	REFUSED(credential_new, (CTX, "0123456789abcdef", 16, point, 0, 0, \
	    OUT)) \
	GIVES(credential_public_key, \
	    genkan_credential_public_key(W.cred) == NULL) \
	GIVES(credential_sign_count, \
	    genkan_credential_sign_count(W.cred) == 0) \
	SILENT(ctx_free, (CTX)) \
	OPEN(ctx_last_error, genkan_ctx_last_error(CTX) != NULL) \
	OPEN(ctx_new, reentry_another() == 0) \
	REFUSED(ctx_set_time, (CTX, 100000)) \
	REFUSED(dispatch, (CTX, &W)) \
	REFUSED(doctor_check, (CTX, OUT)) \
	REFUSED(doctor_list, (CTX, OUT)) \
	REFUSED(doctor_paths, (CTX, OUT)) \
	OPEN(error_class, genkan_error_class(GENKAN_E_STATE) == \
	    GENKAN_CLASS_CALLER) \
	OPEN(error_name, IS_EMPTY(genkan_error_name(0)) == 0) \
	OPEN(error_text, IS_EMPTY(genkan_error_text(0)) == 0) \
	REFUSED(host_deadline, (W.host, &reentry_out.ms)) \
	SILENT(host_free, (W.host)) \
	REFUSED(host_new, (CTX, 0, NULL, OUT)) \
	REFUSED(host_next, (W.host, &reentry_ev)) \
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
	REFUSED(leg_deadline, (W.p.here, &reentry_out.ms)) \
	SILENT(leg_eof, (W.p.here)) \
	REFUSED(leg_feed, (W.p.here, "x\n", 2, &reentry_zeroed)) \
	SILENT(leg_free, (W.p.here)) \
	REFUSED(leg_gather, (W.p.here, reentry_out.text, 4, &reentry_out.len)) \
	REFUSED(leg_output, (W.p.here, OUT, &reentry_out.len)) \
	REFUSED(leg_room, (W.p.here, OUT, &reentry_out.len)) \
	SILENT(leg_tick, (W.p.here, 100000)) \
	GIVES(leg_wants, genkan_leg_wants(W.p.here) == \
	    (W.p.here == NULL ? GENKAN_WANT_CLOSE : 0)) \
	SILENT(leg_wrote, (W.p.here, 1)) \
	OPEN(native_encode, genkan_native_encode("{}", 2, 9, six, 6) == 0) \
	REFUSED(native_eof, (W.dec)) \
	REFUSED(native_feed, (W.dec, "x", 1, &reentry_zeroed)) \
	GIVES(native_frame, genkan_native_frame(W.dec, &reentry_zeroed) == NULL) \
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
	REFUSED(server_deadline, (W.server, &reentry_out.ms)) \
	SILENT(server_free, (W.server)) \
	REFUSED_BY(server_new, new_server()) \
	REFUSED(server_next, (W.server, &reentry_ev)) \
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
	    "x", 1, &reentry_out.count)) \
	OPEN(webauthn_attestation, genkan_webauthn_attestation("x", 1, \
	    (void *)&unused, &reentry_zeroed) > 0) \
	REFUSED(webauthn_authdata, (CTX, "x", 1, &reentry_authdata)) \
	REFUSED(webauthn_challenge, (CTX, GENKAN_CEREMONY_ENROLL, NULL, "x", \
	    "x", reentry_out.text)) \
	REFUSED(webauthn_nonce, (CTX, reentry_out.text)) \
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

const struct reentry_row reentry_rows[] = {
#define REFUSED_BY(name, call)	{ "genkan_" #name, try_##name },
#define SILENT(name, args)	REFUSED_BY(name, )
#define GIVES(name, what)	REFUSED_BY(name, )
ROWS
};
const size_t reentry_nrows = sizeof(reentry_rows) / sizeof(reentry_rows[0]);
