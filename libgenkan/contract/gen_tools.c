/*
 * The entries of tools/list, finished.  Clients cache them and tests compare
 * them byte for byte, so they are printed once, at build time, and the server
 * copies text.
 */
#include <inttypes.h>

#include "contract/gen.h"

/* Where JSON text goes: as it is, or as the inside of a C string literal. */
struct sink {
	FILE	*f;
	int	 literal;
};

static void
text(struct sink *o, const char *s)
{
	for (; *s != '\0'; s++) {
		if (o->literal && (*s == '"' || *s == '\\'))
			putc('\\', o->f);
		putc(*s, o->f);
	}
}

static void
string(struct sink *o, const char *s)
{
	char one[] = { 0, 0 };

	text(o, "\"");
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			text(o, "\\");
		one[0] = *s;
		text(o, one);
	}
	text(o, "\"");
}

static void
list(struct sink *o, const char *keyword, const char *const *values)
{
	size_t i;

	text(o, keyword);
	for (i = 0; values[i] != NULL; i++) {
		if (i > 0)
			text(o, ",");
		string(o, values[i]);
	}
	text(o, "]");
}

static void
bound(struct sink *o, const char *keyword, int64_t value)
{
	char num[24];

	if (value == GK_ANY)
		return;
	snprintf(num, sizeof(num), "%" PRId64, value);
	text(o, keyword);
	text(o, num);
}

/* Keywords in the order in which the catalogue names them. */
static void
argument(struct sink *o, const struct gk_arg *a)
{
	static const char *const begin[] = {
		"{\"type\":\"string\"", "{\"type\":\"integer\"",
		"{\"type\":\"boolean\"", "{\"type\":\"array\""
	};

	text(o, begin[a->type]);
	if (a->type == GK_ARG_STRING) {
		if (a->values != NULL)
			list(o, ",\"enum\":[", a->values);
		bound(o, ",\"minLength\":", a->lo);
		bound(o, ",\"maxLength\":", a->hi);
	} else if (a->type == GK_ARG_INTEGER) {
		bound(o, ",\"minimum\":", a->lo);
		bound(o, ",\"maximum\":", a->hi);
	} else if (a->type == GK_ARG_ARRAY) {
		list(o, ",\"items\":{\"type\":\"string\",\"enum\":[",
		    a->values);
		text(o, "}");
		bound(o, ",\"maxItems\":", a->hi);
	}
	if (a->def != NULL) {
		text(o, ",\"default\":");
		text(o, a->def);
	}
	if (a->text != NULL) {
		text(o, ",\"description\":");
		string(o, a->text);
	}
	text(o, "}");
}

static void
properties(struct sink *o, const struct gk_tool *t)
{
	/* Not in the table: the server takes it out before it checks. */
	static const struct gk_arg browser = {
		"browser", GK_ARG_STRING, 0, GK_ANY, GK_ANY, NULL, NULL,
		"Browser label; only if several are connected."
	};
	const struct gk_arg *a;

	if (t->args->name == NULL && !t->browser)
		return;
	text(o, ",\"properties\":{");
	for (a = t->args; a->name != NULL; a++) {
		string(o, a->name);
		text(o, ":");
		argument(o, a);
		if (a[1].name != NULL || t->browser)
			text(o, ",");
	}
	if (t->browser) {
		text(o, "\"browser\":");
		argument(o, &browser);
	}
	text(o, "}");
}

static void
required(struct sink *o, const struct gk_tool *t)
{
	const struct gk_arg *a;
	int n = 0;

	for (a = t->args; a->name != NULL; a++)
		if (a->required) {
			text(o, n++ == 0 ? ",\"required\":[" : ",");
			string(o, a->name);
		}
	if (n > 0)
		text(o, "]");
}

static void
hints(struct sink *o, const struct gk_tool *t)
{
	static const char *const names[] = {
		",\"readOnlyHint\":", ",\"destructiveHint\":",
		",\"idempotentHint\":", ",\"openWorldHint\":"
	};
	size_t i;

	for (i = 0; i < 4; i++) {
		text(o, names[i]);
		text(o, t->rdio[i] == 'y' ? "true" : "false");
	}
}

static void
entry(struct sink *o, const struct gk_tool *t)
{
	text(o, "{\"name\":");
	string(o, t->name);
	text(o, ",\"description\":");
	string(o, t->text);
	text(o, ",\"inputSchema\":{\"type\":\"object\"");
	properties(o, t);
	required(o, t);
	text(o, ",\"additionalProperties\":false},\"annotations\":"
	    "{\"title\":");
	string(o, t->title);
	hints(o, t);
	text(o, "}}");
}

void
gen_tool_entry(FILE *f, const struct gk_tool *t)
{
	struct sink o = { f, 0 };

	entry(&o, t);
}

void
gen_tools(FILE *f)
{
	const struct gk_tool *t;
	struct sink o = { f, 1 };
	size_t i, n;

	fputs("/* Generated from tools.def; do not edit. */\n", f);
	t = gk_schema_tools(&n);
	for (i = 0; i < n; i++) {
		fputs("ENTRY(\"", f);
		entry(&o, &t[i]);
		fputs("\")\n", f);
	}
}
