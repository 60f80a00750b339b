#include "base/secret.h"

#include <sodium.h>

int
gk_secret_init(struct gk_secret *s, size_t len)
{
	uint8_t *p;

	if ((p = sodium_malloc(len)) == NULL)
		return GENKAN_E_NOMEM;
	s->ptr = p;
	s->len = len;
	return 0;
}

int
gk_secret_set(struct gk_secret *s, const void *src, size_t len)
{
	int r;

	if ((r = gk_secret_init(s, len)) < 0)
		return r;
	if (len > 0)
		memcpy(s->ptr, src, len);
	gk_secret_seal(s);
	return 0;
}

void
gk_secret_seal(struct gk_secret *s)
{
	/* A failure leaves it writable, which costs a guard and no secrecy. */
	if (s->ptr != NULL)
		(void)sodium_mprotect_readonly(s->ptr);
}

void
gk_secret_done(struct gk_secret *s)
{
	/* sodium_free() makes it writable again and wipes it. */
	sodium_free(s->ptr);
	s->ptr = NULL;
	s->len = 0;
}
