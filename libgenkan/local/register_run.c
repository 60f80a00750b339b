#include "local/register_run.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"
#include "os/env.h"
#include "os/look.h"
#include "trust/installset.h"

/* What a command works on. */
struct plan {
	struct gk_browsers	 browsers;
	struct gk_target	*target;
	size_t			 n;
};

static void
plan_free(struct genkan_ctx *ctx, struct plan *p)
{
	if (p != NULL)
		gk_free(ctx, p->target);
	gk_free(ctx, p);
}

static struct plan *
plan_new(struct genkan_ctx *ctx, size_t max)
{
	struct plan *p = gk_calloc(ctx, 1, sizeof(*p));

	if (p != NULL && (p->target = gk_calloc(ctx, max,
	    sizeof(*p->target))) == NULL) {
		gk_free(ctx, p);
		p = NULL;
	}
	return p;
}

/* ------------------------------------------------------------- options */

static int
unknown_browser(struct genkan_ctx *ctx, struct gk_span key)
{
	const struct gk_browser_row *row;
	char known[256] = "";
	size_t i, n, at = 0;

	row = gk_schema_browsers(&n);
	for (i = 0; i < n && at < sizeof(known); i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s",
		    i > 0 ? ", " : "", row[i].key);
	return gk_err_set(ctx, GENKAN_E_INVAL, "unknown browser \"%.*s\"; "
	    "known are %s", (int)GK_MIN(key.len, (size_t)64), key.ptr, known);
}

static int
parse_browsers(struct genkan_ctx *ctx, const char *list, unsigned *ret)
{
	struct gk_span key;
	const char *p = list;
	int i;

	*ret = 0;
	for (;;) {
		p += strspn(p, " ");
		key = gk_span(p, strcspn(p, ","));
		p += key.len;
		while (key.len > 0 && key.ptr[key.len - 1] == ' ')
			key.len--;
		if ((i = gk_schema_browser_find(key.ptr, key.len)) < 0)
			return unknown_browser(ctx, key);
		*ret |= 1u << i;
		if (*p++ == '\0')
			return 0;
	}
}

static int
check_options(struct genkan_ctx *ctx, const struct gk_reg_options *o,
    unsigned *browsers)
{
	int chosen = (o->browsers != NULL) + o->all + (o->ndirs > 0);
	size_t i;

	*browsers = 0;
	if (chosen > 1)
		return gk_err_set(ctx, GENKAN_E_INVAL, "--browser, --all and "
		    "--manifest-dir exclude each other");
	for (i = 0; i < o->ndirs; i++)
		if (o->dirs[i][0] != '/')
			return gk_err_set(ctx, GENKAN_E_INVAL,
			    "--manifest-dir takes an absolute path, not "
			    "\"%.100s\"", o->dirs[i]);
	if (o->all)
		*browsers = (1u << GK_BROWSER_END) - 1;
	if (o->browsers != NULL)
		return parse_browsers(ctx, o->browsers, browsers);
	return 0;
}

const char *
gk_reg_refusal(const char *home)
{
	struct gk_fstat st;

	if (gk_look_euid() != 0)
		return NULL;
	if (gk_env_get("SUDO_UID") != NULL || gk_env_get("PKEXEC_UID") != NULL)
		return "this is root on behalf of another user: run it as "
		    "that user, or with --system for the whole machine";
	if (gk_file_stat_path(home, &st, NULL) == 0 && st.uid != 0)
		return "this is root, but HOME belongs to another user: run "
		    "it as that user, or with --system for the whole machine";
	return NULL;
}

static const char *
not_as_this_user(const struct gk_reg_options *o, const char *home)
{
	if (o->system)
		return gk_look_euid() == 0 ? NULL : "--system needs root";
	return o->ndirs > 0 ? NULL : gk_reg_refusal(home);
}

/* ------------------------------------------------------------- targets */

static int
add_system(struct plan *p, unsigned browsers, bool any, struct gk_why *why)
{
	unsigned dirs = 0;
	size_t i;
	int r;

	for (i = 0; i < (size_t)GK_BROWSER_END; i++)
		if ((browsers & (1u << i)) != 0)
			dirs |= 1u << gk_browsers_system_of((int)i);
	for (i = 0;; i++) {
		r = gk_browsers_system(i, &p->target[p->n], why);
		if (r == GENKAN_E_NOENT)
			return 0;
		if (r < 0)
			return r;
		if (any || (dirs & (1u << i)) != 0 ||
		    (browsers == 0 && p->target[p->n].detected))
			p->n++;
	}
}

static int
add_user(struct plan *p, unsigned browsers, bool any, struct gk_why *why)
{
	unsigned i;
	int r;

	for (i = 0; i < (unsigned)GK_BROWSER_END; i++) {
		if ((r = gk_browsers_user(&p->browsers, (int)i,
		    &p->target[p->n], why)) < 0)
			return r;
		if (any || (browsers & (1u << i)) != 0 ||
		    (browsers == 0 && p->target[p->n].detected))
			p->n++;
	}
	return 0;
}

/* any: whether detected or not. */
static int
make_plan(struct genkan_ctx *ctx, const struct gk_reg_options *o,
    unsigned browsers, bool any, bool only_dirs, struct plan **ret)
{
	struct gk_why why = { 0, "out of memory" };
	struct plan *p;
	size_t i;
	int r;

	/* One more: a target is looked at before it is taken. */
	p = plan_new(ctx, (size_t)GK_BROWSER_END + o->ndirs + 1);
	if (p == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "%s", why.text);
	if ((r = gk_browsers_init(&p->browsers, &why)) < 0)
		goto out;
	if (!(only_dirs && o->ndirs > 0))
		r = o->system ? add_system(p, browsers, any, &why) :
		    add_user(p, browsers, any, &why);
	for (i = 0; i < o->ndirs && r == 0; i++, p->n++)
		r = gk_browsers_named(&p->browsers, o->dirs[i], o->system,
		    &p->target[p->n], &why);
out:
	if (r < 0) {
		plan_free(ctx, p);
		return gk_err_set(ctx, r, "%s", why.text);
	}
	*ret = p;
	return 0;
}

/* ------------------------------------------------------------- writing */

static void
nothing_found(const struct plan *p, struct genkan_report *report)
{
	struct gk_sandboxed *s;
	size_t i, n;

	report->status = GK_EXIT_NOTHING;
	gk_report_warn(report, "no browser was found: start it once, or name "
	    "it with --browser");
	s = gk_calloc(report->ctx, GK_SANDBOXED_MAX, sizeof(*s));
	if (s == NULL) {
		report->failed = 1;
		return;
	}
	n = gk_browsers_sandboxed(&p->browsers, s);
	for (i = 0; i < n; i++)
		gk_report_warn(report, "%s is installed as a %s (%s): its "
		    "sandbox cannot start a native messaging host; use a "
		    "browser from a regular package", s[i].key,
		    s[i].packaging, s[i].path);
	gk_free(report->ctx, s);
}

static void
next_steps(const struct gk_reg_host *host, struct genkan_report *report)
{
	char path[GK_PATH_MAX];
	bool there = gk_reg_extension(host, path);

	gk_report_line(report, "next steps:");
	gk_report_line(report, "  1. load the extension: open "
	    "chrome://extensions, switch on developer mode, choose \"Load "
	    "unpacked\" and take %s%s", there ? path : "the folder of the "
	    "unpacked extension", there ? "" : " (this installation has "
	    "none)");
	gk_report_line(report, "  2. add genkan-server to your MCP client: "
	    "%s/%s", host->dir, gk_role_program(GK_ROLE_SERVER));
}

static void
write_one(struct genkan_ctx *ctx, const struct gk_reg_host *host,
    const struct gk_target *t, struct genkan_report *report)
{
	struct gk_why why = { 0, "" };
	int r = gk_reg_write(ctx, host, t, &why);

	if (r >= 0) {
		gk_report_line(report, "%s: registered in %s", t->name,
		    t->manifest);
		return;
	}
	report->status = GK_EXIT_FAILED;
	gk_report_line(report, "%s: %s: %s", t->name,
	    r == GENKAN_E_NOT_OURS ? "refused" : "failed", why.text);
}

static int
fix(struct genkan_ctx *ctx, const struct plan *p, struct genkan_report *report)
{
	struct gk_reg_host *host;
	struct gk_why why;
	size_t i;
	int r;

	if ((host = gk_calloc(ctx, 1, sizeof(*host))) == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "out of memory");
	if ((r = gk_reg_host(ctx, host, &why)) < 0) {
		(void)gk_err_set(ctx, r, "%s", why.text);
		goto out;
	}
	r = 0;
	if (host->hash[0] == '\0') {
		report->status = GK_EXIT_FAILED;
		gk_report_warn(report, "the genkan-host of this installation "
		    "cannot be used: %s", host->why);
		goto out;
	}
	if (p->n == 0) {
		nothing_found(p, report);
		goto out;
	}
	if (host->passing)
		gk_report_warn(report, "warning: %s lies where it will not "
		    "stay; register again after installing genkan for good",
		    host->path);
	for (i = 0; i < p->n; i++)
		write_one(ctx, host, &p->target[i], report);
	next_steps(host, report);
out:
	gk_free(ctx, host);
	return r;
}

int
gk_reg_run_fix(struct genkan_ctx *ctx, const struct gk_reg_options *o,
    struct genkan_report *report)
{
	const char *refusal;
	struct plan *p;
	unsigned browsers;
	int r;

	if ((r = check_options(ctx, o, &browsers)) < 0 ||
	    (r = make_plan(ctx, o, browsers, o->all, true, &p)) < 0)
		return r;
	refusal = not_as_this_user(o, p->browsers.home);
	if (refusal != NULL) {
		report->status = GK_EXIT_FAILED;
		gk_report_warn(report, "refused: %s", refusal);
	} else {
		r = fix(ctx, p, report);
	}
	plan_free(ctx, p);
	return r;
}

/* ------------------------------------------------------------ removing */

static void
removed(struct genkan_report *report, int r, const char *what,
    const struct gk_why *why, size_t *count)
{
	if (r == 1) {
		gk_report_line(report, "removed %s", what);
		++*count;
	} else if (r == GENKAN_E_NOT_OURS) {
		gk_report_line(report, "%s", why->text);
	} else if (r < 0) {
		gk_report_warn(report, "%s cannot be removed: %s", what,
		    why->text);
		report->status = GK_EXIT_FAILED;
	}
}

static void
remove_wrappers(struct genkan_ctx *ctx, const char *dir,
    struct genkan_report *report, size_t *count)
{
	char name[GK_WRAPPER_NAME], path[GK_PATH_MAX + GK_WRAPPER_NAME];
	struct gk_why why;
	size_t i;
	int r;

	for (i = 0; gk_browsers_wrapper(i, name) != NULL; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
		r = gk_reg_remove_wrapper(ctx, dir, name, &why);
		removed(report, r, path, &why, count);
	}
	r = gk_look_rmdir(dir, &why);
	removed(report, r, dir, &why, count);
}

int
gk_reg_run_remove(struct genkan_ctx *ctx, const struct gk_reg_options *o,
    struct genkan_report *report)
{
	const char *refusal;
	struct gk_why why;
	struct plan *p;
	unsigned browsers;
	size_t i, count = 0;
	int r;

	if ((r = check_options(ctx, o, &browsers)) < 0 ||
	    (r = make_plan(ctx, o, 0, true, false, &p)) < 0)
		return r;
	refusal = not_as_this_user(o, p->browsers.home);
	if (refusal != NULL) {
		report->status = GK_EXIT_FAILED;
		gk_report_warn(report, "refused: %s", refusal);
		goto out;
	}
	for (i = 0; i < p->n; i++) {
		r = gk_reg_remove(ctx, &p->target[i], &why);
		removed(report, r, p->target[i].manifest, &why, &count);
	}
	/* Also where a manifest stays against our will: it leads nowhere then. */
	remove_wrappers(ctx, o->system ? GK_BROWSERS_SYSTEM_WRAPPERS :
	    p->browsers.wrappers, report, &count);
	if (count == 0 && report->status == GK_EXIT_OK)
		gk_report_line(report, "nothing was registered");
out:
	plan_free(ctx, p);
	return 0;
}
