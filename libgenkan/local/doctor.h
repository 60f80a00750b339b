/*
 * The health report: facts collected without changing anything, then judged,
 * then put into words or JSON (control.md 9).  Collecting looks at the disk
 * and speaks to no one: the probe of a broker connects, waits for its first
 * byte and leaves without having written one.
 */
#ifndef GK_LOCAL_DOCTOR_H
#define GK_LOCAL_DOCTOR_H

#include "local/install.h"
#include "local/place.h"
#include "local/register_rows.h"
#include "records/runlock.h"
#include "records/store.h"
#include "trust/admission.h"
#include "trust/policy.h"

enum gk_doctor_lock {
	GK_DOCTOR_LOCK_ABSENT,
	GK_DOCTOR_LOCK_UNREADABLE,
	GK_DOCTOR_LOCK_PRESENT
};

enum gk_doctor_server {
	GK_DOCTOR_NOT_PROBED,
	GK_DOCTOR_REACHABLE,
	GK_DOCTOR_UNREACHABLE
};

/* Plain facts; the pointers of the views are into the caches below. */
struct gk_doctor {
	struct genkan_ctx	*ctx;
	char			 os[32];
	char			 arch[32];
	unsigned		 role;		/* of the running program */
	struct gk_place		 place;
	char			 lock_path[GK_PATH_MAX];

	enum gk_doctor_lock	 lock;
	char			 lock_why[GK_WHY_FULL];	/* UNREADABLE */
	char			 endpoint[GK_RUNLOCK_PATH_MAX];
	char			 lock_state[GK_RUNLOCK_PATH_MAX];
	uint32_t		 pid;
	size_t			 secret_len;	/* all that is kept of it */
	bool			 mismatch;

	enum gk_doctor_server	 server;
	char			 server_why[GK_WHY_FULL];

	struct gk_trust_cache	 trust_cache;
	struct gk_trust_view	 trust;
	struct gk_policy_cache	 policy_cache;
	struct gk_policy_view	 policy;

	struct gk_browsers	 browsers;
	struct gk_reg_host	 host;
	struct gk_reg_row	 row[GK_REG_ROWS];
	struct gk_sandboxed	 sandboxed[GK_SANDBOXED_MAX];
	size_t			 nsandboxed;
	char			 extension[GK_PATH_MAX];
	bool			 has_extension;

	bool			 healthy;	/* by gk_doctor_judge() */
	char			 summary[GK_WHY_FULL + 256];
};

/*
 * 0 and the facts, judged, yours: gk_doctor_free().  An error means that not
 * even the directories can be named; the text is in gk_err_set().  role is
 * that of the running program.
 */
int	gk_doctor_collect(struct genkan_ctx *, unsigned role,
	    struct gk_doctor **ret);
void	gk_doctor_free(struct gk_doctor *);

/* The part over the records: trust and policy of d->place, looked at without
 * hardening the state directory, which a reader elsewhere does in passing. */
void	gk_doctor_records(struct gk_doctor *);

/* The verdict over what was found: control.md 9.2. */
void	gk_doctor_judge(struct gk_doctor *);

/* The rows that have a value and details; the words are the same in a frame
 * and at a terminal. */
enum gk_doctor_row {
	GK_DOCTOR_DIRECTORIES,
	GK_DOCTOR_LOCK,
	GK_DOCTOR_SERVER,
	GK_DOCTOR_KILL,
	GK_DOCTOR_POLICY,
	GK_DOCTOR_ROWS
};

const char *gk_doctor_row_name(enum gk_doctor_row);
/* Appends the value, and the details as lines with LF. */
int	gk_doctor_words(const struct gk_doctor *, enum gk_doctor_row,
	    struct gk_buf *value, struct gk_buf *details);

/* The whole report at a terminal, and as the object of --json. */
void	gk_doctor_text(const struct gk_doctor *, struct genkan_report *);
int	gk_doctor_json(const struct gk_doctor *, struct gk_buf *ret);

/* The same words as the object of doctor_report_result (9.3).  It asks about
 * the host key too, which may take its time. */
int	gk_doctor_frame(struct gk_doctor *, struct gk_buf *ret);

/* doctor --paths: computes, touches nothing. */
int	gk_doctor_paths(struct genkan_ctx *, struct genkan_report *);

#endif
