/*
 * Which browsers there are on this machine, and where each looks for its
 * native-messaging manifests (control.md 10.1, 10.5, 10.6).  Looks only.
 */
#ifndef GK_LOCAL_BROWSERS_H
#define GK_LOCAL_BROWSERS_H

#include "base/base.h"
#include "contract/schema.h"
#include "os/dirs.h"

#define GK_WRAPPER_NAME	64

#define GK_BROWSERS_SYSTEM_WRAPPERS	"/var/lib/genkan"

/* Where a user's files lie; resolved once. */
struct gk_browsers {
	char	home[GK_PATH_MAX];
	char	config[GK_PATH_MAX];	/* ${XDG_CONFIG_HOME:-~/.config} */
	char	wrappers[GK_PATH_MAX];	/* ${XDG_DATA_HOME:-...}/genkan */
};

/* One manifest: of a browser, of a machine-wide directory, or of a directory
 * that was named. */
struct gk_target {
	const char	*name;		/* browser key, keys, or the directory */
	const char	*label;		/* handed to the host; NULL: none */
	bool		 system;
	bool		 detected;
	char		 dir[GK_PATH_MAX];	/* of the manifest */
	char		 manifest[GK_PATH_MAX];
	char		 wrappers[GK_PATH_MAX];	/* directory of the wrapper */
	char		 wrapper[GK_WRAPPER_NAME];	/* its file name */
};

/* A browser in a sandbox that keeps it from starting a host. */
struct gk_sandboxed {
	const char	*key;
	const char	*packaging;	/* "snap" or "flatpak" */
	char		 path[GK_PATH_MAX];
};

#define GK_SANDBOXED_MAX	(2 * GK_BROWSER_END)

/* 0, GENKAN_E_NOENT without a home, GENKAN_E_ADDR for a path too long. */
int	gk_browsers_init(struct gk_browsers *, struct gk_why *);

/* 0 or GENKAN_E_ADDR; the target of a browser for this user. */
int	gk_browsers_user(const struct gk_browsers *, int browser,
	    struct gk_target *ret, struct gk_why *);
/* The i-th machine-wide directory; GENKAN_E_NOENT behind the last one. */
int	gk_browsers_system(size_t i, struct gk_target *ret, struct gk_why *);
/* The machine-wide directory that a browser reads: an index for the above. */
size_t	gk_browsers_system_of(int browser);
/* A directory that somebody named; wrappers lie where the scope says. */
int	gk_browsers_named(const struct gk_browsers *, const char *dir,
	    bool system, struct gk_target *ret, struct gk_why *);

/* Number of sandboxed browsers found; ret holds GK_SANDBOXED_MAX. */
size_t	gk_browsers_sandboxed(const struct gk_browsers *,
	    struct gk_sandboxed *ret);

/* Every name that a wrapper can have, by index; NULL behind the last one. */
const char *gk_browsers_wrapper(size_t i, char ret[GK_WRAPPER_NAME]);

#endif
