#include "trust/presence.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "trust/act.h"
#include "trust/statement.h"

_Static_assert(GK_PRESENCE_PATH_MAX == GK_CREDENTIAL_PATH_LEN,
    "the longest label fits");

struct gk_presence {
	struct genkan_ctx	*ctx;
	char			 path[GK_PRESENCE_PATH_MAX + 1];
	bool			 tapped;
	bool			 used;
};

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct gk_presence *
attest(struct genkan_ctx *ctx, const char *path)
{
	struct gk_presence *p = gk_calloc(ctx, 1, sizeof(*p));

	if (p != NULL) {
		p->ctx = ctx;
		(void)gk_str_copy(p->path, sizeof(p->path), path,
		    strlen(path));
	}
	return p;
}

int
gk_presence_typed(struct genkan_ctx *ctx, const char *line, size_t len,
    struct gk_presence **ret)
{
	while (len > 0 && is_space(line[len - 1]))
		len--;
	while (len > 0 && is_space(*line)) {
		line++;
		len--;
	}
	if (!gk_span_eq(gk_span(line, len), gk_span_str(GK_PRESENCE_PHRASE)))
		return 1;
	*ret = attest(ctx, "tty");
	return *ret != NULL ? 0 : GENKAN_E_NOMEM;
}

bool
gk_presence_has_credential(const struct gk_trustrec *rec, const char *label)
{
	size_t i;

	for (i = 0; i < rec->nenrollments; i++)
		if (label == NULL || strcmp(rec->enrollment[i].label, label) == 0)
			return true;
	return false;
}

static enum gk_refusal_id
judge(const struct gk_presence_click *k)
{
	if (!gk_nonce_is_valid(k->nonce))
		return GK_REFUSAL_NONCE;
	if (!gk_span_eq(k->nonce, k->expected))
		return GK_REFUSAL_REQUEST_MISMATCH;
	if (k->view->state == GK_TRUST_UNREADABLE)
		return GK_REFUSAL_STORE_ERROR;
	if (!k->allowed ||
	    gk_presence_has_credential(k->view->rec, k->label))
		return GK_REFUSAL_SOFTWARE_CONFIRMATION_NOT_ALLOWED;
	return GK_REFUSAL_NONE;
}

int
gk_presence_clicked(struct genkan_ctx *ctx,
    const struct gk_presence_click *click, struct gk_presence **ret,
    enum gk_refusal_id *refusal)
{
	*refusal = judge(click);
	if (*refusal != GK_REFUSAL_NONE)
		return 1;
	*ret = attest(ctx, "confirm_window");
	if (*ret != NULL)
		return 0;
	*refusal = GK_REFUSAL_IO_ERROR;
	return GENKAN_E_NOMEM;
}

int
gk_presence_tapped(struct genkan_ctx *ctx, const struct gk_act *act,
    struct gk_presence **ret)
{
	char path[GK_CREDENTIAL_PATH_LEN + 1];
	int r;

	if (!act->counted)
		return GENKAN_E_INVAL;
	r = gk_credential_path(ctx, act->credential.id, act->credential.idlen,
	    path);
	if (r < 0)
		return r;
	*ret = attest(ctx, path);
	if (*ret == NULL)
		return GENKAN_E_NOMEM;
	(*ret)->tapped = true;
	return 0;
}

bool
gk_presence_stands(const struct gk_presence *p, const struct gk_trustrec *rec)
{
	char path[GK_CREDENTIAL_PATH_LEN + 1];
	const struct gk_enrollment *e;
	size_t i;

	for (i = 0; p->tapped && i < rec->nenrollments; i++) {
		e = &rec->enrollment[i];
		if (gk_credential_path(p->ctx, e->id, e->idlen, path) == 0 &&
		    strcmp(path, p->path) == 0)
			return true;
	}
	return !p->tapped;
}

const char *
gk_presence_path(const struct gk_presence *p)
{
	return p->path;
}

bool
gk_presence_use(struct gk_presence *p)
{
	if (p == NULL || p->used)
		return false;
	p->used = true;
	return true;
}

void
gk_presence_free(struct gk_presence *p)
{
	if (p != NULL)
		gk_free(p->ctx, p);
}
