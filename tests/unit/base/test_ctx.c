#include "util.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"

static struct gk_test t;

static void
setup(void)
{
	gk_test_init(&t);
}

static void
teardown(void)
{
	gk_test_done(&t);
}

START_TEST(test_defaults_need_no_hooks)
{
	struct genkan_ctx *ctx = NULL;
	uint8_t a[16], b[16];

	ck_assert_int_eq(gk_ctx_new(NULL, GK_LOG_INFO, &ctx), 0);
	ck_assert_int_eq(gk_rng_bytes(ctx, a, sizeof(a)), 0);
	ck_assert_int_eq(gk_rng_bytes(ctx, b, sizeof(b)), 0);
	ck_assert_mem_ne(a, b, sizeof(a));
	ck_assert_int_eq(gk_now(ctx), 0);
	gk_ctx_free(ctx);
	gk_ctx_free(NULL);
}
END_TEST

START_TEST(test_a_context_that_cannot_be_made_gives_the_user_back)
{
	struct gk_ctx_hooks hooks;
	struct genkan_ctx *ctx = NULL;
	struct gk_test u;

	memset(&u, 0, sizeof(u));
	gk_test_hooks(&u, &hooks);
	u.fail_at = 1;
	ck_assert_int_eq(gk_ctx_new(&hooks, 0, &ctx), GENKAN_E_NOMEM);
	ck_assert_uint_eq(u.user_freed, 1);
	u.random_fails = true;
	ck_assert_int_eq(gk_ctx_new(&hooks, 0, &ctx), GENKAN_E_RANDOM);
	ck_assert_uint_eq(u.user_freed, 2);
	ck_assert_uint_eq(u.live, 0);
	ck_assert_ptr_null(ctx);
}
END_TEST

START_TEST(test_failing_randomness_leaves_zeroes)
{
	uint8_t a[32];

	memset(a, 7, sizeof(a));
	t.random_fails = true;
	ck_assert_int_eq(gk_rng_bytes(t.ctx, a, sizeof(a)), GENKAN_E_RANDOM);
	for (size_t i = 0; i < sizeof(a); i++)
		ck_assert_int_eq(a[i], 0);
	ck_assert_int_eq(gk_rng_bytes(t.ctx, NULL, 0), 0);
	ck_assert_int_eq(t.ctx->err_code, GENKAN_E_RANDOM);
}
END_TEST

START_TEST(test_a_test_replays_the_same_randomness)
{
	uint8_t a[20], b[20];

	t.seed = 5;
	ck_assert_int_eq(gk_rng_bytes(t.ctx, a, sizeof(a)), 0);
	t.seed = 5;
	ck_assert_int_eq(gk_rng_bytes(t.ctx, b, sizeof(b)), 0);
	ck_assert_mem_eq(a, b, sizeof(a));
	ck_assert_int_eq(gk_rng_bytes(t.ctx, b, sizeof(b)), 0);
	ck_assert_mem_ne(a, b, sizeof(a));
}
END_TEST

START_TEST(test_time_never_goes_back)
{
	ck_assert_int_eq(gk_now(t.ctx), 1000);
	gk_clock_set(t.ctx, 1500);
	gk_clock_set(t.ctx, 1499);
	ck_assert_int_eq(gk_now(t.ctx), 1500);
	gk_clock_set(t.ctx, INT64_MIN);
	ck_assert_int_eq(gk_now(t.ctx), 1500);
}
END_TEST

START_TEST(test_a_far_deadline_does_not_overflow)
{
	ck_assert_int_eq(gk_clock_after(t.ctx, 500), 1500);
	ck_assert_int_eq(gk_clock_after(t.ctx, 0), 1000);
	ck_assert_int_eq(gk_clock_after(t.ctx, INT64_MAX), GK_CLOCK_NEVER);
	ck_assert_int_eq(gk_clock_after(t.ctx, INT64_MAX - 1000),
	    INT64_MAX);
	ck_assert_int_eq(gk_clock_after(t.ctx, INT64_MAX - 1001),
	    INT64_MAX - 1);
}
END_TEST

START_TEST(test_checked_arithmetic)
{
	size_t r = 42;

	ck_assert(gk_add(SIZE_MAX - 1, 1, &r));
	ck_assert_uint_eq(r, SIZE_MAX);
	ck_assert(!gk_add(SIZE_MAX, 1, &r));
	ck_assert_uint_eq(r, SIZE_MAX);
	ck_assert(gk_mul(SIZE_MAX / 2, 2, &r));
	ck_assert_uint_eq(r, SIZE_MAX - 1);
	ck_assert(!gk_mul(SIZE_MAX / 2 + 1, 2, &r));
	ck_assert(gk_mul(SIZE_MAX, 0, &r));
	ck_assert_uint_eq(r, 0);
}
END_TEST

START_TEST(test_spans_compare_by_bytes)
{
	ck_assert(gk_span_is(gk_span("abc", 2), "ab"));
	ck_assert(!gk_span_is(gk_span("abc", 3), "ab"));
	ck_assert(gk_span_eq(gk_span(NULL, 0), gk_span("", 0)));
	ck_assert(!gk_span_eq(gk_span("a\0b", 3), gk_span("a\0c", 3)));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ctx");
	TCase *tc = tcase_create("ctx");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_defaults_need_no_hooks);
	tcase_add_test(tc,
	    test_a_context_that_cannot_be_made_gives_the_user_back);
	tcase_add_test(tc, test_failing_randomness_leaves_zeroes);
	tcase_add_test(tc, test_a_test_replays_the_same_randomness);
	tcase_add_test(tc, test_time_never_goes_back);
	tcase_add_test(tc, test_a_far_deadline_does_not_overflow);
	tcase_add_test(tc, test_checked_arithmetic);
	tcase_add_test(tc, test_spans_compare_by_bytes);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
