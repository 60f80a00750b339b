/* A build without a credential store. */
#include "os/keystore.h"

#include "base/err.h"

static int
none(struct gk_why *why)
{
	return gk_why_set(why, GENKAN_E_UNSUPPORTED, 0, "this build of genkan "
	    "has no credential store; --file-store keeps the key in a file");
}

bool
gk_keystore_built(void)
{
	return false;
}

int
gk_keystore_load(const char *account, struct gk_buf *ret, struct gk_why *why)
{
	(void)account;
	(void)ret;
	return none(why);
}

int
gk_keystore_store(const char *account, const char *text, size_t len,
    struct gk_why *why)
{
	(void)account;
	(void)text;
	(void)len;
	return none(why);
}

int
gk_keystore_erase(const char *account, struct gk_why *why)
{
	(void)account;
	return none(why);
}

int
gk_keystore_unlock(struct gk_why *why)
{
	return none(why);
}
