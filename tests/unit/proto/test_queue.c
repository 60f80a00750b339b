/* The bounded queue of numbered segments. */
#include <string.h>

#include "base/alloc.h"
#include "proto/queue.h"
#include "util.h"

static struct gk_test t;
static struct gk_outq q;

static void
setup(void)
{
	gk_test_init(&t);
	gk_outq_init(&q, t.ctx, 16);
}

static void
teardown(void)
{
	gk_outq_clear(&q);
	gk_test_done(&t);
}

/* Everything that is queued, step bytes at a time. */
static size_t
drain(char *ret, size_t step)
{
	const void *p;
	size_t len, n = 0;

	while (gk_outq_output(&q, &p, &len)) {
		ck_assert_uint_gt(len, 0);
		len = len < step ? len : step;
		memcpy(ret + n, p, len);
		n += len;
		gk_outq_wrote(&q, len);
	}
	ret[n] = '\0';
	return n;
}

START_TEST(test_segments_come_out_in_order_however_they_are_written)
{
	char out[64];
	uint64_t a, b;

	ck_assert_int_eq(gk_outq_puts(&q, "one\n", &a), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "two\n", &b), 0);
	ck_assert_uint_eq(a, 1);
	ck_assert_uint_eq(b, 2);
	ck_assert_uint_eq(q.held, 8);
	ck_assert_uint_eq(drain(out, (size_t)_i), 8);
	ck_assert_str_eq(out, "one\ntwo\n");
	ck_assert(gk_outq_empty(&q));
	ck_assert_uint_eq(q.held, 0);
	ck_assert_uint_eq(q.count, 0);
}
END_TEST

START_TEST(test_a_segment_is_written_once_its_last_byte_is_out)
{
	uint64_t a, b;

	ck_assert_int_eq(gk_outq_puts(&q, "abc\n", &a), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "def\n", &b), 0);
	gk_outq_wrote(&q, 3);
	ck_assert(!gk_outq_written(&q, a));
	ck_assert(gk_outq_torn(&q, a));
	gk_outq_wrote(&q, 1);
	ck_assert(gk_outq_written(&q, a));
	ck_assert(!gk_outq_torn(&q, a));
	ck_assert(!gk_outq_written(&q, b));
	ck_assert(!gk_outq_torn(&q, b));
}
END_TEST

START_TEST(test_wrote_never_passes_the_segment_that_was_offered)
{
	uint64_t a, b;

	ck_assert_int_eq(gk_outq_puts(&q, "abc\n", &a), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "def\n", &b), 0);
	gk_outq_wrote(&q, 100);
	ck_assert(gk_outq_written(&q, a));
	ck_assert(!gk_outq_torn(&q, b));
	ck_assert_uint_eq(q.held, 4);
	gk_outq_wrote(&q, 100);
	gk_outq_wrote(&q, 1);
	ck_assert(gk_outq_empty(&q));
}
END_TEST

START_TEST(test_a_segment_not_begun_can_be_withdrawn)
{
	char out[64];
	uint64_t no[3];

	ck_assert_int_eq(gk_outq_puts(&q, "a\n", &no[0]), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "b\n", &no[1]), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "c\n", &no[2]), 0);
	ck_assert_int_eq(gk_outq_withdraw(&q, no[_i]), 1);
	ck_assert_int_eq(gk_outq_withdraw(&q, no[_i]), 0);
	ck_assert_uint_eq(q.held, 4);
	drain(out, 64);
	ck_assert_str_eq(out, _i == 0 ? "b\nc\n" : _i == 1 ? "a\nc\n" :
	    "a\nb\n");
	/* The others are known to be out, whatever was withdrawn. */
	ck_assert(gk_outq_written(&q, no[(_i + 1) % 3]));
	ck_assert(gk_outq_written(&q, no[(_i + 2) % 3]));
	ck_assert_int_eq(gk_outq_withdraw(&q, no[(_i + 1) % 3]), 0);
}
END_TEST

START_TEST(test_a_segment_half_out_cannot_be_withdrawn)
{
	char out[64];
	uint64_t a;

	ck_assert_int_eq(gk_outq_puts(&q, "abc\n", &a), 0);
	gk_outq_wrote(&q, 1);
	ck_assert_int_eq(gk_outq_withdraw(&q, a), 0);
	drain(out, 64);
	ck_assert_str_eq(out, "bc\n");
}
END_TEST

START_TEST(test_numbers_go_on_after_a_clear)
{
	uint64_t a, b;

	ck_assert_int_eq(gk_outq_puts(&q, "abc\n", &a), 0);
	gk_outq_wrote(&q, 2);
	gk_outq_clear(&q);
	ck_assert(gk_outq_empty(&q));
	ck_assert(!gk_outq_written(&q, a));
	ck_assert_int_eq(gk_outq_puts(&q, "d\n", &b), 0);
	ck_assert_uint_gt(b, a);
	ck_assert(!gk_outq_torn(&q, b));
}
END_TEST

/* 16 bytes are allowed: 15 and 16 fit beside the first byte's absence, 17
 * only alone. */
START_TEST(test_the_ceiling_counts_what_waits)
{
	char line[32];

	memset(line, 'x', sizeof(line));
	ck_assert_int_eq(gk_outq_put(&q, line, 10, NULL), 0);
	ck_assert_uint_eq(gk_outq_room(&q), 6);
	ck_assert_int_eq(gk_outq_put(&q, line, 7, NULL), GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(gk_outq_put(&q, line, 6, NULL), 0);
	ck_assert_uint_eq(gk_outq_room(&q), 0);
	ck_assert_int_eq(gk_outq_put(&q, line, 1, NULL), GENKAN_E_FRAME_SIZE);
	gk_outq_wrote(&q, 1);
	ck_assert_int_eq(gk_outq_put(&q, line, 1, NULL), 0);
	gk_outq_clear(&q);
	ck_assert_int_eq(gk_outq_put(&q, line, 17, NULL), 0);
	ck_assert_uint_eq(gk_outq_room(&q), 0);
	ck_assert_int_eq(gk_outq_put(&q, line, 1, NULL), GENKAN_E_FRAME_SIZE);
}
END_TEST

START_TEST(test_pieces_become_one_segment)
{
	struct gk_span v[4] = { gk_span("ab", 2), gk_span(NULL, 0),
	    gk_span("c", 1), gk_span("\n", 1) };
	const void *p;
	size_t len;

	ck_assert_int_eq(gk_outq_putv(&q, v, 4, NULL), 0);
	ck_assert_int_eq(gk_outq_output(&q, &p, &len), 1);
	ck_assert_uint_eq(len, 4);
	ck_assert_mem_eq(p, "abc\n", 4);
}
END_TEST

START_TEST(test_a_buffer_is_moved_in_and_left_empty)
{
	struct gk_buf b;
	const void *p;
	size_t len;

	gk_buf_init(&b, t.ctx, 64);
	ck_assert_int_eq(gk_buf_puts(&b, "moved\n"), 0);
	ck_assert_int_eq(gk_outq_move(&q, &b, NULL), 0);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_int_eq(gk_outq_output(&q, &p, &len), 1);
	ck_assert_uint_eq(len, 6);
	ck_assert_mem_eq(p, "moved\n", 6);

	ck_assert_int_eq(gk_buf_puts(&b, "12345678901"), 0);
	ck_assert_int_eq(gk_outq_move(&q, &b, NULL), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(b.len, 11);
	gk_buf_done(&b);
}
END_TEST

START_TEST(test_a_block_is_taken_on_success_only)
{
	uint8_t *block = gk_memdup(t.ctx, "0123456789abcdef", 16);

	ck_assert_int_eq(gk_outq_puts(&q, "x", NULL), 0);
	ck_assert_int_eq(gk_outq_take(&q, block, 16, NULL),
	    GENKAN_E_FRAME_SIZE);
	gk_outq_clear(&q);
	ck_assert_int_eq(gk_outq_take(&q, block, 16, NULL), 0);
}
END_TEST

/* An empty segment is out at once, but never before what is in front of it. */
START_TEST(test_empty_segments_never_stall_the_queue)
{
	char out[64];
	uint64_t a, b, c;

	ck_assert_int_eq(gk_outq_puts(&q, "", &a), 0);
	ck_assert(gk_outq_written(&q, a));
	ck_assert(gk_outq_empty(&q));
	ck_assert_int_eq(gk_outq_puts(&q, "x\n", &a), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "", &b), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "y\n", &c), 0);
	ck_assert(!gk_outq_written(&q, b));
	gk_outq_wrote(&q, 2);
	ck_assert(gk_outq_written(&q, b));
	ck_assert(!gk_outq_written(&q, c));
	ck_assert_uint_eq(drain(out, 1), 2);
	ck_assert_str_eq(out, "y\n");
}
END_TEST

START_TEST(test_withdrawing_in_front_of_an_empty_segment_frees_both)
{
	uint64_t a, b;

	ck_assert_int_eq(gk_outq_puts(&q, "x\n", &a), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "", &b), 0);
	ck_assert_int_eq(gk_outq_withdraw(&q, a), 1);
	ck_assert(gk_outq_empty(&q));
	ck_assert(gk_outq_written(&q, b));
}
END_TEST

static int
put_all(struct gk_test *tt, void *arg)
{
	struct gk_outq queue;
	struct gk_buf b;
	int r;

	(void)arg;
	gk_outq_init(&queue, tt->ctx, 64);
	gk_buf_init(&b, tt->ctx, 64);
	r = gk_outq_puts(&queue, "abc", NULL);
	if (r == 0)
		r = gk_buf_puts(&b, "def");
	if (r == 0)
		r = gk_outq_move(&queue, &b, NULL);
	gk_buf_done(&b);
	gk_outq_clear(&queue);
	return r;
}

/* However much of it a writer takes, the bytes go on where they stopped. */
START_TEST(test_gathered_segments_may_go_out_in_part)
{
	char out[64], buf[64];
	size_t len, took = (size_t)_i;
	uint64_t a, b, c;

	ck_assert_int_eq(gk_outq_puts(&q, "one\n", &a), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "", NULL), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "two\n", &b), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "3\n", &c), 0);
	ck_assert_int_eq(gk_outq_gather(&q, buf, sizeof(buf), &len), 1);
	ck_assert_uint_eq(len, 10);
	ck_assert_mem_eq(buf, "one\ntwo\n3\n", 10);
	gk_outq_wrote(&q, took);
	ck_assert_uint_eq(q.held, 10 - took);
	ck_assert_int_eq(gk_outq_written(&q, a), took >= 4);
	ck_assert_int_eq(gk_outq_torn(&q, a), took > 0 && took < 4);
	ck_assert_int_eq(gk_outq_written(&q, b), took >= 8);
	ck_assert_int_eq(gk_outq_torn(&q, b), took > 4 && took < 8);
	ck_assert_int_eq(gk_outq_written(&q, c), took == 10);
	memcpy(out, buf, took);
	ck_assert_uint_eq(drain(out + took, 64), 10 - took);
	ck_assert_str_eq(out, "one\ntwo\n3\n");
}
END_TEST

START_TEST(test_only_what_fits_is_gathered)
{
	char buf[64];
	size_t len;

	ck_assert_int_eq(gk_outq_gather(&q, buf, sizeof(buf), &len), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "abc", NULL), 0);
	ck_assert_int_eq(gk_outq_gather(&q, buf, sizeof(buf), &len), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "de", NULL), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "f", NULL), 0);
	ck_assert_int_eq(gk_outq_gather(&q, buf, 2, &len), 0);
	ck_assert_int_eq(gk_outq_gather(&q, buf, 4, &len), 0);
	ck_assert_uint_eq(len, 0);
	ck_assert_int_eq(gk_outq_gather(&q, buf, 5, &len), 1);
	ck_assert_uint_eq(len, 5);
	ck_assert_int_eq(gk_outq_gather(&q, buf, 6, &len), 1);
	ck_assert_mem_eq(buf, "abcdef", 6);
	/* Behind the part of the head that is out already. */
	gk_outq_wrote(&q, 2);
	ck_assert_int_eq(gk_outq_gather(&q, buf, 3, &len), 1);
	ck_assert_mem_eq(buf, "cde", 3);
}
END_TEST

/* Whoever asks for the head afterwards, or takes a segment back, gets no more
 * counted than the head. */
START_TEST(test_what_was_gathered_counts_until_something_else_is_asked)
{
	const void *p;
	uint64_t b;
	char buf[8];
	size_t len;

	ck_assert_int_eq(gk_outq_puts(&q, "abc", NULL), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "de", &b), 0);
	ck_assert_int_eq(gk_outq_puts(&q, "f", NULL), 0);
	ck_assert_int_eq(gk_outq_gather(&q, buf, sizeof(buf), &len), 1);
	if (_i == 0)
		ck_assert_int_eq(gk_outq_output(&q, &p, &len), 1);
	else
		ck_assert_int_eq(gk_outq_withdraw(&q, b), 1);
	gk_outq_wrote(&q, 6);
	ck_assert_uint_eq(q.held, _i == 0 ? 3 : 1);
}
END_TEST

START_TEST(test_lack_of_memory_leaves_everything_as_it_was)
{
	ck_assert_uint_ge(gk_test_sweep(&t, put_all, NULL), 3);
}
END_TEST

/* A move takes the buffer's memory and, for the first one, a segment. */
START_TEST(test_a_segment_that_went_out_serves_again)
{
	const size_t none = t.live;
	struct gk_buf b;
	char out[64];
	int i;

	gk_buf_init(&b, t.ctx, 64);
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(gk_buf_puts(&b, "moved\n"), 0);
		t.allocs = 0;
		ck_assert_int_eq(gk_outq_move(&q, &b, NULL), 0);
		ck_assert_uint_eq(t.allocs, i == 0 ? 1 : 0);
		ck_assert_uint_eq(drain(out, 64), 6);
		ck_assert_str_eq(out, "moved\n");
		ck_assert_uint_eq(t.live, none + 1);
	}
	gk_outq_clear(&q);
	ck_assert_uint_eq(t.live, none);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("queue");
	TCase *tc = tcase_create("queue");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
	    test_segments_come_out_in_order_however_they_are_written, 1, 10);
	tcase_add_test(tc, test_a_segment_is_written_once_its_last_byte_is_out);
	tcase_add_test(tc,
	    test_wrote_never_passes_the_segment_that_was_offered);
	tcase_add_loop_test(tc, test_a_segment_not_begun_can_be_withdrawn, 0,
	    3);
	tcase_add_test(tc, test_a_segment_half_out_cannot_be_withdrawn);
	tcase_add_test(tc, test_numbers_go_on_after_a_clear);
	tcase_add_test(tc, test_the_ceiling_counts_what_waits);
	tcase_add_test(tc, test_pieces_become_one_segment);
	tcase_add_test(tc, test_a_buffer_is_moved_in_and_left_empty);
	tcase_add_test(tc, test_a_block_is_taken_on_success_only);
	tcase_add_test(tc, test_empty_segments_never_stall_the_queue);
	tcase_add_test(tc,
	    test_withdrawing_in_front_of_an_empty_segment_frees_both);
	tcase_add_loop_test(tc, test_gathered_segments_may_go_out_in_part, 0,
	    11);
	tcase_add_test(tc, test_only_what_fits_is_gathered);
	tcase_add_loop_test(tc,
	    test_what_was_gathered_counts_until_something_else_is_asked, 0, 2);
	tcase_add_test(tc, test_lack_of_memory_leaves_everything_as_it_was);
	tcase_add_test(tc, test_a_segment_that_went_out_serves_again);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
