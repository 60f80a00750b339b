/* include/genkan/contract.h: the public constants, for C99 and C++. */
#include <string.h>

#include "contract/gen.h"

static const char head[] =
"/* Generated from the contract tables of libgenkan; do not edit. */\n"
"#ifndef GENKAN_CONTRACT_H\n"
"#define GENKAN_CONTRACT_H\n";

static void
errors(FILE *f)
{
	const struct gk_error *e;
	size_t i, n;

	fputs("\n/* What a function returns when it could not do its work. */\n",
	    f);
	e = gk_schema_errors(&n);
	for (i = 0; i < n; i++)
		fprintf(f, "#define GENKAN_E_%-15s (%d)\t/* %s */\n", e[i].sym,
		    e[i].num, e[i].text);
	fprintf(f, "\n/* What survives such an error: genkan_error_class(). */\n"
	    "#define GENKAN_CLASS_CALLER    %d\t/* the request was wrong; nothing changed */\n"
	    "#define GENKAN_CLASS_TRANSIENT %d\t/* nothing changed; later it may work */\n"
	    "#define GENKAN_CLASS_CONN      %d\t/* this connection is over */\n"
	    "#define GENKAN_CLASS_FATAL     %d\t/* the object cannot go on */\n",
	    GK_CLASS_CALLER, GK_CLASS_TRANSIENT, GK_CLASS_CONN,
	    GK_CLASS_FATAL);
}

static void
codes(FILE *f)
{
	const struct gk_code_row *c;
	size_t i, n;

	fputs("\n/* Result codes of a tool call; 0 is success. */\n", f);
	c = gk_schema_codes(&n);
	for (i = 0; i < n; i++)
		fprintf(f, "#define GENKAN_CODE_%-24s %2d\t/* %s */\n",
		    c[i].name, (int)c[i].code, c[i].text);
}

static void
refusals(FILE *f)
{
	const struct gk_refusal_row *r;
	size_t i, n;

	fputs("\n/* Why an act of the control plane was refused; 0 is none. */\n",
	    f);
	r = gk_schema_refusals(&n);
	for (i = 0; i < n; i++)
		fprintf(f, "#define GENKAN_REFUSAL_%-38s %2d\t/* %s */\n",
		    r[i].sym, (int)r[i].code, r[i].text);
}

static void
limits(FILE *f)
{
	const struct gk_limit *l;
	size_t i, n;

	fputs("\n/* Bounds; times in milliseconds. */\n", f);
	l = gk_schema_limits(&n);
	for (i = 0; i < n; i++)
		if (strcmp(l[i].vis, "PUBLIC") == 0)
			fprintf(f, "#define GENKAN_%-19s %9lld\t/* %s */\n",
			    l[i].name, (long long)l[i].value, l[i].text);
}

static const char *
looser(const struct gk_policy_field *p)
{
	switch (p->looser) {
	case GK_LOOSER_ON:
		return "on";
	case GK_LOOSER_OFF:
		return "off";
	case GK_LOOSER_LARGER:
		return "larger";
	case GK_LOOSER_LARGER_0_LOOSEST:
		return "larger, or 0";
	case GK_LOOSER_FEWER:
		return "fewer";
	}
	return "";
}

static void
policy(FILE *f)
{
	const struct gk_policy_field *p;
	size_t i, n;

	fputs("\n/*\n * The fields of the policy in their order, for a program "
	    "that names them:\n * X(name, flag of the command line, what it is "
	    "about, which value allows more).\n */\n"
	    "#define GENKAN_POLICY_FIELDS(X)", f);
	p = gk_schema_policy(&n);
	for (i = 0; i < n; i++)
		fprintf(f, " \\\n\tX(\"%s\", \"%s\", \\\n\t  \"%s\", \"%s\")",
		    p[i].name, p[i].flag, p[i].text, looser(&p[i]));
	fputc('\n', f);
}

void
gen_h(FILE *f)
{
	fputs(head, f);
	errors(f);
	codes(f);
	refusals(f);
	limits(f);
	policy(f);
	fputs("\n#endif\n", f);
}
