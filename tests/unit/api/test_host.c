#include "genkan/host.h"

#include "base/clock.h"
#include "crypto/ossl.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_test t;
static genkan_host *host;
static genkan_event ev;
static genkan_leg *stdio;

static void
setup(void)
{
	static const genkan_event fresh = GENKAN_EVENT_INIT;

	scratch_make();
	gk_test_init(&t);
	scratch_home();
	host = NULL;
	stdio = NULL;
	ev = fresh;
}

static void
teardown(void)
{
	genkan_leg_free(stdio);
	genkan_host_free(host);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

static const char *const labelled[] = { "--label", "chrome" };

static int
make(void)
{
	return genkan_host_new(t.ctx, 2, labelled, &host);
}

static int
next(void)
{
	int r;

	while ((r = genkan_host_next(host, &ev)) == 1) {
		if (ev.kind != GENKAN_EV_JOB)
			return ev.kind;
		genkan_job_run(ev.job);
		genkan_job_done(ev.job);
	}
	ck_assert_int_eq(r, 0);
	return 0;
}

START_TEST(test_bad_arguments_end_the_start)
{
	static const char *const bad[][3] = {
		{ "--label", NULL, NULL },
		{ "--label=chrome", NULL, NULL },
		{ "--label", "-x", NULL },
		{ "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
		    NULL, NULL },
	};
	int argc = 0;

	while (argc < 3 && bad[_i][argc] != NULL)
		argc++;
	ck_assert_int_eq(genkan_host_new(t.ctx, argc, bad[_i], &host),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(host);
	ck_assert_uint_gt(strlen(genkan_ctx_last_error(t.ctx)), 0);
}
END_TEST

START_TEST(test_a_null_host_does_no_harm)
{
	static const char *const hole[] = { "--label", NULL, "x" };
	int64_t ms = 7;

	ck_assert_int_eq(genkan_host_new(t.ctx, 3, hole, &host),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_host_new(t.ctx, 1, hole + 1, &host),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(host);
	genkan_host_free(NULL);
	genkan_host_stop(NULL);
	genkan_host_tick(NULL, 1);
	ck_assert_ptr_null(genkan_host_stdio(NULL));
	ck_assert_int_eq(genkan_host_next(NULL, &ev), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_host_deadline(NULL, &ms), GENKAN_E_INVAL);
	ck_assert_int_eq(ms, 7);
	ck_assert_str_eq(genkan_host_state(NULL), "");
	ck_assert_int_eq(genkan_host_new(NULL, 0, NULL, &host),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_host_new(t.ctx, 1, NULL, &host),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_host_new(t.ctx, -1, NULL, &host),
	    GENKAN_E_INVAL);
}
END_TEST

START_TEST(test_a_state_directory_that_cannot_be_trusted_is_an_error)
{
	ck_assert_int_eq(mkdir(at("home/.local"), 0700), 0);
	ck_assert_int_eq(mkdir(at("home/.local/state"), 0700), 0);
	put("home/.local/state/genkan", "no directory", 0600);
	ck_assert_int_eq(make(), GENKAN_E_ACCESS);
	ck_assert_ptr_null(host);
}
END_TEST

/* The install set comes first: nothing is asked of it before. */
START_TEST(test_a_host_without_a_broker_answers_by_itself)
{
	static const char ask[] = "\026\0\0\0{\"type\":\"kill_status\"}";
	const void *out;
	size_t len, used;

	ck_assert_int_eq(make(), 0);
	ck_assert(!exists("home/.local"));
	ck_assert_ptr_nonnull(stdio = genkan_host_stdio(host));
	ck_assert_ptr_null(genkan_host_stdio(host));
	ck_assert_int_eq(genkan_host_next(host, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
	ck_assert_int_eq(genkan_leg_wants(stdio) & GENKAN_WANT_READ, 0);
	genkan_job_run(ev.job);
	genkan_job_done(ev.job);
	ck_assert_int_eq(next(), 0);
	ck_assert_str_eq(genkan_host_state(host), "control");
	ck_assert(!exists("run/genkan"));	/* looking creates nothing */
	ck_assert_int_eq(genkan_leg_output(stdio, &out, &len), 1);
	ck_assert_ptr_nonnull(memmem(out, len, "policy_current", 14));
	while (genkan_leg_output(stdio, &out, &len) == 1)
		genkan_leg_wrote(stdio, len);
	ck_assert_int_ne(genkan_leg_wants(stdio) & GENKAN_WANT_READ, 0);
	ck_assert_int_eq(genkan_leg_feed(stdio, ask, sizeof(ask) - 1, &used),
	    0);
	ck_assert_int_eq(genkan_leg_output(stdio, &out, &len), 1);
	ck_assert_ptr_nonnull(memmem(out, len, "\"killed\":false", 14));
}
END_TEST

/* What the host says to a frame, where no job of its is ever run. */
static const char *
answer_without_jobs(const char *frame)
{
	static char said[4096];
	uint32_t len = (uint32_t)strlen(frame);
	const void *out;
	size_t n, used;
	int r;

	while (genkan_leg_output(stdio, &out, &n) == 1)
		genkan_leg_wrote(stdio, n);
	ck_assert_int_eq(genkan_leg_feed(stdio, &len, 4, &used), 0);
	ck_assert_int_eq(genkan_leg_feed(stdio, frame, len, &used), 0);
	while ((r = genkan_host_next(host, &ev)) == 1) {
		ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
		genkan_job_done(ev.job);
	}
	ck_assert_int_eq(r, 0);
	ck_assert_int_eq(genkan_leg_output(stdio, &out, &n), 1);
	ck_assert_uint_gt(n, 4);
	(void)snprintf(said, sizeof(said), "%.*s", (int)n - 4,
	    (const char *)out + 4);
	return said;
}

START_TEST(test_a_job_that_is_not_run_has_failed_and_stalls_nobody)
{
	ck_assert_int_eq(make(), 0);
	ck_assert_ptr_nonnull(stdio = genkan_host_stdio(host));
	ck_assert_int_eq(next(), 0);
	ck_assert_str_eq(answer_without_jobs("{\"type\":"
	    "\"enclave_challenge\",\"nonce\":\"abc\"}"), "{\"type\":"
	    "\"enclave_error\",\"reason\":\"keychain_error\"}");
	ck_assert_str_eq(answer_without_jobs("{\"type\":\"doctor_report\"}"),
	    "{\"type\":\"doctor_report_result\",\"ok\":false,\"error\":"
	    "\"no thread could be had for it\"}");
	ck_assert_ptr_nonnull(strstr(answer_without_jobs("{\"type\":"
	    "\"policy_set\",\"overlay\":{\"cdpMode\":true}}"),
	    "{\"type\":\"policy_set_result\",\"ok\":false,\"error\":"));
	/* And with threads again all goes on. */
	ck_assert_str_eq(answer_without_jobs("{\"type\":\"kill_status\"}"),
	    "{\"type\":\"kill_status_result\",\"ok\":true,"
	    "\"killed\":false}");
}
END_TEST

START_TEST(test_a_host_that_cannot_look_at_itself_ends)
{
	ck_assert_int_eq(make(), 0);
	ck_assert_int_eq(genkan_host_next(host, &ev), 1);
	genkan_job_done(ev.job);
	ck_assert_int_eq(next(), GENKAN_EV_EXIT);
	ck_assert_int_eq(ev.status, 1);
}
END_TEST

START_TEST(test_the_end_of_input_ends_the_host)
{
	const void *out;
	size_t len;

	ck_assert_int_eq(make(), 0);
	stdio = genkan_host_stdio(host);
	ck_assert_int_eq(next(), 0);
	genkan_leg_eof(stdio);
	while (genkan_leg_output(stdio, &out, &len) == 1)
		genkan_leg_wrote(stdio, len);
	ck_assert_int_eq(next(), GENKAN_EV_EXIT);
	ck_assert_int_eq(ev.status, 0);
	ck_assert_int_eq(genkan_host_next(host, &ev), 0);
}
END_TEST

START_TEST(test_a_signal_ends_the_host_at_any_time)
{
	ck_assert_int_eq(make(), 0);
	stdio = genkan_host_stdio(host);
	if (_i == 1)
		ck_assert_int_eq(next(), 0);
	genkan_host_stop(host);
	ck_assert_int_eq(next(), GENKAN_EV_EXIT);
	ck_assert_int_eq(ev.status, 0);
}
END_TEST

START_TEST(test_a_clock_is_asked_by_every_verb)
{
	int64_t now;

	gk_test_clock(&t);
	now = gk_test_hour(&t);
	ck_assert_int_eq(make(), 0);
	ck_assert_int_eq(gk_now(t.ctx), now);
	now = gk_test_hour(&t);
	ck_assert_int_eq(next(), 0);
	ck_assert_int_eq(gk_now(t.ctx), now);
	now = gk_test_hour(&t);
	genkan_host_stop(host);
	ck_assert_int_eq(gk_now(t.ctx), now);
}
END_TEST

START_TEST(test_a_directory_mismatch_ends_the_host_only_for_a_broker_of_ours)
{
	char lock[512];

	ck_assert_int_eq(mkdir(at("run/genkan"), 0700), 0);
	(void)snprintf(lock, sizeof(lock), "{\"endpoint\":\"%s\","
	    "\"secret\":\"00112233445566778899aabbccddeeff\",\"pid\":%d,"
	    "\"state_dir\":\"/elsewhere\"}", at("run/genkan/run.sock"),
	    (int)getppid());
	put("run/genkan/run.lock", lock, 0600);
	ck_assert_int_eq(make(), 0);
	stdio = genkan_host_stdio(host);
	/* Our parent is no genkan-server, so its directory is nobody's. */
	ck_assert_int_eq(next(), 0);
	ck_assert_str_eq(genkan_host_state(host), "control");
}
END_TEST

static int
make_one(struct gk_test *unused, void *arg)
{
	int r;

	(void)unused;
	(void)arg;
	r = make();
	if (r == 0) {
		genkan_host_free(host);
		host = NULL;
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
	Suite *s = suite_create("host");
	TCase *tc = tcase_create("host");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_bad_arguments_end_the_start, 0, 4);
	tcase_add_test(tc, test_a_null_host_does_no_harm);
	tcase_add_test(tc,
	    test_a_state_directory_that_cannot_be_trusted_is_an_error);
	tcase_add_test(tc, test_a_host_without_a_broker_answers_by_itself);
	tcase_add_test(tc,
	    test_a_job_that_is_not_run_has_failed_and_stalls_nobody);
	tcase_add_test(tc, test_a_host_that_cannot_look_at_itself_ends);
	tcase_add_test(tc, test_the_end_of_input_ends_the_host);
	tcase_add_test(tc, test_a_clock_is_asked_by_every_verb);
	tcase_add_loop_test(tc, test_a_signal_ends_the_host_at_any_time, 0,
	    2);
	tcase_add_test(tc,
	    test_a_directory_mismatch_ends_the_host_only_for_a_broker_of_ours);
	tcase_add_test(tc, test_lack_of_memory_is_told);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
