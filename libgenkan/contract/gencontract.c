#include <string.h>

#include "contract/gen.h"

static const struct {
	const char	*name;
	void		(*print)(FILE *);
} outputs[] = {
	{ "h", gen_h },
	{ "tools", gen_tools },
	{ "json", gen_json },
	{ "policy1", gen_policy1 },
	{ "errors3", gen_errors3 },
	{ "protocol7", gen_protocol7 },
};

static int
usage(void)
{
	fputs("usage: gencontract h | tools | json | policy1 | errors3 |\n"
	    "                   protocol7 | ts DIRECTORY\n", stderr);
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

static int
typescript(const char *dir)
{
	const struct gen_ts *ts;
	char path[4096];
	size_t i, n;
	FILE *f;

	ts = gen_ts_files(&n);
	for (i = 0; i < n; i++) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir,
		    ts[i].file) >= sizeof(path) ||
		    (f = fopen(path, "w")) == NULL) {
			fprintf(stderr, "gencontract: cannot create %s/%s\n",
			    dir, ts[i].file);
			return 1;
		}
		ts[i].print(f);
		if (closed(f, path))
			return 1;
	}
	return 0;
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
	if (argc == 3 && strcmp(argv[1], "ts") == 0)
		return typescript(argv[2]);
	return usage();
}
