/* Steps 6 and 7 of wire 5.1: the role, then admission by the table of 6.3. */
#include "engine/broker_impl.h"

#include "base/str.h"
#include "proto/attach.h"

#define KILLED	"the kill switch is engaged, or its state cannot be read"

void
gk_admit_audit(struct gk_broker *b, const char *kind, const char *outcome,
    const char *name, const char *detail)
{
	struct gk_audit rec = GK_AUDIT_INIT;

	rec.kind = kind;
	rec.surface = "broker";
	rec.outcome = outcome;
	rec.name = name != NULL && name[0] != '\0' ? name : NULL;
	rec.detail = detail;
	gk_store_audit(b->store, &rec);
}

/* The reply is the first line after the challenge; refusals end with it. */
static int
reply(struct gk_bleg *l, enum gk_attach_verdict verdict, const char *reason)
{
	struct gk_buf line;
	int r;

	gk_buf_init(&line, l->leg.ctx, GK_SETUP_LINE_MAX);
	r = gk_attach_reply_write(&line, verdict, reason);
	if (r == 0)
		r = gk_outq_move(&l->out, &line, NULL);
	gk_buf_done(&line);
	if (r < 0)
		gk_bleg_close(l);
	else if (verdict != GK_ATTACH_ACCEPTED) {
		gk_log(l->leg.ctx, GK_LOG_WARN, "broker", "attach-refused",
		    "attach refused: %s", reason);
		gk_bleg_flush(l);
	}
	return r;
}

static void
admit_browser(struct gk_bleg *l)
{
	struct gk_broker *b = l->broker;
	struct gk_trust_view view;
	const char *label = l->setup->label;
	int r;

	if (label[0] == '\0')
		label = gk_schema_ident(GK_IDENT_DEFAULT_LABEL);
	gk_broker_look(b, &view);
	if (view.kill != GK_KILL_CLEAR) {
		gk_admit_audit(b, "browser_refuse", NULL, label,
		    view.kill == GK_KILL_UNREADABLE ? view.why : NULL);
		reply(l, GK_ATTACH_REFUSED, KILLED);
		return;
	}
	if (reply(l, GK_ATTACH_ACCEPTED, NULL) < 0)
		return;
	r = gk_browser_begin(l, label);
	if (r == 0)
		return;
	gk_log(b->ctx, GK_LOG_WARN, "broker", "browser-closed",
	    "browser %s closed after its attach: %s", label,
	    r == GENKAN_E_LIMIT ? "too many browsers" : "out of memory");
	gk_bleg_flush(l);
}

/* What the client will be judged on: an embedder on its image, a relay on the
 * harness that it names. */
static void
claim(const struct gk_bleg *l, struct gk_broker_client *k)
{
	const struct gk_attach *a = &l->setup->attach;

	k->embedder = (l->may & GK_MAY_RELAY) == 0;
	if (k->embedder) {
		k->as = l->peer.image;
		return;
	}
	k->as.ok = a->has_harness;
	gk_str_copy(k->as.hash, sizeof(k->as.hash), a->hash, strlen(a->hash));
	gk_str_copy(k->as.signer, sizeof(k->as.signer), a->signer,
	    strlen(a->signer));
	gk_str_copy(k->as.name, sizeof(k->as.name), a->name, strlen(a->name));
}

static void
audit_refuse(struct gk_broker *b, const struct gk_broker_client *k,
    const char *reason)
{
	char measured[GK_SIGNER_MAX + 16], detail[GK_SIGNER_MAX + 1024];

	gk_measure_text(&k->as, measured, sizeof(measured));
	snprintf(detail, sizeof(detail), "%s; %s", reason, measured);
	gk_admit_audit(b, "harness_refuse", "refused", k->as.name, detail);
}

static void
admit_client(struct gk_bleg *l)
{
	struct gk_broker *b = l->broker;
	struct gk_broker_client k;
	struct gk_trust_view view;
	struct gk_admission a;
	int r;

	gk_client_init(&k, b);
	claim(l, &k);
	gk_broker_look(b, &view);
	gk_client_judge(&k, &view, &a);
	if (a.verdict == GK_VERDICT_REFUSE) {
		audit_refuse(b, &k, a.unreadable ? "trust record unreadable" :
		    a.reason);
		reply(l, GK_ATTACH_REFUSED, a.unreadable ? view.why :
		    a.reason);
		return;
	}
	k.admitted = a.verdict;
	r = gk_client_begin(l, &k);
	if (r < 0) {
		reply(l, GK_ATTACH_UNAVAILABLE, r == GENKAN_E_NOMEM ?
		    "out of memory" : b->latch ? "the broker is leaving" :
		    "too many clients are attached");
		return;
	}
	reply(l, GK_ATTACH_ACCEPTED, NULL);
}

/* Whether the image may claim what it claims (4.3, 6.1). */
static bool
role_fits(const struct gk_bleg *l)
{
	const struct gk_attach *a = &l->setup->attach;

	if (a->role == GK_ATTACH_BROWSER)
		return (l->may & GK_MAY_BROWSER) != 0;
	if (a->has_harness)
		return (l->may & GK_MAY_RELAY) != 0;
	return (l->may & (GK_MAY_RELAY | GK_MAY_EMBEDDER)) != 0;
}

void
gk_admit(struct gk_bleg *l)
{
	if (!role_fits(l)) {
		gk_admit_audit(l->broker, "attach_refuse", NULL, NULL,
		    "peer attestation failed");
		reply(l, GK_ATTACH_REFUSED, GK_ATTEST_MISMATCH);
	} else if (l->setup->attach.role == GK_ATTACH_BROWSER)
		admit_browser(l);
	else
		admit_client(l);
}
