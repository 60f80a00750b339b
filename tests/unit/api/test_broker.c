/*
 * A broker of the program's own, with its records, its clock and both ends of
 * every connection in one process, by the public headers alone.
 */
#include "genkan/broker.h"

#include <stdlib.h>

#include "genkan/client.h"
#include "util.h"

#define HASH_A	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
/* The vector of the handshake: this nonce, with the label "chrome". */
#define SECRET	"00112233445566778899aabbccddeeff"
#define NONCE	"0f1e2d3c4b5a69788796a5b4c3d2e1f0"
#define MAC	"61a75802072f040d8c2e4f756bf1e2c1231bf575ae101b414228565a70493787"

#define TRUST(killed, clients) "{\"version\":0,\"epoch\":1,\"killed\":" killed \
	",\"kill_epoch\":0,\"host_key_epoch\":0,\"policy_epoch\":0," \
	"\"lang_epoch\":0,\"clients\":" clients ",\"enrollments\":[]}"
#define PAIRED	"[{\"name\":\"alpha\",\"anchor\":{\"kind\":\"hash\"," \
	"\"value\":\"" HASH_A "\"},\"added_unix\":1}]"

/* The program: what it keeps, and what time it is there. */
static struct {
	const char	*record[2];
	uint64_t	 version;
	int		 fails;
	size_t		 loads;
	int		 freed;
	int64_t		 now;
	char		 audit[4096];
} P;

static genkan_ctx *ctx;
static genkan_broker *broker;
static genkan_client *client;
static genkan_leg *there, *here, *browser;	/* the client's two, chrome's */
static genkan_event ev;
static char heard[65536];

static int64_t
clock_of(void *user)
{
	ck_assert_ptr_eq(user, &P);
	return P.now;
}

/* The nonce of the vector, wherever 16 bytes are wanted. */
static int
random_of(void *user, void *buf, size_t len)
{
	static const unsigned char nonce[16] = {
		0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78,
		0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0
	};
	size_t i;

	(void)user;
	for (i = 0; i < len; i++)
		((unsigned char *)buf)[i] = nonce[i % 16];
	return 0;
}

static int
load(void *user, int record, const void **ptr, size_t *len, uint64_t *version)
{
	(void)user;
	P.loads++;
	if (P.fails != 0)
		return P.fails;
	if (record > GENKAN_RECORD_POLICY || P.record[record] == NULL)
		return GENKAN_E_NOENT;
	*ptr = P.record[record];
	*len = strlen(P.record[record]);
	*version = P.version;
	return 0;
}

static int
version(void *user, int record, uint64_t *ret)
{
	(void)user;
	if (P.fails != 0)
		return P.fails;
	if (record > GENKAN_RECORD_POLICY || P.record[record] == NULL)
		return GENKAN_E_NOENT;
	*ret = P.version;
	return 0;
}

static void
audit(void *user, const char *line, size_t len)
{
	const size_t n = strlen(P.audit);

	(void)user;
	ck_assert_uint_lt(n + len + 2, sizeof(P.audit));
	ck_assert_int_eq(line[0], '{');
	ck_assert_int_eq(line[len - 1], '}');
	memcpy(P.audit + n, line, len);
	P.audit[n + len] = '\n';
}

static uint64_t
unix_ms(void *user)
{
	(void)user;
	return 1700000000123;
}

static void
free_user(void *user)
{
	ck_assert_ptr_eq(user, &P);
	P.freed++;
}

static void
write_trust(const char *text)
{
	P.record[GENKAN_RECORD_TRUST] = text;
	P.version++;
}

static const genkan_store store = {
	sizeof(store), &P, free_user, load, version, audit, unix_ms
};

static void
setup(void)
{
	static const genkan_event fresh = GENKAN_EVENT_INIT;
	genkan_ctx_options o = GENKAN_CTX_OPTIONS_INIT;

	ck_assert_int_eq(setenv("HOME", "/nonexistent", 1), 0);
	memset(&P, 0, sizeof(P));
	P.now = 5000;
	o.user = &P;
	o.clock_fn = clock_of;
	o.random_fn = random_of;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), 0);
	broker = NULL;
	client = NULL;
	there = here = browser = NULL;
	ev = fresh;
	write_trust(TRUST("false", PAIRED));
}

static void
teardown(void)
{
	genkan_leg_free(here);
	genkan_leg_free(there);
	genkan_leg_free(browser);
	genkan_client_free(client);
	genkan_broker_free(broker);
	genkan_ctx_free(ctx);
}

static void
make(int stay)
{
	genkan_broker_options o = GENKAN_BROKER_OPTIONS_INIT;
	genkan_store s = store;

	o.secret = SECRET;
	o.store = &s;
	o.stay = stay;
	ck_assert_int_eq(genkan_broker_new(ctx, &o, &broker), 0);
}

static void
accept_as(int roles, const char *hash, genkan_leg **ret)
{
	genkan_peer_facts f = GENKAN_PEER_FACTS_INIT;
	genkan_peer *peer;

	f.same_user = 1;
	f.roles = roles;
	f.hash = hash;
	f.pid = 42;
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), 0);
	ck_assert_int_eq(genkan_broker_accept(broker, peer, ret), 0);
	genkan_peer_free(peer);
}

static int
move(genkan_leg *from, genkan_leg *to)
{
	const void *ptr;
	size_t len, used;

	if (genkan_leg_output(from, &ptr, &len) != 1)
		return 0;
	ck_assert_int_eq(genkan_leg_feed(to, ptr, len, &used), 0);
	ck_assert_uint_eq(used, len);
	genkan_leg_wrote(from, used);
	return 1;
}

/* Client and broker talk until they have nothing to say. */
static void
talk(void)
{
	while (move(here, there) + move(there, here) > 0)
		continue;
}

/* All that the browser was sent since. */
static const char *
hear(void)
{
	const void *ptr;
	size_t len, n = 0;

	while (genkan_leg_output(browser, &ptr, &len) == 1) {
		ck_assert_uint_lt(n + len, sizeof(heard));
		memcpy(heard + n, ptr, len);
		n += len;
		genkan_leg_wrote(browser, len);
	}
	heard[n] = '\0';
	return heard;
}

static void
tell(const char *text)
{
	size_t used;

	ck_assert_int_eq(genkan_leg_feed(browser, text, strlen(text), &used),
	    0);
	ck_assert_uint_eq(used, strlen(text));
}

static void
chrome(void)
{
	accept_as(GENKAN_ROLE_HOST, HASH_B, &browser);
	ck_assert_str_eq(hear(),
	    "{\"type\":\"challenge\",\"nonce\":\"" NONCE "\"}\n");
	tell("{\"type\":\"response\",\"mac\":\"" MAC "\",\"label\":"
	    "\"chrome\"}\n{\"attach\":\"browser\"}\n");
	ck_assert_str_eq(hear(), "{\"attach_reply\":\"accepted\"}\n");
	tell("{\"type\":\"hello\",\"protocol\":1,\"capabilities\":"
	    "[\"tab_control\"]}\n");
}

static int
next(void)
{
	return genkan_client_next(client, &ev) == 1 ? ev.kind : 0;
}

static void
come(const char *hash)
{
	if (client == NULL)
		ck_assert_int_eq(genkan_client_new(ctx, NULL, &client), 0);
	ck_assert_int_eq(genkan_client_join(client, SECRET, &here), 0);
	accept_as(0, hash, &there);
	talk();
}

static void
come_in(void)
{
	come(HASH_A);
	ck_assert_int_eq(next(), GENKAN_EV_STATE);
	ck_assert_int_eq(ev.status, GENKAN_CLIENT_ATTACHED);
}

static void
leave(void)
{
	genkan_leg_free(here);
	genkan_leg_free(there);
	here = there = NULL;
}

START_TEST(test_tools_are_called_without_a_file_or_a_socket)
{
	uint64_t id;

	make(0);
	chrome();
	come_in();
	ck_assert_uint_eq(genkan_broker_clients(broker), 1);
	ck_assert_uint_eq(genkan_broker_browsers(broker), 1);
	ck_assert_int_eq(genkan_client_call(client, "tab_list", NULL, 0, 0,
	    &id), 0);
	talk();
	ck_assert_str_eq(hear(), "{\"id\":1,\"op\":\"tab_list\",\"browser\":"
	    "\"chrome\",\"args\":{}}\n");
	P.now += 7;
	tell("{\"id\":1,\"ok\":true,\"data\":[]}\n");
	talk();
	ck_assert_int_eq(next(), GENKAN_EV_RESULT);
	ck_assert_uint_eq(ev.id, id);
	ck_assert_int_eq(ev.code, 0);
	ck_assert_str_eq(ev.text, "[]");
	/* the trail, with the program's times */
	ck_assert_ptr_nonnull(strstr(P.audit, "\"kind\":\"browser_attach\""));
	ck_assert_ptr_nonnull(strstr(P.audit, "\"kind\":\"tool_call\""));
	ck_assert_ptr_nonnull(strstr(P.audit, "1700000000123"));
	ck_assert_ptr_nonnull(strstr(P.audit, "\"dur_ms\":7"));
}
END_TEST

START_TEST(test_a_record_that_stays_is_read_once)
{
	uint64_t id;
	size_t before;

	make(0);
	chrome();
	come_in();
	before = P.loads;
	ck_assert_int_eq(genkan_client_call(client, "list_browsers", NULL, 0,
	    0, &id), 0);
	talk();
	/* there is no policy: that is asked for, the trust record is not */
	ck_assert_uint_le(P.loads - before, 2);
	before = P.loads;
	P.version = 0;		/* it cannot tell any more */
	ck_assert_int_eq(genkan_client_call(client, "list_browsers", NULL, 0,
	    0, &id), 0);
	talk();
	ck_assert_uint_ge(P.loads - before, 3);
}
END_TEST

START_TEST(test_the_kill_switch_is_the_programs)
{
	uint64_t id;

	make(0);
	chrome();
	come_in();
	write_trust(TRUST("true", PAIRED));
	ck_assert_int_eq(genkan_client_call(client, "tab_list", NULL, 0, 0,
	    &id), 0);
	talk();
	ck_assert_int_eq(next(), GENKAN_EV_RESULT);
	ck_assert_int_eq(ev.code, GENKAN_CODE_BRIDGE_KILLED);
	ck_assert_ptr_nonnull(strstr(ev.text, "the program that runs this"));
	ck_assert_ptr_null(strstr(ev.text, "genkan unkill"));
	P.now += 1000;
	genkan_broker_tick(broker, GENKAN_NOW);
	ck_assert_uint_eq(genkan_broker_browsers(broker), 0);
	ck_assert_int_eq(genkan_leg_wants(browser), GENKAN_WANT_CLOSE);
}
END_TEST

/* 0: revoked; 1: unreadable; 2: a code that is none. */
/* Nobody ticks, and an hour passes before each step: no step is late because of
 * those before it. */
START_TEST(test_time_that_nobody_told_of_costs_no_step_its_own)
{
	int64_t ms = 0;
	uint64_t id;

	make(0);
	P.now += 3600000;
	ck_assert_int_eq(genkan_client_new(ctx, NULL, &client), 0);
	P.now += 3600000;
	ck_assert_int_eq(genkan_client_join(client, SECRET, &here), 0);
	ck_assert_int_eq(genkan_leg_deadline(here, &ms), 1);
	ck_assert_int_gt(ms, P.now);
	P.now += 3600000;
	accept_as(0, HASH_A, &there);
	ck_assert_int_eq(genkan_leg_deadline(there, &ms), 1);
	ck_assert_int_gt(ms, P.now);
	talk();
	ck_assert_int_eq(next(), GENKAN_EV_STATE);
	ck_assert_int_eq(ev.status, GENKAN_CLIENT_ATTACHED);
	P.now += 3600000;
	chrome();
	P.now += 3600000;
	ck_assert_int_eq(genkan_client_call(client, "tab_list", NULL, 0, 0,
	    &id), 0);
	talk();
	tell("{\"id\":1,\"ok\":true,\"data\":[]}\n");
	talk();
	ck_assert_int_eq(next(), GENKAN_EV_RESULT);
	ck_assert_int_eq(ev.code, 0);
	ck_assert_ptr_nonnull(strstr(P.audit, "\"dur_ms\":0"));
	P.now += 3600000;
	genkan_leg_broken(here);	/* what it still holds is read first */
	genkan_client_tick(client, GENKAN_NOW);
	ck_assert_int_eq(next(), 0);
	ck_assert_int_eq(genkan_client_state(client), GENKAN_CLIENT_ATTACHED);
}
END_TEST

START_TEST(test_who_is_not_paired_is_dropped)
{
	make(1);
	come_in();
	if (_i == 0)
		write_trust(TRUST("false", "[]"));
	else
		P.fails = _i == 1 ? GENKAN_E_IO : 12345;
	P.now += 1000;
	genkan_broker_tick(broker, GENKAN_NOW);
	ck_assert_int_eq(genkan_leg_wants(there), GENKAN_WANT_CLOSE);
	genkan_leg_eof(here);
	ck_assert_int_eq(next(), GENKAN_EV_STATE);
	ck_assert_int_eq(ev.status, GENKAN_CLIENT_DETACHED);
	leave();
	/* not one byte for it */
	ck_assert_int_eq(genkan_client_join(client, SECRET, &here), 0);
	accept_as(0, HASH_A, &there);
	ck_assert_int_eq(genkan_leg_wants(there), GENKAN_WANT_CLOSE);
	ck_assert_uint_eq(genkan_broker_clients(broker), 0);
}
END_TEST

START_TEST(test_a_wrong_secret_ends_at_the_handshake)
{
	make(0);
	ck_assert_int_eq(genkan_client_new(ctx, NULL, &client), 0);
	ck_assert_int_eq(genkan_client_join(client,
	    "ffffffffffffffffffffffffffffffff", &here), 0);
	ck_assert_int_eq(genkan_client_join(client, SECRET, &browser),
	    GENKAN_E_STATE);
	accept_as(0, HASH_A, &there);
	talk();
	ck_assert_int_eq(genkan_leg_wants(there), GENKAN_WANT_CLOSE);
	ck_assert_ptr_nonnull(strstr(P.audit, "handshake failed"));
}
END_TEST

START_TEST(test_the_last_client_that_leaves_is_told_of)
{
	make(_i);
	come_in();
	ck_assert_int_eq(genkan_broker_next(broker, &ev), 0);
	leave();
	ck_assert_int_eq(genkan_broker_next(broker, &ev), _i == 0);
	if (_i == 0)
		ck_assert_int_eq(ev.kind, GENKAN_EV_EXIT);
	ck_assert_int_eq(genkan_broker_next(broker, &ev), 0);
	ck_assert_int_eq(next(), GENKAN_EV_STATE);
	come(HASH_A);
	ck_assert_int_eq(next(), GENKAN_EV_STATE);
	ck_assert_int_eq(ev.code, _i == 0 ? GENKAN_E_UNAVAILABLE : 0);
}
END_TEST

START_TEST(test_connections_that_are_set_up_are_bounded)
{
	genkan_leg *legs[GENKAN_MAX_PENDING_ATTACH + 1];
	genkan_peer_facts f = GENKAN_PEER_FACTS_INIT;
	genkan_peer *peer;
	size_t i;

	make(0);
	f.same_user = 1;
	f.roles = GENKAN_ROLE_HOST;
	f.hash = HASH_B;
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), 0);
	for (i = 0; i < GENKAN_MAX_PENDING_ATTACH; i++)
		ck_assert_int_eq(genkan_broker_accept(broker, peer, &legs[i]),
		    0);
	legs[i] = NULL;
	ck_assert_int_eq(genkan_broker_accept(broker, peer, &legs[i]),
	    GENKAN_E_LIMIT);
	ck_assert_ptr_null(legs[i]);
	genkan_leg_free(legs[0]);
	ck_assert_int_eq(genkan_broker_accept(broker, peer, &legs[0]), 0);
	for (i = 0; i < GENKAN_MAX_PENDING_ATTACH; i++)
		genkan_leg_free(legs[i]);
	genkan_peer_free(peer);
}
END_TEST

START_TEST(test_a_store_is_let_go_of_once)
{
	genkan_broker_options o = GENKAN_BROKER_OPTIONS_INIT;
	genkan_store s = store;

	o.store = &s;
	ck_assert_int_eq(genkan_broker_new(ctx, &o, &broker), GENKAN_E_INVAL);
	ck_assert_int_eq(P.freed, 1);			/* no secret */
	o.secret = "0011";
	ck_assert_int_eq(genkan_broker_new(ctx, &o, &broker), GENKAN_E_INVAL);
	ck_assert_int_eq(P.freed, 2);
	o.secret = SECRET;
	o.reserved = 1;
	ck_assert_int_eq(genkan_broker_new(ctx, &o, &broker), GENKAN_E_ABI);
	ck_assert_int_eq(P.freed, 3);
	o.reserved = 0;
	s.load = NULL;
	ck_assert_int_eq(genkan_broker_new(ctx, &o, &broker), GENKAN_E_INVAL);
	ck_assert_int_eq(P.freed, 4);
	s.load = load;
	s.size--;		/* cannot be read */
	ck_assert_int_eq(genkan_broker_new(ctx, &o, &broker), GENKAN_E_INVAL);
	ck_assert_int_eq(P.freed, 4);
	s.size++;
	ck_assert_ptr_null(broker);
	ck_assert_int_eq(genkan_broker_new(ctx, &o, &broker), 0);
	ck_assert_int_eq(P.freed, 4);
	genkan_broker_free(broker);
	broker = NULL;
	ck_assert_int_eq(P.freed, 5);
}
END_TEST

START_TEST(test_facts_that_are_none_are_refused)
{
	genkan_peer_facts f = GENKAN_PEER_FACTS_INIT;
	genkan_peer *peer = NULL;

	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), 0);
	ck_assert_ptr_null(genkan_peer_hash(peer));
	ck_assert_int_eq(genkan_peer_same_user(peer), 0);
	genkan_peer_free(peer);
	peer = NULL;
	f.roles = GENKAN_ROLE_HOST;
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), GENKAN_E_INVAL);
	f.hash = "aa";
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), GENKAN_E_INVAL);
	f.hash = "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), GENKAN_E_INVAL);
	f.hash = HASH_A;
	f.roles = 8;
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), GENKAN_E_INVAL);
	f.roles = GENKAN_ROLE_HOST;
	f.pid = -1;
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), GENKAN_E_INVAL);
	f.pid = 7;
	f.path = "/bin/true";
	f.same_user = 1;
	ck_assert_int_eq(genkan_peer_new(ctx, &f, &peer), 0);
	ck_assert_str_eq(genkan_peer_hash(peer), HASH_A);
	ck_assert_str_eq(genkan_peer_path(peer), "/bin/true");
	ck_assert_int_eq(genkan_peer_pid(peer), 7);
	ck_assert_int_eq(genkan_peer_roles(peer), GENKAN_ROLE_HOST);
	ck_assert_int_eq(genkan_peer_same_user(peer), 1);
	genkan_peer_free(peer);
}
END_TEST

START_TEST(test_nothing_is_asked_of_nobody)
{
	genkan_broker_options o = GENKAN_BROKER_OPTIONS_INIT;
	int64_t at = 7;

	o.secret = SECRET;
	ck_assert_int_eq(genkan_broker_new(NULL, &o, &broker), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_broker_new(ctx, NULL, &broker),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_broker_new(ctx, &o, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_broker_accept(NULL, NULL, &here),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_broker_next(NULL, &ev), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_broker_deadline(NULL, &at), GENKAN_E_INVAL);
	ck_assert_int_eq(at, 7);
	ck_assert_uint_eq(genkan_broker_clients(NULL), 0);
	ck_assert_uint_eq(genkan_broker_browsers(NULL), 0);
	genkan_broker_tick(NULL, 5);
	genkan_broker_free(NULL);
	ck_assert_int_eq(genkan_client_join(NULL, SECRET, &here),
	    GENKAN_E_INVAL);
	make(0);
	ck_assert_int_eq(genkan_broker_deadline(broker, &at), 1);
	ck_assert_int_eq(at, 6000);
	ev.size = 3;
	ck_assert_int_eq(genkan_broker_next(broker, &ev), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_new(ctx, NULL, &client), 0);
	ck_assert_int_eq(genkan_client_join(client, NULL, &here),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_join(client, "00", &here),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(here);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("api_broker");
	TCase *tc = tcase_create("api_broker");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_tools_are_called_without_a_file_or_a_socket);
	tcase_add_test(tc, test_a_record_that_stays_is_read_once);
	tcase_add_test(tc, test_the_kill_switch_is_the_programs);
	tcase_add_test(tc,
	    test_time_that_nobody_told_of_costs_no_step_its_own);
	tcase_add_loop_test(tc, test_who_is_not_paired_is_dropped, 0, 3);
	tcase_add_test(tc, test_a_wrong_secret_ends_at_the_handshake);
	tcase_add_loop_test(tc, test_the_last_client_that_leaves_is_told_of, 0,
	    2);
	tcase_add_test(tc, test_connections_that_are_set_up_are_bounded);
	tcase_add_test(tc, test_a_store_is_let_go_of_once);
	tcase_add_test(tc, test_facts_that_are_none_are_refused);
	tcase_add_test(tc, test_nothing_is_asked_of_nobody);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
