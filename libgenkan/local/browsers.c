#include "local/browsers.h"

#include <stdio.h>
#include <sys/stat.h>

#include "os/env.h"
#include "os/look.h"

#define MANIFEST_SUFFIX	".json"
#define USER_HOSTS	"NativeMessagingHosts"
#define SYSTEM_HOSTS	"native-messaging-hosts"
#define PLAIN_WRAPPER	"run-host.sh"

static int
join(char ret[GK_PATH_MAX], const char *dir, const char *name,
    struct gk_why *why)
{
	int n = snprintf(ret, GK_PATH_MAX, "%s/%s", dir, name);

	if (n < 0 || n >= GK_PATH_MAX)
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "path too long: %.200s.../%.100s", dir, name);
	return 0;
}

/* An empty or relative value counts as unset. */
static int
xdg(char ret[GK_PATH_MAX], const char *variable, const char *home,
    const char *otherwise, struct gk_why *why)
{
	const char *value = gk_env_get(variable);
	int n;

	if (value == NULL || value[0] != '/')
		return join(ret, home, otherwise, why);
	n = snprintf(ret, GK_PATH_MAX, "%s", value);
	if (n < 0 || n >= GK_PATH_MAX)
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "%s is longer than %d bytes", variable, GK_PATH_MAX - 1);
	return 0;
}

int
gk_browsers_init(struct gk_browsers *b, struct gk_why *why)
{
	char data[GK_PATH_MAX];
	int r;

	if ((r = gk_dirs_home(b->home, why)) < 0 ||
	    (r = xdg(b->config, "XDG_CONFIG_HOME", b->home, ".config",
	    why)) < 0 ||
	    (r = xdg(data, "XDG_DATA_HOME", b->home, ".local/share",
	    why)) < 0)
		return r;
	return join(b->wrappers, data, "genkan", why);
}

static bool
is_dir(const char *path)
{
	struct gk_fstat st;

	return gk_file_stat_path(path, &st, NULL) == 0 && S_ISDIR(st.mode);
}

static const struct gk_browser_row *
row(int browser)
{
	size_t n;

	return &gk_schema_browsers(&n)[browser];
}

static void
user_wrapper(int browser, char ret[GK_WRAPPER_NAME])
{
	(void)snprintf(ret, GK_WRAPPER_NAME, "run-host-%s.sh",
	    row(browser)->key);
}

/* The manifest in t->dir, and where its wrapper lies. */
static int
finish(struct gk_target *t, const char *wrappers, struct gk_why *why)
{
	char file[256];

	(void)snprintf(file, sizeof(file), "%s%s",
	    gk_schema_ident(GK_IDENT_HOST_ID), MANIFEST_SUFFIX);
	(void)snprintf(t->wrappers, sizeof(t->wrappers), "%s", wrappers);
	return join(t->manifest, t->dir, file, why);
}

int
gk_browsers_user(const struct gk_browsers *b, int browser,
    struct gk_target *t, struct gk_why *why)
{
	char vendor[GK_PATH_MAX];
	int r;

	memset(t, 0, sizeof(*t));
	t->name = row(browser)->key;
	t->label = row(browser)->key;
	user_wrapper(browser, t->wrapper);
	if ((r = join(vendor, b->config, row(browser)->vendor, why)) < 0)
		return r;
	t->detected = is_dir(vendor);
	if ((r = join(t->dir, vendor, USER_HOSTS, why)) < 0)
		return r;
	return finish(t, b->wrappers, why);
}

/* The label stands only where one browser reads the manifest. */
static const char *
only_reader(const char *keys)
{
	int i = strchr(keys, ' ') != NULL ? -1 :
	    gk_schema_browser_find(keys, strlen(keys));

	return i >= 0 ? row(i)->key : NULL;
}

int
gk_browsers_system(size_t i, struct gk_target *t, struct gk_why *why)
{
	const struct gk_system_dir *dir;
	size_t n;
	int r;

	memset(t, 0, sizeof(*t));
	dir = gk_schema_system_dirs(&n);
	if (i >= n)
		return GENKAN_E_NOENT;
	t->name = dir[i].keys;
	t->label = only_reader(dir[i].keys);
	t->system = true;
	t->detected = is_dir(dir[i].dir);
	(void)snprintf(t->wrapper, sizeof(t->wrapper), "%s", dir[i].wrapper);
	if ((r = join(t->dir, dir[i].dir, SYSTEM_HOSTS, why)) < 0)
		return r;
	return finish(t, GK_BROWSERS_SYSTEM_WRAPPERS, why);
}

static bool
names(const char *keys, const char *key)
{
	size_t len = strlen(key), n;

	for (; *keys != '\0'; keys += n + (keys[n] == ' ')) {
		n = strcspn(keys, " ");
		if (n == len && memcmp(keys, key, n) == 0)
			return true;
	}
	return false;
}

size_t
gk_browsers_system_of(int browser)
{
	const struct gk_system_dir *dir;
	size_t i, n;

	dir = gk_schema_system_dirs(&n);
	for (i = 0; i < n; i++)
		if (names(dir[i].keys, row(browser)->key))
			break;
	return i;
}

int
gk_browsers_named(const struct gk_browsers *b, const char *dir, bool system,
    struct gk_target *t, struct gk_why *why)
{
	memset(t, 0, sizeof(*t));
	t->name = dir;
	t->system = system;
	t->detected = true;	/* somebody says so */
	(void)snprintf(t->wrapper, sizeof(t->wrapper), PLAIN_WRAPPER);
	if (strlen(dir) >= sizeof(t->dir))
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "path too long: %.200s...", dir);
	(void)snprintf(t->dir, sizeof(t->dir), "%s", dir);
	return finish(t, system ? GK_BROWSERS_SYSTEM_WRAPPERS : b->wrappers,
	    why);
}

static bool
found(struct gk_sandboxed *s, const char *key, const char *packaging,
    const char *home, const char *below)
{
	s->key = key;
	s->packaging = packaging;
	return join(s->path, home, below, NULL) == 0 && is_dir(s->path);
}

size_t
gk_browsers_sandboxed(const struct gk_browsers *b, struct gk_sandboxed *ret)
{
	const struct gk_browser_row *r;
	char below[512];
	size_t n = 0;
	int i;

	for (i = 0; i < GK_BROWSER_END; i++) {
		r = row(i);
		if (r->snap != NULL &&
		    found(&ret[n], r->key, "snap", b->home, r->snap))
			n++;
		(void)snprintf(below, sizeof(below), ".var/app/%s/config/%s",
		    r->flatpak, r->vendor);
		if (found(&ret[n], r->key, "flatpak", b->home, below))
			n++;
	}
	return n;
}

const char *
gk_browsers_wrapper(size_t i, char ret[GK_WRAPPER_NAME])
{
	if (i > (size_t)GK_BROWSER_END)
		return NULL;
	if (i == (size_t)GK_BROWSER_END)
		(void)snprintf(ret, GK_WRAPPER_NAME, PLAIN_WRAPPER);
	else
		user_wrapper((int)i, ret);
	return ret;
}
