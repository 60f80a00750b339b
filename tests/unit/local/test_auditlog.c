/* The audit trail on disk: control.md 11.1. */
#include <dirent.h>

#include "local/auditlog.h"
#include "os/clock.h"
#include "os/lock.h"
#include "records/auditrec.h"
#include "ground.h"

static struct gk_auditlog l;
static struct gk_statedir sdir;
static struct gk_audit rec = GK_AUDIT_INIT;

static void
setup(void)
{
	ground_make();
	(void)unsetenv("GENKAN_LOG_FORMAT");
	gk_statedir_init(&sdir, t.ctx, place.state);
	gk_auditlog_init(&l, t.ctx, &sdir);
	rec.kind = "kill_engage";
	rec.surface = "cli";
	rec.name = NULL;
}

static void
teardown(void)
{
	gk_auditlog_done(&l);
	gk_statedir_done(&sdir);
	ground_drop();
}

static const char *
file(const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "home/.local/state/genkan/%s",
	    name);
	return at(path);
}

static off_t
size_of(const char *name)
{
	struct stat st;

	return stat(file(name), &st) == 0 ? st.st_size : -1;
}

static void
state_dir(void)
{
	int fd = -1;

	ck_assert_int_eq(gk_dirs_make(place.state, &fd, &why), 0);
	ck_assert_int_eq(close(fd), 0);
}

static size_t
lines(void)
{
	struct gk_span rest, line;
	struct gk_buf trail;
	size_t n = 0;

	gk_buf_init(&trail, t.ctx, GK_TRAIL_MAX);
	ck_assert_int_eq(gk_auditlog_read(&place, &trail, &why), 0);
	rest = gk_buf_span(&trail);
	while (gk_audit_next(&rest, &line))
		n++;
	gk_buf_done(&trail);
	return n;
}

/* The file is looked at anew in every millisecond. */
static void
next_look(void)
{
	const uint64_t now = gk_clock_wall_ms();

	while (gk_clock_wall_ms() == now)
		;
}

/* Whole files of the trail, to look for texts in. */
static bool
trail_has(const char *text)
{
	struct gk_buf trail;
	bool has;

	gk_buf_init(&trail, t.ctx, GK_TRAIL_MAX);
	ck_assert_int_eq(gk_auditlog_read(&place, &trail, &why), 0);
	ck_assert_int_eq(gk_buf_putc(&trail, '\0'), 0);
	has = strstr((const char *)trail.ptr, text) != NULL;
	gk_buf_done(&trail);
	return has;
}

START_TEST(test_a_record_makes_directory_and_file)
{
	struct stat st;

	ck_assert_uint_eq(lines(), 0);
	ck_assert_int_eq(size_of("."), -1);	/* reading made nothing */
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(lines(), 1);
	ck_assert_int_eq(stat(file("audit.log"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_str_eq(t.log_tag, "audit");
	ck_assert_str_eq(t.log_id, "audit-text");
	ck_assert_int_eq(strncmp(t.log_text, "ts=", 3), 0);
	ck_assert_ptr_nonnull(strstr(t.log_text,
	    " kind=kill_engage surface=cli"));
}
END_TEST

START_TEST(test_wider_bits_are_tightened)
{
	struct stat st;

	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(chmod(file("audit.log"), 0644), 0);
	next_look();
	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(stat(file("audit.log"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_uint_eq(lines(), 2);
}
END_TEST

START_TEST(test_the_echo_may_be_json)
{
	ck_assert_int_eq(setenv("GENKAN_LOG_FORMAT", "json", 1), 0);
	gk_auditlog_init(&l, t.ctx, &sdir);
	gk_auditlog_put(&l, &rec);
	ck_assert_str_eq(t.log_id, "audit-json");
	ck_assert_int_eq(strncmp(t.log_text,
	    "{\"level\":\"audit\",\"v\":1,\"ts_ms\":", 31), 0);
	ck_assert_int_eq(unsetenv("GENKAN_LOG_FORMAT"), 0);
}
END_TEST

/* n - 1 and n stay, n + 1 moves. */
START_TEST(test_a_full_file_is_moved_away)
{
	off_t one;

	gk_auditlog_put(&l, &rec);
	one = size_of("audit.log");
	ck_assert_int_eq(truncate(file("audit.log"),
	    GK_AUDIT_FILE_MAX - one - 1), 0);
	next_look();
	gk_auditlog_put(&l, &rec);	/* its torn end takes one byte more */
	ck_assert_int_eq(size_of("audit.log.1"), -1);
	ck_assert_int_eq(size_of("audit.log"), GK_AUDIT_FILE_MAX);
	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(size_of("audit.log.1"), GK_AUDIT_FILE_MAX);
	ck_assert_int_eq(size_of("audit.log"), one);
	ck_assert_int_eq(size_of("audit.log.lock"), 0);
	/* And the one generation before is gone with the next move. */
	ck_assert_int_eq(truncate(file("audit.log"), GK_AUDIT_FILE_MAX), 0);
	next_look();
	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(size_of("audit.log"), one);
}
END_TEST

START_TEST(test_a_rotation_that_somebody_else_does_is_not_waited_for)
{
	int dir = -1, lock = -1;

	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(truncate(file("audit.log"), GK_AUDIT_FILE_MAX), 0);
	next_look();
	ck_assert_int_eq(gk_dirs_open(place.state, &dir, &why), 0);
	ck_assert_int_eq(gk_lock_take(dir, GK_AUDITLOG_LOCK, 0, &lock, &why),
	    0);
	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(size_of("audit.log.1"), -1);
	ck_assert_int_gt(size_of("audit.log"), GK_AUDIT_FILE_MAX);
	gk_lock_drop(lock);
	gk_auditlog_put(&l, &rec);
	ck_assert_int_gt(size_of("audit.log.1"), GK_AUDIT_FILE_MAX);
	ck_assert_int_eq(close(dir), 0);
}
END_TEST

START_TEST(test_lost_records_are_counted_and_told_once)
{
	state_dir();
	ck_assert_int_eq(mkdir(file("audit.log"), 0700), 0);
	gk_auditlog_put(&l, &rec);
	ck_assert_str_eq(t.log_id, "audit-lost");
	gk_auditlog_put(&l, &rec);
	ck_assert_str_eq(t.log_id, "audit-text");
	ck_assert_uint_eq(l.dropped, 2);
	ck_assert_int_eq(rmdir(file("audit.log")), 0);
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(l.dropped, 0);
	ck_assert(trail_has("\"dropped\":2}"));
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(lines(), 2);
}
END_TEST

START_TEST(test_a_link_or_a_pipe_is_not_written_to)
{
	state_dir();
	put("elsewhere", "", 0600);
	ck_assert_int_eq(symlink(at("elsewhere"), file("audit.log")), 0);
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(l.dropped, 1);
	ck_assert_int_eq(unlink(file("audit.log")), 0);
	ck_assert_int_eq(mkfifo(file("audit.log"), 0600), 0);
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(l.dropped, 2);
}
END_TEST

START_TEST(test_half_a_line_spoils_no_other)
{
	struct gk_buf trail;
	int fd;

	gk_auditlog_put(&l, &rec);
	fd = open(file("audit.log"), O_WRONLY | O_APPEND);
	ck_assert_int_eq(write(fd, "{\"v\":1,\"ts", 10), 10);
	ck_assert_int_eq(close(fd), 0);
	next_look();
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(lines(), 3);
	gk_buf_init(&trail, t.ctx, GK_TRAIL_MAX);
	ck_assert_int_eq(gk_auditlog_read(&place, &trail, &why), 0);
	ck_assert_int_eq(trail.ptr[trail.len - 1], '\n');
	gk_buf_done(&trail);
}
END_TEST

/* In the same millisecond or not: no line is lost, and the next look finds the
 * name. */
START_TEST(test_a_file_that_is_moved_away_is_left)
{
	off_t one;

	gk_auditlog_put(&l, &rec);
	one = size_of("audit.log");
	ck_assert_int_eq(rename(file("audit.log"), file("audit.log.1")), 0);
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(lines(), 2);
	next_look();
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(lines(), 3);
	ck_assert_int_ge(size_of("audit.log"), one);
	ck_assert_int_eq(unlink(file("audit.log")), 0);
	next_look();
	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(size_of("audit.log"), one);
}
END_TEST

/* Lines of one millisecond: the limit holds for them too. */
START_TEST(test_a_burst_is_rotated_like_anything_else)
{
	off_t one;
	int i, n;

	gk_auditlog_put(&l, &rec);
	one = size_of("audit.log");
	n = (int)(GK_AUDIT_FILE_MAX / one);
	for (i = 1; i < n; i++)
		gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(size_of("audit.log.1"), -1);
	ck_assert_int_eq(size_of("audit.log"), n * one);
	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(size_of("audit.log.1"), n * one);
	ck_assert_int_eq(size_of("audit.log"), one);
}
END_TEST

/* Four writers, and every line of theirs is there, whole, once. */
START_TEST(test_writers_do_not_tear_each_others_lines)
{
	struct gk_span rest, line;
	struct gk_auditrec got;
	struct gk_buf trail;
	char name[32];
	int status, i, k;
	size_t n = 0;
	pid_t pid[4];

	for (i = 0; i < 4; i++) {
		if ((pid[i] = fork()) != 0)
			continue;
		for (k = 0; k < 100; k++) {
			(void)snprintf(name, sizeof(name), "w%d-%d", i, k);
			rec.name = name;
			gk_auditlog_put(&l, &rec);
		}
		_exit(l.dropped == 0 ? 0 : 1);
	}
	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
		ck_assert_int_eq(status, 0);
	}
	gk_buf_init(&trail, t.ctx, GK_TRAIL_MAX);
	ck_assert_int_eq(gk_auditlog_read(&place, &trail, &why), 0);
	rest = gk_buf_span(&trail);
	while (gk_audit_next(&rest, &line)) {
		ck_assert_int_eq(gk_auditrec_parse(t.ctx, line, &got), 0);
		n++;
	}
	ck_assert_uint_eq(n, 400);
	gk_buf_done(&trail);
}
END_TEST

START_TEST(test_what_lies_in_the_place_of_the_older_file_hides_nothing)
{
	state_dir();
	if (_i == 0)
		ck_assert_int_eq(mkdir(file("audit.log.1"), 0700), 0);
	else
		ck_assert_int_eq(symlink("nowhere", file("audit.log.1")), 0);
	gk_auditlog_put(&l, &rec);
	ck_assert_uint_eq(lines(), 2);
	ck_assert(trail_has("audit.log.1: "));
	ck_assert(trail_has("\"kill_engage\""));
}
END_TEST

/* Nothing could be moved away for long: the last records can be read still. */
START_TEST(test_of_a_file_that_outgrew_all_bounds_the_end_is_read)
{
	struct gk_auditrec got;
	struct gk_span line;
	struct gk_buf trail;
	const char *name = _i == 0 ? "audit.log" : "audit.log.1";

	gk_auditlog_put(&l, &rec);
	ck_assert_int_eq(truncate(file("audit.log"), GK_AUDITLOG_READ_MAX + 9),
	    0);
	ck_assert_int_eq(mkdir(file("audit.log.lock"), 0700), 0);
	next_look();
	gk_auditlog_put(&l, &rec);
	gk_auditlog_put(&l, &rec);
	ck_assert_int_gt(size_of("audit.log"), GK_AUDITLOG_READ_MAX);
	if (_i == 1)
		ck_assert_int_eq(rename(file("audit.log"), file(name)), 0);
	gk_buf_init(&trail, t.ctx, GK_TRAIL_MAX);
	ck_assert_int_eq(gk_auditlog_read(&place, &trail, &why), 0);
	ck_assert_uint_eq(trail.len, GK_AUDITLOG_READ_MAX);
	ck_assert(gk_audit_last(gk_buf_span(&trail), &line));
	ck_assert_int_eq(gk_auditrec_parse(t.ctx, line, &got), 0);
	gk_buf_done(&trail);
	ck_assert_uint_eq(lines(), 3);	/* one of them is only NULs */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("auditlog");
	TCase *tc = tcase_create("auditlog");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_record_makes_directory_and_file);
	tcase_add_test(tc, test_wider_bits_are_tightened);
	tcase_add_test(tc, test_the_echo_may_be_json);
	tcase_add_test(tc, test_a_full_file_is_moved_away);
	tcase_add_test(tc,
	    test_a_rotation_that_somebody_else_does_is_not_waited_for);
	tcase_add_test(tc, test_lost_records_are_counted_and_told_once);
	tcase_add_test(tc, test_a_link_or_a_pipe_is_not_written_to);
	tcase_add_test(tc, test_half_a_line_spoils_no_other);
	tcase_add_test(tc, test_a_file_that_is_moved_away_is_left);
	tcase_add_test(tc, test_a_burst_is_rotated_like_anything_else);
	tcase_add_test(tc, test_writers_do_not_tear_each_others_lines);
	tcase_add_loop_test(tc,
	    test_what_lies_in_the_place_of_the_older_file_hides_nothing, 0, 2);
	tcase_add_loop_test(tc,
	    test_of_a_file_that_outgrew_all_bounds_the_end_is_read, 0, 2);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
