#include "api/ceremony.h"

#include <stdio.h>

#include "os/tty.h"

#define IN	0
#define ERR	2

static int
refuse(enum gk_refusal_id code, enum gk_refusal_id *ret)
{
	*ret = code;
	return 1;
}

int
gk_ceremony_possible(enum gk_refusal_id *refusal, struct gk_why *why)
{
	if (gk_tty_is(IN))
		return 0;
	(void)gk_why_set(why, 0, 0, "this takes a person, and standard input "
	    "is not a terminal");
	return refuse(GK_REFUSAL_NOT_INTERACTIVE, refusal);
}

static int
prompt(const char *reason, struct gk_why *why)
{
	char text[128];
	int r;

	(void)snprintf(text, sizeof(text), "Type \"%s\" to go on: ",
	    GK_PRESENCE_PHRASE);
	r = gk_tty_put(ERR, reason, why);
	return r == 0 ? gk_tty_put(ERR, text, why) : r;
}

int
gk_ceremony(struct genkan_ctx *ctx, const char *reason,
    struct gk_presence **ret, enum gk_refusal_id *refusal,
    struct gk_why *why)
{
	char line[256];
	int n, r;

	if (gk_ceremony_possible(refusal, why) != 0)
		return 1;
	if (prompt(reason, why) < 0)
		return refuse(GK_REFUSAL_IO_ERROR, refusal);
	/* Again: what was a terminal may have hung up meanwhile. */
	if (gk_ceremony_possible(refusal, why) != 0)
		return 1;
	n = gk_tty_line(IN, line, sizeof(line), why);
	if (n < 0)
		return refuse(GK_REFUSAL_IO_ERROR, refusal);
	/* The phrase and a rest that did not fit is not the phrase. */
	r = (size_t)n < sizeof(line) || line[n - 1] == '\n' ?
	    gk_presence_typed(ctx, line, (size_t)n, ret) : 1;
	if (r == 0)
		return 0;
	(void)gk_why_set(why, 0, 0, r < 0 ? "out of memory" :
	    "declined: nothing was changed");
	return refuse(r < 0 ? GK_REFUSAL_IO_ERROR : GK_REFUSAL_DECLINED,
	    refusal);
}
