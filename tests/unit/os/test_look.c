/* Looking at foreign paths without changing them. */
#include "os/look.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "crypto/ossl.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_test t;
static struct gk_buf buf;
static struct gk_why why;

static void
setup(void)
{
	scratch_make();
	gk_test_init(&t);
	gk_buf_init(&buf, t.ctx, 1 << 20);
	memset(&why, 0, sizeof(why));
}

static void
teardown(void)
{
	gk_buf_done(&buf);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

START_TEST(test_a_directory_is_opened_and_left_as_it_was)
{
	struct stat before, after;
	int fd = -1;

	ck_assert_int_eq(mkdir(at("d"), 0755), 0);
	ck_assert_int_eq(chmod(at("d"), 0755), 0);
	ck_assert_int_eq(stat(at("d"), &before), 0);
	ck_assert_int_eq(gk_look_dir(at("d"), GK_LOOK_OURS, &fd, &why), 0);
	ck_assert_int_eq(fstat(fd, &after), 0);
	ck_assert_uint_eq(after.st_mode, before.st_mode);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(symlink("d", at("l")), 0);
	ck_assert_int_eq(gk_look_dir(at("l"), 0, &fd, &why), 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(gk_look_dir(at("l"), GK_LOOK_OURS, &fd, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(gk_look_dir(at("no"), 0, &fd, &why),
	    GENKAN_E_NOENT);
	put("f", "", 0600);
	ck_assert_int_eq(gk_look_dir(at("f"), 0, &fd, &why),
	    GENKAN_E_ACCESS);
}
END_TEST

START_TEST(test_a_directory_of_somebody_else_is_not_ours)
{
	int fd = -1;

	if (geteuid() != 0) {
		ck_assert_int_eq(gk_look_dir("/", GK_LOOK_OURS, &fd, &why),
		    GENKAN_E_ACCESS);
		return;
	}
	ck_assert_int_eq(mkdir(at("d"), 0755), 0);
	ck_assert_int_eq(chown(at("d"), 12345, 12345), 0);
	ck_assert_int_eq(gk_look_dir(at("d"), GK_LOOK_OURS, &fd, &why),
	    GENKAN_E_ACCESS);
}
END_TEST

START_TEST(test_files_are_read_through_links_up_to_the_cap)
{
	struct gk_fstat st;

	put("f", "12345", 0600);
	ck_assert_int_eq(symlink("f", at("l")), 0);
	ck_assert_int_eq(gk_buf_puts(&buf, "x"), 0);
	ck_assert_int_eq(gk_look_file(at("l"), 5, &buf, &st, &why), 0);
	ck_assert(gk_span_is(gk_buf_span(&buf), "x12345"));
	ck_assert_uint_eq(st.size, 5);
	ck_assert_int_eq(gk_look_file(at("l"), 4, &buf, &st, &why),
	    GENKAN_E_TOO_LARGE);
	ck_assert_uint_eq(buf.len, 6);
	ck_assert_int_eq(gk_look_file(at("l"), 6, &buf, NULL, &why), 0);
}
END_TEST

START_TEST(test_absence_is_told_from_what_cannot_be_read)
{
	ck_assert_int_eq(gk_look_file(at("no"), 9, &buf, NULL, &why),
	    GENKAN_E_NOENT);
	put("f", "", 0600);
	ck_assert_int_eq(gk_look_file(at("f/no"), 9, &buf, NULL, &why),
	    GENKAN_E_NOENT);
	ck_assert_int_eq(symlink("no", at("l")), 0);
	ck_assert_int_eq(gk_look_file(at("l"), 9, &buf, NULL, &why),
	    GENKAN_E_ACCESS);
	ck_assert_ptr_nonnull(strstr(why.text, "link to nothing"));
	ck_assert_int_eq(symlink("l2", at("l2")), 0);
	ck_assert_int_eq(gk_look_file(at("l2"), 9, &buf, NULL, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	ck_assert_int_eq(gk_look_file(at("d"), 9, &buf, NULL, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(mkfifo(at("p"), 0600), 0);
	ck_assert_int_eq(gk_look_file(at("p"), 9, &buf, NULL, &why),
	    GENKAN_E_ACCESS);
	ck_assert_uint_eq(buf.len, 0);
}
END_TEST

START_TEST(test_programs_are_executable_regular_files)
{
	char hash[65], other[65];

	put("x", "#!/bin/sh\n", 0755);
	put("n", "#!/bin/sh\n", 0644);
	ck_assert_int_eq(symlink("x", at("l")), 0);
	ck_assert_int_eq(mkdir(at("d"), 0755), 0);
	ck_assert_int_eq(gk_look_program(t.ctx, at("x"), hash, &why), 0);
	ck_assert_uint_eq(strlen(hash), 64);
	ck_assert_int_eq(gk_look_program(t.ctx, at("l"), other, &why), 0);
	ck_assert_str_eq(hash, other);
	ck_assert_int_eq(gk_look_program(t.ctx, at("n"), other, &why),
	    GENKAN_E_ACCESS);
	ck_assert_ptr_nonnull(strstr(why.text, "not executable"));
	ck_assert_int_eq(gk_look_program(t.ctx, at("d"), other, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(gk_look_program(t.ctx, at("no"), other, &why),
	    GENKAN_E_NOENT);
	ck_assert_int_eq(gk_look_program(t.ctx, at("x/y"), other, &why),
	    GENKAN_E_NOENT);
}
END_TEST

START_TEST(test_waiting_reads_nothing)
{
	char c = 'x';
	int fd[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	ck_assert_int_eq(gk_look_wait(fd[0], 10, &why), 0);
	ck_assert_int_eq(write(fd[1], &c, 1), 1);
	ck_assert_int_eq(gk_look_wait(fd[0], 1000, &why), 1);
	ck_assert_int_eq(gk_look_wait(fd[0], 1000, &why), 1);
	ck_assert_int_eq(read(fd[0], &c, 1), 1);
	ck_assert_int_eq(close(fd[1]), 0);
	ck_assert_int_eq(gk_look_wait(fd[0], 1000, &why), GENKAN_E_EOF);
	ck_assert_int_eq(close(fd[0]), 0);
}
END_TEST

START_TEST(test_only_an_empty_directory_is_removed)
{
	ck_assert_int_eq(gk_look_rmdir(at("no"), &why), 0);
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	put("d/f", "", 0600);
	ck_assert_int_eq(gk_look_rmdir(at("d"), &why), 0);
	ck_assert_int_eq(unlink(at("d/f")), 0);
	ck_assert_int_eq(symlink("d", at("l")), 0);
	ck_assert_int_eq(gk_look_rmdir(at("l"), &why), 0);
	ck_assert_int_eq(gk_look_rmdir(at("d"), &why), 1);
	ck_assert_int_eq(gk_look_rmdir(at("d"), &why), 0);
}
END_TEST

START_TEST(test_who_and_what_is_running)
{
	char self[GK_PATH_MAX], os[32], arch[32], *base;
	struct gk_fstat st;

	ck_assert_int_eq(gk_look_self(self, &why), 0);
	base = strrchr(self, '/');
	ck_assert_ptr_nonnull(base);
	ck_assert_int_eq(gk_look_lstat(self, &st, &why), 0);
	ck_assert(S_ISREG(st.mode));
	gk_look_platform(os, arch);
	ck_assert_str_eq(os, "linux");
	ck_assert_str_ne(arch, "");
	ck_assert_uint_eq(gk_look_euid(), geteuid());
}
END_TEST

START_TEST(test_the_mark_of_a_replaced_program_is_taken_off)
{
	char path[GK_PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s", at("x (deleted)"));
	gk_look_unmark(path);
	ck_assert_str_eq(path, at("x"));
	gk_look_unmark(path);
	ck_assert_str_eq(path, at("x"));
	/* A file may have that very name. */
	put("x (deleted)", "", 0600);
	(void)snprintf(path, sizeof(path), "%s", at("x (deleted)"));
	gk_look_unmark(path);
	ck_assert_str_eq(path, at("x (deleted)"));
	(void)strcpy(path, " (deleted)");
	gk_look_unmark(path);
	ck_assert_str_eq(path, " (deleted)");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("look");
	TCase *tc = tcase_create("look");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_directory_is_opened_and_left_as_it_was);
	tcase_add_test(tc, test_a_directory_of_somebody_else_is_not_ours);
	tcase_add_test(tc, test_files_are_read_through_links_up_to_the_cap);
	tcase_add_test(tc, test_absence_is_told_from_what_cannot_be_read);
	tcase_add_test(tc, test_programs_are_executable_regular_files);
	tcase_add_test(tc, test_waiting_reads_nothing);
	tcase_add_test(tc, test_only_an_empty_directory_is_removed);
	tcase_add_test(tc, test_who_and_what_is_running);
	tcase_add_test(tc, test_the_mark_of_a_replaced_program_is_taken_off);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
