/*
 * What Linux writes in /proc.  A line of maps that is taken, written as the
 * kernel writes one, says the same; a name of anybody's choice changes nothing
 * of what stands before it, nor when its process was started.
 */
#include "fuzz.h"

#include <inttypes.h>
#include <string.h>

#include "os/proctext.h"

static char *
text(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	MUST(s != NULL);
	if (size > 0)
		memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

/* The line that the kernel would write of it. */
static char *
line_of(const struct gk_mapping *m, size_t *len)
{
	const size_t cap = strlen(m->path) + 128;
	char *s = malloc(cap);
	int n;

	MUST(s != NULL);
	n = snprintf(s, cap, "7f0000000000-7f0000001000 r-%cp 00000000 %02x:%02x "
	    "%" PRIu64 " %20s%s\n", m->exec ? 'x' : '-', m->major, m->minor,
	    m->ino, "", m->path);
	MUST(n > 0 && (size_t)n < cap);
	*len = (size_t)n;
	return s;
}

static void
again(const struct gk_mapping *m)
{
	struct gk_mapping back;
	size_t len;
	char *line = line_of(m, &len);

	MUST(gk_proctext_mapping(line, len, &back) == 0);
	MUST(back.exec == m->exec && back.ino == m->ino);
	MUST(back.major == m->major && back.minor == m->minor);
	MUST(strcmp(back.path, m->path) == 0);
	free(line);
}

static void
mapping(const uint8_t *data, size_t size)
{
	char *line = text(data, size);
	struct gk_mapping m;

	if (gk_proctext_mapping(line, size, &m) == 0) {
		MUST(m.path > line && m.path <= line + size);
		MUST(m.path[-1] == ' ' || m.path[0] == '\0');
		MUST(strchr(m.path, '\n') == NULL);
		/* All that was there is in the path, not cut off by a NUL. */
		MUST(strlen(line) == size || (strlen(line) == size - 1 &&
		    data[size - 1] == '\n'));
		MUST(m.exec == (strchr(line, ' ')[3] == 'x'));
		again(&m);
	}
	free(line);
}

/* The bytes as the name of a file, as the kernel shows it. */
static void
named(const uint8_t *data, size_t size)
{
	struct gk_mapping m = { true, 0xfe, 1, 77, NULL };
	char *path = malloc(4 * size + 2), *to = path;
	bool two = false;
	size_t i;

	MUST(path != NULL);
	*to++ = '/';
	for (i = 0; i < size; i++) {
		if (data[i] == '\n') {
			two = true;
			memcpy(to, "\\012", 4);
			to += 4;
		} else if (data[i] != '\0') {
			*to++ = (char)data[i];
		}
	}
	*to = '\0';
	m.path = path;
	again(&m);
	MUST(!two || gk_proctext_two_names(path));
	free(path);
}

/* As the name of a process, between its parentheses; and the same cut off. */
static void
started(const uint8_t *data, size_t size)
{
	static const char tail[] = ") S 1 2 3 -4 -1 6 7 8 9 10 11 12 13 14 "
	    "20 0 1 0 ";
	const uint64_t want = fold(FOLD_START, data, size);
	char *name = text(data, size), *s = malloc(size + 256);
	uint64_t got = 0;
	int n;

	MUST(s != NULL);
	n = snprintf(s, size + 256, "7 (%s%s%" PRIu64 " 4096 1\n", name, tail,
	    want);
	MUST(gk_proctext_started(s, (size_t)n, &got) == 0 && got == want);
	*strstr(strrchr(s, ')') + sizeof(tail) - 1, " 4096") = '\0';
	MUST(gk_proctext_started(s, strlen(s), &got) == -1);
	free(name);
	free(s);
}

/* Taken as they are: a number that is read stands there. */
static void
raw(const uint8_t *data, size_t size)
{
	char *s = text(data, size), digits[32];
	uint64_t start;
	int64_t pid;

	if (gk_proctext_started(s, size, &start) == 0) {
		(void)snprintf(digits, sizeof(digits), "%" PRIu64, start);
		MUST(strstr(strrchr(s, ')'), digits) != NULL);
	}
	if (gk_proctext_pid(s, &pid) == 0) {
		MUST(pid >= -2147483647 && pid <= 2147483647);
		(void)snprintf(digits, sizeof(digits), "%" PRId64 "\n",
		    pid < 0 ? -pid : pid);
		MUST(strstr(s, digits) != NULL);
		MUST((s[5] == '-') == (pid < 0) || pid == 0);
	}
	free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	mapping(data, size);
	named(data, size);
	started(data, size);
	raw(data, size);
	return 0;
}
