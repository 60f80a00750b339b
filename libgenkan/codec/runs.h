/*
 * Where does a run of bytes without special meaning end?  The inner loops of
 * everything that reads JSON: sixteen bytes a step where SSE2 is there, which
 * is every x86-64, else eight in a machine word.  Large texts go by blocks of
 * 64 bytes, in AVX2 where the processor has that.
 *
 * All forms are always compiled, so that tests compare them everywhere.
 */
#ifndef GK_CODEC_RUNS_H
#define GK_CODEC_RUNS_H

#include "base/base.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define GK_RUNS_ONES	UINT64_C(0x0101010101010101)
#define GK_RUNS_HIGH	UINT64_C(0x8080808080808080)

/* High bit of each byte of w that equals c; bits above the first hit may be
 * wrong, which does no harm: a hit only ends the fast loop. */
static inline uint64_t
gk_runs_has(uint64_t w, uint8_t c)
{
	uint64_t x = w ^ (GK_RUNS_ONES * c);

	return (x - GK_RUNS_ONES) & ~x & GK_RUNS_HIGH;
}

/* Inside a string nothing happens until a quote, a backslash, a control
 * character or the start of a sequence beyond ASCII. */
static inline bool
gk_runs_is_plain(char c)
{
	return (uint8_t)c >= 0x20 && (uint8_t)c < 0x80 && c != '"' &&
	    c != '\\';
}

static inline bool
gk_runs_word_is_plain(uint64_t w)
{
	/* (w - 0x20..) borrows below a control character. */
	return (((w - GK_RUNS_ONES * 0x20) | w) & GK_RUNS_HIGH) == 0 &&
	    (gk_runs_has(w, '"') | gk_runs_has(w, '\\')) == 0;
}

static inline const char *
gk_runs_plain_word(const char *p, const char *end)
{
	uint64_t w;

	while (end - p >= 8) {
		memcpy(&w, p, sizeof(w));
		if (!gk_runs_word_is_plain(w))
			break;
		p += 8;
	}
	while (p < end && gk_runs_is_plain(*p))
		p++;
	return p;
}

/* In text that was accepted only quote and backslash matter. */
static inline const char *
gk_runs_quote_word(const char *p, const char *end)
{
	uint64_t w;

	while (end - p >= 8) {
		memcpy(&w, p, sizeof(w));
		if ((gk_runs_has(w, '"') | gk_runs_has(w, '\\')) != 0)
			break;
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\')
		p++;
	return p;
}

/* What gk_runs_quote() goes over, copied on the way; how much it is.  out has
 * room for all up to the end. */
static inline size_t
gk_runs_copy_word(void *out, const char *p, const char *end)
{
	const char *start = p;
	char *o = out;
	uint64_t w;

	while (end - p >= 8) {
		memcpy(&w, p, sizeof(w));
		if ((gk_runs_has(w, '"') | gk_runs_has(w, '\\')) != 0)
			break;
		memcpy(o, &w, sizeof(w));
		p += 8;
		o += 8;
	}
	while (p < end && *p != '"' && *p != '\\')
		*o++ = *p++;
	return (size_t)(p - start);
}

#if defined(__SSE2__)
static inline const char *
gk_runs_plain(const char *p, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i slash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(0x20);

	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		/* Signed: bytes of 0x80 and above are below a space too. */
		__m128i hit = _mm_or_si128(_mm_cmplt_epi8(v, space),
		    _mm_or_si128(_mm_cmpeq_epi8(v, quote),
		    _mm_cmpeq_epi8(v, slash)));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);

		if (mask != 0)
			return p + __builtin_ctz(mask);
		p += 16;
	}
	return gk_runs_plain_word(p, end);
}

static inline const char *
gk_runs_quote(const char *p, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i slash = _mm_set1_epi8('\\');

	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, quote),
		    _mm_cmpeq_epi8(v, slash));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);

		if (mask != 0)
			return p + __builtin_ctz(mask);
		p += 16;
	}
	return gk_runs_quote_word(p, end);
}

static inline size_t
gk_runs_copy(void *out, const char *p, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i slash = _mm_set1_epi8('\\');
	const char *start = p;
	char *o = out;

	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, quote),
		    _mm_cmpeq_epi8(v, slash));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);

		_mm_storeu_si128((__m128i *)(void *)o, v);
		if (mask != 0)
			return (size_t)(p - start) +
			    (size_t)__builtin_ctz(mask);
		p += 16;
		o += 16;
	}
	return (size_t)(p - start) + gk_runs_copy_word(o, p, end);
}
#else
#define gk_runs_plain	gk_runs_plain_word
#define gk_runs_quote	gk_runs_quote_word
#define gk_runs_copy	gk_runs_copy_word
#endif

/*
 * Inside a string, over plain bytes, well-formed sequences beyond ASCII and
 * escapes of one letter but for \/, the one that the canonical form has not:
 * where something else is, or the end.  *escaped is set when there was an
 * escape, and else left as it is.
 */
const char *gk_runs_string(const char *p, const char *end, bool *escaped);

/* Copies, with a backslash in front of each quote and backslash; how much that
 * is.  out has room for twice the input. */
size_t	gk_runs_quoted(void *out, const char *p, const char *end);

/* One form of these two. */
struct gk_runs {
	const char	*name;
	const char	*(*string)(const char *, const char *, bool *);
	size_t		 (*quoted)(void *, const char *, const char *);
};

/* Those that this processor can do, of which the first is taken. */
const struct gk_runs *gk_runs_forms(size_t *ret);

/* Whether all of a text is plain.  Most texts that are written are words of
 * our own: of those the middle is looked at twice, and nothing byte by byte. */
static inline bool
gk_runs_all_plain(const char *p, size_t len)
{
	uint64_t head, tail;
	uint32_t h, t;

	if (len >= 16)
		return gk_runs_plain(p, p + len) == p + len;
	if (len >= 8) {
		memcpy(&head, p, sizeof(head));
		memcpy(&tail, p + len - sizeof(tail), sizeof(tail));
		return gk_runs_word_is_plain(head) &&
		    gk_runs_word_is_plain(tail);
	}
	if (len >= 4) {
		memcpy(&h, p, sizeof(h));
		memcpy(&t, p + len - sizeof(t), sizeof(t));
		return gk_runs_word_is_plain((uint64_t)h << 32 | t);
	}
	for (; len > 0; p++, len--)
		if (!gk_runs_is_plain(*p))
			return false;
	return true;
}

#endif
