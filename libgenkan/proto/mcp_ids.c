/*
 * Ids in flight (10.8): from being read until the call is forgotten or its
 * reply was handed to the system.  At most MAX_INFLIGHT of them by the leg's
 * back-pressure, so a packed array of hashes is looked through faster than any
 * map is asked.
 */
#include "proto/mcp_impl.h"

#include "base/map.h"

static void
list_append(struct gk_mcp_list *l, struct gk_mcp_item *i)
{
	i->next = NULL;
	i->prev = l->last;
	if (l->last != NULL)
		l->last->next = i;
	else
		l->first = i;
	l->last = i;
}

static void
list_remove(struct gk_mcp_list *l, struct gk_mcp_item *i)
{
	if (i->prev != NULL)
		i->prev->next = i->next;
	else
		l->first = i->next;
	if (i->next != NULL)
		i->next->prev = i->prev;
	else
		l->last = i->prev;
	i->prev = i->next = NULL;
}

/* By type and value: "1" is not 1, and "\u0061" is "a".  In a list that is
 * looked through from end to end a number needs no hash. */
static int
id_hash(struct gk_mcp *m, const struct gk_member *id, uint64_t *ret)
{
	struct gk_buf scratch;
	struct gk_span text;
	int r;

	if (id->type == GK_J_INT) {
		*ret = (uint64_t)id->integer;
		return 0;
	}
	gk_buf_init(&scratch, m->ctx, id->value.len);
	r = gk_jstr_text(id, &scratch, &text);
	if (r == 0)
		*ret = ~gk_hash(m->ctx, text.ptr, text.len);
	gk_buf_done(&scratch);
	return r;
}

static int
table_grow(struct gk_mcp *m)
{
	size_t cap = m->capids > 0 ? m->capids * 2 : 8;
	struct gk_mcp_item **item;
	uint64_t *hash;

	if (m->nids < m->capids)
		return 0;
	hash = gk_reallocarray(m->ctx, m->hash, cap, sizeof(*hash));
	if (hash == NULL)
		return GENKAN_E_NOMEM;
	m->hash = hash;
	item = gk_reallocarray(m->ctx, m->item, cap, sizeof(*item));
	if (item == NULL)
		return GENKAN_E_NOMEM;
	m->item = item;
	m->capids = cap;
	return 0;
}

int
gk_mcp_ids_add(struct gk_mcp *m, const struct gk_member *id,
    struct gk_mcp_item **ret)
{
	struct gk_mcp_item *i;
	uint64_t hash;
	char *copy;
	int r;

	r = id_hash(m, id, &hash);
	if (r == 0)
		r = table_grow(m);
	if (r < 0)
		return r;
	i = gk_malloc(m->ctx, sizeof(*i) + id->value.len);
	if (i == NULL)
		return GENKAN_E_NOMEM;
	memset(i, 0, sizeof(*i));
	copy = (char *)(i + 1);
	memcpy(copy, id->value.ptr, id->value.len);
	i->mcp = m;
	i->id = *id;
	i->id.key = gk_span(NULL, 0);
	i->id.value.ptr = copy;
	i->progress_at = INT64_MIN;
	i->slot = m->nids;
	m->hash[m->nids] = hash;
	m->item[m->nids++] = i;
	list_append(&m->waiting, i);
	*ret = i;
	return 0;
}

int
gk_mcp_ids_find(struct gk_mcp *m, const struct gk_member *id,
    struct gk_mcp_item **ret)
{
	uint64_t hash;
	size_t i;
	int r;

	if (m->nids == 0 || (id->type == GK_J_STRING &&
	    gk_jstr_len(id->value) > GK_RPC_ID_MAX))
		return 0;
	r = id_hash(m, id, &hash);
	if (r < 0)
		return r;
	for (i = 0; i < m->nids; i++)
		if (m->hash[i] == hash &&
		    gk_json_id_eq(&m->item[i]->id, id)) {
			*ret = m->item[i];
			return 1;
		}
	return 0;
}

void
gk_mcp_ids_answered(struct gk_mcp_item *i, uint64_t handle)
{
	struct gk_mcp *m = i->mcp;

	list_remove(&m->waiting, i);
	gk_free(m->ctx, i->kept);
	gk_free(m->ctx, i->token);
	i->kept = i->token = NULL;
	i->answered = true;
	i->handle = handle;
	list_append(&m->answered, i);
}

void
gk_mcp_ids_drop(struct gk_mcp_item *i)
{
	struct gk_mcp *m = i->mcp;
	struct gk_mcp_item *last = m->item[--m->nids];

	m->hash[i->slot] = m->hash[m->nids];
	m->item[i->slot] = last;
	last->slot = i->slot;
	list_remove(i->answered ? &m->answered : &m->waiting, i);
	gk_free(m->ctx, i->kept);
	gk_free(m->ctx, i->token);
	gk_free(m->ctx, i);
}

/* Replies leave in the order in which they were queued. */
void
gk_mcp_ids_reap(struct gk_mcp *m)
{
	struct gk_mcp_item *i;

	while ((i = m->answered.first) != NULL &&
	    gk_outq_written(m->out, i->handle))
		gk_mcp_ids_drop(i);
}

size_t
gk_mcp_inflight(struct gk_mcp *m)
{
	gk_mcp_ids_reap(m);
	return m->nids;
}

struct gk_mcp_call *
gk_mcp_next(const struct gk_mcp *m, const struct gk_mcp_call *call)
{
	const struct gk_mcp_item *i = (const struct gk_mcp_item *)call;
	struct gk_mcp_item *n = i == NULL ? m->waiting.first : i->next;

	return n == NULL ? NULL : &n->call;
}
