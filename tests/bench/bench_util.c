#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

uint64_t
bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void
bench_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("bench: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

void
bench_in_init(struct bench_in *in, int fd)
{
	memset(in, 0, sizeof(*in));
	in->fd = fd;
	in->cap = 4u << 20;
	in->buf = malloc(in->cap);
	if (in->buf == NULL)
		bench_fail("out of memory");
}

void
bench_in_done(struct bench_in *in)
{
	free(in->buf);
	close(in->fd);
	memset(in, 0, sizeof(*in));
}

/* More bytes behind those held; 0 at the end. */
static int
fill(struct bench_in *in)
{
	ssize_t n;

	if (in->off > 0) {
		memmove(in->buf, in->buf + in->off, in->len - in->off);
		in->len -= in->off;
		in->off = 0;
	}
	if (in->len == in->cap)
		bench_fail("a frame over %zu bytes", in->cap);
	do {
		n = read(in->fd, in->buf + in->len, in->cap - in->len);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return 0;
	in->len += (size_t)n;
	return 1;
}

char *
bench_line(struct bench_in *in, size_t *ret)
{
	size_t seen = 0;
	char *start, *end;

	for (;;) {
		start = in->buf + in->off;
		end = memchr(start + seen, '\n', in->len - in->off - seen);
		if (end != NULL)
			break;
		seen = in->len - in->off;
		if (!fill(in))
			return NULL;
	}
	*end = '\0';
	*ret = (size_t)(end - start);
	in->off += *ret + 1;
	return start;
}

char *
bench_frame(struct bench_in *in, size_t *ret)
{
	uint32_t len = 0;

	for (;;) {
		if (in->len - in->off >= 4) {
			memcpy(&len, in->buf + in->off, 4);
			if (in->len - in->off >= 4 + (size_t)len)
				break;
		}
		if (!fill(in))
			return NULL;
	}
	*ret = len;
	in->off += 4 + (size_t)len;
	return in->buf + in->off - len;
}

void
bench_write(int fd, const void *buf, size_t len)
{
	const char *p = buf;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			bench_fail("write: %s", strerror(errno));
		p += n;
		len -= (size_t)n;
	}
}

void
bench_frame_write(int fd, const char *json, size_t len)
{
	char *frame = malloc(len + 4);
	uint32_t prefix = (uint32_t)len;

	if (frame == NULL)
		bench_fail("out of memory");
	memcpy(frame, &prefix, 4);
	memcpy(frame + 4, json, len);
	bench_write(fd, frame, len + 4);
	free(frame);
}

void
bench_spawn(struct bench_child *child, char *const argv[], const char *errlog)
{
	int in[2], out[2], fd;

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		bench_fail("pipe: %s", strerror(errno));
	child->pid = fork();
	if (child->pid < 0)
		bench_fail("fork: %s", strerror(errno));
	if (child->pid == 0) {
		fd = open(errlog, O_WRONLY | O_CREAT | O_APPEND, 0600);
		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || fd < 0 ||
		    dup2(fd, 2) < 0)
			_exit(126);
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	child->to = in[1];
	bench_in_init(&child->from, out[0]);
}

void
bench_stop(struct bench_child *child)
{
	close(child->to);
	bench_in_done(&child->from);
	kill(child->pid, SIGTERM);
	waitpid(child->pid, NULL, 0);
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

uint64_t
bench_percentile(uint64_t *v, size_t n, unsigned p)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[(n - 1) * p / 100];
}

void
bench_report(const char *name, const char *cpus, size_t payload, uint64_t *ns,
    size_t n, uint64_t *p50)
{
	*p50 = bench_percentile(ns, n, 50);
	printf("{\"bench\":\"%s\",\"cpus\":\"%s\",\"payload\":%zu,\"n\":%zu,"
	    "\"p50_us\":%.1f,\"p95_us\":%.1f}\n", name, cpus, payload, n,
	    (double)*p50 / 1e3, (double)bench_percentile(ns, n, 95) / 1e3);
	fflush(stdout);
}

char *
bench_payload(size_t len)
{
	static const char words[] = "the quick brown fox jumps over ";
	char *p = malloc(len + 1);
	size_t i;

	if (p == NULL)
		bench_fail("out of memory");
	for (i = 0; i < len; i++)
		p[i] = words[i % (sizeof(words) - 1)];
	for (i = 78; i + 2 < len; i += 80) {	/* prose comes in lines */
		p[i] = '\\';
		p[i + 1] = 'n';
	}
	p[len] = '\0';
	return p;
}
