/* Mutated assertions: ours and libfido2's verdict. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fido.h>
#include <fido/es256.h>
#include <openssl/bn.h>

#include "contract/schema.h"
#include "softkey.h"
#include "trust/webauthn.h"

#define CHALLENGE	"_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA"

struct made {
	struct softkey	*key;
	uint32_t	 stored;
	bool		 eligible;
	uint8_t		 data[SOFTKEY_MAX];
	char		 client[SOFTKEY_MAX];
	uint8_t		 sig[SOFTKEY_MAX];
	size_t		 data_len, client_len, sig_len;
};

static void
sign(struct made *m)
{
	m->sig_len = softkey_sign(m->key, m->data, m->data_len, m->client,
	    m->client_len, m->sig);
}

static void
make_client(struct made *m)
{
	static const char *const form[] = {
		"{\"type\":\"webauthn.create\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"" RP "\"}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"AAAA\","
		    "\"origin\":\"" RP "\"}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"https://example.com\"}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"" RP "\",\"crossOrigin\":true}",
		"{\"type\":\"webauthn.get\",\"challenge\":\"" CHALLENGE
		    "\",\"origin\":\"" RP "\",\"topOrigin\":\"x\"}",
		"{\"type\":\"webauthn.get\",\"type\":\"webauthn.get\","
		    "\"challenge\":\"" CHALLENGE "\",\"origin\":\"" RP "\"}",
		"{ \"origin\":\"" RP "\", \"x\":[1,{}], \"challenge\":\""
		    CHALLENGE "\", \"type\":\"webauthn.get\" }",
	};

	m->client_len = (size_t)snprintf(m->client, sizeof(m->client), "%s",
	    form[below(sizeof(form) / sizeof(form[0]))]);
}

/* The order of the curve less s, in place. */
static void
other_s(uint8_t rs[64])
{
	static const uint8_t n[32] = { 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
		0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2,
		0xfc, 0x63, 0x25, 0x51 };
	int i, v, borrow = 0;

	for (i = 31; i >= 0; i--) {
		v = n[i] - rs[32 + i] - borrow;
		borrow = v < 0;
		rs[32 + i] = (uint8_t)(v + 256 * borrow);
	}
}

/* r and s of our own DER. */
static void
split(const uint8_t *der, uint8_t rs[64])
{
	const uint8_t *p = der + 2;
	size_t i, n;

	memset(rs, 0, 64);
	for (i = 0; i < 2; i++) {
		n = p[1];
		p += 2;
		if (n == 33) {
			p++;
			n--;
		}
		memcpy(rs + 32 * i + 32 - n, p, n);
		p += n;
	}
}

static void
bend_signature(struct made *m)
{
	uint8_t rs[64];

	split(m->sig, rs);
	switch (below(7)) {
	case 0:
		other_s(rs);			/* as good as the first */
		break;
	case 1:
		memset(rs + 32 * below(2), 0, 32);
		break;
	case 2:
		memset(rs + 32 * below(2), 0xff, 32);
		break;
	case 3:					/* long-form length */
		memmove(m->sig + 2, m->sig + 1, m->sig_len - 1);
		m->sig[1] = 0x81;
		m->sig_len++;
		return;
	case 4:					/* a zero too many */
		memmove(m->sig + 5, m->sig + 4, m->sig_len - 4);
		m->sig[4] = 0;
		m->sig[3]++;
		m->sig[1]++;
		m->sig_len++;
		return;
	case 5:
		m->sig[m->sig_len++] = 0;	/* behind it */
		return;
	default:
		m->sig_len = scramble(m->sig, m->sig_len);
		return;
	}
	m->sig_len = softkey_der(rs, m->sig);
}

static const char *const others[] = { "example.com",
	"fmkoengpgchbmogeaifdcdfpnnpgmcfl", RP "/" };

/* The parts that are signed, one of them bent. */
static void
bend_content(struct made *m)
{
	static const unsigned flags[] = { 0x00, 0x01, 0x04, 0x05, 0x07, 0x0d,
		0x15, 0x1d, 0x21, 0x25, 0x45, 0x85, 0xc5 };
	const char *rp = RP;
	unsigned f = 0x05;

	switch (below(6)) {
	case 0:
		f = flags[below(sizeof(flags) / sizeof(flags[0]))];
		m->eligible = (f & 8) != 0 && below(2) == 0;
		break;
	case 1:
		m->key->count = (uint32_t)below(6);
		m->stored = (uint32_t)below(6);
		break;
	case 2:
		rp = others[below(3)];
		break;
	case 3:
		make_client(m);
		break;
	default:
		break;
	}
	m->data_len = softkey_authdata(m->key, rp, f, m->data);
	if (below(8) == 0) {
		memset(m->data + m->data_len, 0xa0, 4);
		m->data_len += 1 + below(4);
	} else if (below(40) == 0) {
		m->data_len = below(m->data_len);
	}
}

static void
make(struct made *m, struct softkey *keys, size_t nkeys)
{
	m->key = &keys[below(nkeys)];
	m->key->count = 1 + (uint32_t)below(1000);
	m->stored = m->key->count - 1;
	m->eligible = false;
	m->data_len = softkey_authdata(m->key, RP, 0x05, m->data);
	m->client_len = softkey_client_data("webauthn.get", CHALLENGE, RP,
	    m->client);
	switch (below(8)) {
	case 0:
		sign(m);
		break;
	case 1:
		sign(m);
		m->data_len = scramble(m->data, m->data_len);
		break;
	case 2:
		sign(m);
		m->client_len = scramble((uint8_t *)m->client, m->client_len);
		break;
	case 3:
		sign(m);
		bend_signature(m);
		break;
	case 4:					/* somebody else's */
		sign(m);
		m->key = &keys[below(nkeys)];
		break;
	default:
		bend_content(m);
		sign(m);
		break;
	}
}

static int
ours(const struct made *m)
{
	static const struct gk_rp rp = { RP, RP };
	enum gk_refusal_id refusal = GK_REFUSAL_NONE;
	struct gk_assertion a;
	uint32_t count;
	int r;

	a.id = gk_span(m->key->id, m->key->idlen);
	a.authdata = gk_span(m->data, m->data_len);
	a.client_data = gk_span(m->client, m->client_len);
	a.signature = gk_span(m->sig, m->sig_len);
	r = gk_webauthn_assert(ctx, &rp, CHALLENGE, &a, m->key->point,
	    m->stored, m->eligible, &count, &refusal);
	if (r < 0)
		abort();
	return r == 0 ? 0 : (int)refusal;
}

static bool
theirs(const struct made *m)
{
	fido_assert_t *a = fido_assert_new();
	es256_pk_t *pk = es256_pk_new();
	bool good;

	good = a != NULL && pk != NULL &&
	    es256_pk_from_ptr(pk, m->key->point + 1, 64) == FIDO_OK &&
	    fido_assert_set_count(a, 1) == FIDO_OK &&
	    fido_assert_set_rp(a, RP) == FIDO_OK &&
	    fido_assert_set_clientdata(a, (const unsigned char *)m->client,
	    m->client_len) == FIDO_OK &&
	    fido_assert_set_up(a, FIDO_OPT_TRUE) == FIDO_OK &&
	    fido_assert_set_authdata_raw(a, 0, m->data,
	    m->data_len) == FIDO_OK &&
	    fido_assert_set_sig(a, 0, m->sig, m->sig_len) == FIDO_OK &&
	    fido_assert_verify(a, 0, COSE_ES256, pk) == FIDO_OK;
	es256_pk_free(&pk);
	fido_assert_free(&a);
	return good;
}

/* Checks that libfido2 makes as well: there it has to refuse, too. */
static bool
both_check(int code)
{
	return code == GK_REFUSAL_AUTHDATA_TOO_SHORT ||
	    code == GK_REFUSAL_RP_ID_MISMATCH ||
	    code == GK_REFUSAL_USER_NOT_PRESENT ||
	    code == GK_REFUSAL_SIGNATURE_MALFORMED ||
	    code == GK_REFUSAL_SIGNATURE_INVALID;
}

/* Checks of ours alone.  Each has to have decided at least once. */
static const int stricter[] = {
	GK_REFUSAL_AUTHDATA_RESERVED_FLAGS,
	GK_REFUSAL_AUTHDATA_BACKUP_STATE_WITHOUT_ELIGIBILITY,
	GK_REFUSAL_AUTHDATA_TRAILING_BYTES,
	GK_REFUSAL_UNEXPECTED_ATTESTED_CREDENTIAL,
	GK_REFUSAL_SIGN_COUNT_NOT_INCREASED,
	GK_REFUSAL_BACKUP_ELIGIBILITY_CHANGED,
	GK_REFUSAL_CLIENT_DATA_MALFORMED, GK_REFUSAL_CLIENT_DATA_TYPE,
	GK_REFUSAL_CHALLENGE_MISMATCH, GK_REFUSAL_ORIGIN_MISMATCH,
	GK_REFUSAL_CROSS_ORIGIN,
};

static void
report(const size_t *alone)
{
	size_t i;

	for (i = 1; i < CODES; i++)
		if (alone[i] > 0)
			printf("# refused here alone: %6zu %s\n", alone[i],
			    gk_schema_refusal((int)i)->wire);
}

void
assertions(size_t rounds)
{
	size_t accepted = 0, refused = 0, alone[CODES] = { 0 }, n = 0, i;
	struct softkey keys[8];
	static struct made m;
	char text[128];
	int code, wrong = 0, missing = 0;
	bool good;

	for (i = 0; i < 8; i++)
		softkey_init(&keys[i], softkey_random(&seed), 16 + 8 * i);
	for (i = 0; i < rounds; i++) {
		make(&m, keys, 8);
		code = ours(&m);
		good = theirs(&m);
		accepted += code == 0 && good;
		refused += code != 0 && !good;
		n += code != 0 && good;
		alone[code] += code != 0 && good;
		if ((code != 0 || good) && !(good && both_check(code)))
			continue;
		wrong++;
		printf("# round %zu: we say %d, libfido2 %s\n", i, code,
		    good ? "accepts" : "refuses");
		dump("data", m.data, m.data_len);
		dump("client", m.client, m.client_len);
		dump("signature", m.sig, m.sig_len);
	}
	report(alone);
	for (i = 0; i < sizeof(stricter) / sizeof(stricter[0]); i++)
		if (alone[stricter[i]] == 0) {
			printf("# never: %s\n",
			    gk_schema_refusal(stricter[i])->wire);
			missing++;
		}
	snprintf(text, sizeof(text), "%zu assertions: %zu accepted, %zu "
	    "refused by both, %zu here alone", rounds, accepted, refused, n);
	ok(wrong == 0, text);
	ok(accepted >= rounds / 10 && refused >= rounds / 10,
	    "both verdicts come up often enough to mean something");
	ok(missing == 0, "every check of ours alone has decided once");
}
