/* The client of an embedder: its connection, from the attach to the loss. */
#include "embed_world.h"

START_TEST(test_a_dial_that_fails_says_why)
{
	static const int err[] = { GENKAN_E_CONNECT, GENKAN_E_AUTH_PEER,
	    GENKAN_E_UNMEASURABLE, GENKAN_E_MISMATCH };

	embed_dial_fails(&EW, GK_DIALLED_NONE, err[_i], "so it is");
	embed_lost(&EW, err[_i], "so it is");
	embed_expect(&EW, GK_EMBED_NOTHING);
	embed_attach(&EW);		/* and once more */
}
END_TEST

START_TEST(test_an_end_before_the_challenge_is_a_refusal)
{
	embed_dial(&EW);
	if (_i == 1)
		gk_leg_broken(EW.leg);
	ck_assert_int_eq(gk_leg_wants(EW.leg), GENKAN_WANT_READ);
	gk_leg_eof(EW.leg);
	embed_lost(&EW, GENKAN_E_REFUSED, "genkan pair-client --name NAME --hash "
	    EMBED_SELF);
}
END_TEST

START_TEST(test_what_the_broker_answers_to_the_attach)
{
	embed_dial(&EW);
	embed_say(&EW, "{\"type\":\"challenge\",\"nonce\":\"00\"}");
	switch (_i) {
	case 0:
		embed_say(&EW, "{\"attach_reply\":\"refused\",\"reason\":"
		    "\"not on the list\"}");
		embed_lost(&EW, GENKAN_E_REFUSED, "not on the list");
		break;
	case 1:
		embed_say(&EW, "{\"attach_reply\":\"unavailable\",\"reason\":"
		    "\"full\"}");
		embed_lost(&EW, GENKAN_E_UNAVAILABLE, "full");
		break;
	case 2:
		embed_say(&EW, "{\"attach_reply\":\"maybe\"}");
		embed_lost(&EW, GENKAN_E_FRAME_MEMBER, "set-up failed");
		break;
	case 3:
		gk_leg_eof(EW.leg);
		embed_lost(&EW, GENKAN_E_EOF, "closed");
		break;
	case 4:
		embed_time(&EW, gk_now(EW.t.ctx) + GK_SETUP_READ_MS);
		embed_lost(&EW, GENKAN_E_TIMEOUT, "in time");
		break;
	case 5:
		embed_frees_leg(&EW);
		embed_lost(&EW, GENKAN_E_CLOSED, "closed");
		break;
	}
}
END_TEST

START_TEST(test_what_the_broker_answers_to_the_opener)
{
	embed_dial(&EW);
	embed_say(&EW, "{\"type\":\"challenge\",\"nonce\":\"00\"}");
	embed_say(&EW, "{\"attach_reply\":\"accepted\"}");
	ck_assert_int_eq(gk_embed_deadline(EW.e),
	    gk_now(EW.t.ctx) + GK_SETUP_READ_MS);
	switch (_i) {
	case 0:
		embed_say(&EW, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{"
		    "\"code\":-32602,\"message\":\"no\"}}");
		embed_lost(&EW, GENKAN_E_PROTOCOL, "no reply");
		break;
	case 1:
		embed_say(&EW, ANSWER("0", "{}"));
		embed_lost(&EW, GENKAN_E_PROTOCOL, "no reply");
		break;
	case 2:
		embed_say(&EW, ANSWER("1", "{}"));
		embed_lost(&EW, GENKAN_E_PROTOCOL, "no reply");
		break;
	case 3:
		embed_time(&EW, gk_now(EW.t.ctx) + GK_SETUP_READ_MS - 1);
		embed_expect(&EW, GK_EMBED_NOTHING);
		embed_time(&EW, gk_now(EW.t.ctx) + 1);
		embed_lost(&EW, GENKAN_E_TIMEOUT, "open");
		break;
	case 4:
		gk_leg_broken(EW.leg);
		embed_lost(&EW, GENKAN_E_EOF, "failed");
		break;
	}
}
END_TEST

/* -------------------------------------------------------------------- loss */

START_TEST(test_a_lost_broker_answers_what_was_sent_and_holds_the_rest)
{
	int i;

	embed_attach(&EW);
	for (i = 0; i < 5; i++)
		embed_call(&EW, "a", NULL);
	for (i = 0; i < 3; i++)
		embed_hear(&EW);
	gk_leg_wrote(EW.leg, 4);		/* the fourth is torn: not sent */
	embed_say(&EW, ANSWER("2", REPLY("x")));
	if (_i == 0)
		gk_leg_eof(EW.leg);
	else
		embed_frees_leg(&EW);
	embed_result(&EW, 2, 0, "x");
	embed_result(&EW, 1, GK_CODE_CONNECTION_LOST, "the connection to the "
	    "broker was lost; the call may have run");
	ck_assert_ptr_null(EW.ev.data.ptr);
	embed_result(&EW, 3, GK_CODE_CONNECTION_LOST, EW.ev.text.ptr);
	embed_lost(&EW, _i == 0 ? GENKAN_E_EOF : GENKAN_E_CLOSED, "closed");
	ck_assert_uint_eq(gk_embed_outstanding(EW.e), 2);
	embed_call(&EW, "b", NULL);
	embed_attach(&EW);
	ck_assert_str_eq(embed_hear(&EW), SENT("4", "a", ""));
	ck_assert_str_eq(embed_hear(&EW), SENT("5", "a", ""));
	ck_assert_str_eq(embed_hear(&EW), SENT("6", "b", ""));
}
END_TEST

START_TEST(test_a_broken_connection_is_read_to_its_end)
{
	embed_attach(&EW);
	embed_call(&EW, "a", NULL);
	embed_call(&EW, "b", NULL);
	embed_hear(&EW);
	embed_hear(&EW);
	gk_leg_broken(EW.leg);
	gk_leg_broken(EW.leg);
	ck_assert_int_eq(gk_leg_wants(EW.leg), GENKAN_WANT_READ);
	embed_say(&EW, ANSWER("2", REPLY("still")));
	embed_result(&EW, 2, 0, "still");
	embed_expect(&EW, GK_EMBED_NOTHING);
	ck_assert_int_eq(gk_embed_deadline(EW.e), gk_now(EW.t.ctx) +
	    GK_RELAY_LOSS_MS / 2);
	if (_i == 0)
		gk_leg_eof(EW.leg);
	else
		embed_time(&EW, gk_now(EW.t.ctx) + GK_RELAY_LOSS_MS / 2);
	embed_expect(&EW, GK_EMBED_RESULT);
	ck_assert_int_eq(EW.ev.code, GK_CODE_CONNECTION_LOST);
	embed_lost(&EW, GENKAN_E_EOF, "connection");
}
END_TEST

static const char *const foreign[] = {
	"nonsense", "[]", "{}", "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":1}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":[]}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":\"x\","
	    "\"message\":\"y\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
	    "\"message\":\"parse error\"}}",
	"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"method\":7}",
	ANSWER("0", "{\"protocolVersion\":\"2025-11-25\"}"),
	ANSWER("2", REPLY("not sent")),
	ANSWER("3", REPLY("never made")),
};

START_TEST(test_a_line_that_is_no_reply_ends_the_connection)
{
	embed_attach(&EW);
	embed_call(&EW, "a", NULL);
	embed_call(&EW, "b", NULL);
	embed_hear(&EW);
	embed_say(&EW, foreign[_i]);
	embed_result(&EW, 1, GK_CODE_CONNECTION_LOST, "the connection to the "
	    "broker was lost; the call may have run");
	embed_expect(&EW, GK_EMBED_STATE);
	ck_assert(!EW.ev.attached);
	ck_assert_int_lt(EW.ev.code, 0);
	ck_assert_int_eq(gk_leg_wants(EW.leg), GENKAN_WANT_CLOSE);
	embed_say(&EW, ANSWER("2", REPLY("ignored")));
	ck_assert_uint_eq(gk_embed_outstanding(EW.e), 1);
}
END_TEST

/* Wherever a read ends, the same comes out. */
START_TEST(test_split_anywhere)
{
	size_t cut, len = 1, used;
	char all[512];
	uint64_t a, b;

	embed_attach(&EW);
	for (cut = 0; cut <= len; cut++) {
		a = embed_call(&EW, "a", NULL);
		b = embed_call(&EW, "b", NULL);
		embed_hear(&EW);
		embed_hear(&EW);
		len = (size_t)snprintf(all, sizeof(all), "{\"jsonrpc\":\"2.0\","
		    "\"id\":%d,\"result\":" REPLY("two") "}\n\r\n  \n"
		    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":"
		    ERROR("Error [USER_DENIED]: no") "}\r\n", (int)b, (int)a);
		ck_assert_int_eq(gk_leg_feed(EW.leg, all, cut, &used), 0);
		ck_assert_uint_eq(used, cut);
		ck_assert_int_eq(gk_leg_feed(EW.leg, all + cut, len - cut,
		    &used), 0);
		ck_assert_uint_eq(used, len - cut);
		embed_result(&EW, b, 0, "two");
		embed_result(&EW, a, GK_CODE_USER_DENIED, "no");
		embed_expect(&EW, GK_EMBED_NOTHING);
	}
	ck_assert_uint_gt(cut, 150);
}
END_TEST

/* ------------------------------------------------------------------ memory */

/* Accepted calls end once or are held, whatever allocation fails. */
static int
life(struct gk_test *t, size_t fail_at, size_t *failed)
{
	struct gk_dialling d = { .outcome = GK_DIALLED_OK };
	struct genkan_leg *leg = NULL;
	struct gk_embed_event ev;
	struct gk_embed *e;
	const size_t before = t->failed;
	uint64_t made = 0, id;
	size_t used, ended = 0;
	const void *p;
	char line[256];

	t->fail_at = fail_at;
	e = gk_embed_new(t->ctx);
	if (e == NULL)
		goto out;
	memcpy(d.secret, EMBED_SECRET, sizeof(d.secret));
	(void)gk_embed_attach(e);
	(void)gk_embed_next(e, &ev);
	gk_embed_dialled(e, &d, EMBED_SELF, &leg);
	for (id = 0; id < 3; id++)
		if (gk_embed_call(e, gk_span_str("a"), gk_span_str("{}"), 0,
		    &made) < 0)
			ended++;
	ended = 3 - ended;		/* of these */
	if (leg != NULL) {
		static const char *const say[] = {
			"{\"type\":\"challenge\",\"nonce\":\"00\"}\n",
			"{\"attach_reply\":\"accepted\"}\n",
			ANSWER("0", "{\"protocolVersion\":\"x\"}") "\n",
		};
		size_t i;

		for (i = 0; i < GK_ARRAY_LEN(say); i++) {
			(void)gk_leg_feed(leg, say[i], strlen(say[i]), &used);
			while (gk_leg_output(leg, &p, &used) == 1)
				gk_leg_wrote(leg, used);
		}
		for (id = 1; id <= 2; id++) {
			snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\","
			    "\"id\":%d,\"result\":" REPLY("\\u00e9") "}\n",
			    (int)id);
			(void)gk_leg_feed(leg, line, strlen(line), &used);
		}
		gk_leg_eof(leg);
	}
	while (gk_embed_next(e, &ev) != GK_EMBED_NOTHING)
		if (ev.kind == GK_EMBED_RESULT) {
			ck_assert_uint_ge(ev.id, 1);
			ck_assert_uint_le(ev.id, made);
			ended--;
		}
	ck_assert_uint_eq(ended, gk_embed_outstanding(e));
	ck_assert_int_eq(gk_embed_state(e), GK_EMBED_DETACHED);
out:
	t->fail_at = 0;
	gk_leg_free(leg);
	gk_embed_free(e);
	*failed = t->failed - before;
	return 0;
}

START_TEST(test_every_allocation_may_fail)
{
	const size_t live = EW.t.live;
	size_t i, failed;

	for (i = 1; ; i++) {
		life(&EW.t, i, &failed);
		ck_assert_uint_eq(EW.t.live, live);
		if (failed == 0)
			break;
	}
	ck_assert_uint_gt(i, 20);
}
END_TEST

START_TEST(test_a_client_that_is_freed_leaves_a_leg_that_closes)
{
	struct embed other;

	embed_init(&other);
	embed_attach(&other);
	embed_call(&other, "a", NULL);
	embed_hear(&other);
	embed_call(&other, "b", NULL);
	embed_say(&other, ANSWER("1", REPLY("x")));
	embed_result(&other, 1, 0, "x");
	gk_embed_free(other.e);
	other.e = NULL;
	ck_assert_int_eq(gk_leg_wants(other.leg), GENKAN_WANT_CLOSE);
	embed_say(&other, "whatever");
	gk_leg_wrote(other.leg, 0);
	gk_leg_broken(other.leg);
	gk_leg_eof(other.leg);
	gk_leg_tick(other.leg, 5000000);
	ck_assert_int_eq(gk_leg_deadline(other.leg), GK_CLOCK_NEVER);
	gk_embed_free(NULL);
	embed_done(&other);
}
END_TEST

#define LEN(a)	((int)(sizeof(a) / sizeof((a)[0])))

int
main(void)
{
	Suite *s = suite_create("embed");
	TCase *tc = embed_tcase(s, "embed");

	tcase_add_loop_test(tc, test_a_dial_that_fails_says_why, 0, 4);
	tcase_add_loop_test(tc,
	    test_an_end_before_the_challenge_is_a_refusal, 0, 2);
	tcase_add_loop_test(tc, test_what_the_broker_answers_to_the_attach, 0,
	    6);
	tcase_add_loop_test(tc, test_what_the_broker_answers_to_the_opener, 0,
	    5);
	tcase_add_loop_test(tc,
	    test_a_lost_broker_answers_what_was_sent_and_holds_the_rest, 0, 2);
	tcase_add_loop_test(tc, test_a_broken_connection_is_read_to_its_end,
	    0, 2);
	tcase_add_loop_test(tc,
	    test_a_line_that_is_no_reply_ends_the_connection, 0,
	    (int)GK_ARRAY_LEN(foreign));
	tcase_add_test(tc, test_split_anywhere);
	tcase_add_test(tc, test_every_allocation_may_fail);
	tcase_add_test(tc,
	    test_a_client_that_is_freed_leaves_a_leg_that_closes);
	return gk_test_main(s);
}
