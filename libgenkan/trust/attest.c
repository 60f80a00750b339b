#include "trust/admission.h"
#include "trust/attest.h"

/* wire.md 4.3, by row. */
unsigned
gk_attest_peer(const struct gk_peer *peer, const struct gk_trust_view *trust)
{
	struct gk_admission a;
	unsigned may = 0;

	if (!peer->uid_known || !peer->uid_ours || !peer->image.ok)
		return 0;
	if ((peer->roles & GK_ROLE_HOST) != 0)
		may |= GK_MAY_BROWSER;
	if ((peer->roles & GK_ROLE_SERVER) != 0)
		may |= GK_MAY_RELAY;
	if ((peer->roles & GK_ROLE_CLI) != 0)
		may |= GK_MAY_NOTHING;
	if (may != 0)
		return may;
	gk_admission_embedder(trust, &peer->image, &a);
	return a.verdict == GK_VERDICT_TRUSTED ? GK_MAY_EMBEDDER : 0;
}

bool
gk_attest_broker(const struct gk_peer *peer)
{
	return peer->uid_known && peer->uid_ours && peer->image.ok &&
	    (peer->roles & GK_ROLE_SERVER) != 0;
}

bool
gk_attest_broker_image(const struct gk_measure *image,
    const struct gk_installset *set)
{
	return image->ok &&
	    (gk_installset_roles(set, image->hash) & GK_ROLE_SERVER) != 0;
}
