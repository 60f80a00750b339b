#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "codec/b64.h"
#include "codec/walk.h"
#include "records/store.h"
#include "records/trustrec.h"

#define WHERE_MAX	64
#define U53		GK_INTEGER_MAX

enum { T_VERSION, T_EPOCH, T_KILLED, T_KILL, T_HOST_KEY, T_POLICY, T_LANG,
	T_CLIENTS, T_ENROLLMENTS, T_N };

static const struct gk_field trust_fields[T_N] = {
	[T_VERSION] = { "version", GK_J_INT, 0, 0, U53 },
	[T_EPOCH] = { "epoch", GK_J_INT, 0, 0, U53 },
	[T_KILLED] = { "killed", GK_J_BOOL, 0, 0, 0 },
	[T_KILL] = { "kill_epoch", GK_J_INT, 0, 0, U53 },
	[T_HOST_KEY] = { "host_key_epoch", GK_J_INT, 0, 0, U53 },
	[T_POLICY] = { "policy_epoch", GK_J_INT, 0, 0, U53 },
	[T_LANG] = { "lang_epoch", GK_J_INT, 0, 0, U53 },
	[T_CLIENTS] = { "clients", GK_J_ARRAY | GK_J_NULL, 0, 0, 0 },
	[T_ENROLLMENTS] = { "enrollments", GK_J_ARRAY, 0, 0, 0 },
};

enum { C_NAME, C_ANCHOR, C_ADDED, C_N };

static const struct gk_field client_fields[C_N] = {
	[C_NAME] = { "name", GK_J_STRING, 0, 0, 0 },
	[C_ANCHOR] = { "anchor", GK_J_OBJECT, 0, 0, 0 },
	[C_ADDED] = { "added_unix", GK_J_INT, 0, 0, U53 },
};

enum { A_KIND, A_VALUE, A_N };

static const struct gk_field anchor_fields[A_N] = {
	[A_KIND] = { "kind", GK_J_STRING, 0, 0, 0 },
	[A_VALUE] = { "value", GK_J_STRING, 0, 0, 0 },
};

enum { E_LABEL, E_CREDENTIAL, E_N };

static const struct gk_field enrollment_fields[E_N] = {
	[E_LABEL] = { "label", GK_J_STRING, 0, 0, 0 },
	[E_CREDENTIAL] = { "credential", GK_J_OBJECT, 0, 0, 0 },
};

enum { K_ID, K_KEY, K_COUNT, K_BACKUP, K_N };

static const struct gk_field credential_fields[K_N] = {
	[K_ID] = { "id", GK_J_STRING, 0, 0, 0 },
	[K_KEY] = { "public_key", GK_J_STRING, 0, 0, 0 },
	[K_COUNT] = { "sign_count", GK_J_INT, 0, 0, UINT32_MAX },
	[K_BACKUP] = { "backup_eligible", GK_J_BOOL, 0, 0, 0 },
};

/* What must not occur twice; the values are unused. */
struct seen {
	struct gk_smap	names;
	struct gk_smap	anchors;
	struct gk_smap	ids;
};

static int
once(struct gk_rec *rec, struct gk_smap *seen, struct gk_span key,
    const char *where, const char *what)
{
	static char present;

	if (gk_smap_get(seen, key) != NULL)
		return gk_record_bad(rec, "%s: %s occurs twice", where, what);
	if (gk_smap_put(seen, key, &present, NULL) < 0)
		return gk_record_nomem(rec);
	return 0;
}

static int
parse_anchor(struct gk_rec *rec, struct gk_span object, const char *where,
    struct gk_anchor *ret)
{
	struct gk_member m[A_N];
	struct gk_span text;
	int r;

	if ((r = gk_record_fields(rec, object, where, anchor_fields, A_N,
	    m)) < 0 || (r = gk_record_string(rec, &m[A_KIND], &text)) < 0)
		return r;
	if (!gk_anchor_kind_parse(text.ptr, text.len, &ret->kind))
		return gk_record_bad(rec, "%s: anchor of unknown kind", where);
	if ((r = gk_record_copy(rec, &m[A_VALUE], where, ret->value,
	    sizeof(ret->value))) < 0)
		return r;
	if (!gk_anchor_is_valid(ret->kind, ret->value, strlen(ret->value)))
		return gk_record_bad(rec, "%s: invalid %s anchor", where,
		    gk_anchor_kind_name(ret->kind));
	return 0;
}

static int
parse_client(struct gk_rec *rec, const struct gk_member *v, size_t i,
    struct seen *seen, struct gk_client *ret)
{
	char where[WHERE_MAX], key[GK_SIGNER_MAX + 16];
	struct gk_member m[C_N];
	int r;

	(void)snprintf(where, sizeof(where), "clients[%zu]", i);
	if (v->type != GK_J_OBJECT)
		return gk_record_bad(rec, "%s: not an object", where);
	if ((r = gk_record_fields(rec, v->value, where, client_fields, C_N,
	    m)) < 0 ||
	    (r = gk_record_copy(rec, &m[C_NAME], where, ret->name,
	    sizeof(ret->name))) < 0)
		return r;
	if (!gk_str_is_label(ret->name, strlen(ret->name)))
		return gk_record_bad(rec, "%s: invalid name", where);
	if ((r = parse_anchor(rec, m[C_ANCHOR].value, where,
	    &ret->anchor)) < 0 ||
	    (r = gk_record_uint(rec, &m[C_ADDED], where,
	    &ret->added_unix)) < 0)
		return r;
	(void)snprintf(key, sizeof(key), "%s:%s",
	    gk_anchor_kind_name(ret->anchor.kind), ret->anchor.value);
	if ((r = once(rec, &seen->names, gk_span_str(ret->name), where,
	    "the name")) < 0)
		return r;
	return once(rec, &seen->anchors, gk_span_str(key), where,
	    "the anchor");
}

static int
parse_credential(struct genkan_ctx *ctx, struct gk_rec *rec,
    struct gk_span object, const char *where, struct gk_enrollment *ret)
{
	uint8_t id[GK_CREDENTIAL_ID_MAX];
	struct gk_member m[K_N];
	struct gk_span text;
	uint64_t count;
	size_t n;
	int r;

	if ((r = gk_record_fields(rec, object, where, credential_fields, K_N,
	    m)) < 0 || (r = gk_record_string(rec, &m[K_ID], &text)) < 0)
		return r;
	if (gk_b64_decode(GK_B64_URL, text.ptr, text.len, id, sizeof(id),
	    &ret->idlen) < 0 || ret->idlen < GK_CREDENTIAL_ID_MIN)
		return gk_record_bad(rec, "%s: invalid credential id", where);
	if ((r = gk_record_string(rec, &m[K_KEY], &text)) < 0)
		return r;
	if (gk_b64_decode(GK_B64_URL, text.ptr, text.len, ret->public_key,
	    sizeof(ret->public_key), &n) < 0 ||
	    n != sizeof(ret->public_key) || ret->public_key[0] != 4)
		return gk_record_bad(rec, "%s: invalid public key", where);
	if ((r = gk_record_uint(rec, &m[K_COUNT], where, &count)) < 0)
		return r;
	ret->sign_count = (uint32_t)count;	/* the table bounds it */
	ret->backup_eligible = m[K_BACKUP].type == GK_J_TRUE;
	ret->id = gk_memdup(ctx, id, ret->idlen);
	return ret->id == NULL ? gk_record_nomem(rec) : 0;
}

static int
parse_enrollment(struct genkan_ctx *ctx, struct gk_rec *rec,
    const struct gk_member *v, size_t i, struct seen *seen,
    struct gk_enrollment *ret)
{
	char where[WHERE_MAX];
	struct gk_member m[E_N];
	int r;

	(void)snprintf(where, sizeof(where), "enrollments[%zu]", i);
	if (v->type != GK_J_OBJECT)
		return gk_record_bad(rec, "%s: not an object", where);
	if ((r = gk_record_fields(rec, v->value, where, enrollment_fields, E_N,
	    m)) < 0 ||
	    (r = gk_record_copy(rec, &m[E_LABEL], where, ret->label,
	    sizeof(ret->label))) < 0)
		return r;
	if (!gk_str_is_label(ret->label, strlen(ret->label)))
		return gk_record_bad(rec, "%s: invalid label", where);
	if ((r = parse_credential(ctx, rec, m[E_CREDENTIAL].value, where,
	    ret)) < 0)
		return r;
	return once(rec, &seen->ids, gk_span(ret->id, ret->idlen), where,
	    "the credential id");
}

static int
parse_clients(struct gk_rec *rec, struct gk_span array, struct seen *seen,
    struct gk_trustrec *ret)
{
	struct gk_member v;
	struct gk_walk w;
	size_t n = gk_walk_count(array);
	int r;

	ret->paired = true;
	if (n == 0)
		return 0;
	ret->client = gk_calloc(ret->ctx, n, sizeof(*ret->client));
	if (ret->client == NULL)
		return gk_record_nomem(rec);
	gk_walk_init(&w, array);
	while (gk_walk_next(&w, &v)) {
		if ((r = parse_client(rec, &v, ret->nclients, seen,
		    &ret->client[ret->nclients])) < 0)
			return r;
		ret->nclients++;
	}
	return 0;
}

static int
parse_enrollments(struct gk_rec *rec, struct gk_span array,
    struct seen *seen, struct gk_trustrec *ret)
{
	struct gk_member v;
	struct gk_walk w;
	size_t n = gk_walk_count(array);
	int r;

	if (n == 0)
		return 0;
	ret->enrollment = gk_calloc(ret->ctx, n, sizeof(*ret->enrollment));
	if (ret->enrollment == NULL)
		return gk_record_nomem(rec);
	gk_walk_init(&w, array);
	while (gk_walk_next(&w, &v)) {
		/* Counted first: a half-read one owns its id. */
		ret->nenrollments++;
		if ((r = parse_enrollment(ret->ctx, rec, &v,
		    ret->nenrollments - 1, seen,
		    &ret->enrollment[ret->nenrollments - 1])) < 0)
			return r;
	}
	return 0;
}

static int
parse_epochs(struct gk_rec *rec, const struct gk_member *m,
    struct gk_trustrec *ret)
{
	const struct {
		int		 field;
		uint64_t	*to;
	} epoch[] = {
		{ T_EPOCH, &ret->epoch },
		{ T_KILL, &ret->kill_epoch },
		{ T_HOST_KEY, &ret->host_key_epoch },
		{ T_POLICY, &ret->policy_epoch },
		{ T_LANG, &ret->lang_epoch },
	};
	size_t i;
	int r;

	for (i = 0; i < GK_ARRAY_LEN(epoch); i++)
		if ((r = gk_record_uint(rec, &m[epoch[i].field],
		    trust_fields[epoch[i].field].name, epoch[i].to)) < 0)
			return r;
	return 0;
}

static int
parse_body(struct gk_rec *rec, struct gk_trustrec *ret)
{
	struct gk_member m[T_N];
	struct seen seen;
	int r;

	if ((r = gk_record_fields(rec, rec->text, "", trust_fields, T_N,
	    m)) < 0 || (r = parse_epochs(rec, m, ret)) < 0)
		return r;
	ret->killed = m[T_KILLED].type == GK_J_TRUE;
	gk_smap_init(&seen.names, ret->ctx);
	gk_smap_init(&seen.anchors, ret->ctx);
	gk_smap_init(&seen.ids, ret->ctx);
	if (m[T_CLIENTS].type == GK_J_ARRAY)
		r = parse_clients(rec, m[T_CLIENTS].value, &seen, ret);
	if (r >= 0)
		r = parse_enrollments(rec, m[T_ENROLLMENTS].value, &seen, ret);
	gk_smap_done(&seen.names);
	gk_smap_done(&seen.anchors);
	gk_smap_done(&seen.ids);
	return r;
}

int
gk_trustrec_parse(struct genkan_ctx *ctx, const void *bytes, size_t len,
    struct gk_trustrec **ret, char *why, size_t whylen)
{
	struct gk_trustrec *t = NULL;
	struct gk_rec rec;
	int r;

	r = gk_record_open(ctx, &gk_ladder_trust, bytes, len,
	    gk_record_cap(GK_RECORD_TRUST), &rec, why, whylen);
	if (r < 0)
		goto out;
	r = gk_record_nomem(&rec);
	if ((t = gk_trustrec_new(ctx)) == NULL)
		goto out;
	why[0] = '\0';
	if ((r = parse_body(&rec, t)) < 0)
		goto out;
	*ret = t;
	t = NULL;
out:
	gk_trustrec_free(t);
	gk_record_done(&rec);
	return r;
}

struct gk_trustrec *
gk_trustrec_new(struct genkan_ctx *ctx)
{
	struct gk_trustrec *t = gk_calloc(ctx, 1, sizeof(*t));

	if (t != NULL)
		t->ctx = ctx;
	return t;
}

void
gk_trustrec_free(struct gk_trustrec *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->nenrollments; i++)
		gk_free(t->ctx, t->enrollment[i].id);
	gk_free(t->ctx, t->enrollment);
	gk_free(t->ctx, t->client);
	gk_free(t->ctx, t);
}

const struct gk_client *
gk_trustrec_client(const struct gk_trustrec *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->nclients; i++)
		if (strcmp(t->client[i].name, name) == 0)
			return &t->client[i];
	return NULL;
}
