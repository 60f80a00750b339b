/*
 * run.lock: what is taken is written so that it reads back as the same, and a
 * lock that is not taken leaves no secret behind.
 */
#include "fuzz.h"
#include "mutate_json.h"

#include <string.h>

#include "base/buf.h"
#include "base/ctx.h"
#include "records/runlock.h"
#include "records/store.h"

static void
no_secret(const struct gk_runlock *lock)
{
	size_t i;

	for (i = 0; i < sizeof(lock->secret); i++)
		MUST(lock->secret[i] == '\0');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_runlock lock, back;
	char why[GK_WHY_MAX] = "";
	struct genkan_ctx *ctx;
	struct gk_buf out;
	size_t i;

	MUST(gk_ctx_new(NULL, -1, &ctx) == 0);
	memset(&lock, 0, sizeof(lock));
	if (gk_runlock_parse(ctx, data, size, &lock, why, sizeof(why)) < 0) {
		MUST(why[0] != '\0' && strchr(why, '\n') == NULL);
		no_secret(&lock);
		gk_ctx_free(ctx);
		return 0;
	}
	for (i = 0; i < sizeof(lock.secret); i++)
		MUST(strchr("0123456789abcdef", lock.secret[i]) != NULL &&
		    lock.secret[i] != '\0');
	MUST(lock.endpoint[0] == '/' && lock.state_dir[0] == '/');
	gk_buf_init(&out, ctx, 1 << 17);
	MUST(gk_runlock_format(&lock, &out) == 0);
	MUST(gk_runlock_parse(ctx, out.ptr, out.len, &back, why,
	    sizeof(why)) == 0);
	MUST(back.pid == lock.pid);
	MUST(strcmp(back.endpoint, lock.endpoint) == 0);
	MUST(strcmp(back.state_dir, lock.state_dir) == 0);
	MUST(memcmp(back.secret, lock.secret, sizeof(lock.secret)) == 0);
	gk_buf_done(&out);
	gk_ctx_free(ctx);
	return 0;
}

FZ_JSON_MUTATOR
