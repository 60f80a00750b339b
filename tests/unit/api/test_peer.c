#include "genkan/peer.h"

#include <sys/resource.h>

#include "crypto/ossl.h"
#include "os/children.h"
#include "os/sock.h"
#include "util.h"

static struct gk_test t;
static genkan_peer *peer;
static int fd;

/* A connection to ourselves. */
static void
setup(void)
{
	int l = -1, c = -1;

	scratch_make();
	gk_test_init(&t);
	peer = NULL;
	ck_assert_int_eq(mkdir(at("bin"), 0755), 0);
	ck_assert_int_eq(gk_sock_listen(at("s"), 1, &l, NULL), 0);
	ck_assert_int_eq(gk_sock_connect(at("s"), 1000, &c, NULL), 0);
	ck_assert_int_eq(gk_sock_accept(l, &fd, NULL), 0);
	ck_assert_int_eq(close(l) | close(c), 0);
}

static void
teardown(void)
{
	genkan_peer_free(peer);
	ck_assert_int_eq(close(fd), 0);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

START_TEST(test_a_foreign_program_has_a_hash_and_no_role)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n] = '\0';
	copy_to(SLEEPER, "bin/genkan-server");
	ck_assert_int_eq(genkan_peer_query(t.ctx, fd, at("bin"), &peer), 0);
	ck_assert_int_eq(genkan_peer_same_user(peer), 1);
	ck_assert_int_eq(genkan_peer_pid(peer), getpid());
	ck_assert_uint_eq(strlen(genkan_peer_hash(peer)), 64);
	ck_assert_str_eq(genkan_peer_path(peer), path);
	ck_assert_int_eq(genkan_peer_roles(peer), 0);
	ck_assert_str_eq(genkan_peer_why(peer), "");
}
END_TEST

START_TEST(test_a_program_of_the_installation_has_its_role)
{
	copy_to("/proc/self/exe", "bin/genkan-host");
	copy_to("/proc/self/exe", "bin/genkan");
	ck_assert_int_eq(genkan_peer_query(t.ctx, fd, at("bin"), &peer), 0);
	ck_assert_int_eq(genkan_peer_roles(peer),
	    GENKAN_ROLE_HOST | GENKAN_ROLE_CLI);
}
END_TEST

START_TEST(test_what_cannot_be_learnt_is_said_not_guessed)
{
	int p[2];

	ck_assert_int_eq(pipe(p), 0);
	ck_assert_int_eq(genkan_peer_query(t.ctx, p[0], at("bin"), &peer), 0);
	ck_assert_int_eq(genkan_peer_same_user(peer), 0);
	ck_assert_int_eq(genkan_peer_pid(peer), 0);
	ck_assert_ptr_null(genkan_peer_hash(peer));
	ck_assert_ptr_null(genkan_peer_path(peer));
	ck_assert_int_eq(genkan_peer_roles(peer), 0);
	ck_assert_uint_gt(strlen(genkan_peer_why(peer)), 0);
	ck_assert_int_eq(close(p[0]) | close(p[1]), 0);
}
END_TEST

/* As genkan_server_new() and its kind say it. */
START_TEST(test_want_of_descriptors_is_io)
{
	struct rlimit all, none;
	int r;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = all;
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = genkan_peer_query(t.ctx, fd, at("bin"), &peer);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
	ck_assert_int_eq(r, GENKAN_E_IO);
	ck_assert_ptr_null(peer);
	ck_assert_int_eq(genkan_peer_query(t.ctx, fd, at("bin"), &peer), 0);
}
END_TEST

START_TEST(test_arguments_are_checked)
{
	ck_assert_int_eq(genkan_peer_query(NULL, fd, "/", &peer),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_peer_query(t.ctx, -1, "/", &peer),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_peer_query(t.ctx, fd, NULL, &peer),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_peer_query(t.ctx, fd, "/", NULL),
	    GENKAN_E_INVAL);
	/* The working directory does not say which programs are genkan's. */
	ck_assert_int_eq(genkan_peer_query(t.ctx, fd, "bin", &peer),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(genkan_peer_query(t.ctx, fd, "", &peer),
	    GENKAN_E_INVAL);
	ck_assert_ptr_null(peer);
	ck_assert_int_eq(genkan_peer_same_user(NULL), 0);
	ck_assert_int_eq(genkan_peer_roles(NULL), 0);
	ck_assert_ptr_null(genkan_peer_hash(NULL));
	ck_assert_str_eq(genkan_peer_why(NULL), "");
	genkan_peer_free(NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("peer");
	TCase *tc = tcase_create("peer");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_what_cannot_be_learnt_is_said_not_guessed);
	tcase_add_test(tc, test_want_of_descriptors_is_io);
	tcase_add_test(tc, test_arguments_are_checked);
	suite_add_tcase(s, tc);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = tcase_create("processes");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_foreign_program_has_a_hash_and_no_role);
	tcase_add_test(tc, test_a_program_of_the_installation_has_its_role);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
