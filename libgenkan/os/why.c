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
gk_why_is_want(int err)
{
	switch (err) {
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case ENOBUFS:
	case EAGAIN:
	case EINTR:
		return 1;
	default:
		return 0;
	}
}

/* A digest fails for want of memory, and OpenSSL has no other word for it. */
int
gk_why_shortage(int r, const struct gk_why *why)
{
	return r < 0 && (r == GENKAN_E_NOMEM || r == GENKAN_E_CRYPTO ||
	    gk_why_is_want(why->err));
}

/* What the system says of a file is NOENT or ACCESS; IO is the rest. */
int
gk_why_no_answer(int r, const struct gk_why *why)
{
	return r == GENKAN_E_IO || gk_why_shortage(r, why);
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
