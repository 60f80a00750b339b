/* The verdict and the words of the health report: control.md 9. */
#include "local/doctor.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codec/scan.h"
#include "crypto/ossl.h"
#include "local/ground.h"

static struct gk_doctor *d;

/* A healthy machine; each test spoils some of it. */
static void
setup(void)
{
	gk_test_init(&t);
	d = gk_calloc(t.ctx, 1, sizeof(*d));
	ck_assert_ptr_nonnull(d);
	d->ctx = t.ctx;
	(void)strcpy(d->os, "linux");
	(void)strcpy(d->arch, "x86_64");
	(void)strcpy(d->place.runtime, "/run/genkan");
	(void)strcpy(d->place.state, "/home/a/state");
	(void)strcpy(d->lock_path, "/run/genkan/run.lock");
	d->lock = GK_DOCTOR_LOCK_PRESENT;
	(void)strcpy(d->endpoint, "/run/genkan/run.sock");
	(void)strcpy(d->lock_state, "/home/a/state");
	d->pid = 42;
	d->secret_len = 32;
	d->server = GK_DOCTOR_REACHABLE;
	d->trust.kill = GK_KILL_CLEAR;
	d->trust.why = "";
	d->policy.state = GK_POLICY_ABSENT;
	d->policy.why = "";
	for (int i = 0; i < GK_REG_ROWS; i++) {
		d->row[i].key = "chrome";
		(void)strcpy(d->row[i].location, "/x");
	}
	d->row[2].detected = true;
	d->row[2].state.kind = GK_REG_OK;
	(void)strcpy(d->extension, "/usr/share/genkan/extension");
}

static void
teardown(void)
{
	gk_doctor_free(d);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

/* One condition of 9.2 each, in its order, and what the summary says. */
static void
spoil(int row)
{
	switch (row) {
	case 1:
		d->mismatch = true;
		(void)strcpy(d->lock_state, "/home/b/state");
		break;
	case 2:
		d->trust.kill = GK_KILL_ENGAGED;
		break;
	case 3:
		d->trust.kill = GK_KILL_UNREADABLE;
		d->trust.why = "trust.json: broken";
		break;
	case 4:
		d->policy.state = GK_POLICY_UNREADABLE;
		d->policy.why = "policy.json: broken";
		break;
	case 5:
		d->lock = GK_DOCTOR_LOCK_UNREADABLE;
		(void)strcpy(d->lock_why, "run.lock: broken");
		break;
	case 6:
		d->lock = GK_DOCTOR_LOCK_ABSENT;
		break;
	case 8:
		d->row[2].state.kind = GK_REG_STALE;
		break;
	case 9:
		d->server = GK_DOCTOR_UNREACHABLE;
		(void)strcpy(d->server_why, "connection refused");
		break;
	case 10:
		d->server = GK_DOCTOR_NOT_PROBED;
		(void)strcpy(d->server_why, "it is dead");
		break;
	}
}

static const struct {
	int		 row;
	const char	*says;
} verdicts[] = {
	{ 1, "state directory mismatch" },
	{ 1, "/home/b/state" },
	{ 2, "the kill switch is engaged" },
	{ 3, "the trust record is unreadable: trust.json: broken" },
	{ 4, "the policy is unreadable: policy.json: broken" },
	{ 5, "the lock file cannot be read: run.lock: broken; start the MCP" },
	{ 5, "move it away" },
	{ 6, "the MCP client starts it" },
	{ 8, "`genkan doctor --fix`" },
	{ 9, "does not answer: connection refused; end all MCP clients" },
	{ 10, "not asked: it is dead; start the MCP client again" },
};

START_TEST(test_all_is_well)
{
	gk_doctor_judge(d);
	ck_assert(d->healthy);
	ck_assert_str_ne(d->summary, "");
}
END_TEST

START_TEST(test_each_condition_has_its_sentence)
{
	spoil(verdicts[_i].row);
	gk_doctor_judge(d);
	ck_assert(!d->healthy);
	ck_assert_msg(strstr(d->summary, verdicts[_i].says) != NULL, "%s",
	    d->summary);
}
END_TEST

/* Everything from a row on is spoilt: the row itself is what is told. */
START_TEST(test_the_first_hit_wins)
{
	static const int order[] = { 10, 8, 6, 5, 4, 3, 2, 1 };
	static const char *const says[] = { "not asked", "not asked",
	    "no server runs", "lock file", "policy", "trust record",
	    "kill switch is engaged", "mismatch" };
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(order); i++) {
		spoil(order[i]);
		gk_doctor_judge(d);
		ck_assert(!d->healthy);
		ck_assert_msg(strstr(d->summary, says[i]) != NULL, "%d: %s",
		    order[i], d->summary);
	}
}
END_TEST

/* Without a server, the way to registration is shown where it is needed. */
START_TEST(test_no_server_points_to_fix_only_where_nothing_is_registered)
{
	spoil(6);
	gk_doctor_judge(d);
	ck_assert_ptr_null(strstr(d->summary, "--fix"));
	spoil(8);
	gk_doctor_judge(d);
	ck_assert_ptr_nonnull(strstr(d->summary, "`genkan doctor --fix`"));
}
END_TEST

/* Without a genkan-host, --fix alone would only fail. */
START_TEST(test_without_a_host_the_way_out_is_to_install_again)
{
	spoil(8);
	(void)strcpy(d->host.why, "genkan-host: not executable");
	gk_doctor_judge(d);
	ck_assert_ptr_nonnull(strstr(d->summary, "is registered; this "
	    "installation has no usable genkan-host (genkan-host: not "
	    "executable): install genkan again"));
	spoil(6);
	gk_doctor_judge(d);
	ck_assert_ptr_nonnull(strstr(d->summary, "starts it; this "
	    "installation has no usable genkan-host"));
	d->row[2].state.kind = GK_REG_OK;
	gk_doctor_judge(d);
	ck_assert_ptr_null(strstr(d->summary, "usable genkan-host"));
}
END_TEST

/* Registered is not enough, and found is not enough. */
START_TEST(test_only_a_detected_browser_that_is_ok_counts)
{
	d->row[2].detected = false;
	ck_assert(!gk_reg_rows_ok(d->row));
	gk_doctor_judge(d);
	ck_assert(!d->healthy);
	d->row[7].detected = true;
	ck_assert(!gk_reg_rows_ok(d->row));
	d->row[7].state.kind = GK_REG_OK;
	ck_assert(gk_reg_rows_ok(d->row));
}
END_TEST

static const char *
text_of(struct genkan_report *report)
{
	gk_doctor_judge(d);
	gk_doctor_text(d, report);
	ck_assert_int_eq(gk_report_finish(report), 0);
	return (const char *)report->text.ptr;
}

START_TEST(test_foreign_text_stays_on_its_line)
{
	struct genkan_report *report = gk_report_new(t.ctx);
	const char *text;

	(void)strcpy(d->endpoint, "/x\nkill switch       off\033[2J");
	d->trust.kill = GK_KILL_ENGAGED;
	text = text_of(report);
	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_ptr_null(strstr(text, "\nkill switch       off"));
	ck_assert_ptr_nonnull(strstr(text, "\nkill switch       engaged\n"));
	ck_assert_int_eq(report->status, GK_EXIT_FAILED);
	gk_report_free(report);
}
END_TEST

START_TEST(test_the_rows_come_in_the_order_of_the_specification)
{
	static const char *const rows[] = { "genkan ", "\nplatform ",
	    "\ndirectories ", "\nlock file ", "\nmcp server ",
	    "\nkill switch ", "\npolicy baseline ", "\nnative manifests\n",
	    "\nextension ", "\nverdict           healthy: " };
	struct genkan_report *report = gk_report_new(t.ctx);
	const char *text = text_of(report), *at = text;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(rows); i++) {
		at = strstr(at, rows[i]);
		ck_assert_msg(at != NULL, "%s in %s", rows[i], text);
	}
	ck_assert_int_eq(report->status, GK_EXIT_OK);
	gk_report_free(report);
}
END_TEST

/* Whatever was found, it is one valid object. */
START_TEST(test_json_is_valid_in_every_state)
{
	static const int order[] = { 0, 10, 9, 8, 6, 5, 4, 3, 2, 1 };
	struct gk_scan scan;
	struct gk_buf out;
	size_t i;

	(void)strcpy(d->row[0].state.detail, "a \"b\" \xff\n");
	d->row[0].state.kind = GK_REG_UNREADABLE;
	d->sandboxed[0].key = "brave";
	d->sandboxed[0].packaging = "flatpak";
	(void)strcpy(d->sandboxed[0].path, "/y");
	for (i = 0; i < GK_ARRAY_LEN(order); i++) {
		d->nsandboxed = i % 2;
		d->has_extension = i % 3 == 0;
		spoil(order[i]);
		gk_doctor_judge(d);
		gk_buf_init(&out, t.ctx, GK_REPORT_MAX);
		ck_assert_int_eq(gk_doctor_json(d, &out), 0);
		ck_assert_int_eq(gk_scan(t.ctx, out.ptr, out.len, NULL, 0,
		    &scan), 0);
		ck_assert(scan.canonical);
		ck_assert_uint_eq(scan.total, 15);
		gk_buf_clear(&out);
		ck_assert_int_eq(gk_doctor_frame(d, &out), 0);
		ck_assert_int_eq(gk_scan(t.ctx, out.ptr, out.len, NULL, 0,
		    &scan), 0);
		ck_assert(scan.canonical);
		ck_assert_uint_eq(scan.total, 10);
		gk_buf_done(&out);
	}
}
END_TEST

START_TEST(test_want_of_memory_is_noticed_and_leaks_nothing)
{
	struct genkan_report *report;
	struct gk_buf out;
	size_t i;
	int r = GENKAN_E_NOMEM;

	gk_doctor_judge(d);
	for (i = 1; r != 0 && i < 2000; i++) {
		t.fail_at = i;
		report = gk_report_new(t.ctx);
		if (report != NULL) {
			gk_doctor_text(d, report);
			r = gk_report_finish(report);
		}
		t.fail_at = 0;
		gk_report_free(report);
	}
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 10);
	r = GENKAN_E_NOMEM;
	for (i = 1; r != 0 && i < 2000; i++) {
		gk_buf_init(&out, t.ctx, GK_REPORT_MAX);
		t.fail_at = i;
		r = gk_doctor_json(d, &out);
		if (r == 0)
			r = gk_doctor_frame(d, &out);
		t.fail_at = 0;
		gk_buf_done(&out);
	}
	ck_assert_int_eq(r, 0);
	ck_assert_uint_gt(i, 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("doctor");
	TCase *tc = tcase_create("doctor");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_all_is_well);
	tcase_add_loop_test(tc, test_each_condition_has_its_sentence, 0,
	    (int)GK_ARRAY_LEN(verdicts));
	tcase_add_test(tc, test_the_first_hit_wins);
	tcase_add_test(tc,
	    test_no_server_points_to_fix_only_where_nothing_is_registered);
	tcase_add_test(tc,
	    test_without_a_host_the_way_out_is_to_install_again);
	tcase_add_test(tc, test_only_a_detected_browser_that_is_ok_counts);
	tcase_add_test(tc, test_foreign_text_stays_on_its_line);
	tcase_add_test(tc,
	    test_the_rows_come_in_the_order_of_the_specification);
	tcase_add_test(tc, test_json_is_valid_in_every_state);
	tcase_add_test(tc, test_want_of_memory_is_noticed_and_leaks_nothing);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
