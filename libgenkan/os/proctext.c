#include "os/proctext.h"

#include <string.h>

/* The value of a digit, 16 and more for what is none. */
static unsigned
digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return 16;
}

/* A number, and *at behind it: without sign, not above most. */
static bool
number(const char **at, unsigned base, uint64_t most, uint64_t *ret)
{
	const char *p = *at;
	uint64_t n = 0;

	for (; digit(*p) < base; p++) {
		if (n > (most - digit(*p)) / base)
			return false;
		n = n * base + digit(*p);
	}
	if (p == *at)
		return false;
	*at = p;
	*ret = n;
	return true;
}

static bool
byte(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* "rwxp", each one or a dash; s in the place of p where it is shared. */
static bool
rights(const char **at, bool *exec)
{
	static const char *const may[] = { "r-", "w-", "x-", "ps" };
	size_t i;

	for (i = 0; i < 4; i++, ++*at)
		if (**at == '\0' || strchr(may[i], **at) == NULL)
			return false;
	*exec = (*at)[-2] == 'x';
	return true;
}

int
gk_proctext_mapping(char *line, size_t len, struct gk_mapping *ret)
{
	uint64_t from, to, offset, major, minor;
	const char *at = line;

	if (len > 0 && line[len - 1] == '\n')
		line[--len] = '\0';
	if (strlen(line) != len || strchr(line, '\n') != NULL)
		return -1;
	if (!number(&at, 16, UINT64_MAX, &from) || !byte(&at, '-') ||
	    !number(&at, 16, UINT64_MAX, &to) || !byte(&at, ' ') ||
	    from >= to || !rights(&at, &ret->exec) || !byte(&at, ' ') ||
	    !number(&at, 16, UINT64_MAX, &offset) || !byte(&at, ' ') ||
	    !number(&at, 16, UINT32_MAX, &major) || !byte(&at, ':') ||
	    !number(&at, 16, UINT32_MAX, &minor) || !byte(&at, ' ') ||
	    !number(&at, 10, UINT64_MAX, &ret->ino) ||
	    (*at != '\0' && *at != ' '))
		return -1;
	ret->major = (unsigned)major;
	ret->minor = (unsigned)minor;
	ret->path = line + (at - line) + strspn(at, " ");
	return 0;
}

bool
gk_proctext_two_names(const char *path)
{
	return strstr(path, "\\012") != NULL;
}

/* The name before it may hold anything, so what counts is the last
 * parenthesis; behind it are a letter and numbers, some below zero. */
int
gk_proctext_started(const char *text, size_t len, uint64_t *ret)
{
	uint64_t skipped;
	const char *at;
	int field;

	if (strlen(text) != len || (at = strrchr(text, ')')) == NULL)
		return -1;
	at++;
	if (!byte(&at, ' ') || *at < 'A' || *at++ > 'z')
		return -1;
	for (field = 4; field < 22; field++) {
		if (!byte(&at, ' '))
			return -1;
		(void)byte(&at, '-');
		if (!number(&at, 10, UINT64_MAX, &skipped))
			return -1;
	}
	/* A number that goes on to the end may have been cut off. */
	return byte(&at, ' ') && number(&at, 10, UINT64_MAX, ret) &&
	    (*at == ' ' || *at == '\n') ? 0 : -1;
}

int
gk_proctext_pid(const char *line, int64_t *ret)
{
	static const char name[] = "Pid:\t";
	const char *at = line + (sizeof(name) - 1);
	uint64_t n;
	bool below;

	if (strncmp(line, name, sizeof(name) - 1) != 0)
		return -1;
	below = byte(&at, '-');
	if (!number(&at, 10, 2147483647, &n) || !byte(&at, '\n') ||
	    *at != '\0')
		return -1;
	*ret = below ? -(int64_t)n : (int64_t)n;
	return 0;
}
