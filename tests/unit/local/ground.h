/*
 * A user's directories in a scratch place, and an installation whose server is
 * this test program: a forked child passes as a broker.
 */
#ifndef GK_TESTS_GROUND_H
#define GK_TESTS_GROUND_H

#include "base/buf.h"
#include "crypto/ossl.h"
#include "local/install.h"
#include "local/lockfile.h"
#include "local/place.h"
#include "local/rendezvous.h"
#include "os/children.h"
#include "util.h"

static struct gk_test t;
static struct gk_why why;
static struct gk_place place;
static struct gk_install install;
static struct gk_notes notes;

static inline void
ground_make(void)
{
	scratch_make();
	gk_test_init(&t);
	memset(&why, 0, sizeof(why));
	memset(&notes, 0, sizeof(notes));
	memset(&install, 0, sizeof(install));
	scratch_home();
	ck_assert_int_eq(gk_place_resolve(&place, &why), 0);
	gk_installset_init(&install.set);
	ck_assert_int_eq(gk_image_self(t.ctx, &install.self, &why), 0);
	ck_assert_int_eq(gk_installset_add(&install.set, install.self.hash,
	    GK_ROLE_SERVER), 0);
}

static inline void
ground_drop(void)
{
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

static inline int
runtime_dir(void)
{
	int fd = -1;

	ck_assert_int_eq(gk_dirs_make(place.runtime, &fd, &why), 0);
	return fd;
}

/* Writes a lock file as a broker would. */
static inline void
plant_lock(int64_t pid, const char *endpoint, const char *state)
{
	struct gk_runlock lock;
	int dir = runtime_dir();

	memset(&lock, 0, sizeof(lock));
	lock.pid = (uint32_t)pid;
	memset(lock.secret, 'a', sizeof(lock.secret));
	(void)snprintf(lock.endpoint, sizeof(lock.endpoint), "%s", endpoint);
	(void)snprintf(lock.state_dir, sizeof(lock.state_dir), "%s", state);
	ck_assert_int_eq(gk_lockfile_write(t.ctx, dir, &lock, &why), 0);
	ck_assert_int_eq(close(dir), 0);
}

static inline int
read_lock(struct gk_runlock *ret)
{
	int dir = runtime_dir(), r;

	r = gk_lockfile_read(t.ctx, dir, ret, &why);
	ck_assert_int_eq(close(dir), 0);
	return r;
}

static inline bool
noted(const char *text)
{
	size_t i;

	for (i = 0; i < notes.n; i++)
		if (strstr(notes.note[i].text, text) != NULL)
			return true;
	return false;
}

/* A child that does fn and stays until it is told to go: killed by finish(). */
static inline pid_t
child(void (*fn)(void))
{
	int ready[2];
	char c = 'x';
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (fn != NULL)
			fn();
		(void)!write(ready[1], &c, 1);
		for (;;)
			nap(1000);
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_int_eq(close(ready[0]) | close(ready[1]), 0);
	return pid;
}

#endif
