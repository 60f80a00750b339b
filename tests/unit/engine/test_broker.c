/* Set-up, admission, counting and exit: wire 3.3, 3.5, 5.1, 6. */
#include "broker_world.h"

static struct world W;
static struct peer P[40];

static void
setup(void)
{
	world_init(&W);
}

static void
teardown(void)
{
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(P); i++)
		peer_free(&P[i]);
	world_done(&W);
}

#define HOST	GK_ROLE_HOST
#define SERVER	GK_ROLE_SERVER
#define CLI	GK_ROLE_CLI

/* ------------------------------------------------------- steps 1, 2, 3 */

START_TEST(test_33rd_pending_connection_is_dropped)
{
	struct gk_peer f = facts(HOST, HASH_B);
	size_t i;

	for (i = 0; i < 31; i++)
		peer_init(&W, &P[i], &f);
	ck_assert_uint_eq(gk_broker_pending(W.b), 31);
	ck_assert_int_eq(gk_broker_claim(W.b), 0);
	ck_assert_int_eq(gk_broker_claim(W.b), GENKAN_E_LIMIT);
	gk_broker_unclaim(W.b);
	ck_assert_int_eq(gk_broker_claim(W.b), 0);
	gk_broker_unclaim(W.b);
	ck_assert_uint_eq(W.naudit, 0);
	/* one that has attached gives its slot back */
	peer_attach(&P[0], NULL, "{\"attach\":\"browser\"}");
	ck_assert_uint_eq(gk_broker_pending(W.b), 30);
	/* and so does one that goes away */
	gk_leg_eof(P[1].leg);
	ck_assert_uint_eq(gk_broker_pending(W.b), 29);
}
END_TEST

static const struct {
	bool		 known, ours;
	bool		 measured;
	unsigned	 roles;
	const char	*trust;
	const char	*detail;	/* of the audit; NULL: passes step 3 */
} peers[] = {
	{ true, true, true, HOST, NULL, NULL },
	{ true, true, true, SERVER, NULL, NULL },
	{ true, true, true, CLI, NULL, NULL },
	{ true, true, true, 0, PAIRED_A, NULL },
	{ false, false, true, HOST, NULL, "peer uid unknown" },
	{ true, false, true, HOST, NULL, "peer uid mismatch" },
	{ true, false, true, 0, PAIRED_A, "peer uid mismatch" },
	{ true, true, false, 0, NULL, "peer attestation failed" },
	{ true, true, false, 0, PAIRED_A, "peer attestation failed" },
	{ true, true, true, 0, NULL, "peer attestation failed" },
	{ true, true, true, 0, FRESH, "peer attestation failed" },
	{ true, true, true, 0, PAIRED_NONE, "peer attestation failed" },
	{ true, true, true, 0, "damaged", "peer attestation failed" },
	{ true, true, true, 0, TRUST("false", "[" CLIENT("b", HASH_B) "]"),
	    "peer attestation failed" },
};

START_TEST(test_peer_row)
{
	struct gk_peer f = facts(peers[_i].roles, HASH_A);
	char want[128];

	f.uid_known = peers[_i].known;
	f.uid_ours = peers[_i].ours;
	f.image.ok = peers[_i].measured;
	world_write(&W, GK_RECORD_TRUST, peers[_i].trust);
	peer_init(&W, &P[0], &f);
	if (peers[_i].detail == NULL) {
		ck_assert_int_eq(strncmp(hear(&P[0]),
		    "{\"type\":\"challenge\",", 20), 0);
		ck_assert(!closed(&P[0]));
		ck_assert_uint_eq(W.naudit, 0);
		return;
	}
	/* not one byte, and nothing of what it sends is looked at */
	ck_assert(closed(&P[0]));
	ck_assert(tell(&P[0], "{\"attach\":\"client\"}"));
	ck_assert_str_eq(hear(&P[0]), "");
	ck_assert_uint_eq(gk_broker_pending(W.b), 0);
	ck_assert_uint_eq(W.naudit, 1);
	snprintf(want, sizeof(want), "attach_refuse - - - - %s -1 -1",
	    peers[_i].detail);
	ck_assert_str_eq(audited(&W, 1), want);
	ck_assert_int_eq(W.t.log_level, 1);	/* a warning */
	if (strcmp(peers[_i].detail, "peer attestation failed") == 0)
		ck_assert_ptr_nonnull(strstr(W.t.log_text,
		    "peer executable identity mismatch"));
}
END_TEST

/* Still turned away, but not called names. */
START_TEST(test_a_peer_that_cannot_be_looked_at_for_our_own_want)
{
	struct gk_peer f = facts(HOST, HASH_B);

	f.image.ok = false;
	f.shortage = true;
	(void)strcpy(f.why, "no pidfd of the peer: Too many open files");
	peer_init(&W, &P[0], &f);
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(hear(&P[0]), "");
	ck_assert_ptr_null(strstr(W.t.log_text, "identity mismatch"));
	ck_assert_ptr_nonnull(strstr(W.t.log_text, "short of descriptors or "
	    "memory: no pidfd of the peer: Too many open files"));
	ck_assert_str_eq(audited(&W, 1),
	    "attach_refuse - - - - peer attestation failed -1 -1");
}
END_TEST

/* ------------------------------------------------------------ steps 4, 5 */

START_TEST(test_silent_close_is_noise)
{
	struct gk_peer f = facts(CLI, HASH_B);
	size_t logs;

	peer_init(&W, &P[0], &f);
	logs = W.t.logs;
	hear(&P[0]);
	gk_leg_eof(P[0].leg);
	ck_assert(closed(&P[0]));
	ck_assert_uint_eq(W.naudit, 0);
	ck_assert_uint_eq(W.t.logs, logs + 1);
	ck_assert_int_eq(W.t.log_level, 3);	/* debug */
}
END_TEST

static const char *const bad_responses[] = {
	"{\"type\":\"response\",\"mac\":\"00\"}",
	"{\"type\":\"response\",\"mac\":\"02ed18fb77acafa0a69d34a437d321098e"
	    "27451aa2a83e364b0cd29da1314e32\"}",	/* of another nonce */
	"{\"type\":\"challenge\",\"nonce\":\"00\"}",
	"{\"attach\":\"browser\"}", "nope", "[]",
};

START_TEST(test_bad_response_is_audited_and_gets_no_frame)
{
	struct gk_peer f = facts(HOST, HASH_B);

	peer_init(&W, &P[0], &f);
	hear(&P[0]);
	tell(&P[0], bad_responses[_i]);
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(hear(&P[0]), "");
	ck_assert_str_eq(audited(&W, 1),
	    "attach_refuse - - - - handshake failed -1 -1");
	ck_assert_int_eq(W.t.log_level, 1);
}
END_TEST

START_TEST(test_handshake_fails_without_a_secret)
{
	struct gk_peer f = facts(HOST, HASH_B);

	W.no_secret = true;
	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], "chrome", "{\"attach\":\"browser\"}");
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(audited(&W, 1),
	    "attach_refuse - - - - handshake failed -1 -1");
}
END_TEST

START_TEST(test_wrong_label_fails_the_handshake)
{
	struct gk_peer f = facts(HOST, HASH_B);

	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], "-x", "{\"attach\":\"browser\"}");
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(audited(&W, 1),
	    "attach_refuse - - - - handshake failed -1 -1");
}
END_TEST

static const char *const bad_attach[] = {
	"{}", "{\"attach\":\"host\"}", "{\"attach\":\"browser\",\"x\":1}",
	"{\"attach\":\"client\",\"harness\":{\"hash\":\"AA\"}}", "nope",
};

START_TEST(test_bad_attach_frame_is_not_audited)
{
	struct gk_peer f = facts(SERVER | HOST, HASH_B);

	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], NULL, bad_attach[_i]);
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(hear(&P[0]), "");
	ck_assert_uint_eq(W.naudit, 0);
	ck_assert_int_eq(W.t.log_level, 1);
}
END_TEST

START_TEST(test_client_with_a_label_fails_like_step_5)
{
	struct gk_peer f = facts(SERVER, HASH_B);

	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], "chrome", "{\"attach\":\"client\"}");
	ck_assert(closed(&P[0]));
	ck_assert_uint_eq(W.naudit, 0);
}
END_TEST

START_TEST(test_each_frame_of_the_set_up_has_ten_seconds)
{
	struct gk_peer f = facts(HOST, HASH_B);

	peer_init(&W, &P[0], &f);
	peer_init(&W, &P[1], &f);
	world_time(&W, 10999);
	peer_attach(&P[1], "b", "");
	ck_assert(!closed(&P[0]));
	ck_assert_int_eq(gk_broker_deadline(W.b), 11000);
	world_time(&W, 11000);
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(audited(&W, 1),
	    "attach_refuse - - - - handshake failed -1 -1");
	/* the attach frame has ten of its own */
	world_time(&W, 20998);
	ck_assert(!closed(&P[1]));
	world_time(&W, 20999);
	ck_assert(closed(&P[1]));
	ck_assert_uint_eq(W.naudit, 1);
	ck_assert_uint_eq(gk_broker_pending(W.b), 0);
}
END_TEST

/* Attach frame and what follows it in one read: nothing is lost. */
START_TEST(test_bytes_behind_the_attach_line_belong_to_the_leg)
{
	struct gk_peer f = facts(HOST, HASH_B);

	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], "x", "{\"attach\":\"browser\"}\n{\"type\":\"hello\","
	    "\"protocol\":7}");
	ck_assert_str_eq(hear(&P[0]), "{\"attach_reply\":\"accepted\"}");
	world_own(&W);
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_fails(own_hear(&W), "PROTOCOL_MISMATCH", "protocol 7");
}
END_TEST

/* --------------------------------------------------------------- step 6 */

static const struct {
	unsigned	 roles;
	const char	*attach;
	bool		 fits;
} roles[] = {
	{ HOST, "{\"attach\":\"browser\"}", true },
	{ HOST, "{\"attach\":\"client\"}", false },
	{ HOST, "{\"attach\":\"client\",\"harness\":{\"hash\":\"" HASH_A
	    "\"}}", false },
	{ SERVER, "{\"attach\":\"browser\"}", false },
	{ SERVER, "{\"attach\":\"client\"}", true },
	{ SERVER, "{\"attach\":\"client\",\"harness\":{\"hash\":\"" HASH_A
	    "\",\"name\":\"n\"}}", true },
	{ CLI, "{\"attach\":\"browser\"}", false },
	{ CLI, "{\"attach\":\"client\"}", false },
	{ HOST | SERVER, "{\"attach\":\"browser\"}", true },
	{ HOST | SERVER, "{\"attach\":\"client\"}", true },
};

START_TEST(test_role_row)
{
	struct gk_peer f = facts(roles[_i].roles, HASH_B);

	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], NULL, roles[_i].attach);
	if (roles[_i].fits) {
		ck_assert_str_eq(hear(&P[0]),
		    "{\"attach_reply\":\"accepted\"}");
		return;
	}
	ck_assert_str_eq(hear(&P[0]), "{\"attach_reply\":\"refused\","
	    "\"reason\":\"peer executable identity mismatch\"}");
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(audited(&W, 1),
	    "attach_refuse - - - - peer attestation failed -1 -1");
}
END_TEST

START_TEST(test_embedder_may_not_name_a_harness_nor_be_a_browser)
{
	struct gk_peer f = facts(0, HASH_A);

	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], NULL, "{\"attach\":\"client\",\"harness\":{"
	    "\"hash\":\"" HASH_A "\"}}");
	ck_assert_ptr_nonnull(strstr(hear(&P[0]), "\"refused\""));
	peer_init(&W, &P[1], &f);
	peer_attach(&P[1], NULL, "{\"attach\":\"browser\"}");
	ck_assert_ptr_nonnull(strstr(hear(&P[1]), "\"refused\""));
	embedder(&W, &P[2], HASH_A);
}
END_TEST

/* ------------------------------------------------------------------ 6.3 */

START_TEST(test_browser_admission)
{
	struct gk_peer f = facts(HOST, HASH_B);
	char *reason;

	world_write(&W, GK_RECORD_TRUST, KILLED);
	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], "chrome", "{\"attach\":\"browser\"}");
	reason = strdup(hear(&P[0]));
	ck_assert_ptr_nonnull(strstr(reason, "{\"attach_reply\":\"refused\","
	    "\"reason\":\""));
	ck_assert(closed(&P[0]));
	ck_assert_str_eq(audited(&W, 1),
	    "browser_refuse - - - chrome - -1 -1");

	world_write(&W, GK_RECORD_TRUST, "damaged");
	peer_init(&W, &P[1], &f);
	peer_attach(&P[1], NULL, "{\"attach\":\"browser\"}");
	ck_assert_str_eq(hear(&P[1]), reason);	/* the same text */
	free(reason);
	ck_assert_ptr_nonnull(strstr(audited(&W, 1), "browser_refuse - - - "
	    "default /state/trust.json cannot be used: "));

	world_write(&W, GK_RECORD_TRUST, PAIRED_NONE);
	browser(&W, &P[2], "edge");
	ck_assert_str_eq(audited(&W, 1), "browser_attach - - - edge - -1 -1");
	ck_assert_uint_eq(gk_broker_browsers(W.b), 1);
}
END_TEST

START_TEST(test_17th_label_is_closed_after_accepted)
{
	char label[16];
	int i;

	for (i = 0; i < 17; i++) {
		snprintf(label, sizeof(label), "b%d", i);
		browser(&W, &P[i], label);
		ck_assert_int_eq(closed(&P[i]), i == 16);
	}
	ck_assert_uint_eq(gk_broker_browsers(W.b), 16);
	ck_assert_uint_eq(audits(&W, "browser_attach"), 16);
	/* a live label still gets in */
	browser(&W, &P[20], "b3");
	ck_assert(!closed(&P[20]));
	ck_assert(closed(&P[3]));
	ck_assert_uint_eq(gk_broker_browsers(W.b), 16);
}
END_TEST

static const struct {
	const char	*trust;
	const char	*harness;	/* hash, NULL: unmeasured */
	const char	*reply;		/* NULL: accepted */
	const char	*audit;
} clients[] = {
	{ NULL, NULL, NULL, NULL },
	{ NULL, HASH_B, NULL, NULL },
	{ PAIRED_A, HASH_A, NULL, NULL },
	{ KILLED, HASH_A, NULL, NULL },
	{ PAIRED_A, HASH_B, "not on the allowlist",
	    "harness_refuse refused - - - not on the allowlist; hash:" HASH_B },
	{ PAIRED_A, NULL, "cannot be measured", "harness_refuse refused - - - "
	    "the program cannot be measured; unmeasured" },
	{ PAIRED_NONE, HASH_A, "not on the allowlist",
	    "harness_refuse refused - - - not on the allowlist; hash:" HASH_A },
	{ "{", HASH_A, "/state/trust.json cannot be used",
	    "harness_refuse refused - - - trust record unreadable; hash:"
	    HASH_A },
};

START_TEST(test_client_admission_row)
{
	struct gk_peer f = facts(SERVER, HASH_B);
	char attach[256];

	world_write(&W, GK_RECORD_TRUST, clients[_i].trust);
	snprintf(attach, sizeof(attach), clients[_i].harness == NULL ?
	    "{\"attach\":\"client\"}%s" :
	    "{\"attach\":\"client\",\"harness\":{\"hash\":\"%s\"}}",
	    clients[_i].harness == NULL ? "" : clients[_i].harness);
	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], NULL, attach);
	hear(&P[0]);
	if (clients[_i].reply == NULL) {
		ck_assert_str_eq(P[0].line, "{\"attach_reply\":\"accepted\"}");
		/* a life without a call leaves no record */
		ck_assert_uint_eq(W.naudit, 0);
		ck_assert_uint_eq(gk_broker_clients(W.b), 1);
		return;
	}
	ck_assert_ptr_nonnull(strstr(P[0].line, "\"refused\""));
	ck_assert_ptr_nonnull(strstr(P[0].line, clients[_i].reply));
	ck_assert_int_eq(strncmp(audited(&W, 1), clients[_i].audit,
	    strlen(clients[_i].audit)), 0);
	ck_assert(closed(&P[0]));
	ck_assert_uint_eq(gk_broker_clients(W.b), 0);
	/* nobody has left, so nobody leaves */
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
}
END_TEST

START_TEST(test_refusal_names_the_harness)
{
	struct gk_peer f = facts(SERVER, HASH_B);

	world_write(&W, GK_RECORD_TRUST, PAIRED_NONE);
	peer_init(&W, &P[0], &f);
	peer_attach(&P[0], NULL, "{\"attach\":\"client\",\"harness\":{"
	    "\"hash\":\"" HASH_A "\",\"signer\":\"S\",\"name\":\"claude\"}}");
	ck_assert_int_eq(strncmp(audited(&W, 1), "harness_refuse refused - - "
	    "claude not on the allowlist; hash:" HASH_A, 60), 0);
}
END_TEST

/* 64 clients with the own harness, and one more is told to come again. */
START_TEST(test_65th_client_is_unavailable)
{
	static struct peer many[64];
	int i;

	world_own(&W);
	for (i = 0; i < 63; i++)
		relay(&W, &many[i], NULL);
	ck_assert_uint_eq(gk_broker_clients(W.b), 64);
	peer_init(&W, &many[63], &(struct gk_peer){ .uid_known = true,
	    .uid_ours = true, .image.ok = true, .roles = SERVER });
	peer_attach(&many[63], NULL, "{\"attach\":\"client\"}");
	ck_assert_str_eq(hear(&many[63]), "{\"attach_reply\":\"unavailable\","
	    "\"reason\":\"too many clients are attached\"}");
	ck_assert(closed(&many[63]));
	ck_assert_uint_eq(W.naudit, 0);
	/* one leaves, and the next is served */
	gk_leg_eof(many[5].leg);
	ck_assert(closed(&many[5]));
	peer_free(&many[5]);
	relay(&W, &many[5], NULL);
	for (i = 0; i < 64; i++)
		peer_free(&many[i]);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
}
END_TEST

START_TEST(test_peer_that_does_not_read_its_refusal_is_closed)
{
	struct gk_peer f = facts(CLI, HASH_B);
	const void *p;
	size_t n;

	peer_init(&W, &P[0], &f);
	hear(&P[0]);
	P[0].leg->ops->output(P[0].leg, &p, &n);
	peer_free(&P[0]);

	world_write(&W, GK_RECORD_TRUST, PAIRED_NONE);
	f = facts(SERVER, HASH_B);
	peer_init(&W, &P[1], &f);
	peer_attach(&P[1], NULL, "{\"attach\":\"client\"}");
	ck_assert_int_eq(gk_leg_wants(P[1].leg), GENKAN_WANT_WRITE);
	world_time(&W, 10999);
	ck_assert_int_eq(gk_leg_wants(P[1].leg), GENKAN_WANT_WRITE);
	world_time(&W, 11000);
	ck_assert_int_eq(gk_leg_wants(P[1].leg), GENKAN_WANT_CLOSE);
}
END_TEST

/* ------------------------------------------------------------------ 3.3 */

START_TEST(test_last_client_sets_the_latch)
{
	struct gk_peer f = facts(SERVER, HASH_B);

	browser(&W, &P[0], "b");
	relay(&W, &P[1], NULL);
	relay(&W, &P[2], NULL);
	gk_leg_eof(P[1].leg);
	ck_assert(closed(&P[1]));
	gk_leg_free(P[1].leg);
	P[1].leg = NULL;
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
	gk_leg_broken(P[2].leg);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_LEAVE);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
	/* later clients are sent away */
	peer_init(&W, &P[3], &f);
	peer_attach(&P[3], NULL, "{\"attach\":\"client\"}");
	ck_assert_str_eq(hear(&P[3]), "{\"attach_reply\":\"unavailable\","
	    "\"reason\":\"the broker is leaving\"}");
}
END_TEST

START_TEST(test_own_harness_counts_until_it_is_released)
{
	world_own(&W);
	ck_assert_uint_eq(gk_broker_clients(W.b), 1);
	relay(&W, &P[0], NULL);
	gk_broker_release(W.own);
	ck_assert_uint_eq(gk_broker_clients(W.b), 1);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
	gk_leg_broken(P[0].leg);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_LEAVE);
}
END_TEST

START_TEST(test_second_own_harness_is_refused)
{
	struct gk_broker_client *k;

	world_own(&W);
	ck_assert_int_eq(gk_broker_own(W.b, W.mcp, NULL, &k), GENKAN_E_STATE);
}
END_TEST

START_TEST(test_broker_waits_for_its_first_client_without_limit)
{
	world_run(&W, 100000);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
}
END_TEST

START_TEST(test_legs_outlive_their_broker)
{
	browser(&W, &P[0], "b");
	relay(&W, &P[1], NULL);
	peer_init(&W, &P[2], &(struct gk_peer){ .uid_known = true,
	    .uid_ours = true, .image.ok = true, .roles = HOST });
	gk_broker_free(W.b);
	W.b = NULL;
	ck_assert(closed(&P[0]));
	ck_assert(closed(&P[1]));
	ck_assert(closed(&P[2]));
	tell(&P[0], "{\"type\":\"hello\",\"protocol\":1}");
	tell(&P[1], "{}");
	tell(&P[2], "{}");
	gk_leg_eof(P[1].leg);
	gk_leg_broken(P[0].leg);
	gk_leg_tick(P[2].leg, 100000);
}
END_TEST

/* ------------------------------------------------------------------ 3.5 */

START_TEST(test_retired_broker_takes_nothing_new)
{
	struct gk_peer f = facts(HOST, HASH_B);
	struct genkan_leg *leg = NULL;

	browser(&W, &P[0], "b");
	world_own(&W);
	peer_init(&W, &P[1], &f);
	gk_broker_retire(W.b);
	ck_assert(gk_broker_retired(W.b));
	ck_assert(closed(&P[1]));	/* not admitted yet */
	ck_assert(!closed(&P[0]));
	ck_assert_int_eq(gk_broker_claim(W.b), 0);
	ck_assert_int_eq(gk_broker_accept(W.b, &f, &leg),
	    GENKAN_E_UNAVAILABLE);
	ck_assert_ptr_null(leg);
	ck_assert_uint_eq(gk_broker_pending(W.b), 0);
	/* what stands is served */
	hello(&P[0], "\"tab_control\"");
	own_say(&W, CALL("1", "tab_list", "{}"));
	ck_assert_str_eq(hear(&P[0]), "{\"id\":1,\"op\":\"tab_list\","
	    "\"browser\":\"b\",\"args\":{}}");
	tell(&P[0], "{\"id\":1,\"ok\":true,\"data\":[]}");
	ck_assert_str_eq(own_hear(&W), TEXT("1", "[]"));
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
	/* its last browser goes */
	own_say(&W, CALL("2", "tab_list", "{}"));
	gk_leg_eof(P[0].leg);
	ck_fails(own_hear(&W), "CONNECTION_LOST", "browser b");
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_OUTDATED);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
	own_say(&W, CALL("3", "tab_list", "{}"));
	ck_fails(own_hear(&W), "PROTOCOL_MISMATCH", "upgraded");
	/* gate 0: no record was asked, nothing audited */
	ck_assert_uint_eq(audits(&W, "tool_call"), 2);
}
END_TEST

START_TEST(test_retired_broker_without_browsers_closes_its_clients)
{
	world_own(&W);
	relay(&W, &P[0], NULL);
	client_open(&P[0]);
	tell(&P[0], CALL("1", "tab_list", "{}"));
	own_say(&W, CALL("1", "tab_list", "{}"));
	gk_broker_retire(W.b);
	ck_fails(own_hear(&W), "PROTOCOL_MISMATCH", "restart the MCP client");
	/* the relay still reads its reply, then it is closed */
	ck_assert(!closed(&P[0]));
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
	ck_fails(hear(&P[0]), "PROTOCOL_MISMATCH", "upgraded");
	ck_assert(closed(&P[0]));
	peer_free(&P[0]);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_OUTDATED);
}
END_TEST

START_TEST(test_retired_broker_does_not_wait_for_a_client_that_never_reads)
{
	relay(&W, &P[0], NULL);
	client_open(&P[0]);
	tell(&P[0], CALL("1", "tab_list", "{}"));
	gk_broker_retire(W.b);
	world_time(&W, 10999);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
	world_time(&W, 11000);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_OUTDATED);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_LEAVE);
	ck_assert(closed(&P[0]));
}
END_TEST

START_TEST(test_retired_idle_broker_is_outdated_at_once)
{
	gk_broker_retire(W.b);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_OUTDATED);
	gk_broker_retire(W.b);
	ck_assert_int_eq(gk_broker_next(W.b), GK_BROKER_NOTHING);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("broker");
	TCase *tc = tcase_create("broker");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_33rd_pending_connection_is_dropped);
	tcase_add_loop_test(tc, test_peer_row, 0, GK_ARRAY_LEN(peers));
	tcase_add_test(tc,
	    test_a_peer_that_cannot_be_looked_at_for_our_own_want);
	tcase_add_test(tc, test_silent_close_is_noise);
	tcase_add_loop_test(tc,
	    test_bad_response_is_audited_and_gets_no_frame, 0,
	    GK_ARRAY_LEN(bad_responses));
	tcase_add_test(tc, test_handshake_fails_without_a_secret);
	tcase_add_test(tc, test_wrong_label_fails_the_handshake);
	tcase_add_loop_test(tc, test_bad_attach_frame_is_not_audited, 0,
	    GK_ARRAY_LEN(bad_attach));
	tcase_add_test(tc, test_client_with_a_label_fails_like_step_5);
	tcase_add_test(tc, test_each_frame_of_the_set_up_has_ten_seconds);
	tcase_add_test(tc, test_bytes_behind_the_attach_line_belong_to_the_leg);
	tcase_add_loop_test(tc, test_role_row, 0, GK_ARRAY_LEN(roles));
	tcase_add_test(tc,
	    test_embedder_may_not_name_a_harness_nor_be_a_browser);
	tcase_add_test(tc, test_browser_admission);
	tcase_add_test(tc, test_17th_label_is_closed_after_accepted);
	tcase_add_loop_test(tc, test_client_admission_row, 0,
	    GK_ARRAY_LEN(clients));
	tcase_add_test(tc, test_refusal_names_the_harness);
	tcase_add_test(tc, test_65th_client_is_unavailable);
	tcase_add_test(tc, test_peer_that_does_not_read_its_refusal_is_closed);
	tcase_add_test(tc, test_last_client_sets_the_latch);
	tcase_add_test(tc, test_own_harness_counts_until_it_is_released);
	tcase_add_test(tc, test_second_own_harness_is_refused);
	tcase_add_test(tc,
	    test_broker_waits_for_its_first_client_without_limit);
	tcase_add_test(tc, test_legs_outlive_their_broker);
	tcase_add_test(tc, test_retired_broker_takes_nothing_new);
	tcase_add_test(tc,
	    test_retired_broker_without_browsers_closes_its_clients);
	tcase_add_test(tc,
	    test_retired_broker_does_not_wait_for_a_client_that_never_reads);
	tcase_add_test(tc, test_retired_idle_broker_is_outdated_at_once);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
