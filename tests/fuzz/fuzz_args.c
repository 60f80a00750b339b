/*
 * What stands on a command line: that of a host, which a browser fills in, and
 * options in general.  Properties: a host takes at most one valid label and no
 * foreign extension, told by another reading of the same words, and what it
 * refuses it names in one sentence without control characters; options hold
 * what their rows allow, and every word is accounted for.
 *
 * The input is words with a NUL behind each.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "engine/host.h"
#include "../../frontends/common/opt.h"

#define WORDS	16

static void
sentence(const char *why)
{
	MUST(why[0] != '\0');
	for (; *why != '\0'; why++)
		MUST((unsigned char)*why >= 0x20 && *why != 0x7f);
}

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static void
host(int argc, char **argv)
{
	const char *url = gk_schema_ident(GK_IDENT_EXTENSION_URL);
	struct gk_host_args a;
	const char *label = NULL;
	char why[1024] = "";
	bool good = true;
	int i, r;

	for (i = 0; i < argc; i++) {
		if (starts(argv[i], "--label=") ||
		    (starts(argv[i], "chrome-extension://") &&
		    strcmp(argv[i], url) != 0))
			good = false;
		if (strcmp(argv[i], "--label") != 0)
			continue;
		if (label != NULL || ++i == argc) {
			good = false;
			break;
		}
		label = argv[i];
		good = good && gk_str_is_label(label, strlen(label));
	}
	memset(&a, 0x77, sizeof(a));
	r = gk_host_args(argc, (const char *const *)argv, &a, why,
	    sizeof(why));
	MUST((r == 0) == good);
	if (r < 0)
		sentence(why);
	else
		MUST(a.has_label == (label != NULL) &&
		    strcmp(a.label, label != NULL ? label : "") == 0);
}

static void
options(int argc, char **argv)
{
	struct opt tab[] = {
		{ "--json", 0, 0, 0, NULL }, { "--limit", 1, 0, 0, NULL },
		{ "--dir", 1, 1, 0, NULL },
	};
	char why[OPT_WHY_MAX] = "";
	size_t i, k, words = 0;
	uint64_t n;

	if (opt_parse(tab, 3, argc, argv, why) == 0) {
		for (i = 0; i < 3; i++) {
			MUST(tab[i].many || tab[i].count <= 1);
			words += tab[i].count * (tab[i].takes ? 2 : 1);
			for (k = 0; tab[i].takes && k < tab[i].count; k++)
				MUST(tab[i].value[k] != NULL);
		}
		MUST(words == (size_t)argc);
		if (tab[1].count == 1 && opt_uint(tab[1].value[0], &n) == 0)
			MUST(n <= (uint64_t)GK_INTEGER_MAX &&
			    strspn(tab[1].value[0], "0123456789") ==
			    strlen(tab[1].value[0]));
	} else {
		MUST(why[0] != '\0');
	}
	opt_done(tab, 3);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS + 1], *copy, *p;
	int argc = 0;

	copy = malloc(size + 1);
	MUST(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	copy[size] = '\0';
	for (p = copy; p < copy + size && argc < WORDS; p += strlen(p) + 1)
		argv[argc++] = p;
	argv[argc] = NULL;
	host(argc, argv);
	options(argc, argv);
	free(copy);
	return 0;
}
