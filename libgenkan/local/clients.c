#include "local/clients.h"

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "local/hostkey.h"
#include "local/measure.h"
#include "os/clock.h"

/* ----------------------------------------------------------------- pairing */

bool
gk_pairing_is_interpreter(const char *path)
{
	static const char *const names[] = { "node", "bun", "deno", "python",
	    "ruby", "perl", "java", "sh", "bash", "zsh", "fish", "dash",
	    "busybox" };
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static int
set_anchor(struct gk_pairing *p, enum gk_anchor_kind kind, const char *value)
{
	struct gk_anchor *a = &p->client.anchor;
	size_t i;

	a->kind = kind;
	if (!gk_str_copy(a->value, sizeof(a->value), value, strlen(value)))
		return GENKAN_E_INVAL;
	for (i = 0; kind == GK_ANCHOR_HASH && a->value[i] != '\0'; i++)
		if (a->value[i] >= 'A' && a->value[i] <= 'F')
			a->value[i] = (char)(a->value[i] - 'A' + 'a');
	return gk_anchor_is_valid(kind, a->value, strlen(a->value)) ? 0 :
	    GENKAN_E_INVAL;
}

int
gk_pairing_init(struct gk_pairing *p, struct genkan_ctx *ctx,
    const char *name, bool parent, const char *hash, const char *signer)
{
	memset(p, 0, sizeof(*p));
	if (name == NULL)
		return gk_err_set(ctx, GENKAN_E_INVAL, "pair-client needs "
		    "--name");
	if (!gk_str_is_label(name, strlen(name)) ||
	    !gk_str_copy(p->client.name, sizeof(p->client.name), name,
	    strlen(name)))
		return gk_err_set(ctx, GENKAN_E_INVAL, "a client name has 1 "
		    "to %d of the characters A-Z a-z 0-9 . _ -, the first a "
		    "letter or digit", (int)GK_LABEL_MAX);
	if ((int)parent + (hash != NULL) + (signer != NULL) != 1)
		return gk_err_set(ctx, GENKAN_E_INVAL, "exactly one of "
		    "--this-parent, --hash and --signer is needed");
	if (hash != NULL && set_anchor(p, GK_ANCHOR_HASH, hash) < 0)
		return gk_err_set(ctx, GENKAN_E_INVAL, "a hash has 40 or 64 "
		    "hex digits");
	if (signer != NULL && set_anchor(p, GK_ANCHOR_SIGNER, signer) < 0)
		return gk_err_set(ctx, GENKAN_E_INVAL, "a signer has 1 to %d "
		    "bytes of UTF-8 without control characters",
		    (int)GK_SIGNER_MAX);
	p->parent = parent;
	return 0;
}

static int
measure_parent(struct gk_pairing *p, struct gk_desk *d)
{
	struct gk_measure m;

	gk_measure_harness(d->ctx, &m);
	if (!m.ok || set_anchor(p, GK_ANCHOR_HASH, m.hash) < 0) {
		gk_desk_fail(d, "the program that started this one cannot be "
		    "measured; use --hash");
		return 1;
	}
	(void)gk_str_copy(p->path, sizeof(p->path), m.path, strlen(m.path));
	return 0;
}

int
gk_pairing_check(struct gk_pairing *p, struct gk_desk *d)
{
	char why[GK_WHY_FULL];
	struct gk_trust_view view;

	if (p->parent && measure_parent(p, d) != 0)
		return 1;
	gk_desk_look(d, &view);
	if (gk_act_check_pair(&view, &p->client, why, sizeof(why)) < 0) {
		gk_desk_fail(d, "%s", why);
		return 1;
	}
	return 0;
}

int
gk_pairing_reason(const struct gk_pairing *p, struct gk_buf *ret)
{
	const struct gk_anchor *a = &p->client.anchor;
	int r = 0;

	if (p->parent) {
		r = gk_buf_puts(ret, "image: ");
		if (r == 0)
			r = gk_str_escape(ret, p->path, strlen(p->path),
			    sizeof(p->path));
		if (r == 0)
			r = gk_buf_putc(ret, '\n');
	}
	if (r == 0 && gk_pairing_is_interpreter(p->path))
		r = gk_buf_puts(ret, "warning: that is an interpreter; every "
		    "program that is run by it would be admitted too\n");
	if (r == 0 && a->kind == GK_ANCHOR_SIGNER)
		r = gk_buf_puts(ret, "warning: this system measures no "
		    "signers, so nothing will match\n");
	if (r == 0)
		r = gk_buf_putf(ret, "trust client %s (%s ", p->client.name,
		    gk_anchor_kind_name(a->kind));
	if (r == 0)
		r = gk_str_escape(ret, a->value, strlen(a->value),
		    sizeof(a->value));
	return r == 0 ? gk_buf_puts(ret, "): it may then use your browser "
	    "through genkan.\n") : r;
}

void
gk_pairing_run(struct gk_pairing *p, struct gk_desk *d,
    struct gk_presence *proof)
{
	const struct gk_anchor *a = &p->client.anchor;
	const char *kind = gk_anchor_kind_name(a->kind);
	char detail[GK_AUDIT_TEXT_MAX + 1];
	struct gk_act act;
	int r;

	p->client.added_unix = gk_clock_wall_ms() / 1000;
	gk_act_pair(&act, d->ctx, proof, &p->client);
	r = gk_act_run(&act, &d->stores.store, NULL);
	gk_anchor_detail(a, gk_presence_path(proof), detail);
	if (r < 0) {
		gk_desk_fail(d, "%s", act.why);
	} else {
		gk_report_line(d->report, "%s %s (%s %s)", act.was ?
		    "paired anew:" : "paired:", p->client.name, kind,
		    a->value);
		gk_report_line(d->report, "presence: %s",
		    gk_presence_path(proof));
		gk_report_line(d->report, "admission is enforced: from now on "
		    "only the clients of `genkan list-clients` are admitted");
	}
	if (r >= 0 && a->kind == GK_ANCHOR_SIGNER)
		gk_report_warn(d->report, "genkan: this system measures no "
		    "signers, so this entry matches nothing here");
	gk_desk_audit(d, "pair_client", r < 0 ? "error" : "ok",
	    p->client.name, detail);
}

/* ---------------------------------------------------------------- the list */

void
gk_clients_list(struct gk_desk *d)
{
	struct gk_trust_view view;
	const struct gk_client *c;
	size_t i;

	gk_desk_look(d, &view);
	if (view.state == GK_TRUST_UNREADABLE) {
		gk_desk_fail(d, "%s", view.why);
		return;
	}
	if (!view.rec->paired) {
		gk_report_line(d->report, "never paired: every client is "
		    "admitted; `genkan pair-client` begins a list");
		return;
	}
	if (view.rec->nclients == 0) {
		gk_report_line(d->report, "the list is empty: no client is "
		    "admitted");
		return;
	}
	gk_report_line(d->report, "%zu client%s", view.rec->nclients,
	    view.rec->nclients == 1 ? "" : "s");
	for (i = 0; i < view.rec->nclients; i++) {
		c = &view.rec->client[i];
		gk_report_line(d->report, "%s (%s %s)", c->name,
		    gk_anchor_kind_name(c->anchor.kind), c->anchor.value);
	}
}

/* -------------------------------------------------------------- revocation */

/* What cannot be found is no act, so it is not audited. */
static void
audit_revoked(struct gk_desk *d, const char *kind, int r, const char *name)
{
	if (r != GENKAN_E_NOENT)
		gk_desk_audit(d, kind, r < 0 ? "error" : "ok", name, NULL);
}

void
gk_clients_revoke(struct gk_desk *d, const char *name)
{
	struct gk_act act;
	int r;

	gk_act_revoke_client(&act, d->ctx, name);
	r = gk_act_run(&act, &d->stores.store, NULL);
	if (r < 0)
		gk_desk_fail(d, "%s", act.why);
	else
		gk_report_line(d->report, "revoked: %s", act.name);
	audit_revoked(d, "revoke_client", r, act.name);
}

void
gk_clients_revoke_browser(struct gk_desk *d, const char *label)
{
	struct gk_act act;
	int r;

	gk_act_revoke_browser(&act, d->ctx, label);
	r = gk_act_run(&act, &d->stores.store, NULL);
	if (r < 0)
		gk_desk_fail(d, "%s", act.why);
	else
		gk_report_line(d->report, "revoked: %zu credential%s of %s",
		    act.gone, act.gone == 1 ? "" : "s", act.name);
	audit_revoked(d, "revoke_browser", r, act.name);
}

void
gk_clients_revoke_all(struct gk_desk *d)
{
	struct gk_act act;
	int r;

	gk_act_revoke_all(&act, d->ctx);
	r = gk_act_run(&act, &d->stores.store, NULL);
	if (r < 0) {
		gk_desk_fail(d, "%s", act.why);
	} else {
		gk_report_line(d->report, r > 0 ? "no client and no "
		    "credential was there to revoke" :
		    "revoked: all clients and all credentials");
	}
	if (r <= 0) {
		audit_revoked(d, "revoke_client", r, NULL);
		audit_revoked(d, "revoke_browser", r, NULL);
	}
	if (r >= 0)
		gk_hostkey_revoke(d);
}
