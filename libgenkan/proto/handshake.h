/*
 * The handshake's frames and MAC (wire 5.3, 5.4).  Frames are read strictly
 * from one line without its ending, and written with LF.  Neither side's
 * secret enters a json_t or an error text.
 */
#ifndef GK_PROTO_HANDSHAKE_H
#define GK_PROTO_HANDSHAKE_H

#include "base/buf.h"
#include "contract/schema.h"
#include "crypto/mac.h"

/* The MAC over nonce, and over label behind one 0x00; label.ptr NULL for
 * none.  secret: the 32 characters as they lie in the lock file. */
void	gk_hs_mac(const uint8_t secret[GK_SECRET_HEX], struct gk_span nonce,
	    struct gk_span label, uint8_t ret[GK_MAC_BYTES]);

/* Broker to peer.  The nonce is that of the frame, 1 to 64 hex characters. */
struct gk_hs_challenge {
	char	nonce[GK_NONCE_HEX_MAX];
	size_t	len;
};
int	gk_hs_challenge_write(struct gk_buf *, struct gk_span nonce);
int	gk_hs_challenge_read(struct genkan_ctx *, struct gk_span line,
	    struct gk_hs_challenge *ret);

/*
 * Peer to broker.  The label is judged only after the MAC verified, so it is
 * carried as it came, whatever it holds; gk_hs_response_done() frees it.
 */
struct gk_hs_response {
	struct genkan_ctx *ctx;
	uint8_t		 mac[GK_MAC_BYTES];
	bool		 mac_ok;	/* 32 bytes of hex; else a mismatch */
	bool		 has_label;
	struct gk_buf	 label;
};
int	gk_hs_response_write(struct gk_buf *, const uint8_t mac[GK_MAC_BYTES],
	    struct gk_span label);
/* 0, what gk_scan() says, GENKAN_E_FRAME_TYPE for another type,
 * GENKAN_E_FRAME_MEMBER, GENKAN_E_NOMEM; ret is initialised in any case. */
int	gk_hs_response_read(struct genkan_ctx *, struct gk_span line,
	    struct gk_hs_response *ret);
void	gk_hs_response_done(struct gk_hs_response *);

/*
 * 0 and the label ("" when none was sent), GENKAN_E_AUTH_MAC, or
 * GENKAN_E_FRAME_MEMBER for a label that verified but breaks the label rule.
 */
int	gk_hs_verify(const struct gk_hs_response *,
	    const uint8_t secret[GK_SECRET_HEX], struct gk_span nonce,
	    char label[GK_LABEL_MAX + 1]);

#endif
