#include "codec/runs.h"

#include "base/str.h"

#if defined(__SSE2__) && defined(__GNUC__)
#include <immintrin.h>
#define AVX2	__attribute__((__target__("avx2")))
#endif

#define BLOCK	64		/* bytes; a bit each */

/* What stands behind a backslash, takes one letter, and is written so. */
static inline bool
is_short_escape(char c)
{
	return c == 'n' || c == '"' || c == '\\' || c == 't' || c == 'r' ||
	    c == 'b' || c == 'f';
}

/* p on something that is not plain.  Behind it, or p where somebody else has to
 * look. */
static inline const char *
behind_odd(const char *p, const char *end, bool *escaped)
{
	if ((uint8_t)*p >= 0x80)
		return gk_utf8_run(p, end);
	if (*p != '\\' || end - p < 2 || !is_short_escape(p[1]))
		return p;
	*escaped = true;
	return p + 2;
}

/* The same step by step: what is less than a block. */
static GK_INLINE const char *
string_steps(const char *p, const char *end, bool *escaped,
    const char *plain(const char *, const char *))
{
	const char *odd;

	for (;;) {
		odd = plain(p, end);
		if (odd == end)
			return end;
		p = behind_odd(odd, end, escaped);
		if (p == odd)
			return p;
	}
}

static GK_INLINE size_t
quoted_steps(void *out, const char *p, const char *end,
    size_t copy(void *, const char *, const char *))
{
	char *o = out;
	size_t n;

	while (p < end) {
		n = copy(o, p, end);
		o += n;
		p += n;
		/* Where there is one there are often two: \", "," and the
		 * like. */
		for (; p < end && (*p == '"' || *p == '\\'); p++) {
			*o++ = '\\';
			*o++ = *p;
		}
	}
	return (size_t)(o - (char *)out);
}

static const char *
string_word(const char *p, const char *end, bool *escaped)
{
	return string_steps(p, end, escaped, gk_runs_plain_word);
}

static size_t
quoted_word(void *out, const char *p, const char *end)
{
	return quoted_steps(out, p, end, gk_runs_copy_word);
}

#ifdef AVX2

/* A bit for each byte of a block that is not plain, or for each quote and
 * backslash. */
typedef uint64_t look_fn(const char *);

static GK_INLINE const char *
string_blocks(const char *p, const char *end, bool *escaped, look_fn *odd)
{
	const char *q;
	uint64_t m;

	for (; end - p >= BLOCK; p += BLOCK)
		for (m = odd(p); m != 0; ) {
			const char *at = p + __builtin_ctzll(m);

			q = behind_odd(at, end, escaped);
			if (q == at)
				return at;
			if (q - p >= BLOCK) {
				p = q - BLOCK;
				break;
			}
			m &= ~UINT64_C(0) << (q - p);
		}
	return string_steps(p, end, escaped, gk_runs_plain);
}

/*
 * A block is written whole; at each hit a backslash is put there and what
 * follows is written again, one further.  What that writes too much is within
 * what quoting the rest may take.
 */
static GK_INLINE size_t
quoted_blocks(void *out, const char *p, const char *end, look_fn *hits)
{
	char *o = out;
	uint64_t m;
	size_t from, at;

	for (; end - p >= 2 * BLOCK; p += BLOCK) {
		memcpy(o, p, BLOCK);
		from = 0;
		for (m = hits(p); m != 0; m &= m - 1) {
			at = (size_t)__builtin_ctzll(m);
			o += at - from;
			*o++ = '\\';
			memcpy(o, p + at, BLOCK);
			from = at;
		}
		o += BLOCK - from;
	}
	return (size_t)(o - (char *)out) +
	    quoted_steps(o, p, end, gk_runs_copy);
}

static GK_INLINE unsigned
odd_16(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	/* Signed: bytes of 0x80 and above are below a space too. */
	__m128i hit = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
	    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));

	return (unsigned)_mm_movemask_epi8(hit);
}

static GK_INLINE uint64_t
odd_sse2(const char *p)
{
	return (uint64_t)(odd_16(p) | odd_16(p + 16) << 16) |
	    (uint64_t)(odd_16(p + 32) | odd_16(p + 48) << 16) << 32;
}

static GK_INLINE unsigned
hits_16(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}

static GK_INLINE uint64_t
hits_sse2(const char *p)
{
	return (uint64_t)(hits_16(p) | hits_16(p + 16) << 16) |
	    (uint64_t)(hits_16(p + 32) | hits_16(p + 48) << 16) << 32;
}

static const char *
string_sse2(const char *p, const char *end, bool *escaped)
{
	return string_blocks(p, end, escaped, odd_sse2);
}

static size_t
quoted_sse2(void *out, const char *p, const char *end)
{
	return quoted_blocks(out, p, end, hits_sse2);
}

static AVX2 GK_INLINE unsigned
odd_32(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i hit = _mm256_or_si256(
	    _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), v),
	    _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')),
	    _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'))));

	return (unsigned)_mm256_movemask_epi8(hit);
}

static AVX2 GK_INLINE uint64_t
odd_avx2(const char *p)
{
	return odd_32(p) | (uint64_t)odd_32(p + 32) << 32;
}

static AVX2 GK_INLINE unsigned
hits_32(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);

	return (unsigned)_mm256_movemask_epi8(_mm256_or_si256(
	    _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')),
	    _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'))));
}

static AVX2 GK_INLINE uint64_t
hits_avx2(const char *p)
{
	return hits_32(p) | (uint64_t)hits_32(p + 32) << 32;
}

static AVX2 const char *
string_avx2(const char *p, const char *end, bool *escaped)
{
	return string_blocks(p, end, escaped, odd_avx2);
}

static AVX2 size_t
quoted_avx2(void *out, const char *p, const char *end)
{
	return quoted_blocks(out, p, end, hits_avx2);
}

#endif

static const struct gk_runs forms[] = {
#ifdef AVX2
	{ "avx2", string_avx2, quoted_avx2 },
	{ "sse2", string_sse2, quoted_sse2 },
#endif
	{ "word", string_word, quoted_word },
};

const struct gk_runs *
gk_runs_forms(size_t *ret)
{
	size_t skip = 0;

#ifdef AVX2
	skip = __builtin_cpu_supports("avx2") ? 0 : 1;
#endif
	*ret = GK_ARRAY_LEN(forms) - skip;
	return forms + skip;
}

const char *
gk_runs_string(const char *p, const char *end, bool *escaped)
{
	size_t n;

	return gk_runs_forms(&n)->string(p, end, escaped);
}

size_t
gk_runs_quoted(void *out, const char *p, const char *end)
{
	size_t n;

	return gk_runs_forms(&n)->quoted(out, p, end);
}
