#include "common/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
fail(char why[OPT_WHY_MAX], const char *arg, const char *what)
{
	(void)snprintf(why, OPT_WHY_MAX, "%.100s: %s", arg, what);
	return -1;
}

static struct opt *
find(struct opt *tab, size_t n, const char *arg)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(tab[i].name, arg) == 0)
			return &tab[i];
	return NULL;
}

static int
take_value(struct opt *o, size_t room, const char *value)
{
	if (o->value == NULL &&
	    (o->value = calloc(room, sizeof(*o->value))) == NULL)
		return -1;
	o->value[o->count] = value;
	return 0;
}

int
opt_parse(struct opt *tab, size_t n, int argc, char *const *argv,
    char why[OPT_WHY_MAX])
{
	struct opt *o;
	int i;

	for (i = 0; i < argc; i++) {
		if ((o = find(tab, n, argv[i])) == NULL)
			return fail(why, argv[i], argv[i][0] == '-' ?
			    "unknown flag" : "unexpected argument");
		if (o->count > 0 && !o->many)
			return fail(why, argv[i], "given twice");
		if (o->takes && i + 1 == argc)
			return fail(why, argv[i], "needs a value");
		if (o->takes &&
		    take_value(o, (size_t)argc, argv[++i]) < 0)
			return fail(why, o->name, "out of memory");
		o->count++;
	}
	return 0;
}

#define INTEGER_MAX	9007199254740991u	/* 2^53 - 1 */

int
opt_uint(const char *text, uint64_t *ret)
{
	uint64_t n = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > INTEGER_MAX)
			return -1;
	}
	if (p == text || *p != '\0')
		return -1;
	*ret = n;
	return 0;
}

void
opt_done(struct opt *tab, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(tab[i].value);
		tab[i].value = NULL;
		tab[i].count = 0;
	}
}
