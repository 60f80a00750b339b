#include "local/install.h"

#include "local/ground.h"
#include "local/measure.h"
#include "local/parent.h"

static char hash[65];

/* A program directory, with a copy of this program under our names. */
static void
setup(void)
{
	ground_make();
	ck_assert_int_eq(mkdir(at("bin"), 0755), 0);
	(void)snprintf(hash, sizeof(hash), "%s", install.self.hash);
}

static void
siblings(void)
{
	ck_assert_int_eq(gk_install_siblings(t.ctx, at("bin"), &install,
	    &notes, NULL), 0);
}

START_TEST(test_programs_side_by_side_have_their_roles)
{
	copy_to(SLEEPER, "bin/genkan-host");
	copy_to("/proc/self/exe", "bin/genkan-server");
	siblings();
	ck_assert_uint_eq(install.set.n, 2);
	ck_assert_uint_eq(gk_installset_roles(&install.set, hash),
	    GK_ROLE_SERVER);
	ck_assert_str_eq(install.dir, at("bin"));
	ck_assert(noted("bin/genkan is not part of the install set"));
}
END_TEST

/* One image under several names has all their roles. */
START_TEST(test_one_image_under_several_names_has_all_roles)
{
	copy_to("/proc/self/exe", "bin/genkan-server");
	copy_to("/proc/self/exe", "bin/genkan-host");
	copy_to("/proc/self/exe", "bin/genkan");
	siblings();
	ck_assert_uint_eq(install.set.n, 1);
	ck_assert_uint_eq(gk_installset_roles(&install.set, hash),
	    GK_ROLE_SERVER | GK_ROLE_HOST | GK_ROLE_CLI);
	ck_assert_uint_eq(notes.n, 0);
}
END_TEST

START_TEST(test_a_sibling_that_others_could_change_is_left_out)
{
	copy_to("/proc/self/exe", "bin/genkan-host");
	switch (_i) {
	case 0:
		ck_assert_int_eq(chmod(at("bin/genkan-host"), 0775), 0);
		break;
	case 1:
		ck_assert_int_eq(chmod(at("bin/genkan-host"), 0757), 0);
		break;
	case 2:
		ck_assert_int_eq(rename(at("bin/genkan-host"),
		    at("bin/real")), 0);
		ck_assert_int_eq(symlink("real", at("bin/genkan-host")), 0);
		break;
	case 3:
		ck_assert_int_eq(unlink(at("bin/genkan-host")), 0);
		ck_assert_int_eq(mkdir(at("bin/genkan-host"), 0755), 0);
		break;
	default:
		ck_assert_int_eq(chown(at("bin/genkan-host"), OTHER_UID,
		    OTHER_UID), 0);
		break;
	}
	siblings();
	ck_assert_uint_eq(install.set.n, 0);
	ck_assert(noted("bin/genkan-host is not part of the install set"));
	ck_assert_int_eq(notes.note[0].level, 1);
}
END_TEST

START_TEST(test_the_own_image_is_in_the_set_under_the_running_role)
{
	ck_assert_int_eq(gk_install_scan(t.ctx, GK_ROLE_HOST, &install,
	    &notes, &why), 0);
	ck_assert_str_eq(install.self.hash, hash);
	ck_assert_uint_eq(gk_installset_roles(&install.set, hash),
	    GK_ROLE_HOST);
	ck_assert_ptr_eq(strstr(install.self.path, install.dir),
	    install.self.path);
	ck_assert(noted("peer attestation active"));
	ck_assert_int_eq(strncmp(strstr(notes.note[notes.n - 1].text,
	    "image ") + 6, hash, 12), 0);
}
END_TEST

START_TEST(test_a_directory_that_cannot_be_opened_is_noted)
{
	ck_assert_int_eq(rmdir(at("bin")), 0);
	siblings();
	ck_assert_uint_eq(install.set.n, 0);
	ck_assert(noted("cannot be opened"));
}
END_TEST

/* ------------------------------------------------------------- replaced? */

START_TEST(test_the_own_file_is_glanced_at_and_judged_by_its_bytes)
{
	struct gk_replaced r = { 0 };

	ck_assert_int_eq(gk_replaced_glance(&install, &r), GK_REPLACED_NO);
	copy_to("/proc/self/exe", "copy");
	(void)snprintf(install.self.path, sizeof(install.self.path), "%s",
	    at("copy"));
	ck_assert_int_eq(gk_replaced_glance(&install, &r),
	    GK_REPLACED_HASH);
	ck_assert(!gk_replaced_look(t.ctx, &install, &r));
	ck_assert_int_eq(gk_replaced_glance(&install, &r), GK_REPLACED_NO);
	ck_assert_int_eq(chmod(at("copy"), 0700), 0);	/* moves its ctime */
	ck_assert_int_eq(gk_replaced_glance(&install, &r),
	    GK_REPLACED_HASH);
	ck_assert(!gk_replaced_look(t.ctx, &install, &r));
	put("copy", "something else", 0755);
	ck_assert(gk_replaced_look(t.ctx, &install, &r));
	ck_assert_int_eq(gk_replaced_glance(&install, &r), GK_REPLACED_YES);
}
END_TEST

START_TEST(test_no_file_or_none_that_runs_is_a_replaced_image)
{
	struct gk_replaced r = { 0 };

	(void)snprintf(install.self.path, sizeof(install.self.path), "%s",
	    at(_i == 0 ? "none" : _i == 1 ? "bin" : "bin/file/below"));
	if (_i == 2)
		put("bin/file", "x", 0600);
	ck_assert_int_eq(gk_replaced_glance(&install, &r), GK_REPLACED_YES);
	ck_assert(r.replaced);
}
END_TEST

/* --------------------------------------------------------------- measure */

START_TEST(test_a_harness_is_what_started_us)
{
	struct gk_measure m;
	pid_t pid = fork();

	if (pid == 0) {
		gk_measure_harness(t.ctx, &m);
		if (!m.ok)
			_exit(2);
		if (strcmp(m.hash, hash) != 0)
			_exit(3);
		_exit(strcmp(m.path, install.self.path) == 0 ? 0 : 4);
	}
	ck_assert_int_eq(reap(pid), 0);
}
END_TEST

START_TEST(test_a_process_is_measured_with_its_roles)
{
	struct gk_peer p;
	pid_t pid = child(NULL), other;

	gk_measure_pid(t.ctx, pid, &install, &p);
	ck_assert(p.image.ok);
	ck_assert_uint_eq(p.roles, GK_ROLE_SERVER);
	copy_to(SLEEPER, "sleeper");
	other = start(at("sleeper"), NULL);
	gk_measure_pid(t.ctx, other, &install, &p);
	ck_assert(p.image.ok);
	ck_assert_uint_eq(p.roles, 0);
	ck_assert_str_eq(p.image.path, at("sleeper"));
	finish(other);
	finish(pid);
	gk_measure_pid(t.ctx, pid, &install, &p);
	ck_assert(!p.image.ok);
	ck_assert_uint_gt(strlen(p.why), 0);
}
END_TEST

/* ---------------------------------------------------------------- parent */

static void
judge(const char *path, uint32_t uid, uint32_t mode, struct gk_parent *ret)
{
	struct gk_image image;

	memset(&image, 0, sizeof(image));
	(void)snprintf(image.path, sizeof(image.path), "%s", path);
	image.st.uid = uid;
	image.st.mode = S_IFREG | mode;
	gk_parent_judge(&image, ret);
}

START_TEST(test_a_browser_is_known_by_image_or_by_name)
{
	static const struct {
		const char	*path;
		uint32_t	 uid, mode;
		const char	*key;
		bool		 by_image;
	} row[] = {
		{ "/opt/google/chrome/chrome", 0, 0755, "chrome", true },
		{ "/usr/lib/chromium/chromium", 0, 0755, "chromium", true },
		{ "/usr/lib/chromium-browser/chromium-browser", 0, 0755,
		    "chromium", true },
		{ "/usr/lib/chromium/chromium (deleted)", 0, 0755,
		    "chromium", true },
		{ "/usr/lib/chromium/chromium", 1000, 0755, "chromium",
		    false },
		{ "/usr/lib/chromium/chromium", 0, 0775, "chromium", false },
		{ "/usr/lib/chromium/chromium", 0, 0757, "chromium", false },
		{ "/home/u/build/chrome", 1000, 0755, "chrome", false },
		{ "/opt/brave.com/brave/brave", 0, 0755, "brave", true },
		{ "/opt/vivaldi/vivaldi-bin", 0, 0755, "vivaldi", true },
		{ "/usr/bin/bash", 0, 0755, NULL, false },
		{ "/opt/google/chrome/chrome2", 0, 0755, NULL, false },
		{ "/opt/google/chrome", 0, 0755, "chrome", false },
	};
	struct gk_parent p;

	ck_assert_int_lt(_i, (int)(sizeof(row) / sizeof(row[0])));
	judge(row[_i].path, row[_i].uid, row[_i].mode, &p);
	if (row[_i].key == NULL)
		ck_assert_ptr_null(p.key);
	else
		ck_assert_str_eq(p.key, row[_i].key);
	ck_assert_int_eq(p.by_image, row[_i].by_image);
}
END_TEST

START_TEST(test_a_parent_that_is_no_browser_gives_no_key)
{
	struct gk_parent p;
	pid_t pid = fork();

	if (pid == 0) {
		gk_parent_look(&p, NULL);
		_exit(p.key == NULL && !p.by_image ? 0 : 1);
	}
	ck_assert_int_eq(reap(pid), 0);
}
END_TEST

START_TEST(test_a_second_look_at_a_parent)
{
	struct gk_parent p, then;
	pid_t pid = fork();

	if (pid == 0) {
		gk_parent_look(&p, NULL);
		if (p.pid != getppid() || p.started == 0 || p.ino == 0)
			_exit(1);
		/* What is no browser now was never one. */
		p.by_image = true;
		if (gk_parent_is_browser_still(&p))
			_exit(2);
		memset(&then, 0, sizeof(then));
		then.by_image = true;
		_exit(gk_parent_is_browser_still(&then) ? 3 : 0);
	}
	ck_assert_int_eq(reap(pid), 0);
}
END_TEST

START_TEST(test_notes_are_logged_once_and_never_overflow)
{
	int i;

	for (i = 0; i < 20; i++)
		gk_notes_add(&notes, 2, "tag", "id", "note %d", i);
	ck_assert_uint_eq(notes.n, GK_NOTES_MAX);
	t.logs = 0;
	gk_notes_log(&notes, t.ctx);
	ck_assert_uint_eq(t.logs, GK_NOTES_MAX);
	ck_assert_str_eq(t.log_text, "note 19");
	gk_notes_log(&notes, t.ctx);
	ck_assert_uint_eq(t.logs, GK_NOTES_MAX);
	gk_notes_add(NULL, 2, "tag", "id", "nobody listens");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("install");
	TCase *tc = tcase_create("install");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, ground_drop);
	tcase_add_test(tc, test_programs_side_by_side_have_their_roles);
	tcase_add_test(tc, test_one_image_under_several_names_has_all_roles);
	tcase_add_loop_test(tc,
	    test_a_sibling_that_others_could_change_is_left_out, 0,
	    geteuid() == 0 ? 5 : 4);
	tcase_add_test(tc,
	    test_the_own_image_is_in_the_set_under_the_running_role);
	tcase_add_test(tc, test_a_directory_that_cannot_be_opened_is_noted);
	tcase_add_test(tc,
	    test_the_own_file_is_glanced_at_and_judged_by_its_bytes);
	tcase_add_loop_test(tc,
	    test_no_file_or_none_that_runs_is_a_replaced_image, 0, 3);
	tcase_add_loop_test(tc, test_a_browser_is_known_by_image_or_by_name,
	    0, 13);
	tcase_add_test(tc, test_notes_are_logged_once_and_never_overflow);
	suite_add_tcase(s, tc);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = tcase_create("processes");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, ground_drop);
	tcase_add_test(tc, test_a_harness_is_what_started_us);
	tcase_add_test(tc, test_a_process_is_measured_with_its_roles);
	tcase_add_test(tc,
	    test_a_parent_that_is_no_browser_gives_no_key);
	tcase_add_test(tc, test_a_second_look_at_a_parent);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
