/*
 * Records in memory: readable, absent or unreadable as a test wants, with a
 * lock that somebody else may hold, and an audit trail to look at.
 */
#ifndef GK_TESTS_MEMSTORE_H
#define GK_TESTS_MEMSTORE_H

#include "base/buf.h"
#include "contract/schema.h"
#include "records/store.h"

#define MEM_SECRET	"00112233445566778899aabbccddeeff"
#define MEM_HASH	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define MEM_OTHER	"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define MEM_AUDITS	64

/* trust.json: epoch, killed, the four epochs, clients. */
#define MEM_TRUST(epoch, killed, kill, key, policy, lang, clients)	\
	"{\"version\":0,\"epoch\":" #epoch ",\"killed\":" #killed	\
	",\"kill_epoch\":" #kill ",\"host_key_epoch\":" #key		\
	",\"policy_epoch\":" #policy ",\"lang_epoch\":" #lang		\
	",\"clients\":" clients ",\"enrollments\":[]}"
#define MEM_CLIENT(name, hash)						\
	"{\"name\":\"" name "\",\"anchor\":{\"kind\":\"hash\",\"value\":\"" \
	hash "\"},\"added_unix\":1700000000}"

struct memstore {
	struct gk_store	 store;
	char		*rec[GK_RECORD_END];	/* NULL: absent */
	size_t		 len[GK_RECORD_END];
	bool		 broken[GK_RECORD_END];	/* unreadable */
	uint64_t	 gen[GK_RECORD_END];	/* of the file; part of stamps */
	unsigned	 loads[GK_RECORD_END];
	/* Stamps asked for of the trust record; behind the turn-th of them it
	 * is written anew. */
	unsigned	 looks, turn;
	const char	*then;
	bool		 locked;		/* by somebody else */
	int		 replace_error;		/* what replace() says */
	unsigned	 holds;
	unsigned	 drops;
	unsigned	 replaces;
	char		*audit[MEM_AUDITS];	/* "kind surface outcome ..." */
	size_t		 naudits;
};

void	memstore_init(struct memstore *);
void	memstore_done(struct memstore *);
/* NULL removes it; either way the record is readable again. */
void	memstore_set(struct memstore *, int record, const char *text);
void	memstore_break(struct memstore *, int record);
/* The last audit line, "" if there is none. */
const char *memstore_audit(const struct memstore *);

#endif
