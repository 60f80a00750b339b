/*
 * Mutators that mend what plain mutation breaks: the lengths that stand before
 * bytes.  Only with libFuzzer; driver.c replays and has no mutator.
 */
#ifndef GK_TESTS_FUZZ_MUTATE_H
#define GK_TESTS_FUZZ_MUTATE_H

#ifdef GK_FUZZING

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

size_t	LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t	LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
	    unsigned seed);

#define FZ_FRAMES	64
#define FZ_HEAD		4	/* of a native-messaging frame */

/* Mutates the n bytes at data + at, moves what is behind them and returns how
 * many they are now. */
static inline size_t
fz_mutate_part(uint8_t *data, size_t *size, size_t max, size_t at, size_t n,
    unsigned seed)
{
	const size_t tail = *size - at - n;
	size_t now;
	uint8_t *kept;

	(void)seed;
	if (max == at + tail)
		return n;
	kept = malloc(tail + 1);
	MUST(kept != NULL);
	memcpy(kept, data + at + n, tail);
	now = LLVMFuzzerMutate(data + at, n, max - at - tail);
	memcpy(data + at + now, kept, tail);
	free(kept);
	*size = at + now + tail;
	return now;
}

/* Mutates as fz_mutate_part() does, in its own way. */
typedef size_t fz_part_fn(uint8_t *data, size_t *size, size_t max, size_t at,
    size_t n, unsigned seed);

/* Length-prefixed frames in the n bytes at data + at: mutates, doubles or drops
 * one of them, its length always right; returns how many bytes they are now. */
static inline size_t
fz_mutate_frames(uint8_t *data, size_t *size, size_t max, size_t at, size_t n,
    unsigned seed, fz_part_fn *part)
{
	size_t start[FZ_FRAMES], len[FZ_FRAMES], i, count = 0, pick, now;
	uint32_t want;

	for (i = 0; i + FZ_HEAD <= n && count < FZ_FRAMES; count++) {
		memcpy(&want, data + at + i, sizeof(want));
		if (want > n - i - FZ_HEAD)
			break;
		start[count] = at + i;
		len[count] = want;
		i += FZ_HEAD + want;
	}
	if (count == 0)
		return part(data, size, max, at, n, seed);
	pick = seed / 8 % count;
	now = FZ_HEAD + len[pick];
	if (seed % 8 == 0 && count > 1) {
		memmove(data + start[pick], data + start[pick] + now,
		    *size - start[pick] - now);
		*size -= now;
		return n - now;
	}
	if (seed % 8 == 1 && now <= max - *size) {
		memmove(data + start[pick] + now, data + start[pick],
		    *size - start[pick]);
		*size += now;
		return n + now;
	}
	now = part(data, size, max, start[pick] + FZ_HEAD, len[pick],
	    seed / 8 / FZ_FRAMES);
	want = (uint32_t)now;
	memcpy(data + start[pick], &want, sizeof(want));
	return n - len[pick] + now;
}

/* Authenticator data of n bytes: the length of the credential id becomes what
 * is left beside the parts of a fixed length.  (WebAuthn, 6.1 and 6.5.1) */
static inline void
fz_mend_authdata(uint8_t *p, size_t n)
{
	const size_t fixed = 37 + 18 + 77;

	if (n < fixed)
		return;
	p[32] |= 0x40;
	p[53] = (uint8_t)((n - fixed) >> 8);
	p[54] = (uint8_t)(n - fixed);
}

#endif
#endif
