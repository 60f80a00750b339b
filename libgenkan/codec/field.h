/*
 * Declarative tables of what an object may hold; they fail closed.  One table
 * serves a scanned text and a tree alike.
 *
 *	static const struct gk_field challenge[] = {
 *		{ "type",  GK_J_STRING, 0, 1, 32 },
 *		{ "nonce", GK_J_STRING, 0, 1, 64 },
 *	};
 */
#ifndef GK_CODEC_FIELD_H
#define GK_CODEC_FIELD_H

#include "codec/scan.h"

#define GK_F_OPTIONAL	0x01u	/* may be absent; null is still refused */
#define GK_F_NULL	0x02u	/* null counts as absent, and is allowed */

struct gk_field {
	const char	*name;
	uint8_t		 types;		/* GK_J_* bits allowed */
	uint8_t		 flags;		/* GK_F_* */
	/* Integers: range of the value.  Strings: bytes of the decoded text.
	 * Objects, arrays: members.  min = max = 0 asks for the default: for
	 * integers +-GK_INTEGER_MAX, for the rest no bound. */
	int64_t		 min;
	int64_t		 max;
};

/* What was wrong, for a message. */
struct gk_field_why {
	const struct gk_field	*field;	/* the row; NULL: unknown member */
	struct gk_span		 name;	/* of the member; foreign if unknown,
					 * and then as spelled */
	const char		*text;	/* "unknown", "missing", "wrong type",
					 * "out of range", "not an object" */
};

/*
 * ret gets one member for each row, type 0 where absent; defined on success
 * only.  lenient lets unknown members pass.  0 or GENKAN_E_FRAME_MEMBER; why
 * may be NULL.  Rows are judged in their order, unknown members last.
 */
int	gk_fields_scan(const struct gk_scan *, const struct gk_field *tab,
	    size_t n, bool lenient, struct gk_member *ret,
	    struct gk_field_why *why);
/* The same for a value span inside an accepted text. */
int	gk_fields_span(struct gk_span value, const struct gk_field *tab,
	    size_t n, bool lenient, struct gk_member *ret,
	    struct gk_field_why *why);

/* One value against one row: NULL, or the text of the offence. */
const char *gk_field_check(const struct gk_field *, const struct gk_member *);
/* The rule itself; size is what the range counts. */
const char *gk_field_judge(const struct gk_field *, uint8_t type,
	    int64_t size);

#endif
