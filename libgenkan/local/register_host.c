#include "local/register_host.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/ctx.h"
#include "base/str.h"
#include "local/programdir.h"
#include "os/file.h"
#include "os/look.h"
#include "trust/installset.h"

static bool
begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/*
 * Where genkan-host is looked for: where the context says, beside the running
 * program if that is one of ours, else where it was installed.  An interpreter
 * or an agent's program lies where there is no genkan-host, or another one.
 */
static int
program_dir(const struct genkan_ctx *ctx, char ret[GK_PATH_MAX],
    struct gk_why *why)
{
	const char *named = ctx->program_dir;
	char *slash;
	int r;

	if (named == NULL) {
		if ((r = gk_look_self(ret, why)) < 0)
			return r;
		slash = strrchr(ret, '/');
		if (gk_role_of_program(slash + 1) != 0) {
			slash[slash == ret] = '\0';
			return 0;
		}
		named = GK_PROGRAM_DIR;
	}
	return gk_str_copy(ret, GK_PATH_MAX, named, strlen(named)) ? 0 :
	    gk_why_set(why, GENKAN_E_ADDR, 0, "path too long: %.200s...",
	    named);
}

int
gk_reg_host(struct genkan_ctx *ctx, struct gk_reg_host *ret,
    struct gk_why *why)
{
	struct gk_fstat st;
	struct gk_why own;
	int n, r;

	memset(ret, 0, sizeof(*ret));
	if ((r = program_dir(ctx, ret->dir, why)) < 0)
		return r;
	n = snprintf(ret->path, sizeof(ret->path), "%s%s%s", ret->dir,
	    ret->dir[1] != '\0' ? "/" : "", gk_role_program(GK_ROLE_HOST));
	if (n < 0 || (size_t)n >= sizeof(ret->path))
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "path too long: %.200s...", ret->dir);
	ret->passing = begins(ret->path, "/tmp/") ||
	    strstr(ret->path, "/.mount_") != NULL;
	if (gk_look_program(ctx, ret->path, ret->hash, &own) < 0) {
		ret->hash[0] = '\0';
		(void)gk_str_copy(ret->why, sizeof(ret->why), own.text,
		    strlen(own.text));
	} else if (gk_file_stat_path(ret->path, &st, NULL) == 0) {
		ret->size = st.size;
	}
	return 0;
}

bool
gk_reg_extension(const struct gk_reg_host *host, char ret[GK_PATH_MAX])
{
	char prefix[GK_PATH_MAX];
	struct gk_fstat st;
	char *slash;
	int n;

	(void)snprintf(prefix, sizeof(prefix), "%s", host->dir);
	slash = strrchr(prefix, '/');
	*slash = '\0';			/* "" is the root, and then right too */
	n = snprintf(ret, GK_PATH_MAX, "%s/share/genkan/extension", prefix);
	return n > 0 && n < GK_PATH_MAX &&
	    gk_file_stat_path(ret, &st, NULL) == 0 && S_ISDIR(st.mode);
}
