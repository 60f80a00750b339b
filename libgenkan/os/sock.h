#ifndef GK_OS_SOCK_H
#define GK_OS_SOCK_H

#include <stdint.h>

#include "os/why.h"

/*
 * Unix stream sockets.  Every descriptor handed out is close-on-exec and
 * non-blocking.
 */

/* 0 if @path fits a socket address, else GENKAN_E_ADDR with a sentence that
 * names path, length, limit and XDG_RUNTIME_DIR. */
int	gk_sock_fits(const char *path, struct gk_why *);

/* Binds @path, sets it to 0600 and listens.  0, GENKAN_E_ADDR (too long),
 * GENKAN_E_EXIST (something lies there), GENKAN_E_IO. */
int	gk_sock_listen(const char *path, int backlog, int *ret,
	    struct gk_why *);

/* Connects, waiting at most @ms for a full backlog.  0, GENKAN_E_ADDR,
 * GENKAN_E_CONNECT (no socket there or nobody listens: ENOENT, ECONNREFUSED),
 * GENKAN_E_TIMEOUT, GENKAN_E_IO.  Blocks: for jobs. */
int	gk_sock_connect(const char *path, int ms, int *ret, struct gk_why *);

/* 0 and a connection; GENKAN_E_AGAIN when none waits; GENKAN_E_LIMIT when
 * descriptors or memory are short (pause, do not spin); GENKAN_E_IO. */
int	gk_sock_accept(int listener, int *ret, struct gk_why *);

/* Uid and pid of the other end.  0 or GENKAN_E_UNMEASURABLE. */
int	gk_sock_cred(int fd, uint32_t *uid, int64_t *pid, struct gk_why *);

#endif
