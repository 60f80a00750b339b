#include "os/sock.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "contract/schema.h"
#include "genkan/contract.h"
#include "os/clock.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_why why;

static void
setup(void)
{
	scratch_make();
	memset(&why, 0, sizeof(why));
}

START_TEST(test_a_listener_is_private_and_reachable)
{
	int l = -1, c = -1, a = -1;
	uint32_t uid = 1;
	int64_t pid = 0;

	ck_assert_int_eq(gk_sock_listen(at("s"), 64, &l, &why), 0);
	ck_assert_int_eq(mode_of("s"), 0600);
	ck_assert_int_eq(gk_sock_accept(l, &a, &why), GENKAN_E_AGAIN);
	ck_assert_int_eq(gk_sock_connect(at("s"), 2000, &c, &why), 0);
	ck_assert_int_eq(gk_sock_accept(l, &a, &why), 0);
	ck_assert_int_eq(gk_sock_cred(a, &uid, &pid, &why), 0);
	ck_assert_uint_eq(uid, geteuid());
	ck_assert_int_eq(pid, getpid());
	ck_assert_int_eq(gk_sock_cred(c, &uid, &pid, &why), 0);
	ck_assert_int_eq(pid, getpid());
	ck_assert_int_eq(fcntl(a, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(fcntl(c, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(fcntl(a, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	ck_assert_int_eq(fcntl(c, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	ck_assert_int_eq(close(a) | close(c) | close(l), 0);
}
END_TEST

/* The longest path that fits, and one byte more. */
START_TEST(test_a_path_must_fit_a_socket_address)
{
	char path[GK_SOCKET_PATH_MAX + 2];
	size_t n;
	int l = -1;

	n = (size_t)snprintf(path, sizeof(path), "%s/", scratch);
	memset(path + n, 'p', sizeof(path) - n);
	path[GK_SOCKET_PATH_MAX + 1] = '\0';
	ck_assert_int_eq(gk_sock_fits(path, &why), GENKAN_E_ADDR);
	ck_assert_ptr_nonnull(strstr(why.text, "108 bytes"));
	ck_assert_ptr_nonnull(strstr(why.text, "107"));
	ck_assert_ptr_nonnull(strstr(why.text, "XDG_RUNTIME_DIR"));
	ck_assert_ptr_nonnull(strstr(why.text, path));
	ck_assert_int_eq(gk_sock_listen(path, 1, &l, &why), GENKAN_E_ADDR);
	ck_assert_int_eq(gk_sock_connect(path, 10, &l, &why), GENKAN_E_ADDR);
	path[GK_SOCKET_PATH_MAX] = '\0';
	ck_assert_int_eq(gk_sock_fits(path, &why), 0);
	ck_assert_int_eq(gk_sock_listen(path, 1, &l, &why), 0);
	ck_assert_int_eq(close(l), 0);
}
END_TEST

START_TEST(test_nobody_listening_is_no_connection)
{
	int l, c = -1;

	ck_assert_int_eq(gk_sock_connect(at("none"), 100, &c, &why),
	    GENKAN_E_CONNECT);
	ck_assert_int_eq(why.err, ENOENT);
	ck_assert_int_eq(gk_sock_listen(at("s"), 1, &l, &why), 0);
	ck_assert_int_eq(close(l), 0);
	ck_assert_int_eq(gk_sock_connect(at("s"), 100, &c, &why),
	    GENKAN_E_CONNECT);
	ck_assert_int_eq(why.err, ECONNREFUSED);
	ck_assert_int_eq(c, -1);
}
END_TEST

START_TEST(test_what_lies_there_is_not_bound_over)
{
	int l = -1;

	put("s", "x", 0600);
	ck_assert_int_eq(gk_sock_listen(at("s"), 1, &l, &why),
	    GENKAN_E_EXIST);
	ck_assert_int_eq(l, -1);
	ck_assert(exists("s"));
}
END_TEST

/* A peer that never accepts must not hold a dialler for ever. */
START_TEST(test_a_full_backlog_times_out)
{
	int l, c[64], n = 0, r = 0;
	uint64_t start, took;

	ck_assert_int_eq(gk_sock_listen(at("s"), 1, &l, &why), 0);
	start = gk_clock_mono_ms();
	while (n < 64 && (r = gk_sock_connect(at("s"), 100, &c[n], &why)) == 0)
		n++;
	took = gk_clock_mono_ms() - start;
	ck_assert_int_eq(r, GENKAN_E_TIMEOUT);
	ck_assert_uint_ge(took, 90);
	ck_assert_uint_lt(took, 1000);
	while (n > 0)
		ck_assert_int_eq(close(c[--n]), 0);
	ck_assert_int_eq(close(l), 0);
}
END_TEST

/* Without a descriptor the caller is told to pause; the connection waits. */
START_TEST(test_shortage_of_descriptors_is_told_apart)
{
	struct rlimit old, tight;
	int l, c, a = -1, r;

	ck_assert_int_eq(gk_sock_listen(at("s"), 8, &l, &why), 0);
	ck_assert_int_eq(gk_sock_connect(at("s"), 100, &c, &why), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = 3;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
	r = gk_sock_accept(l, &a, NULL);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	ck_assert_int_eq(r, GENKAN_E_LIMIT);
	ck_assert_int_eq(gk_sock_accept(l, &a, &why), 0);
	ck_assert_int_eq(close(a) | close(c) | close(l), 0);
}
END_TEST

START_TEST(test_a_pipe_has_no_credentials)
{
	uint32_t uid;
	int64_t pid;
	int p[2];

	ck_assert_int_eq(pipe(p), 0);
	ck_assert_int_eq(gk_sock_cred(p[0], &uid, &pid, &why),
	    GENKAN_E_UNMEASURABLE);
	ck_assert_int_eq(close(p[0]) | close(p[1]), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sock");
	TCase *tc = tcase_create("sock");

	tcase_add_checked_fixture(tc, setup, scratch_drop);
	tcase_add_test(tc, test_a_listener_is_private_and_reachable);
	tcase_add_test(tc, test_a_path_must_fit_a_socket_address);
	tcase_add_test(tc, test_nobody_listening_is_no_connection);
	tcase_add_test(tc, test_what_lies_there_is_not_bound_over);
	tcase_add_test(tc, test_a_full_backlog_times_out);
	tcase_add_test(tc, test_a_pipe_has_no_credentials);
	suite_add_tcase(s, tc);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = tcase_create("processes");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, scratch_drop);
	tcase_add_test(tc, test_shortage_of_descriptors_is_told_apart);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
