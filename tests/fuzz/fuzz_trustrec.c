/*
 * trust.json.  Nothing in it occurs twice that must not; whatever is taken is
 * written back so that it reads the same,
 * white space changes nothing, and what is refused leaves one line of reason.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/ctx.h"
#include "base/str.h"
#include "records/store.h"
#include "records/trustrec.h"

static int
parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_trustrec **ret)
{
	char why[GK_WHY_MAX];
	int r;

	*ret = NULL;
	r = gk_trustrec_parse(ctx, bytes, len, ret, why, sizeof(why));
	MUST((r < 0) == (*ret == NULL));
	MUST((r < 0) == (why[0] != '\0'));
	MUST(strchr(why, '\n') == NULL);
	return r;
}

static void
check_clients(const struct gk_trustrec *rec)
{
	const struct gk_client *a, *b;
	size_t i, k;

	for (i = 0; i < rec->nclients; i++) {
		a = &rec->client[i];
		MUST(gk_str_is_label(a->name, strlen(a->name)));
		MUST(gk_anchor_is_valid(a->anchor.kind, a->anchor.value,
		    strlen(a->anchor.value)));
		for (k = 0; k < i; k++) {
			b = &rec->client[k];
			MUST(strcmp(a->name, b->name) != 0);
			MUST(a->anchor.kind != b->anchor.kind ||
			    strcmp(a->anchor.value, b->anchor.value) != 0);
		}
	}
}

static void
check_enrollments(const struct gk_trustrec *rec)
{
	const struct gk_enrollment *a, *b;
	size_t i, k;

	for (i = 0; i < rec->nenrollments; i++) {
		a = &rec->enrollment[i];
		MUST(gk_str_is_label(a->label, strlen(a->label)));
		MUST(a->idlen >= GK_CREDENTIAL_ID_MIN &&
		    a->idlen <= GK_CREDENTIAL_ID_MAX);
		MUST(a->public_key[0] == 4);
		for (k = 0; k < i; k++) {
			b = &rec->enrollment[k];
			MUST(!gk_span_eq(gk_span(a->id, a->idlen),
			    gk_span(b->id, b->idlen)));
		}
	}
}

static void
round_trip(struct genkan_ctx *ctx, const struct gk_trustrec *rec)
{
	struct gk_buf once, twice;
	struct gk_trustrec *back;
	int r;

	gk_buf_init(&once, ctx, 1 << 20);
	gk_buf_init(&twice, ctx, 1 << 20);
	r = gk_trustrec_format(rec, &once);
	/* Escapes may have been shorter than what they stand for. */
	MUST(r == 0 || r == GENKAN_E_TOO_LARGE);
	if (r == 0) {
		MUST(parse(ctx, once.ptr, once.len, &back) == 0);
		MUST(gk_trustrec_format(back, &twice) == 0);
		MUST(once.len == twice.len &&
		    memcmp(once.ptr, twice.ptr, once.len) == 0);
		gk_trustrec_free(back);
	}
	gk_buf_done(&once);
	gk_buf_done(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_trustrec *rec, *spaced;
	struct genkan_ctx *ctx;
	char *padded;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	padded = malloc(size + 2);
	MUST(padded != NULL);
	padded[0] = ' ';
	if (size > 0)
		memcpy(padded + 1, data, size);
	padded[size + 1] = '\n';
	if (parse(ctx, data, size, &rec) == 0) {
		check_clients(rec);
		check_enrollments(rec);
		round_trip(ctx, rec);
		MUST(size + 2 > gk_record_cap(GK_RECORD_TRUST) ||
		    parse(ctx, padded, size + 2, &spaced) == 0);
		if (size + 2 <= gk_record_cap(GK_RECORD_TRUST))
			gk_trustrec_free(spaced);
	}
	gk_trustrec_free(rec);
	free(padded);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
