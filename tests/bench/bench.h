/*
 * What the parts of the benchmark share: time, lines, frames, children.
 *
 * The benchmark is a client and a browser made of plain C, so that what it
 * measures is the programs between them.  The floor is the same processes and
 * the same hops with nothing but copies inside; both are timed in turn, in one
 * run, and only their ratio is worth quoting.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A stream that is read by lines or by native-messaging frames. */
struct bench_in {
	int	 fd;
	char	*buf;
	size_t	 len;		/* bytes held */
	size_t	 off;		/* bytes of them handed out */
	size_t	 cap;
};

struct bench_child {
	pid_t		 pid;
	int		 to;	/* its stdin */
	struct bench_in	 from;	/* its stdout */
};

uint64_t bench_now_ns(void);
void	 bench_fail(const char *, ...) __attribute__((noreturn,
	    format(printf, 1, 2)));

void	 bench_in_init(struct bench_in *, int);
void	 bench_in_done(struct bench_in *);
/* The next line without its LF, or NULL at the end; valid until the next call. */
char	*bench_line(struct bench_in *, size_t *);
/* The next frame's JSON, likewise. */
char	*bench_frame(struct bench_in *, size_t *);
void	 bench_write(int, const void *, size_t);
void	 bench_frame_write(int, const char *, size_t);

/* Starts argv with pipes at its stdin and stdout; stderr goes to a file. */
void	 bench_spawn(struct bench_child *, char *const[], const char *);
void	 bench_stop(struct bench_child *);

/* Sorts, and gives the value below which p per cent lie. */
uint64_t bench_percentile(uint64_t *, size_t, unsigned);
void	 bench_report(const char *name, const char *cpus, size_t payload,
	    uint64_t *, size_t, uint64_t *p50);

/* A text of that many bytes as JSON string content, newlines escaped. */
char	*bench_payload(size_t);

/* bench_browser.c: serves a host at these descriptors until the end. */
void	 bench_browser(struct bench_in *, int);
/* bench_floor.c: the copying process between two pairs of descriptors. */
void	 bench_copy(int, int, int, int) __attribute__((noreturn));

#endif
