#include "local/hostpair.h"

#include <stdio.h>

#include "base/err.h"
#include "codec/b64.h"

static const char *
store_word(const struct gk_hostpair *p)
{
	return p->file ? "file" : "credential_store";
}

static void
audit(const struct gk_hostpair *p, struct gk_desk *d, const char *outcome,
    const char *path)
{
	char detail[128];

	(void)snprintf(detail, sizeof(detail), "store=%s; reset=%s; auth=%s",
	    store_word(p), p->reset ? "true" : "false", path);
	gk_desk_audit(d, "host_key_pair", outcome, NULL, detail);
}

/* ----------------------------------------------------------------- prechecks */

static int
taken(struct gk_desk *d, enum gk_key_place where)
{
	gk_desk_fail(d, "there is a host key already, in %s; `genkan pair "
	    "--reset` replaces it", where == GK_KEY_IN_FILE ?
	    gk_store_name(&d->stores.store, GK_RECORD_HOST_KEY) :
	    "the credential store");
	return 1;
}

/* Without --reset: neither place holds a key. */
static int
check_empty(struct gk_hostpair *p, struct gk_desk *d)
{
	enum gk_key_place where = GK_KEY_NOWHERE;
	int r = gk_keyring_occupied(&p->keys, p->file, &where);

	if (r == 1)
		return taken(d, where);
	if (r < 0)
		gk_desk_fail(d, "%s", p->keys.why);
	return r < 0;
}

static int
check_trust(struct gk_desk *d)
{
	struct gk_trust_view view;

	gk_desk_look(d, &view);
	if (view.state != GK_TRUST_UNREADABLE)
		return 0;
	gk_desk_fail(d, "%s", view.why);
	return 1;
}

static int
check(struct gk_hostpair *p, struct gk_desk *d)
{
	int r;

	r = gk_keyring_init(&p->keys, d->ctx, &d->place, &d->stores.store);
	if (r == 0 && check_trust(d) != 0)
		return 1;
	/* The one wait for a person who is not asked here: before the lock. */
	if (r == 0 && !p->file)
		r = gk_keyring_unlock(&p->keys);
	if (r < 0) {
		gk_desk_fail(d, "%s", p->keys.why);
		return 1;
	}
	return p->reset ? 0 : check_empty(p, d);
}

int
gk_hostpair_check(struct gk_hostpair *p, struct gk_desk *d)
{
	if (check(p, d) == 0)
		return 0;
	audit(p, d, "refused", "none");
	return 1;
}

const char *
gk_hostpair_reason(const struct gk_hostpair *p)
{
	return p->reset ? "replace the host key of this machine: browsers "
	    "that trust the old one stop until they pair again, and the "
	    "policy signed with it is put away.\n" :
	    "make a host key for this machine: what it signs, your browsers "
	    "will trust.\n";
}

/* ------------------------------------------------------------------- pairing */

static void
warn_store(struct gk_hostpair *p, struct gk_desk *d, const char *note)
{
	if (note[0] != '\0')
		gk_report_warn(d->report, "genkan: %s", note);
	else if (p->keys.failed != 0)
		gk_report_warn(d->report, "genkan: an old host key may remain "
		    "in the credential store: %s", p->keys.reason);
}

/* Step 4 under the lock: what fails has said so in why. */
static int
exchange(struct gk_hostpair *p, struct gk_hold *hold,
    const struct gk_signer *signer, struct gk_disposal *gone, char *why,
    size_t whylen)
{
	enum gk_key_place where = GK_KEY_NOWHERE;
	bool had;
	int r;

	if (!p->reset) {
		r = gk_keyring_occupied(&p->keys, p->file, &where);
		if (r != 0) {
			(void)snprintf(why, whylen, "%s", r < 0 ?
			    p->keys.why : "another program has just made a "
			    "host key");
			return r < 0 ? r : GENKAN_E_REFUSED;
		}
	}
	r = gk_hostkey_dispose(&p->keys, hold, p->file, &had, gone);
	if (r < 0) {
		(void)snprintf(why, whylen, "%s", gone->why);
		return r;
	}
	r = gk_keyring_put(&p->keys, hold, p->file ? GK_KEY_IN_FILE :
	    GK_KEY_IN_STORE, signer);
	if (r < 0)
		(void)snprintf(why, whylen, "%s", p->keys.why);
	return r;
}

static int
locked(struct gk_hostpair *p, struct gk_desk *d,
    const struct gk_signer *signer)
{
	const struct gk_store *store = &d->stores.store;
	char why[GK_WHY_FULL] = "";
	struct gk_disposal gone = { 0 };
	struct gk_hold *hold;
	int r;

	r = gk_store_hold(store, &hold, why, sizeof(why));
	if (r == 0) {
		r = exchange(p, hold, signer, &gone, why, sizeof(why));
		store->drop(store->user, hold);
	}
	if (r < 0)
		gk_desk_fail(d, "%s", why);
	else
		warn_store(p, d, gone.note);
	return r;
}

static int
tell(const struct gk_hostpair *p, struct gk_desk *d,
    const struct gk_signer *signer, const char *path)
{
	char print[GK_FINGERPRINT_LEN + 1];
	struct gk_buf pub;
	int r;

	gk_buf_init(&pub, d->ctx, 256);
	r = gk_b64_put(&pub, GK_B64_STD, signer->pub, sizeof(signer->pub));
	if (r == 0)
		r = gk_buf_putc(&pub, '\0');
	if (r == 0) {
		gk_key_fingerprint(signer->id, print);
		gk_report_line(d->report, "enrolled: this machine has a host "
		    "key");
		gk_report_line(d->report, "presence: %s", path);
		if (p->file)
			gk_report_line(d->report, "store: file (%s)",
			    gk_store_name(&d->stores.store,
			    GK_RECORD_HOST_KEY));
		else
			gk_report_line(d->report, "store: credential store");
		gk_report_line(d->report, "public key: %s",
		    (const char *)pub.ptr);
		gk_report_line(d->report, "fingerprint: %s", print);
		gk_report_line(d->report, "next: pair on the options page of "
		    "the extension, and compare the fingerprint there with "
		    "this one");
	}
	gk_buf_done(&pub);
	return r;
}

void
gk_hostpair_run(struct gk_hostpair *p, struct gk_desk *d,
    struct gk_presence *proof)
{
	const char *path = gk_presence_path(proof);
	struct gk_signer signer;
	int r;

	memset(&signer, 0, sizeof(signer));
	r = gk_presence_use(proof) ? 0 : GENKAN_E_REFUSED;
	if (r == 0)
		r = gk_signer_mint(d->ctx, &signer);
	if (r < 0)
		gk_desk_fail(d, "no host key could be made: %s",
		    gk_err_text(r));
	else if ((r = locked(p, d, &signer)) == 0 &&
	    tell(p, d, &signer, path) < 0)
		d->report->failed = 1;
	audit(p, d, r < 0 ? "error" : "ok", path);
	gk_signer_done(&signer);
}
