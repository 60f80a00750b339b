#include "server_world.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "os/sock.h"

static const char discover[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
    "\"server/discover\",\"params\":{\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";

START_TEST(test_options_are_checked_at_the_door)
{
	struct {
		genkan_server_options	v1;
		char			newer[8];
	} big = { GENKAN_SERVER_OPTIONS_INIT, { 0 } };

	ck_assert_int_eq(genkan_server_new(NULL, NULL, &server),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_server_new(t.ctx, NULL, NULL),
	    GENKAN_E_INVAL);
	big.v1.size = sizeof(big.v1) - 1;
	ck_assert_int_eq(genkan_server_new(t.ctx, &big.v1, &server),
	    GENKAN_E_INVAL);
	big.v1.size = sizeof(big);
	big.newer[3] = 1;
	ck_assert_int_eq(genkan_server_new(t.ctx, &big.v1, &server),
	    GENKAN_E_ABI);
	ck_assert_ptr_null(server);
	big.newer[3] = 0;
	ck_assert_int_eq(genkan_server_new(t.ctx, &big.v1, &server), 0);
	ck_assert_ptr_nonnull(server);
}
END_TEST

START_TEST(test_a_null_server_does_no_harm)
{
	int64_t ms = 7;

	genkan_server_free(NULL);
	genkan_server_stop(NULL);
	genkan_server_tick(NULL, 1);
	genkan_job_run(NULL);
	genkan_job_done(NULL);
	ck_assert_ptr_null(genkan_server_stdio(NULL));
	ck_assert_int_eq(genkan_server_next(NULL, &ev), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_server_accept(NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_server_deadline(NULL, &ms), GENKAN_E_INVAL);
	ck_assert_int_eq(ms, 7);
	ck_assert_str_eq(genkan_server_role(NULL), "");
}
END_TEST

START_TEST(test_an_event_of_unknown_size_is_refused)
{
	ck_assert_int_eq(server_make(1), 0);
	ev.size = 0;
	ck_assert_int_eq(genkan_server_next(server, &ev), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_server_next(server, NULL), GENKAN_E_INVAL);
	ev.size = sizeof(ev);	/* and none was lost */
	ck_assert_int_eq(server_next(), GENKAN_EV_LISTEN);
	ck_assert_int_eq(close(ev.fd), 0);
}
END_TEST

START_TEST(test_a_state_directory_that_cannot_be_trusted_is_an_error)
{
	ck_assert_int_eq(mkdir(at("home/.local"), 0700), 0);
	ck_assert_int_eq(mkdir(at("home/.local/state"), 0700), 0);
	ck_assert_int_eq(symlink(at("home"), at("home/.local/state/genkan")),
	    0);
	ck_assert_int_eq(server_make(0), GENKAN_E_ACCESS);
	ck_assert_ptr_nonnull(strstr(genkan_ctx_last_error(t.ctx),
	    "state directory"));
	ck_assert_ptr_null(server);
}
END_TEST

START_TEST(test_making_one_creates_nothing)
{
	ck_assert_int_eq(server_make(0), 0);
	ck_assert(!exists("home/.local"));
	ck_assert(!exists("home/.cache"));
	ck_assert(!exists("run/genkan"));
	ck_assert_ptr_nonnull(stdio = genkan_server_stdio(server));
	ck_assert_ptr_null(genkan_server_stdio(server));
}
END_TEST

/* The first reply waits for no job at all. */
START_TEST(test_discover_is_answered_before_any_job_has_run)
{
	const void *out;
	size_t used, len;

	ck_assert_int_eq(server_make(0), 0);
	stdio = genkan_server_stdio(server);
	ck_assert_int_eq(genkan_leg_feed(stdio, discover,
	    sizeof(discover) - 1, &used), 0);
	ck_assert_uint_eq(used, sizeof(discover) - 1);
	ck_assert_int_eq(genkan_leg_output(stdio, &out, &len), 1);
	ck_assert_ptr_nonnull(memmem(out, len, "supportedVersions", 17));
	ck_assert_int_eq(((const char *)out)[len - 1], '\n');
	ck_assert_str_eq(genkan_server_role(server), "electing");
}
END_TEST

static int asked, let_go;

static int
no_record(void *user, int record, const void **ptr, size_t *len,
    uint64_t *version)
{
	(void)user;
	(void)record;
	(void)ptr;
	(void)len;
	(void)version;
	asked++;
	return GENKAN_E_IO;
}

static void
count_free(void *user)
{
	ck_assert_ptr_eq(user, &asked);
	let_go++;
}

/* The program's records decide, not the files of this user, which are fine. */
START_TEST(test_records_of_the_programs_own_decide)
{
	static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
	    "\"tools/call\",\"params\":{\"name\":\"tab_list\",\"_meta\":{"
	    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";
	genkan_server_options opts = GENKAN_SERVER_OPTIONS_INIT;
	genkan_store store = GENKAN_STORE_INIT;
	const void *out;
	size_t used, len;

	asked = let_go = 0;
	store.user = &asked;
	store.free_user = count_free;
	store.load = no_record;
	opts.store = &store;
	opts.reserved = 1;
	ck_assert_int_eq(genkan_server_new(t.ctx, &opts, &server),
	    GENKAN_E_ABI);
	ck_assert_int_eq(let_go, 1);
	opts.reserved = 0;
	ck_assert_int_eq(genkan_server_new(t.ctx, &opts, &server), 0);
	ck_assert_str_eq(t.log_id, "own-records");
	memset(&store, 0, sizeof(store));	/* copied */
	stdio = genkan_server_stdio(server);
	ck_assert_int_eq(genkan_leg_feed(stdio, call, sizeof(call) - 1,
	    &used), 0);
	ck_assert_int_eq(genkan_leg_output(stdio, &out, &len), 1);
	ck_assert_ptr_nonnull(memmem(out, len, "Error [BRIDGE_KILLED]", 21));
	ck_assert_ptr_nonnull(memmem(out, len, "trust.json, as the program",
	    26));
	ck_assert_int_gt(asked, 0);
	ck_assert_int_eq(let_go, 1);
	genkan_leg_free(stdio);
	stdio = NULL;
	genkan_server_free(server);
	server = NULL;
	ck_assert_int_eq(let_go, 2);
}
END_TEST

static bool
ended(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };
	char c;

	return poll(&p, 1, 1000) == 1 && read(fd, &c, 1) == 0;
}

START_TEST(test_more_connections_than_may_wait_are_dropped)
{
	int fd = server_listening(), c[40], i;

	ck_assert_int_eq(genkan_server_accept(server), 0);
	for (i = 0; i < 33; i++) {
		ck_assert_int_eq(gk_sock_connect(at("run/genkan/run.sock"),
		    1000, &c[i], NULL), 0);
		ck_assert_int_eq(genkan_server_accept(server), 1);
	}
	ck_assert(ended(c[32]));
	ck_assert_int_eq(genkan_server_accept(server), 0);
	for (i = 0; i < 33; i++)
		ck_assert_int_eq(close(c[i]), 0);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

/* Nothing is lost by it: the connection is taken when there is room again. */
START_TEST(test_shortage_of_descriptors_is_told)
{
	struct rlimit old, tight;
	int fd = server_listening(), c = -1, r;

	ck_assert_int_eq(gk_sock_connect(at("run/genkan/run.sock"), 1000, &c,
	    NULL), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = 3;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
	r = genkan_server_accept(server);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	ck_assert_int_eq(r, GENKAN_E_LIMIT);
	ck_assert_int_eq(genkan_server_accept(server), 1);
	ck_assert_int_eq(close(fd) | close(c), 0);
}
END_TEST

/* This program stands for genkan-server, so it gets its challenge. */
START_TEST(test_a_measured_peer_is_served)
{
	const void *out;
	size_t len;
	int fd = server_listening(), c = -1, served;

	ck_assert_int_eq(gk_sock_connect(at("run/genkan/run.sock"), 1000, &c,
	    NULL), 0);
	ck_assert_int_eq(genkan_server_accept(server), 1);
	ck_assert_int_eq(server_next(), GENKAN_EV_SERVE);
	served = ev.fd;
	ck_assert_ptr_nonnull(ev.leg);
	ck_assert_int_eq(genkan_leg_output(ev.leg, &out, &len), 1);
	ck_assert_ptr_nonnull(memmem(out, len, "\"challenge\"", 11));
	genkan_leg_free(ev.leg);
	ck_assert_int_eq(close(served) | close(c) | close(fd), 0);
}
END_TEST

START_TEST(test_a_clock_is_asked_by_every_verb)
{
	const void *out;
	int64_t now, ms = 0;
	int fd, c = -1, served;
	size_t len;

	gk_test_clock(&t);
	now = gk_test_hour(&t);
	fd = server_listening();
	ck_assert_int_eq(gk_now(t.ctx), now);
	ck_assert_int_eq(gk_sock_connect(at("run/genkan/run.sock"), 1000, &c,
	    NULL), 0);
	now = gk_test_hour(&t);
	ck_assert_int_eq(genkan_server_accept(server), 1);
	ck_assert_int_eq(gk_now(t.ctx), now);
	now = gk_test_hour(&t);
	ck_assert_int_eq(server_next(), GENKAN_EV_SERVE);
	served = ev.fd;
	ck_assert_int_eq(genkan_leg_deadline(ev.leg, &ms), 1);
	ck_assert_int_gt(ms, now);
	genkan_leg_tick(ev.leg, GENKAN_NOW);
	ck_assert_int_eq(genkan_leg_output(ev.leg, &out, &len), 1);
	now = gk_test_hour(&t);
	genkan_server_stop(server);
	ck_assert_int_eq(gk_now(t.ctx), now);
	genkan_leg_free(ev.leg);
	ck_assert_int_eq(close(served) | close(c) | close(fd), 0);
}
END_TEST

START_TEST(test_a_broker_wants_to_look_about_once_a_second)
{
	int fd = server_listening();
	int64_t ms = 0;

	ck_assert_int_eq(genkan_server_deadline(server, &ms), 1);
	ck_assert_int_gt(ms, gk_now(t.ctx));
	ck_assert_int_le(ms, gk_now(t.ctx) + 1250);
	genkan_server_tick(server, gk_now(t.ctx) + 5000);
	ck_assert_int_eq(genkan_server_next(server, &ev), 0);
	ck_assert_int_eq(genkan_server_deadline(server, &ms), 1);
	ck_assert_int_gt(ms, gk_now(t.ctx));
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

static int
make_one(struct gk_test *unused, void *arg)
{
	int r;

	(void)unused;
	(void)arg;
	r = server_make(0);
	if (r == 0) {
		genkan_server_free(server);
		server = NULL;
	}
	return r;
}

START_TEST(test_lack_of_memory_is_told)
{
	ck_assert_uint_ge(gk_test_sweep(&t, make_one, NULL), 5);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("server");
	TCase *tc = tcase_create("server");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, server_setup, server_teardown);
	tcase_add_test(tc, test_options_are_checked_at_the_door);
	tcase_add_test(tc, test_a_null_server_does_no_harm);
	tcase_add_test(tc, test_an_event_of_unknown_size_is_refused);
	tcase_add_test(tc,
	    test_a_state_directory_that_cannot_be_trusted_is_an_error);
	tcase_add_test(tc, test_making_one_creates_nothing);
	tcase_add_test(tc,
	    test_discover_is_answered_before_any_job_has_run);
	tcase_add_test(tc, test_records_of_the_programs_own_decide);
	tcase_add_test(tc,
	    test_more_connections_than_may_wait_are_dropped);
	tcase_add_test(tc, test_a_broker_wants_to_look_about_once_a_second);
	tcase_add_test(tc, test_lack_of_memory_is_told);
	suite_add_tcase(s, tc);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = tcase_create("processes");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, server_setup, server_teardown);
	tcase_add_test(tc, test_shortage_of_descriptors_is_told);
	tcase_add_test(tc, test_a_measured_peer_is_served);
	tcase_add_test(tc, test_a_clock_is_asked_by_every_verb);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
