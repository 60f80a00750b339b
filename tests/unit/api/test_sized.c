/*
 * Structs that begin with their size: whoever was built before a member came
 * keeps what was, and whoever asks for a member that is not there yet is told.
 */
#include "api/sized.h"

#include "genkan/genkan.h"
#include "util.h"

/* One struct in two releases. */
struct first {
	size_t		 size;
	int		 a;
	const char	*b;
	char		 c;
};

struct later {
	size_t		 size;
	int		 a;
	const char	*b;
	char		 c;
	const char	*d;
};

#define FIRST	GK_SIZED_TO(struct later, c)

static struct later got;

static void
setup(void)
{
	static const struct later defaults = {
		sizeof(struct later), 1, "b", 'c', "d"
	};

	got = defaults;
}

START_TEST(test_a_caller_of_before_keeps_the_default_of_what_is_new)
{
	struct first old = { sizeof(struct first), 7, "x", 'y' };

	ck_assert_uint_eq(FIRST, sizeof(struct first));
	ck_assert_int_eq(gk_sized_take(&got, sizeof(got), &old, FIRST), 0);
	ck_assert_uint_eq(got.size, sizeof(got));
	ck_assert_int_eq(got.a, 7);
	ck_assert_str_eq(got.b, "x");
	ck_assert_int_eq(got.c, 'y');
	ck_assert_str_eq(got.d, "d");
}
END_TEST

START_TEST(test_a_caller_of_later_may_set_only_what_there_is)
{
	struct first mine = { sizeof(struct first), 1, "b", 'c' };
	struct later new = { sizeof(struct later), 7, "x", 'y', NULL };

	ck_assert_int_eq(gk_sized_take(&mine, sizeof(mine), &new,
	    sizeof(mine)), 0);
	ck_assert_uint_eq(mine.size, sizeof(mine));
	ck_assert_int_eq(mine.a, 7);
	new.d = "asked for";
	ck_assert_int_eq(gk_sized_take(&mine, sizeof(mine), &new,
	    sizeof(mine)), GENKAN_E_ABI);
}
END_TEST

START_TEST(test_a_size_that_no_release_had_is_refused)
{
	union {
		struct first	 s;
		unsigned char	 raw[GK_SIZED_MAX + 1];
	} u;

	memset(&u, 0, sizeof(u));
	u.s.a = 7;
	u.s.size = FIRST - 1;
	ck_assert_int_eq(gk_sized_take(&got, sizeof(got), &u, FIRST),
	    GENKAN_E_INVAL);
	u.s.size = GK_SIZED_MAX + 1;
	ck_assert_int_eq(gk_sized_take(&got, sizeof(got), &u, FIRST),
	    GENKAN_E_INVAL);
	ck_assert_int_eq(got.a, 1);
	u.s.size = GK_SIZED_MAX;
	ck_assert_int_eq(gk_sized_take(&got, sizeof(got), &u, FIRST), 0);
	ck_assert_int_eq(got.a, 7);
}
END_TEST

/* What programs have that were built with 0.1, on a machine with pointers of 8
 * bytes.  A struct that grows changes none of these numbers. */
START_TEST(test_the_structs_of_the_first_release_have_their_size)
{
	static const struct {
		size_t	is, was;
	} row[] = {
#define ROW(type, last, size) { GK_SIZED_TO(type, last), size }
		ROW(genkan_ctx_options, program_dir, 72),
		ROW(genkan_server_options, store, 32),
		ROW(genkan_client_options, reserved, 24),
		ROW(genkan_broker_options, reserved, 32),
		ROW(genkan_register_options, system, 40),
		ROW(genkan_pair_options, this_parent, 40),
		ROW(genkan_store, unix_ms, 56),
		ROW(genkan_peer_facts, path, 40),
		ROW(genkan_rp, challenge, 32),
		ROW(genkan_authdata, public_key, 136),
		ROW(genkan_event, textlen, 80),
#undef ROW
	};

	if (sizeof(void *) == 8)
		ck_assert_uint_eq(row[_i].is, row[_i].was);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sized");
	TCase *tc = tcase_create("sized");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc,
	    test_a_caller_of_before_keeps_the_default_of_what_is_new);
	tcase_add_test(tc, test_a_caller_of_later_may_set_only_what_there_is);
	tcase_add_test(tc, test_a_size_that_no_release_had_is_refused);
	tcase_add_loop_test(tc,
	    test_the_structs_of_the_first_release_have_their_size, 0, 11);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
