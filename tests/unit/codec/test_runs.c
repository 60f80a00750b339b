#include "util.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
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

/* Where the inside of a string needs a closer look. */
static size_t
naive_string(const char *p, size_t len, bool *escaped)
{
	size_t i = 0, n;

	while (i < len) {
		if (naive_plain(p + i, 1) == 1) {
			i++;
		} else if (p[i] == '\\' && i + 1 < len && p[i + 1] != '\0' &&
		    strchr("\"\\bfnrt", p[i + 1]) != NULL) {
			*escaped = true;
			i += 2;
		} else if ((unsigned char)p[i] >= 0x80 &&
		    (n = gk_utf8_next(p + i, p + len, NULL)) > 0) {
			i += n;
		} else {
			break;
		}
	}
	return i;
}

static size_t
naive_quoted(char *out, const char *p, size_t len)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (p[i] == '"' || p[i] == '\\')
			out[n++] = '\\';
		out[n++] = p[i];
	}
	return n;
}

/* Each form that this processor can do; the blocks are as large as what was
 * promised to them, so that a sanitizer sees a byte too much. */
static void
compare_forms(const char *text, size_t len)
{
	char *p = malloc(len + 1), *out = malloc(2 * len + 1);
	char *want = malloc(2 * len + 1);
	const struct gk_runs *form;
	bool escaped, naive = false;
	size_t n, i, at, quoted;

	p = realloc(memcpy(p, text, len), len + (len == 0));
	out = realloc(out, 2 * len + (len == 0));
	at = naive_string(p, len, &naive);
	quoted = naive_quoted(want, p, len);
	form = gk_runs_forms(&n);
	ck_assert_uint_gt(n, 0);
	ck_assert_str_eq(form[n - 1].name, "word");
	for (i = 0; i < n; i++) {
		escaped = false;
		ck_assert_uint_eq((size_t)(form[i].string(p, p + len,
		    &escaped) - p), at);
		ck_assert_int_eq(escaped, naive);
		memset(out, 0, 2 * len);
		ck_assert_uint_eq(form[i].quoted(out, p, p + len), quoted);
		ck_assert_mem_eq(out, want, quoted);
	}
	escaped = true;		/* is never taken back */
	ck_assert_uint_eq((size_t)(gk_runs_string(p, p + len, &escaped) - p),
	    at);
	ck_assert(escaped);
	ck_assert_uint_eq(gk_runs_quoted(out, p, p + len), quoted);
	free(p);
	free(out);
	free(want);
}

static const char *const pieces[] = {
	"\\n", "\\\"", "\\\\", "\\b", "\\f", "\\r", "\\t",	/* gone over */
	"\xc3\xa9", "\xe6\xbc\xa2\xe5\xad\x97", "\xf0\x9f\x98\x80",
	"\"", "\\/", "\\u0041", "\\x", "\\", "\n", "\x7f",	/* or not */
	"\xc3", "\xe6\xbc", "\xed\xa0\x80", "\xf5", "\x80",
};

/* One piece at every place of two blocks and a bit, alone and behind an escape
 * or a character that another block begins or ends with. */
START_TEST(test_forms_agree_on_every_piece_at_every_place)
{
	static const char *const front[] = { "", "\\n", "\xe6\xbc\xa2" };
	const char *piece = pieces[_i];
	size_t len, at, f, n = strlen(piece);
	char p[200];

	for (len = 126; len <= 140; len += 7)
		for (f = 0; f < 3; f++)
			for (at = strlen(front[f]); at + n <= len; at++) {
				memset(p, 'a', len);
				memcpy(p + at - strlen(front[f]), front[f],
				    strlen(front[f]));
				memcpy(p + at, piece, n);
				compare_forms(p, len);
			}
}
END_TEST

START_TEST(test_forms_agree_on_every_length)
{
	char p[300];
	size_t i;

	for (i = 0; i < sizeof(p); i++)
		p[i] = i % 7 == 3 ? '\\' : i % 7 == 4 ? 'n' : 'x';
	for (i = 0; i <= sizeof(p); i++)
		compare_forms(p, i);
	memset(p, '\\', sizeof(p));
	for (i = 0; i <= sizeof(p); i++)
		compare_forms(p, i);
}
END_TEST

/* Many pieces among each other. */
static void
compare_mixture(uint32_t rnd)
{
	size_t len = 0, n;
	char p[1200];

	while (len < 1000) {
		rnd ^= rnd << 13;
		rnd ^= rnd >> 17;
		rnd ^= rnd << 5;
		/* Seldom one that ends it, else nothing would follow. */
		n = rnd % 64 == 0 ? rnd / 64 % GK_ARRAY_LEN(pieces) :
		    rnd / 64 % 10;
		if (rnd / 8192 % 3 != 0) {
			p[len++] = 'z';
			continue;
		}
		memcpy(p + len, pieces[n], strlen(pieces[n]));
		len += strlen(pieces[n]);
	}
	compare_forms(p, len);
}

START_TEST(test_forms_agree_on_mixtures)
{
	uint32_t i;

	for (i = 0; i < 400; i++)
		compare_mixture(2463534242u + i * 7919);
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
	tcase_add_loop_test(tc, test_forms_agree_on_every_piece_at_every_place,
	    0, (int)GK_ARRAY_LEN(pieces));
	tcase_add_test(tc, test_forms_agree_on_every_length);
	tcase_add_test(tc, test_forms_agree_on_mixtures);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
