#include "util.h"

#include <stdlib.h>
#include <string.h>

#include "codec/frame.h"

static struct gk_test t;
static struct gk_frame f;

static void
setup(void)
{
	gk_test_init(&t);
	gk_frame_init(&f, t.ctx, 100, true);
}

static void
teardown(void)
{
	gk_frame_done(&f);
	gk_test_done(&t);
}

/* Prefix and body into wire; the bytes of both. */
static size_t
frame(uint8_t *wire, uint32_t len, const char *body)
{
	gk_frame_header(wire, len);
	memcpy(wire + 4, body, strlen(body));
	return 4 + strlen(body);
}

static void
again(uint32_t max, bool borrow)
{
	gk_frame_done(&f);
	gk_frame_init(&f, t.ctx, max, borrow);
}

/* Wherever a read happens to end, the same frame must come out. */
START_TEST(test_split_anywhere)
{
	uint8_t wire[32], head[32], tail[32];
	size_t n = frame(wire, 13, "{\"hello\":\"x\"}"), used;
	size_t cut = (size_t)_i / 2;

	again(100, _i % 2 == 0);
	memcpy(head, wire, cut);
	ck_assert_int_eq(gk_frame_feed(&f, head, cut, &used), cut == n);
	ck_assert_uint_eq(used, cut);
	if (cut < n) {
		memset(head, 'z', sizeof(head));
		memcpy(tail, wire + cut, n - cut);
		ck_assert_int_eq(gk_frame_feed(&f, tail, n - cut, &used), 1);
		ck_assert_uint_eq(used, n - cut);
	}
	ck_assert(gk_span_is(gk_frame_get(&f), "{\"hello\":\"x\"}"));
}
END_TEST

START_TEST(test_byte_by_byte)
{
	uint8_t wire[32];
	size_t n = frame(wire, 5, "{\"\":0"), used, i;

	for (i = 0; i < n; i++)
		ck_assert_int_eq(gk_frame_feed(&f, wire + i, 1, &used),
		    i == n - 1);
	ck_assert(gk_span_is(gk_frame_get(&f), "{\"\":0"));
}
END_TEST

START_TEST(test_one_feed_takes_one_frame)
{
	uint8_t wire[64];
	size_t n = frame(wire, 3, "one"), used, at = 0;

	n += frame(wire + n, 3, "two");
	n += frame(wire + n, 2, "3.");
	ck_assert_int_eq(gk_frame_feed(&f, wire, n, &used), 1);
	ck_assert_uint_eq(used, 7);
	ck_assert(gk_span_is(gk_frame_get(&f), "one"));
	at += used;
	ck_assert_int_eq(gk_frame_feed(&f, wire + at, n - at, &used), 1);
	ck_assert(gk_span_is(gk_frame_get(&f), "two"));
	at += used;
	ck_assert_int_eq(gk_frame_feed(&f, wire + at, n - at - 1, &used), 0);
	ck_assert_ptr_null(gk_frame_get(&f).ptr);
	at += used;
	ck_assert_int_eq(gk_frame_feed(&f, wire + at, 1, &used), 1);
	ck_assert(gk_span_is(gk_frame_get(&f), "3."));
}
END_TEST

START_TEST(test_a_whole_frame_is_not_copied)
{
	uint8_t wire[32];
	size_t n = frame(wire, 3, "abc"), used, before = t.allocs;

	ck_assert_int_eq(gk_frame_feed(&f, wire, n, &used), 1);
	ck_assert_ptr_eq(gk_frame_get(&f).ptr, wire + 4);
	ck_assert_uint_eq(t.allocs, before);
	again(100, false);
	ck_assert_int_eq(gk_frame_feed(&f, wire, n, &used), 1);
	ck_assert_ptr_ne(gk_frame_get(&f).ptr, wire + 4);
	memset(wire, 'z', sizeof(wire));
	ck_assert(gk_span_is(gk_frame_get(&f), "abc"));
}
END_TEST

/* What was put together goes on without a copy, and two bytes with it. */
START_TEST(test_a_frame_in_pieces_can_be_had_for_good)
{
	uint8_t wire[512], text[300];
	size_t n, used, before;
	struct gk_buf had;
	const char *at;

	memset(text, 'm', sizeof(text));
	text[299] = '\0';
	again(300, true);
	n = frame(wire, 299, (char *)text);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 5, &used), 0);
	ck_assert(!gk_frame_take(&f, &had));
	ck_assert_int_eq(gk_frame_feed(&f, wire + 5, n - 5, &used), 1);
	at = gk_frame_get(&f).ptr;
	before = t.allocs;
	ck_assert(gk_frame_take(&f, &had));
	ck_assert_ptr_eq(had.ptr, at);
	ck_assert_uint_eq(had.len, 299);
	ck_assert_int_eq(gk_buf_puts(&had, "xy"), 0);
	ck_assert_int_eq(gk_buf_putc(&had, 'z'), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(t.allocs, before);
	ck_assert_int_eq(memcmp(had.ptr, text, 299), 0);
	ck_assert_ptr_null(gk_frame_get(&f).ptr);
	ck_assert(!gk_frame_take(&f, &had));
	gk_buf_done(&had);
	/* and the next one comes as ever */
	ck_assert_int_eq(gk_frame_feed(&f, wire, 9, &used), 0);
	ck_assert_int_eq(gk_frame_feed(&f, wire + 9, n - 9, &used), 1);
	ck_assert(gk_span_is(gk_frame_get(&f), (char *)text));
	/* what lies in the fed bytes is not ours to give */
	ck_assert_int_eq(gk_frame_feed(&f, wire, n, &used), 1);
	ck_assert(!gk_frame_take(&f, &had));
	ck_assert(gk_span_is(gk_frame_get(&f), (char *)text));
}
END_TEST

/* Straight to where the frame is put together, and never beyond its end. */
START_TEST(test_the_rest_of_a_frame_has_its_place)
{
	uint8_t wire[4 + 9000];
	struct gk_buf had;
	size_t used, n;
	char *start;
	void *to;

	again(1 << 20, true);
	memset(wire, 'w', sizeof(wire));
	gk_frame_header(wire, 9000);
	ck_assert_uint_eq(gk_frame_room(&f, 1, &to), 0);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 4, &used), 0);
	ck_assert_uint_eq(gk_frame_room(&f, 1, &to), 0);
	ck_assert_int_eq(gk_frame_feed(&f, wire + 4, 1000, &used), 0);
	ck_assert_uint_eq(gk_frame_room(&f, 1001, &to), 0);
	n = gk_frame_room(&f, 1000, &to);	/* of four times, one is there */
	ck_assert_uint_eq(n, 3000);
	start = (char *)to - 1000;
	memset(to, 'x', 100);
	ck_assert_int_eq(gk_frame_feed(&f, to, 100, &used), 0);
	ck_assert_uint_eq(used, 100);
	n = gk_frame_room(&f, 1, &to);
	ck_assert_ptr_eq(to, start + 1100);
	ck_assert_uint_eq(n, 2900);
	memset(to, 'y', n);
	ck_assert_int_eq(gk_frame_feed(&f, to, n, &used), 0);
	/* now for all of it */
	n = gk_frame_room(&f, 1, &to);
	ck_assert_uint_eq(n, 5000);
	memset(to, 'z', n);
	ck_assert_int_eq(gk_frame_feed(&f, to, n, &used), 1);
	ck_assert_uint_eq(used, n);
	ck_assert_uint_eq(gk_frame_room(&f, 1, &to), 0);
	ck_assert(gk_frame_take(&f, &had));
	ck_assert_uint_eq(had.len, 9000);
	ck_assert_int_eq(had.ptr[999], 'w');
	ck_assert_int_eq(had.ptr[1000], 'x');
	ck_assert_int_eq(had.ptr[1100], 'y');
	ck_assert_int_eq(had.ptr[3999], 'y');
	ck_assert_int_eq(had.ptr[4000], 'z');
	ck_assert_int_eq(had.ptr[8999], 'z');
	gk_buf_done(&had);
	ck_assert_uint_eq(gk_frame_room(&f, 1, &to), 0);
}
END_TEST

START_TEST(test_a_frame_that_is_over_gives_its_memory_back)
{
	static uint8_t wire[4 + 20000];
	size_t used, idle;

	again(1 << 20, true);
	idle = t.bytes;
	memset(wire, 'w', sizeof(wire));
	gk_frame_header(wire, 20000);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 10000, &used), 0);
	gk_frame_over(&f);		/* is not: it is unfinished */
	ck_assert_int_eq(gk_frame_feed(&f, wire + 10000, 10004, &used), 1);
	ck_assert_uint_eq(gk_frame_get(&f).len, 20000);
	ck_assert_uint_gt(t.bytes, idle + 20000);
	gk_frame_over(&f);
	ck_assert_ptr_null(gk_frame_get(&f).ptr);
	ck_assert_uint_eq(t.bytes, idle);
	ck_assert_int_eq(gk_frame_eof(&f), GK_FRAME_EOF_CLEAN);
}
END_TEST

/* Who has sent little is given no place, neither a small one nor one that is
 * much larger than what has come. */
START_TEST(test_a_place_is_not_smaller_than_asked_for)
{
	static const uint8_t few[1200];
	const size_t least = 1000, total = 100000;
	size_t sent, used, n;
	uint8_t head[4];
	void *to;

	gk_frame_header(head, (uint32_t)total);
	for (sent = 1; sent <= sizeof(few); sent++) {
		again(1 << 20, true);
		ck_assert_int_eq(gk_frame_feed(&f, head, 4, &used), 0);
		ck_assert_int_eq(gk_frame_feed(&f, few, sent / 2, &used), 0);
		(void)gk_frame_room(&f, least, &to);
		ck_assert_int_eq(gk_frame_feed(&f, few, sent - sent / 2,
		    &used), 0);
		n = gk_frame_room(&f, least, &to);
		if (sent < least)
			ck_assert_uint_eq(n, 0);
		else
			ck_assert_uint_ge(n, least);
		ck_assert_uint_le(f.body.cap, 4 * sent + 256);
	}
	/* And little that is due is none. */
	again(1 << 20, true);
	gk_frame_header(head, 2199);
	ck_assert_int_eq(gk_frame_feed(&f, head, 4, &used), 0);
	ck_assert_int_eq(gk_frame_feed(&f, few, 1200, &used), 0);
	ck_assert_uint_eq(gk_frame_room(&f, least, &to), 0);
	ck_assert_uint_eq(gk_frame_room(&f, least - 1, &to), least - 1);
}
END_TEST

START_TEST(test_no_memory_for_a_place_is_no_failure)
{
	uint8_t wire[4 + 300];
	size_t used, n;
	void *to;

	again(1 << 20, true);
	memset(wire, 'w', sizeof(wire));
	gk_frame_header(wire, 2000);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 104, &used), 0);
	n = gk_frame_room(&f, 1, &to);
	ck_assert_int_eq(gk_frame_feed(&f, to, n, &used), 0);
	t.fail_at = 1;
	ck_assert_uint_eq(gk_frame_room(&f, 1, &to), 0);
	ck_assert_uint_gt(gk_frame_room(&f, 1, &to), 0);
	t.fail_at = 1;
	ck_assert_uint_gt(gk_frame_room(&f, 1, &to), 0);	/* is there */
	t.fail_at = 0;
}
END_TEST

START_TEST(test_feeding_nothing_is_no_progress)
{
	size_t used = 7;

	ck_assert_int_eq(gk_frame_feed(&f, NULL, 0, &used), 0);
	ck_assert_uint_eq(used, 0);
	ck_assert_ptr_null(gk_frame_get(&f).ptr);
}
END_TEST

START_TEST(test_the_limit_is_inclusive)
{
	uint8_t wire[128];
	char body[101];
	size_t used;
	int r;

	memset(body, 'b', 100);
	body[100] = '\0';
	body[_i == 0 ? 99 : 100] = '\0';
	(void)frame(wire, (uint32_t)(99 + _i), body);
	r = gk_frame_feed(&f, wire, 4 + strlen(body), &used);
	if (_i < 2) {
		ck_assert_int_eq(r, 1);
		ck_assert_uint_eq(gk_frame_get(&f).len, (size_t)(99 + _i));
	} else {
		ck_assert_int_eq(r, GENKAN_E_FRAME_SIZE);
		ck_assert_uint_eq(used, 4);	/* not a byte of the body */
	}
}
END_TEST

START_TEST(test_oversize_is_final)
{
	uint8_t wire[16];
	size_t n = frame(wire, 101, ""), used, before = t.allocs;

	ck_assert_int_eq(gk_frame_feed(&f, wire, n, &used),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(used, 4);
	ck_assert_uint_eq(t.allocs, before);
	n = frame(wire, 2, "{}");
	ck_assert_int_eq(gk_frame_feed(&f, wire, n, &used),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(used, 0);
	ck_assert_ptr_null(gk_frame_get(&f).ptr);
}
END_TEST

START_TEST(test_length_zero_is_final)
{
	uint8_t wire[16] = { 0 };
	size_t used;

	ck_assert_int_eq(gk_frame_feed(&f, wire, 8, &used),
	    GENKAN_E_FRAME_EMPTY);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 8, &used),
	    GENKAN_E_FRAME_EMPTY);
	ck_assert_uint_eq(used, 0);
}
END_TEST

/* Little-endian, and the top bit is no sign. */
START_TEST(test_the_length_is_unsigned_little_endian)
{
	uint8_t wire[4] = { 0x00, 0x00, 0x00, 0x80 }, h[4];
	size_t used;

	again(UINT32_MAX, true);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 4, &used), 0);
	ck_assert_uint_eq(f.size, UINT32_C(0x80000000));
	gk_frame_header(h, UINT32_C(0x04030201));
	ck_assert_mem_eq(h, "\x01\x02\x03\x04", 4);
}
END_TEST

/* 64 MiB promised, few bytes sent: memory follows the bytes. */
START_TEST(test_a_promise_reserves_nothing)
{
	size_t used, i, idle = t.bytes;
	char block[1000];
	uint8_t wire[4];

	memset(block, 'p', sizeof(block));
	again(64 << 20, true);
	gk_frame_header(wire, 64 << 20);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 4, &used), 0);
	ck_assert_uint_eq(t.bytes, idle);
	for (i = 1; i <= 200; i++) {
		ck_assert_int_eq(gk_frame_feed(&f, block, 1000, &used), 0);
		ck_assert_uint_le(t.bytes - idle, 4 * i * 1000 + 256);
	}
}
END_TEST

/* A quarter of it has come: the rest finds its room. */
START_TEST(test_a_quarter_reserves_the_whole)
{
	size_t used, i, before;
	char block[1000];
	uint8_t wire[4];

	memset(block, 'p', sizeof(block));
	again(64 << 20, true);
	gk_frame_header(wire, 4000);
	ck_assert_int_eq(gk_frame_feed(&f, wire, 4, &used), 0);
	before = t.allocs;
	for (i = 1; i <= 3; i++)
		ck_assert_int_eq(gk_frame_feed(&f, block, 1000, &used), 0);
	ck_assert_int_eq(gk_frame_feed(&f, block, 1000, &used), 1);
	ck_assert_uint_eq(gk_frame_get(&f).len, 4000);
	ck_assert_uint_eq(t.allocs, before + 1);
}
END_TEST

START_TEST(test_the_end_of_input_is_classified)
{
	uint8_t wire[16];
	size_t n = frame(wire, 5, "12345"), used, i;

	for (i = 0; i <= n; i++) {
		again(100, true);
		(void)gk_frame_feed(&f, wire, i, &used);
		ck_assert_int_eq(gk_frame_eof(&f),
		    i == 0 || i == n ? GK_FRAME_EOF_CLEAN :
		    i < 4 ? GK_FRAME_EOF_PREFIX : GK_FRAME_EOF_BODY);
	}
}
END_TEST

START_TEST(test_lack_of_memory_is_final)
{
	uint8_t wire[16];
	size_t n = frame(wire, 5, "12345"), used;

	t.fail_at = 1;
	ck_assert_int_eq(gk_frame_feed(&f, wire, n - 1, &used),
	    GENKAN_E_NOMEM);
	ck_assert_int_eq(gk_frame_feed(&f, wire, n, &used), GENKAN_E_NOMEM);
}
END_TEST

START_TEST(test_writing_is_what_reading_takes)
{
	struct gk_buf out;
	size_t used;

	gk_buf_init(&out, t.ctx, 100);
	ck_assert_int_eq(gk_frame_put(&out, "{\"a\":1}", 7, 7), 0);
	ck_assert_int_eq(gk_frame_put(&out, "{}", 2, 7), 0);
	ck_assert_uint_eq(out.len, 17);
	ck_assert_int_eq(gk_frame_feed(&f, out.ptr, out.len, &used), 1);
	ck_assert(gk_span_is(gk_frame_get(&f), "{\"a\":1}"));
	gk_buf_done(&out);
}
END_TEST

START_TEST(test_what_cannot_be_written_leaves_the_buffer_alone)
{
	struct gk_buf out;

	gk_buf_init(&out, t.ctx, 10);
	ck_assert_int_eq(gk_frame_put(&out, "", 0, 7), GENKAN_E_FRAME_EMPTY);
	ck_assert_int_eq(gk_frame_put(&out, "12345678", 8, 7),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(gk_frame_put(&out, "1234567", 7, 7),
	    GENKAN_E_FRAME_SIZE);	/* the buffer's own ceiling */
	t.fail_at = 1;
	ck_assert_int_eq(gk_frame_put(&out, "123", 3, 7), GENKAN_E_NOMEM);
	ck_assert_uint_eq(out.len, 0);
	ck_assert_int_eq(gk_frame_put(&out, "123456", 6, 7), 0);
	ck_assert_uint_eq(out.len, 10);
	gk_buf_done(&out);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("frame");
	TCase *tc = tcase_create("frame");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_split_anywhere, 0, 2 * 18);
	tcase_add_test(tc, test_byte_by_byte);
	tcase_add_test(tc, test_one_feed_takes_one_frame);
	tcase_add_test(tc, test_a_whole_frame_is_not_copied);
	tcase_add_test(tc, test_a_frame_in_pieces_can_be_had_for_good);
	tcase_add_test(tc, test_the_rest_of_a_frame_has_its_place);
	tcase_add_test(tc, test_a_frame_that_is_over_gives_its_memory_back);
	tcase_add_test(tc, test_a_place_is_not_smaller_than_asked_for);
	tcase_add_test(tc, test_no_memory_for_a_place_is_no_failure);
	tcase_add_test(tc, test_feeding_nothing_is_no_progress);
	tcase_add_loop_test(tc, test_the_limit_is_inclusive, 0, 3);
	tcase_add_test(tc, test_oversize_is_final);
	tcase_add_test(tc, test_length_zero_is_final);
	tcase_add_test(tc, test_the_length_is_unsigned_little_endian);
	tcase_add_test(tc, test_a_promise_reserves_nothing);
	tcase_add_test(tc, test_a_quarter_reserves_the_whole);
	tcase_add_test(tc, test_the_end_of_input_is_classified);
	tcase_add_test(tc, test_lack_of_memory_is_final);
	tcase_add_test(tc, test_writing_is_what_reading_takes);
	tcase_add_test(tc, test_what_cannot_be_written_leaves_the_buffer_alone);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
