/* A store of the program's as the machines see it. */
#include "api/userstore.h"

#include "util.h"

static struct gk_test t;
static struct gk_userstore store;
static char line[1024];
static int lines;

static int
load(void *user, int record, const void **ptr, size_t *len, uint64_t *version)
{
	(void)user;
	(void)record;
	(void)ptr;
	(void)len;
	(void)version;
	return GENKAN_E_NOENT;
}

static void
keep(void *user, const char *text, size_t len)
{
	ck_assert_ptr_eq(user, &lines);
	ck_assert_uint_lt(len, sizeof(line));
	memcpy(line, text, len);
	line[len] = '\0';
	lines++;
}

static void
setup(void)
{
	genkan_store given = GENKAN_STORE_INIT;

	gk_test_init(&t);
	lines = 0;
	line[0] = '\0';
	given.user = &lines;
	given.load = load;
	given.audit = keep;
	ck_assert_int_eq(gk_userstore_take(&store, t.ctx, &given, 0), 0);
}

static void
teardown(void)
{
	gk_userstore_done(&store);
	gk_test_done(&t);
}

START_TEST(test_lines_that_were_lost_are_counted_in_the_next_one)
{
	const struct gk_store *s = gk_userstore_over(&store, NULL);
	struct gk_audit rec = GK_AUDIT_INIT;
	int i;

	rec.kind = "tool_call";
	rec.surface = "mcp";
	rec.outcome = "ok";
	gk_store_audit(s, &rec);
	ck_assert_int_eq(lines, 1);
	ck_assert_ptr_null(strstr(line, "dropped"));
	for (i = 0; i < 3; i++) {
		t.fail_at = 1;
		gk_store_audit(s, &rec);
		ck_assert_int_eq(lines, 1);
		/* said once, not for each */
		ck_assert_uint_eq(t.logs, 1);
	}
	t.fail_at = 0;
	ck_assert_str_eq(t.log_id, "audit-lost");
	gk_store_audit(s, &rec);
	ck_assert_int_eq(lines, 2);
	ck_assert_ptr_nonnull(strstr(line, "\"dropped\":3"));
	gk_store_audit(s, &rec);
	ck_assert_int_eq(lines, 3);
	ck_assert_ptr_null(strstr(line, "dropped"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("userstore");
	TCase *tc = tcase_create("userstore");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
	    test_lines_that_were_lost_are_counted_in_the_next_one);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
