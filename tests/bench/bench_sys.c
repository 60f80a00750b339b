/*
 * What the system sees of a chain: how often an idle program is woken, and how
 * many system calls a tool call takes.  Neither depends on how fast or how
 * busy the machine is.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "bench_chain.h"

#define SETTLE_S	7	/* threads for jobs end after 5 s without any */
#define IDLE_S		8
#define CALLS		200

/* ------------------------------------------------------------------- idle */

/* Of one thread: how often it has waited for something. */
static unsigned long
waits_of(const char *dir, const char *thread)
{
	char path[512], line[256];
	unsigned long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/status", dir, thread);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return n;
}

static unsigned long
waits(pid_t pid)
{
	unsigned long n = 0;
	struct dirent *e;
	char dir[64];
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/task", (int)pid);
	d = opendir(dir);
	if (d == NULL)
		bench_fail("%s: %s", dir, strerror(errno));
	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			n += waits_of(dir, e->d_name);
	closedir(d);
	return n;
}

void
bench_idle(pid_t server, pid_t host)
{
	unsigned long s, h;
	uint64_t began;
	double seconds;

	sleep(SETTLE_S);
	began = bench_now_ns();
	s = waits(server);
	h = waits(host);
	sleep(IDLE_S);
	s = waits(server) - s;
	h = waits(host) - h;
	seconds = (double)(bench_now_ns() - began) / 1e9;
	printf("{\"bench\":\"idle_wakeups_server\",\"per_s\":%.2f}\n"
	    "{\"bench\":\"idle_wakeups_host\",\"per_s\":%.2f}\n",
	    (double)s / seconds, (double)h / seconds);
	fflush(stdout);
}

/* ----------------------------------------------------------- system calls */

/* Being counted slows a call down to more than a millisecond.  What is looked
 * at once in each of those, the directory and the name of the trail, is thus
 * counted for each call, twice even for the directory: three more than calls
 * make that follow each other at once. */

static volatile sig_atomic_t enough;

static void
on_enough(int sig)
{
	(void)sig;
	enough = 1;
}

/*
 * In a child: says 0 once it sees the process, or -1, and how many there were
 * when it is told that it is enough; by then the process waits.  Its end lets
 * go of the process.  Only the thread that serves makes any meanwhile.
 */
static void
count(pid_t pid, int to)
{
	struct sigaction stop = { .sa_handler = on_enough };
	long n = 0, stops = 0;
	int status;

	sigaction(SIGTERM, &stop, NULL);
	if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACESYSGOOD) != 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0)
		n = -1;
	bench_write(to, &n, sizeof(n));
	while (n == 0 && !enough &&
	    waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			stops++;
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0)
			break;
	}
	n = stops / 2;		/* on the way in, and on the way out */
	bench_write(to, &n, sizeof(n));
	_exit(0);
}

/* -1 where the system does not let us look. */
static double
count_calls(struct bench_child *server, pid_t pid, unsigned long *id)
{
	int fd[2], i;
	long n = -1;
	pid_t child;

	if (pipe(fd) != 0 || (child = fork()) < 0)
		bench_fail("fork: %s", strerror(errno));
	if (child == 0)
		count(pid, fd[1]);
	if (read(fd[0], &n, sizeof(n)) == (ssize_t)sizeof(n) && n == 0) {
		for (i = 0; i < CALLS; i++)
			chain_call(server, ++*id, 100);
		usleep(20000);
		kill(child, SIGTERM);
		if (read(fd[0], &n, sizeof(n)) != (ssize_t)sizeof(n))
			n = -1;
	}
	close(fd[0]);
	close(fd[1]);
	waitpid(child, NULL, 0);
	return n < 0 ? -1 : (double)n / CALLS;
}

static void
report(const char *program, double n)
{
	if (n < 0)
		printf("{\"bench\":\"syscalls_per_call\",\"program\":\"%s\","
		    "\"value\":null}\n", program);
	else
		printf("{\"bench\":\"syscalls_per_call\",\"program\":\"%s\","
		    "\"value\":%.2f}\n", program, n);
	fflush(stdout);
}

void
bench_syscalls(struct bench_child *server, pid_t host)
{
	unsigned long id = 500000;

	report("genkan-server", count_calls(server, server->pid, &id));
	report("genkan-host", count_calls(server, host, &id));
}
