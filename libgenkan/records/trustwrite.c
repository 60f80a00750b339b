#include "base/alloc.h"
#include "codec/b64.h"
#include "codec/jstr.h"
#include "records/store.h"
#include "records/trustrec.h"

static int
put_client(struct gk_buf *out, const struct gk_client *c)
{
	const char *kind = gk_anchor_kind_name(c->anchor.kind);
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_json_put_str_member(out, "name", c->name,
	    strlen(c->name))) < 0 ||
	    (r = gk_json_put_key(out, "anchor")) < 0 ||
	    (r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_json_put_str_member(out, "kind", kind,
	    strlen(kind))) < 0 ||
	    (r = gk_json_put_str_member(out, "value", c->anchor.value,
	    strlen(c->anchor.value))) < 0 ||
	    (r = gk_buf_putc(out, '}')) < 0 ||
	    (r = gk_json_put_int_member(out, "added_unix",
	    (int64_t)c->added_unix)) < 0)
		return r;
	return gk_buf_putc(out, '}');
}

static int
put_enrollment(struct gk_buf *out, const struct gk_enrollment *e)
{
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_json_put_str_member(out, "label", e->label,
	    strlen(e->label))) < 0 ||
	    (r = gk_json_put_key(out, "credential")) < 0 ||
	    (r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_b64_put_member(out, GK_B64_URL, "id",
	    e->id, e->idlen)) < 0 ||
	    (r = gk_b64_put_member(out, GK_B64_URL, "public_key",
	    e->public_key, sizeof(e->public_key))) < 0 ||
	    (r = gk_json_put_int_member(out, "sign_count",
	    (int64_t)e->sign_count)) < 0 ||
	    (r = gk_json_put_bool_member(out, "backup_eligible",
	    e->backup_eligible)) < 0)
		return r;
	return gk_buf_puts(out, "}}");
}

static int
put_clients(struct gk_buf *out, const struct gk_trustrec *t)
{
	size_t i;
	int r;

	if ((r = gk_json_put_key(out, "clients")) < 0)
		return r;
	if (!t->paired)
		return gk_buf_puts(out, "null");
	if ((r = gk_buf_putc(out, '[')) < 0)
		return r;
	for (i = 0; i < t->nclients; i++)
		if ((i > 0 && (r = gk_buf_putc(out, ',')) < 0) ||
		    (r = put_client(out, &t->client[i])) < 0)
			return r;
	return gk_buf_putc(out, ']');
}

static int
put_enrollments(struct gk_buf *out, const struct gk_trustrec *t)
{
	size_t i;
	int r;

	if ((r = gk_json_put_key(out, "enrollments")) < 0 ||
	    (r = gk_buf_putc(out, '[')) < 0)
		return r;
	for (i = 0; i < t->nenrollments; i++)
		if ((i > 0 && (r = gk_buf_putc(out, ',')) < 0) ||
		    (r = put_enrollment(out, &t->enrollment[i])) < 0)
			return r;
	return gk_buf_putc(out, ']');
}

static int
put_record(struct gk_buf *out, const void *record)
{
	const struct gk_trustrec *t = record;
	int r;

	if ((r = gk_buf_putc(out, '{')) < 0 ||
	    (r = gk_json_put_int_member(out, "version",
	    (int64_t)gk_ladder_current(&gk_ladder_trust))) < 0 ||
	    (r = gk_json_put_int_member(out, "epoch",
	    (int64_t)t->epoch)) < 0 ||
	    (r = gk_json_put_bool_member(out, "killed", t->killed)) < 0 ||
	    (r = gk_json_put_int_member(out, "kill_epoch",
	    (int64_t)t->kill_epoch)) < 0 ||
	    (r = gk_json_put_int_member(out, "host_key_epoch",
	    (int64_t)t->host_key_epoch)) < 0 ||
	    (r = gk_json_put_int_member(out, "policy_epoch",
	    (int64_t)t->policy_epoch)) < 0 ||
	    (r = gk_json_put_int_member(out, "lang_epoch",
	    (int64_t)t->lang_epoch)) < 0 ||
	    (r = put_clients(out, t)) < 0 ||
	    (r = put_enrollments(out, t)) < 0)
		return r;
	return gk_buf_puts(out, "}\n");
}

static int
reads_back(struct genkan_ctx *ctx, const void *bytes, size_t len)
{
	struct gk_trustrec *back = NULL;
	char why[GK_WHY_MAX];
	int r;

	r = gk_trustrec_parse(ctx, bytes, len, &back, why, sizeof(why));
	gk_trustrec_free(back);
	return r;
}

int
gk_trustrec_format(const struct gk_trustrec *t, struct gk_buf *ret)
{
	return gk_record_format(t->ctx, gk_record_cap(GK_RECORD_TRUST),
	    put_record, t, reads_back, ret);
}
