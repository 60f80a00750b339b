/*
 * A software authenticator for tests: P-256 keys, authenticator data,
 * attestation objects of format none, client data and signatures, all of it
 * the same for the same seed.
 */
#ifndef GK_TESTS_SOFTKEY_H
#define GK_TESTS_SOFTKEY_H

#include <stddef.h>
#include <stdint.h>

#define SOFTKEY_MAX	4096	/* longest output of any function here */

struct softkey {
	uint64_t	 seed;		/* moves on with each use */
	uint8_t		 scalar[32];
	uint8_t		 point[65];
	uint8_t		 id[1024];
	size_t		 idlen;
	uint32_t	 count;		/* of the next answer, as it is */
};

/* A fresh key with a fresh id of so many bytes. */
void	softkey_init(struct softkey *, uint64_t seed, size_t idlen);

/* xorshift64*, for tests that want more of the same. */
uint64_t softkey_random(uint64_t *seed);

/* Header, and with flag 40 the attested credential; returns the length. */
size_t	softkey_authdata(const struct softkey *, const char *rp_id,
	    unsigned flags, uint8_t *ret);
size_t	softkey_attestation(const uint8_t *authdata, size_t len,
	    uint8_t *ret);
size_t	softkey_client_data(const char *type, const char *challenge,
	    const char *origin, char *ret);
/* DER; over authdata and the hash of the client data. */
size_t	softkey_sign(struct softkey *, const uint8_t *authdata, size_t len,
	    const void *client_data, size_t cdlen, uint8_t *ret);
/* r and s as they are, to DER. */
size_t	softkey_der(const uint8_t rs[64], uint8_t *ret);

#endif
