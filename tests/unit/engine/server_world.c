/* See server_world.h. */
#include "server_world.h"
#include "place.h"

void
world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	gk_test_init(&w->t);
	memstore_init(&w->m);
	w->harness.ok = true;
	strcpy(w->harness.hash, MEM_HASH);
	strcpy(w->harness.path, "/usr/bin/client");
	world_server(w, true);
}

static void
drop(struct world *w)
{
	gk_leg_free(w->relay);
	gk_leg_free(w->own);
	gk_server_free(w->s);
	w->relay = NULL;
	w->own = NULL;
	w->s = NULL;
}

void
world_done(struct world *w)
{
	drop(w);
	memstore_done(&w->m);
	gk_test_done(&w->t);
}

void
world_server(struct world *w, bool harness)
{
	struct gk_server_opts o;

	drop(w);
	memset(&o, 0, sizeof(o));
	o.store = &w->m.store;
	o.harness = harness;
	o.name = "tester";
	ck_assert_int_eq(gk_server_new(w->t.ctx, &o, &w->s), 0);
	w->own = gk_server_stdio(w->s);
	ck_assert_int_eq(w->own != NULL, harness);
}

void
expect(struct world *w, enum gk_server_event_kind kind)
{
	struct gk_server_event ev;

	ck_assert_int_eq(gk_server_next(w->s, &ev), kind);
	ck_assert_int_eq(ev.kind, kind);
}

void
expect_leave(struct world *w, int status)
{
	struct gk_server_event ev;

	ck_assert_int_eq(gk_server_next(w->s, &ev), GK_SERVER_LEAVE);
	ck_assert_int_eq(ev.status, status);
	expect(w, GK_SERVER_NOTHING);
}

void
world_ready(struct world *w)
{
	expect(w, GK_SERVER_MEASURE);
	gk_server_measured(w->s, &w->harness);
	expect(w, GK_SERVER_INSTALL);
	gk_server_installed(w->s, NULL);
}

void
elected(struct world *w, enum gk_elected outcome)
{
	struct gk_election e;

	memset(&e, 0, sizeof(e));
	e.outcome = outcome;
	memcpy(e.secret, MEM_SECRET, sizeof(e.secret));
	snprintf(e.reason, sizeof(e.reason), "reason %d", outcome);
	gk_leg_free(w->relay);
	gk_server_elected(w->s, &e, &w->relay);
	ck_assert_uint_eq(e.secret[0], 0);
}

void
elect(struct world *w, enum gk_elected outcome)
{
	expect(w, GK_SERVER_ELECT);
	expect(w, GK_SERVER_NOTHING);
	elected(w, outcome);
}

void
run_until(struct world *w, int64_t ms)
{
	int64_t at;

	while ((at = gk_server_deadline(w->s)) < ms && at > gk_now(w->t.ctx))
		gk_server_tick(w->s, at);
	gk_server_tick(w->s, ms);
}

size_t
say_bytes(struct world *w, const char *buf, size_t len)
{
	return feed_placed(w->own, buf, len);
}

void
say(struct world *w, const char *line)
{
	size_t len = strlen(line);
	char *all = malloc(len + 2);

	memcpy(all, line, len);
	all[len] = '\n';
	ck_assert_uint_eq(say_bytes(w, all, len + 1), len + 1);
	free(all);
}

/* One segment is one line. */
static const char *
take(struct world *w, struct genkan_leg *leg)
{
	const void *p;
	size_t len;

	w->line[0] = '\0';
	if (leg == NULL || !gk_leg_output(leg, &p, &len))
		return w->line;
	ck_assert_uint_lt(len, sizeof(w->line));
	memcpy(w->line, p, len);
	ck_assert_int_eq(w->line[len - 1], '\n');
	w->line[len - 1] = '\0';
	gk_leg_wrote(leg, len);
	return w->line;
}

const char *
hear(struct world *w)
{
	return take(w, w->own);
}

const char *
broker_hear(struct world *w)
{
	return take(w, w->relay);
}

void
broker_say(struct world *w, const char *line)
{
	size_t len = strlen(line);
	char *all = malloc(len + 2);

	memcpy(all, line, len);
	all[len] = '\n';
	ck_assert_uint_eq(feed_placed(w->relay, all, len + 1), len + 1);
	free(all);
}

void
attach_until_reply(struct world *w, struct gk_attach *ret)
{
	struct gk_accept a;
	struct gk_outq out;
	const void *p;
	size_t len, used;
	int r = 0;

	ck_assert_ptr_nonnull(w->relay);
	gk_outq_init(&out, w->t.ctx, 1 << 16);
	ck_assert_int_eq(gk_accept_init(&a, w->t.ctx, &out), 0);
	ck_assert_int_eq(gk_outq_output(&out, &p, &len), 1);
	(void)gk_leg_feed(w->relay, p, len, &used);
	ck_assert_uint_eq(used, len);
	while (r != GK_ACCEPT_ATTACH) {
		ck_assert_int_eq(gk_leg_output(w->relay, &p, &len), 1);
		r = gk_accept_feed(&a, p, len, &used);
		ck_assert_int_ge(r, 0);
		gk_leg_wrote(w->relay, used);
		if (r == GK_ACCEPT_RESPONSE)
			ck_assert_int_eq(gk_accept_secret(&a,
			    (const uint8_t *)MEM_SECRET), 0);
	}
	ck_assert(!a.has_label);
	*ret = a.attach;
	gk_accept_done(&a);
	gk_outq_clear(&out);
}

void
attach_with(struct world *w, const char *reply)
{
	struct gk_attach a;

	attach_until_reply(w, &a);
	ck_assert_int_eq(a.role, GK_ATTACH_CLIENT);
	broker_say(w, reply);
}

void
attach(struct world *w)
{
	attach_with(w, "{\"attach_reply\":\"accepted\"}");
	ck_assert_str_eq(gk_server_role(w->s), "attached");
}
