/*
 * trust.json: who may call tools, the kill latch, enrolled browsers and the
 * epochs by which others notice a change.  One invalid entry makes the whole
 * record unreadable: half a list would admit or forget somebody silently.
 */
#ifndef GK_RECORDS_TRUSTREC_H
#define GK_RECORDS_TRUSTREC_H

#include "records/anchor.h"
#include "records/record.h"

struct gk_client {
	char			 name[GK_LABEL_MAX + 1];
	struct gk_anchor	 anchor;
	uint64_t		 added_unix;
};

struct gk_enrollment {
	char			 label[GK_LABEL_MAX + 1];
	uint8_t			*id;		/* 16 to 1023 bytes */
	size_t			 idlen;
	uint8_t			 public_key[65];
	uint32_t		 sign_count;
	bool			 backup_eligible;
};

struct gk_trustrec {
	struct genkan_ctx	*ctx;
	uint64_t		 epoch;
	uint64_t		 kill_epoch;
	uint64_t		 host_key_epoch;
	uint64_t		 policy_epoch;
	uint64_t		 lang_epoch;
	bool			 killed;
	bool			 paired;	/* false: clients is null */
	struct gk_client	*client;
	size_t			 nclients;
	struct gk_enrollment	*enrollment;
	size_t			 nenrollments;
};

/* The record of a fresh machine: epochs 0, never paired.  NULL on no memory. */
struct gk_trustrec *gk_trustrec_new(struct genkan_ctx *);
void	gk_trustrec_free(struct gk_trustrec *);

/* 0 and *ret yours, or an error of gk_record_open() with the reason. */
int	gk_trustrec_parse(struct genkan_ctx *, const void *bytes, size_t len,
	    struct gk_trustrec **ret, char *why, size_t whylen);

/*
 * The record as it goes to disk, in the current version, with LF; appended.
 * GENKAN_E_INVAL for what gk_trustrec_parse() would not take back,
 * GENKAN_E_TOO_LARGE over the cap.
 */
int	gk_trustrec_format(const struct gk_trustrec *, struct gk_buf *ret);

const struct gk_client *gk_trustrec_client(const struct gk_trustrec *,
	    const char *name);

#endif
