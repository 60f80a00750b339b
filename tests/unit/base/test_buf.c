#include "util.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

static struct gk_test t;
static struct gk_buf b;

static void
setup(void)
{
	gk_test_init(&t);
	gk_buf_init(&b, t.ctx, 1000);
}

static void
teardown(void)
{
	gk_buf_done(&b);
	gk_test_done(&t);
}

static void
fill(struct gk_buf *buf, size_t n)
{
	while (n-- > 0)
		ck_assert_int_eq(gk_buf_putc(buf, 'x'), 0);
}

START_TEST(test_bytes_come_out_in_order)
{
	ck_assert_int_eq(gk_buf_put(&b, "ab", 2), 0);
	ck_assert_int_eq(gk_buf_putc(&b, 'c'), 0);
	ck_assert_int_eq(gk_buf_puts(&b, "de"), 0);
	ck_assert_int_eq(gk_buf_put_span(&b, gk_span_str("fg")), 0);
	ck_assert_int_eq(gk_buf_putf(&b, "%d%s", 12, "h"), 0);
	ck_assert_uint_eq(b.len, 10);
	ck_assert_mem_eq(b.ptr, "abcdefg12h", 10);
	ck_assert(gk_span_is(gk_buf_span(&b), "abcdefg12h"));
	gk_buf_drop(&b, 3);
	ck_assert_mem_eq(b.ptr, "defg12h", 7);
	gk_buf_truncate(&b, 2);
	ck_assert_uint_eq(b.len, 2);
	ck_assert_mem_eq(b.ptr, "de", 2);
}
END_TEST

START_TEST(test_nothing_is_allocated_before_the_first_byte)
{
	size_t before = t.allocs;

	ck_assert_int_eq(gk_buf_put(&b, "", 0), 0);
	ck_assert_ptr_null(b.ptr);
	ck_assert_uint_eq(t.allocs, before);
}
END_TEST

/* max - 1, max and max + 1. */
START_TEST(test_the_ceiling_is_exact)
{
	char block[1001];

	memset(block, 'y', sizeof(block));
	ck_assert_int_eq(gk_buf_put(&b, block, 1001), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_int_eq(gk_buf_put(&b, block, 999), 0);
	ck_assert_int_eq(gk_buf_put(&b, block, 2), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(b.len, 999);
	ck_assert_int_eq(gk_buf_putc(&b, 'z'), 0);
	ck_assert_int_eq(gk_buf_putc(&b, 'z'), GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(gk_buf_puts(&b, "z"), GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(gk_buf_putf(&b, "%c", 'z'), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(b.len, 1000);
	ck_assert_int_eq(b.ptr[999], 'z');
	gk_buf_drop(&b, 1);
	ck_assert_int_eq(gk_buf_putc(&b, 'w'), 0);
	ck_assert_int_eq(gk_buf_putc(&b, 'w'), GENKAN_E_FRAME_SIZE);
}
END_TEST

START_TEST(test_a_ceiling_of_zero_takes_nothing)
{
	struct gk_buf z;

	gk_buf_init(&z, t.ctx, 0);
	ck_assert_int_eq(gk_buf_put(&z, "", 0), 0);
	ck_assert_int_eq(gk_buf_putc(&z, 'a'), GENKAN_E_FRAME_SIZE);
	ck_assert_ptr_null(z.ptr);
	gk_buf_done(&z);
}
END_TEST

START_TEST(test_huge_ceilings_do_not_overflow)
{
	struct gk_buf h;
	uint8_t *p;

	gk_buf_init(&h, t.ctx, SIZE_MAX);
	fill(&h, 3);
	ck_assert_int_eq(gk_buf_reserve(&h, SIZE_MAX, &p),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(h.len, 3);
	fill(&h, 3000);
	ck_assert_uint_eq(h.len, 3003);
	gk_buf_done(&h);
}
END_TEST

START_TEST(test_a_failed_append_changes_nothing)
{
	char block[500];

	memset(block, 'n', sizeof(block));
	fill(&b, 200);
	t.fail_at = 1;
	ck_assert_int_eq(gk_buf_put(&b, block, 500), GENKAN_E_NOMEM);
	ck_assert_uint_eq(b.len, 200);
	ck_assert_int_eq(b.ptr[199], 'x');
	t.fail_at = 1;
	ck_assert_int_eq(gk_buf_putf(&b, "%0500d", 1), GENKAN_E_NOMEM);
	ck_assert_uint_eq(b.len, 200);
}
END_TEST

/* Text longer than the formatter's own scratch, and at its edges. */
START_TEST(test_formatted_text_of_any_length)
{
	int i;

	for (i = 250; i < 262; i++) {
		gk_buf_clear(&b);
		ck_assert_int_eq(gk_buf_putf(&b, "%0*d", i, 7), 0);
		ck_assert_uint_eq(b.len, (size_t)i);
		ck_assert_int_eq(b.ptr[i - 1], '7');
		ck_assert_int_eq(b.ptr[i - 2], '0');
	}
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_buf_putf(&b, "%01000d", 7), 0);
	ck_assert_uint_eq(b.len, 1000);
	gk_buf_clear(&b);
	ck_assert_int_eq(gk_buf_putf(&b, "%01001d", 7), GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(b.len, 0);
}
END_TEST

START_TEST(test_reserved_room_becomes_live_when_committed)
{
	uint8_t *p;

	ck_assert_int_eq(gk_buf_puts(&b, "ab"), 0);
	ck_assert_int_eq(gk_buf_reserve(&b, 998, &p), 0);
	memcpy(p, "cde", 3);
	ck_assert_uint_eq(b.len, 2);
	gk_buf_commit(&b, 3);
	ck_assert(gk_span_is(gk_buf_span(&b), "abcde"));
	ck_assert_int_eq(gk_buf_reserve(&b, 996, &p), GENKAN_E_FRAME_SIZE);
}
END_TEST

START_TEST(test_own_memory_is_what_lies_behind_the_live_bytes)
{
	uint8_t *p, other = 0;

	ck_assert(!gk_buf_is_own(&b, &other));
	ck_assert(!gk_buf_is_own(&b, NULL));
	ck_assert_int_eq(gk_buf_puts(&b, "abc"), 0);
	ck_assert_int_eq(gk_buf_reserve(&b, 10, &p), 0);
	ck_assert(!gk_buf_is_own(&b, &other));
	ck_assert(!gk_buf_is_own(&b, p - 1));
	ck_assert(gk_buf_is_own(&b, p));
	gk_buf_drop(&b, 2);
	ck_assert(!gk_buf_is_own(&b, p - 1));
	ck_assert(gk_buf_is_own(&b, b.ptr - b.head + b.cap - 1));
	ck_assert(!gk_buf_is_own(&b, b.ptr - b.head + b.cap));
}
END_TEST

START_TEST(test_bytes_of_its_own_are_adopted)
{
	uint8_t *p, *start;

	ck_assert_int_eq(gk_buf_puts(&b, "abc"), 0);
	start = b.ptr;
	ck_assert_int_eq(gk_buf_reserve(&b, 10, &p), 0);
	memcpy(p, "defghijk", 8);
	ck_assert_int_eq(gk_buf_adopt(&b, p, 2), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), "abcde"));
	ck_assert_ptr_eq(b.ptr, start);
	ck_assert_int_eq(gk_buf_adopt(&b, p + 3, 2), 0);	/* a gap: moved */
	ck_assert(gk_span_is(gk_buf_span(&b), "abcdegh"));
	/* Nothing live: what is adopted stays where it is. */
	gk_buf_restart(&b, p + 5);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_mem_eq(start, "\0\0\0\0\0\0\0", 7);
	ck_assert_int_eq(gk_buf_adopt(&b, p + 6, 2), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), "jk"));
	ck_assert_ptr_eq(b.ptr, start + 9);
	ck_assert_int_eq(gk_buf_adopt(&b, b.ptr + 2, 999),
	    GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(b.len, 2);
	/* and it goes on as ever */
	ck_assert_int_eq(gk_buf_puts(&b, "lm"), 0);
	ck_assert(gk_span_is(gk_buf_span(&b), "jklm"));
	gk_buf_clear(&b);
	ck_assert_ptr_eq(b.ptr, start);
	ck_assert_uint_eq(b.head, 0);
}
END_TEST

/* Bytes that were read ahead are looked at no more: a large block goes. */
START_TEST(test_clearing_gives_a_restarted_block_back)
{
	struct gk_buf big;
	size_t idle = t.bytes;
	uint8_t *p;

	gk_buf_init(&big, t.ctx, 1 << 20);
	fill(&big, 10);
	ck_assert_int_eq(gk_buf_reserve(&big, GK_BUF_KEEP, &p), 0);
	gk_buf_restart(&big, p + 5);
	ck_assert_uint_gt(t.bytes, idle);
	gk_buf_clear(&big);
	ck_assert_uint_eq(t.bytes, idle);
	gk_buf_clear(&big);
}
END_TEST

START_TEST(test_dropped_and_cut_bytes_are_wiped)
{
	uint8_t *start;

	ck_assert_int_eq(gk_buf_puts(&b, "secret"), 0);
	start = b.ptr;
	gk_buf_drop(&b, 3);
	ck_assert_mem_eq(start, "\0\0\0ret", 6);
	gk_buf_truncate(&b, 1);
	ck_assert_mem_eq(start, "\0\0\0r\0\0", 6);
	gk_buf_drop(&b, 100);
	ck_assert_mem_eq(start, "\0\0\0\0\0\0", 6);
	ck_assert_uint_eq(b.len, 0);
}
END_TEST

START_TEST(test_traffic_is_not_wiped)
{
	struct gk_buf traffic;
	uint8_t *start;

	gk_buf_init_traffic(&traffic, t.ctx, 1000);
	ck_assert_int_eq(gk_buf_puts(&traffic, "a page's text"), 0);
	start = traffic.ptr;
	gk_buf_drop(&traffic, 2);
	gk_buf_truncate(&traffic, 6);
	ck_assert_mem_eq(start, "a page's text", 13);
	ck_assert(gk_span_is(gk_buf_span(&traffic), "page's"));
	gk_buf_done(&traffic);
}
END_TEST

START_TEST(test_bytes_left_behind_by_sliding_are_wiped)
{
	uint8_t *start;

	fill(&b, 200);
	start = b.ptr;
	gk_buf_drop(&b, 150);
	fill(&b, 100);		/* slides: 56 bytes were free at the tail */
	ck_assert_ptr_eq(b.ptr, start);
	ck_assert_uint_eq(b.len, 150);
	ck_assert_uint_eq(b.head, 0);
	for (size_t i = 150; i < 200; i++)
		ck_assert_int_eq(start[i], 0);
}
END_TEST

START_TEST(test_an_emptied_buffer_gives_large_blocks_back)
{
	struct gk_buf big;
	size_t idle;

	gk_buf_init(&big, t.ctx, 1 << 20);
	idle = t.bytes;
	fill(&big, GK_BUF_KEEP + 1);
	ck_assert_uint_gt(t.bytes, idle + GK_BUF_KEEP);
	gk_buf_drop(&big, GK_BUF_KEEP + 1);
	ck_assert_uint_eq(t.bytes, idle);
	fill(&big, 10);
	gk_buf_drop(&big, 10);
	ck_assert_uint_gt(t.bytes, idle);	/* small ones stay */
	ck_assert_uint_le(t.bytes, idle + GK_BUF_KEEP);
	gk_buf_done(&big);
	ck_assert_uint_eq(t.bytes, idle);
}
END_TEST

/* A full queue that is drained and filled a byte at a time must not move its
 * bytes every time: with a ceiling of 1 MiB that would take minutes. */
START_TEST(test_a_full_queue_stays_cheap)
{
	struct gk_buf q;
	size_t i, max = 1 << 20;
	int failed = 0;
	uint8_t *p;

	gk_buf_init(&q, t.ctx, max);
	ck_assert_int_eq(gk_buf_reserve(&q, max, &p), 0);
	memset(p, 'q', max);
	gk_buf_commit(&q, max);
	for (i = 0; i < 2 * max; i++) {
		gk_buf_drop(&q, 1);
		failed |= gk_buf_putc(&q, (char)i);
	}
	ck_assert_int_eq(failed, 0);
	ck_assert_uint_eq(q.len, max);
	ck_assert_uint_le(q.cap, max + max / 2);
	for (i = 0; i < max; i += 997)
		ck_assert_int_eq((char)q.ptr[i], (char)(max + i));
	gk_buf_done(&q);
}
END_TEST

START_TEST(test_stolen_bytes_are_terminated_and_the_buffer_is_empty)
{
	size_t len;
	char *s;

	ck_assert_int_eq(gk_buf_puts(&b, "xxstolen"), 0);
	gk_buf_drop(&b, 2);
	s = (char *)gk_buf_steal(&b, &len);
	ck_assert_uint_eq(len, 6);
	ck_assert_str_eq(s, "stolen");
	gk_free(t.ctx, s);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_ptr_null(b.ptr);
	s = (char *)gk_buf_steal(&b, &len);
	ck_assert_uint_eq(len, 0);
	ck_assert_str_eq(s, "");
	gk_free(t.ctx, s);
}
END_TEST

START_TEST(test_stealing_a_full_block)
{
	size_t len;
	uint8_t *s;

	fill(&b, 1000);		/* cap == max == len: no room for the NUL */
	ck_assert_uint_eq(b.cap, 1000);
	t.fail_at = 1;
	ck_assert_ptr_null(gk_buf_steal(&b, &len));
	ck_assert_uint_eq(b.len, 1000);
	s = gk_buf_steal(&b, &len);
	ck_assert_uint_eq(len, 1000);
	ck_assert_int_eq(s[999], 'x');
	ck_assert_int_eq(s[1000], 0);
	gk_free(t.ctx, s);
}
END_TEST

/* Against a plain array, with pseudo-random lengths. */
START_TEST(test_any_mixture_keeps_the_bytes)
{
	static unsigned char model[1000], block[300];
	size_t len = 0, i, n;
	uint32_t r = (uint32_t)_i * 2654435761u + 1;
	int round;

	for (round = 0; round < 3000; round++) {
		r = r * 1664525u + 1013904223u;
		n = (r >> 8) % 300;
		if (r & 1) {
			for (i = 0; i < n; i++)
				block[i] = (unsigned char)(r >> i % 24);
			if (len + n > 1000) {
				ck_assert_int_eq(gk_buf_put(&b, block, n),
				    GENKAN_E_FRAME_SIZE);
			} else {
				ck_assert_int_eq(gk_buf_put(&b, block, n), 0);
				memcpy(model + len, block, n);
				len += n;
			}
		} else if (r & 2) {
			gk_buf_drop(&b, n);
			n = n > len ? len : n;
			memmove(model, model + n, len - n);
			len -= n;
		} else if (r & 4) {
			gk_buf_truncate(&b, len > n ? len - n : 0);
			len = len > n ? len - n : 0;
		}
		ck_assert_uint_eq(b.len, len);
		if (len > 0)
			ck_assert_mem_eq(b.ptr, model, len);
		ck_assert_uint_le(b.head + b.len, b.cap);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("buf");
	TCase *tc = tcase_create("buf");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_bytes_come_out_in_order);
	tcase_add_test(tc, test_nothing_is_allocated_before_the_first_byte);
	tcase_add_test(tc, test_the_ceiling_is_exact);
	tcase_add_test(tc, test_a_ceiling_of_zero_takes_nothing);
	tcase_add_test(tc, test_huge_ceilings_do_not_overflow);
	tcase_add_test(tc, test_a_failed_append_changes_nothing);
	tcase_add_test(tc, test_formatted_text_of_any_length);
	tcase_add_test(tc, test_reserved_room_becomes_live_when_committed);
	tcase_add_test(tc, test_own_memory_is_what_lies_behind_the_live_bytes);
	tcase_add_test(tc, test_bytes_of_its_own_are_adopted);
	tcase_add_test(tc, test_clearing_gives_a_restarted_block_back);
	tcase_add_test(tc, test_dropped_and_cut_bytes_are_wiped);
	tcase_add_test(tc, test_traffic_is_not_wiped);
	tcase_add_test(tc, test_bytes_left_behind_by_sliding_are_wiped);
	tcase_add_test(tc, test_an_emptied_buffer_gives_large_blocks_back);
	tcase_add_test(tc, test_a_full_queue_stays_cheap);
	tcase_add_test(tc,
	    test_stolen_bytes_are_terminated_and_the_buffer_is_empty);
	tcase_add_test(tc, test_stealing_a_full_block);
	tcase_add_loop_test(tc, test_any_mixture_keeps_the_bytes, 0, 20);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
