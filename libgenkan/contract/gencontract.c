#include <string.h>

#include "contract/gen.h"

static const struct {
	const char	*name;
	void		(*print)(FILE *);
} outputs[] = {
	{ "h", gen_h },
	{ "tools", gen_tools },
};

static int
usage(void)
{
	fputs("usage: gencontract h | tools\n", stderr);
	return 2;
}

/* A full disk must not leave a header that ends half-way and compiles. */
static int
closed(FILE *f, const char *what)
{
	int bad = ferror(f);

	if (fflush(f) != 0 || (f != stdout && fclose(f) != 0))
		bad = 1;
	if (bad)
		fprintf(stderr, "gencontract: cannot write %s\n", what);
	return bad;
}

int
main(int argc, char **argv)
{
	size_t i;

	if (argc == 2)
		for (i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
			if (strcmp(argv[1], outputs[i].name) == 0) {
				outputs[i].print(stdout);
				return closed(stdout, argv[1]);
			}
	return usage();
}
