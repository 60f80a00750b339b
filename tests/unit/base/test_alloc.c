#include "util.h"

#include <string.h>

#include "base/alloc.h"

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

START_TEST(test_a_size_of_zero_is_no_failure)
{
	void *p = gk_malloc(t.ctx, 0);

	ck_assert_ptr_nonnull(p);
	gk_free(t.ctx, p);
	ck_assert_uint_eq(t.live, 1);	/* the context itself */
}
END_TEST

START_TEST(test_calloc_is_zeroed)
{
	unsigned char *p = gk_calloc(t.ctx, 10, 7), zero[70] = { 0 };

	ck_assert_mem_eq(p, zero, 70);
	gk_free(t.ctx, p);
}
END_TEST

START_TEST(test_products_that_overflow_are_refused)
{
	size_t before = t.allocs;

	ck_assert_ptr_null(gk_calloc(t.ctx, SIZE_MAX / 2 + 1, 2));
	ck_assert_ptr_null(gk_reallocarray(t.ctx, NULL, 3, SIZE_MAX / 2));
	ck_assert_uint_eq(t.allocs, before);
}
END_TEST

START_TEST(test_a_failed_realloc_keeps_the_block)
{
	char *p = gk_strdup(t.ctx, "kept");

	t.fail_at = 1;
	ck_assert_ptr_null(gk_realloc(t.ctx, p, 1000));
	ck_assert_str_eq(p, "kept");
	p = gk_realloc(t.ctx, p, 1000);
	ck_assert_str_eq(p, "kept");
	gk_free(t.ctx, p);
}
END_TEST

START_TEST(test_copies_are_terminated_and_exact)
{
	char *a = gk_strndup(t.ctx, "abcdef", 3), *b;

	ck_assert_str_eq(a, "abc");
	b = gk_strndup(t.ctx, NULL, 0);
	ck_assert_str_eq(b, "");
	gk_free(t.ctx, a);
	gk_free(t.ctx, b);
	a = gk_memdup(t.ctx, "a\0b", 3);
	ck_assert_mem_eq(a, "a\0b", 3);
	gk_free_wiped(t.ctx, a, 3);
}
END_TEST

START_TEST(test_freeing_nothing_is_fine)
{
	gk_free(t.ctx, NULL);
	gk_free_wiped(t.ctx, NULL, 10);
	ck_assert_uint_eq(t.live, 1);
}
END_TEST

START_TEST(test_wiping_overwrites)
{
	char secret[16] = "fifteen letters";

	gk_wipe(secret + 1, 14);
	ck_assert_int_eq(secret[0], 'f');
	ck_assert_mem_eq(secret + 1, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 14);
	gk_wipe(NULL, 0);
}
END_TEST

START_TEST(test_the_default_allocator_works_alone)
{
	char *p = gk_alloc_libc(NULL, NULL, 4);

	memcpy(p, "abc", 4);
	p = gk_alloc_libc(NULL, p, 100);
	ck_assert_str_eq(p, "abc");
	ck_assert_ptr_null(gk_alloc_libc(NULL, p, 0));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("alloc");
	TCase *tc = tcase_create("alloc");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_size_of_zero_is_no_failure);
	tcase_add_test(tc, test_calloc_is_zeroed);
	tcase_add_test(tc, test_products_that_overflow_are_refused);
	tcase_add_test(tc, test_a_failed_realloc_keeps_the_block);
	tcase_add_test(tc, test_copies_are_terminated_and_exact);
	tcase_add_test(tc, test_freeing_nothing_is_fine);
	tcase_add_test(tc, test_wiping_overwrites);
	tcase_add_test(tc, test_the_default_allocator_works_alone);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
