/* contract.json: all tables, for tests that are not in C. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "contract/gen.h"

/* What stands in front of the next row: a comma, but for the first. */
static void
row(FILE *f, size_t i)
{
	fputs(i > 0 ? ",\n  " : "\n  ", f);
}

/* `"name":"value"` pairs up to a NULL name; a NULL value is null. */
static void
pairs(FILE *f, ...)
{
	const char *name, *value;
	va_list ap;
	int some = 0;

	va_start(ap, f);
	while ((name = va_arg(ap, const char *)) != NULL) {
		value = va_arg(ap, const char *);
		fprintf(f, "%s\"%s\":", some++ ? "," : "", name);
		if (value == NULL)
			fputs("null", f);
		else
			gen_str(f, value);
	}
	va_end(ap);
}
#define END	((const char *)NULL)

static void
number(FILE *f, const char *name, int64_t value)
{
	fprintf(f, ",\"%s\":%" PRId64, name, value);
}

static void
flag(FILE *f, const char *name, int value)
{
	fprintf(f, ",\"%s\":%s", name, value ? "true" : "false");
}

static void
errors(FILE *f)
{
	static const char *const cls[] = {
		"", "CALLER", "TRANSIENT", "CONN", "FATAL"
	};
	const struct gk_refusal_row *r;
	const struct gk_code_row *c;
	const struct gk_error *e;
	size_t i, n;

	fputs("\"errors\":[", f);
	e = gk_schema_errors(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "symbol", e[i].sym, "wire", e[i].wire, "class",
		    cls[e[i].cls], "text", e[i].text, END);
		number(f, "number", e[i].num);
		putc('}', f);
	}
	fputs("],\n\"codes\":[", f);
	c = gk_schema_codes(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "code", c[i].name, "category", c[i].category, "by",
		    c[i].by, "text", c[i].text, END);
		number(f, "number", (int64_t)c[i].code);
		flag(f, "retryable", c[i].retryable);
		flag(f, "ext", c[i].ext);
		putc('}', f);
	}
	fputs("],\n\"refusals\":[", f);
	r = gk_schema_refusals(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "symbol", r[i].sym, "code", r[i].wire, "text",
		    r[i].text, END);
		number(f, "number", (int64_t)r[i].code);
		putc('}', f);
	}
	fputs("],\n", f);
}

static void
limits(FILE *f)
{
	const struct gk_limit *l;
	size_t i, n;

	fputs("\"limits\":{", f);
	l = gk_schema_limits(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		fprintf(f, "\"%s\":%" PRId64, l[i].name, l[i].value);
	}
	fprintf(f, "},\n\"integer_max\":%" PRId64 ",\n", GK_INTEGER_MAX);
}

static void
policy(FILE *f)
{
	static const char *const kinds[] = { "grant", "bool", "ms", "set" };
	static const char *const looser[] = {
		"on", "off", "larger", "larger_0_loosest", "fewer"
	};
	const struct gk_policy_field *p;
	size_t i, n;

	fputs("\"policy\":[", f);
	p = gk_schema_policy(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "name", p[i].name, "kind", kinds[p[i].kind], "looser",
		    looser[p[i].looser], "flag", p[i].flag, "text", p[i].text,
		    END);
		if (p[i].kind == GK_PKIND_SET)
			fputs(",\"default\":[]", f);
		else if (p[i].kind == GK_PKIND_MS)
			number(f, "default", p[i].def);
		else
			flag(f, "default", (int)p[i].def);
		putc('}', f);
	}
	fputs("],\n", f);
}

static void
tools(FILE *f)
{
	const struct gk_policy_field *p;
	const struct gk_tool *t;
	size_t i, j, n, np;
	int some;

	fputs("\"tools\":[", f);
	p = gk_schema_policy(&np);
	t = gk_schema_tools(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "name", t[i].name, "title", t[i].title, "risk",
		    t[i].w_risk, "scope", t[i].w_scope, "perm", t[i].w_perm,
		    "confirm", t[i].w_confirm, "render", t[i].w_render, "at",
		    t[i].w_at, "capability", gk_schema_cap(t[i].cap), END);
		fputs(",\"grants\":[", f);
		for (j = 0, some = 0; j < 2; j++)
			if (t[i].grant[j] != GK_POLICY_NONE)
				fprintf(f, "%s\"%s\"", some++ ? "," : "",
				    p[t[i].grant[j]].name);
		fputs("],\"entry\":", f);
		gen_tool_entry(f, &t[i]);
		putc('}', f);
	}
	fputs("],\n\"capabilities\":[", f);
	for (i = 0; i < GK_CAP_END; i++)
		fprintf(f, "%s\"%s\"", i > 0 ? "," : "",
		    gk_schema_cap((int)i));
	fputs("],\n", f);
}

static void
members(FILE *f, const struct gk_shape_member *m)
{
	static const char *const kinds[] = {
		"ok", "bool", "int", "uint", "text", "label", "enum", "hex",
		"hex_lower", "b64", "b64url", "object", "any_object", "any"
	};
	static const char *const when[] = {
		"req", "opt", "ok", "ok_opt", "notok", "notok_opt"
	};
	const char *sep = "\n    ";

	fputs("\"members\":[", f);
	for (; m->name != NULL; m++, sep = ",\n    ") {
		fprintf(f, "%s{", sep);
		pairs(f, "name", m->name, "kind", kinds[m->kind], "when",
		    when[m->when], END);
		flag(f, "array", m->array);
		number(f, "low", m->lo);
		number(f, "high", m->hi);
		number(f, "fewest", m->fewest);
		number(f, "most", m->most);
		number(f, "flags", m->flags);
		if (m->kind == GK_KIND_OBJECT)
			fprintf(f, ",\"shape\":\"%s\"",
			    gk_schema_shape(m->ref)->sym);
		if (m->kind == GK_KIND_ENUM) {
			fputs(",\"values\":", f);
			gen_list(f, gk_schema_set(m->ref));
		}
		putc('}', f);
	}
	putc(']', f);
}

static void
frames(FILE *f)
{
	static const char *const forms[] = {
		"drop", "error", "reason", "clients", "challenge", "lang"
	};
	const struct gk_tag_row *fr;
	const struct gk_reply *r;
	size_t i, j, n, nr;
	int some;

	fputs("\"frames\":[", f);
	fr = gk_schema_frames(&n);
	r = gk_schema_replies(&nr);
	for (i = 0; i < n; i++) {
		char dir[2] = { fr[i].dir, '\0' };

		row(f, i);
		putc('{', f);
		pairs(f, "tag", fr[i].tag, "dir", dir, "family", fr[i].family,
		    "malformed", fr[i].bad < 0 ? NULL : fr[fr[i].bad].tag,
		    "form", forms[fr[i].form], END);
		fputs(",\"replies\":[", f);
		for (j = 0, some = 0; j < nr; j++)
			if ((size_t)r[j].frame == i)
				fprintf(f, "%s\"%s\"", some++ ? "," : "",
				    fr[r[j].answer].tag);
		fputs("],", f);
		members(f, fr[i].members);
		putc('}', f);
	}
	fputs("],\n\"shapes\":[", f);
	for (i = n; i < GK_SHAPE_END; i++) {
		const struct gk_shape *s = gk_schema_shape((int)i);

		row(f, i - n);
		putc('{', f);
		pairs(f, "symbol", s->sym, "first",
		    gk_schema_shape(s->first)->sym, END);
		flag(f, "lenient", s->lenient);
		putc(',', f);
		members(f, s->members);
		putc('}', f);
	}
	fputs("],\n", f);
}

static void
audit(FILE *f)
{
	const struct gk_audit_member *m;
	const struct gk_audit_row *a;
	size_t i, n;

	fputs("\"audit\":[", f);
	a = gk_schema_audit(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "kind", a[i].name, "surfaces", a[i].surfaces,
		    "members", a[i].members, "text", a[i].text, END);
		flag(f, "event", a[i].event);
		putc('}', f);
	}
	fputs("],\n\"audit_members\":[", f);
	m = gk_schema_audit_members(&n);
	for (i = 0; i < n; i++)
		fprintf(f, "%s\"%s\"", i > 0 ? "," : "", m[i].name);
	fputs("],\n\"audit_surfaces\":", f);
	gen_list(f, gk_schema_set(GK_SET_AUDIT_SURFACE));
	fputs(",\n\"audit_outcomes\":", f);
	gen_list(f, gk_schema_set(GK_SET_AUDIT_OUTCOME));
	fputs(",\n", f);
}

static void
places(FILE *f)
{
	const struct gk_browser_row *b;
	const struct gk_system_dir *d;
	const struct gk_record_row *r;
	const struct gk_file_row *l;
	size_t i, n;

	fputs("\"browsers\":[", f);
	b = gk_schema_browsers(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "key", b[i].key, "vendor", b[i].vendor, "flatpak",
		    b[i].flatpak, "snap", b[i].snap, END);
		fputs(",\"images\":", f);
		gen_list(f, (const char *const[]){ b[i].image[0],
		    b[i].image[1], NULL });
		putc('}', f);
	}
	fputs("],\n\"system_dirs\":[", f);
	d = gk_schema_system_dirs(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "dir", d[i].dir, "browsers", d[i].keys, "wrapper",
		    d[i].wrapper, END);
		putc('}', f);
	}
	fputs("],\n\"records\":[", f);
	r = gk_schema_records(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "file", r[i].file, "shape",
		    gk_schema_shape((int)r[i].shape)->sym, "text", r[i].text,
		    END);
		number(f, "cap", (int64_t)r[i].cap);
		putc('}', f);
	}
	fputs("],\n\"files\":[", f);
	l = gk_schema_files(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		putc('{', f);
		pairs(f, "file", l[i].file, "dir", l[i].dir, "text", l[i].text,
		    END);
		putc('}', f);
	}
	fputs("],\n", f);
}

void
gen_json(FILE *f)
{
	const struct gk_ident_row *id;
	size_t i, n;

	fputs("{\n", f);
	errors(f);
	limits(f);
	policy(f);
	tools(f);
	frames(f);
	audit(f);
	places(f);
	fputs("\"identity\":{", f);
	id = gk_schema_idents(&n);
	for (i = 0; i < n; i++) {
		row(f, i);
		pairs(f, id[i].sym, id[i].value, END);
	}
	fputs("},\n\"languages\":", f);
	gen_list(f, gk_schema_set(GK_SET_LANGUAGE));
	fputs(",\n\"mcp_versions\":", f);
	gen_list(f, gk_schema_set(GK_SET_MCP_VERSION));
	fputs("\n}\n", f);
}
