/* The facts as <genkan/broker.h> takes them from <genkan/peer.h>. */
#ifndef GK_API_PEER_H
#define GK_API_PEER_H

#include "genkan/peer.h"
#include "trust/attest.h"

struct genkan_peer {
	struct genkan_ctx	*ctx;
	struct gk_peer		 facts;
};

#endif
