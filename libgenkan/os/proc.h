#ifndef GK_OS_PROC_H
#define GK_OS_PROC_H

#include <stdint.h>

#include "os/image.h"

/*
 * A process, pinned while it is looked at (wire.md 4.2).
 *
 * A pid alone may be reused between two looks.  So a process is held by a
 * pidfd, where the kernel has one, and by its directory in /proc; everything
 * is read through that directory, and the pidfd is asked afterwards whether
 * the process was still there.
 */
struct gk_proc {
	int64_t	 pid;
	uint32_t uid;		/* of a socket's peer only */
	int	 pidfd;		/* -1 where the kernel has none */
	int	 dir;		/* /proc/<pid>, O_PATH */
	int	 parent;	/* ours, so getppid() is asked again */
};

#define GK_PROC_INIT { 0, 0, -1, -1, 0 }

/* The other end of a unix socket.  0 or GENKAN_E_UNMEASURABLE. */
int	gk_proc_peer(int sock, struct gk_proc *ret, struct gk_why *);

/* The parent of this process.  0 or GENKAN_E_UNMEASURABLE. */
int	gk_proc_parent(struct gk_proc *ret, struct gk_why *);

/* A process by number.  0 or GENKAN_E_UNMEASURABLE. */
int	gk_proc_pid(int64_t pid, struct gk_proc *ret, struct gk_why *);

/* 1 while it runs, as far as can be told. */
int	gk_proc_alive(const struct gk_proc *);

/* Path and file of its image, hash left empty: cheap.  0 or UNMEASURABLE. */
int	gk_proc_look(const struct gk_proc *, struct gk_image *ret,
	    struct gk_why *);

/* The same and its hash; the process must still be there afterwards, and still
 * be the parent if it was asked for as one.  A program that lies in no file
 * (memfd) is not measured.  Blocks.  0 or GENKAN_E_UNMEASURABLE. */
int	gk_proc_measure(struct genkan_ctx *, const struct gk_proc *,
	    struct gk_image *ret, struct gk_why *);

/* The same; GENKAN_E_LIMIT for an image over most bytes, unread. */
int	gk_proc_measure_most(struct genkan_ctx *, const struct gk_proc *,
	    int64_t most, struct gk_image *ret, struct gk_why *);

/* Mapped-code check: every executable mapping is @image, a file of root that
 * nobody else can write, a file in the directory @dir, or the kernel's own.
 * 0 or GENKAN_E_UNMEASURABLE. */
int	gk_proc_code(const struct gk_proc *, const struct gk_image *image,
	    const char *dir, struct gk_why *);

void	gk_proc_done(struct gk_proc *);

/* When it was started, in the kernel's own unit: two processes that had one
 * number never share it.  An exec does not change it.  0 or UNMEASURABLE. */
int	gk_proc_started(const struct gk_proc *, uint64_t *ret,
	    struct gk_why *);

/* kill(pid, 0) by the rule of wire.md 3.1: 1 alive, 0 dead.  Pid 0 and pids
 * above 2147483647 are dead. */
int	gk_proc_exists(int64_t pid);

/* Our own pid and parent. */
int64_t	gk_proc_self(void);

#endif
