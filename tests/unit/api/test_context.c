#include "genkan/client.h"
#include "genkan/native.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <genkan/context.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "crypto/digest.h"

static int freed, randoms;
static size_t blocks;

static void *
count_realloc(void *user, void *ptr, size_t size)
{
	ck_assert_str_eq(user, "user");
	if (size == 0) {
		blocks -= ptr != NULL;
		free(ptr);
		return NULL;
	}
	blocks += ptr == NULL;
	return realloc(ptr, size);
}

static void *
no_realloc(void *user, void *ptr, size_t size)
{
	(void)user;
	(void)ptr;
	(void)size;
	return NULL;
}

static int
fixed_random(void *user, void *buf, size_t len)
{
	(void)user;
	randoms++;
	memset(buf, 9, len);
	return 0;
}

static int64_t told;

static int64_t
a_clock(void *user)
{
	(void)user;
	return told;
}

static int
no_random(void *user, void *buf, size_t len)
{
	(void)user;
	(void)buf;
	(void)len;
	return -1;
}

static char last_text[256];

static void
keep_log(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	(void)user;
	snprintf(last_text, sizeof(last_text), "%d %s %s %s", level, tag, id,
	    text);
}

static void
count_free(void *user)
{
	ck_assert_str_eq(user, "user");
	freed++;
}

static genkan_ctx_options
options(void)
{
	genkan_ctx_options o = GENKAN_CTX_OPTIONS_INIT;

	freed = randoms = 0;
	blocks = 0;
	o.user = (void *)(uintptr_t)"user";
	o.free_user = count_free;
	return o;
}

START_TEST(test_a_context_of_defaults)
{
	genkan_ctx *ctx = NULL;

	ck_assert_int_eq(genkan_ctx_new(NULL, &ctx), 0);
	ck_assert_str_eq(genkan_ctx_last_error(ctx), "");
	ck_assert(!gk_log_wants(ctx, GK_LOG_ERROR));
	genkan_ctx_free(ctx);
	genkan_ctx_free(NULL);
}
END_TEST

START_TEST(test_everything_comes_from_the_options)
{
	genkan_ctx_options o = options();
	uint8_t md[GK_SHA256_LEN];
	genkan_ctx *ctx = NULL;

	o.realloc_fn = count_realloc;
	o.random_fn = fixed_random;
	o.log_fn = keep_log;
	o.log_level = GENKAN_LOG_WARN;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), 0);
	ck_assert_uint_gt(blocks, 0);
	ck_assert_int_gt(randoms, 0);
	gk_log(ctx, GK_LOG_WARN, "tag", "id", "text");
	ck_assert_str_eq(last_text, "1 tag id text");
	gk_log(ctx, GK_LOG_INFO, "tag", "id", "other");
	ck_assert_str_eq(last_text, "1 tag id text");
	ck_assert_int_eq(gk_sha256(ctx, "", 0, md), 0);
	ck_assert_int_eq(freed, 0);
	genkan_ctx_free(ctx);
	ck_assert_uint_eq(blocks, 0);
	ck_assert_int_eq(freed, 1);
}
END_TEST

START_TEST(test_bad_options_are_refused_and_the_user_given_back)
{
	struct { genkan_ctx_options o; unsigned char more[8]; } big;
	genkan_ctx_options o = options();
	genkan_ctx *ctx = NULL;

	ck_assert_int_eq(genkan_ctx_new(&o, NULL), GENKAN_E_INVAL);
	ck_assert_int_eq(freed, 0);
	o.size--;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_INVAL);
	o.size = 4097;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_INVAL);
	ck_assert_int_eq(freed, 0);	/* not readable */
	o = options();
	o.log_level = 4;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_INVAL);
	ck_assert_int_eq(freed, 1);
	o.log_level = -2;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_INVAL);
	ck_assert_int_eq(freed, 2);
	o = options();
	o.reserved = 1;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_ABI);
	ck_assert_int_eq(freed, 1);
	/* A newer caller: fine as long as it asks for nothing new. */
	memset(&big, 0, sizeof(big));
	big.o = options();
	big.o.size = sizeof(big);
	ck_assert_int_eq(genkan_ctx_new(&big.o, &ctx), 0);
	genkan_ctx_free(ctx);
	ctx = NULL;
	big.more[7] = 1;
	ck_assert_int_eq(genkan_ctx_new(&big.o, &ctx), GENKAN_E_ABI);
	ck_assert_int_eq(freed, 2);
	ck_assert_ptr_null(ctx);
}
END_TEST

START_TEST(test_what_fails_inside_gives_the_user_back_too)
{
	genkan_ctx_options o = options();
	genkan_ctx *ctx = NULL;

	o.realloc_fn = no_realloc;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_NOMEM);
	ck_assert_int_eq(freed, 1);
	o = options();
	o.random_fn = no_random;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_RANDOM);
	ck_assert_int_eq(freed, 1);
	ck_assert_ptr_null(ctx);
}
END_TEST

START_TEST(test_time_is_told_and_never_goes_back)
{
	genkan_ctx *ctx = NULL;

	ck_assert_int_eq(genkan_ctx_new(NULL, &ctx), 0);
	ck_assert_int_eq(genkan_ctx_set_time(ctx, 5), 0);
	ck_assert_int_eq(genkan_ctx_set_time(ctx, 4), 0);
	ck_assert_int_eq(gk_now(ctx), 5);
	ck_assert_int_eq(genkan_ctx_set_time(ctx, -1), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_ctx_set_time(NULL, 1), GENKAN_E_INVAL);
	genkan_ctx_free(ctx);
}
END_TEST

/* Whoever gave a clock tells nothing. */
START_TEST(test_a_clock_is_asked)
{
	genkan_ctx_options o = options();
	genkan_client *client;
	genkan_event ev = GENKAN_EVENT_INIT;
	genkan_ctx *ctx = NULL;
	uint64_t id;
	int64_t at;

	o.clock_fn = a_clock;
	told = 1000;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), 0);
	ck_assert_int_eq(gk_now(ctx), 1000);
	told = 900;
	ck_assert_int_eq(genkan_ctx_set_time(ctx, GENKAN_NOW), 0);
	ck_assert_int_eq(gk_now(ctx), 1000);
	ck_assert_int_eq(genkan_ctx_set_time(ctx, -2), GENKAN_E_INVAL);
	told = 1100;
	ck_assert_int_eq(genkan_client_new(ctx, NULL, &client), 0);
	told = 1200;
	ck_assert_int_eq(genkan_client_call(client, "tab_list", NULL, 0, 50,
	    &id), 0);
	ck_assert_int_eq(genkan_client_deadline(client, &at), 1);
	ck_assert_int_eq(at, 1250);
	told = 1249;
	genkan_client_tick(client, GENKAN_NOW);
	ck_assert_int_eq(genkan_client_next(client, &ev), 0);
	told = 1250;
	genkan_client_tick(client, GENKAN_NOW);
	ck_assert_int_eq(genkan_client_next(client, &ev), 1);
	ck_assert_int_eq(ev.code, GENKAN_CODE_RESPONSE_TIMEOUT);
	genkan_client_free(client);
	genkan_ctx_free(ctx);
	ck_assert_int_eq(genkan_ctx_new(NULL, &ctx), 0);
	ck_assert_int_eq(genkan_ctx_set_time(ctx, GENKAN_NOW),
	    GENKAN_E_INVAL);
	genkan_ctx_free(ctx);
}
END_TEST

static int logs;

static void
count_log(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	logs += strcmp(id, "no-time") == 0;
	keep_log(user, level, tag, id, text);
}

/* 0: GENKAN_NOW without a clock; 1: no time at all, with one. */
START_TEST(test_a_tick_without_a_time_is_said_to_be_one)
{
	genkan_ctx_options o = options();
	genkan_client *client;
	genkan_ctx *ctx = NULL;
	uint64_t id;
	int i;

	logs = 0;
	o.log_fn = count_log;
	if (_i == 1)
		o.clock_fn = a_clock;
	told = 0;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), 0);
	ck_assert_int_eq(genkan_client_new(ctx, NULL, &client), 0);
	ck_assert_int_eq(genkan_client_call(client, "tab_list", NULL, 0, 50,
	    &id), 0);
	genkan_client_tick(client, 10);
	ck_assert_int_eq(logs, 0);
	for (i = 0; i < 3; i++) {
		gk_err_clear(ctx);
		genkan_client_tick(client, _i == 0 ? GENKAN_NOW : -2);
		ck_assert_ptr_nonnull(strstr(genkan_ctx_last_error(ctx),
		    "a tick without a time"));
		ck_assert_int_eq(logs, 1);
	}
	ck_assert_int_eq(strncmp(last_text, "0 context no-time ", 18), 0);
	ck_assert_int_eq(strstr(last_text, "no clock") != NULL, _i == 0);
	ck_assert_int_eq(gk_now(ctx), 10);
	genkan_client_free(client);
	genkan_ctx_free(ctx);
}
END_TEST

START_TEST(test_the_directory_of_the_programs_is_copied)
{
	genkan_ctx_options o = options();
	char dir[] = "/opt/genkan/bin";
	genkan_ctx *ctx = NULL;

	o.realloc_fn = count_realloc;
	o.program_dir = dir;
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), 0);
	dir[1] = 'x';
	ck_assert_str_eq(ctx->program_dir, "/opt/genkan/bin");
	genkan_ctx_free(ctx);
	ck_assert_uint_eq(blocks, 0);
	ck_assert_int_eq(freed, 1);
	o.program_dir = "bin";
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), GENKAN_E_INVAL);
	ck_assert_int_eq(freed, 2);
}
END_TEST

START_TEST(test_slashes_behind_a_directory_are_dropped)
{
	static const char *const given[][2] = {
		{ "/opt/genkan/bin/", "/opt/genkan/bin" },
		{ "/opt/genkan/bin///", "/opt/genkan/bin" },
		{ "/opt//bin", "/opt//bin" },
		{ "/", "/" }, { "///", "/" },
	};
	genkan_ctx_options o = options();
	genkan_ctx *ctx = NULL;

	o.program_dir = given[_i][0];
	ck_assert_int_eq(genkan_ctx_new(&o, &ctx), 0);
	ck_assert_str_eq(ctx->program_dir, given[_i][1]);
	genkan_ctx_free(ctx);
}
END_TEST

START_TEST(test_errors_have_names_texts_and_classes)
{
	genkan_ctx *ctx = NULL;

	ck_assert_str_eq(genkan_error_name(GENKAN_E_FRAME_SIZE),
	    "frame-too-large");
	ck_assert_str_eq(genkan_error_name(0), "ok");
	ck_assert_str_eq(genkan_error_text(GENKAN_E_NOMEM), "out of memory");
	ck_assert_int_eq(genkan_error_class(GENKAN_E_FRAME_SIZE),
	    GENKAN_CLASS_CONN);
	ck_assert_int_eq(genkan_error_class(3), GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_ctx_new(NULL, &ctx), 0);
	gk_err_set(ctx, GENKAN_E_INVAL, "detail");
	ck_assert_str_eq(genkan_ctx_last_error(ctx), "detail");
	ck_assert_str_eq(genkan_ctx_last_error(NULL), "");
	genkan_ctx_free(ctx);
}
END_TEST

/* What was said of one error is not said of the next one. */
START_TEST(test_the_last_error_is_that_of_the_last_call)
{
	genkan_client_options bad = GENKAN_CLIENT_OPTIONS_INIT;
	genkan_client *client = NULL;
	genkan_native *dec = NULL;
	genkan_ctx *ctx = NULL;
	size_t used;

	ck_assert_int_eq(genkan_ctx_new(NULL, &ctx), 0);
	ck_assert_int_eq(genkan_native_new(ctx, 9, &dec), 0);
	bad.program_dir = "relative";
	ck_assert_int_eq(genkan_client_new(ctx, &bad, &client),
	    GENKAN_E_INVAL);
	ck_assert_str_ne(genkan_ctx_last_error(ctx), "");
	/* one that has nothing to add to its code */
	ck_assert_int_eq(genkan_native_feed(dec, "\0\0\0\0", 4, &used),
	    GENKAN_E_FRAME_EMPTY);
	ck_assert_str_eq(genkan_ctx_last_error(ctx), "");
	ck_assert_int_eq(genkan_client_new(ctx, &bad, &client),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_ctx_set_time(ctx, -5), GENKAN_E_INVAL);
	ck_assert_str_eq(genkan_ctx_last_error(ctx), "");
	genkan_native_free(dec);
	genkan_ctx_free(ctx);
}
END_TEST

START_TEST(test_the_version_is_that_of_the_headers)
{
	char want[32];

	snprintf(want, sizeof(want), "%d.%d.%d", GENKAN_VERSION_MAJOR,
	    GENKAN_VERSION_MINOR, GENKAN_VERSION_MICRO);
	ck_assert_str_eq(genkan_version(), GENKAN_VERSION);
	ck_assert_str_eq(genkan_version(), want);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("context");
	TCase *tc = tcase_create("context");

	tcase_add_test(tc, test_a_context_of_defaults);
	tcase_add_test(tc, test_everything_comes_from_the_options);
	tcase_add_test(tc, test_a_clock_is_asked);
	tcase_add_loop_test(tc, test_a_tick_without_a_time_is_said_to_be_one,
	    0, 2);
	tcase_add_test(tc, test_the_directory_of_the_programs_is_copied);
	tcase_add_loop_test(tc, test_slashes_behind_a_directory_are_dropped,
	    0, 5);
	tcase_add_test(tc,
	    test_bad_options_are_refused_and_the_user_given_back);
	tcase_add_test(tc, test_what_fails_inside_gives_the_user_back_too);
	tcase_add_test(tc, test_time_is_told_and_never_goes_back);
	tcase_add_test(tc, test_errors_have_names_texts_and_classes);
	tcase_add_test(tc, test_the_last_error_is_that_of_the_last_call);
	tcase_add_test(tc, test_the_version_is_that_of_the_headers);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
