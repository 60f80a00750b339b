/* The verdict and the words. */
#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "genkan/version.h"
#include "local/doctor.h"

/* Column at which values begin. */
#define INDENT	18

/* ------------------------------------------------------------- verdict */

/* What leads to a registered browser; --fix has nothing to register without a
 * genkan-host. */
static void
add_fix(struct gk_doctor *d)
{
	size_t len = strlen(d->summary);

	if (d->host.why[0] != '\0')
		(void)snprintf(d->summary + len, sizeof(d->summary) - len,
		    "; this installation has no usable genkan-host (%.500s): "
		    "install genkan again, then run `genkan doctor --fix`",
		    d->host.why);
	else
		(void)snprintf(d->summary + len, sizeof(d->summary) - len,
		    "; `genkan doctor --fix` registers the browsers of this "
		    "machine");
}

static void
unhealthy_lock(struct gk_doctor *d)
{
	if (d->lock == GK_DOCTOR_LOCK_UNREADABLE) {
		(void)snprintf(d->summary, sizeof(d->summary),
		    "the lock file cannot be read: %s; start the MCP client "
		    "again, and if that does not help, move it away",
		    d->lock_why);
		return;
	}
	(void)snprintf(d->summary, sizeof(d->summary),
	    "no server runs: the MCP client starts it");
	if (!gk_reg_rows_ok(d->row))
		add_fix(d);
}

static void
judge_server(struct gk_doctor *d)
{
	bool registered = gk_reg_rows_ok(d->row);

	d->healthy = d->server == GK_DOCTOR_REACHABLE && registered;
	if (d->healthy)
		(void)snprintf(d->summary, sizeof(d->summary), "the server "
		    "runs and a browser is registered");
	else if (d->server == GK_DOCTOR_REACHABLE)
		(void)snprintf(d->summary, sizeof(d->summary),
		    "no browser that was found is registered");
	else if (d->server == GK_DOCTOR_UNREACHABLE)
		(void)snprintf(d->summary, sizeof(d->summary),
		    "the server does not answer: %s; end all MCP clients and "
		    "start them again", d->server_why);
	else
		(void)snprintf(d->summary, sizeof(d->summary),
		    "the server was not asked: %s; start the MCP client again, "
		    "and its server takes over", d->server_why);
	if (d->server == GK_DOCTOR_REACHABLE && !registered)
		add_fix(d);
}

/* The order is control.md 9.2: what is listed first is what to mend first. */
void
gk_doctor_judge(struct gk_doctor *d)
{
	d->healthy = false;
	if (d->mismatch)
		(void)snprintf(d->summary, sizeof(d->summary), "state "
		    "directory mismatch: the records shown are those of %.400s, "
		    "the running server uses %.400s", d->place.state,
		    d->lock_state);
	else if (d->trust.kill == GK_KILL_ENGAGED)
		(void)snprintf(d->summary, sizeof(d->summary), "the kill "
		    "switch is engaged; `genkan unkill` releases it");
	else if (d->trust.kill == GK_KILL_UNREADABLE)
		(void)snprintf(d->summary, sizeof(d->summary), "the trust "
		    "record is unreadable: %s", d->trust.why);
	else if (d->policy.state == GK_POLICY_UNREADABLE)
		(void)snprintf(d->summary, sizeof(d->summary), "the policy "
		    "is unreadable: %s", d->policy.why);
	else if (d->lock != GK_DOCTOR_LOCK_PRESENT)
		unhealthy_lock(d);
	else
		judge_server(d);
}

/* --------------------------------------------------------------- words */

static const char *const names[GK_DOCTOR_ROWS] = {
	[GK_DOCTOR_DIRECTORIES] = "directories",
	[GK_DOCTOR_LOCK] = "lock file",
	[GK_DOCTOR_SERVER] = "mcp server",
	[GK_DOCTOR_KILL] = "kill switch",
	[GK_DOCTOR_POLICY] = "policy baseline",
};

const char *
gk_doctor_row_name(enum gk_doctor_row row)
{
	return names[row];
}

/* What stands on a line; the text may come from a file, so it stays there. */
static int
put_text(struct gk_buf *to, const char *what, const char *text)
{
	int r = gk_buf_puts(to, what);

	return r < 0 ? r : gk_str_put_line(to, text, strlen(text),
	    GK_RUNLOCK_PATH_MAX);
}

/* A whole line of the details. */
static int
put_detail(struct gk_buf *details, const char *what, const char *text)
{
	int r = put_text(details, what, text);

	return r < 0 ? r : gk_buf_putc(details, '\n');
}

static int
words_directories(const struct gk_doctor *d, struct gk_buf *value,
    struct gk_buf *details)
{
	int r;

	if ((r = put_text(value, "runtime ", d->place.runtime)) < 0 ||
	    (r = put_detail(details, "state ", d->place.state)) < 0)
		return r;
	if (!d->mismatch)
		return 0;
	return put_detail(details, "state directory mismatch: the running "
	    "server uses ", d->lock_state);
}

static int
words_lock(const struct gk_doctor *d, struct gk_buf *value,
    struct gk_buf *details)
{
	int r;

	if ((r = put_text(value, "", d->lock_path)) < 0)
		return r;
	switch (d->lock) {
	case GK_DOCTOR_LOCK_ABSENT:
		return gk_buf_puts(details, "absent\n");
	case GK_DOCTOR_LOCK_UNREADABLE:
		return put_detail(details, "unreadable: ", d->lock_why);
	case GK_DOCTOR_LOCK_PRESENT:
		break;
	}
	if ((r = put_detail(details, "endpoint ", d->endpoint)) < 0)
		return r;
	return gk_buf_putf(details, "pid %" PRIu32 "\nsecret <redacted, %zu "
	    "chars>\n", d->pid, d->secret_len);
}

static int
words_server(const struct gk_doctor *d, struct gk_buf *value,
    struct gk_buf *details)
{
	static const char *const state[] = {
		[GK_DOCTOR_NOT_PROBED] = "not probed",
		[GK_DOCTOR_REACHABLE] = "reachable",
		[GK_DOCTOR_UNREACHABLE] = "not reachable",
	};
	int r = gk_buf_puts(value, state[d->server]);

	if (r < 0 || d->server == GK_DOCTOR_REACHABLE)
		return r;
	return put_detail(details, "", d->server_why);
}

static int
words_kill(const struct gk_doctor *d, struct gk_buf *value,
    struct gk_buf *details)
{
	int r;

	switch (d->trust.kill) {
	case GK_KILL_CLEAR:
		return gk_buf_puts(value, "off");
	case GK_KILL_ENGAGED:
		return gk_buf_puts(value, "engaged");
	case GK_KILL_UNREADABLE:
		break;
	}
	r = gk_buf_puts(value, "UNREADABLE");
	return r < 0 ? r : put_detail(details, "", d->trust.why);
}

static int
kept_tools(const struct gk_policyrec *rec, struct gk_buf *details)
{
	const struct gk_toolset *set = &rec->overlay.disabled;
	size_t i;
	int r = gk_buf_puts(details, "disabled tools kept:");

	for (i = 0; i < set->n && r == 0; i++)
		r = put_text(details, i > 0 ? ", " : " ", set->name[i]);
	return r < 0 ? r : gk_buf_putc(details, '\n');
}

static int
words_policy(const struct gk_doctor *d, struct gk_buf *value,
    struct gk_buf *details)
{
	const struct gk_policyrec *rec = d->policy.rec;
	int r;

	switch (d->policy.state) {
	case GK_POLICY_ABSENT:
		return gk_buf_puts(value, "none yet");
	case GK_POLICY_KEPT:
		r = gk_buf_puts(value, "none yet");
		return r < 0 ? r : kept_tools(rec, details);
	case GK_POLICY_PRESENT:
		return gk_buf_putf(value, "revision %" PRIu64 "%s%s",
		    rec->doc.revision, rec->is_signed ? " signed" :
		    " unsigned", rec->overlay.has != 0 ?
		    " + overlay active" : "");
	case GK_POLICY_UNREADABLE:
		break;
	}
	r = gk_buf_puts(value, "UNREADABLE");
	return r < 0 ? r : put_detail(details, "", d->policy.why);
}

int
gk_doctor_words(const struct gk_doctor *d, enum gk_doctor_row row,
    struct gk_buf *value, struct gk_buf *details)
{
	switch (row) {
	case GK_DOCTOR_DIRECTORIES:
		return words_directories(d, value, details);
	case GK_DOCTOR_LOCK:
		return words_lock(d, value, details);
	case GK_DOCTOR_SERVER:
		return words_server(d, value, details);
	case GK_DOCTOR_KILL:
		return words_kill(d, value, details);
	case GK_DOCTOR_POLICY:
		return words_policy(d, value, details);
	case GK_DOCTOR_ROWS:
		break;
	}
	return GENKAN_E_INVAL;
}

/* ------------------------------------------------------------ terminal */

static void
put_row(const struct gk_doctor *d, enum gk_doctor_row row,
    struct genkan_report *report)
{
	struct gk_buf value, details;
	const char *line, *end, *lf;

	gk_buf_init(&value, d->ctx, GK_REPORT_MAX);
	gk_buf_init(&details, d->ctx, GK_REPORT_MAX);
	if (gk_doctor_words(d, row, &value, &details) < 0) {
		report->failed = 1;
		goto out;
	}
	gk_report_line(report, "%-*s%.*s", INDENT, names[row],
	    (int)value.len, (const char *)value.ptr);
	line = (const char *)details.ptr;
	end = line + details.len;
	for (; line < end; line = lf + 1) {
		lf = memchr(line, '\n', (size_t)(end - line));
		gk_report_line(report, "%-*s%.*s", INDENT, "",
		    (int)(lf - line), line);
	}
out:
	gk_buf_done(&value);
	gk_buf_done(&details);
}

static void
put_manifests(const struct gk_doctor *d, struct genkan_report *report)
{
	const struct gk_reg_row *row;
	size_t i;

	gk_report_line(report, "native manifests");
	for (i = 0; i < GK_REG_ROWS; i++) {
		row = &d->row[i];
		gk_report_line(report, "  %-8s  %-6s  %-12s  %-10s  %s",
		    row->key, row->system ? "system" : "user",
		    row->detected ? "detected" : "not detected",
		    gk_reg_kind_name(row->state.kind), row->location);
		if (row->state.detail[0] != '\0')
			gk_report_line(report, "  %-8s  %s", "",
			    row->state.detail);
	}
	for (i = 0; i < d->nsandboxed; i++)
		gk_report_line(report, "  %-8s  %s in %s: its sandbox cannot "
		    "start a native messaging host; use a browser from a "
		    "regular package", d->sandboxed[i].key,
		    d->sandboxed[i].packaging, d->sandboxed[i].path);
}

void
gk_doctor_text(const struct gk_doctor *d, struct genkan_report *report)
{
	int row;

	gk_report_line(report, "genkan %s", GENKAN_VERSION);
	gk_report_line(report, "%-*s%s/%s", INDENT, "platform", d->os,
	    d->arch);
	for (row = 0; row < GK_DOCTOR_ROWS; row++)
		put_row(d, (enum gk_doctor_row)row, report);
	put_manifests(d, report);
	if (d->has_extension)
		gk_report_line(report, "%-*s%s", INDENT, "extension",
		    d->extension);
	else
		gk_report_line(report, "%-*snone at %s; `make "
		    "install-extension` puts it there", INDENT, "extension",
		    d->extension);
	gk_report_line(report, "%-*sthe extension itself is not checked",
	    INDENT, "");
	gk_report_line(report, "%-*s%s: %s", INDENT, "verdict",
	    d->healthy ? "healthy" : "not healthy", d->summary);
	report->status = d->healthy ? GK_EXIT_OK : GK_EXIT_FAILED;
}
