#include "api/client_impl.h"

#include "api/door.h"
#include "api/secret.h"
#include "api/sized.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "codec/scan.h"
#include "contract/schema.h"
#include "local/programdir.h"
#include "proto/machine.h"

#define OPTIONS_V1	GK_SIZED_TO(genkan_client_options, reserved)

/* ---------------------------------------------------------------- attaching */

int
genkan_client_attach(genkan_client *c)
{
	int r = GK_DOOR_IN(c);

	return r < 0 ? r : gk_embed_attach(c->m);
}

int
genkan_client_join(genkan_client *c, const char *secret, genkan_leg **ret)
{
	struct gk_dialling d = { .outcome = GK_DIALLED_OK };
	int r;

	if (ret == NULL || !gk_secret_fits(secret))
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(c)) < 0)
		return r;
	memcpy(d.secret, secret, sizeof(d.secret));
	r = gk_embed_join(c->m, &d, ret);
	gk_wipe(d.secret, sizeof(d.secret));
	return r;
}

/* -------------------------------------------------------------------- calls */

/* Levels of a text that was accepted. */
static int
depth(struct gk_span json)
{
	const char *p = json.ptr, *end = p + json.len;
	int now = 0, most = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			while (*++p != '"')
				if (*p == '\\')
					p++;
		} else if (*p == '{' || *p == '[') {
			now++;
			most = GK_MAX(most, now);
		} else if (*p == '}' || *p == ']') {
			now--;
		}
	}
	return most;
}

/* They stand two levels down in the line of the call. */
static int
check_args(struct genkan_ctx *ctx, const void *args, size_t len,
    struct gk_scan *scan)
{
	int r;

	r = gk_scan(ctx, args, len, NULL, 0, scan);
	if (r == GENKAN_E_NOMEM)
		return r;
	if (r < 0)
		return gk_err_set(ctx, GENKAN_E_INVAL, "arguments: %s, at "
		    "byte %zu", gk_scan_why_text(scan->why), scan->at);
	if (depth(scan->text) > GK_JSON_DEPTH - 2)
		return gk_err_set(ctx, GENKAN_E_INVAL,
		    "arguments: nested too deeply");
	return 0;
}

static int
call(struct genkan_client *c, const char *tool, const void *args, size_t len,
    int64_t timeout_ms, uint64_t *ret)
{
	struct gk_span object = gk_span(NULL, 0);
	struct gk_buf compact;
	struct gk_scan scan;
	int r = 0;

	gk_buf_init(&compact, c->ctx, len);
	if (args != NULL) {
		r = check_args(c->ctx, args, len, &scan);
		object = scan.text;
		if (r == 0 && !scan.canonical) {
			r = gk_scan_compact(&compact, scan.text);
			object = gk_buf_span(&compact);
		}
	}
	if (r == 0)
		r = gk_embed_call(c->m, gk_span_str(tool), object, timeout_ms,
		    ret);
	gk_buf_done(&compact);
	return r;
}

int
genkan_client_call(genkan_client *c, const char *tool, const void *args,
    size_t len, int64_t timeout_ms, uint64_t *ret)
{
	int r;

	if (tool == NULL || ret == NULL || timeout_ms < 0 ||
	    (args == NULL && len > 0))
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(c)) < 0)
		return r;
	if (!gk_utf8_valid(tool, strlen(tool)))
		return gk_err_set(c->ctx, GENKAN_E_INVAL,
		    "the tool's name is not UTF-8");
	if (len >= GK_BRIDGE_LINE_MAX)
		return GENKAN_E_TOO_LARGE;
	return call(c, tool, args, len, timeout_ms, ret);
}

int
genkan_client_tools(genkan_client *c, uint64_t *ret)
{
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(c)) < 0)
		return r;
	return gk_embed_call(c->m, gk_span(NULL, 0), gk_span(NULL, 0), 0, ret);
}

int
genkan_client_cancel(genkan_client *c, uint64_t id)
{
	int r = GK_DOOR_IN(c);

	return r < 0 ? r : gk_embed_cancel(c->m, id);
}

size_t
genkan_client_outstanding(const genkan_client *c)
{
	return GK_OPEN(c) ? gk_embed_outstanding(c->m) : 0;
}

/* ------------------------------------------------------------------- events */

/* 1: *ev is for the program; 0: it is not, ask again; -1: there is none. */
static int
pull(struct genkan_client *c, genkan_event *ev)
{
	struct gk_embed_event in;

	switch (gk_embed_next(c->m, &in)) {
	case GK_EMBED_DIAL:
		gk_client_dial(c);
		return 0;
	case GK_EMBED_STATE:
		ev->kind = GENKAN_EV_STATE;
		ev->status = in.attached ? GENKAN_CLIENT_ATTACHED :
		    GENKAN_CLIENT_DETACHED;
		break;
	case GK_EMBED_RESULT:
		ev->kind = GENKAN_EV_RESULT;
		break;
	case GK_EMBED_PROGRESS:
		ev->kind = GENKAN_EV_PROGRESS;
		ev->status = in.count;
		break;
	case GK_EMBED_NOTHING:
	default:
		return -1;
	}
	ev->code = in.code;
	ev->id = in.id;
	ev->data = in.data.ptr;
	ev->len = in.data.len;
	ev->text = in.text.ptr;
	ev->textlen = in.text.len;
	return 1;
}

int
genkan_client_next(genkan_client *c, genkan_event *ret)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	int r;

	if (!gk_event_fits(ret))
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR_IN(c)) < 0)
		return r;
	do {
		/* Jobs and connections first: what they bring is waited for. */
		if (gk_evq_give(&c->events, c->ctx, ret) == 1)
			return 1;
		r = pull(c, &ev);
	} while (r == 0);
	return r < 0 ? 0 : gk_event_give(&ev, ret);
}

int
genkan_client_deadline(const genkan_client *c, int64_t *ms)
{
	int64_t at;
	int r;

	if (ms == NULL)
		return GENKAN_E_INVAL;
	if ((r = GK_DOOR(c)) < 0)
		return r;
	at = gk_embed_deadline(c->m);
	if (at == GK_CLOCK_NEVER)
		return 0;
	*ms = at;
	return 1;
}

void
genkan_client_tick(genkan_client *c, int64_t now_ms)
{
	if (c != NULL && gk_door_tick(c->ctx, now_ms))
		gk_embed_tick(c->m, gk_now(c->ctx));
}

int
genkan_client_state(const genkan_client *c)
{
	int r = GK_DOOR(c);

	if (r < 0)
		return r;
	switch (gk_embed_state(c->m)) {
	case GK_EMBED_DETACHED:
		return GENKAN_CLIENT_DETACHED;
	case GK_EMBED_DIALLING:
	case GK_EMBED_SETUP:
	case GK_EMBED_OPENING:
		return GENKAN_CLIENT_ATTACHING;
	case GK_EMBED_ATTACHED:
	case GK_EMBED_DRAINING:
	default:
		return GENKAN_CLIENT_ATTACHED;
	}
}

/* ------------------------------------------------------------------- object */

GK_DISPATCH_OPS(genkan_client, 0);

int
genkan_client_set_callbacks(genkan_client *c, const genkan_callbacks *callbacks)
{
	return gk_dispatch_set(c == NULL ? NULL : &c->dispatch, callbacks);
}

static int
take_options(struct genkan_ctx *ctx, const genkan_client_options *src,
    const char **dir)
{
	genkan_client_options o = GENKAN_CLIENT_OPTIONS_INIT;
	int r;

	*dir = ctx->program_dir != NULL ? ctx->program_dir : GK_PROGRAM_DIR;
	r = gk_options_take(ctx, &o, sizeof(o), src, OPTIONS_V1, o.reserved,
	    GK_ARRAY_LEN(o.reserved));
	if (r < 0)
		return r;
	if (o.program_dir != NULL)
		*dir = o.program_dir;
	if ((*dir)[0] != '/' || strlen(*dir) >= GK_PATH_MAX)
		return gk_err_set(ctx, GENKAN_E_INVAL,
		    "options: the program directory is no absolute path");
	return 0;
}

static int
set_up(struct genkan_client *c, const char *dir, struct gk_why *why)
{
	int r;

	r = gk_ground_new(c->ctx, &c->ground, why);
	if (r < 0)
		return r;
	(void)gk_str_copy(c->ground->install.dir,
	    sizeof(c->ground->install.dir), dir, strlen(dir));
	c->jobs.ground = c->ground;
	c->m = gk_embed_new(c->ctx);
	return c->m != NULL ? 0 : gk_why_set(why, GENKAN_E_NOMEM, 0,
	    "no memory");
}

int
genkan_client_new(genkan_ctx *ctx, const genkan_client_options *options,
    genkan_client **ret)
{
	struct gk_why why = { 0, "" };
	struct genkan_client *c;
	const char *dir;
	int r;

	if (ret == NULL)
		return GENKAN_E_INVAL;
	if ((r = gk_door_in(ctx)) < 0)
		return r;
	r = take_options(ctx, options, &dir);
	if (r < 0)
		return r;
	c = gk_calloc(ctx, 1, sizeof(*c));
	if (c == NULL)
		return gk_err_set(ctx, GENKAN_E_NOMEM, "no memory");
	c->ctx = ctx;
	gk_dispatch_init(&c->dispatch, ctx, c, &dispatch_ops);
	gk_evq_init(&c->events);
	c->jobs.ctx = ctx;
	c->jobs.owner = c;
	c->jobs.events = &c->events;
	r = set_up(c, dir, &why);
	if (r < 0) {
		genkan_client_free(c);
		return gk_err_set(ctx, r, "%s", why.text);
	}
	*ret = c;
	return 0;
}

void
genkan_client_free(genkan_client *c)
{
	genkan_callbacks callbacks;
	struct genkan_ctx *ctx;

	if (GK_DOOR(c) < 0 || gk_dispatch_later(&c->dispatch))
		return;
	ctx = c->ctx;
	gk_dispatch_end(&c->dispatch, &callbacks);
	gk_jobs_detach(&c->jobs);
	gk_evq_drop(&c->events, ctx);
	gk_embed_free(c->m);
	gk_ground_unref(c->ground);
	gk_free(ctx, c);
	gk_callbacks_free(&callbacks);
}
