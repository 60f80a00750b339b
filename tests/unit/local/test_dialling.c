/* A living broker is dialled, by starters and by hosts. */
#include "local/rendezvous.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include "local/starter.h"
#include "os/sock.h"

/* ------------------------------------------------------------- dial (step 4) */

START_TEST(test_a_living_broker_is_dialled)
{
	struct gk_runlock lock;
	uint32_t uid;
	int64_t pid;
	pid_t broker = child(be_broker);

	ck_assert_int_eq(elect(), GK_ELECTED_DIALLED);
	ck_assert_int_eq(gk_sock_cred(fd, &uid, &pid, &why), 0);
	ck_assert_int_eq(pid, broker);
	ck_assert_int_eq(read_lock(&lock), 0);
	ck_assert_uint_eq(lock.pid, (uint32_t)broker);
	ck_assert_mem_eq(e.secret, lock.secret, sizeof(lock.secret));
	finish(broker);
}
END_TEST

/* Who is short of memory or descriptors knows nothing about the broker. */
START_TEST(test_shortage_takes_nothing_over)
{
	struct rlimit old, tight;
	pid_t pid = child(be_broker);
	enum gk_elected got = GK_ELECTED_RETRY;
	size_t i, failed;

	for (i = 1; _i == 0; i++) {
		failed = t.failed;
		t.fail_at = i;
		got = elect();
		t.fail_at = 0;
		if (t.failed == failed)
			break;
		ck_assert_int_eq(got, GK_ELECTED_RETRY);
	}
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	for (i = 3; _i == 1 && got != GK_ELECTED_DIALLED && i < 64; i++) {
		tight.rlim_cur = i;
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
		got = elect();
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
		ck_assert_int_ne(got, GK_ELECTED_BROKER);
		ck_assert_int_ne(got, GK_ELECTED_DENIED);
	}
	ck_assert_uint_gt(i, 2);
	ck_assert_int_eq(got, GK_ELECTED_DIALLED);
	ck_assert(exists("run/genkan/run.lock"));
	finish(pid);
}
END_TEST

START_TEST(test_a_broker_is_only_reported_where_nobody_wants_a_dial)
{
	pid_t broker = child(be_broker);
	char text[16];

	gk_rendezvous_secret(t.ctx, e.secret);
	gk_rendezvous_round(t.ctx, &rv, &replaced, false, &e, &fd, &notes);
	ck_assert_int_eq(e.outcome, GK_ELECTED_FOUND);
	(void)snprintf(text, sizeof(text), "%d", (int)broker);
	ck_assert_ptr_nonnull(strstr(e.reason, text));
	ck_assert_int_eq(fd, -1);
	finish(broker);
}
END_TEST

START_TEST(test_a_killed_broker_is_followed_at_once)
{
	pid_t broker = child(be_broker);

	finish(broker);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert(exists("run/genkan/run.sock"));
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
}
END_TEST

static void
bind_and_stop_listening(void)
{
	be_broker();
	(void)close(fd);
	fd = -1;
}

/* 3.2: it lives, but a second connect under the lock proves that nobody
 * listens; so a reused number cannot keep a dead lock alive. */
START_TEST(test_a_lock_behind_which_nobody_listens_is_removed)
{
	pid_t broker = child(bind_and_stop_listening);

	ck_assert_int_eq(elect(), GK_ELECTED_RETRY);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert(!exists("run/genkan/run.sock"));
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	finish(broker);
}
END_TEST

static void
listen_as_sleeper(void)
{
	int l = -1, dir = -1;

	if (gk_dirs_make(place.runtime, &dir, NULL) != 0 ||
	    gk_sock_listen(place.sock, 4, &l, NULL) != 0)
		_exit(1);
	(void)fcntl(l, F_SETFD, 0);
	(void)execl(at("sleeper"), "sleeper", "60", (char *)NULL);
	_exit(127);
}

/* The lock names a broker of ours, another program answers. */
START_TEST(test_a_foreign_program_behind_the_socket_is_denied)
{
	pid_t broker = child(NULL), other;

	copy_to(SLEEPER, "sleeper");
	other = fork();
	if (other == 0)
		listen_as_sleeper();
	wait_asleep(other, "sleeper");
	plant_lock(broker, place.sock, place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_DENIED);
	ck_assert_ptr_nonnull(strstr(e.reason,
	    "peer executable identity mismatch"));
	ck_assert_int_eq(fd, -1);
	finish(other);
	finish(broker);
}
END_TEST

START_TEST(test_another_state_directory_is_denied)
{
	pid_t broker = child(NULL);

	plant_lock(broker, place.sock, "/somewhere/else");
	ck_assert_int_eq(elect(), GK_ELECTED_DENIED);
	ck_assert_ptr_nonnull(strstr(e.reason, "state directory mismatch"));
	ck_assert_ptr_nonnull(strstr(e.reason, "/somewhere/else"));
	ck_assert_ptr_nonnull(strstr(e.reason, place.state));
	ck_assert(exists("run/genkan/run.lock"));
	finish(broker);
}
END_TEST

START_TEST(test_one_state_directory_by_another_name_is_fine)
{
	pid_t broker;
	int dir = -1;

	ck_assert_int_eq(gk_dirs_make(place.state, &dir, &why), 0);
	ck_assert_int_eq(close(dir), 0);
	ck_assert_int_eq(symlink(at("home"), at("link")), 0);
	broker = child(be_broker);
	plant_lock(broker, place.sock, at("link/.local/state/genkan"));
	ck_assert_int_eq(elect(), GK_ELECTED_DIALLED);
	finish(broker);
}
END_TEST

/* A mismatch counts only where the lock's process is a broker of ours. */
START_TEST(test_the_state_directory_of_a_dead_lock_does_not_matter)
{
	plant_lock(0, place.sock, "/somewhere/else");
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
}
END_TEST

/* ------------------------------------------------------------------ races */

#define STARTERS	12

/* All at once: one binds, all others reach it. */
START_TEST(test_of_many_starters_exactly_one_becomes_the_broker)
{
	int gate[2], report[2], i, brokers = 0, relays = 0;
	pid_t pid[STARTERS];
	char c;

	ck_assert_int_eq(pipe(gate) | pipe(report), 0);
	for (i = 0; i < STARTERS; i++) {
		pid[i] = fork();
		if (pid[i] != 0)
			continue;
		(void)close(gate[1]);
		(void)!read(gate[0], &c, 1);
		(void)elect();
		c = e.outcome == GK_ELECTED_BROKER ? 'b' :
		    e.outcome == GK_ELECTED_DIALLED ? 'r' : '?';
		(void)!write(report[1], &c, 1);
		for (;;)
			nap(1000);
	}
	ck_assert_int_eq(close(gate[1]), 0);
	for (i = 0; i < STARTERS; i++) {
		ck_assert_int_eq(read(report[0], &c, 1), 1);
		brokers += c == 'b';
		relays += c == 'r';
	}
	for (i = 0; i < STARTERS; i++)
		finish(pid[i]);
	ck_assert_int_eq(brokers, 1);
	ck_assert_int_eq(relays, STARTERS - 1);
	ck_assert_int_eq(close(gate[0]) | close(report[0]) | close(report[1]),
	    0);
}
END_TEST

/* ------------------------------------------------------------------ hosts */

static struct gk_dialling d;
static char endpoint[GK_RUNLOCK_PATH_MAX];

static enum gk_dialled
dial(void)
{
	gk_rendezvous_dial(t.ctx, &rv, &d, endpoint, &fd, &notes);
	return d.outcome;
}

START_TEST(test_a_host_without_a_lock_is_told_to_start_the_server)
{
	ck_assert_int_eq(dial(), GK_DIALLED_NONE);
	ck_assert_int_eq(fd, -1);
	if (exists("run/genkan"))
		ck_abort_msg("dialling created a directory");
	ck_assert_int_eq(close(runtime_dir()), 0);
	ck_assert_int_eq(dial(), GK_DIALLED_NONE);
	ck_assert_ptr_nonnull(strstr(d.reason, "run.lock"));
	ck_assert_ptr_nonnull(strstr(d.reason, "MCP server"));
}
END_TEST

START_TEST(test_a_host_learns_whom_it_dialled)
{
	pid_t broker = child(be_broker);
	struct gk_runlock lock;
	uint32_t pid = 0;

	ck_assert_int_eq(dial(), GK_DIALLED_OK);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(d.id.pid, (uint32_t)broker);
	ck_assert_str_eq(d.id.endpoint, place.sock);
	ck_assert_int_eq(read_lock(&lock), 0);
	ck_assert_mem_eq(d.secret, lock.secret, sizeof(d.secret));
	ck_assert_int_eq(gk_rendezvous_look(t.ctx, &place, &pid, endpoint),
	    0);
	ck_assert_uint_eq(pid, (uint32_t)broker);
	finish(broker);
	ck_assert_int_lt(gk_rendezvous_look(t.ctx, &place, &pid, endpoint),
	    0);
}
END_TEST

START_TEST(test_a_host_refuses_foreign_servers_and_directories)
{
	pid_t broker, other;

	if (_i == 0) {
		copy_to(SLEEPER, "sleeper");
		other = fork();
		if (other == 0)
			listen_as_sleeper();
		wait_asleep(other, "sleeper");
		plant_lock(other, place.sock, place.state);
		ck_assert_int_eq(dial(), GK_DIALLED_FOREIGN);
		ck_assert_ptr_nonnull(strstr(d.reason,
		    "peer executable identity mismatch"));
		finish(other);
	} else {
		broker = child(be_broker);
		plant_lock(broker, place.sock, "/somewhere/else");
		ck_assert_int_eq(dial(), GK_DIALLED_MISMATCH);
		ck_assert_ptr_nonnull(strstr(d.reason,
		    "state directory mismatch"));
		finish(broker);
	}
	ck_assert_int_eq(fd, -1);
}
END_TEST

/* The role counts, not that the image is one of ours. */
START_TEST(test_a_host_does_not_take_a_host_for_the_server)
{
	pid_t broker = child(be_broker);

	gk_installset_init(&install.set);
	ck_assert_int_eq(gk_installset_add(&install.set, install.self.hash,
	    GK_ROLE_HOST), 0);
	ck_assert_int_eq(dial(), GK_DIALLED_FOREIGN);
	finish(broker);
}
END_TEST

START_TEST(test_a_probe_tells_lock_broker_and_mismatch_apart)
{
	char reason[512];
	pid_t broker;

	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_NONE);
	broker = child(be_broker);
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, false, reason),
	    GK_PROBE_LOCK);
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_BROKER);
	plant_lock(broker, place.sock, "/somewhere/else");
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_MISMATCH);
	ck_assert_ptr_nonnull(strstr(reason, "state directory mismatch"));
	finish(broker);
	/* A dead broker's directory is nobody's. */
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_NONE);
	put("run/genkan/run.lock", "damaged", 0600);
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, false, reason),
	    GK_PROBE_NONE);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dialling");
	TCase *tc = starter_tcase(s, "dialling");

	tcase_add_test(tc,
	    test_the_state_directory_of_a_dead_lock_does_not_matter);
	tcase_add_test(tc,
	    test_a_host_without_a_lock_is_told_to_start_the_server);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = starter_tcase(s, "processes");
	tcase_add_test(tc, test_a_living_broker_is_dialled);
	tcase_add_loop_test(tc, test_shortage_takes_nothing_over, 0, 2);
	tcase_add_test(tc,
	    test_a_broker_is_only_reported_where_nobody_wants_a_dial);
	tcase_add_test(tc, test_a_killed_broker_is_followed_at_once);
	tcase_add_test(tc,
	    test_a_lock_behind_which_nobody_listens_is_removed);
	tcase_add_test(tc,
	    test_a_foreign_program_behind_the_socket_is_denied);
	tcase_add_test(tc, test_another_state_directory_is_denied);
	tcase_add_test(tc, test_one_state_directory_by_another_name_is_fine);
	tcase_add_test(tc,
	    test_of_many_starters_exactly_one_becomes_the_broker);
	tcase_add_test(tc, test_a_host_learns_whom_it_dialled);
	tcase_add_loop_test(tc,
	    test_a_host_refuses_foreign_servers_and_directories, 0, 2);
	tcase_add_test(tc, test_a_host_does_not_take_a_host_for_the_server);
	tcase_add_test(tc,
	    test_a_probe_tells_lock_broker_and_mismatch_apart);
	return gk_test_main(s);
}
