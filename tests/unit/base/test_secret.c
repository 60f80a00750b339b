#include "util.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

static struct gk_test t;

/* A context prepares libsodium. */
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

START_TEST(test_a_secret_keeps_its_bytes)
{
	struct gk_secret s = { NULL, 0 };

	ck_assert_int_eq(gk_secret_set(&s, "key\0key", 7), 0);
	ck_assert_uint_eq(s.len, 7);
	ck_assert_mem_eq(s.ptr, "key\0key", 7);
	gk_secret_done(&s);
	ck_assert_ptr_null(s.ptr);
	ck_assert_uint_eq(s.len, 0);
	gk_secret_done(&s);
}
END_TEST

START_TEST(test_room_is_filled_before_it_is_sealed)
{
	struct gk_secret s = { NULL, 0 };

	ck_assert_int_eq(gk_secret_init(&s, 32), 0);
	memset(s.ptr, 7, 32);
	gk_secret_seal(&s);
	ck_assert_int_eq(s.ptr[31], 7);
	gk_secret_done(&s);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__)
START_TEST(test_a_sealed_secret_cannot_be_written)
{
	struct gk_secret s = { NULL, 0 };

	ck_assert_int_eq(gk_secret_set(&s, "k", 1), 0);
	*(volatile uint8_t *)s.ptr = 1;		/* SIGSEGV */
}
END_TEST

START_TEST(test_a_byte_behind_a_secret_is_guarded)
{
	struct gk_secret s = { NULL, 0 };

	ck_assert_int_eq(gk_secret_set(&s, "k", 1), 0);
	ck_assert_int_ne(((volatile uint8_t *)s.ptr)[s.len], 256);
}
END_TEST
#endif

START_TEST(test_a_size_that_cannot_be_is_refused)
{
	struct gk_secret s = { NULL, 0 };

	ck_assert_int_eq(gk_secret_init(&s, SIZE_MAX - 64), GENKAN_E_NOMEM);
	ck_assert_ptr_null(s.ptr);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("secret");
	TCase *tc = tcase_create("secret");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_secret_keeps_its_bytes);
	tcase_add_test(tc, test_room_is_filled_before_it_is_sealed);
	tcase_add_test(tc, test_a_size_that_cannot_be_is_refused);
#if !defined(__SANITIZE_ADDRESS__)
	/* These die: Check runs them in processes of their own, unless told
	 * not to fork; a sanitizer would report the fault as a finding. */
	if (getenv("CK_FORK") == NULL) {
		tcase_add_test_raise_signal(tc,
		    test_a_sealed_secret_cannot_be_written, SIGSEGV);
		tcase_add_test_raise_signal(tc,
		    test_a_byte_behind_a_secret_is_guarded, SIGSEGV);
	}
#endif
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
