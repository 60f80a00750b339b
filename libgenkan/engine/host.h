/*
 * A genkan-host as a pure machine (wire 12, control 2): the browser on one
 * leg, the broker on the other, frames passed between them as text, control
 * frames answered here.
 *
 * Whoever drives it pulls events and brings the answers back; all of them
 * touch files or sockets, none waits for a person.
 */
#ifndef GK_ENGINE_HOST_H
#define GK_ENGINE_HOST_H

#include "base/base.h"
#include "contract/schema.h"

struct genkan_leg;
struct gk_buf;
struct gk_host;
struct gk_key_ask;
struct gk_store;

/* ------------------------------------------------------------ arguments */

struct gk_host_args {
	bool	has_label;
	char	label[GK_LABEL_MAX + 1];
};

/*
 * wire 12.1, without argv[0].  0, or GENKAN_E_INVAL with one sentence in why:
 * exit 1.
 */
int	gk_host_args(int argc, const char *const *argv,
	    struct gk_host_args *ret, char *why, size_t whylen);

/* ---------------------------------------------------------------- machine */

enum gk_host_event_kind {
	GK_HOST_NOTHING,
	/*
	 * Look at run.lock (2.4): answer with gk_host_probed().  .connect: and
	 * where it exists, connect and close without a byte.
	 */
	GK_HOST_PROBE,
	/* wire 5.2 steps 1 to 3: answer with gk_host_dialled(). */
	GK_HOST_DIAL,
	/* Which broker does the lock name now?  gk_host_looked(). */
	GK_HOST_LOOK,
	/* .ask of the disk: answer with gk_host_told(). */
	GK_HOST_ASK,
	/* Answer .key (trust/hostkey.h): gk_host_keyed().  Yours until then,
	 * or until gk_key_ask_free(). */
	GK_HOST_KEY,
	/* Over: exit with .status. */
	GK_HOST_LEAVE
};

/* A frame that only the disk can answer (control 2.5). */
struct gk_host_ask {
	int	tag;		/* GK_TAG_DOCTOR_REPORT, _REGISTRATION_... */
	int	browser[GK_BROWSER_END];	/* to repair, in this order */
	size_t	n;		/* 0: those that are detected */
};

struct gk_host_event {
	enum gk_host_event_kind kind;
	bool	connect;
	int	status;
	struct gk_host_ask ask;
	struct gk_key_ask *key;
};

enum gk_probe {
	GK_PROBE_NONE,		/* no lock, unreadable, or no connection */
	GK_PROBE_LOCK,		/* a lock; not asked to connect */
	GK_PROBE_BROKER,	/* and connected */
	GK_PROBE_MISMATCH	/* 2.4: exit 1 */
};

enum gk_dialled {
	GK_DIALLED_NONE,	/* no usable lock, no connection */
	GK_DIALLED_MISMATCH,	/* 2.4 */
	GK_DIALLED_FOREIGN,	/* connected, but uid or image is not ours */
	GK_DIALLED_OK
};

/* A broker as the lock names it. */
struct gk_broker_id {
	uint32_t	 pid;
	const char	*endpoint;	/* borrowed for the call */
};

struct gk_dialling {
	enum gk_dialled		 outcome;
	struct gk_broker_id	 id;		/* OK */
	uint8_t			 secret[GK_SECRET_HEX];	/* OK; wiped by us */
	int			 err;		/* all others: GENKAN_E_* */
	char			 reason[512];	/* and the same for people */
};

struct gk_host_opts {
	const struct gk_store	*store;		/* borrowed */
	const char		*label;		/* NULL or "": none */
	bool			 parent_is_browser;	/* by image, 10.1 */
	/*
	 * Is it still what it was when the host started (control 6.2)?  Asked
	 * when a click is answered, in the middle of that, like the store; may
	 * be NULL: nobody can tell it apart.
	 */
	bool			(*parent_still)(void *user);
	void			*parent_user;
};

int	gk_host_new(struct genkan_ctx *, const struct gk_host_opts *,
	    struct gk_host **ret);
void	gk_host_free(struct gk_host *);

/* stdin and stdout. */
struct genkan_leg *gk_host_browser(struct gk_host *);

/* reason, for people, with MISMATCH only. */
void	gk_host_probed(struct gk_host *, enum gk_probe, const char *reason);
/* *ret is the leg of the connection for OK; NULL: close it. */
void	gk_host_dialled(struct gk_host *, struct gk_dialling *,
	    struct genkan_leg **ret);
/* id NULL: no lock, an unreadable one, or its process is dead. */
void	gk_host_looked(struct gk_host *, const struct gk_broker_id *id);
/* 0 and the finished value of "report" or "browsers", or an error and its
 * sentence; both borrowed for the call.  A host that is leaving drops it. */
void	gk_host_told(struct gk_host *, int r, struct gk_span value,
	    const char *why);
/* ask is taken. */
void	gk_host_keyed(struct gk_host *, struct gk_key_ask *);
/* SIGTERM or SIGINT: LEAVE with 0 is the next event. */
void	gk_host_stop(struct gk_host *);

int64_t	gk_host_deadline(const struct gk_host *);
void	gk_host_tick(struct gk_host *, int64_t now_ms);
enum gk_host_event_kind gk_host_next(struct gk_host *,
	    struct gk_host_event *ret);

/* "starting", "control", "dialling", "bridge", ...: logs and tests. */
const char *gk_host_state(const struct gk_host *);

#endif
