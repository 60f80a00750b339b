#include "memstore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
stamp_of(const struct memstore *m, int record, struct gk_stamp *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->dev = 1;
	ret->ino = (uint64_t)record + 1;
	ret->size = m->len[record];
	ret->mtime_ns = m->gen[record];
	ret->ctime_ns = m->gen[record];
}

static int
mem_load(void *user, int record, struct gk_buf *ret, struct gk_stamp *stamp,
    char *why, size_t whylen)
{
	struct memstore *m = user;

	m->loads[record]++;
	memset(stamp, 0, sizeof(*stamp));
	if (m->broken[record]) {
		snprintf(why, whylen, "it is a directory");
		return GENKAN_E_ACCESS;
	}
	if (m->rec[record] == NULL)
		return GENKAN_E_NOENT;
	stamp_of(m, record, stamp);
	return gk_buf_put(ret, m->rec[record], m->len[record]);
}

static int
mem_stamp(void *user, int record, struct gk_stamp *ret)
{
	struct memstore *m = user;

	if (m->broken[record])
		return GENKAN_E_ACCESS;
	if (m->rec[record] == NULL)
		return GENKAN_E_NOENT;
	stamp_of(m, record, ret);
	if (record == GK_RECORD_TRUST && ++m->looks == m->turn)
		memstore_set(m, record, m->then);
	return 0;
}

static int
mem_secret(void *user, uint8_t secret[32])
{
	(void)user;
	memcpy(secret, MEM_SECRET, 32);
	return 0;
}

static void
mem_audit(void *user, const struct gk_audit *a)
{
	struct memstore *m = user;
	char line[4096];

	if (m->naudits == MEM_AUDITS)
		return;
	snprintf(line, sizeof(line), "%s %s %s tool=%s code=%s name=%s "
	    "detail=%s cid=%s", a->kind, a->surface,
	    a->outcome != NULL ? a->outcome : "-",
	    a->tool != NULL ? a->tool : "-", a->code != NULL ? a->code : "-",
	    a->name != NULL ? a->name : "-",
	    a->detail != NULL ? a->detail : "-",
	    a->cid != NULL ? a->cid : "-");
	m->audit[m->naudits++] = strdup(line);
}

static int
mem_hold(void *user, int wait_ms, struct gk_hold **ret, char *why,
    size_t whylen)
{
	struct memstore *m = user;

	(void)wait_ms;
	if (m->locked) {
		snprintf(why, whylen, "the record lock is held");
		return GENKAN_E_LOCKED;
	}
	m->holds++;
	*ret = (struct gk_hold *)m;
	return 0;
}

static void
mem_drop(void *user, struct gk_hold *hold)
{
	struct memstore *m = user;

	if (hold != (struct gk_hold *)m)
		abort();
	m->drops++;
}

static int
mem_replace(void *user, struct gk_hold *hold, int record, const void *bytes,
    size_t len, const struct gk_stamp *seen, char *why, size_t whylen)
{
	struct memstore *m = user;
	struct gk_stamp now;
	char *copy;

	(void)hold;
	m->replaces++;
	if (m->replace_error != 0) {
		snprintf(why, whylen, "the disk is full");
		return m->replace_error;
	}
	memset(&now, 0, sizeof(now));
	if (m->rec[record] != NULL)
		stamp_of(m, record, &now);
	if (memcmp(&now, seen, sizeof(now)) != 0)
		return GENKAN_E_AGAIN;
	copy = malloc(len + 1);
	memcpy(copy, bytes, len);
	copy[len] = '\0';
	memstore_set(m, record, copy);
	free(copy);
	return 0;
}

static int
mem_remove(void *user, struct gk_hold *hold, int record, char *why,
    size_t whylen)
{
	(void)hold;
	(void)why;
	(void)whylen;
	memstore_set(user, record, NULL);
	return 0;
}

static const char *
mem_path(void *user, int record)
{
	static const char *const path[] = {
		[GK_RECORD_TRUST] = "/state/trust.json",
		[GK_RECORD_POLICY] = "/state/policy.json",
		[GK_RECORD_HISTORY] = "/state/policy-history.json",
		[GK_RECORD_LANG] = "/state/lang.json",
		[GK_RECORD_HOST_KEY] = "/state/host_key.json",
	};

	(void)user;
	return path[record];
}

void
memstore_init(struct memstore *m)
{
	memset(m, 0, sizeof(*m));
	m->store.user = m;
	m->store.load = mem_load;
	m->store.stamp = mem_stamp;
	m->store.secret = mem_secret;
	m->store.audit = mem_audit;
	m->store.path = mem_path;
	m->store.hold = mem_hold;
	m->store.drop = mem_drop;
	m->store.replace = mem_replace;
	m->store.remove = mem_remove;
}

void
memstore_done(struct memstore *m)
{
	size_t i;

	for (i = 0; i < GK_RECORD_END; i++)
		free(m->rec[i]);
	for (i = 0; i < m->naudits; i++)
		free(m->audit[i]);
}

void
memstore_set(struct memstore *m, int record, const char *text)
{
	free(m->rec[record]);
	m->rec[record] = text != NULL ? strdup(text) : NULL;
	m->len[record] = text != NULL ? strlen(text) : 0;
	m->broken[record] = false;
	m->gen[record]++;
}

void
memstore_break(struct memstore *m, int record)
{
	m->broken[record] = true;
	m->gen[record]++;
}

const char *
memstore_audit(const struct memstore *m)
{
	return m->naudits > 0 ? m->audit[m->naudits - 1] : "";
}
