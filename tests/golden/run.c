/*
 * Golden vectors: tests/golden/<module>/<case>/ holds an input and what must
 * become of it.  Prints TAP, one line a case.
 *
 *	scan	input; expect: its compact form; tree: what comes out of a tree,
 *		where that spells numbers differently; or error: the wire name
 *		of the code, the reason and its offset.  gk_scan() and
 *		gk_json_parse() have to agree.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "base/err.h"
#include "codec/json.h"

static struct genkan_ctx *ctx;
static char why_not[512];

#define FAIL(...) do {							\
	snprintf(why_not, sizeof(why_not), __VA_ARGS__);		\
	return false;							\
} while (0)

/* Whole file, or ptr NULL if there is none. */
static struct gk_span
slurp(const char *dir, const char *name)
{
	size_t n = 0, cap = 1 << 16, got;
	char path[4096], *buf;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((f = fopen(path, "rb")) == NULL)
		return gk_span(NULL, 0);
	buf = malloc(cap);
	while (buf != NULL && (got = fread(buf + n, 1, cap - n, f)) > 0)
		if ((n += got) == cap)
			buf = realloc(buf, cap *= 2);
	fclose(f);
	return gk_span(buf, n);
}

static bool
is_written(struct gk_buf *b, struct gk_span want)
{
	if (!gk_span_eq(gk_buf_span(b), want))
		FAIL("wrote %.*s", (int)GK_MIN(b->len, 200),
		    (const char *)b->ptr);
	return true;
}

static bool
scan_accept(struct gk_span in, struct gk_span expect, struct gk_span tree)
{
	struct gk_scan s;
	struct gk_buf b;
	json_t *v;
	bool ok;

	if (gk_scan(ctx, in.ptr, in.len, NULL, 0, &s) != 0)
		FAIL("refused: %s at %zu", gk_scan_why_name(s.why), s.at);
	if (s.canonical != gk_span_eq(in, expect))
		FAIL("canonical is %d", s.canonical);
	gk_buf_init(&b, ctx, 1 << 20);
	ok = gk_scan_compact(&b, s.text) == 0 && is_written(&b, expect);
	gk_buf_clear(&b);
	if (ok && gk_json_parse(ctx, in.ptr, in.len, &v) == 0) {
		ok = gk_json_dump(&b, v) == 0 && is_written(&b,
		    tree.ptr == NULL ? expect : tree);
		json_decref(v);
	} else {
		ok = false;
	}
	gk_buf_done(&b);
	return ok;
}

static bool
scan_refuse(struct gk_span in, struct gk_span error)
{
	char got[128];
	struct gk_scan s;
	json_t *v;
	int r;

	r = gk_scan(ctx, in.ptr, in.len, NULL, 0, &s);
	snprintf(got, sizeof(got), "%s %s %zu\n", gk_err_name(r),
	    gk_scan_why_name(s.why), s.at);
	if (!gk_span_is(error, got))
		FAIL("got %s", got);
	if (gk_json_parse(ctx, in.ptr, in.len, &v) != r)
		FAIL("the tree disagrees");
	return true;
}

static bool
run_scan(const char *dir)
{
	struct gk_span in = slurp(dir, "input"), tree = slurp(dir, "tree");
	struct gk_span expect = slurp(dir, "expect"), error;
	bool ok;

	error = slurp(dir, "error");
	if (in.ptr == NULL || (expect.ptr == NULL) == (error.ptr == NULL))
		FAIL("needs an input, and either expect or error");
	ok = error.ptr == NULL ? scan_accept(in, expect, tree) :
	    scan_refuse(in, error);
	free((char *)(uintptr_t)in.ptr);
	free((char *)(uintptr_t)tree.ptr);
	free((char *)(uintptr_t)expect.ptr);
	free((char *)(uintptr_t)error.ptr);
	return ok;
}

static const struct {
	const char	*name;
	bool		(*run)(const char *dir);
} modules[] = {
	{ "scan", run_scan },
};

static int
visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Cases in the order of their names; how many, and how many failed. */
static void
run_module(size_t i, const char *root, int *n, int *failed)
{
	char dir[4096];
	struct dirent **list;
	int cases, k;

	snprintf(dir, sizeof(dir), "%s/%s", root, modules[i].name);
	if ((cases = scandir(dir, &list, visible, alphasort)) <= 0) {
		printf("not ok %d - %s: no cases in %s\n", ++*n,
		    modules[i].name, dir);
		++*failed;
		return;
	}
	for (k = 0; k < cases; k++) {
		snprintf(dir, sizeof(dir), "%s/%s/%s", root, modules[i].name,
		    list[k]->d_name);
		why_not[0] = '\0';
		if (modules[i].run(dir)) {
			printf("ok %d - %s/%s\n", ++*n, modules[i].name,
			    list[k]->d_name);
		} else {
			printf("not ok %d - %s/%s: %s\n", ++*n,
			    modules[i].name, list[k]->d_name, why_not);
			++*failed;
		}
		free(list[k]);
	}
	free(list);
}

int
main(void)
{
	const char *src = getenv("GENKAN_SRCDIR");
	char root[2048];
	int n = 0, failed = 0;
	size_t i;

	snprintf(root, sizeof(root), "%s/tests/golden",
	    src == NULL ? "." : src);
	if (gk_ctx_new(NULL, -1, &ctx) < 0) {
		printf("Bail out! no context\n");
		return EXIT_FAILURE;
	}
	for (i = 0; i < GK_ARRAY_LEN(modules); i++)
		run_module(i, root, &n, &failed);
	printf("1..%d\n", n);
	gk_ctx_free(ctx);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
