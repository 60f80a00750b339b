/*
 * SIGTERM and SIGINT, taken synchronously by a thread that does nothing else
 * and acted on by the loop.  Should the loop be busy, the process ends all the
 * same: it is gone within half a second of the signal, whatever it was doing.
 */
#ifndef GK_FRONTENDS_SIGNALS_H
#define GK_FRONTENDS_SIGNALS_H

#include "common/loop.h"

/* Before any other thread is started.  0, or -1 with errno. */
int	signals_start(struct loop *);
/* 1 once a signal has come; the loop is woken then. */
int	signals_came(void);

#endif
