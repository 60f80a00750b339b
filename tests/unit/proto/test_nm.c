/* Native messages out, and what a log says of an input that ends badly. */
#include <stdlib.h>
#include <string.h>

#include "contract/schema.h"
#include "proto/nm.h"
#include "util.h"

static struct gk_test t;
static struct gk_outq q;
static struct gk_frame f;

static void
setup(void)
{
	gk_test_init(&t);
	gk_outq_init(&q, t.ctx, SIZE_MAX);
	gk_nm_init(&f, t.ctx);
}

static void
teardown(void)
{
	gk_outq_clear(&q);
	gk_frame_done(&f);
	gk_test_done(&t);
}

START_TEST(test_a_message_is_its_length_and_its_json)
{
	const void *p;
	size_t len;

	ck_assert_int_eq(gk_nm_send(&q, gk_span_str("{\"a\":1}")), 0);
	ck_assert_int_eq(gk_outq_output(&q, &p, &len), 1);
	ck_assert_uint_eq(len, 11);
	ck_assert_mem_eq(p, "\7\0\0\0{\"a\":1}", 11);
}
END_TEST

START_TEST(test_an_empty_message_is_never_sent)
{
	ck_assert_int_eq(gk_nm_send(&q, gk_span("", 0)),
	    GENKAN_E_FRAME_EMPTY);
	ck_assert(gk_outq_empty(&q));
}
END_TEST

/* 1,048,575, 1,048,576 and 1,048,577 bytes. */
START_TEST(test_a_message_to_the_browser_is_at_most_1_mib)
{
	size_t len = 1048575 + (size_t)_i;
	char *s = malloc(len);

	memset(s, ' ', len);
	ck_assert_int_eq(gk_nm_send(&q, gk_span(s, len)), _i < 2 ? 0 :
	    GENKAN_E_FRAME_SIZE);
	ck_assert_int_eq(gk_outq_empty(&q), _i == 2);
	free(s);
}
END_TEST

/* 67,108,864 bytes are promised and taken, one more is not. */
START_TEST(test_a_message_from_the_browser_is_at_most_64_mib)
{
	static const uint8_t prefix[2][4] = {
		{ 0, 0, 0, 4 }, { 1, 0, 0, 4 },
	};
	size_t used;
	int r;

	r = gk_frame_feed(&f, prefix[_i], 4, &used);
	ck_assert_int_eq(r, _i == 0 ? 0 : GENKAN_E_FRAME_SIZE);
	ck_assert_uint_eq(used, 4);
	/* A promise reserves nothing. */
	ck_assert_uint_lt(t.peak, 100000);
	if (_i == 1)
		ck_assert_str_eq(gk_nm_offence(r), "frame too large");
}
END_TEST

START_TEST(test_every_offence_has_its_phrase)
{
	ck_assert_ptr_null(gk_nm_offence(0));
	ck_assert_str_eq(gk_nm_offence(GENKAN_E_FRAME_EMPTY),
	    "stdin read error");
	ck_assert_str_eq(gk_nm_offence(GENKAN_E_NOMEM), "stdin read error");
}
END_TEST

/* Bytes of a frame of one byte after which the input ends. */
START_TEST(test_an_end_inside_a_body_is_an_offence)
{
	size_t used;

	(void)gk_frame_feed(&f, "\1\0\0\0", (size_t)_i, &used);
	if (_i < 4)
		ck_assert_ptr_null(gk_nm_eof_offence(&f));
	else
		ck_assert_str_eq(gk_nm_eof_offence(&f), "stdin read error");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("nm");
	TCase *tc = tcase_create("nm");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_message_is_its_length_and_its_json);
	tcase_add_test(tc, test_an_empty_message_is_never_sent);
	tcase_add_loop_test(tc,
	    test_a_message_to_the_browser_is_at_most_1_mib, 0, 3);
	tcase_add_loop_test(tc,
	    test_a_message_from_the_browser_is_at_most_64_mib, 0, 2);
	tcase_add_test(tc, test_every_offence_has_its_phrase);
	tcase_add_loop_test(tc, test_an_end_inside_a_body_is_an_offence, 0,
	    5);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
