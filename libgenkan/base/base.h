/*
 * What every file may take for granted: fixed-width types, attributes, and
 * arithmetic that reports overflow instead of wrapping.
 */
#ifndef GK_BASE_BASE_H
#define GK_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "genkan/contract.h"

#define GK_ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))
/* One argument is evaluated twice: nothing that costs, let alone acts. */
#define GK_MIN(a, b)	((a) < (b) ? (a) : (b))
#define GK_MAX(a, b)	((a) > (b) ? (a) : (b))

#if defined(__GNUC__)
#define GK_PRINTF(fmt, args)	__attribute__((__format__(__printf__, fmt, args)))
#define GK_CHECKED		__attribute__((__warn_unused_result__))
#define GK_UNUSED		__attribute__((__unused__))
/* Seldom called: what leads there is kept out of the way of the rest. */
#define GK_COLD			__attribute__((__cold__))
/* Where the compiler guesses wrong about what a call costs. */
#define GK_INLINE		inline __attribute__((__always_inline__))
#define GK_NOINLINE		__attribute__((__noinline__))
#define GK_LIKELY(x)		__builtin_expect(!!(x), 1)
#define GK_UNLIKELY(x)		__builtin_expect(!!(x), 0)
#else
#define GK_PRINTF(fmt, args)
#define GK_CHECKED
#define GK_UNUSED
#define GK_COLD
#define GK_INLINE		inline
#define GK_NOINLINE
#define GK_LIKELY(x)		(x)
#define GK_UNLIKELY(x)		(x)
#endif

struct genkan_ctx;

/* Bytes that belong to somebody else; never NUL-terminated by promise. */
struct gk_span {
	const char	*ptr;
	size_t		 len;
};

/* Where a length is counted, no bytes may come as NULL; arithmetic on that is
 * undefined even for 0. */
static inline const char *
gk_bytes(const void *p)
{
	return p == NULL ? "" : (const char *)p;
}

/* false on overflow, and then *ret is untouched. */
static inline bool
gk_add(size_t a, size_t b, size_t *ret)
{
	if (a > SIZE_MAX - b)
		return false;
	*ret = a + b;
	return true;
}

static inline bool
gk_mul(size_t a, size_t b, size_t *ret)
{
	if (b != 0 && a > SIZE_MAX / b)
		return false;
	*ret = a * b;
	return true;
}

static inline struct gk_span
gk_span(const void *ptr, size_t len)
{
	struct gk_span s = { (const char *)ptr, len };

	return s;
}

static inline struct gk_span
gk_span_str(const char *s)
{
	return gk_span(s, strlen(s));
}

static inline bool
gk_span_eq(struct gk_span a, struct gk_span b)
{
	return a.len == b.len &&
	    (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool
gk_span_is(struct gk_span a, const char *s)
{
	return gk_span_eq(a, gk_span_str(s));
}

#endif
