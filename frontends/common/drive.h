/*
 * The main loop that genkan-server and genkan-host share: events, legs, jobs,
 * signals and time, for an object of the library that is driven like
 * <genkan/server.h> says.
 */
#ifndef GK_FRONTENDS_DRIVE_H
#define GK_FRONTENDS_DRIVE_H

#include <genkan/event.h>
#include <genkan/leg.h>

struct loop;

struct drive_ops {
	int	(*next)(void *obj, genkan_event *ev);
	int	(*deadline)(const void *obj, int64_t *ms);
	void	(*tick)(void *obj, int64_t now_ms);
	void	(*stop)(void *obj);
	int	(*accept)(void *obj);		/* NULL: never listens */
	void	(*free)(void *obj);
};

/*
 * Runs until the object says EXIT, and returns its status.  obj, stdio and the
 * descriptors are taken, and freed unless work is still under way at the end.
 * stdio may be NULL: then nobody reads or writes the descriptors, and they stay
 * open as long as the process lives.
 */
int	drive(struct loop *, const struct drive_ops *, void *obj,
	    genkan_leg *stdio, int in, int out);

#endif
