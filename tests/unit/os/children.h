/*
 * Processes to look at: copies of a system program, asleep.
 */
#ifndef GK_TESTS_CHILDREN_H
#define GK_TESTS_CHILDREN_H

#include <signal.h>
#include <time.h>

#include "os/scratch.h"

#define SLEEPER		"/bin/sleep"

static inline void
copy_to(const char *from, const char *name)
{
	char buf[65536];
	ssize_t n;
	int in = open(from, O_RDONLY), out;

	out = open(at(name), O_WRONLY | O_CREAT | O_EXCL, 0700);
	ck_assert_int_ge(in, 0);
	ck_assert_int_ge(out, 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		ck_assert_int_eq(write(out, buf, (size_t)n), n);
	ck_assert_int_eq(fchmod(out, 0755), 0);
	ck_assert_int_eq(close(in) | close(out), 0);
}

static inline void
nap(long ms)
{
	const struct timespec ts = { ms / 1000, (ms % 1000) * 1000000L };

	(void)nanosleep(&ts, NULL);
}

/* The state letter of /proc/<pid>/stat, 0 if it cannot be read. */
static inline char
state_of(pid_t pid)
{
	char path[64], line[512] = "", *end;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	(void)fclose(f);
	end = strrchr(line, ')');
	return end == NULL ? 0 : end[2];
}

/* Until the process has become a program of this name and sleeps, so that all
 * of its libraries are mapped. */
static inline void
wait_asleep(pid_t pid, const char *name)
{
	char link[64], target[4096], *base;
	ssize_t n;
	int i;

	(void)snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	for (i = 0; i < 1000; i++, nap(10)) {
		n = readlink(link, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		base = strrchr(target, '/');
		if (base != NULL && strncmp(base + 1, name,
		    strlen(name)) == 0 && state_of(pid) == 'S')
			return;
	}
	ck_abort_msg("%s did not start", name);
}

static inline pid_t
start(const char *path, const char *preload)
{
	const char *name = strrchr(path, '/') + 1;
	pid_t pid = fork();

	if (pid == 0) {
		(void)unsetenv("LD_PRELOAD");
		if (preload != NULL)
			(void)setenv("LD_PRELOAD", preload, 1);
		execl(path, name, "60", (char *)NULL);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	wait_asleep(pid, name);
	return pid;
}

static inline void
finish(pid_t pid)
{
	int status;

	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
}

#endif
