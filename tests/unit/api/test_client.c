#include "genkan/client.h"

#include "base/clock.h"
#include "crypto/ossl.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_test t;
static genkan_client *client;
static genkan_event ev;
static uint64_t id;

static void
setup(void)
{
	static const genkan_event fresh = GENKAN_EVENT_INIT;

	scratch_make();
	gk_test_init(&t);
	scratch_home();
	client = NULL;
	id = 0;
	ev = fresh;
}

static void
teardown(void)
{
	genkan_client_free(client);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

static void
make(void)
{
	ck_assert_int_eq(genkan_client_new(t.ctx, NULL, &client), 0);
}

START_TEST(test_a_null_client_does_no_harm)
{
	int64_t ms = 7;

	genkan_client_free(NULL);
	genkan_client_tick(NULL, 1);
	ck_assert_int_eq(genkan_client_attach(NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_call(NULL, "a", NULL, 0, 0, &id),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_tools(NULL, &id), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_cancel(NULL, 1), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_next(NULL, &ev), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_deadline(NULL, &ms), GENKAN_E_INVAL);
	ck_assert_int_eq(ms, 7);
	ck_assert_int_eq(genkan_client_state(NULL), GENKAN_E_INVAL);
	ck_assert_uint_eq(genkan_client_outstanding(NULL), 0);
	ck_assert_int_eq(genkan_client_new(NULL, NULL, &client),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_new(t.ctx, NULL, NULL),
	    GENKAN_E_INVAL);
}
END_TEST

START_TEST(test_options_of_another_size)
{
	struct {
		genkan_client_options	o;
		uint64_t		more;
	} big = { GENKAN_CLIENT_OPTIONS_INIT, 0 };
	genkan_client_options o = GENKAN_CLIENT_OPTIONS_INIT;

	o.size--;
	ck_assert_int_eq(genkan_client_new(t.ctx, &o, &client),
	    GENKAN_E_INVAL);
	o.size = 0;
	ck_assert_int_eq(genkan_client_new(t.ctx, &o, &client),
	    GENKAN_E_INVAL);
	big.o.size = sizeof(big);
	big.more = 1;
	ck_assert_int_eq(genkan_client_new(t.ctx, &big.o, &client),
	    GENKAN_E_ABI);
	big.more = 0;
	ck_assert_int_eq(genkan_client_new(t.ctx, &big.o, &client), 0);
}
END_TEST

START_TEST(test_the_program_directory_is_an_absolute_path)
{
	static const char *const bad[] = { "", "bin", "./bin" };
	genkan_client_options o = GENKAN_CLIENT_OPTIONS_INIT;

	o.program_dir = bad[_i];
	ck_assert_int_eq(genkan_client_new(t.ctx, &o, &client),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(client);
	ck_assert_ptr_nonnull(strstr(genkan_ctx_last_error(t.ctx),
	    "absolute"));
}
END_TEST

START_TEST(test_a_state_directory_that_cannot_be_trusted_is_an_error)
{
	ck_assert_int_eq(mkdir(at("home/.local"), 0700), 0);
	ck_assert_int_eq(mkdir(at("home/.local/state"), 0700), 0);
	put("home/.local/state/genkan", "no directory", 0600);
	ck_assert_int_eq(genkan_client_new(t.ctx, NULL, &client),
	    GENKAN_E_ACCESS);
	ck_assert_ptr_null(client);
}
END_TEST

START_TEST(test_without_a_broker_the_client_says_so)
{
	int round;

	make();
	for (round = 0; round < 2; round++) {
		ck_assert_int_eq(genkan_client_attach(client), 0);
		ck_assert_int_eq(genkan_client_attach(client),
		    GENKAN_E_STATE);
		ck_assert_int_eq(genkan_client_state(client),
		    GENKAN_CLIENT_ATTACHING);
		ck_assert_int_eq(genkan_client_next(client, &ev), 1);
		ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
		genkan_job_run(ev.job);
		genkan_job_done(ev.job);
		ck_assert_int_eq(genkan_client_next(client, &ev), 1);
		ck_assert_int_eq(ev.kind, GENKAN_EV_STATE);
		ck_assert_int_eq(ev.status, GENKAN_CLIENT_DETACHED);
		ck_assert_int_eq(ev.code, GENKAN_E_CONNECT);
		ck_assert_ptr_nonnull(strstr(ev.text, "run.lock"));
		ck_assert_uint_eq(strlen(ev.text), ev.textlen);
		ck_assert_int_eq(genkan_client_next(client, &ev), 0);
		ck_assert_int_eq(genkan_client_state(client),
		    GENKAN_CLIENT_DETACHED);
	}
}
END_TEST

START_TEST(test_a_job_that_nobody_ran_detaches)
{
	make();
	ck_assert_int_eq(genkan_client_attach(client), 0);
	ck_assert_int_eq(genkan_client_next(client, &ev), 1);
	genkan_job_done(ev.job);
	ck_assert_int_eq(genkan_client_next(client, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_STATE);
	ck_assert_int_eq(ev.code, GENKAN_E_CANCELED);
}
END_TEST

START_TEST(test_a_client_may_be_freed_while_its_job_runs)
{
	make();
	ck_assert_int_eq(genkan_client_attach(client), 0);
	if (_i == 0) {		/* the job was not even pulled */
		genkan_client_free(client);
		client = NULL;
		return;
	}
	ck_assert_int_eq(genkan_client_next(client, &ev), 1);
	if (_i == 1)
		genkan_job_run(ev.job);
	genkan_client_free(client);
	client = NULL;
	if (_i == 2)
		genkan_job_run(ev.job);
	genkan_job_done(ev.job);
}
END_TEST

static const struct { const char *args; int r; } args[] = {
	{ "{}", 0 }, { " { \"a\" : [ 1 , { } ] } \n", 0 },
	{ "", GENKAN_E_INVAL }, { "[]", GENKAN_E_INVAL },
	{ "7", GENKAN_E_INVAL }, { "{", GENKAN_E_INVAL },
	{ "{}}", GENKAN_E_INVAL }, { "{}},\"x\":{", GENKAN_E_INVAL },
	{ "{\"a\":1,\"a\":2}", GENKAN_E_INVAL },
	{ "{\"a\":\"\xff\"}", GENKAN_E_INVAL },
	{ "{\"a\":\"\n\"}", GENKAN_E_INVAL },
};

START_TEST(test_arguments_are_one_object)
{
	make();
	ck_assert_int_eq(genkan_client_call(client, "a", args[_i].args,
	    strlen(args[_i].args), 0, &id), args[_i].r);
	ck_assert_uint_eq(id, args[_i].r == 0 ? 1 : 0);
	ck_assert_uint_eq(genkan_client_outstanding(client),
	    args[_i].r == 0 ? 1 : 0);
	if (args[_i].r < 0)
		ck_assert_int_eq(strncmp(genkan_ctx_last_error(t.ctx),
		    "arguments: ", 11), 0);
}
END_TEST

/* They stand two levels down in a line that may have 128. */
START_TEST(test_arguments_may_be_126_deep)
{
	char text[600];
	int n, i;

	make();
	for (n = 125; n <= 127; n++) {
		strcpy(text, "{\"[\":");
		for (i = 1; i < n; i++)
			strcat(text, "[");
		strcat(text, "\"]\\\"\"");
		for (i = 1; i < n; i++)
			strcat(text, "]");
		strcat(text, "}");
		ck_assert_int_eq(genkan_client_call(client, "a", text,
		    strlen(text), 0, &id), n <= 126 ? 0 : GENKAN_E_INVAL);
	}
}
END_TEST

START_TEST(test_what_is_no_call_is_refused)
{
	make();
	ck_assert_int_eq(genkan_client_call(client, NULL, NULL, 0, 0, &id),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_call(client, "a", NULL, 1, 0, &id),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_call(client, "a", NULL, 0, -1, &id),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_call(client, "a", NULL, 0, 0, NULL),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_call(client, "\xc3", NULL, 0, 0, &id),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_client_call(client, "a", "{}",
	    GENKAN_BRIDGE_LINE_MAX, 0, &id), GENKAN_E_TOO_LARGE);
	ck_assert_int_eq(genkan_client_tools(client, NULL), GENKAN_E_INVAL);
	ck_assert_uint_eq(genkan_client_outstanding(client), 0);
}
END_TEST

START_TEST(test_a_call_that_waits_ends_by_time_or_by_cancelling)
{
	int64_t ms = 7;

	make();
	ck_assert_int_eq(genkan_client_deadline(client, &ms), 0);
	ck_assert_int_eq(ms, 7);
	ck_assert_int_eq(genkan_client_call(client, "a", NULL, 0, 50, &id),
	    0);
	ck_assert_int_eq(genkan_client_deadline(client, &ms), 1);
	ck_assert_int_eq(ms, gk_now(t.ctx) + 50);
	ck_assert_int_eq(genkan_client_next(client, &ev), 0);
	genkan_client_tick(client, ms);
	ck_assert_int_eq(genkan_client_next(client, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_RESULT);
	ck_assert_uint_eq(ev.id, 1);
	ck_assert_int_eq(ev.code, GENKAN_CODE_RESPONSE_TIMEOUT);
	ck_assert_ptr_null(ev.data);
	ck_assert_int_eq(genkan_client_tools(client, &id), 0);
	ck_assert_uint_eq(id, 2);
	ck_assert_int_eq(genkan_client_cancel(client, 1), GENKAN_E_NOENT);
	ck_assert_int_eq(genkan_client_cancel(client, 2), 0);
	ck_assert_int_eq(genkan_client_next(client, &ev), 0);
}
END_TEST

/* Whoever slept for an hour and then acts has all the time there is. */
START_TEST(test_a_clock_is_asked_by_every_verb)
{
	genkan_leg *leg = NULL;
	int64_t now, ms = 0;

	gk_test_clock(&t);
	now = gk_test_hour(&t);
	make();
	ck_assert_int_eq(gk_now(t.ctx), now);
	now = gk_test_hour(&t);
	ck_assert_int_eq(genkan_client_join(client,
	    "00112233445566778899aabbccddeeff", &leg), 0);
	ck_assert_int_eq(genkan_client_deadline(client, &ms), 1);
	ck_assert_int_gt(ms, now);
	genkan_client_tick(client, GENKAN_NOW);
	ck_assert_int_eq(genkan_client_next(client, &ev), 0);
	ck_assert_int_eq(genkan_client_state(client),
	    GENKAN_CLIENT_ATTACHING);
	now = gk_test_hour(&t);
	ck_assert_int_eq(genkan_client_call(client, "a", NULL, 0, 50, &id),
	    0);
	ck_assert_int_eq(gk_now(t.ctx), now);
	now = gk_test_hour(&t);
	ck_assert_int_eq(genkan_client_tools(client, &id), 0);
	ck_assert_int_eq(gk_now(t.ctx), now);
	now = gk_test_hour(&t);
	ck_assert_int_eq(genkan_client_cancel(client, id), 0);
	ck_assert_int_eq(gk_now(t.ctx), now);
	genkan_leg_free(leg);
	ck_assert_int_eq(genkan_client_next(client, &ev), 1);
	now = gk_test_hour(&t);
	ck_assert_int_eq(genkan_client_attach(client), 0);
	ck_assert_int_eq(gk_now(t.ctx), now);
}
END_TEST

START_TEST(test_an_event_of_another_size)
{
	union {
		genkan_event	ev;
		unsigned char	raw[sizeof(genkan_event) + 16];
	} big;

	make();
	ck_assert_int_eq(genkan_client_call(client, "a", NULL, 0, 50, &id),
	    0);
	genkan_client_tick(client, gk_now(t.ctx) + 50);
	ck_assert_int_eq(genkan_client_next(client, NULL), GENKAN_E_INVAL);
	ev.size--;
	ck_assert_int_eq(genkan_client_next(client, &ev), GENKAN_E_INVAL);
	/* of a newer header: what this library does not know is zero */
	memset(&big, 0xff, sizeof(big));
	big.ev.size = sizeof(big);
	ck_assert_int_eq(genkan_client_next(client, &big.ev), 1);
	ck_assert_uint_eq(big.ev.id, 1);
	ck_assert_uint_eq(big.ev.size, sizeof(big));
	ck_assert_uint_eq(big.raw[sizeof(big) - 1], 0);
}
END_TEST

START_TEST(test_codes_have_names)
{
	ck_assert_str_eq(genkan_code_name(0), "OK");
	ck_assert_str_eq(genkan_code_name(GENKAN_CODE_TAB_NOT_FOUND),
	    "TAB_NOT_FOUND");
	ck_assert_str_eq(genkan_code_text(GENKAN_CODE_TAB_NOT_FOUND),
	    "there is no such tab");
	ck_assert_int_eq(genkan_code_retryable(GENKAN_CODE_CONNECTION_LOST),
	    1);
	ck_assert_int_eq(genkan_code_retryable(GENKAN_CODE_USER_DENIED), 0);
	ck_assert_str_eq(genkan_code_name(-1), "");
	ck_assert_str_eq(genkan_code_name(GENKAN_CODE_INTERNAL_ERROR),
	    "INTERNAL_ERROR");
	ck_assert_str_eq(genkan_code_name(GENKAN_CODE_INTERNAL_ERROR + 1), "");
	ck_assert_str_eq(genkan_code_text(9999), "");
	ck_assert_int_eq(genkan_code_retryable(9999), 0);
}
END_TEST

static int
life(struct gk_test *w, void *arg)
{
	genkan_client *c = NULL;
	uint64_t no;
	int r;

	(void)arg;
	r = genkan_client_new(w->ctx, NULL, &c);
	if (r == 0)
		r = genkan_client_call(c, "a", " {}", 3, 0, &no);
	if (r == 0)
		r = genkan_client_tools(c, &no);
	genkan_client_free(c);
	return r;
}

START_TEST(test_every_allocation_may_fail)
{
	ck_assert_uint_gt(gk_test_sweep(&t, life, NULL), 8);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("client");
	TCase *tc = tcase_create("client");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_null_client_does_no_harm);
	tcase_add_test(tc, test_options_of_another_size);
	tcase_add_loop_test(tc,
	    test_the_program_directory_is_an_absolute_path, 0, 3);
	tcase_add_test(tc,
	    test_a_state_directory_that_cannot_be_trusted_is_an_error);
	tcase_add_test(tc, test_without_a_broker_the_client_says_so);
	tcase_add_test(tc, test_a_job_that_nobody_ran_detaches);
	tcase_add_loop_test(tc, test_a_client_may_be_freed_while_its_job_runs,
	    0, 3);
	tcase_add_loop_test(tc, test_arguments_are_one_object, 0,
	    (int)GK_ARRAY_LEN(args));
	tcase_add_test(tc, test_arguments_may_be_126_deep);
	tcase_add_test(tc, test_what_is_no_call_is_refused);
	tcase_add_test(tc,
	    test_a_call_that_waits_ends_by_time_or_by_cancelling);
	tcase_add_test(tc, test_a_clock_is_asked_by_every_verb);
	tcase_add_test(tc, test_an_event_of_another_size);
	tcase_add_test(tc, test_codes_have_names);
	tcase_add_test(tc, test_every_allocation_may_fail);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
