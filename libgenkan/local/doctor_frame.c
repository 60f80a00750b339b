/* doctor_report_result.report: the words of the terminal, control.md 9.3. */
#include <stdio.h>

#include "base/str.h"
#include "codec/jstr.h"
#include "genkan/version.h"
#include "local/doctor.h"
#include "local/hostkey.h"
#include "os/look.h"

static const char *const member[GK_DOCTOR_ROWS] = {
	[GK_DOCTOR_DIRECTORIES] = "directories",
	[GK_DOCTOR_LOCK] = "lock_file",
	[GK_DOCTOR_SERVER] = "mcp_server",
	[GK_DOCTOR_KILL] = "kill_switch",
	[GK_DOCTOR_POLICY] = "policy_baseline",
};

static int
put_text(struct gk_buf *out, const char *name, const char *text)
{
	return gk_json_put_str_member(out, name, text, strlen(text));
}

/* As a terminal shows it: foreign control characters spelled out. */
static int
put_line(struct gk_buf *out, const char *name, const char *text)
{
	struct gk_buf line;
	int r;

	gk_buf_init(&line, out->ctx, 16384);
	r = gk_str_put_line(&line, text, strlen(text), 4096);
	if (r == 0)
		r = gk_json_put_str_member(out, name, (const char *)line.ptr,
		    line.len);
	gk_buf_done(&line);
	return r;
}

/* Lines with LF, as an array. */
static int
put_details(struct gk_buf *out, struct gk_span lines)
{
	const char *at = lines.ptr, *end = at + lines.len, *lf;
	int r = gk_json_put_key(out, "details");

	if (r == 0)
		r = gk_buf_putc(out, '[');
	for (; r == 0 && at < end; at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		if (at != lines.ptr)
			r = gk_buf_putc(out, ',');
		if (r == 0)
			r = gk_json_put_string(out, at, (size_t)(lf - at));
	}
	return r == 0 ? gk_buf_putc(out, ']') : r;
}

static int
put_row(const struct gk_doctor *d, enum gk_doctor_row row,
    struct gk_buf *out)
{
	struct gk_buf value, details;
	int r;

	gk_buf_init(&value, d->ctx, GK_NATIVE_OUT_MAX);
	gk_buf_init(&details, d->ctx, GK_NATIVE_OUT_MAX);
	r = gk_doctor_words(d, row, &value, &details);
	if (r == 0)
		r = gk_json_put_key(out, member[row]);
	if (r == 0)
		r = gk_buf_putc(out, '{');
	if (r == 0)
		r = gk_json_put_str_member(out, "value",
		    (const char *)value.ptr, value.len);
	if (r == 0)
		r = put_details(out, gk_buf_span(&details));
	if (r == 0)
		r = gk_buf_putc(out, '}');
	gk_buf_done(&value);
	gk_buf_done(&details);
	return r;
}

int
gk_doctor_frame(struct gk_doctor *d, struct gk_buf *out)
{
	char platform[sizeof(d->os) + sizeof(d->arch) + 1];
	char key[GK_HOSTKEY_LINE];
	int r, row;

	(void)snprintf(platform, sizeof(platform), "%s/%s", d->os, d->arch);
	gk_hostkey_line(d->ctx, &d->place, key, sizeof(key));
	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = put_text(out, "version", GENKAN_VERSION)) < 0 ||
	    (r = put_text(out, "platform", platform)) < 0)
		return r;
	for (row = 0; row < GK_DOCTOR_ROWS; row++)
		if ((r = put_row(d, (enum gk_doctor_row)row, out)) < 0)
			return r;
	if ((r = put_line(out, "host_key", key)) < 0 ||
	    (r = put_line(out, "summary", d->summary)) < 0 ||
	    (r = gk_json_put_bool_member(out, "healthy", d->healthy)) < 0)
		return r;
	return gk_buf_putc(out, '}');
}
