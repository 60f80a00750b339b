#include "os/file.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "base/buf.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_test t;
static struct gk_why why;
static struct gk_buf buf;
static int dir;

#define CAP	100

static void
setup(void)
{
	scratch_make();
	gk_test_init(&t);
	gk_buf_init(&buf, t.ctx, CAP + 1);
	memset(&why, 0, sizeof(why));
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	dir = dir_fd("d");
}

static void
teardown(void)
{
	gk_buf_done(&buf);
	gk_test_done(&t);
	ck_assert_int_eq(close(dir), 0);
	scratch_drop();
}

static void
put_n(size_t n)
{
	char text[2 * CAP];

	memset(text, 'x', n);
	text[n] = '\0';
	put("d/f", text, 0600);
}

/* The cap is inclusive: the byte behind it is what makes a file too large. */
START_TEST(test_a_file_is_read_up_to_its_cap)
{
	const size_t n = (size_t)_i;
	struct gk_fstat st;
	int r;

	put_n(n);
	r = gk_file_read(dir, "f", CAP, GK_FILE_OWNED, &buf, &st, &why);
	if (n > CAP) {
		ck_assert_int_eq(r, GENKAN_E_TOO_LARGE);
		ck_assert_ptr_nonnull(strstr(why.text, "larger than 100"));
		ck_assert_uint_le(buf.len, CAP + 1);
	} else {
		ck_assert_int_eq(r, 0);
		ck_assert_uint_eq(buf.len, n);
		ck_assert_uint_eq(st.size, n);
	}
}
END_TEST

/* Of n - 1 and n bytes all, of more the last n. */
START_TEST(test_of_a_larger_file_the_end_may_be_read)
{
	const size_t size = (size_t)_i, got = GK_MIN(size, (size_t)CAP);
	char text[2 * CAP];
	struct gk_fstat st;
	size_t i;

	for (i = 0; i < size; i++)
		text[i] = (char)('0' + i % 10);
	text[size] = '\0';
	put("d/f", text, 0600);
	gk_buf_done(&buf);
	gk_buf_init(&buf, t.ctx, CAP + 2);
	ck_assert_int_eq(gk_buf_puts(&buf, "x"), 0);	/* it appends */
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, GK_FILE_TAIL, &buf, &st,
	    &why), 0);
	ck_assert_uint_eq(st.size, size);
	ck_assert_uint_eq(buf.len, 1 + got);
	if (got > 0)
		ck_assert_mem_eq(buf.ptr + 1, text + size - got, got);
}
END_TEST

START_TEST(test_an_absent_file_is_not_found)
{
	ck_assert_int_eq(gk_file_read(dir, "none", CAP, 0, &buf, NULL, &why),
	    GENKAN_E_NOENT);
	ck_assert_ptr_nonnull(strstr(why.text, "none"));
}
END_TEST

/* Everything that is no plain file of ours is refused at once: nothing waits
 * for a writer, nothing is followed. */
START_TEST(test_what_is_no_regular_file_is_refused)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd;

	switch (_i) {
	case 0:
		put("d/real", "x", 0600);
		ck_assert_int_eq(symlink("real", at("d/f")), 0);
		break;
	case 1:
		ck_assert_int_eq(symlink("nowhere", at("d/f")), 0);
		break;
	case 2:
		ck_assert_int_eq(mkdir(at("d/f"), 0700), 0);
		break;
	case 3:
		ck_assert_int_eq(mkfifo(at("d/f"), 0600), 0);
		break;
	default:
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s",
		    at("d/f"));
		ck_assert_int_eq(bind(fd, (struct sockaddr *)&sun,
		    sizeof(sun)), 0);
		ck_assert_int_eq(close(fd), 0);
		break;
	}
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, 0, &buf, NULL, &why),
	    GENKAN_E_ACCESS);
	ck_assert_uint_eq(buf.len, 0);
}
END_TEST

START_TEST(test_a_file_of_another_user_is_refused_where_it_matters)
{
	if (geteuid() != 0) {
		ck_assert_int_eq(gk_file_open(AT_FDCWD, "/etc/passwd",
		    GK_FILE_OWNED, &(int){ -1 }, NULL, &why),
		    GENKAN_E_ACCESS);
		return;
	}
	put("d/f", "x", 0600);
	ck_assert_int_eq(chown(at("d/f"), OTHER_UID, OTHER_UID), 0);
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, GK_FILE_OWNED, &buf,
	    NULL, &why), GENKAN_E_ACCESS);
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, GK_FILE_TRUSTED, &buf,
	    NULL, &why), GENKAN_E_ACCESS);
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, 0, &buf, NULL, &why), 0);
}
END_TEST

/* Being forbidden is an answer, unlike a disk that fails. */
START_TEST(test_a_file_that_may_not_be_read_is_forbidden)
{
	const uid_t me = geteuid();
	int r;

	put("d/f", "x", 0000);
	if (me == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	r = gk_file_read(dir, "f", CAP, 0, &buf, NULL, &why);
	if (me == 0)
		ck_assert_int_eq(seteuid(me), 0);
	ck_assert_int_eq(r, GENKAN_E_ACCESS);
	ck_assert_int_eq(gk_why_no_answer(r, &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "Permission denied"));
}
END_TEST

START_TEST(test_a_program_that_others_can_write_is_not_trusted)
{
	static const mode_t mode[] = { 0755, 0700, 0775, 0757, 0777 };
	const int fine = _i < 2;

	put("d/f", "x", mode[_i]);
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, GK_FILE_TRUSTED, &buf,
	    NULL, &why), fine ? 0 : GENKAN_E_ACCESS);
	if (!fine)
		ck_assert_ptr_nonnull(strstr(why.text, "writable"));
}
END_TEST

START_TEST(test_replacing_sets_the_mode_whatever_the_umask)
{
	static const mode_t mode[] = { 0600, 0644, 0755 };
	const mode_t old = umask(0777);

	ck_assert_int_eq(gk_file_replace(dir, "f", "new", 3, mode[_i], &why),
	    0);
	(void)umask(old);
	ck_assert_int_eq(mode_of("d/f"), mode[_i]);
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, 0, &buf, NULL, &why), 0);
	ck_assert_uint_eq(buf.len, 3);
	ck_assert_mem_eq(buf.ptr, "new", 3);
}
END_TEST

/* A symlink is replaced itself; what it led to stays as it was. */
START_TEST(test_replacing_a_symlink_leaves_its_target)
{
	put("victim", "old", 0644);
	ck_assert_int_eq(symlink(at("victim"), at("d/f")), 0);
	ck_assert_int_eq(gk_file_replace(dir, "f", "new", 3, 0600, &why), 0);
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, 0, &buf, NULL, &why), 0);
	ck_assert_mem_eq(buf.ptr, "new", 3);
	ck_assert_int_eq(mode_of("victim"), 0644);
}
END_TEST

static size_t
names_in(const char *name)
{
	struct dirent **list;
	int i, n = scandir(at(name), &list, NULL, NULL);

	ck_assert_int_ge(n, 2);
	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return (size_t)n - 2;
}

START_TEST(test_a_failed_replacement_leaves_nothing_behind)
{
	put("keep", "x", 0600);
	ck_assert_int_eq(mkdir(at("d/f"), 0700), 0);
	put("d/f/inside", "x", 0600);
	ck_assert_int_eq(gk_file_replace(dir, "f", "new", 3, 0600, &why),
	    GENKAN_E_IO);
	ck_assert_uint_eq(names_in("d"), 1);
}
END_TEST

START_TEST(test_cancelling_keeps_the_old_file)
{
	struct gk_file_new f;

	put("d/f", "old", 0600);
	ck_assert_int_eq(gk_file_begin(dir, "f", NULL, "new", 3, 0600,
	    GK_FILE_SYNC, &f, &why), 0);
	ck_assert_uint_eq(names_in("d"), 2);
	gk_file_cancel(&f);
	gk_file_cancel(&f);
	ck_assert_uint_eq(names_in("d"), 1);
	ck_assert_int_eq(gk_file_read(dir, "f", CAP, 0, &buf, NULL, &why), 0);
	ck_assert_mem_eq(buf.ptr, "old", 3);
}
END_TEST

/* The lock file's temporary name may have been left by a crash, or planted. */
START_TEST(test_a_leftover_of_the_temporary_name_is_removed)
{
	struct gk_file_new f;

	put("victim", "old", 0600);
	if (_i == 0)
		put("d/f.tmp", "left", 0666);
	else
		ck_assert_int_eq(symlink(at("victim"), at("d/f.tmp")), 0);
	ck_assert_int_eq(gk_file_begin(dir, "f", "f.tmp", "new", 3, 0600, 0,
	    &f, &why), 0);
	ck_assert_int_eq(gk_file_commit(&f, &why), 0);
	ck_assert_uint_eq(names_in("d"), 1);
	ck_assert_int_eq(mode_of("d/f"), 0600);
	ck_assert_int_eq(gk_file_read(AT_FDCWD, at("victim"), CAP, 0, &buf,
	    NULL, &why), 0);
	ck_assert_mem_eq(buf.ptr, "old", 3);
}
END_TEST

START_TEST(test_unlinking_what_is_absent_succeeds)
{
	put("d/f", "x", 0600);
	ck_assert_int_eq(gk_file_unlink(dir, "f", &why), 0);
	ck_assert_int_eq(gk_file_unlink(dir, "f", &why), 0);
	ck_assert_int_eq(mkdir(at("d/sub"), 0700), 0);
	ck_assert_int_eq(gk_file_unlink(dir, "sub", &why), GENKAN_E_IO);
	ck_assert(exists("d/sub"));
}
END_TEST

START_TEST(test_only_a_socket_is_unlinked_as_one)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	put("d/f", "x", 0600);
	ck_assert_int_eq(gk_file_unlink_socket(dir, "f", &why), 0);
	ck_assert(exists("d/f"));
	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", at("d/s"));
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	ck_assert_int_eq(symlink("s", at("d/l")), 0);
	ck_assert_int_eq(gk_file_unlink_socket(dir, "l", &why), 0);
	ck_assert(exists("d/l") && exists("d/s"));
	ck_assert_int_eq(gk_file_unlink_socket(dir, "s", &why), 1);
	ck_assert(!exists("d/s"));
	ck_assert_int_eq(gk_file_unlink_socket(dir, "s", &why), 0);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

/* A replaced file is another file even where size and second agree. */
START_TEST(test_a_stat_tells_a_replaced_file)
{
	struct gk_fstat a, b, c;

	ck_assert_int_eq(gk_file_replace(dir, "f", "one", 3, 0600, &why), 0);
	ck_assert_int_eq(gk_file_stat(dir, "f", &a, &why), 0);
	ck_assert_int_eq(gk_file_stat(dir, "f", &b, &why), 0);
	ck_assert_int_eq(gk_file_stat_same(&a, &b), 1);
	ck_assert_int_eq(gk_file_replace(dir, "f", "two", 3, 0600, &why), 0);
	ck_assert_int_eq(gk_file_stat(dir, "f", &c, &why), 0);
	ck_assert_int_eq(gk_file_stat_same(&a, &c), 0);
	ck_assert_int_eq(gk_file_stat(dir, "none", &c, &why), GENKAN_E_NOENT);
}
END_TEST

static int
read_f(struct gk_test *unused, void *arg)
{
	struct gk_buf b;
	int r;

	(void)unused;
	(void)arg;
	gk_buf_init(&b, t.ctx, CAP + 1);
	r = gk_file_read(dir, "f", CAP, 0, &b, NULL, &why);
	gk_buf_done(&b);
	return r;
}

START_TEST(test_lack_of_memory_is_told)
{
	put_n(50);
	ck_assert_uint_ge(gk_test_sweep(&t, read_f, NULL), 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("file");
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_a_file_is_read_up_to_its_cap, CAP - 1,
	    CAP + 2);
	tcase_add_loop_test(tc, test_a_file_is_read_up_to_its_cap, 0, 2);
	tcase_add_loop_test(tc, test_of_a_larger_file_the_end_may_be_read,
	    CAP - 1, CAP + 3);
	tcase_add_loop_test(tc, test_of_a_larger_file_the_end_may_be_read, 0, 2);
	tcase_add_test(tc, test_an_absent_file_is_not_found);
	tcase_add_loop_test(tc, test_what_is_no_regular_file_is_refused, 0,
	    5);
	tcase_add_test(tc,
	    test_a_file_of_another_user_is_refused_where_it_matters);
	tcase_add_test(tc, test_a_file_that_may_not_be_read_is_forbidden);
	tcase_add_loop_test(tc,
	    test_a_program_that_others_can_write_is_not_trusted, 0, 5);
	tcase_add_loop_test(tc,
	    test_replacing_sets_the_mode_whatever_the_umask, 0, 3);
	tcase_add_test(tc, test_replacing_a_symlink_leaves_its_target);
	tcase_add_test(tc, test_a_failed_replacement_leaves_nothing_behind);
	tcase_add_test(tc, test_cancelling_keeps_the_old_file);
	tcase_add_loop_test(tc,
	    test_a_leftover_of_the_temporary_name_is_removed, 0, 2);
	tcase_add_test(tc, test_unlinking_what_is_absent_succeeds);
	tcase_add_test(tc, test_only_a_socket_is_unlinked_as_one);
	tcase_add_test(tc, test_a_stat_tells_a_replaced_file);
	tcase_add_test(tc, test_lack_of_memory_is_told);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
