#include "os/dirs.h"

#include <pwd.h>

#include "genkan/contract.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_why why;
static char got[GK_PATH_MAX];

static void
setup(void)
{
	scratch_make();
	scratch_home();
	memset(&why, 0, sizeof(why));
}

START_TEST(test_an_absolute_home_is_taken)
{
	ck_assert_int_eq(gk_dirs_home(got, &why), 0);
	ck_assert_str_eq(got, at("home"));
}
END_TEST

/* Neither is a home, so the passwd entry of the user is. */
START_TEST(test_an_empty_or_relative_home_gives_the_passwd_entry)
{
	static const char *const bad[] = { "", "relative/home", NULL };
	struct passwd *pw = getpwuid(geteuid());

	ck_assert_ptr_nonnull(pw);
	if (bad[_i] == NULL)
		ck_assert_int_eq(unsetenv("HOME"), 0);
	else
		ck_assert_int_eq(setenv("HOME", bad[_i], 1), 0);
	ck_assert_int_eq(gk_dirs_home(got, &why), 0);
	ck_assert_str_eq(got, pw->pw_dir);
}
END_TEST

START_TEST(test_an_overlong_home_is_an_error)
{
	char home[GK_PATH_MAX + 1];

	memset(home, 'a', sizeof(home));
	home[0] = '/';
	home[GK_PATH_MAX] = '\0';
	ck_assert_int_eq(setenv("HOME", home, 1), 0);
	ck_assert_int_eq(gk_dirs_home(got, &why), GENKAN_E_ADDR);
	ck_assert_ptr_nonnull(strstr(why.text, "HOME"));
	home[GK_PATH_MAX - 1] = '\0';
	ck_assert_int_eq(setenv("HOME", home, 1), 0);
	ck_assert_int_eq(gk_dirs_home(got, &why), 0);
	ck_assert_int_eq(gk_dirs_state(got, &why), GENKAN_E_ADDR);
}
END_TEST

START_TEST(test_state_is_below_home_whatever_xdg_says)
{
	ck_assert_int_eq(setenv("XDG_STATE_HOME", at("elsewhere"), 1), 0);
	ck_assert_int_eq(gk_dirs_state(got, &why), 0);
	ck_assert_str_eq(got, at("home/.local/state/genkan"));
	ck_assert_int_eq(unsetenv("XDG_STATE_HOME"), 0);
}
END_TEST

START_TEST(test_runtime_follows_the_variable)
{
	ck_assert_int_eq(gk_dirs_runtime(got, &why), 0);
	ck_assert_str_eq(got, at("run/genkan"));
	ck_assert(!exists("run/genkan"));	/* resolving creates nothing */
}
END_TEST

/* A variable that names no directory of ours is as good as none: then the
 * system's directory, or the cache. */
static void
expect_fallback(void)
{
	char run[64], want[128];
	struct stat st;

	(void)snprintf(run, sizeof(run), "/run/user/%lu",
	    (unsigned long)geteuid());
	(void)snprintf(want, sizeof(want), "%s", at("home/.cache/genkan"));
	if (stat(run, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid())
		(void)snprintf(want, sizeof(want), "%s/genkan", run);
	ck_assert_int_eq(gk_dirs_runtime(got, &why), 0);
	ck_assert_str_eq(got, want);
}

START_TEST(test_a_useless_variable_falls_through)
{
	put("file", "x", 0600);
	switch (_i) {
	case 0:
		ck_assert_int_eq(unsetenv("XDG_RUNTIME_DIR"), 0);
		break;
	case 1:
		ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", "", 1), 0);
		break;
	case 2:
		ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", "run", 1), 0);
		break;
	case 3:
		ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", at("none"), 1), 0);
		break;
	case 4:
		ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", at("file"), 1), 0);
		break;
	default:
		/* Without root nothing can be given away: / is root's. */
		if (geteuid() == 0)
			ck_assert_int_eq(chown(at("run"), OTHER_UID,
			    OTHER_UID), 0);
		ck_assert_int_eq(setenv("XDG_RUNTIME_DIR",
		    geteuid() == 0 ? at("run") : "/", 1), 0);
		break;
	}
	expect_fallback();
}
END_TEST

START_TEST(test_make_creates_all_missing_levels_private)
{
	const mode_t old = umask(0077);
	int fd = -1;

	ck_assert_int_eq(gk_dirs_make(at("home/a/b/c"), &fd, &why), 0);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(mode_of("home/a"), 0700);
	ck_assert_int_eq(mode_of("home/a/b"), 0700);
	ck_assert_int_eq(mode_of("home/a/b/c"), 0700);
	(void)umask(old);
}
END_TEST

/* A umask that takes everything away must not leave directories that their
 * owner cannot enter. */
START_TEST(test_make_does_not_depend_on_the_umask)
{
	const mode_t old = umask(0777);
	int fd = -1;

	ck_assert_int_eq(gk_dirs_make(at("home/u/v"), &fd, &why), 0);
	(void)umask(old);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(mode_of("home/u"), 0700);
	ck_assert_int_eq(mode_of("home/u/v"), 0700);
}
END_TEST

START_TEST(test_an_existing_leaf_is_narrowed_by_both_openers)
{
	int fd = -1;

	ck_assert_int_eq(mkdir(at("wide"), 0700), 0);
	ck_assert_int_eq(chmod(at("wide"), 01777), 0);
	ck_assert_int_eq(_i == 0 ? gk_dirs_open(at("wide"), &fd, &why) :
	    gk_dirs_make(at("wide"), &fd, &why), 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(mode_of("wide"), 0700);
}
END_TEST

START_TEST(test_a_symlink_as_leaf_is_refused_by_both_openers)
{
	int fd = -1;

	ck_assert_int_eq(mkdir(at("real"), 0755), 0);
	ck_assert_int_eq(symlink(at("real"), at("link")), 0);
	ck_assert_int_eq(_i == 0 ? gk_dirs_open(at("link"), &fd, &why) :
	    gk_dirs_make(at("link"), &fd, &why), GENKAN_E_ACCESS);
	ck_assert_int_eq(fd, -1);
	ck_assert_ptr_nonnull(strstr(why.text, "link"));
	ck_assert_int_eq(mode_of("real"), 0755);	/* not touched through it */
}
END_TEST

/* A home may lie anywhere, so links above the leaf are fine. */
START_TEST(test_a_symlink_above_the_leaf_is_followed)
{
	int fd = -1;

	ck_assert_int_eq(mkdir(at("real"), 0700), 0);
	ck_assert_int_eq(symlink(at("real"), at("link")), 0);
	ck_assert_int_eq(gk_dirs_make(at("link/x/y"), &fd, &why), 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(mode_of("real/x/y"), 0700);
}
END_TEST

START_TEST(test_a_leaf_of_another_user_is_refused)
{
	const char *path = "/";		/* root's, should we not be root */
	int fd = -1;

	if (geteuid() == 0) {
		ck_assert_int_eq(mkdir(at("theirs"), 0755), 0);
		ck_assert_int_eq(chown(at("theirs"), OTHER_UID, OTHER_UID), 0);
		path = at("theirs");
	}
	ck_assert_int_eq(gk_dirs_open(path, &fd, &why), GENKAN_E_ACCESS);
	ck_assert_ptr_nonnull(strstr(why.text, "belongs to user"));
	if (geteuid() == 0) {
		ck_assert_int_eq(gk_dirs_make(path, &fd, &why),
		    GENKAN_E_ACCESS);
		ck_assert_int_eq(mode_of("theirs"), 0755);
	}
	ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(test_a_file_in_the_place_of_a_directory_is_refused)
{
	int fd = -1;

	put("file", "x", 0600);
	ck_assert_int_eq(gk_dirs_open(at("file"), &fd, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(gk_dirs_make(at("file"), &fd, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_lt(gk_dirs_make(at("file/below"), &fd, &why), 0);
	ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(test_open_creates_nothing)
{
	int fd = -1;

	ck_assert_int_eq(gk_dirs_open(at("none"), &fd, &why), GENKAN_E_NOENT);
	ck_assert(!exists("none"));
}
END_TEST

START_TEST(test_make_wants_an_absolute_path)
{
	int fd = -1;

	ck_assert_int_eq(gk_dirs_make("relative", &fd, &why), GENKAN_E_ADDR);
	ck_assert_int_eq(gk_dirs_make_plain("relative", 0755, &fd, &why),
	    GENKAN_E_ADDR);
	ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(test_make_plain_takes_the_mode_and_leaves_old_ones)
{
	int fd = -1;

	ck_assert_int_eq(mkdir(at("old"), 0750), 0);
	ck_assert_int_eq(gk_dirs_make_plain(at("old/new/leaf"), 0755, &fd,
	    &why), 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(mode_of("old"), 0750);
	ck_assert_int_eq(mode_of("old/new"), 0755);
	ck_assert_int_eq(mode_of("old/new/leaf"), 0755);
}
END_TEST

START_TEST(test_one_directory_by_two_names_is_the_same)
{
	ck_assert_int_eq(mkdir(at("real"), 0700), 0);
	ck_assert_int_eq(mkdir(at("other"), 0700), 0);
	ck_assert_int_eq(symlink(at("real"), at("link")), 0);
	put("file", "x", 0600);
	ck_assert_int_eq(gk_dirs_same(at("none"), at("none")), 1);
	ck_assert_int_eq(gk_dirs_same(at("real"), at("link")), 1);
	ck_assert_int_eq(gk_dirs_same(at("real"), at("real/../real")), 1);
	ck_assert_int_eq(gk_dirs_same(at("real"), at("other")), 0);
	ck_assert_int_eq(gk_dirs_same(at("real"), at("none")), 0);
	ck_assert_int_eq(gk_dirs_same(at("file"), at("./file")), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dirs");
	TCase *tc = tcase_create("dirs");

	tcase_add_checked_fixture(tc, setup, scratch_drop);
	tcase_add_test(tc, test_an_absolute_home_is_taken);
	tcase_add_loop_test(tc,
	    test_an_empty_or_relative_home_gives_the_passwd_entry, 0, 3);
	tcase_add_test(tc, test_an_overlong_home_is_an_error);
	tcase_add_test(tc, test_state_is_below_home_whatever_xdg_says);
	tcase_add_test(tc, test_runtime_follows_the_variable);
	tcase_add_loop_test(tc, test_a_useless_variable_falls_through, 0, 6);
	tcase_add_test(tc, test_make_creates_all_missing_levels_private);
	tcase_add_test(tc, test_make_does_not_depend_on_the_umask);
	tcase_add_loop_test(tc,
	    test_an_existing_leaf_is_narrowed_by_both_openers, 0, 2);
	tcase_add_loop_test(tc,
	    test_a_symlink_as_leaf_is_refused_by_both_openers, 0, 2);
	tcase_add_test(tc, test_a_symlink_above_the_leaf_is_followed);
	tcase_add_test(tc, test_a_leaf_of_another_user_is_refused);
	tcase_add_test(tc, test_a_file_in_the_place_of_a_directory_is_refused);
	tcase_add_test(tc, test_open_creates_nothing);
	tcase_add_test(tc, test_make_wants_an_absolute_path);
	tcase_add_test(tc, test_make_plain_takes_the_mode_and_leaves_old_ones);
	tcase_add_test(tc, test_one_directory_by_two_names_is_the_same);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
