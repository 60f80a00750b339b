/*
 * The relying party against other people's code: mutated assertions against
 * libfido2, mutated registrations against a reader over libcbor's tree.
 *
 *	webauthn [seed [rounds]]
 *
 * What we accept, the other accepts.  What we refuse, the other refuses too,
 * or it is one of the checks that it is known not to make, and then our code
 * names that check.  The seed is printed; the same seed gives the same run.
 */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fido.h>

#include "base/ctx.h"
#include "crypto/ossl.h"
#include "softkey.h"

#define ROUNDS		100000
#define SEED		20261130

uint64_t seed;
struct genkan_ctx *ctx;
static int tests, failed;

void
ok(int cond, const char *what)
{
	tests++;
	failed += !cond;
	printf("%sok %d - %s\n", cond ? "" : "not ", tests, what);
	fflush(stdout);
}

size_t
below(size_t n)
{
	return (size_t)(softkey_random(&seed) >> 33) % n;
}

void
dump(const char *name, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	printf("# %s ", name);
	while (len-- > 0)
		printf("%02x", *p++);
	printf("\n");
}

/* Some bytes of a text changed, put in, taken out or repeated. */
size_t
scramble(uint8_t *p, size_t len)
{
	static const uint8_t token[] = { 0x00, 0x01, 0x17, 0x18, 0x20, 0x26,
		0x40, 0x58, 0x59, 0x5f, 0x60, 0x78, 0x7f, 0x80, 0xa0, 0xa3,
		0xa5, 0xb8, 0xbf, 0xc0, 0xf4, 0xf6, 0xff, 0x30, 0x02, 0x81 };
	size_t i, at, n = 1 + below(3);

	for (i = 0; i < n && len > 0; i++) {
		at = below(len);
		switch (below(6)) {
		case 0:
			p[at] ^= (uint8_t)(1u << below(8));
			break;
		case 1:
			p[at] = token[below(sizeof(token))];
			break;
		case 2:
			p[at] = (uint8_t)below(256);
			break;
		case 3:
			memmove(p + at, p + at + 1, len - at - 1);
			len--;
			break;
		case 4:
			memmove(p + at + 1, p + at, len - at);
			p[at] = token[below(sizeof(token))];
			len++;
			break;
		default:
			len = at;
			break;
		}
	}
	return len;
}

int
main(int argc, char **argv)
{
	size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : ROUNDS;

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : SEED;
	printf("# seed %llu, %zu rounds each\n", (unsigned long long)seed,
	    rounds);
	fido_init(0);
	if (gk_ctx_new(NULL, -1, &ctx) < 0)
		abort();
	assertions(rounds);
	registrations(rounds);
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	printf("1..%d\n", tests);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
