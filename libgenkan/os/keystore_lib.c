#include "os/keystore_lib.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "os/env.h"

/* Nobody but root can put a file there, or another folder in its place. */
static bool
roots_folder(const char *path)
{
	char real[PATH_MAX], *end;
	struct stat st;

	if (path[0] != '/' || realpath(path, real) == NULL)
		return false;
	for (;;) {
		if (stat(real, &st) < 0 || st.st_uid != 0 ||
		    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
			return false;
		if (strcmp(real, "/") == 0)
			return true;
		end = strrchr(real, '/');
		end[end == real ? 1 : 0] = '\0';
	}
}

/* Every folder of a list like PATH is root's.  An empty one is the current
 * folder, whose ever that is. */
static bool
roots_folders(const char *list)
{
	char one[PATH_MAX];
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ":;");
		if (n >= sizeof(one))
			return false;
		memcpy(one, list, n);
		one[n] = '\0';
		if (!roots_folder(one))
			return false;
		if (list[n] == '\0')
			return true;
	}
}

/*
 * Who measures a process looks at the code that is mapped in it then, so
 * nothing of somebody else's may come in later: where the environment says
 * that libraries, or modules of GLib or iconv, lie in folders that are not
 * root's, none are loaded.
 */
static int
safe_to_load(struct gk_why *why)
{
	static const char *const lists[] = {
		"LD_LIBRARY_PATH", "GIO_MODULE_DIR", "GIO_EXTRA_MODULES",
		"GCONV_PATH",	/* iconv's, which GLib's messages go through */
	};
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if ((value = gk_env_get(lists[i])) != NULL &&
		    !roots_folders(value))
			return gk_why_set(why, GENKAN_E_UNAVAILABLE, 0,
			    "the credential store cannot be used while %s "
			    "names a folder that is not root's alone",
			    lists[i]);
	return 0;
}

/* Never closed; opened again, it is the same one.  RTLD_NODELETE, because
 * GLib's types and threads do not outlive their code. */
int
gk_keystore_lib(struct gk_keystore_lib *ret, struct gk_why *why)
{
	char text[256];
	const char *error;
	void *lib;
	int r = safe_to_load(why);

	if (r < 0)
		return r;
	lib = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL |
	    RTLD_NODELETE);
	if (lib != NULL) {
		/* A library finds what it is linked with, too. */
#define X(name) \
		if (lib != NULL && (ret->name = dlsym(lib, #name)) == NULL) \
			lib = NULL;
		GK_KEYSTORE_FUNCTIONS(X)
#undef X
	}
	if (lib != NULL)
		return 0;
	error = dlerror();
	gk_str_escaped(text, sizeof(text), error != NULL ? error : "",
	    error != NULL ? strlen(error) : 0, sizeof(text));
	return gk_why_set(why, GENKAN_E_UNAVAILABLE, 0, "the credential store "
	    "cannot be used without libsecret: %s", text);
}
