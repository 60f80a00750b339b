/*
 * The tables of genkan(1), genkan-errors(3) and genkan-protocol(7), as man
 * source.  The pages around them say what the tables mean.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "contract/gen.h"

/* Text as roff takes it: no line may begin with a control character. */
static void
roff(FILE *f, const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", f);
	for (; *s != '\0'; s++)
		switch (*s) {
		case '\\':
			fputs("\\e", f);
			break;
		case '-':
			fputs("\\-", f);
			break;
		default:
			putc(*s, f);
		}
}

static void
line(FILE *f, const char *s)
{
	roff(f, s);
	putc('\n', f);
}

static void
lower(FILE *f, const char *word)
{
	for (; *word != '\0'; word++)
		putc(*word == '_' ? ' ' : tolower((unsigned char)*word), f);
}

static void
code_rows(FILE *f)
{
	const struct gk_code_row *c;
	size_t i, n;

	fputs(".SH RESULT CODES\n", f);
	c = gk_schema_codes(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, ".TP\n.B %s\n", c[i].name);
		line(f, c[i].text);
		fputs("(category ", f);
		lower(f, c[i].category);
		fprintf(f, ", %s, set by the %s)\n", c[i].retryable ?
		    "worth a retry" : "not worth a retry", c[i].by);
	}
}

static void
refusal_rows(FILE *f)
{
	const struct gk_refusal_row *r;
	size_t i, n;

	fputs(".SH REFUSAL CODES\n", f);
	r = gk_schema_refusals(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, ".TP\n.B %s\n", r[i].wire);
		line(f, r[i].text);
		fprintf(f, "(GENKAN_REFUSAL_%s, %d)\n", r[i].sym,
		    (int)r[i].code);
	}
}

void
gen_errors3(FILE *f)
{
	static const char *const cls[] = {
		"", "CALLER", "TRANSIENT", "CONN", "FATAL"
	};
	const struct gk_error *e;
	size_t i, n;

	fputs(".SH ERROR NUMBERS\n", f);
	e = gk_schema_errors(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, ".TP\n.BR GENKAN_E_%s \" (\\%d)\"\n", e[i].sym,
		    e[i].num);
		line(f, e[i].text);
		fputs("(class ", f);
		fprintf(f, "%s, name ", cls[e[i].cls]);
		roff(f, e[i].wire);
		fputs(")\n", f);
	}
	code_rows(f);
	refusal_rows(f);
}

static void
limit_rows(FILE *f)
{
	const struct gk_limit *l;
	size_t i, n;

	fputs(".SH LIMITS\n", f);
	l = gk_schema_limits(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, ".TP\n.BR %s \" %" PRId64 "%s\"\n", l[i].name,
		    l[i].value, strcmp(l[i].unit, "BYTES") == 0 ? " bytes" :
		    strcmp(l[i].unit, "MS") == 0 ? " ms" : "");
		line(f, l[i].text);
	}
}

static void
tool_rows(FILE *f)
{
	const struct gk_policy_field *p;
	const struct gk_tool *t;
	size_t i, j, n, np;

	fputs(".SH TOOLS\n", f);
	p = gk_schema_policy(&np);
	t = gk_schema_tools(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, ".TP\n.B %s\n", t[i].name);
		line(f, t[i].text);
		fputs("(risk ", f);
		lower(f, t[i].w_risk);
		fputs(", confirmation ", f);
		lower(f, t[i].w_confirm);
		if (t[i].cap != GK_CAP_NONE)
			fprintf(f, ", capability %s", gk_schema_cap(t[i].cap));
		for (j = 0; j < 2; j++)
			if (t[i].grant[j] != GK_POLICY_NONE)
				fprintf(f, ", needs %s",
				    p[t[i].grant[j]].name);
		fputs(")\n", f);
	}
}

static void
policy_rows(FILE *f)
{
	const struct gk_policy_field *p;
	size_t i, n;

	fputs(".SH POLICY FIELDS\n", f);
	p = gk_schema_policy(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, ".TP\n.BR %s \" (", p[i].name);
		roff(f, p[i].flag);
		fputs(")\"\n", f);
		line(f, p[i].text);
	}
}

static void
members(FILE *f, const struct gk_shape_member *m)
{
	static const char *const when[] = {
		"", "?", " (ok)", "? (ok)", " (not ok)", "? (not ok)"
	};

	if (m->name == NULL)
		fputs("no members\n", f);
	for (; m->name != NULL; m++)
		fprintf(f, "%s%s%s%s\n", m->name, m->array ? "[]" : "",
		    when[m->when], m[1].name == NULL ? "" : ",");
}

static void
frame_rows(FILE *f)
{
	const struct gk_tag_row *fr;
	size_t i, n;

	fputs(".SH CONTROL FRAMES\n", f);
	fr = gk_schema_frames(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, ".TP\n.BR %s \" (%s)\"\n", fr[i].tag,
		    fr[i].dir == 'B' ? "to the host" : "from the host");
		members(f, fr[i].members);
	}
}

void
gen_protocol7(FILE *f)
{
	tool_rows(f);
	policy_rows(f);
	code_rows(f);
	refusal_rows(f);
	frame_rows(f);
	limit_rows(f);
}

static void
policy_flag(FILE *f, const struct gk_policy_field *p)
{
	fputs(p->kind == GK_PKIND_MS || p->kind == GK_PKIND_SET ?
	    ".BI " : ".BR ", f);
	roff(f, p->flag);
	if (p->kind == GK_PKIND_MS)
		fputs(" \" milliseconds\"\n", f);
	else if (p->kind == GK_PKIND_SET)
		fputs(" \" name\" \\fR[\\fB,\\fPname ...]\n", f);
	else
		fputs(" \" (on | off)\"\n", f);
}

static void
policy_default(FILE *f, const struct gk_policy_field *p)
{
	if (p->kind == GK_PKIND_MS)
		fprintf(f, "; %" PRId64 " by default.\n", p->def);
	else if (p->kind == GK_PKIND_SET)
		fputs(": the whole list; \"\" for none, the default.\n", f);
	else
		fprintf(f, "; %s by default [%s].\n", p->def != 0 ? "on" :
		    "off", p->looser == GK_LOOSER_ON ? "on" : "off");
}

void
gen_policy1(FILE *f)
{
	const struct gk_policy_field *p;
	size_t i, n;

	p = gk_schema_policy(&n);
	for (i = 0; i < n; i++) {
		fputs(".TP\n", f);
		policy_flag(f, &p[i]);
		putc(toupper((unsigned char)p[i].text[0]), f);
		roff(f, p[i].text + 1);
		policy_default(f, &p[i]);
	}
}
