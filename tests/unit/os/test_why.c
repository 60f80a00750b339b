/* What a failure has told: of the thing that was asked about, or of us. */
#include "os/why.h"

#include <errno.h>

#include "genkan/contract.h"
#include "util.h"

static const struct {
	int	r, err;
	int	shortage, no_answer;
} failures[] = {
	{ GENKAN_E_IO, EMFILE, 1, 1 },
	{ GENKAN_E_IO, ENFILE, 1, 1 },
	{ GENKAN_E_IO, ENOMEM, 1, 1 },
	{ GENKAN_E_IO, ENOBUFS, 1, 1 },
	{ GENKAN_E_IO, EAGAIN, 1, 1 },
	{ GENKAN_E_IO, EINTR, 1, 1 },
	{ GENKAN_E_UNMEASURABLE, EMFILE, 1, 1 },
	{ GENKAN_E_UNMEASURABLE, ENOBUFS, 1, 1 },
	{ GENKAN_E_NOMEM, 0, 1, 1 },
	{ GENKAN_E_CRYPTO, 0, 1, 1 },
	{ GENKAN_E_IO, EIO, 0, 1 },
	{ GENKAN_E_IO, ESTALE, 0, 1 },
	{ GENKAN_E_IO, 0, 0, 1 },
	{ GENKAN_E_UNMEASURABLE, EIO, 0, 0 },
	{ GENKAN_E_UNMEASURABLE, EACCES, 0, 0 },
	{ GENKAN_E_ACCESS, EACCES, 0, 0 },
	{ GENKAN_E_NOENT, ENOENT, 0, 0 },
	{ GENKAN_E_TOO_LARGE, 0, 0, 0 },
	{ GENKAN_E_RECORD_CORRUPT, 0, 0, 0 },
	{ GENKAN_E_LIMIT, 0, 0, 0 },
	/* Words that were left by something before. */
	{ 0, EMFILE, 0, 0 },
	{ 1, EMFILE, 0, 0 },
};

START_TEST(test_want_is_told_from_an_answer)
{
	const struct gk_why why = { failures[_i].err, "" };

	ck_assert_int_eq(gk_why_shortage(failures[_i].r, &why),
	    failures[_i].shortage);
	ck_assert_int_eq(gk_why_no_answer(failures[_i].r, &why),
	    failures[_i].no_answer);
}
END_TEST

START_TEST(test_the_reason_of_the_system_stands_behind_the_words)
{
	struct gk_why why;

	ck_assert_int_eq(gk_why_set(&why, GENKAN_E_IO, EIO, "%s", "a"),
	    GENKAN_E_IO);
	ck_assert_str_eq(why.text, "a: Input/output error");
	ck_assert_int_eq(why.err, EIO);
	gk_why_prefix(&why, "here");
	ck_assert_str_eq(why.text, "here: a: Input/output error");
	ck_assert_int_eq(gk_why_set(&why, GENKAN_E_ACCESS, 0, "b"),
	    GENKAN_E_ACCESS);
	ck_assert_str_eq(why.text, "b");
	ck_assert_int_eq(why.err, 0);
	ck_assert_int_eq(gk_why_set(NULL, GENKAN_E_IO, EIO, "c"),
	    GENKAN_E_IO);
	gk_why_prefix(NULL, "here");
}
END_TEST

/* Both ends of a text: what does not fit is cut behind, never in front. */
START_TEST(test_words_are_cut_at_the_end)
{
	struct gk_why why;
	char text[600];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)gk_why_set(&why, GENKAN_E_IO, 0, "%s", text);
	ck_assert_uint_eq(strlen(why.text), sizeof(why.text) - 1);
	gk_why_prefix(&why, "ab");
	ck_assert_uint_eq(strlen(why.text), sizeof(why.text) - 1);
	ck_assert_int_eq(strncmp(why.text, "ab: xxx", 7), 0);
	gk_why_prefix(&why, text);
	ck_assert_int_eq(strncmp(why.text, "ab: xxx", 7), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("why");
	TCase *tc = tcase_create("why");

	tcase_add_loop_test(tc, test_want_is_told_from_an_answer, 0,
	    (int)GK_ARRAY_LEN(failures));
	tcase_add_test(tc,
	    test_the_reason_of_the_system_stands_behind_the_words);
	tcase_add_test(tc, test_words_are_cut_at_the_end);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
