/* The credential store's library is loaded with its first use: what happens
 * where it is not there, is another one, or would be somebody else's. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *fake_open(const char *, int);
static void *fake_sym(void *, const char *);

#define dlopen	fake_open
#define dlsym	fake_sym
#include "os/keystore_lib.c"
#undef dlopen
#undef dlsym

#include "os/keystore.h"
#include "util.h"

static const char *absent;	/* a function, or "" for the library */
static int opened;

static void *
fake_open(const char *name, int flags)
{
	opened++;
	ck_assert_str_eq(name, "libsecret-1.so.0");
	ck_assert_int_eq(flags, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return dlopen(*absent != '\0' ? NULL : "/nonexistent/library", flags);
}

/* Any address will do: no function is called before all were found. */
static void *
fake_sym(void *lib, const char *name)
{
	if (strcmp(name, absent) == 0)
		return dlsym(lib, "gk_no_such_function");
	return dlsym(lib, "strlen");
}

static void
fails_with(int code, const char *text)
{
	struct gk_test t;
	struct gk_buf value;
	struct gk_why why[4];
	size_t i;

	gk_test_init(&t);
	gk_buf_init(&value, t.ctx, 64);
	memset(why, 0, sizeof(why));
	ck_assert_int_eq(gk_keystore_load("a", &value, &why[0]), code);
	ck_assert_int_eq(gk_keystore_store("a", "x", 1, &why[1]), code);
	ck_assert_int_eq(gk_keystore_erase("a", &why[2]), code);
	ck_assert_int_eq(gk_keystore_unlock(&why[3]), code);
	ck_assert_int_eq(gk_keystore_load("a", &value, NULL), code);
	for (i = 0; i < 4; i++)
		if (strstr(why[i].text, text) == NULL)
			ck_abort_msg("'%s' is not in: %s", text, why[i].text);
	ck_assert_uint_eq(value.len, 0);
	gk_test_done(&t);
}

START_TEST(test_without_the_library_every_call_says_so)
{
	absent = "";
	opened = 0;
	ck_assert(gk_keystore_built());
	ck_assert_int_eq(opened, 0);
	fails_with(GENKAN_E_UNAVAILABLE, "cannot be used without libsecret: "
	    "/nonexistent/library");
	ck_assert_int_eq(opened, 5);
}
END_TEST

START_TEST(test_a_library_that_lacks_a_function_is_not_used)
{
	static const char *const names[] = {
#define X(name) #name,
		GK_KEYSTORE_FUNCTIONS(X)
#undef X
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		absent = names[i];
		fails_with(GENKAN_E_UNAVAILABLE, "gk_no_such_function");
	}
	ck_assert_uint_gt(i, 40);
}
END_TEST

START_TEST(test_nothing_is_loaded_from_a_folder_of_somebody_else)
{
	static const char *const lists[] = {
		"LD_LIBRARY_PATH", "GIO_MODULE_DIR", "GIO_EXTRA_MODULES",
		"GCONV_PATH",
	};
	char ours[] = "/tmp/gk-load-XXXXXX", text[64];
	char mixed[64];
	const char *const bad[] = {
		ours, mixed, "relative", "/usr/lib:", ":/usr/lib",
		"/tmp", "/nonexistent", "/usr/lib;/tmp",
	};
	size_t i, k;

	absent = "";
	ck_assert_ptr_nonnull(mkdtemp(ours));
	(void)snprintf(mixed, sizeof(mixed), "/usr/lib:%s", ours);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		(void)snprintf(text, sizeof(text), "while %s names", lists[i]);
		for (k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
			ck_assert_int_eq(setenv(lists[i], bad[k], 1), 0);
			opened = 0;
			fails_with(GENKAN_E_UNAVAILABLE, text);
			ck_assert_int_eq(opened, 0);
		}
		ck_assert_int_eq(setenv(lists[i], "/usr/lib:/usr//lib/.", 1),
		    0);
		fails_with(GENKAN_E_UNAVAILABLE, "/nonexistent/library");
		ck_assert_int_eq(setenv(lists[i], "", 1), 0);
		fails_with(GENKAN_E_UNAVAILABLE, "/nonexistent/library");
		ck_assert_int_eq(unsetenv(lists[i]), 0);
	}
	ck_assert_int_eq(rmdir(ours), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keystore_load");
	TCase *tc = tcase_create("keystore_load");

	tcase_add_test(tc, test_without_the_library_every_call_says_so);
	tcase_add_test(tc, test_a_library_that_lacks_a_function_is_not_used);
	tcase_add_test(tc,
	    test_nothing_is_loaded_from_a_folder_of_somebody_else);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
