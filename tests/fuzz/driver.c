/*
 * Makes a check program of a fuzz target: replays its corpus, and near every
 * input some more: its beginnings, and copies with bytes changed in a way that
 * is the same every time.  Prints TAP, one line an input.
 *
 *	fuzz_line [file or directory]...
 *
 * Without arguments the corpus of the reader that it was built for.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <string.h>

#include "fuzz.h"

#ifndef GK_FUZZ_READER
#define GK_FUZZ_READER	"unknown"
#endif

#define MUTANTS	100	/* of each input */
#define PREFIX_MAX	512	/* longest input whose beginnings are all tried */

static int inputs;

/* In a block of its own size, so that reading beyond it is noticed. */
static void
one(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size == 0 ? 1 : size);

	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static uint32_t
next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void
mutants(uint8_t *data, size_t size)
{
	uint32_t seed = (uint32_t)(size * 2654435761u) | 1, r;
	int i, k;

	for (i = 0; i < MUTANTS && size > 0; i++) {
		for (k = 0; k < 1 + i % 3; k++) {
			r = next(&seed);
			if (r & 1)
				data[(r >> 8) % size] ^=
				    (uint8_t)(1u << (r >> 1) % 8);
			else
				data[(r >> 8) % size] =
				    data[next(&seed) % size];
		}
		one(data, size);
	}
}

static int
file(const char *path)
{
	size_t size = 0, cap = 1 << 16, got;
	uint8_t *data = malloc(cap);
	FILE *f = fopen(path, "rb");
	size_t i;

	if (f == NULL) {
		printf("not ok %d - %s: cannot be opened\n", ++inputs, path);
		free(data);
		return -1;
	}
	while (data != NULL && (got = fread(data + size, 1, cap - size, f)) > 0)
		if ((size += got) == cap)
			data = realloc(data, cap *= 2);
	fclose(f);
	if (data == NULL)
		abort();
	one(data, size);
	for (i = 0; i < size && size <= PREFIX_MAX; i++)
		one(data, i);
	mutants(data, size);
	free(data);
	printf("ok %d - %s\n", ++inputs, path);
	return 0;
}

static int
visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int
any(const char *path)
{
	struct dirent **list;
	char name[4096];
	struct stat st;
	int n, i, r = 0;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return file(path);
	if ((n = scandir(path, &list, visible, alphasort)) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, list[i]->d_name);
		r |= file(name);
		free(list[i]);
	}
	free(list);
	return r;
}

int
main(int argc, char **argv)
{
	const char *src = getenv("GENKAN_SRCDIR");
	char corpus[4096];
	int i, r = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 1; i < argc; i++)
		r |= any(argv[i]);
	if (argc < 2) {
		snprintf(corpus, sizeof(corpus), "%s/tests/fuzz/corpus/%s",
		    src == NULL ? "." : src, GK_FUZZ_READER);
		r = any(corpus);
	}
	if (inputs == 0) {
		printf("not ok 1 - no corpus for %s\n", GK_FUZZ_READER);
		inputs = 1;
		r = -1;
	}
	printf("1..%d\n", inputs);
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
