/*
 * vectors.ts: the golden vectors for the tests of the extension.  Outside the
 * index, so that no bundle ever holds them.
 */
#include <stdint.h>
#include <string.h>

#include "contract/gen_zod.h"

/* The one table with texts beyond ASCII: as JSON in ASCII all the same. */
static unsigned long
next_char(const unsigned char **p)
{
	const unsigned char *s = *p;
	const int more = *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
	unsigned long c = *s & (0x3fu >> more);
	int i;

	for (i = 1; i <= more; i++)
		c = c << 6 | (s[i] & 0x3fu);
	*p = s + more + 1;
	return c;
}

static void
text(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned long c;

	putc('"', f);
	while (*p != '\0') {
		if (*p < 0x80) {
			if (*p == '"' || *p == '\\')
				putc('\\', f);
			putc(*p++, f);
			continue;
		}
		c = next_char(&p);
		if (c >= 0x10000) {
			fprintf(f, "\\u%04lx",
			    0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		fprintf(f, "\\u%04lx", c);
	}
	putc('"', f);
}

static void
member(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s: ", name);
	text(f, value);
	fputs(", ", f);
}

static void
repeated(FILE *f, const char *name, const char *value, int times)
{
	fprintf(f, "%s: ", name);
	text(f, value);
	if (times != 1)
		fprintf(f, ".repeat(%d)", times);
	fputs(", ", f);
}

static void
challenge(FILE *f, const char *nonce, int n, const char *context, int m,
    int len, const char *sha, const char *sig)
{
	fputs("  { ", f);
	repeated(f, "nonce", nonce, n);
	repeated(f, "context", context, m);
	member(f, "sha256", sha);
	member(f, "sig", sig);
	fprintf(f, "length: %d },\n", len);
}

static void
policy(FILE *f, const char *name, const char *doc, int len, const char *sha,
    int siglen, const char *sig)
{
	fputs("  { ", f);
	member(f, "name", name);
	member(f, "document", doc);
	member(f, "sha256", sha);
	member(f, "sig", sig);
	fprintf(f, "length: %d, signedLength: %d },\n", len, siglen);
}

static void
key(FILE *f, const char *spki, const char *pub, const char *id,
    const char *print, const char *ext)
{
	fputs("export const FIXTURE_KEY = { ", f);
	member(f, "spki", spki);
	member(f, "publicKey", pub);
	member(f, "keyId", id);
	member(f, "fingerprint", print);
	member(f, "extensionId", ext);
	fputs("} as const;\n", f);
}

static void
statement(FILE *f, const char *domain, const char *label, const char *action,
    int len, const char *hash)
{
	fputs("  { ", f);
	member(f, "domain", domain);
	member(f, "label", label);
	member(f, "action", action);
	member(f, "challenge", hash);
	fprintf(f, "length: %d },\n", len);
}

static void
ceremony(FILE *f, const char *kind, int count, const char *hash,
    const char *id, const char *data, const char *proof, const char *client)
{
	const int create = strcmp(kind, "webauthn.create") == 0;

	fprintf(f, "  %s: { ", create ? "create" : "get");
	member(f, "challenge", hash);
	member(f, "credentialId", id);
	member(f, create ? "attestationObject" : "authenticatorData", data);
	member(f, create ? "publicKey" : "signature", proof);
	member(f, "clientDataJson", client);
	fprintf(f, "signCount: %d },\n", count);
}

void
gen_vectors(FILE *f)
{
	fputs("// Generated from the contract tables of libgenkan; do not "
	    "edit.\n// For tests alone: the key is public.\n", f);
#define GK_VECTOR_KEY(scalar, spki, pub, id, print, ext)	\
	key(f, spki, pub, id, print, ext);
#include "contract/vectors.def"

	fputs("\n/** domain 00 nonce 00 context, signed by the fixture key. */"
	    "\nexport const CHALLENGE_VECTORS = [\n", f);
#define GK_VECTOR_CHALLENGE(nonce, n, context, m, len, sha, sig)	\
	challenge(f, nonce, n, context, m, len, sha, sig);
#include "contract/vectors.def"

	fputs("] as const;\n\n/** domain 00 document; sha256 is the "
	    "document's. */\nexport const POLICY_VECTORS = [\n", f);
#define GK_VECTOR_POLICY(name, doc, len, sha, siglen, sig)	\
	policy(f, name, doc, len, sha, siglen, sig);
#include "contract/vectors.def"

	fputs("] as const;\n\nexport const STATEMENT_NONCE = "
	    "\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\";\n"
	    "export const STATEMENT_VECTORS = [\n", f);
#define GK_VECTOR_STATEMENT(domain, label, action, len, hash)	\
	statement(f, domain, label, action, len, hash);
#include "contract/vectors.def"

	fputs("] as const;\n\n", f);
#define GK_VECTOR_RP(id, hash, bare)				\
	fputs("export const RP_VECTOR = { ", f);		\
	member(f, "id", id);					\
	member(f, "hash", hash);				\
	member(f, "bareHash", bare);				\
	fputs("} as const;\n\n", f);
#include "contract/vectors.def"

	fputs("/** Recorded from Chromium, for the id of RP_VECTOR. */\n"
	    "export const CEREMONY = {\n", f);
#define GK_VECTOR_CEREMONY(kind, count, hash, id, data, proof, client)	\
	ceremony(f, kind, count, hash, id, data, proof, client);
#include "contract/vectors.def"
	fputs("} as const;\n", f);
}
