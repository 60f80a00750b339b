/* What the printers share: strings, lists and words of the tables as JSON. */
#include <ctype.h>

#include "contract/gen.h"

/* The tables hold printable ASCII only, so these two are all to escape. */
void
gen_str(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			putc('\\', f);
		putc(*s, f);
	}
	putc('"', f);
}

void
gen_list(FILE *f, const char *const *list)
{
	size_t i;

	putc('[', f);
	for (i = 0; list[i] != NULL; i++) {
		if (i > 0)
			putc(',', f);
		gen_str(f, list[i]);
	}
	putc(']', f);
}

void
gen_word(FILE *f, const char *word)
{
	putc('"', f);
	for (; *word != '\0'; word++)
		putc(*word == '_' ? '-' : tolower((unsigned char)*word), f);
	putc('"', f);
}
