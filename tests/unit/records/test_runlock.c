/* run.lock: wire.md 2.3. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "records/runlock.h"
#include "records/store.h"
#include "util.h"

#define SECRET	"00112233445566778899aabbccddeeff"
#define LOCK	"{\"endpoint\":\"/run/user/1000/genkan/run.sock\",\"secret\":\"" \
		SECRET "\",\"pid\":4294967295,\"state_dir\":\"/home/a/s\"}"

static struct gk_test t;
static struct gk_runlock lock;
static char why[GK_WHY_MAX];

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

static int
parse(const char *text)
{
	return gk_runlock_parse(t.ctx, text, strlen(text), &lock, why,
	    sizeof(why));
}

START_TEST(test_a_lock_is_read)
{
	ck_assert_int_eq(parse(LOCK "\n"), 0);
	ck_assert_str_eq(lock.endpoint, "/run/user/1000/genkan/run.sock");
	ck_assert_str_eq(lock.state_dir, "/home/a/s");
	ck_assert_uint_eq(lock.pid, 4294967295u);
	ck_assert_mem_eq(lock.secret, SECRET, 32);
}
END_TEST

/* A newer broker stays readable. */
START_TEST(test_unknown_members_are_ignored)
{
	ck_assert_int_eq(parse("{\"version\":\"x\",\"pid\":0,\"new\":{\"a\":"
	    "[1]},\"state_dir\":\"/s\",\"secret\":\"" SECRET "\","
	    "\"endpoint\":\"/e\"}"), 0);
	ck_assert_uint_eq(lock.pid, 0);
	ck_assert_str_eq(lock.endpoint, "/e");
}
END_TEST

#define OTHER(endpoint, secret, pid, dir) "{\"endpoint\":" endpoint \
	",\"secret\":" secret ",\"pid\":" pid ",\"state_dir\":" dir "}"
#define S	"\"" SECRET "\""

static const char *const bad[] = {
	"", "[]", "{}", "{\"endpoint\":\"/e\"}",
	OTHER("null", S, "1", "\"/s\""),
	OTHER("\"\"", S, "1", "\"/s\""),
	OTHER("\"e\"", S, "1", "\"/s\""),
	OTHER("\"/e\\u0000\"", S, "1", "\"/s\""),
	OTHER("\"/e\"", S, "1", "\"s\""),
	OTHER("\"/e\"", S, "1", "1"),
	OTHER("\"/e\"", S, "-1", "\"/s\""),
	OTHER("\"/e\"", S, "-0", "\"/s\""),
	OTHER("\"/e\"", S, "1.0", "\"/s\""),
	OTHER("\"/e\"", S, "4294967296", "\"/s\""),
	OTHER("\"/e\"", S, "\"1\"", "\"/s\""),
	OTHER("\"/e\"", "\"\"", "1", "\"/s\""),
	OTHER("\"/e\"", "\"00112233445566778899aabbccddeef\"", "1", "\"/s\""),
	OTHER("\"/e\"", "\"00112233445566778899aabbccddeeff0\"", "1",
	    "\"/s\""),
	OTHER("\"/e\"", "\"00112233445566778899AABBCCDDEEFF\"", "1",
	    "\"/s\""),
	OTHER("\"/e\"", "\"00112233445566778899aabbccddeefg\"", "1",
	    "\"/s\""),
	"{\"endpoint\":\"/e\",\"secret\":" S ",\"pid\":1,\"pid\":1,"
	    "\"state_dir\":\"/s\"}",
};

START_TEST(test_a_bad_lock_is_unreadable_and_leaves_no_secret)
{
	static const struct gk_runlock zero;

	memset(&lock, 'x', sizeof(lock));
	ck_assert_msg(parse(bad[_i]) == GENKAN_E_RECORD_CORRUPT, "%s",
	    bad[_i]);
	ck_assert_mem_eq(&lock, &zero, sizeof(lock));
	ck_assert_msg(strstr(why, "0011") == NULL, "%s", why);
}
END_TEST

START_TEST(test_a_lock_has_at_most_64_kib)
{
	static char text[65540];

	memset(text, ' ', sizeof(text));
	memcpy(text, LOCK, strlen(LOCK));
	ck_assert_int_eq(gk_runlock_parse(t.ctx, text, (size_t)(65535 + _i),
	    &lock, why, sizeof(why)), _i < 2 ? 0 : GENKAN_E_TOO_LARGE);
}
END_TEST

START_TEST(test_a_path_has_at_most_4095_bytes)
{
	static char text[9000];
	char path[4100];
	int len = 4094 + _i;

	memset(path, '/', sizeof(path));
	path[len] = '\0';
	(void)snprintf(text, sizeof(text), OTHER("\"%s\"", S, "1", "\"/s\""),
	    path);
	ck_assert_int_eq(parse(text), _i < 2 ? 0 : GENKAN_E_RECORD_CORRUPT);
}
END_TEST

START_TEST(test_what_is_written_is_read_back)
{
	struct gk_runlock back;
	struct gk_buf out;

	ck_assert_int_eq(parse(LOCK), 0);
	gk_buf_init(&out, t.ctx, 65536);
	ck_assert_int_eq(gk_runlock_format(&lock, &out), 0);
	ck_assert(gk_span_is(gk_buf_span(&out), LOCK "\n"));
	ck_assert_int_eq(gk_runlock_parse(t.ctx, out.ptr, out.len, &back, why,
	    sizeof(why)), 0);
	ck_assert_mem_eq(&back, &lock, sizeof(lock));
	gk_buf_clear(&out);
	lock.secret[5] = 'X';
	ck_assert_int_eq(gk_runlock_format(&lock, &out), GENKAN_E_INVAL);
	lock.secret[5] = '0';
	(void)strcpy(lock.state_dir, "/\xff");
	ck_assert_int_eq(gk_runlock_format(&lock, &out), GENKAN_E_INVAL);
	(void)strcpy(lock.state_dir, "s");
	ck_assert_int_eq(gk_runlock_format(&lock, &out), GENKAN_E_INVAL);
	ck_assert_uint_eq(out.len, 0);
	gk_buf_done(&out);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("runlock");
	TCase *tc = tcase_create("runlock");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_lock_is_read);
	tcase_add_test(tc, test_unknown_members_are_ignored);
	tcase_add_loop_test(tc,
	    test_a_bad_lock_is_unreadable_and_leaves_no_secret, 0,
	    (int)GK_ARRAY_LEN(bad));
	tcase_add_loop_test(tc, test_a_lock_has_at_most_64_kib, 0, 3);
	tcase_add_loop_test(tc, test_a_path_has_at_most_4095_bytes, 0, 3);
	tcase_add_test(tc, test_what_is_written_is_read_back);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
