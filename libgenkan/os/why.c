#include "os/why.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "genkan/contract.h"

/* The thread-safe strerror has two shapes; this one is GNU's. */
static const char *
reason(int err, char *buf, size_t len)
{
	return strerror_r(err, buf, len);
}

int
gk_why_set(struct gk_why *why, int code, int err, const char *fmt, ...)
{
	char buf[128];
	size_t len;
	va_list ap;

	if (why == NULL)
		return code;
	why->err = err;
	va_start(ap, fmt);
	(void)vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	len = strlen(why->text);
	if (err != 0)
		(void)snprintf(why->text + len, sizeof(why->text) - len,
		    ": %s", reason(err, buf, sizeof(buf)));
	return code;
}

int
gk_why_shortage(int r, const struct gk_why *why)
{
	return r == GENKAN_E_NOMEM || r == GENKAN_E_CRYPTO ||
	    why->err == EMFILE || why->err == ENFILE || why->err == ENOMEM;
}

void
gk_why_prefix(struct gk_why *why, const char *prefix)
{
	size_t room = sizeof(why->text) - 1, add, keep;

	if (why == NULL)
		return;
	add = strlen(prefix);
	if (add + 2 > room)
		return;
	keep = strlen(why->text);
	if (keep > room - add - 2)
		keep = room - add - 2;
	memmove(why->text + add + 2, why->text, keep);
	memcpy(why->text, prefix, add);
	memcpy(why->text + add, ": ", 2);
	why->text[add + 2 + keep] = '\0';
}
