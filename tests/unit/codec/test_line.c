#include "util.h"

#include <stdlib.h>
#include <string.h>

#include "codec/line.h"

#define CAP	10

static struct gk_test t;
static struct gk_line l;

static void
setup(void)
{
	gk_test_init(&t);
	gk_line_init(&l, t.ctx, CAP, GK_LINE_SOCKET, true);
}

static void
teardown(void)
{
	gk_line_done(&l);
	gk_test_done(&t);
}

static void
again(enum gk_line_mode mode, bool borrow)
{
	gk_line_done(&l);
	gk_line_init(&l, t.ctx, CAP, mode, borrow);
}

/* For lines of up to a megabyte, of which text is the beginning; the bytes that
 * are held meanwhile. */
static size_t
again_large(char *text, size_t size)
{
	memset(text, 'x', size);
	gk_line_done(&l);
	gk_line_init(&l, t.ctx, 1 << 20, GK_LINE_SOCKET, true);
	return t.bytes;
}

/* Whether all() reads to where the reader says, when it does. */
static bool place;

/*
 * Everything that comes out of text, fed step bytes at a time and with each
 * piece overwritten afterwards: lines in brackets, '!' for an over-long one.
 */
static const char *
all(const char *text, size_t len, size_t step, bool eof)
{
	static char ret[256], piece[64];
	size_t at, used, n, k, out = 0;
	void *to;
	int r;

	for (at = 0; at < len && l.err == 0; at += n) {
		n = len - at < step ? len - at : step;
		to = piece;
		if (place && (k = gk_line_room(&l, 1, &to)) > 0) {
			ck_assert_uint_le(k, CAP - l.seen);
			n = GK_MIN(n, k);
		}
		memcpy(to, text + at, n);
		for (k = 0; k < n && l.err == 0; k += used) {
			r = gk_line_feed(&l, (char *)to + k, n - k, &used);
			if (r == 1) {
				ret[out++] = '[';
				memcpy(ret + out, gk_line_get(&l).ptr,
				    gk_line_get(&l).len);
				out += gk_line_get(&l).len;
				ret[out++] = ']';
			} else if (r == GENKAN_E_LINE_SIZE) {
				ret[out++] = '!';
			} else {
				ck_assert_int_eq(r, 0);
				ck_assert_uint_eq(used, n - k);
			}
		}
		memset(piece, '#', sizeof(piece));
	}
	if (eof && l.err == 0 && gk_line_eof(&l) == 1) {
		ret[out++] = '<';
		memcpy(ret + out, gk_line_get(&l).ptr, gk_line_get(&l).len);
		out += gk_line_get(&l).len;
		ret[out++] = '>';
	}
	ret[out] = '\0';
	return ret;
}

static const struct {
	const char	*text;
	const char	*socket;
	const char	*stdio;
} streams[] = {
	{ "", "", "" },
	{ "{}\n", "[{}]", "[{}]" },
	{ "{}\n{}\n", "[{}][{}]", "[{}][{}]" },
	{ "{}", "", "<{}>" },
	{ "{}\nab", "[{}]", "[{}]<ab>" },
	{ "{}\r\n", "[{}]", "[{}]" },
	{ "{}\r\r\r\n", "[{}]", "[{}]" },
	{ "{}\r", "", "<{}>" },
	{ "a\rb\n", "[a\rb]", "[a\rb]" },
	{ "\n\n\n", "", "" },
	{ " \t\r\n\r\n\n x\n", "[x]", "[x]" },
	{ "  x  \n", "[x  ]", "[x  ]" },
	{ " \t ", "", "" },
	{ "\r\r", "", "" },
	/* With its LF exactly the cap, one less, one more. */
	{ "12345678\n", "[12345678]", "[12345678]" },
	{ "123456789\n", "[123456789]", "[123456789]" },
	{ "1234567890\n", "!", "!" },
	{ "1234567890\nz\n", "!", "![z]" },
	{ "12345678901\nz\n", "!", "![z]" },
	{ "1234567890123456789012345\nz\n", "!", "![z]" },
	{ "a\n1234567890123\nb\n", "[a]!", "[a]![b]" },
	{ "12345678901\n12345678901\nz\n", "!", "!![z]" },
	{ "1234567890123", "!", "!" },
	{ "1234567890", "", "<1234567890>" },
	/* Blanks count against the cap. */
	{ "         \n", "", "" },
	{ "          \n", "!", "!" },
	{ "         x\n", "!", "!" },
	{ "        x\n", "[x]", "[x]" },
	{ "12345678\r\n", "[12345678]", "[12345678]" },
	{ "123456789\r\n", "!", "!" },
	{ "1234567\r\r\n", "[1234567]", "[1234567]" },
};

START_TEST(test_how_bytes_are_cut_does_not_matter)
{
	size_t n = strlen(streams[_i].text), step;
	int how;

	for (step = 1; step <= n + 1; step++)
		for (how = 0; how < 4; how++) {
			place = (how & 2) != 0;
			again(GK_LINE_SOCKET, (how & 1) != 0);
			ck_assert_str_eq(all(streams[_i].text, n, step, true),
			    streams[_i].socket);
			again(GK_LINE_STDIO, (how & 1) != 0);
			ck_assert_str_eq(all(streams[_i].text, n, step, true),
			    streams[_i].stdio);
		}
}
END_TEST

START_TEST(test_nul_is_a_byte_like_others)
{
	ck_assert_int_eq(strncmp(all("a\0b\n", 4, 4, false), "[a", 2), 0);
	ck_assert_uint_eq(gk_line_get(&l).len, 3);
}
END_TEST

/* The error comes with the byte that passes the cap, not with the LF. */
START_TEST(test_an_over_long_line_is_reported_at_once)
{
	size_t used;

	again(GK_LINE_STDIO, true);
	ck_assert_int_eq(gk_line_feed(&l, "1234567890", 10, &used), 0);
	ck_assert_uint_eq(used, 10);
	ck_assert_int_eq(gk_line_feed(&l, "1234", 4, &used),
	    GENKAN_E_LINE_SIZE);
	ck_assert_uint_eq(used, 1);
	ck_assert(gk_line_partial(&l));
	ck_assert_int_eq(gk_line_feed(&l, "234", 3, &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, "5\nok\n", 5, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "ok"));
}
END_TEST

START_TEST(test_an_over_long_line_on_a_socket_is_final)
{
	size_t used;

	ck_assert_int_eq(gk_line_feed(&l, "12345678901\n", 12, &used),
	    GENKAN_E_LINE_SIZE);
	ck_assert_int_eq(gk_line_feed(&l, "{}\n", 3, &used),
	    GENKAN_E_LINE_SIZE);
	ck_assert_uint_eq(used, 0);
	ck_assert_int_eq(gk_line_eof(&l), GENKAN_E_LINE_SIZE);
}
END_TEST

START_TEST(test_a_line_in_one_piece_is_not_copied)
{
	const char *text = " \t{\"a\":1}\r\n";
	size_t used, before = t.allocs;

	gk_line_set_cap(&l, 100);
	ck_assert_int_eq(gk_line_feed(&l, text, strlen(text), &used), 1);
	ck_assert_ptr_eq(gk_line_get(&l).ptr, text + 2);
	ck_assert_uint_eq(gk_line_get(&l).len, 7);
	ck_assert_uint_eq(t.allocs, before);
}
END_TEST

/* 200,000 blank lines, and one of a million blanks: nothing is held. */
START_TEST(test_blank_lines_cost_nothing)
{
	size_t used, before = t.allocs, i;
	char blank[100];

	for (i = 0; i < sizeof(blank); i++)
		blank[i] = "\n \n\r\n\t\n\n\n\n\n"[i % 11];
	for (i = 0; i < 20000; i++) {
		if (gk_line_feed(&l, blank, sizeof(blank), &used) != 0 ||
		    used != sizeof(blank))
			ck_abort_msg("a blank line came out");
	}
	gk_line_set_cap(&l, 2000000);
	memset(blank, ' ', sizeof(blank));
	for (i = 0; i < 10000; i++)
		if (gk_line_feed(&l, blank, sizeof(blank), &used) != 0)
			ck_abort_msg("blanks came out");
	ck_assert_uint_eq(t.allocs, before);
	ck_assert(gk_line_partial(&l));
	ck_assert_int_eq(gk_line_feed(&l, "x\n", 2, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "x"));
}
END_TEST

START_TEST(test_held_bytes_never_pass_the_cap)
{
	size_t used, i, idle = t.bytes;

	gk_line_set_cap(&l, 20000);
	for (i = 0; i < 20000; i++)
		ck_assert_int_eq(gk_line_feed(&l, "x", 1, &used), 0);
	ck_assert_uint_le(t.bytes - idle, 20000);
	ck_assert_int_eq(gk_line_feed(&l, "x", 1, &used), GENKAN_E_LINE_SIZE);
	ck_assert_uint_eq(t.bytes, idle);
}
END_TEST

/* The second large line in pieces is moved no more; what is reserved for it is
 * bounded by what the first one was. */
START_TEST(test_a_line_like_the_last_one_is_not_moved)
{
	const size_t size = 100000, step = 1000;
	char *text = malloc(step);
	size_t used, i, before, idle;

	memset(text, 'x', step);
	gk_line_done(&l);
	gk_line_init(&l, t.ctx, 1 << 20, GK_LINE_SOCKET, true);
	for (i = 0; i < size; i += step)
		ck_assert_int_eq(gk_line_feed(&l, text, step, &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, "\n", 1, &used), 1);
	ck_assert_uint_eq(gk_line_get(&l).len, size);
	ck_assert_int_eq(gk_line_feed(&l, "", 0, &used), 0);
	before = t.allocs;
	idle = t.bytes;
	for (i = 0; i < size; i += step)
		ck_assert_int_eq(gk_line_feed(&l, text, step, &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, "y\n", 2, &used), 1);
	ck_assert_uint_eq(gk_line_get(&l).len, size + 1);
	ck_assert_uint_eq(t.allocs, before + 1);
	ck_assert_uint_le(t.bytes - idle, size + size / 16);
	free(text);
}
END_TEST

/* What is read to the reader's own place is not copied: neither the line nor
 * what follows it, which stays until bytes from elsewhere are fed. */
START_TEST(test_bytes_at_the_place_stay_there)
{
	char text[5000], *at;
	size_t used, idle;
	void *to;

	idle = again_large(text, sizeof(text));
	ck_assert_uint_eq(gk_line_room(&l, 1, &to), 0);
	ck_assert_int_eq(gk_line_feed(&l, text, sizeof(text), &used), 0);
	ck_assert_uint_eq(gk_line_room(&l, 5001, &to), 0);
	ck_assert_uint_ge(gk_line_room(&l, 4096, &to), 4096);
	memcpy(to, "yz\nsecond\n\n th", 14);
	at = to;
	ck_assert_int_eq(gk_line_feed(&l, at, 14, &used), 1);
	ck_assert_uint_eq(used, 3);
	ck_assert_uint_eq(gk_line_get(&l).len, sizeof(text) + 2);
	ck_assert_ptr_eq(gk_line_get(&l).ptr + sizeof(text), at);
	ck_assert_uint_eq(gk_line_room(&l, 1, &to), 0);	/* one is ready */
	ck_assert_int_eq(gk_line_feed(&l, at + 3, 11, &used), 1);
	ck_assert_uint_eq(used, 7);
	ck_assert(gk_span_is(gk_line_get(&l), "second"));
	ck_assert_ptr_eq(gk_line_get(&l).ptr, at + 3);
	ck_assert_int_eq(gk_line_feed(&l, at + 10, 4, &used), 0);
	ck_assert_uint_eq(used, 4);
	ck_assert_ptr_eq(l.held.ptr, at + 12);
	ck_assert_int_eq(gk_line_feed(&l, "ird\n", 4, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "third"));
	ck_assert_int_eq(gk_line_feed(&l, "", 0, &used), 0);
	ck_assert_uint_le(t.bytes - idle, GK_BUF_KEEP);
}
END_TEST

/* A large line goes as soon as it has been dealt with, but not from under what
 * was read behind it. */
START_TEST(test_a_line_that_is_over_gives_its_memory_back)
{
	char text[20000], *at;
	size_t used, idle;
	void *to;

	idle = again_large(text, sizeof(text));
	gk_line_over(&l);
	ck_assert_int_eq(gk_line_feed(&l, text, sizeof(text), &used), 0);
	gk_line_over(&l);		/* is not: it is unfinished */
	ck_assert_uint_ge(gk_line_room(&l, 4096, &to), 4096);
	memcpy(to, "y\nab\nc", 6);
	at = to;
	ck_assert_int_eq(gk_line_feed(&l, at, 6, &used), 1);
	ck_assert_uint_eq(gk_line_get(&l).len, sizeof(text) + 1);
	gk_line_over(&l);
	ck_assert_int_eq(gk_line_feed(&l, at + 2, 4, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "ab"));
	gk_line_over(&l);
	ck_assert_int_eq(gk_line_feed(&l, at + 5, 1, &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, "d\n", 2, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "cd"));
	ck_assert_uint_gt(t.bytes - idle, GK_BUF_KEEP);
	gk_line_over(&l);
	ck_assert_ptr_null(gk_line_get(&l).ptr);
	ck_assert_uint_eq(t.bytes, idle);
	ck_assert_int_eq(gk_line_feed(&l, "e\n", 2, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "e"));
}
END_TEST

/* Nor does it stay for what came behind it and is no line. */
START_TEST(test_blanks_behind_a_large_line_keep_no_memory)
{
	static const char *const behind[] = { "\n\n", "\n \r\n\t", "\n \n " };
	char text[20000];
	size_t used, idle, i;
	char *at;
	void *to;

	memset(text, 'x', sizeof(text));
	gk_line_done(&l);
	gk_line_init(&l, t.ctx, 40000, GK_LINE_STDIO, true);
	idle = t.bytes;
	for (i = 0; i < GK_ARRAY_LEN(behind); i++) {
		const size_t n = strlen(behind[i]);

		ck_assert_int_eq(gk_line_feed(&l, text, sizeof(text), &used),
		    0);
		ck_assert_uint_ge(gk_line_room(&l, 4096, &to), 4096);
		at = memcpy(to, behind[i], n);
		ck_assert_int_eq(gk_line_feed(&l, at, n, &used), 1);
		ck_assert_uint_eq(used, 1);
		gk_line_over(&l);
		ck_assert_int_eq(gk_line_feed(&l, at + 1, n - 1, &used), 0);
		ck_assert_uint_eq(used, n - 1);
		ck_assert_uint_eq(t.bytes, idle);
		ck_assert_int_eq(gk_line_feed(&l, "\n", 1, &used), 0);
	}
	/* An over-long one, where all that was there has been looked at. */
	ck_assert_int_eq(gk_line_feed(&l, text, sizeof(text), &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, text, sizeof(text), &used), 0);
	ck_assert_uint_gt(t.bytes, idle + 40000 - 1);
	ck_assert_int_eq(gk_line_feed(&l, "x", 1, &used),
	    GENKAN_E_LINE_SIZE);
	ck_assert_uint_eq(t.bytes, idle);
}
END_TEST

/* The room that there is at most, and what comes of an over-long line there. */
START_TEST(test_the_place_ends_at_the_cap)
{
	size_t used;
	void *to;

	again(GK_LINE_STDIO, true);
	ck_assert_int_eq(gk_line_feed(&l, "   1234", 7, &used), 0);
	ck_assert_uint_eq(gk_line_room(&l, 4, &to), 0);
	ck_assert_uint_eq(gk_line_room(&l, 3, &to), 3);
	memcpy(to, "567", 3);
	ck_assert_int_eq(gk_line_feed(&l, to, 3, &used), 0);
	ck_assert_uint_eq(gk_line_room(&l, 1, &to), 0);
	ck_assert_int_eq(gk_line_feed(&l, "8", 1, &used), GENKAN_E_LINE_SIZE);
	ck_assert_uint_eq(gk_line_room(&l, 1, &to), 0);
	ck_assert_int_eq(gk_line_feed(&l, "9\nok", 4, &used), 0);
	ck_assert_uint_eq(gk_line_room(&l, 2, &to), 8);
	memcpy(to, "\nab\ncd\n", 7);
	ck_assert_int_eq(gk_line_feed(&l, to, 7, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "ok"));
	again(GK_LINE_SETUP, true);
	ck_assert_int_eq(gk_line_feed(&l, "1234", 4, &used), 0);
	ck_assert_uint_eq(gk_line_room(&l, 1, &to), 0);
}
END_TEST

START_TEST(test_no_memory_for_a_place_is_no_failure)
{
	char text[300];
	size_t used, n;
	void *to;

	(void)again_large(text, sizeof(text));
	ck_assert_int_eq(gk_line_feed(&l, text, 256, &used), 0);
	t.fail_at = 1;
	ck_assert_uint_eq(gk_line_room(&l, 1, &to), 0);
	n = gk_line_room(&l, 1, &to);
	ck_assert_uint_ge(n, 256);
	memset(to, 'y', n);
	ck_assert_int_eq(gk_line_feed(&l, to, n, &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, "\n", 1, &used), 1);
	ck_assert_uint_eq(gk_line_get(&l).len, 256 + n);
}
END_TEST

/* Where there is no memory ahead, there may be some for what has come. */
START_TEST(test_no_memory_ahead_is_no_failure)
{
	size_t used;

	gk_line_done(&l);
	gk_line_init(&l, t.ctx, 1 << 20, GK_LINE_SOCKET, true);
	ck_assert_int_eq(gk_line_feed(&l, "abc", 3, &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, "def\n", 4, &used), 1);
	gk_line_done(&l);
	ck_assert_int_eq(gk_line_feed(&l, "", 0, &used), 0);
	t.fail_at = 1;
	ck_assert_int_eq(gk_line_feed(&l, "ab", 2, &used), 0);
	ck_assert_int_eq(gk_line_feed(&l, "c\n", 2, &used), 1);
	ck_assert(gk_span_is(gk_line_get(&l), "abc"));
}
END_TEST

/* Secrets pass while a connection is set up, and in nothing but short lines. */
START_TEST(test_only_a_line_of_the_set_up_is_wiped)
{
	static const enum gk_line_mode modes[] = {
		GK_LINE_SETUP, GK_LINE_SOCKET, GK_LINE_STDIO
	};
	size_t used, i;
	uint8_t *held;

	for (i = 0; i < GK_ARRAY_LEN(modes); i++) {
		again(modes[i], true);
		ck_assert_int_eq(gk_line_feed(&l, "sec", 3, &used), 0);
		ck_assert_int_eq(gk_line_feed(&l, "ret\n", 4, &used), 1);
		held = l.held.ptr;
		ck_assert_mem_eq(held, "secret", 6);
		ck_assert_int_eq(gk_line_feed(&l, "", 0, &used), 0);
		ck_assert_int_eq(held[0], i == 0 ? 0 : 's');
	}
}
END_TEST

/* As on a bridge socket. */
START_TEST(test_an_over_long_line_of_the_set_up_is_final)
{
	size_t used;

	again(GK_LINE_SETUP, true);
	ck_assert_int_eq(gk_line_feed(&l, "01234567890123", 14, &used),
	    GENKAN_E_LINE_SIZE);
	ck_assert_int_eq(gk_line_feed(&l, "x\n", 2, &used),
	    GENKAN_E_LINE_SIZE);
	ck_assert_uint_eq(used, 0);
}
END_TEST

START_TEST(test_a_larger_cap_takes_effect_between_lines)
{
	size_t used;

	ck_assert_int_eq(gk_line_feed(&l, "{}\n12345678901\n", 15, &used), 1);
	ck_assert_uint_eq(used, 3);
	gk_line_set_cap(&l, 20);
	ck_assert_int_eq(gk_line_feed(&l, "12345678901\n", 12, &used), 1);
	ck_assert_uint_eq(gk_line_get(&l).len, 11);
}
END_TEST

START_TEST(test_partial_tells_an_unfinished_line)
{
	size_t used;

	ck_assert(!gk_line_partial(&l));
	(void)gk_line_feed(&l, "\n\n", 2, &used);
	ck_assert(!gk_line_partial(&l));
	(void)gk_line_feed(&l, " ", 1, &used);
	ck_assert(gk_line_partial(&l));
	ck_assert_int_eq(gk_line_feed(&l, "a\n", 2, &used), 1);
	ck_assert(!gk_line_partial(&l));
	ck_assert_int_eq(gk_line_feed(&l, NULL, 0, &used), 0);
	ck_assert_ptr_null(gk_line_get(&l).ptr);
	ck_assert(!gk_line_partial(&l));
}
END_TEST

START_TEST(test_lack_of_memory_is_final)
{
	size_t used;

	t.fail_at = 1;
	ck_assert_int_eq(gk_line_feed(&l, "abc", 3, &used), GENKAN_E_NOMEM);
	ck_assert_int_eq(gk_line_feed(&l, "\n", 1, &used), GENKAN_E_NOMEM);
	ck_assert_int_eq(gk_line_eof(&l), GENKAN_E_NOMEM);
	again(GK_LINE_STDIO, false);
	t.fail_at = 1;
	ck_assert_int_eq(gk_line_feed(&l, "abc\n", 4, &used),
	    GENKAN_E_NOMEM);
	ck_assert_int_eq(gk_line_feed(&l, "abc\n", 4, &used),
	    GENKAN_E_NOMEM);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("line");
	TCase *tc = tcase_create("line");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, test_how_bytes_are_cut_does_not_matter, 0,
	    GK_ARRAY_LEN(streams));
	tcase_add_test(tc, test_nul_is_a_byte_like_others);
	tcase_add_test(tc, test_an_over_long_line_is_reported_at_once);
	tcase_add_test(tc, test_an_over_long_line_on_a_socket_is_final);
	tcase_add_test(tc, test_a_line_in_one_piece_is_not_copied);
	tcase_add_test(tc, test_blank_lines_cost_nothing);
	tcase_add_test(tc, test_held_bytes_never_pass_the_cap);
	tcase_add_test(tc, test_a_line_like_the_last_one_is_not_moved);
	tcase_add_test(tc, test_bytes_at_the_place_stay_there);
	tcase_add_test(tc, test_a_line_that_is_over_gives_its_memory_back);
	tcase_add_test(tc, test_blanks_behind_a_large_line_keep_no_memory);
	tcase_add_test(tc, test_the_place_ends_at_the_cap);
	tcase_add_test(tc, test_no_memory_for_a_place_is_no_failure);
	tcase_add_test(tc, test_no_memory_ahead_is_no_failure);
	tcase_add_test(tc, test_only_a_line_of_the_set_up_is_wiped);
	tcase_add_test(tc, test_an_over_long_line_of_the_set_up_is_final);
	tcase_add_test(tc, test_a_larger_cap_takes_effect_between_lines);
	tcase_add_test(tc, test_partial_tells_an_unfinished_line);
	tcase_add_test(tc, test_lack_of_memory_is_final);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
