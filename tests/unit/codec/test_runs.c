#include "util.h"

#include <stdlib.h>
#include <string.h>

#include "codec/runs.h"

/* The obvious loops, to compare with. */
static size_t
naive_plain(const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < 0x20 || c > 0x7f || c == '"' || c == '\\')
			break;
	}
	return i;
}

static size_t
naive_quote(const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len && p[i] != '"' && p[i] != '\\'; i++)
		continue;
	return i;
}

/* Both forms of the copy: as far, the same bytes, and none behind the end. */
static void
compare_copy(const char *p, size_t len)
{
	const size_t n = naive_quote(p, len);
	char *out = malloc(len + 1);

	out[len] = '!';
	ck_assert_uint_eq(gk_runs_copy(out, p, p + len), n);
	ck_assert_mem_eq(out, p, n);
	memset(out, 0, len);
	ck_assert_uint_eq(gk_runs_copy_word(out, p, p + len), n);
	ck_assert_mem_eq(out, p, n);
	ck_assert_int_eq(out[len], '!');
	free(out);
}

static void
compare(const char *p, size_t len)
{
	compare_copy(p, len);
	ck_assert_uint_eq((size_t)(gk_runs_plain(p, p + len) - p),
	    naive_plain(p, len));
	ck_assert_uint_eq((size_t)(gk_runs_plain_word(p, p + len) - p),
	    naive_plain(p, len));
	ck_assert_int_eq(gk_runs_all_plain(p, len),
	    naive_plain(p, len) == len);
	ck_assert_uint_eq((size_t)(gk_runs_quote(p, p + len) - p),
	    naive_quote(p, len));
	ck_assert_uint_eq((size_t)(gk_runs_quote_word(p, p + len) - p),
	    naive_quote(p, len));
}

/* Byte _i at every position of runs of every length up to three steps. */
START_TEST(test_every_byte_at_every_position)
{
	size_t len, at;
	char *p;

	for (len = 0; len <= 48; len += 1 + len / 18)
		for (at = 0; at <= len; at++) {
			p = malloc(len + 1);
			memset(p, 'a', len);
			if (at < len)
				p[at] = (char)_i;
			compare(p, len);
			free(p);
		}
}
END_TEST

/* Neighbours of a special byte must not hide or feign one. */
START_TEST(test_pairs_of_bytes)
{
	char p[16], q[16];
	int b;

	for (b = 0; b < 256; b++) {
		memset(p, '~', sizeof(p));
		p[4] = (char)_i;
		p[5] = (char)b;
		ck_assert(naive_plain(p, 16) ==
		    (size_t)(gk_runs_plain_word(p, p + 16) - p) &&
		    naive_quote(p, 16) ==
		    (size_t)(gk_runs_quote_word(p, p + 16) - p));
		ck_assert_uint_eq(gk_runs_copy_word(q, p, p + 16),
		    naive_quote(p, 16));
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("runs");
	TCase *tc = tcase_create("runs");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_every_byte_at_every_position, 0, 256);
	tcase_add_loop_test(tc, test_pairs_of_bytes, 0, 256);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
