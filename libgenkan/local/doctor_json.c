/* doctor --json: control.md 9.3. */
#include "codec/jstr.h"
#include "genkan/version.h"
#include "local/doctor.h"

static int
put_text(struct gk_buf *out, const char *name, const char *text)
{
	return gk_json_put_str_member(out, name, text, strlen(text));
}

static int
put_lock(const struct gk_doctor *d, struct gk_buf *out)
{
	static const char *const reachable[] = {
		[GK_DOCTOR_NOT_PROBED] = "null",
		[GK_DOCTOR_REACHABLE] = "true",
		[GK_DOCTOR_UNREACHABLE] = "false",
	};
	int r;

	if (d->lock == GK_DOCTOR_LOCK_ABSENT)
		return put_text(out, "state", "absent");
	if (d->lock == GK_DOCTOR_LOCK_UNREADABLE) {
		r = put_text(out, "state", "unreadable");
		return r < 0 ? r : put_text(out, "detail", d->lock_why);
	}
	if ((r = put_text(out, "state", "present")) < 0 ||
	    (r = put_text(out, "endpoint", d->endpoint)) < 0 ||
	    (r = gk_json_put_int_member(out, "pid", d->pid)) < 0 ||
	    (r = put_text(out, "state_dir", d->lock_state)) < 0 ||
	    (r = gk_json_put_bool_member(out, "mismatch",
	    d->mismatch)) < 0 ||
	    (r = gk_json_put_int_member(out, "secret_len",
	    (int64_t)d->secret_len)) < 0)
		return r;
	return gk_json_put_raw_member(out, "reachable",
	    gk_span_str(reachable[d->server]));
}

static int
put_kill(const struct gk_doctor *d, struct gk_buf *out)
{
	static const char *const state[] = {
		[GK_KILL_CLEAR] = "off",
		[GK_KILL_ENGAGED] = "engaged",
		[GK_KILL_UNREADABLE] = "unreadable",
	};
	int r = put_text(out, "state", state[d->trust.kill]);

	if (r < 0 || d->trust.kill != GK_KILL_UNREADABLE)
		return r;
	return put_text(out, "detail", d->trust.why);
}

/* The tools that a disposal left disabled, as the words have them. */
static int
put_kept(const struct gk_doctor *d, struct gk_buf *out)
{
	struct gk_buf value, details;
	int r;

	gk_buf_init(&value, d->ctx, GK_REPORT_MAX);
	gk_buf_init(&details, d->ctx, GK_REPORT_MAX);
	r = gk_doctor_words(d, GK_DOCTOR_POLICY, &value, &details);
	if (r == 0)
		r = gk_json_put_str_member(out, "detail",
		    (const char *)details.ptr, details.len - 1);
	gk_buf_done(&value);
	gk_buf_done(&details);
	return r;
}

static int
put_policy(const struct gk_doctor *d, struct gk_buf *out)
{
	const struct gk_policyrec *rec = d->policy.rec;
	int r;

	switch (d->policy.state) {
	case GK_POLICY_ABSENT:
		return put_text(out, "state", "none");
	case GK_POLICY_KEPT:
		r = put_text(out, "state", "none");
		return r < 0 ? r : put_kept(d, out);
	case GK_POLICY_UNREADABLE:
		r = put_text(out, "state", "unreadable");
		return r < 0 ? r : put_text(out, "detail", d->policy.why);
	case GK_POLICY_PRESENT:
		break;
	}
	if ((r = put_text(out, "state", "present")) < 0 ||
	    (r = gk_json_put_int_member(out, "revision",
	    (int64_t)rec->doc.revision)) < 0 ||
	    (r = gk_json_put_bool_member(out, "signed",
	    rec->is_signed)) < 0)
		return r;
	return gk_json_put_bool_member(out, "overlay_active",
	    rec->overlay.has != 0);
}

/* An object whose members put() writes. */
static int
put_object(const struct gk_doctor *d, struct gk_buf *out, const char *name,
    int (*put)(const struct gk_doctor *, struct gk_buf *))
{
	int r;

	if ((r = gk_json_put_key(out, name)) < 0 ||
	    (r = gk_buf_putc(out, '{')) < 0 || (r = put(d, out)) < 0)
		return r;
	return gk_buf_putc(out, '}');
}

static int
put_row(struct gk_buf *out, const struct gk_reg_row *row)
{
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = put_text(out, "browser", row->key)) < 0 ||
	    (r = put_text(out, "scope",
	    row->system ? "system" : "user")) < 0 ||
	    (r = gk_json_put_bool_member(out, "detected",
	    row->detected)) < 0 ||
	    (r = gk_json_put_key(out, "state")) < 0 ||
	    (r = gk_buf_putc(out, '{')) < 0 ||
	    (r = put_text(out, "kind",
	    gk_reg_kind_name(row->state.kind))) < 0)
		return r;
	if (row->state.detail[0] != '\0' &&
	    (r = put_text(out, "detail", row->state.detail)) < 0)
		return r;
	if ((r = gk_buf_putc(out, '}')) < 0 ||
	    (r = put_text(out, "location", row->location)) < 0)
		return r;
	return gk_buf_putc(out, '}');
}

static int
put_manifests(const struct gk_doctor *d, struct gk_buf *out)
{
	size_t i;
	int r;

	if ((r = gk_json_put_key(out, "manifests")) < 0 ||
	    (r = gk_buf_putc(out, '[')) < 0)
		return r;
	for (i = 0; i < GK_REG_ROWS; i++)
		if ((i > 0 && (r = gk_buf_putc(out, ',')) < 0) ||
		    (r = put_row(out, &d->row[i])) < 0)
			return r;
	return gk_buf_putc(out, ']');
}

static int
put_sandboxed(const struct gk_doctor *d, struct gk_buf *out)
{
	const struct gk_sandboxed *s;
	size_t i;
	int r;

	if ((r = gk_json_put_key(out, "sandboxed")) < 0 ||
	    (r = gk_buf_putc(out, '[')) < 0)
		return r;
	for (i = 0; i < d->nsandboxed; i++) {
		s = &d->sandboxed[i];
		if ((i > 0 && (r = gk_buf_putc(out, ',')) < 0) ||
		    (r = gk_buf_putc(out, '{')) < 0 ||
		    (r = put_text(out, "browser", s->key)) < 0 ||
		    (r = put_text(out, "packaging", s->packaging)) < 0 ||
		    (r = put_text(out, "path", s->path)) < 0 ||
		    (r = gk_buf_putc(out, '}')) < 0)
			return r;
	}
	return gk_buf_putc(out, ']');
}

static int
put_head(const struct gk_doctor *d, struct gk_buf *out)
{
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_json_put_int_member(out, "v", 1)) < 0 ||
	    (r = put_text(out, "version", GENKAN_VERSION)) < 0 ||
	    (r = put_text(out, "os", d->os)) < 0 ||
	    (r = put_text(out, "arch", d->arch)) < 0 ||
	    (r = put_text(out, "runtime_dir", d->place.runtime)) < 0 ||
	    (r = put_text(out, "state_dir", d->place.state)) < 0)
		return r;
	return put_text(out, "lock_path", d->lock_path);
}

int
gk_doctor_json(const struct gk_doctor *d, struct gk_buf *out)
{
	int r;

	if ((r = put_head(d, out)) < 0 ||
	    (r = put_object(d, out, "lock", put_lock)) < 0 ||
	    (r = put_object(d, out, "kill", put_kill)) < 0 ||
	    (r = put_object(d, out, "policy", put_policy)) < 0 ||
	    (r = put_manifests(d, out)) < 0 ||
	    (r = put_sandboxed(d, out)) < 0)
		return r;
	r = d->has_extension ? put_text(out, "extension_dir", d->extension) :
	    gk_json_put_raw_member(out, "extension_dir", gk_span_str("null"));
	if (r < 0 ||
	    (r = gk_json_put_bool_member(out, "healthy", d->healthy)) < 0 ||
	    (r = put_text(out, "summary", d->summary)) < 0)
		return r;
	return gk_buf_putc(out, '}');
}
