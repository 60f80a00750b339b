/*
 * Validates one JSON text without building a tree, and finds the members of
 * its top-level object.  This is the only grammar of the library: what it
 * accepts is JSON, and codec/json.h builds trees of nothing else.
 *
 * Strict UTF-8 without byte-order mark; one value and whitespace around it;
 * at most GK_JSON_DEPTH levels of arrays and objects; no member twice in one
 * object, at any depth, however its name is spelled; no U+0000 in a member
 * name, no unpaired surrogate escape; no number beyond the double range.
 * An integer token outside signed 64 bits reads as a real.  A real too small
 * for a double reads as zero.
 *
 * Nothing is allocated unless an object has more than GK_KEYSET_SMALL members
 * or a member name is spelled with escapes.
 *
 * All spans point into the scanned text and live as long as it does.
 */
#ifndef GK_CODEC_SCAN_H
#define GK_CODEC_SCAN_H

#include "base/buf.h"
#include "contract/schema.h"

/* Types are bits, so that a field may allow several; 0 is "absent". */
#define GK_J_OBJECT	0x01u
#define GK_J_ARRAY	0x02u
#define GK_J_STRING	0x04u
#define GK_J_INT	0x08u	/* integer token within signed 64 bits */
#define GK_J_REAL	0x10u	/* every other number */
#define GK_J_TRUE	0x20u
#define GK_J_FALSE	0x40u
#define GK_J_NULL	0x80u
#define GK_J_BOOL	(GK_J_TRUE | GK_J_FALSE)
#define GK_J_NUMBER	(GK_J_INT | GK_J_REAL)
#define GK_J_ANY	0xffu

/* A member of an object, or an element of an array (key.ptr NULL). */
struct gk_member {
	struct gk_span	key;		/* between the quotes, as spelled */
	struct gk_span	value;		/* whole token, quotes included */
	int64_t		integer;	/* of a GK_J_INT, else 0 */
	uint8_t		type;		/* one GK_J_* bit; 0: absent */
	bool		key_escaped;	/* the name has backslashes */
	bool		escaped;	/* the string value has backslashes */
};

enum gk_scan_why {
	GK_SCAN_OK,
	GK_SCAN_SYNTAX,
	GK_SCAN_UTF8,		/* bad UTF-8 in a string */
	GK_SCAN_ESCAPE,		/* unknown escape or unpaired surrogate */
	GK_SCAN_NUL_KEY,	/* U+0000 in a member name */
	GK_SCAN_DEPTH,
	GK_SCAN_DUPLICATE,
	GK_SCAN_RANGE,		/* number beyond the double range */
	GK_SCAN_TOP,		/* valid JSON, but no object */
	GK_SCAN_SIZE		/* 4 GiB or more */
};

struct gk_scan {
	struct gk_member *member;	/* the caller's array */
	size_t		 n;		/* reported there */
	size_t		 total;		/* members that the object has */
	struct gk_span	 text;		/* the object, whitespace around it cut */
	bool		 canonical;	/* byte for byte what gk_scan_compact()
					 * would write */
	/* Of a failure: */
	enum gk_scan_why why;
	size_t		 at;		/* offset of the offence */
	uint8_t		 top;		/* with GK_SCAN_TOP: its type */
};

/*
 * 0; GENKAN_E_NOMEM; or GENKAN_E_FRAME_UTF8, GENKAN_E_FRAME_DEPTH,
 * GENKAN_E_FRAME_DUP, GENKAN_E_FRAME_TYPE for valid JSON that is no object, and
 * GENKAN_E_FRAME_JSON for all else that is wrong.  The first cap members are
 * reported in order; more are validated all the same, and gk_scan_find() finds
 * them too.  member may be NULL with cap 0.  ret is set in any case.
 */
int	gk_scan(struct genkan_ctx *, const void *text, size_t len,
	    struct gk_member *member, size_t cap, struct gk_scan *ret);

/*
 * The members of an object inside a text that gk_scan() accepted: a value span
 * of type GK_J_OBJECT.  Not validated again, so never give it foreign bytes.
 * ret->canonical is not determined (false).
 */
void	gk_scan_object(struct gk_span object, struct gk_member *member,
	    size_t cap, struct gk_scan *ret);

/* true and *ret if the object has the member, however its name is spelled;
 * else false, and *ret is zeroed (type 0). */
bool	gk_scan_find_span(const struct gk_scan *, struct gk_span name,
	    struct gk_member *ret);

static inline bool
gk_scan_find(const struct gk_scan *s, const char *name, struct gk_member *ret)
{
	return gk_scan_find_span(s, gk_span_str(name), ret);
}

/*
 * The same for several names in one go over the members: ret[i] is the one of
 * names[i], or zeroed.  No name may be given twice.  Returns how many there
 * were.
 */
size_t	gk_scan_pick(const struct gk_scan *, const char *const *names,
	    size_t n, struct gk_member *ret);

/*
 * Appends the text in the one form that we write: compact, on one line,
 * non-ASCII and '/' not escaped, control characters as \b \f \n \r \t \u00XX
 * (upper case), numbers as spelled, members in their order.  Any value span of
 * an accepted text.  Never longer than the input.  Errors as gk_buf_put().
 */
int	gk_scan_compact(struct gk_buf *, struct gk_span value);

/* For people: "member repeated". */
const char *gk_scan_why_text(enum gk_scan_why);
/* For golden files: "duplicate". */
const char *gk_scan_why_name(enum gk_scan_why);
/* "object", "array", ... of one GK_J_* bit; "nothing" for 0. */
const char *gk_json_type_name(unsigned type);

#endif
