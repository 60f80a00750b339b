/*
 * JSON strings and numbers as tokens: reading those of text that gk_scan()
 * has accepted, and writing our own.
 */
#ifndef GK_CODEC_JSTR_H
#define GK_CODEC_JSTR_H

#include "codec/scan.h"

/*
 * token is a string token with its quotes.  Strings are counted: a U+0000 in
 * one is an ordinary byte of the result.
 */
/* Appends the decoded bytes.  Errors as gk_buf_put(). */
int	gk_jstr_decode(struct gk_buf *, struct gk_span token);
/* Length of that in bytes, without decoding into memory. */
size_t	gk_jstr_len(struct gk_span token);
/* The decoded text equals len bytes at s. */
bool	gk_jstr_eq(struct gk_span token, const char *s, size_t len);
/* The member is a string and reads s. */
bool	gk_jstr_is(const struct gk_member *, const char *s);
/*
 * The text of a string member, without a copy where nothing is escaped, else
 * decoded into scratch (appended; the span is valid until scratch changes).
 * 0, or what gk_buf_put() says.
 */
int	gk_jstr_text(const struct gk_member *, struct gk_buf *scratch,
	    struct gk_span *ret);
/* Copied, NUL-terminated, freed with gk_free().  GENKAN_E_FRAME_MEMBER if the
 * text holds a U+0000, GENKAN_E_NOMEM. */
int	gk_jstr_dup(struct genkan_ctx *, struct gk_span token, char **ret);

/* One character of an accepted string, escape or sequence: its UTF-8 and the
 * bytes that it took. */
size_t	gk_jstr_char(const char *p, size_t *used, char ret[4]);
/* The value of four hex digits; -1 if they are none. */
int32_t	gk_jstr_hex4(const char *p);

/*
 * The bytes that write one ASCII character inside a string: itself, or its
 * escape, where it needs one.
 */
size_t	gk_json_escape(char c, char ret[6]);

/*
 * Appends a string token, quotes included, escaped as gk_scan_compact() does.
 * Bytes that are not UTF-8 become U+FFFD: what we write is always JSON.
 */
int	gk_json_put_string(struct gk_buf *, const char *, size_t len);
int	gk_json_put_cstr(struct gk_buf *, const char *);
int	gk_json_put_int(struct gk_buf *, int64_t);
/* "name": with a comma in front unless the buffer ends in '{'. */
int	gk_json_put_key(struct gk_buf *, const char *name);
/* Key and value at once, comma as above. */
int	gk_json_put_str_member(struct gk_buf *, const char *name, const char *,
	    size_t len);
int	gk_json_put_int_member(struct gk_buf *, const char *name, int64_t);
int	gk_json_put_bool_member(struct gk_buf *, const char *name, bool);
/* raw: a finished JSON value. */
int	gk_json_put_raw_member(struct gk_buf *, const char *name,
	    struct gk_span raw);

/* An integer token; false for a real or an integer beyond 64 bits. */
bool	gk_json_int(struct gk_span token, int64_t *ret);
/* Same type and value: strings compared decoded, integers by value. */
bool	gk_json_id_eq(const struct gk_member *a, const struct gk_member *b);

#endif
