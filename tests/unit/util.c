#include "util.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

/*
 * Each block carries its size in front, so that live bytes can be counted and
 * a block that is freed twice or never allocated is noticed.
 */
struct head {
	size_t	 size;
	uint64_t magic;
};

#define LIVE	UINT64_C(0x67656e6b616e2121)
#define DEAD	UINT64_C(0xdeaddeaddeaddead)

int
gk_test_main(Suite *suite)
{
	SRunner *sr = srunner_create(suite);
	int failed;

	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_SILENT);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool
must_fail(struct gk_test *t)
{
	t->allocs++;
	if (t->fail_at == 0)
		return false;
	if (--t->fail_at > 0)
		return false;
	if (t->fail_after)
		t->fail_at = 1;
	t->failed++;
	return true;
}

static void *
test_realloc(void *user, void *ptr, size_t size)
{
	struct gk_test *t = user;
	struct head *h = ptr == NULL ? NULL : (struct head *)ptr - 1, *n;
	size_t old = 0;

	if (h != NULL) {
		if (h->magic != LIVE)
			ck_abort_msg("freed twice, or not from this context");
		old = h->size;
	}
	if (size == 0) {
		if (h != NULL) {
			t->live--;
			t->bytes -= old;
			h->magic = DEAD;
			free(h);
		}
		return NULL;
	}
	if (must_fail(t))
		return NULL;
	/* Always moves, so that a stale pointer cannot work by luck. */
	n = malloc(sizeof(*n) + size);
	if (n == NULL)
		return NULL;
	n->size = size;
	n->magic = LIVE;
	memset(n + 1, 0xa5, size);
	if (h != NULL) {
		memcpy(n + 1, h + 1, old < size ? old : size);
		h->magic = DEAD;
		free(h);
	} else {
		t->live++;
	}
	t->bytes += size - old;
	if (t->bytes > t->peak)
		t->peak = t->bytes;
	return n + 1;
}

static void
test_log(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	struct gk_test *t = user;

	t->logs++;
	t->log_level = level;
	snprintf(t->log_tag, sizeof(t->log_tag), "%s", tag);
	snprintf(t->log_id, sizeof(t->log_id), "%s", id);
	snprintf(t->log_text, sizeof(t->log_text), "%s", text);
}

/* splitmix64: every seed gives another, repeatable stream. */
static int
test_random(void *user, void *buf, size_t len)
{
	struct gk_test *t = user;
	unsigned char *p = buf;
	uint64_t z = 0;
	size_t i;

	if (t->random_fails)
		return -1;
	for (i = 0; i < len; i++) {
		if (i % 8 == 0) {
			z = t->seed += UINT64_C(0x9e3779b97f4a7c15);
			z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
			z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
			z ^= z >> 31;
		}
		p[i] = (unsigned char)(z >> i % 8 * 8);
	}
	return 0;
}

static void
test_free_user(void *user)
{
	((struct gk_test *)user)->user_freed++;
}

void
gk_test_hooks(struct gk_test *t, struct gk_ctx_hooks *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->user = t;
	ret->realloc = test_realloc;
	ret->log = test_log;
	ret->random = test_random;
	ret->free_user = test_free_user;
}

void
gk_test_init(struct gk_test *t)
{
	struct gk_ctx_hooks hooks;

	memset(t, 0, sizeof(*t));
	t->seed = 1;
	gk_test_hooks(t, &hooks);
	ck_assert_int_eq(gk_ctx_new(&hooks, GK_LOG_DEBUG, &t->ctx), 0);
	t->allocs = 0;
	gk_test_time(t, 1000);
}

void
gk_test_done(struct gk_test *t)
{
	gk_ctx_free(t->ctx);
	t->ctx = NULL;
	ck_assert_uint_eq(t->live, 0);
	ck_assert_uint_eq(t->bytes, 0);
	ck_assert_uint_eq(t->user_freed, 1);
}

static int64_t
clock_of(void *user)
{
	return ((struct gk_test *)user)->clock_ms;
}

void
gk_test_clock(struct gk_test *t)
{
	t->clock_ms = gk_now(t->ctx);
	t->ctx->hooks.clock = clock_of;
}

int64_t
gk_test_hour(struct gk_test *t)
{
	t->clock_ms += INT64_C(3600000);
	return t->clock_ms;
}

void
gk_test_time(struct gk_test *t, int64_t ms)
{
	gk_clock_set(t->ctx, ms);
}

size_t
gk_test_sweep(struct gk_test *t, int (*fn)(struct gk_test *, void *),
    void *arg)
{
	size_t live = t->live, bytes = t->bytes, failed, i;
	int r;

	for (i = 1; ; i++) {
		failed = t->failed;
		t->fail_at = i;
		r = fn(t, arg);
		t->fail_at = 0;
		ck_assert_uint_eq(t->live, live);
		ck_assert_uint_eq(t->bytes, bytes);
		if (t->failed == failed)
			break;
		ck_assert_int_eq(r, GENKAN_E_NOMEM);
	}
	ck_assert_int_eq(r, 0);
	return i;
}

const char *
gk_test_golden(const char *module)
{
	static char path[PATH_MAX];
	const char *src = getenv("GENKAN_SRCDIR");

	snprintf(path, sizeof(path), "%s/tests/golden/%s",
	    src == NULL ? "." : src, module);
	return path;
}

char *
gk_test_read(const char *path, size_t *len)
{
	size_t cap = 4096, n = 0, got;
	char *buf = malloc(cap + 1);
	FILE *f = fopen(path, "rb");

	if (f == NULL)
		ck_abort_msg("%s: %s", path, strerror(errno));
	while (buf != NULL && (got = fread(buf + n, 1, cap - n, f)) > 0) {
		n += got;
		if (n == cap)
			buf = realloc(buf, (cap *= 2) + 1);
	}
	if (buf == NULL || ferror(f))
		ck_abort_msg("%s: cannot be read", path);
	fclose(f);
	buf[n] = '\0';
	*len = n;
	return buf;
}
