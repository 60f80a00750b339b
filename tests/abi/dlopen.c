/*
 * Nothing happens when libgenkan is loaded or unloaded: no thread, no signal
 * handler, no descriptor, no change to the locale; and a thread that used it
 * may end after it is gone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <genkan/genkan.h>

#define ROUNDS	20

struct world {
	int	 descriptors, threads;
	mode_t	 mask;
	char	 locale[64];
	void	*handler[32];
};

static int tests, failed;

static void
ok(int cond, const char *what)
{
	tests++;
	if (!cond)
		failed++;
	printf("%sok %d - %s\n", cond ? "" : "not ", tests, what);
}

static int
count(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	if (d == NULL)
		return -1;
	while (readdir(d) != NULL)
		n++;
	(void)closedir(d);
	return n;
}

static void
look(struct world *w)
{
	struct sigaction sa;
	const char *loc = setlocale(LC_ALL, NULL);
	int i;

	memset(w, 0, sizeof(*w));
	w->descriptors = count("/proc/self/fd");
	w->threads = count("/proc/self/task");
	w->mask = umask(022);
	(void)umask(w->mask);
	(void)snprintf(w->locale, sizeof(w->locale), "%s", loc);
	for (i = 1; i < 32; i++)
		if (sigaction(i, NULL, &sa) == 0)
			memcpy(&w->handler[i], &sa.sa_handler,
			    sizeof(w->handler[i]));
}

static int
same(const struct world *a)
{
	struct world now;

	look(&now);
	return memcmp(a, &now, sizeof(now)) == 0;
}

static int
mapped(const char *name)
{
	char line[4096];
	FILE *f = fopen("/proc/self/maps", "re");
	int hit = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		hit |= strstr(line, name) != NULL;
	if (f != NULL)
		(void)fclose(f);
	return hit;
}

struct use {
	int		(*ctx_new)(const genkan_ctx_options *, genkan_ctx **);
	void		(*ctx_free)(genkan_ctx *);
	const char	*(*version)(void);
	pthread_barrier_t used, gone;
	int		 good;
};

static void *
thread(void *arg)
{
	struct use *u = arg;
	genkan_ctx *ctx = NULL;

	u->good = u->ctx_new(NULL, &ctx) == 0 && ctx != NULL;
	u->ctx_free(ctx);
	(void)pthread_barrier_wait(&u->used);
	(void)pthread_barrier_wait(&u->gone);
	return NULL;	/* with whatever the library hung on this thread */
}

/* One load, with a thread that outlives it.  1 if all went well. */
static int
load_once(const char *path)
{
	struct use u = { 0 };
	pthread_t id;
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (lib == NULL) {
		printf("# %s\n", dlerror());
		return 0;
	}
	*(void **)&u.ctx_new = dlsym(lib, "genkan_ctx_new");
	*(void **)&u.ctx_free = dlsym(lib, "genkan_ctx_free");
	*(void **)&u.version = dlsym(lib, "genkan_version");
	if (u.ctx_new == NULL || u.ctx_free == NULL || u.version == NULL ||
	    strcmp(u.version(), GENKAN_VERSION) != 0)
		return 0;
	(void)pthread_barrier_init(&u.used, NULL, 2);
	(void)pthread_barrier_init(&u.gone, NULL, 2);
	if (pthread_create(&id, NULL, thread, &u) != 0)
		return 0;
	(void)pthread_barrier_wait(&u.used);
	if (dlclose(lib) != 0)
		u.good = 0;
	(void)pthread_barrier_wait(&u.gone);
	(void)pthread_join(id, NULL);
	(void)pthread_barrier_destroy(&u.used);
	(void)pthread_barrier_destroy(&u.gone);
	return u.good;
}

int
main(void)
{
	const char *dir = getenv("GENKAN_BUILDDIR");
	struct world before;
	char path[4096];
	void *lib;
	int i, good = 1;

	(void)snprintf(path, sizeof(path), "%s/.libs/libgenkan.so",
	    dir != NULL ? dir : ".");
	if (access(path, R_OK) != 0) {
		printf("1..0 # SKIP no shared library was built\n");
		return 0;
	}
	look(&before);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ok(lib != NULL, "the library loads");
	if (lib == NULL) {
		printf("# %s\n1..%d\n", dlerror(), tests);
		return 1;
	}
	ok(same(&before), "loading changes nothing of the process");
	ok(dlsym(lib, "gk_ctx_new") == NULL,
	    "internal functions are not visible");
	ok(dlclose(lib) == 0, "the library unloads");
	ok(same(&before), "unloading changes nothing either");
	ok(!mapped("libgenkan"), "no part of it stays mapped");
	for (i = 0; i < ROUNDS && good; i++)
		good = load_once(path);
	ok(good, "it can be used and unloaded again and again");
	ok(!mapped("libgenkan"), "and is gone afterwards");
	printf("1..%d\n", tests);
	return failed != 0;
}
