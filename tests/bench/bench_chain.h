#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#include "bench.h"

struct floor {
	pid_t		 pid[3];
	int		 to;
	struct bench_in	 from;
};

/* All in the working directory, which holds home/ and run/. */
void	chain_server(struct bench_child *, const char *, const char *);
void	chain_open(struct bench_child *);
void	chain_wait_broker(void);
pid_t	chain_browser(const char *, const char *, pid_t *);
void	chain_call(struct bench_child *, unsigned long, size_t);

void	floor_start(struct floor *);
void	floor_take(struct floor *);
void	floor_call(struct floor *, unsigned long, size_t);
void	floor_stop(struct floor *);

#endif
