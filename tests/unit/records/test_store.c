/* The store table: stamps, caps, and the sentence about a bad record. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "records/store.h"
#include "util.h"

static struct gk_test t;

/* A file of .size bytes, or the error .r. */
struct fake {
	size_t	size;
	int	r;
};

static int
load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	struct fake *f = user;
	uint8_t *room;

	(void)record;
	if (f->r < 0) {
		stamp->ino = 9;
		(void)snprintf(why, whylen, "no luck");
		return f->r;
	}
	ck_assert_int_eq(gk_buf_reserve(ret, f->size, &room), 0);
	memset(room, 'x', f->size);
	gk_buf_commit(ret, f->size);
	stamp->ino = 5;
	return 0;
}

static const char *
path(void *user, int record)
{
	(void)user;
	return record == GK_RECORD_TRUST ? "/home/a\n/trust.json" : NULL;
}

static void
setup(void)
{
	gk_test_init(&t);
}

static void
teardown(void)
{
	gk_test_done(&t);
}

START_TEST(test_a_zero_stamp_equals_nothing)
{
	struct gk_stamp zero = { 0 }, a = { 1, 2, 3, 4, 5 }, b;

	ck_assert(!gk_stamp_equal(&zero, &zero));
	ck_assert(gk_stamp_equal(&a, &a));
	b = a; b.dev++; ck_assert(!gk_stamp_equal(&a, &b));
	b = a; b.ino++; ck_assert(!gk_stamp_equal(&a, &b));
	b = a; b.size++; ck_assert(!gk_stamp_equal(&a, &b));
	b = a; b.mtime_ns++; ck_assert(!gk_stamp_equal(&a, &b));
	b = a; b.ctime_ns++; ck_assert(!gk_stamp_equal(&a, &b));
}
END_TEST

START_TEST(test_the_table_of_records)
{
	static const struct {
		const char	*file;
		size_t		 cap;
	} want[] = {
		{ "trust.json", 262144 }, { "policy.json", 262144 },
		{ "policy-history.json", 262144 }, { "lang.json", 4096 },
		{ "host_key.json", 4096 },
	};
	int i;

	ck_assert_int_eq(GK_RECORD_END, 5);
	for (i = 0; i < GK_RECORD_END; i++) {
		ck_assert_str_eq(gk_record_file(i), want[i].file);
		ck_assert_uint_eq(gk_record_cap(i), want[i].cap);
	}
	ck_assert_uint_eq(gk_record_cap(5), 0);
	ck_assert_uint_eq(gk_record_cap(-1), 0);
}
END_TEST

START_TEST(test_a_load_is_bounded_by_the_cap)
{
	struct fake f = { (size_t)(4095 + _i), 0 };
	const struct gk_store store = { .user = &f, .load = load };
	struct gk_stamp stamp;
	struct gk_buf buf;
	char why[GK_WHY_MAX];

	ck_assert_int_eq(gk_store_load(t.ctx, &store, GK_RECORD_LANG, &buf,
	    &stamp, why, sizeof(why)), _i < 2 ? 0 : GENKAN_E_TOO_LARGE);
	ck_assert_uint_eq(buf.len, _i < 2 ? f.size : 0);
	ck_assert_uint_eq(stamp.ino, _i < 2 ? 5 : 0);
	ck_assert_str_eq(why, _i < 2 ? "" : "larger than 4096 bytes");
	gk_buf_done(&buf);
}
END_TEST

START_TEST(test_a_failing_store_leaves_no_stamp)
{
	struct fake f = { 0, GENKAN_E_IO };
	const struct gk_store store = { .user = &f, .load = load };
	struct gk_stamp stamp;
	struct gk_buf buf;
	char why[GK_WHY_MAX];

	ck_assert_int_eq(gk_store_load(t.ctx, &store, GK_RECORD_TRUST, &buf,
	    &stamp, why, sizeof(why)), GENKAN_E_IO);
	ck_assert(gk_stamp_is_zero(&stamp));
	ck_assert_str_eq(why, "no luck");
	gk_buf_done(&buf);
}
END_TEST

/* File, reason, the way out, and where to look: on one line. */
START_TEST(test_the_sentence_names_file_reason_and_way_out)
{
	const struct gk_store store = { .path = path };
	char text[GK_WHY_FULL];
	int i;

	for (i = 0; i < GK_RECORD_END; i++) {
		gk_store_unreadable(&store, i, "bad version", text,
		    sizeof(text));
		ck_assert_msg(strstr(text, gk_record_file(i)) != NULL, "%s",
		    text);
		ck_assert_msg(strstr(text, "bad version") != NULL, "%s", text);
		ck_assert_msg(strstr(text, "delete it") != NULL, "%s", text);
		ck_assert_msg(strstr(text, "`genkan doctor`") != NULL, "%s",
		    text);
		ck_assert_ptr_null(strchr(text, '\n'));
	}
	gk_store_unreadable(&store, GK_RECORD_TRUST, "x", text, sizeof(text));
	ck_assert_ptr_eq(strstr(text, "/home/a\\n/trust.json"), text);
	ck_assert_ptr_nonnull(strstr(text, "kill switch"));
}
END_TEST

/* Nobody is sent to files that do not count. */
START_TEST(test_records_of_a_program_name_the_program)
{
	const struct gk_store store = { .programs = true };
	char text[GK_WHY_FULL];

	gk_store_unreadable(&store, GK_RECORD_TRUST, "bad version", text,
	    sizeof(text));
	ck_assert_str_eq(text, "trust.json, as the program that runs this "
	    "broker keeps it, cannot be used: bad version");
}
END_TEST

START_TEST(test_a_long_sentence_is_cut_and_terminated)
{
	const struct gk_store store = { 0 };
	char text[32], why[300];

	memset(why, 'w', sizeof(why));
	why[299] = '\0';
	gk_store_unreadable(&store, GK_RECORD_TRUST, why, text, sizeof(text));
	ck_assert_uint_eq(strlen(text), 31);
}
END_TEST

static int audited;

static void
audit(void *user, const struct gk_audit *rec)
{
	ck_assert_ptr_eq(user, &audited);
	ck_assert_str_eq(rec->kind, "attach_refuse");
	ck_assert_int_eq(rec->req, -1);
	audited++;
}

START_TEST(test_audit_needs_no_sink)
{
	const struct gk_store none = { 0 };
	const struct gk_store some = { .user = &audited, .audit = audit };
	struct gk_audit rec = GK_AUDIT_INIT;

	audited = 0;
	rec.kind = "attach_refuse";
	gk_store_audit(&none, &rec);
	gk_store_audit(NULL, &rec);
	ck_assert_int_eq(audited, 0);
	gk_store_audit(&some, &rec);
	ck_assert_int_eq(audited, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("store");
	TCase *tc = tcase_create("store");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_zero_stamp_equals_nothing);
	tcase_add_test(tc, test_the_table_of_records);
	tcase_add_loop_test(tc, test_a_load_is_bounded_by_the_cap, 0, 3);
	tcase_add_test(tc, test_a_failing_store_leaves_no_stamp);
	tcase_add_test(tc, test_the_sentence_names_file_reason_and_way_out);
	tcase_add_test(tc, test_records_of_a_program_name_the_program);
	tcase_add_test(tc, test_a_long_sentence_is_cut_and_terminated);
	tcase_add_test(tc, test_audit_needs_no_sink);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
