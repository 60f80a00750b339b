/*
 * Inside one genkan-host; for engine/host*.c alone.
 *
 * The two legs belong to the program and may outlive the host; each then wants
 * CLOSE and nothing else.
 */
#ifndef GK_ENGINE_HOST_IMPL_H
#define GK_ENGINE_HOST_IMPL_H

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "codec/line.h"
#include "engine/control.h"
#include "engine/host.h"
#include "proto/dial.h"
#include "proto/machine.h"
#include "proto/nm.h"
#include "records/runlock.h"

#define GK_HOST_TAG	"host"

/* Bytes that may wait for one side before the other is not read any more; one
 * frame may pass it.  Towards the broker it is more: a kill_engage must not
 * be left unread behind the answers that a stopped broker does not take. */
#define GK_HOST_BACKLOG		(1024 * 1024)
#define GK_HOST_TO_BRIDGE	(16 * 1024 * 1024)

enum gk_host_stage {
	GK_HOST_STARTING,	/* PROBE is due or runs */
	GK_HOST_DIALLING,	/* DIAL is due or runs */
	GK_HOST_SETUP,		/* handshake and attach */
	GK_HOST_BRIDGE,		/* both pumps */
	GK_HOST_CONTROL,	/* control-plane mode (control 2.10) */
	GK_HOST_QUIET,		/* the same, and nothing holds it any more */
	GK_HOST_ENDING		/* output goes out, then LEAVE */
};

struct gk_hbrowser {
	struct genkan_leg	 leg;		/* first */
	struct gk_host		*host;		/* NULL: outlived it */
	struct gk_frame		 in;
	struct gk_outq		 out;
	bool			 eof;
	bool			 broken;
};

struct gk_hbridge {
	struct genkan_leg	 leg;		/* first */
	struct gk_host		*host;		/* NULL: over */
	struct gk_dial		 dial;
	struct gk_line		 in;
	struct gk_outq		 out;
};

struct gk_host {
	struct genkan_ctx	*ctx;
	const struct gk_store	*store;
	char			 label[GK_LABEL_MAX + 1];	/* "": none */
	struct gk_hbrowser	*browser;	/* NULL once freed */
	struct gk_hbridge	*bridge;	/* NULL once over */
	struct gk_control	 control;

	enum gk_host_stage	 stage;
	bool			 want_probe;
	bool			 probing;	/* its answer is due */
	bool			 want_dial;
	bool			 want_look;
	bool			 looking;
	bool			 stopped;	/* by a signal */
	bool			 left;		/* LEAVE was pulled */
	int			 status;

	/* Of the broker that was dialled. */
	uint32_t		 broker_pid;
	char			 endpoint[GK_RUNLOCK_PATH_MAX];

	int64_t			 watch_at;	/* trust record */
	int64_t			 follow_at;	/* run.lock */
	int64_t			 quiet_at;	/* QUIET: input was quiet */
	int64_t			 end_at;	/* ENDING, at the latest */
};

/* host.c */
void	gk_host_end(struct gk_host *, int status);
void	gk_host_lost(struct gk_host *);
/* Input came from the browser. */
void	gk_host_heard(struct gk_host *);
/* The bridge leg is through its set-up, or failed in it. */
void	gk_host_attached(struct gk_host *);
void	gk_host_setup_failed(struct gk_host *, const char *why);
/* It ended, or failed, later. */
void	gk_host_bridge_ended(struct gk_host *, const char *why);

/* host_browser.c */
struct gk_hbrowser *gk_hbrowser_new(struct gk_host *);
/* One frame of the broker, without its LF. */
void	gk_hbrowser_send(struct gk_host *, const struct gk_scan *);

/* host_bridge.c */
struct gk_hbridge *gk_hbridge_new(struct gk_host *,
	    const uint8_t secret[GK_SECRET_HEX]);
/* One frame of the browser. */
void	gk_hbridge_send(struct gk_host *, const struct gk_scan *);
/* A PAYLOAD_TOO_LARGE in the place of a frame. */
void	gk_hbridge_too_large(struct gk_host *, int64_t id, size_t size,
	    size_t limit);
/* The leg wants CLOSE from now on. */
void	gk_hbridge_over(struct gk_host *);

#endif
