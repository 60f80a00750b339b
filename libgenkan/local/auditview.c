#include "local/auditview.h"

#include "base/buf.h"
#include "base/str.h"
#include "codec/jstr.h"
#include "records/auditrec.h"

/* A stand-in shows so much of what nobody understood. */
#define STAND_IN_MAX	200

static int
put_stand_in(struct gk_buf *to, struct gk_span line, bool json)
{
	int r;

	if (json) {
		r = gk_buf_puts(to, "{\"v\":1,\"unrecognized\":");
		if (r == 0)
			r = gk_json_put_string(to, line.ptr, line.len);
		return r == 0 ? gk_buf_putc(to, '}') : r;
	}
	r = gk_buf_puts(to, "(unrecognized) ");
	return r == 0 ? gk_str_escape(to, line.ptr, line.len, STAND_IN_MAX) :
	    r;
}

static int
put_line(struct gk_desk *d, struct gk_span line, bool json, size_t *unknown)
{
	struct gk_buf *to = &d->report->text;
	struct gk_auditrec rec;
	int r;

	r = gk_auditrec_parse(d->ctx, line, &rec);
	if (r == GENKAN_E_NOMEM)
		return r;
	if (r < 0) {
		(*unknown)++;
		r = put_stand_in(to, line, json);
	} else {
		r = json ? gk_buf_put_span(to, line) :
		    gk_auditrec_show(to, &rec);
	}
	return r == 0 ? gk_buf_putc(to, '\n') : r;
}

static int
put_trail(struct gk_desk *d, struct gk_span trail, size_t limit, bool json)
{
	struct gk_span line;
	size_t older, unknown = 0;
	int r = 0;

	trail = gk_audit_tail(trail, limit, &older);
	while (r == 0 && gk_audit_next(&trail, &line))
		r = put_line(d, line, json, &unknown);
	if (r == 0 && unknown > 0)
		gk_report_warn(d->report, "genkan: %zu line%s not recognized",
		    unknown, unknown == 1 ? "" : "s");
	return r < 0 ? GENKAN_E_NOMEM : 0;
}

int
gk_auditview_fill(struct gk_desk *d, size_t limit, bool json)
{
	struct gk_why why = { 0, "" };
	struct gk_buf trail;
	int r;

	gk_buf_init(&trail, d->ctx, GK_TRAIL_MAX);
	r = gk_auditlog_read(&d->place, &trail, &why);
	if (r < 0) {
		gk_desk_fail(d, "the audit trail in %s cannot be read: %s",
		    d->place.state, why.text);
		r = 0;
	} else if (trail.len == 0) {
		gk_report_warn(d->report, "genkan: the audit trail is empty");
	} else {
		r = put_trail(d, gk_buf_span(&trail), limit, json);
	}
	gk_buf_done(&trail);
	return r;
}
