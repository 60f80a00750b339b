/*
 * genkan/store.h - records that lie where the program keeps them
 *
 * What was decided about this user's browser stands in records: who is paired,
 * whether the kill switch is engaged, what agents may do.  By default they are
 * the files of the state directory, which `genkan` and the extension write.  A
 * program that keeps them elsewhere fills in this table and gives it to
 * genkan_server_new() or genkan_broker_new(), which read them and never write
 * them.  Their bytes are those of the files, trust.json and policy.json.
 *
 * What `genkan` or the extension kills, revokes or permits does not reach a
 * broker that has such a store: that is up to the program then.
 *
 * The functions are called in the middle of a decision, on the thread of the
 * context, whose door is shut meanwhile: <genkan/context.h>.  They are asked for
 * every decision, so one that waits for a disk or a peer holds up all
 * connections.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_STORE_H
#define GENKAN_STORE_H

#include <genkan/context.h>

GENKAN_BEGIN_DECLS

/* Which record.  Another number is one that a newer library asks for: there is
 * none of that kind, GENKAN_E_NOENT. */
#define GENKAN_RECORD_TRUST	0	/* clients, kill switch: trust.json */
#define GENKAN_RECORD_POLICY	1	/* what agents may do: policy.json */

/*
 * Start from GENKAN_STORE_INIT.  .load is needed, the others may be NULL.
 *
 * load: the bytes of a record, borrowed until the next call of any of these
 * functions, and a number that is another one whenever the bytes are; 0 where
 * the store cannot tell, and then the record is parsed at every decision.
 * Returns 0; GENKAN_E_NOENT where there is no such record, as on a machine that
 * was never set up; any other GENKAN_E_* where it cannot be read, and then
 * nobody is admitted and no tool runs.
 *
 * version: that number alone, with the codes of load.  NULL: always loaded.
 *
 * audit: one line of the audit trail, a JSON object without LF, borrowed for
 * the call.  Lines that were lost for want of memory are counted in the next
 * one, as "dropped".  NULL: there is no trail.
 *
 * unix_ms: milliseconds since 1970, for the trail.  NULL: the system's.
 *
 * free_user: called once with .user: when the object that the store was given
 * to is freed, and also when that object could not be made.  Only where this
 * table cannot be read is it not called: the context or @ret is NULL, the
 * .size of the options that point to it is unusable, or that of the table.
 */
typedef struct genkan_store {
	size_t		 size;		/* of this struct */
	void		*user;		/* for the functions below */
	void		(*free_user)(void *user);
	int		(*load)(void *user, int record, const void **ptr,
			    size_t *len, uint64_t *version);
	int		(*version)(void *user, int record, uint64_t *version);
	void		(*audit)(void *user, const char *line, size_t len);
	uint64_t	(*unix_ms)(void *user);
} genkan_store;

#define GENKAN_STORE_INIT \
	{ sizeof(genkan_store), NULL, NULL, NULL, NULL, NULL, NULL }

GENKAN_END_DECLS

#endif
