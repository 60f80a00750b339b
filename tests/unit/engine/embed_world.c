#include "embed_world.h"

#include <stdarg.h>

void
embed_init(struct embed *w)
{
	memset(w, 0, sizeof(*w));
	gk_test_init(&w->t);
	w->e = gk_embed_new(w->t.ctx);
	ck_assert_ptr_nonnull(w->e);
}

void
embed_frees_leg(struct embed *w)
{
	gk_leg_free(w->leg);
	w->leg = NULL;
}

void
embed_done(struct embed *w)
{
	embed_frees_leg(w);
	gk_embed_free(w->e);
	free(w->line);
	gk_test_done(&w->t);
}

struct embed EW;

static void
setup(void)
{
	embed_init(&EW);
}

static void
teardown(void)
{
	embed_done(&EW);
}

TCase *
embed_tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	return tc;
}

void
embed_time(struct embed *w, int64_t ms)
{
	gk_embed_tick(w->e, ms);
}

void
embed_expect(struct embed *w, enum gk_embed_event_kind kind)
{
	ck_assert_int_eq(gk_embed_next(w->e, &w->ev), kind);
	ck_assert_int_eq(w->ev.kind, kind);
}

void
embed_dial(struct embed *w)
{
	struct gk_dialling d;

	memset(&d, 0, sizeof(d));
	d.outcome = GK_DIALLED_OK;
	memcpy(d.secret, EMBED_SECRET, sizeof(d.secret));
	embed_frees_leg(w);
	ck_assert_int_eq(gk_embed_attach(w->e), 0);
	ck_assert_int_eq(gk_embed_attach(w->e), GENKAN_E_STATE);
	embed_expect(w, GK_EMBED_DIAL);
	gk_embed_dialled(w->e, &d, EMBED_SELF, &w->leg);
	ck_assert_ptr_nonnull(w->leg);
	ck_assert_int_eq(gk_embed_state(w->e), GK_EMBED_SETUP);
}

void
embed_dial_fails(struct embed *w, enum gk_dialled outcome, int err,
    const char *reason)
{
	struct genkan_leg *leg;
	struct gk_dialling d;

	memset(&d, 0, sizeof(d));
	d.outcome = outcome;
	d.err = err;
	snprintf(d.reason, sizeof(d.reason), "%s", reason);
	ck_assert_int_eq(gk_embed_attach(w->e), 0);
	embed_expect(w, GK_EMBED_DIAL);
	gk_embed_dialled(w->e, &d, "", &leg);
	ck_assert_ptr_null(leg);
}

void
embed_result(struct embed *w, uint64_t id, int code, const char *text)
{
	embed_expect(w, GK_EMBED_RESULT);
	ck_assert_uint_eq(w->ev.id, id);
	ck_assert_int_eq(w->ev.code, code);
	if (text == NULL) {
		ck_assert_ptr_null(w->ev.text.ptr);
		return;
	}
	ck_assert_str_eq(w->ev.text.ptr, text);
	ck_assert_uint_eq(w->ev.text.len, strlen(text));
}

void
embed_lost(struct embed *w, int code, const char *part)
{
	embed_expect(w, GK_EMBED_STATE);
	ck_assert(!w->ev.attached);
	ck_assert_int_eq(w->ev.code, code);
	ck_assert_msg(strstr(w->ev.text.ptr, part) != NULL, "no \"%s\" in: %s",
	    part, w->ev.text.ptr);
	ck_assert_int_eq(gk_embed_state(w->e), GK_EMBED_DETACHED);
	if (w->leg != NULL)
		ck_assert_int_eq(gk_leg_wants(w->leg), GENKAN_WANT_CLOSE);
}

void
embed_say(struct embed *w, const char *line)
{
	const size_t len = strlen(line);
	char *b = malloc(len + 2);
	size_t used;

	memcpy(b, line, len);
	memcpy(b + len, "\n", 2);
	(void)gk_leg_feed(w->leg, b, len + 1, &used);
	ck_assert_uint_eq(used, len + 1);
	free(b);
}

void
embed_sayf(struct embed *w, const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	ck_assert_int_lt(n, (int)sizeof(line));
	embed_say(w, line);
}

const char *
embed_hear(struct embed *w)
{
	const char *lf;
	const void *p;
	size_t len;

	free(w->line);
	w->line = NULL;
	if (gk_leg_output(w->leg, &p, &len) != 1)
		return w->line = calloc(1, 1);
	lf = memchr(p, '\n', len);
	ck_assert_ptr_nonnull(lf);
	len = (size_t)(lf - (const char *)p);
	w->line = malloc(len + 1);
	memcpy(w->line, p, len);
	w->line[len] = '\0';
	gk_leg_wrote(w->leg, len + 1);
	return w->line;
}

void
embed_accept(struct embed *w)
{
	embed_say(w, "{\"type\":\"challenge\",\"nonce\":"
	    "\"0f1e2d3c4b5a69788796a5b4c3d2e1f0\"}");
	ck_assert_str_eq(embed_hear(w), "{\"type\":\"response\",\"mac\":"
	    "\"02ed18fb77acafa0a69d34a437d321098e27451aa2a83e364b0cd29da1314"
	    "e32\"}");
	ck_assert_str_eq(embed_hear(w), "{\"attach\":\"client\"}");
	ck_assert_str_eq(embed_hear(w), "");
	embed_say(w, "{\"attach_reply\":\"accepted\"}");
	ck_assert_int_eq(gk_embed_state(w->e), GK_EMBED_OPENING);
	ck_assert_ptr_nonnull(strstr(embed_hear(w), "{\"jsonrpc\":\"2.0\","
	    "\"id\":0,\"method\":\"initialize\",\"params\":"
	    "{\"protocolVersion\":\"2025-11-25\""));
	embed_say(w, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{"
	    "\"protocolVersion\":\"2025-11-25\",\"serverInfo\":{\"name\":"
	    "\"genkan\",\"version\":\"9.8.7\"}}}");
	embed_expect(w, GK_EMBED_STATE);
	ck_assert(w->ev.attached);
	ck_assert_int_eq(w->ev.code, 0);
	ck_assert_str_eq(w->ev.text.ptr, "attached to genkan-server 9.8.7");
	ck_assert_int_eq(gk_embed_state(w->e), GK_EMBED_ATTACHED);
}

void
embed_attach(struct embed *w)
{
	embed_dial(w);
	embed_accept(w);
}

uint64_t
embed_call(struct embed *w, const char *tool, const char *args)
{
	uint64_t id = 0;

	ck_assert_int_eq(gk_embed_call(w->e, gk_span_str(tool),
	    args == NULL ? gk_span(NULL, 0) : gk_span_str(args), 0, &id), 0);
	return id;
}
