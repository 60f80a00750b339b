/* A build without a credential store: every call says so, and what to do. */
#include "util.h"

#include <string.h>

#include "base/buf.h"
#include "os/keystore.h"

START_TEST(test_without_a_backend_every_call_names_the_file_store)
{
	struct gk_test t;
	struct gk_buf value;
	struct gk_why why[4];
	size_t i;

	gk_test_init(&t);
	gk_buf_init(&value, t.ctx, 64);
	memset(why, 0, sizeof(why));
	ck_assert(!gk_keystore_built());
	ck_assert_int_eq(gk_keystore_load("a", &value, &why[0]),
	    GENKAN_E_UNSUPPORTED);
	ck_assert_int_eq(gk_keystore_store("a", "x", 1, &why[1]),
	    GENKAN_E_UNSUPPORTED);
	ck_assert_int_eq(gk_keystore_erase("a", &why[2]),
	    GENKAN_E_UNSUPPORTED);
	ck_assert_int_eq(gk_keystore_unlock(&why[3]), GENKAN_E_UNSUPPORTED);
	for (i = 0; i < 4; i++)
		ck_assert_ptr_nonnull(strstr(why[i].text, "--file-store"));
	ck_assert_uint_eq(value.len, 0);
	gk_test_done(&t);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keystore_none");
	TCase *tc = tcase_create("keystore_none");

	tcase_add_test(tc,
	    test_without_a_backend_every_call_names_the_file_store);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
