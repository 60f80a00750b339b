/*
 * The host key, as far as this build has it: it can tell that there is none.
 * Without a credential store an absent host_key.json is verified absence
 * (control 3.4); a key that is there cannot be used yet, and that is said.
 */
#include "engine/control_impl.h"

enum gk_key_absence
gk_control_key(struct gk_control *c)
{
	struct gk_stamp stamp;
	int r;

	r = c->store->stamp(c->store->user, GK_RECORD_HOST_KEY, &stamp);
	if (r == GENKAN_E_NOENT)
		return GK_KEY_ABSENT;
	return r == 0 ? GK_KEY_PRESENT : GK_KEY_UNKNOWN;
}

static void
key_error(struct gk_control *c, const char *code)
{
	struct gk_answer a;

	gk_answer_open(&a, c, GK_TAG_ENCLAVE_ERROR);
	gk_answer_send(&a, gk_json_put_str_member(&a.buf, "reason", code,
	    strlen(code)));
}

void
gk_control_challenge(struct gk_control *c)
{
	struct gk_trust_view view;

	gk_control_look(c, &view);
	if (view.state == GK_TRUST_UNREADABLE) {
		key_error(c, "keychain_error");
		return;
	}
	switch (gk_control_key(c)) {
	case GK_KEY_ABSENT:
		key_error(c, "not_enrolled");
		break;
	case GK_KEY_PRESENT:
		gk_log(c->ctx, GK_LOG_ERROR, GK_CONTROL_TAG, "key-unusable",
		    "there is a host key, but this version of genkan cannot "
		    "sign with it yet");
		key_error(c, "keychain_error");
		break;
	case GK_KEY_UNKNOWN:
		key_error(c, "keychain_error");
		break;
	}
}

/* Disposal (3.6) writes three records; it is not part of this build. */
void
gk_control_revoke(struct gk_control *c)
{
	gk_log(c->ctx, GK_LOG_ERROR, GK_CONTROL_TAG, "not-here",
	    "enclave_revoke: this version of genkan cannot dispose of the "
	    "host key yet");
	key_error(c, "keychain_error");
}

void
gk_control_push_revoked(struct gk_control *c)
{
	struct gk_answer a;

	if (gk_control_key(c) != GK_KEY_ABSENT)
		return;
	gk_answer_open(&a, c, GK_TAG_ENCLAVE_REVOKED);
	gk_answer_send(&a, 0);
}
