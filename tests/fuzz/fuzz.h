/* What the fuzz targets share. */
#ifndef GK_TESTS_FUZZ_H
#define GK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that does not hold is a crash, which is what a fuzzer keeps. */
#define MUST(cond) do {							\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,	\
		    #cond);						\
		abort();						\
	}								\
} while (0)

/* FNV-1a, to fold what a run produced into one number. */
static inline uint64_t
fold(uint64_t h, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return (h ^ len) * UINT64_C(0x100000001b3);
}

#define FOLD_START	UINT64_C(0xcbf29ce484222325)

#endif
