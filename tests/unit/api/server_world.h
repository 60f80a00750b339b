/*
 * A server in a home and a runtime directory of its own, of which nothing is
 * left: what test_server.c and test_server_life.c are about.
 */
#ifndef GK_TESTS_SERVER_WORLD_H
#define GK_TESTS_SERVER_WORLD_H

#include "crypto/ossl.h"
#include "genkan/server.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_test t;
static genkan_server *server;
static genkan_event ev;		/* the last one */
static genkan_leg *stdio;

static inline void
server_setup(void)
{
	static const genkan_event fresh = GENKAN_EVENT_INIT;

	scratch_make();
	gk_test_init(&t);
	scratch_home();
	server = NULL;
	stdio = NULL;
	ev = fresh;
}

static inline void
server_teardown(void)
{
	genkan_leg_free(stdio);
	genkan_server_free(server);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

/* What genkan_server_new() says. */
static inline int
server_make(int broker)
{
	genkan_server_options opts = GENKAN_SERVER_OPTIONS_INIT;

	opts.broker_only = broker;
	return genkan_server_new(t.ctx, &opts, &server);
}

/* The next event that is no job; jobs are run on the spot.  0: none. */
static inline int
server_next(void)
{
	int r;

	while ((r = genkan_server_next(server, &ev)) == 1) {
		if (ev.kind != GENKAN_EV_JOB)
			return ev.kind;
		genkan_job_run(ev.job);
		genkan_job_done(ev.job);
	}
	ck_assert_int_eq(r, 0);
	return 0;
}

/* A broker that listens: its listener. */
static inline int
server_listening(void)
{
	ck_assert_int_eq(server_make(1), 0);
	ck_assert_int_eq(server_next(), GENKAN_EV_LISTEN);
	ck_assert_str_eq(genkan_server_role(server), "broker");
	return ev.fd;
}

#endif
