#include "os/proc.h"

#include <dlfcn.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <sodium.h>

#include "crypto/digest.h"
#include "crypto/ossl.h"
#include "genkan/contract.h"
#include "os/children.h"
#include "os/sock.h"
#include "util.h"

static struct gk_test t;
static struct gk_why why;
static struct gk_proc proc;
static struct gk_image image;
static char want[65];

static void
setup(void)
{
	size_t len;
	char *bytes;

	scratch_make();
	gk_test_init(&t);
	memset(&why, 0, sizeof(why));
	proc = (struct gk_proc)GK_PROC_INIT;
	ck_assert_int_eq(mkdir(at("prog"), 0755), 0);
	copy_to(SLEEPER, "prog/sleeper");
	bytes = gk_test_read(SLEEPER, &len);
	ck_assert_int_eq(gk_sha256_hex(t.ctx, bytes, len, want), 0);
	free(bytes);
}

static void
teardown(void)
{
	gk_proc_done(&proc);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

START_TEST(test_an_image_is_the_hash_of_its_file)
{
	char hash[65];
	int fd = open(at("prog/sleeper"), O_RDONLY);

	ck_assert_int_eq(gk_image_fd(t.ctx, fd, hash, &why), 0);
	ck_assert_str_eq(hash, want);
	ck_assert_int_eq(gk_image_fd(t.ctx, fd, hash, &why), 0);
	ck_assert_str_eq(hash, want);	/* from its start, wherever it stands */
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(gk_image_fd(t.ctx, -1, hash, &why), GENKAN_E_IO);
}
END_TEST

START_TEST(test_a_larger_image_is_not_even_read)
{
	char hash[65] = "";
	int fd = open(at("prog/holes"), O_RDWR | O_CREAT, 0755);

	ck_assert_int_eq(ftruncate(fd, GK_IMAGE_MAX + 1), 0);
	ck_assert_int_eq(gk_image_fd(t.ctx, fd, hash, &why),
	    GENKAN_E_TOO_LARGE);
	ck_assert_ptr_nonnull(strstr(why.text, "larger than 1073741824"));
	ck_assert_str_eq(hash, "");
	ck_assert_int_eq(gk_image_fd_most(t.ctx, fd, 4096, hash, &why),
	    GENKAN_E_TOO_LARGE);
	ck_assert_int_eq(ftruncate(fd, 4097), 0);
	ck_assert_int_eq(gk_image_fd_most(t.ctx, fd, 4096, hash, &why),
	    GENKAN_E_LIMIT);
	ck_assert_str_eq(why.text, "the image is larger than 4096 bytes");
	ck_assert_str_eq(hash, "");
	ck_assert_int_eq(ftruncate(fd, 4096), 0);
	ck_assert_int_eq(gk_image_fd_most(t.ctx, fd, 4096, hash, &why), 0);
	ck_assert_int_eq(ftruncate(fd, 4095), 0);
	ck_assert_int_eq(gk_image_fd_most(t.ctx, fd, 4096, hash, &why), 0);
	ck_assert_int_eq(ftruncate(fd, GK_IMAGE_MAX), 0);
	ck_assert_int_eq(gk_image_fd(t.ctx, fd, hash, &why), 0);
	ck_assert_uint_eq(strlen(hash), 64);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(test_the_own_image_has_the_path_of_this_program)
{
	char path[GK_PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	ck_assert_int_gt(n, 0);
	path[n] = '\0';
	ck_assert_int_eq(gk_image_self(t.ctx, &image, &why), 0);
	ck_assert_str_eq(image.path, path);
	ck_assert_uint_eq(strlen(image.hash), 64);
}
END_TEST

START_TEST(test_a_sibling_must_be_nobody_elses_to_write)
{
	int dir = dir_fd("prog");

	ck_assert_int_eq(gk_image_file(t.ctx, dir, "sleeper", &image, &why),
	    0);
	ck_assert_str_eq(image.hash, want);
	ck_assert_int_eq(chmod(at("prog/sleeper"), 0775), 0);
	ck_assert_int_eq(gk_image_file(t.ctx, dir, "sleeper", &image, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(chmod(at("prog/sleeper"), 0755), 0);
	ck_assert_int_eq(symlink("sleeper", at("prog/link")), 0);
	ck_assert_int_eq(gk_image_file(t.ctx, dir, "link", &image, &why),
	    GENKAN_E_ACCESS);
	ck_assert_int_eq(gk_image_file(t.ctx, dir, "none", &image, &why),
	    GENKAN_E_NOENT);
	ck_assert_int_eq(close(dir), 0);
}
END_TEST

START_TEST(test_a_process_is_measured_by_what_it_runs)
{
	pid_t pid = start(at("prog/sleeper"), NULL);

	ck_assert_int_eq(gk_proc_pid(pid, &proc, &why), 0);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why), 0);
	ck_assert_str_eq(image.hash, want);
	ck_assert_str_eq(image.path, at("prog/sleeper"));
	ck_assert_int_eq(gk_proc_code(&proc, &image, at("prog"), &why), 0);
	finish(pid);
}
END_TEST

/* The link follows the running inode, so a file put in its place changes
 * nothing; nor does none. */
START_TEST(test_replacing_the_file_does_not_change_a_running_process)
{
	pid_t pid = start(at("prog/sleeper"), NULL);

	ck_assert_int_eq(unlink(at("prog/sleeper")), 0);
	if (_i == 1)
		put("prog/sleeper", "#!/bin/false\n", 0755);
	ck_assert_int_eq(gk_proc_pid(pid, &proc, &why), 0);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why), 0);
	ck_assert_str_eq(image.hash, want);
	ck_assert_ptr_nonnull(strstr(image.path, " (deleted)"));
	finish(pid);
}
END_TEST

START_TEST(test_a_program_without_a_file_is_not_measured)
{
	char *const argv[] = { (char *)"sleeper", (char *)"60", NULL };
	char *const env[] = { NULL };
	size_t len;
	char *bytes = gk_test_read(SLEEPER, &len);
	int fd = memfd_create("sleeper", MFD_CLOEXEC);
	pid_t pid;

	ck_assert_int_eq(write(fd, bytes, len), (ssize_t)len);
	free(bytes);
	pid = fork();
	if (pid == 0) {
		fexecve(fd, argv, env);
		_exit(127);
	}
	wait_asleep(pid, "memfd:sleeper");
	ck_assert_int_eq(gk_proc_pid(pid, &proc, &why), 0);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why),
	    GENKAN_E_UNMEASURABLE);
	ck_assert_ptr_nonnull(strstr(why.text, "no file"));
	finish(pid);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(test_a_process_that_ended_is_not_measured)
{
	pid_t pid = start(at("prog/sleeper"), NULL);

	ck_assert_int_eq(gk_proc_pid(pid, &proc, &why), 0);
	ck_assert_int_eq(gk_proc_alive(&proc), 1);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	while (state_of(pid) != 'Z')
		nap(5);
	/* A zombie first, then nothing at all. */
	ck_assert_int_eq(gk_proc_exists(pid), 1);
	ck_assert_int_eq(gk_proc_alive(&proc), 0);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why),
	    GENKAN_E_UNMEASURABLE);
	ck_assert_str_eq(image.hash, "");
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why),
	    GENKAN_E_UNMEASURABLE);
	ck_assert_int_eq(gk_proc_exists(pid), 0);
}
END_TEST

START_TEST(test_numbers_that_are_no_process_are_dead)
{
	static const int64_t bad[] = { 0, -1, 2147483648, 4294967295,
	    INT64_MAX, INT64_MIN };

	ck_assert_int_eq(gk_proc_exists(bad[_i]), 0);
	ck_assert_int_eq(gk_proc_pid(bad[_i], &proc, &why),
	    GENKAN_E_UNMEASURABLE);
	ck_assert_int_eq(proc.dir, -1);
	ck_assert_int_eq(gk_proc_exists(getpid()), 1);
	ck_assert_int_eq(gk_proc_exists(1), 1);
}
END_TEST

START_TEST(test_a_parent_is_measured_while_it_stays_the_parent)
{
	struct gk_image self;
	pid_t pid, own = getpid();

	ck_assert_int_eq(gk_image_self(t.ctx, &self, &why), 0);
	pid = fork();
	if (pid == 0) {
		if (gk_proc_parent(&proc, NULL) != 0)
			_exit(2);
		if (proc.pid != own)
			_exit(3);
		if (gk_proc_measure(t.ctx, &proc, &image, NULL) != 0)
			_exit(4);
		_exit(strcmp(image.hash, self.hash) == 0 ? 0 : 5);
	}
	ck_assert_int_eq(reap(pid), 0);
}
END_TEST

/* The name of a program may look like the rest of the line. */
START_TEST(test_the_start_of_a_process_is_its_own)
{
	uint64_t first, again, other;
	struct gk_proc child;
	pid_t pid;

	ck_assert_int_eq(gk_proc_pid(getpid(), &proc, &why), 0);
	ck_assert_int_eq(gk_proc_started(&proc, &first, &why), 0);
	ck_assert_uint_gt(first, 0);
	ck_assert_int_eq(prctl(PR_SET_NAME, "x) R 1 2 (3 4", 0, 0, 0), 0);
	ck_assert_int_eq(gk_proc_started(&proc, &again, &why), 0);
	ck_assert_uint_eq(again, first);
	nap(30);			/* the kernel counts in 10 ms */
	pid = fork();
	if (pid == 0) {
		nap(60000);
		_exit(0);
	}
	ck_assert_int_eq(gk_proc_pid(pid, &child, &why), 0);
	ck_assert_int_eq(gk_proc_started(&child, &other, &why), 0);
	ck_assert_uint_gt(other, first);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(gk_proc_started(&child, &other, &why),
	    GENKAN_E_UNMEASURABLE);
	gk_proc_done(&child);
}
END_TEST

/* An adopted process asks about the parent that it was started by, and learns
 * nothing. */
START_TEST(test_a_parent_that_went_away_is_unknown)
{
	int tell[2];
	char verdict = '?';
	pid_t pid;

	ck_assert_int_eq(pipe(tell), 0);
	pid = fork();
	if (pid == 0) {
		pid_t middle = getpid();

		if (fork() != 0) {
			nap(100);
			_exit(0);
		}
		if (gk_proc_parent(&proc, NULL) != 0 || proc.pid != middle)
			_exit(1);
		while (getppid() == middle)
			nap(5);
		verdict = gk_proc_measure(t.ctx, &proc, &image, NULL) ==
		    GENKAN_E_UNMEASURABLE ? 'y' : 'n';
		(void)!write(tell[1], &verdict, 1);
		_exit(0);
	}
	ck_assert_int_eq(reap(pid), 0);
	ck_assert_int_eq(read(tell[0], &verdict, 1), 1);
	ck_assert_int_eq(verdict, 'y');
	ck_assert_int_eq(close(tell[0]) | close(tell[1]), 0);
}
END_TEST

/* A connection made by a child, its descriptor held on by us. */
static int
connection_of_child(pid_t *pid, int *keep)
{
	int l, a = -1, pass[2];
	char c = 'x';

	ck_assert_int_eq(gk_sock_listen(at("s"), 4, &l, &why), 0);
	ck_assert_int_eq(pipe(pass), 0);
	*pid = fork();
	if (*pid == 0) {
		int fd = -1;

		if (gk_sock_connect(at("s"), 1000, &fd, NULL) != 0)
			_exit(1);
		(void)!write(pass[1], &c, 1);
		/* A program of its own kind keeps the socket from now on. */
		(void)fcntl(fd, F_SETFD, 0);
		(void)execl(at("prog/sleeper"), "sleeper", "60",
		    (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(read(pass[0], &c, 1), 1);
	ck_assert_int_eq(gk_sock_accept(l, &a, &why), 0);
	wait_asleep(*pid, "sleeper");
	ck_assert_int_eq(close(l) | close(pass[0]) | close(pass[1]), 0);
	*keep = -1;
	return a;
}

/* What runs behind the socket now is what is measured. */
START_TEST(test_a_peer_is_measured_as_it_is_now)
{
	pid_t pid;
	int keep, fd = connection_of_child(&pid, &keep);

	ck_assert_int_eq(gk_proc_peer(fd, &proc, &why), 0);
	ck_assert_int_eq(proc.pid, pid);
	ck_assert_uint_eq(proc.uid, geteuid());
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why), 0);
	ck_assert_str_eq(image.hash, want);
	finish(pid);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why),
	    GENKAN_E_UNMEASURABLE);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

/* A process with a number of our choice, 0 where we may not choose. */
static pid_t
clone_as(pid_t pid)
{
	struct clone_args args = { 0 };
	pid_t got;

	args.exit_signal = SIGCHLD;
	args.set_tid = (uint64_t)(uintptr_t)&pid;
	args.set_tid_size = 1;
	got = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (got == 0) {
		nap(60000);
		_exit(0);
	}
	return got < 0 ? 0 : got;
}

/* The peer is gone, somebody else has its number: the newcomer must not be
 * taken for it. */
START_TEST(test_a_reused_number_does_not_stand_for_the_peer)
{
	pid_t pid, other;
	int keep, fd = connection_of_child(&pid, &keep), r;

	finish(pid);
	other = clone_as(pid);	/* root only; else the peer is just gone */
	if (geteuid() == 0)
		ck_assert_int_eq(other, pid);
	r = gk_proc_peer(fd, &proc, &why);
	if (other != 0)
		finish(other);
	ck_assert_int_eq(r, GENKAN_E_UNMEASURABLE);
	ck_assert_int_eq(proc.pidfd, -1);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(test_no_descriptor_is_left_by_looking)
{
	int before = dup(0), after;
	pid_t pid = start(at("prog/sleeper"), NULL);

	ck_assert_int_eq(close(before), 0);
	ck_assert_int_eq(gk_proc_pid(pid, &proc, &why), 0);
	ck_assert_int_eq(gk_proc_look(&proc, &image, &why), 0);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why), 0);
	ck_assert_int_eq(gk_proc_code(&proc, &image, at("prog"), &why), 0);
	gk_proc_done(&proc);
	gk_proc_done(&proc);
	after = dup(0);
	ck_assert_int_eq(after, before);
	ck_assert_int_eq(close(after), 0);
	finish(pid);
}
END_TEST

/* ------------------------------------------------------------ mapped code */

/* A library that can be preloaded into anything. */
static void
copy_library(const char *name)
{
	Dl_info info;

	ck_assert_int_ne(dladdr((void *)(uintptr_t)sodium_init, &info), 0);
	copy_to(info.dli_fname, name);
	if (geteuid() == 0)
		ck_assert_int_eq(chown(at(name), OTHER_UID, OTHER_UID), 0);
}

static int
code_of(pid_t pid)
{
	int r;

	ck_assert_int_eq(gk_proc_pid(pid, &proc, &why), 0);
	ck_assert_int_eq(gk_proc_measure(t.ctx, &proc, &image, &why), 0);
	ck_assert_str_eq(image.hash, want);	/* the image tells nothing */
	r = gk_proc_code(&proc, &image, at("prog"), &why);
	gk_proc_done(&proc);
	return r;
}

START_TEST(test_a_preloaded_library_of_somebody_is_foreign_code)
{
	pid_t pid;

	copy_library("evil.so");
	pid = start(at("prog/sleeper"), at("evil.so"));
	ck_assert_int_eq(code_of(pid), GENKAN_E_UNMEASURABLE);
	ck_assert_ptr_nonnull(strstr(why.text, "foreign code"));
	ck_assert_ptr_nonnull(strstr(why.text, "evil.so"));
	finish(pid);
}
END_TEST

START_TEST(test_a_preloaded_library_that_was_deleted_is_foreign_code)
{
	pid_t pid;

	/* Only what was deleted from a directory of root's counts as an
	 * upgrade. */
	ck_assert_int_eq(mkdir(at("lib"), 0755), 0);
	copy_library("lib/evil.so");
	if (geteuid() == 0)
		ck_assert_int_eq(chown(at("lib"), OTHER_UID, OTHER_UID), 0);
	pid = start(at("prog/sleeper"), at("lib/evil.so"));
	ck_assert_int_eq(unlink(at("lib/evil.so")), 0);
	if (_i == 1)	/* and another file has its name */
		put("lib/evil.so", "x", 0600);
	ck_assert_int_eq(code_of(pid), GENKAN_E_UNMEASURABLE);
	finish(pid);
}
END_TEST

START_TEST(test_a_library_of_the_installation_is_ours)
{
	pid_t pid;

	copy_library("prog/part.so");
	pid = start(at("prog/sleeper"), at("prog/part.so"));
	ck_assert_int_eq(code_of(pid), 0);
	finish(pid);
}
END_TEST

/* "/x/programs" is not "/x/prog", and neither is "/x/prog/sub": programs that
 * were unpacked into a home do not vouch for all that lies there. */
START_TEST(test_another_directory_is_not_the_installation)
{
	static const char *const dirs[] = { "programs", "prog/sub" };
	char lib[64];
	pid_t pid;

	(void)snprintf(lib, sizeof(lib), "%s/evil.so", dirs[_i]);
	ck_assert_int_eq(mkdir(at(dirs[_i]), 0755), 0);
	copy_library(lib);
	pid = start(at("prog/sleeper"), at(lib));
	ck_assert_int_eq(code_of(pid), GENKAN_E_UNMEASURABLE);
	finish(pid);
}
END_TEST

/* In maps a newline looks like "\\012", and a link of that name leads wherever
 * its maker likes: to a file of root's, say, of the same number. */
START_TEST(test_a_library_with_two_names_is_foreign_code)
{
	pid_t pid;

	ck_assert_int_eq(mkdir(at("a\nb"), 0755), 0);
	copy_library("a\nb/evil.so");
	if (geteuid() == 0)	/* through the link it is root's own */
		ck_assert_int_eq(chown(at("a\nb/evil.so"), 0, 0), 0);
	ck_assert_int_eq(symlink("a\nb", at("a\\012b")), 0);
	pid = start(at("prog/sleeper"), at("a\nb/evil.so"));
	ck_assert_int_eq(code_of(pid), GENKAN_E_UNMEASURABLE);
	ck_assert_ptr_nonnull(strstr(why.text, "name may be another's"));
	finish(pid);
}
END_TEST

/* Private memory has no name.  What is shared has one, "/dev/zero (deleted)",
 * though no such file was ever there. */
START_TEST(test_executable_memory_without_a_file_is_foreign_code)
{
	const int how = _i == 0 ? MAP_PRIVATE : MAP_SHARED;
	int ready[2];
	char c = 'x';
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, how |
		    MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			_exit(1);
		(void)!write(ready[1], &c, 1);
		nap(60000);
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_int_eq(gk_proc_pid(pid, &proc, &why), 0);
	ck_assert_int_eq(gk_proc_look(&proc, &image, &why), 0);
	ck_assert_int_eq(gk_proc_code(&proc, &image, "/", &why),
	    GENKAN_E_UNMEASURABLE);
	ck_assert_str_eq(why.text, "executable memory without a file");
	finish(pid);
	ck_assert_int_eq(close(ready[0]) | close(ready[1]), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("proc");
	TCase *tc = tcase_create("proc");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_an_image_is_the_hash_of_its_file);
	tcase_add_test(tc, test_a_larger_image_is_not_even_read);
	tcase_add_test(tc, test_the_own_image_has_the_path_of_this_program);
	tcase_add_test(tc, test_a_sibling_must_be_nobody_elses_to_write);
	tcase_add_test(tc, test_a_process_is_measured_by_what_it_runs);
	tcase_add_loop_test(tc,
	    test_replacing_the_file_does_not_change_a_running_process, 0, 2);
	tcase_add_loop_test(tc, test_numbers_that_are_no_process_are_dead, 0,
	    6);
	tcase_add_test(tc, test_a_peer_is_measured_as_it_is_now);
	tcase_add_test(tc, test_no_descriptor_is_left_by_looking);
	tcase_add_test(tc,
	    test_a_preloaded_library_of_somebody_is_foreign_code);
	tcase_add_loop_test(tc,
	    test_a_preloaded_library_that_was_deleted_is_foreign_code, 0, 2);
	tcase_add_test(tc, test_a_library_of_the_installation_is_ours);
	tcase_add_loop_test(tc,
	    test_another_directory_is_not_the_installation, 0, 2);
	tcase_add_test(tc, test_a_library_with_two_names_is_foreign_code);
	tcase_add_loop_test(tc,
	    test_executable_memory_without_a_file_is_foreign_code, 0, 2);
	suite_add_tcase(s, tc);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = tcase_create("processes");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_program_without_a_file_is_not_measured);
	tcase_add_test(tc, test_a_process_that_ended_is_not_measured);
	tcase_add_test(tc, test_the_start_of_a_process_is_its_own);
	tcase_add_test(tc,
	    test_a_parent_is_measured_while_it_stays_the_parent);
	tcase_add_test(tc, test_a_parent_that_went_away_is_unknown);
	tcase_add_test(tc, test_a_reused_number_does_not_stand_for_the_peer);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
