/* What Linux writes in /proc, and what only looks like it. */
#include "os/proctext.h"

#include <string.h>

#include "util.h"

/* ------------------------------------------------------------------- maps */

static const struct {
	const char	*line;
	bool		 exec;
	unsigned	 major, minor;
	uint64_t	 ino;
	const char	*path;
} mappings[] = {
	{ "5606873c4000-5606873c9000 r-xp 00002000 fe:00 247134"
	    "                     /usr/bin/cat\n",
	    true, 0xfe, 0, 247134, "/usr/bin/cat" },
	{ "5606873c4000-5606873c9000 rw-s 00002000 103:1f 18446744073709551615 "
	    "/a b (deleted)", false, 0x103, 0x1f, UINT64_MAX,
	    "/a b (deleted)" },
	{ "ffffffffff600000-ffffffffffffffff --xp 00000000 00:00 0"
	    "                  [vsyscall]\n", true, 0, 0, 0, "[vsyscall]" },
	{ "7ffd9f4f8000-7ffd9f4f9000 -w-p 00000000 ffffffff:ffffffff 0 \n",
	    false, 0xffffffff, 0xffffffff, 0, "" },
	{ "1-2 r-xp 0 0:0 1 \t/a", true, 0, 0, 1, "\t/a" },
	{ "1-2 rwxp 0 0:0 0\n", true, 0, 0, 0, "" },
};

START_TEST(test_a_line_of_maps_is_read)
{
	struct gk_mapping m;
	char line[256];
	size_t len = strlen(mappings[_i].line);

	memcpy(line, mappings[_i].line, len + 1);
	ck_assert_int_eq(gk_proctext_mapping(line, len, &m), 0);
	ck_assert_int_eq(m.exec, mappings[_i].exec);
	ck_assert_uint_eq(m.major, mappings[_i].major);
	ck_assert_uint_eq(m.minor, mappings[_i].minor);
	ck_assert_uint_eq(m.ino, mappings[_i].ino);
	ck_assert_str_eq(m.path, mappings[_i].path);
}
END_TEST

static const char *const no_mappings[] = {
	"", "\n", "1-2", "1-2 r-xp 0 0:0",
	" 1-2 r-xp 0 0:0 0 /a", "1-2  r-xp 0 0:0 0 /a",
	"-1-2 r-xp 0 0:0 0 /a", "+1-2 r-xp 0 0:0 0 /a",
	"0x1-2 r-xp 0 0:0 0 /a", "A-B r-xp 0 0:0 0 /a",
	"2-2 r-xp 0 0:0 0 /a", "2-1 r-xp 0 0:0 0 /a",
	"1-10000000000000000 r-xp 0 0:0 0 /a",
	"1-2 r-x 0 0:0 0 /a", "1-2 r-xpp 0 0:0 0 /a", "1-2 rxwp 0 0:0 0 /a",
	"1-2 r-X- 0 0:0 0 /a", "1-2 r-x- 0 0:0 0 /a", "1-2 r-",
	"1-2 r-xp 0 100000000:0 0 /a", "1-2 r-xp 0 0:100000000 0 /a",
	"1-2 r-xp 0 0:0 18446744073709551616 /a", "1-2 r-xp 0 0:0 -1 /a",
	"1-2 r-xp 0 0:0 1a /a", "1-2 r-xp 0 0:0 1/a", "1-2 r-xp 0 00 1 /a",
	"1-2 r-xp 0 0:0 1 /a\n\n", "1-2 r-xp 0 0:0 1 /a\n/b",
};

START_TEST(test_what_the_kernel_does_not_write_is_no_line)
{
	struct gk_mapping m;
	char line[256];
	size_t len = strlen(no_mappings[_i]);

	memcpy(line, no_mappings[_i], len + 1);
	ck_assert_int_eq(gk_proctext_mapping(line, len, &m), -1);
}
END_TEST

START_TEST(test_a_nul_does_not_end_a_name)
{
	char line[] = "1-2 r-xp 0 0:0 1 /usr/lib/a\0b\n";
	struct gk_mapping m;

	ck_assert_int_eq(gk_proctext_mapping(line, sizeof(line) - 1, &m), -1);
}
END_TEST

START_TEST(test_a_name_with_a_newline_may_be_two)
{
	ck_assert(gk_proctext_two_names("/a\\012b/c"));
	ck_assert(gk_proctext_two_names("/a\\\\012"));
	ck_assert(!gk_proctext_two_names("/a\\013b\\01/2"));
	ck_assert(!gk_proctext_two_names(""));
}
END_TEST

/* ------------------------------------------------------------------- stat */

#define TAIL	" S 1 2 3 -4 -1 6 7 8 9 10 11 12 13 14 20 0 1 0 "

static const struct {
	const char	*text;
	int		 r;
	uint64_t	 started;
} stats[] = {
	{ "7 (cat)" TAIL "8558432 3133440 380\n", 0, 8558432 },
	{ "7 (a) S 1 2 (b)" TAIL "0 1\n", 0, 0 },
	{ "7 ()" TAIL "18446744073709551615\n", 0, UINT64_MAX },
	{ "7 (a)" TAIL "18446744073709551616 1\n", -1, 0 },
	{ "7 (a)" TAIL "85", -1, 0 },		/* cut off */
	{ "7 (a)" TAIL, -1, 0 },
	{ "7 (a)" TAIL "-5 1\n", -1, 0 },
	{ "7 (a)" TAIL "5x 1\n", -1, 0 },
	{ "7 (a) S 1 2 3 4\n", -1, 0 },
	{ "7 (a) 5 1 2 3 4 5 6 7 8 9 10 11 12 13 14 20 0 1 0 8 9\n", -1,
	    0 },
	{ "7 a 1 2 3", -1, 0 },
	{ "7 (a)", -1, 0 },
	{ "", -1, 0 },
};

START_TEST(test_a_start_is_read_behind_whatever_name)
{
	uint64_t started = 0;

	ck_assert_int_eq(gk_proctext_started(stats[_i].text,
	    strlen(stats[_i].text), &started), stats[_i].r);
	if (stats[_i].r == 0)
		ck_assert_uint_eq(started, stats[_i].started);
}
END_TEST

/* ----------------------------------------------------------------- fdinfo */

static const struct {
	const char	*line;
	int		 r;
	int64_t		 pid;
} pids[] = {
	{ "Pid:\t1\n", 0, 1 },
	{ "Pid:\t-1\n", 0, -1 },
	{ "Pid:\t2147483647\n", 0, 2147483647 },
	{ "Pid:\t2147483648\n", -1, 0 },
	{ "NSpid:\t1\n", -1, 0 },
	{ "Pid:\t1", -1, 0 },		/* cut off */
	{ "Pid:\t1\t2\n", -1, 0 },
	{ "Pid:\t\n", -1, 0 },
	{ "Pid:", -1, 0 },
	{ "", -1, 0 },
};

START_TEST(test_a_pid_is_read_from_its_line_alone)
{
	int64_t pid = 0;

	ck_assert_int_eq(gk_proctext_pid(pids[_i].line, &pid), pids[_i].r);
	ck_assert_int_eq(pid, pids[_i].pid);
}
END_TEST

#define COUNT(table)	(int)(sizeof(table) / sizeof((table)[0]))

int
main(void)
{
	Suite *s = suite_create("proctext");
	TCase *tc = tcase_create("proctext");

	tcase_add_loop_test(tc, test_a_line_of_maps_is_read, 0,
	    COUNT(mappings));
	tcase_add_loop_test(tc,
	    test_what_the_kernel_does_not_write_is_no_line, 0,
	    COUNT(no_mappings));
	tcase_add_test(tc, test_a_nul_does_not_end_a_name);
	tcase_add_test(tc, test_a_name_with_a_newline_may_be_two);
	tcase_add_loop_test(tc, test_a_start_is_read_behind_whatever_name,
	    0, COUNT(stats));
	tcase_add_loop_test(tc, test_a_pid_is_read_from_its_line_alone,
	    0, COUNT(pids));
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
