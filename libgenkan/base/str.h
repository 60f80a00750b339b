/*
 * Text as bytes: UTF-8 taken strictly (no overlong form, no surrogate, nothing
 * beyond U+10FFFF), and the few forms the protocol gives to names.
 */
#ifndef GK_BASE_STR_H
#define GK_BASE_STR_H

#include "base/base.h"

struct gk_buf;

/*
 * Length of the well-formed sequence at p, 1 to 4; 0 where there is none
 * before end.  *cp is set to the code point and may be NULL.
 */
size_t	gk_utf8_next(const char *p, const char *end, uint32_t *cp);
/* Behind the well-formed sequences beyond ASCII that begin at p: stops at the
 * first ASCII byte, at end, and where the text is broken. */
const char *gk_utf8_run(const char *p, const char *end);
/* Bytes of the longest well-formed prefix: len when all is well. */
size_t	gk_utf8_prefix(const char *, size_t len);
bool	gk_utf8_valid(const char *, size_t len);
/* Largest n <= max, <= len that splits no sequence of a well-formed text. */
size_t	gk_utf8_cut(const char *, size_t len, size_t max);
/* Writes 1 to 4 bytes; 0 for a surrogate or a value beyond U+10FFFF. */
size_t	gk_utf8_encode(uint32_t cp, char ret[4]);

/*
 * Foreign text for a log or a terminal, cut to max bytes of input on a UTF-8
 * boundary: C0, DEL, C1 and line separators come out as \n, \t, \xHH or
 * \u{HHHH}, a backslash doubled, bytes that are not UTF-8 as \xHH, direction
 * overrides as \u{HHHH}, and "..." stands for what was cut.
 */
int	gk_str_escape(struct gk_buf *, const char *, size_t len, size_t max);
/* The same into a fixed array; always terminated, truncated if need be. */
const char *gk_str_escaped(char *ret, size_t size, const char *, size_t len,
	    size_t max);

/*
 * A finished text as one line: like gk_str_escape(), but a backslash stays as
 * it is, since the foreign parts were escaped before.  Always terminated,
 * truncated at a character if need be.
 */
void	gk_str_line(char *ret, size_t size, const char *, size_t len);
/* The same into a buffer, cut like gk_str_escape(). */
int	gk_str_put_line(struct gk_buf *, const char *, size_t len,
	    size_t max);

/* The label rule, which client names follow too. */
bool	gk_str_is_label(const char *, size_t len);
/* Only 0-9a-f, or 0-9a-fA-F; length is the caller's business, 0 is true. */
bool	gk_str_is_hex_lower(const char *, size_t len);
bool	gk_str_is_hex(const char *, size_t len);
/* No C0, DEL or C1 control character; bad UTF-8 is false too. */
bool	gk_str_is_plain(const char *, size_t len);

/* Bounded copy, always terminated; false if it did not fit whole. */
bool	gk_str_copy(char *ret, size_t size, const char *, size_t len);

#endif
