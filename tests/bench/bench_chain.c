/*
 * Brings up the two chains that are compared: the real programs, and the
 * floor.  Each is a client end (this process), two processes in the middle
 * and a browser.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "bench_chain.h"

static const char initialize[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":"
    "\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\","
    "\"version\":\"0\"}}}\n";

static void
pause_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

void
chain_server(struct bench_child *child, const char *bindir, const char *flag)
{
	char path[4096];
	char *argv[3] = { path, NULL, NULL };

	snprintf(path, sizeof(path), "%s/genkan-server", bindir);
	if (flag != NULL)
		argv[1] = (char *)(uintptr_t)flag;
	bench_spawn(child, argv, "server.log");
}

void
chain_open(struct bench_child *server)
{
	size_t len;

	bench_write(server->to, initialize, sizeof(initialize) - 1);
	if (bench_line(&server->from, &len) == NULL)
		bench_fail("the server ended before it answered initialize");
}

static void
lock_path(char *ret, size_t size)
{
	snprintf(ret, size, "%s/genkan/run.lock", getenv("XDG_RUNTIME_DIR"));
}

void
chain_forget_broker(void)
{
	char path[256];

	lock_path(path, sizeof(path));
	unlink(path);
}

void
chain_wait_broker(void)
{
	char path[256];
	struct stat st;
	int i;

	lock_path(path, sizeof(path));
	for (i = 0; i < 2000; i++) {
		if (stat(path, &st) == 0)
			return;
		pause_ms(1);
	}
	bench_fail("no broker after 2 s");
}

/* The host is the browser's child, as in life. */
pid_t
chain_browser(const char *bindir, const char *label, pid_t *host)
{
	struct bench_child child;
	char path[4096], name[32];
	char *argv[4] = { path, (char[]){ "--label" }, name, NULL };
	int pids[2];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/genkan-host", bindir);
	snprintf(name, sizeof(name), "%s", label);
	if (pipe(pids) != 0)
		bench_fail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		bench_fail("fork: %s", strerror(errno));
	if (pid == 0) {
		bench_spawn(&child, argv, "host.log");
		bench_write(pids[1], &child.pid, sizeof(child.pid));
		bench_browser(&child.from, child.to);
		_exit(0);
	}
	if (read(pids[0], host, sizeof(*host)) != (ssize_t)sizeof(*host))
		bench_fail("the browser did not start");
	close(pids[0]);
	close(pids[1]);
	return pid;
}

/* One call; the answer must be a success and at least that long. */
void
chain_call(struct bench_child *server, unsigned long id, size_t size)
{
	chain_call_to(server, id, size, NULL);
}

void
chain_call_to(struct bench_child *server, unsigned long id, size_t size,
    const char *label)
{
	char line[512], *answer;
	size_t len;
	int n;

	n = snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%lu,"
	    "\"method\":\"tools/call\",\"params\":{\"name\":\"page_text\","
	    "\"arguments\":{%s%s%s\"selector\":\"#s%zu\"}}}\n", id,
	    label != NULL ? "\"browser\":\"" : "",
	    label != NULL ? label : "", label != NULL ? "\"," : "", size);
	bench_write(server->to, line, (size_t)n);
	answer = bench_line(&server->from, &len);
	if (answer == NULL || len < size ||
	    strstr(answer + len - 20, "\"isError\":false") == NULL)
		bench_fail("call %lu: %.300s", id,
		    answer == NULL ? "the server ended" : answer);
}

/* In a child: keeps those two to four descriptors, and no end of the others,
 * or nobody would ever see an end of input. */
static void
keep_only(const int *all, size_t n, const int *keep, size_t kept)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < kept && keep[j] != all[i]; j++)
			;
		if (j == kept)
			close(all[i]);
	}
}

void
floor_start(struct floor *f)
{
	enum { DOWN, UP = 2, BDOWN = 4, BUP = 6, SOCK = 8, ALL = 10 };
	struct bench_in in;
	int fd[ALL];

	if (pipe(fd + DOWN) || pipe(fd + UP) || pipe(fd + BDOWN) ||
	    pipe(fd + BUP) || socketpair(AF_UNIX, SOCK_STREAM, 0, fd + SOCK))
		bench_fail("floor: %s", strerror(errno));
	if ((f->pid[0] = fork()) == 0) {
		keep_only(fd, ALL, (int[]){ fd[DOWN], fd[UP + 1], fd[SOCK] }, 3);
		bench_copy(fd[DOWN], fd[UP + 1], fd[SOCK], fd[SOCK]);
	}
	if ((f->pid[1] = fork()) == 0) {
		keep_only(fd, ALL, (int[]){ fd[SOCK + 1], fd[BUP],
		    fd[BDOWN + 1] }, 3);
		bench_copy(fd[SOCK + 1], fd[SOCK + 1], fd[BUP], fd[BDOWN + 1]);
	}
	if ((f->pid[2] = fork()) == 0) {
		keep_only(fd, ALL, (int[]){ fd[BDOWN], fd[BUP + 1] }, 2);
		bench_in_init(&in, fd[BDOWN]);
		bench_browser(&in, fd[BUP + 1]);
		_exit(0);
	}
	keep_only(fd, ALL, (int[]){ fd[DOWN + 1], fd[UP] }, 2);
	f->to = fd[DOWN + 1];
	bench_in_init(&f->from, fd[UP]);
	floor_take(f);		/* the browser's hello */
}

void
floor_take(struct floor *f)
{
	size_t len;

	if (bench_frame(&f->from, &len) == NULL)
		bench_fail("the floor fell in");
}

void
floor_call(struct floor *f, unsigned long id, size_t size)
{
	char json[256];
	int n = snprintf(json, sizeof(json), "{\"id\":%lu,\"op\":\"page_text\","
	    "\"browser\":\"bench\",\"args\":{\"selector\":\"#s%zu\"}}", id, size);

	bench_frame_write(f->to, json, (size_t)n);
	floor_take(f);
}

void
floor_stop(struct floor *f)
{
	int i;

	close(f->to);
	bench_in_done(&f->from);
	for (i = 0; i < 3; i++)
		waitpid(f->pid[i], NULL, 0);
}
