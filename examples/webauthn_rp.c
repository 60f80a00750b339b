/*
 * A relying party of one user in a hundred lines.
 *
 *	webauthn_rp RP_ID ORIGIN
 *
 * Reads one ceremony a line, the bytes in hexadecimal as a browser gives them:
 *
 *	register CHALLENGE ATTESTATION_OBJECT CLIENT_DATA_JSON
 *	assert CHALLENGE AUTHENTICATOR_DATA CLIENT_DATA_JSON SIGNATURE
 *
 * and says what came of it.  CHALLENGE is the text that stands in the client
 * data; a real relying party makes a fresh one for every ceremony, with
 * genkan_webauthn_nonce(), and keeps the credential in its store.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <genkan/genkan.h>

#define LINE	65536
#define BYTES	16384

struct bytes {
	unsigned char	at[BYTES];
	size_t		len;
};

/* Cuts the next word off the line; NULL at its end. */
static char *
cut(char **line)
{
	char *word = *line + strspn(*line, " \n");
	size_t n = strcspn(word, " \n");

	*line = word + n;
	if (**line != '\0')
		*(*line)++ = '\0';
	return n > 0 ? word : NULL;
}

/* The next word of the line as bytes; 0, or -1. */
static int
next(char **line, struct bytes *ret)
{
	const char *word = cut(line);
	unsigned v;

	ret->len = 0;
	if (word == NULL || strlen(word) % 2 != 0)
		return -1;
	for (; *word != '\0'; word += 2) {
		if (ret->len == sizeof(ret->at) ||
		    sscanf(word, "%2x", &v) != 1)
			return -1;
		ret->at[ret->len++] = (unsigned char)v;
	}
	return 0;
}

static int
answer(const char *what, int r, const genkan_credential *cred)
{
	if (r == 0)
		printf("%s: accepted, counter %u\n", what,
		    (unsigned)genkan_credential_sign_count(cred));
	else if (r > 0)
		printf("%s: refused: %s, %s\n", what, genkan_refusal_name(r),
		    genkan_refusal_text(r));
	else
		fprintf(stderr, "webauthn_rp: %s\n", genkan_error_text(r));
	return r < 0 ? -1 : 0;
}

static int
enroll(genkan_ctx *ctx, const genkan_rp *rp, char *line,
    genkan_credential **cred)
{
	static struct bytes object, client;
	genkan_credential *fresh;
	int r;

	if (next(&line, &object) < 0 || next(&line, &client) < 0)
		return -1;
	r = genkan_webauthn_register(ctx, rp, object.at, object.len,
	    client.at, client.len, &fresh);
	if (r == 0) {
		genkan_credential_free(*cred);
		*cred = fresh;
	}
	return answer("register", r, *cred);
}

static int
verify(genkan_ctx *ctx, const genkan_rp *rp, char *line,
    genkan_credential *cred)
{
	static struct bytes data, client, signature;
	uint32_t count;
	int r;

	if (cred == NULL || next(&line, &data) < 0 ||
	    next(&line, &client) < 0 || next(&line, &signature) < 0)
		return -1;
	r = genkan_webauthn_assert(ctx, rp, cred, data.at, data.len,
	    client.at, client.len, signature.at, signature.len, &count);
	if (r == 0)	/* a real one stores it here, and then acts */
		r = genkan_credential_counted(cred, count);
	return answer("assert", r, cred);
}

int
main(int argc, char **argv)
{
	static char line[LINE];
	genkan_credential *cred = NULL;
	genkan_rp rp = GENKAN_RP_INIT;
	genkan_ctx *ctx;
	const char *what;
	char *rest;
	int r = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: webauthn_rp RP_ID ORIGIN\n");
		return 2;
	}
	if (genkan_ctx_new(NULL, &ctx) < 0)
		return EXIT_FAILURE;
	rp.id = argv[1];
	rp.origin = argv[2];
	while (r == 0 && fgets(line, sizeof(line), stdin) != NULL) {
		rest = line;
		what = cut(&rest);
		rp.challenge = cut(&rest);
		if (what != NULL && strcmp(what, "register") == 0)
			r = enroll(ctx, &rp, rest, &cred);
		else if (what != NULL && strcmp(what, "assert") == 0)
			r = verify(ctx, &rp, rest, cred);
		else
			r = -1;
	}
	if (r < 0)
		fprintf(stderr, "webauthn_rp: that was no ceremony\n");
	genkan_credential_free(cred);
	genkan_ctx_free(ctx);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
