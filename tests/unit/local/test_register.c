/* Writing and removing one registration: control.md 10.2 to 10.4. */
#include "local/register.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/log.h"
#include "local/ground.h"
#include "local/programdir.h"
#include "os/look.h"

static struct gk_browsers b;
static struct gk_target target;
static struct gk_reg_host host;
static struct gk_reg_state state;

/* This test program stands in for genkan-host. */
static void
setup(void)
{
	ground_make();
	ck_assert_int_eq(unsetenv("XDG_CONFIG_HOME"), 0);
	ck_assert_int_eq(unsetenv("XDG_DATA_HOME"), 0);
	ck_assert_int_eq(mkdir(at("bin"), 0755), 0);
	copy_to("/proc/self/exe", "bin/genkan-host");
	ck_assert_int_eq(gk_browsers_init(&b, &why), 0);
	ck_assert_int_eq(gk_browsers_user(&b, GK_BROWSER_EDGE, &target, &why),
	    0);
	memset(&host, 0, sizeof(host));
	(void)snprintf(host.dir, sizeof(host.dir), "%s", at("bin"));
	(void)snprintf(host.path, sizeof(host.path), "%s",
	    at("bin/genkan-host"));
	(void)snprintf(host.hash, sizeof(host.hash), "%s", install.self.hash);
}

static void
teardown(void)
{
	ground_drop();
}

static enum gk_reg_kind
look(void)
{
	gk_reg_look(t.ctx, &host, target.manifest, &state);
	ck_assert_msg((state.detail[0] == '\0') == (state.kind <=
	    GK_REG_OK), "%s", state.detail);
	return state.kind;
}

START_TEST(test_missing_written_ok_removed)
{
	ck_assert_int_eq(look(), GK_REG_MISSING);
	ck_assert_int_eq(gk_reg_remove(t.ctx, &target, &why), 0);
	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why), 0);
	ck_assert_int_eq(look(), GK_REG_OK);
	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why), 0);
	ck_assert_int_eq(look(), GK_REG_OK);
	ck_assert_int_eq(gk_reg_remove(t.ctx, &target, &why), 1);
	ck_assert_int_eq(look(), GK_REG_MISSING);
	ck_assert_int_eq(gk_reg_remove_wrapper(t.ctx, target.wrappers,
	    target.wrapper, &why), 1);
	ck_assert_int_eq(gk_reg_remove_wrapper(t.ctx, target.wrappers,
	    target.wrapper, &why), 0);
	ck_assert_int_eq(gk_reg_remove_wrapper(t.ctx, at("nowhere"),
	    target.wrapper, &why), 0);
}
END_TEST

/* A replaced program is another program, wherever its name leads. */
START_TEST(test_the_hash_of_the_program_decides)
{
	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why), 0);
	host.hash[0] = host.hash[0] == '0' ? '1' : '0';
	ck_assert_int_eq(look(), GK_REG_STALE);
	ck_assert_ptr_nonnull(strstr(state.detail, "not the genkan-host"));
	host.hash[0] = '\0';
	(void)strcpy(host.why, "not executable");
	ck_assert_int_eq(look(), GK_REG_STALE);
	ck_assert_ptr_nonnull(strstr(state.detail, "not executable"));
}
END_TEST

START_TEST(test_a_refusal_writes_nothing)
{
	char path[GK_PATH_MAX];
	struct gk_fstat st;
	int fd = -1;
	FILE *f;

	ck_assert_int_eq(gk_dirs_make_plain(target.dir, 0700, &fd, &why), 0);
	ck_assert_int_eq(close(fd), 0);
	f = fopen(target.manifest, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs("{}", f), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(look(), GK_REG_FOREIGN);
	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why),
	    GENKAN_E_NOT_OURS);
	ck_assert_ptr_nonnull(strstr(why.text, target.manifest));
	(void)snprintf(path, sizeof(path), "%s", target.wrappers);
	ck_assert_int_eq(gk_file_stat_path(path, &st, NULL), GENKAN_E_NOENT);
	ck_assert_int_eq(gk_reg_remove(t.ctx, &target, &why),
	    GENKAN_E_NOT_OURS);
	ck_assert_int_eq(look(), GK_REG_FOREIGN);
}
END_TEST

START_TEST(test_a_path_that_no_wrapper_can_name_is_refused)
{
	(void)strcpy(host.path, "/a\nb/genkan-host");
	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(look(), GK_REG_MISSING);
}
END_TEST

/* A test is no program of ours, as an interpreter is none: what lies beside it
 * says nothing. */
START_TEST(test_the_program_lies_where_it_was_installed_or_is_named)
{
	char self[GK_PATH_MAX];

	ck_assert_int_eq(gk_reg_host(t.ctx, &host, &why), 0);
	ck_assert_str_eq(host.dir, GK_PROGRAM_DIR);
	ck_assert_int_eq(gk_look_self(self, &why), 0);
	*strrchr(self, '/') = '\0';
	t.ctx->program_dir = gk_strdup(t.ctx, self);
	ck_assert_ptr_nonnull(t.ctx->program_dir);
	ck_assert_int_eq(gk_reg_host(t.ctx, &host, &why), 0);
	ck_assert_str_eq(host.dir, self);
	ck_assert_uint_eq(strlen(host.path), strlen(self) +
	    strlen("/genkan-host"));
	/* No genkan-host lies beside this test. */
	ck_assert_str_eq(host.hash, "");
	ck_assert_ptr_nonnull(strstr(host.why, "genkan-host"));
}
END_TEST

/*
 * Run as a genkan-host whose file is replaced while it runs, as a package does
 * it: by renaming.  What registers is what lies there now.  No test is running
 * here, so there is nothing to assert with.
 */
static int
replaced(const char *path, const char *new)
{
	char link[GK_PATH_MAX] = "";
	struct genkan_ctx *ctx;
	int r = 0;

	if (gk_ctx_new(NULL, GK_LOG_NONE, &ctx) < 0 || rename(new, path) != 0 ||
	    readlink("/proc/self/exe", link, sizeof(link) - 1) < 0)
		return 2;
	if (strstr(link, "/genkan-host (deleted)") == NULL)
		r = 3;
	else if (gk_reg_host(ctx, &host, &why) < 0)
		r = 4;
	else if (strcmp(host.path, path) != 0)
		r = 5;
	else if (host.size != 10 || host.hash[0] == '\0')
		r = 6;
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	return r;
}

START_TEST(test_a_program_that_was_replaced_finds_what_lies_beside_it)
{
	const char *path = at("bin/genkan-host");
	pid_t pid;

	put("new", "#!/bin/sh\n", 0755);
	pid = fork();
	if (pid == 0) {
		(void)unsetenv("LD_PRELOAD");
		execl(path, path, path, at("new"), (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(reap(pid), 0);
}
END_TEST

/* Also where the directory is /tmp itself. */
START_TEST(test_what_lies_in_a_passing_place_is_told_of)
{
	static const struct { const char *dir; bool passing; } row[] = {
		{ "/tmp", true }, { "/tmp/a", true }, { "/tmpa", false },
		{ "/a/.mount_b/usr/bin", true }, { "/usr/bin", false },
		{ "/", false },
	};

	t.ctx->program_dir = gk_strdup(t.ctx, row[_i].dir);
	ck_assert_ptr_nonnull(t.ctx->program_dir);
	ck_assert_int_eq(gk_reg_host(t.ctx, &host, &why), 0);
	ck_assert_int_eq(host.passing, row[_i].passing);
}
END_TEST

START_TEST(test_the_extension_lies_under_the_prefix)
{
	char path[GK_PATH_MAX];
	int fd = -1;

	ck_assert(!gk_reg_extension(&host, path));
	ck_assert_str_eq(path, at("share/genkan/extension"));
	ck_assert_int_eq(gk_dirs_make_plain(path, 0755, &fd, &why), 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert(gk_reg_extension(&host, path));
	(void)strcpy(host.dir, "/");
	(void)gk_reg_extension(&host, path);
	ck_assert_str_eq(path, "/share/genkan/extension");
}
END_TEST

/* Want of memory never looks like a file of ours, or like none at all. */
START_TEST(test_want_of_memory_is_never_permission)
{
	size_t i;
	int r = GENKAN_E_NOMEM;

	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why), 0);
	for (i = 1; r != 1 && i < 200; i++) {
		t.fail_at = i;
		r = gk_reg_remove(t.ctx, &target, &why);
		t.fail_at = 0;
		if (r != 1) {
			ck_assert_int_lt(r, 0);
			ck_assert_int_eq(look(), GK_REG_OK);
		}
	}
	ck_assert_int_eq(r, 1);
	ck_assert_uint_gt(i, 2);
	for (i = 1, r = -1; r < 0 && i < 200; i++) {
		t.fail_at = i;
		r = gk_reg_write(t.ctx, &host, &target, &why);
		t.fail_at = 0;
	}
	ck_assert_int_eq(r, 0);
	ck_assert_int_eq(look(), GK_REG_OK);
}
END_TEST

/* Nor does want of descriptors: what could not be read may be ours. */
START_TEST(test_want_of_descriptors_is_never_permission)
{
	struct rlimit all, none;

	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = all;
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(gk_reg_remove(t.ctx, &target, &why), GENKAN_E_IO);
	ck_assert_ptr_nonnull(strstr(why.text, strerror(EMFILE)));
	ck_assert_int_eq(gk_reg_remove_wrapper(t.ctx, target.wrappers,
	    target.wrapper, &why), GENKAN_E_IO);
	ck_assert_int_eq(gk_reg_write(t.ctx, &host, &target, &why),
	    GENKAN_E_IO);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
	ck_assert_int_eq(look(), GK_REG_OK);
}
END_TEST

int
main(int argc, char **argv)
{
	Suite *s;
	TCase *tc;

	if (argc == 3)
		return replaced(argv[1], argv[2]);
	s = suite_create("register");
	tc = tcase_create("register");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_missing_written_ok_removed);
	tcase_add_test(tc, test_the_hash_of_the_program_decides);
	tcase_add_test(tc, test_a_refusal_writes_nothing);
	tcase_add_test(tc, test_a_path_that_no_wrapper_can_name_is_refused);
	tcase_add_test(tc, test_the_program_lies_where_it_was_installed_or_is_named);
	tcase_add_test(tc,
	    test_a_program_that_was_replaced_finds_what_lies_beside_it);
	tcase_add_loop_test(tc,
	    test_what_lies_in_a_passing_place_is_told_of, 0, 6);
	tcase_add_test(tc, test_the_extension_lies_under_the_prefix);
	tcase_add_test(tc, test_want_of_memory_is_never_permission);
	tcase_add_test(tc, test_want_of_descriptors_is_never_permission);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
