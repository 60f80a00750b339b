/* The client of an embedder at a real broker: wire 4.3, 5.1, 6.3, 7, 9. */
#include "broker_world.h"
#include "embed_world.h"
#include "place.h"

static struct world W;		/* the broker's side, its own memory */
static struct embed E;
static struct peer P;		/* where the two meet */
static struct peer B;		/* a browser */

static void
setup(void)
{
	world_init(&W);
	embed_init(&E);
	memset(&P, 0, sizeof(P));
	memset(&B, 0, sizeof(B));
}

static void
teardown(void)
{
	embed_done(&E);
	if (P.leg != NULL)
		peer_free(&P);
	if (B.leg != NULL)
		peer_free(&B);
	world_done(&W);
}

/* Whatever one of the two has for the other; true if anything moved. */
static bool
move(struct genkan_leg *from, struct genkan_leg *to)
{
	bool moved = false;
	const void *p;
	size_t len, used;

	while (gk_leg_output(from, &p, &len) == 1) {
		if (!(gk_leg_wants(to) & GENKAN_WANT_READ))
			break;
		used = feed_placed(to, p, len);
		if (used == 0)
			break;
		gk_leg_wrote(from, used);
		moved = true;
	}
	return moved;
}

static void
join(void)
{
	while (move(E.leg, P.leg) || move(P.leg, E.leg))
		;
	if (closed(&P))
		gk_leg_eof(E.leg);
}

/* The program with this hash comes to the door. */
static void
come(const char *hash)
{
	struct gk_peer f = facts(0, hash);

	if (P.leg != NULL)
		peer_free(&P);
	embed_dial(&E);
	peer_init(&W, &P, &f);
	join();
}

static void
come_in(void)
{
	world_write(&W, GK_RECORD_TRUST, PAIRED_A);
	come(HASH_A);
	embed_expect(&E, GK_EMBED_STATE);
	ck_assert_msg(E.ev.attached, "%s", E.ev.text.ptr);
}

START_TEST(test_a_program_that_is_not_paired_hears_nothing)
{
	static const char *const record[] = { NULL, FRESH, PAIRED_NONE,
	    PAIRED_A, "damaged" };

	world_write(&W, GK_RECORD_TRUST, record[_i]);
	come(HASH_B);
	embed_lost(&E, GENKAN_E_REFUSED, "pair-client --name NAME --hash");
	ck_assert_ptr_nonnull(strstr(audited(&W, 1), "attach_refuse"));
	ck_assert_ptr_nonnull(strstr(audited(&W, 1),
	    "peer attestation failed"));
	come_in();		/* and the same program, paired */
}
END_TEST

/* Read to where it is put together, at the program. */
START_TEST(test_a_large_result_has_its_place)
{
	static char text[20001], line[20100];

	memset(text, 'x', 20000);
	browser(&W, &B, "chrome");
	hello(&B, "\"tab_control\"");
	come_in();
	embed_call(&E, "tab_list", NULL);
	join();
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"tab_list\""));
	snprintf(line, sizeof(line), "{\"id\":1,\"ok\":true,\"data\":"
	    "\"%s\"}", text);
	ck_assert(tell(&B, line));
	join();
	snprintf(line, sizeof(line), "\"%s\"", text);
	embed_result(&E, 1, 0, line);
}
END_TEST

START_TEST(test_a_paired_program_calls_tools)
{
	world_write(&W, GK_RECORD_POLICY, DISABLES("\"tab_open\""));
	browser(&W, &B, "chrome");
	hello(&B, "\"tab_control\"");
	come_in();
	embed_call(&E, "tab_list", NULL);
	embed_call(&E, "list_browsers", NULL);
	embed_call(&E, "tab_close", "{\"tabId\":\"x\"}");
	embed_call(&E, "no_such_tool", NULL);
	embed_call(&E, "tab_open", "{\"url\":\"https://a.example\"}");
	join();
	ck_assert_str_eq(hear(&B), "{\"id\":1,\"op\":\"tab_list\","
	    "\"browser\":\"chrome\",\"args\":{}}");
	ck_assert_ptr_nonnull(strstr(hear(&B), "\"tab_list\""));
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":[{\"id\":7}]}");
	tell(&B, "{\"id\":3,\"ok\":true,\"data\":[1]}");
	join();
	/* refused at once; the others as the browser answers */
	embed_expect(&E, GK_EMBED_RESULT);
	ck_assert_uint_eq(E.ev.id, 3);
	ck_assert_int_eq(E.ev.code, GK_CODE_INVALID_ARGUMENT);
	embed_expect(&E, GK_EMBED_RESULT);
	ck_assert_uint_eq(E.ev.id, 4);
	ck_assert_int_eq(E.ev.code, GK_CODE_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(E.ev.text.ptr, "no_such_tool"));
	embed_expect(&E, GK_EMBED_RESULT);
	ck_assert_uint_eq(E.ev.id, 5);
	ck_assert_int_eq(E.ev.code, GK_CODE_TOOL_DISABLED);
	embed_result(&E, 1, 0, "[{\"id\":7}]");
	embed_result(&E, 2, 0, "{\"count\":1,\"browsers\":[{\"label\":"
	    "\"chrome\",\"tabCount\":1}]}");
	embed_expect(&E, GK_EMBED_NOTHING);
}
END_TEST

START_TEST(test_the_list_of_tools_is_the_catalogue)
{
	uint64_t id;

	come_in();
	ck_assert_int_eq(gk_embed_call(E.e, gk_span(NULL, 0),
	    gk_span(NULL, 0), 0, &id), 0);
	join();
	embed_result(&E, id, 0, NULL);
	ck_assert_int_eq(strncmp(E.ev.data.ptr, "{\"tools\":[{\"name\":"
	    "\"list_browsers\"", 32), 0);
}
END_TEST

START_TEST(test_a_revoked_program_is_dropped)
{
	browser(&W, &B, "chrome");
	hello(&B, "\"tab_control\"");
	come_in();
	embed_call(&E, "tab_list", NULL);
	join();
	world_write(&W, GK_RECORD_TRUST, PAIRED_NONE);
	if (_i == 0) {
		world_run(&W, gk_now(W.t.ctx) + GK_SWEEP_MS + 100);
		join();
	} else {
		embed_call(&E, "tab_list", NULL);
		join();		/* judged at its line */
	}
	embed_result(&E, 1, GK_CODE_CONNECTION_LOST, "the connection to the "
	    "broker was lost; the call may have run");
	if (_i == 1)
		embed_expect(&E, GK_EMBED_RESULT);
	embed_lost(&E, GENKAN_E_EOF, "closed");
	come(HASH_A);
	embed_lost(&E, GENKAN_E_REFUSED, "pair-client");
}
END_TEST

START_TEST(test_cancelling_reaches_the_browser)
{
	browser(&W, &B, "chrome");
	hello(&B, "\"tab_control\"");
	come_in();
	embed_call(&E, "tab_list", NULL);
	join();
	hear(&B);
	ck_assert_int_eq(gk_embed_cancel(E.e, 1), 0);
	join();
	ck_assert_str_eq(hear(&B), "{\"type\":\"cancel\",\"id\":1}");
	tell(&B, "{\"id\":1,\"ok\":true,\"data\":[]}");
	join();
	embed_expect(&E, GK_EMBED_NOTHING);
	ck_assert_uint_eq(gk_embed_outstanding(E.e), 0);
}
END_TEST

/* 10,000 calls: they reach the browser in order, never more than 127 at once,
 * and each has its own answer. */
START_TEST(test_ten_thousand_calls_in_order)
{
	char args[64], want[64];
	size_t atonce = 0, most = 0, done = 0;
	const char *line;
	int i, n, tab;

	browser(&W, &B, "chrome");
	hello(&B, "\"tab_control\"");
	come_in();
	for (i = 1; i <= GK_CLIENT_CALLS_MAX; i++) {
		snprintf(args, sizeof(args), "{\"tabId\":%d}", i);
		embed_call(&E, "tab_focus", args);
	}
	for (i = 1; i <= GK_CLIENT_CALLS_MAX; ) {
		join();
		for (atonce = 0; *(line = hear(&B)) != '\0'; atonce++, i++) {
			ck_assert_int_eq(sscanf(line, "{\"id\":%d,\"op\":"
			    "\"tab_focus\",\"browser\":\"chrome\",\"args\":"
			    "{\"tabId\":%d}}", &n, &tab), 2);
			ck_assert_int_eq(tab, i);
			tellf(&B, "{\"id\":%d,\"ok\":true,\"data\":%d}", n,
			    tab);
		}
		ck_assert_uint_gt(atonce, 0);
		most = GK_MAX(most, atonce);
		W.naudit = 0;
		/* time passes: the rate of lines is limited, not the calls */
		world_time(&W, gk_now(W.t.ctx) + 20);
		join();
		while (gk_embed_next(E.e, &E.ev) == GK_EMBED_RESULT) {
			done++;
			ck_assert_uint_eq(E.ev.id, done);
			ck_assert_int_eq(E.ev.code, 0);
			snprintf(want, sizeof(want), "%zu", done);
			ck_assert_str_eq(E.ev.text.ptr, want);
		}
	}
	ck_assert_uint_eq(done, GK_CLIENT_CALLS_MAX);
	ck_assert_uint_eq(most, GK_MAX_INFLIGHT - 1);
	ck_assert_uint_eq(gk_embed_outstanding(E.e), 0);
}
END_TEST

/* Nobody answers anything, and as many calls are with the broker as ever are:
 * it still reads, so whatever is given up the browser hears of. */
START_TEST(test_at_saturation_a_cancellation_is_heard)
{
	char want[64];
	uint64_t id, with;
	int n, tab;

	browser(&W, &B, "chrome");
	hello(&B, "\"tab_control\"");
	come_in();
	for (id = 1; id <= 400; id++)
		embed_call(&E, "tab_focus", "{\"tabId\":7}");
	join();
	for (with = 0; *hear(&B) != '\0'; with++)
		continue;
	ck_assert_uint_eq(with, GK_MAX_INFLIGHT - 1);
	/* Each makes room, so the next one comes; all but the last of them. */
	for (id = 1; id <= 400; id++) {
		if (id % 5 == 0)
			world_time(&W, gk_now(W.t.ctx) + 1);
		W.naudit = 0;
		ck_assert_int_eq(gk_embed_cancel(E.e, id), 0);
		join();
		snprintf(want, sizeof(want), "{\"type\":\"cancel\",\"id\":%d}",
		    (int)id);
		ck_assert_str_eq(hear(&B), want);
		if (id + with > 400)
			continue;
		ck_assert_int_eq(sscanf(hear(&B), "{\"id\":%d,\"op\":"
		    "\"tab_focus\",\"browser\":\"chrome\",\"args\":"
		    "{\"tabId\":%d}}", &n, &tab), 2);
		ck_assert_uint_eq((uint64_t)n, id + with);
	}
	ck_assert_str_eq(hear(&B), "");
	ck_assert_uint_eq(gk_embed_outstanding(E.e), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("embed_broker");
	TCase *tc = tcase_create("embed_broker");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc,
	    test_a_program_that_is_not_paired_hears_nothing, 0, 5);
	tcase_add_test(tc, test_a_large_result_has_its_place);
	tcase_add_test(tc, test_a_paired_program_calls_tools);
	tcase_add_test(tc, test_the_list_of_tools_is_the_catalogue);
	tcase_add_loop_test(tc, test_a_revoked_program_is_dropped, 0, 2);
	tcase_add_test(tc, test_cancelling_reaches_the_browser);
	tcase_add_test(tc, test_ten_thousand_calls_in_order);
	tcase_add_test(tc, test_at_saturation_a_cancellation_is_heard);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
