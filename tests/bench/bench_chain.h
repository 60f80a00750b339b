#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#include "bench.h"

struct floor {
	pid_t		 pid[3];
	int		 to;
	struct bench_in	 from;
};

/* All in the working directory, which holds home/ and run/; the lock is the
 * one in $XDG_RUNTIME_DIR. */
void	chain_server(struct bench_child *, const char *, const char *);
void	chain_open(struct bench_child *);
void	chain_wait_broker(void);
pid_t	chain_browser(const char *, const char *, pid_t *);
void	chain_call(struct bench_child *, unsigned long, size_t);
/* The same for the browser of that label; NULL: the only one. */
void	chain_call_to(struct bench_child *, unsigned long, size_t,
	    const char *label);
/* Another broker may come. */
void	chain_forget_broker(void);

void	floor_start(struct floor *);
void	floor_take(struct floor *);
void	floor_call(struct floor *, unsigned long, size_t);
void	floor_stop(struct floor *);

/* bench_rtt.c: what is added to the floor. */
void	bench_round_trips(const char *bindir);

/* bench_load.c: how it scales; each brings up chains of its own. */
void	bench_relays(const char *bindir);
void	bench_slope(const char *bindir);

/* bench_sys.c: what the system sees of a chain that is up. */
void	bench_idle(pid_t server, pid_t host);
void	bench_syscalls(struct bench_child *server, pid_t host);

#endif
