/* A record on a disk that fails, step by step: what is said to be there is
 * there, and nothing is left beside it. */
#include <dirent.h>
#include <errno.h>
#include <sys/syscall.h>

#include "local/ground.h"
#include "local/stores.h"

#define RECORD	"home/.local/state/genkan/trust.json"
#define OLD	"{\"epoch\":1}"
#define NEW	"{\"epoch\":2}"

/* The step that fails, each time that it comes. */
enum step { NONE, NO_ROOM, NO_ROOM_LEFT, SYNC_FILE, RENAME, SYNC_DIR };

static enum step failing;
static struct gk_stores stores;
static struct gk_stamp seen;
static enum gk_wrote wrote;
static char text[GK_WHY_FULL];

static int
refuse(int err)
{
	errno = err;
	return -1;
}

ssize_t
write(int fd, const void *buf, size_t len)
{
	static bool full;

	if (failing == NO_ROOM || (failing == NO_ROOM_LEFT && full))
		return refuse(ENOSPC);
	full = failing == NO_ROOM_LEFT;
	return (ssize_t)syscall(SYS_write, fd, buf, full ? len / 2 : len);
}

int
fsync(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	if (failing == (S_ISDIR(st.st_mode) ? SYNC_DIR : SYNC_FILE))
		return refuse(EIO);
	return (int)syscall(SYS_fsync, fd);
}

int
renameat(int from, const char *old, int to, const char *new)
{
	return failing == RENAME ? refuse(EIO) :
	    (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

static void
setup(void)
{
	ground_make();
	ck_assert_int_eq(gk_stores_init(&stores, t.ctx, &place), 0);
	memset(&seen, 0, sizeof(seen));
	failing = NONE;
}

static void
teardown(void)
{
	gk_stores_done(&stores);
	ground_drop();
}

/* Like a program: the lock, the write, and the words afterwards. */
static int
run(const char *bytes)
{
	struct gk_hold *hold = NULL;
	struct gk_buf buf;
	int r;

	gk_buf_init(&buf, t.ctx, 64);
	if (bytes != NULL)
		ck_assert_int_eq(gk_buf_puts(&buf, bytes), 0);
	ck_assert_int_eq(gk_store_hold(&stores.store, &hold, text,
	    sizeof(text)), 0);
	r = gk_store_replace(t.ctx, &stores.store, hold, GK_RECORD_TRUST,
	    bytes != NULL ? &buf : NULL, &seen, &wrote, text, sizeof(text));
	stores.store.drop(stores.store.user, hold);
	gk_buf_done(&buf);
	return r;
}

/* What lies there, "" for nothing; and its stamp. */
static const char *
there(void)
{
	static char ret[64];
	struct gk_buf buf;
	int r;

	ret[0] = '\0';
	gk_test_time(&t, t.ctx->now_ms + 1);
	r = gk_store_load(t.ctx, &stores.store, GK_RECORD_TRUST, &buf, &seen,
	    text, sizeof(text));
	if (r == 0)
		(void)snprintf(ret, sizeof(ret), "%.*s", (int)buf.len,
		    (const char *)buf.ptr);
	else
		ck_assert_int_eq(r, GENKAN_E_NOENT);
	gk_buf_done(&buf);
	return ret;
}

static size_t
leftovers(void)
{
	DIR *d = opendir(place.state);
	const struct dirent *e;
	size_t n = 0;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)) != NULL)
		n += strstr(e->d_name, ".tmp") != NULL;
	ck_assert_int_eq(closedir(d), 0);
	return n;
}

static const struct {
	enum step	 step;
	enum gk_wrote	 wrote;
	const char	*why;
} steps[] = {
	{ NO_ROOM, GK_WROTE_NOTHING, "No space left on device" },
	{ NO_ROOM_LEFT, GK_WROTE_NOTHING, "No space left on device" },
	{ SYNC_FILE, GK_WROTE_NOTHING, "Input/output error" },
	{ RENAME, GK_WROTE_NOTHING, "Input/output error" },
	{ SYNC_DIR, GK_WROTE_IT, "Input/output error" },
};

static void
check(int i, const char *before)
{
	const char *after;

	failing = steps[i].step;
	ck_assert_int_eq(run(NEW), GENKAN_E_IO);
	failing = NONE;
	ck_assert_int_eq(wrote, steps[i].wrote);
	ck_assert_ptr_nonnull(strstr(text, at(RECORD)));
	ck_assert_ptr_nonnull(strstr(text, steps[i].why));
	after = there();
	ck_assert_str_eq(after, wrote == GK_WROTE_IT ? NEW : before);
	ck_assert_uint_eq(leftovers(), 0);
	/* And it is in nobody's way. */
	ck_assert_int_eq(run(OLD), 0);
	ck_assert_int_eq(wrote, GK_WROTE_IT);
	ck_assert_str_eq(there(), OLD);
}

START_TEST(test_a_record_is_the_old_one_or_the_new_one)
{
	ck_assert_int_eq(run(OLD), 0);
	ck_assert_str_eq(there(), OLD);
	check(_i, OLD);
}
END_TEST

START_TEST(test_a_first_record_is_there_or_not)
{
	check(_i, "");
}
END_TEST

/* Without a word only once it is for good, and asked for again that is tried. */
START_TEST(test_a_deleted_record_is_gone)
{
	int i;

	ck_assert_int_eq(run(OLD), 0);
	failing = SYNC_DIR;
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(run(NULL), GENKAN_E_IO);
		ck_assert_int_eq(wrote, GK_WROTE_IT);
		ck_assert_ptr_nonnull(strstr(text, "was deleted, but"));
	}
	failing = NONE;
	ck_assert_str_eq(there(), "");
	ck_assert_int_eq(run(NULL), 0);
	ck_assert_int_eq(wrote, GK_WROTE_IT);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("replace");
	TCase *tc = tcase_create("replace");
	const int n = (int)GK_ARRAY_LEN(steps);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_a_record_is_the_old_one_or_the_new_one,
	    0, n);
	tcase_add_loop_test(tc, test_a_first_record_is_there_or_not, 0, n);
	tcase_add_test(tc, test_a_deleted_record_is_gone);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
