/*
 * How a server becomes a broker and stops being one: its lock, its socket, its
 * jobs, and what is left when it goes in the middle.
 */
#include "server_world.h"

#include "os/sock.h"

START_TEST(test_a_broker_listens_and_takes_its_files_along)
{
	int fd = server_listening();

	ck_assert(exists("run/genkan/run.lock"));
	ck_assert(exists("run/genkan/run.sock"));
	genkan_server_stop(server);
	ck_assert_int_eq(server_next(), GENKAN_EV_EXIT);
	ck_assert_int_eq(ev.status, 0);
	ck_assert_int_eq(ev.fd, -1);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert(!exists("run/genkan/run.sock"));
	ck_assert_int_eq(genkan_server_next(server, &ev), 0);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

/* A round that is under way when the signal comes may bind a moment later. */
START_TEST(test_stopping_during_an_election_leaves_no_socket)
{
	genkan_job *job;
	int i;

	ck_assert_int_eq(server_make(1), 0);
	for (i = 0; i < 2; i++) {	/* install set, then the round */
		ck_assert_int_eq(genkan_server_next(server, &ev), 1);
		ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
		job = ev.job;
		genkan_job_run(job);
		if (i == 0)
			genkan_job_done(job);
	}
	ck_assert(exists("run/genkan/run.sock"));
	genkan_server_stop(server);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_EXIT);
	ck_assert(!exists("run/genkan/run.sock"));
	genkan_job_done(job);
	ck_assert_int_eq(genkan_server_next(server, &ev), 0);
}
END_TEST

/* Nor does one that binds when the server has left already. */
START_TEST(test_a_round_after_the_end_leaves_no_socket)
{
	genkan_job *job;

	ck_assert_int_eq(server_make(1), 0);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	genkan_job_run(ev.job);			/* the install set */
	genkan_job_done(ev.job);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
	job = ev.job;
	genkan_server_stop(server);
	ck_assert_int_eq(server_next(), GENKAN_EV_EXIT);
	genkan_job_run(job);
	ck_assert(exists("run/genkan/run.sock"));
	genkan_job_done(job);
	ck_assert(!exists("run/genkan/run.sock"));
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert_int_eq(genkan_server_next(server, &ev), 0);
}
END_TEST

/* A server that runs its jobs until it has asked for its round. */
static genkan_job *
round_of(int jobs_before)
{
	int i;

	for (i = 0; ; i++) {
		ck_assert_int_eq(genkan_server_next(server, &ev), 1);
		ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
		if (i == jobs_before)
			return ev.job;
		genkan_job_run(ev.job);
		genkan_job_done(ev.job);
	}
}

static size_t
contents(const char *name, char ret[4096])
{
	int in = open(at(name), O_RDONLY);
	ssize_t n;

	ck_assert_int_ge(in, 0);
	n = read(in, ret, 4096);
	ck_assert_int_gt(n, 0);
	ck_assert_int_eq(close(in), 0);
	return (size_t)n;
}

/* A second server of this process is told to stop, or loses its harness, while
 * its round waits, or is done but not heard of: lock and socket are the first
 * one's, which goes on. */
START_TEST(test_a_server_that_leaves_early_takes_nothing_of_another_here)
{
	const bool run = (_i & 1) != 0, harness = (_i & 2) != 0;
	char before[4096], after[4096];
	genkan_server *first;
	genkan_job *job;
	int c = -1, fd = server_listening();
	size_t n = contents("run/genkan/run.lock", before);

	first = server;
	server = NULL;
	ck_assert_int_eq(server_make(!harness), 0);
	stdio = genkan_server_stdio(server);
	job = round_of(harness ? 2 : 1);
	if (run)
		genkan_job_run(job);
	if (harness)
		genkan_leg_eof(stdio);
	else
		genkan_server_stop(server);
	ck_assert_int_eq(server_next(), GENKAN_EV_EXIT);
	ck_assert(exists("run/genkan/run.sock"));
	ck_assert_uint_eq(contents("run/genkan/run.lock", after), n);
	ck_assert_mem_eq(before, after, n);
	genkan_job_run(job);
	genkan_job_done(job);
	genkan_leg_free(stdio);
	stdio = NULL;
	genkan_server_free(server);
	server = first;
	ck_assert_uint_eq(contents("run/genkan/run.lock", after), n);
	ck_assert_mem_eq(before, after, n);
	ck_assert_int_eq(gk_sock_connect(at("run/genkan/run.sock"), 1000, &c,
	    NULL), 0);
	ck_assert_int_eq(close(c), 0);
	genkan_server_stop(server);
	ck_assert_int_eq(server_next(), GENKAN_EV_EXIT);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

/* Nobody is served that was not looked at, and the slot is free again. */
START_TEST(test_a_peer_that_no_job_has_measured_is_closed)
{
	char byte;
	int fd, c, i;

	fd = server_listening();
	for (i = 0; i < GENKAN_MAX_PENDING_ATTACH + 4; i++) {
		c = -1;
		ck_assert_int_eq(gk_sock_connect(at("run/genkan/run.sock"),
		    1000, &c, NULL), 0);
		ck_assert_int_eq(genkan_server_accept(server), 1);
		ck_assert_int_eq(genkan_server_next(server, &ev), 1);
		ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
		genkan_job_done(ev.job);
		ck_assert_int_eq(genkan_server_next(server, &ev), 0);
		ck_assert_int_eq(read(c, &byte, 1), 0);
		ck_assert_int_eq(close(c), 0);
	}
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(test_a_round_that_was_not_run_is_run_later)
{
	int64_t at = 0;

	ck_assert_int_eq(server_make(1), 0);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	genkan_job_run(ev.job);			/* the install set */
	genkan_job_done(ev.job);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
	genkan_job_done(ev.job);
	ck_assert_int_eq(genkan_server_next(server, &ev), 0);
	ck_assert_str_ne(genkan_server_role(server), "broker");
	ck_assert_int_eq(genkan_server_deadline(server, &at), 1);
	genkan_server_tick(server, at);
	ck_assert_int_eq(server_next(), GENKAN_EV_LISTEN);
	ck_assert_int_eq(close(ev.fd), 0);
}
END_TEST

START_TEST(test_a_server_that_cannot_look_at_itself_ends)
{
	ck_assert_int_eq(server_make(1), 0);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	genkan_job_done(ev.job);
	ck_assert_int_eq(server_next(), GENKAN_EV_EXIT);
	ck_assert_int_eq(ev.status, 1);
}
END_TEST

START_TEST(test_a_job_outlives_its_server)
{
	genkan_job *job;

	ck_assert_int_eq(server_make(1), 0);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	genkan_job_run(ev.job);
	genkan_job_done(ev.job);
	ck_assert_int_eq(genkan_server_next(server, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
	job = ev.job;
	if (_i == 0)
		genkan_job_run(job);	/* binds, and then nobody wants it */
	genkan_server_free(server);
	server = NULL;
	if (_i == 1)
		genkan_job_run(job);
	genkan_job_done(job);
	ck_assert(!exists("run/genkan/run.sock"));
	ck_assert(!exists("run/genkan/run.lock"));
}
END_TEST

START_TEST(test_freeing_closes_what_nobody_pulled)
{
	int before = dup(0), after, c = -1, fd;

	ck_assert_int_eq(close(before), 0);
	fd = server_listening();
	ck_assert_int_eq(gk_sock_connect(at("run/genkan/run.sock"), 1000, &c,
	    NULL), 0);
	ck_assert_int_eq(genkan_server_accept(server), 1);
	if (_i == 1) {		/* served, but not pulled */
		ck_assert_int_eq(genkan_server_next(server, &ev), 1);
		ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
		genkan_job_run(ev.job);
		genkan_job_done(ev.job);
	}
	genkan_server_free(server);
	server = NULL;
	ck_assert_int_eq(close(fd) | close(c), 0);
	after = dup(0);
	ck_assert_int_eq(after, before);
	ck_assert_int_eq(close(after), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("server_life");
	TCase *tc = tcase_create("life");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, server_setup, server_teardown);
	tcase_add_test(tc, test_a_broker_listens_and_takes_its_files_along);
	tcase_add_test(tc, test_stopping_during_an_election_leaves_no_socket);
	tcase_add_test(tc, test_a_round_after_the_end_leaves_no_socket);
	tcase_add_loop_test(tc,
	    test_a_server_that_leaves_early_takes_nothing_of_another_here, 0,
	    4);
	tcase_add_test(tc, test_a_peer_that_no_job_has_measured_is_closed);
	tcase_add_test(tc, test_a_round_that_was_not_run_is_run_later);
	tcase_add_test(tc, test_a_server_that_cannot_look_at_itself_ends);
	tcase_add_loop_test(tc, test_a_job_outlives_its_server, 0, 2);
	tcase_add_loop_test(tc, test_freeing_closes_what_nobody_pulled, 0, 2);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
