/*
 * zod validators of every argument, envelope and frame.
 *
 * They refuse unknown members and fill in no default.  A frame with a verdict
 * is a union of its two branches, so that a mixture of both fits neither.
 * zod/mini, since the classic interface alone would take two thirds of what the
 * worker's bundle may weigh.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "contract/gen_zod.h"

#define HEAD "// Generated from the contract tables of libgenkan; do not edit.\n"

void
zod_kit(FILE *f)
{
	fputs(HEAD
"import * as z from \"zod/mini\";\n"
"\n"
"// Pages of an extension forbid code from strings: do not even try.\n"
"z.config({ jitless: true });\n"
"\n"
"/** Length in Unicode code points, without a copy. */\n"
"const codePoints = (s: string): number => {\n"
"  let n = s.length;\n"
"  for (let i = 0; i + 1 < s.length; i++)\n"
"    if ((s.charCodeAt(i) & 0xfc00) === 0xd800 && (s.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {\n"
"      n--;\n"
"      i++;\n"
"    }\n"
"  return n;\n"
"};\n"
"\n"
"const utf8 = new TextEncoder();\n"
"const sized = (size: (s: string) => number, lo: number, hi: number, what: string) =>\n"
"  z.string().check(\n"
"    z.refine(\n"
"      (s) => {\n"
"        const n = size(s);\n"
"        return n >= lo && n <= hi;\n"
"      },\n"
"      { error: hi === Infinity ? `must have at least ${lo} ${what}` : `must have ${lo} to ${hi} ${what}` },\n"
"    ),\n"
"  );\n"
"\n"
"/** String of lo to hi code points. */\n"
"export const chars = (lo: number, hi = Infinity) => sized(codePoints, lo, hi, \"characters\");\n"
"\n"
"/** Integer of JSON within lo to hi. */\n"
"export const int = (lo: number, hi: number) => z.int().check(z.gte(lo), z.lte(hi));\n"
"\n"
"/** String of lo to hi UTF-8 bytes. */\n"
"export const text = (lo: number, hi = Infinity) => sized((s) => utf8.encode(s).length, lo, hi, \"bytes\");\n"
"/** An object, whatever its members are called. */\n"
"export const members = z.custom<Record<string, unknown>>(\n"
"  (v) => typeof v === \"object\" && v !== null && !Array.isArray(v),\n"
");\n"
"/** A list of nothing. */\n"
"export const none = z.array(z.never());\n\n"
"export const textNoNul = (lo: number, hi = Infinity) =>\n"
"  text(lo, hi).check(z.refine((s) => !s.includes(\"\\0\"), { error: \"must hold no NUL\" }));\n"
"\n"
"export const label = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/));\n"
"export const hexLower = (lo: number, hi: number) =>\n"
"  sized((s) => (/^[0-9a-f]*$/.test(s) ? s.length : -1), lo, hi, \"lowercase hex digits\");\n"
"\n"
"/** Decoded length of canonical base64, -1 for anything else. */\n"
"const decoded = (s: string): number => {\n"
"  try {\n"
"    const bytes = atob(s);\n"
"    return btoa(bytes) === s ? bytes.length : -1;\n"
"  } catch {\n"
"    return -1;\n"
"  }\n"
"};\n"
"const padded = (s: string): string =>\n"
"  /^[A-Za-z0-9_-]*$/.test(s) ? s.replaceAll(\"-\", \"+\").replaceAll(\"_\", \"/\") + \"=\".repeat((4 - (s.length % 4)) % 4) : \"?\";\n"
"\n"
"/** Canonical padded base64 of lo to hi bytes. */\n"
"export const b64 = (lo: number, hi = Infinity) => sized(decoded, lo, hi, \"bytes in base64\");\n"
"/** Canonical unpadded base64url of lo to hi bytes. */\n"
"export const b64url = (lo: number, hi = Infinity) => sized((s) => decoded(padded(s)), lo, hi, \"bytes in base64url\");\n"
"\n"
"/** Distinct values in the order of a table. */\n"
"export const inOrder = <const T extends readonly [string, ...string[]]>(list: T) =>\n"
"  z.array(z.enum(list)).check(\n"
"    z.refine((a) => a.every((v, i) => i === 0 || list.indexOf(v) > list.indexOf(a[i - 1] as string)), {\n"
"      error: \"must be distinct and in catalogue order\",\n"
"    }),\n"
"  );\n"
"\n"
"/** Distinct tool names: no comma, no control character, no white space at either end. */\n"
"export const toolSet = (name: z.ZodMiniString<string>, most: number) =>\n"
"  z\n"
"    .array(name.check(z.refine((s) => !/[,\\p{Cc}]/u.test(s) && s.trim() === s, { error: \"must be a tool name\" })))\n"
"    .check(z.maxLength(most), z.refine((a) => new Set(a).size === a.length, { error: \"must be distinct\" }));\n",
	    f);
}

/* ------------------------------------------------------- tool arguments */

static void
arg(FILE *f, const struct gk_arg *a)
{
	fprintf(f, "    %s: %s", a->name, a->required ? "" : "z.optional(");
	if (a->type == GK_ARG_BOOLEAN)
		fputs("z.boolean()", f);
	else if (a->type == GK_ARG_INTEGER)
		fprintf(f, "int(%" PRId64 ", %" PRId64 ")", a->lo, a->hi);
	else if (a->type == GK_ARG_ARRAY) {
		fputs("z.array(z.enum(", f);
		gen_list(f, a->values);
		fprintf(f, ")).check(z.maxLength(%" PRId64 "))", a->hi);
	} else if (a->values != NULL) {
		fputs("z.enum(", f);
		gen_list(f, a->values);
		putc(')', f);
	} else if (a->lo == GK_ANY && a->hi == GK_ANY)
		fputs("z.string()", f);
	else
		fprintf(f, "chars(%" PRId64 ", %" PRId64 ")",
		    a->lo == GK_ANY ? 0 : a->lo, a->hi);
	fputs(a->required ? ",\n" : "),\n", f);
}

void
zod_args(FILE *f)
{
	const struct gk_tool *t;
	const struct gk_arg *a;
	size_t i, n;

	fputs("\n/** Arguments as they travel in `args`: without `browser`, "
	    "and without any default. */\nexport const opArgs = {\n", f);
	t = gk_schema_tools(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, "  %s: z.strictObject({", t[i].name);
		if (t[i].args->name != NULL)
			putc('\n', f);
		for (a = t[i].args; a->name != NULL; a++)
			arg(f, a);
		fprintf(f, "%s}),\n", t[i].args->name == NULL ? "" : "  ");
	}
	fputs("} as const satisfies Record<Op, z.ZodMiniType>;\n"
	    "export type OpArgs<T extends Op> = z.infer<(typeof opArgs)[T]>;"
	    "\n", f);
}

/* --------------------------------------------------- members and shapes */

/* "POLICY_HISTORY_ROW" as PolicyHistoryRow. */
static void
pascal(FILE *f, const char *sym)
{
	int up = 1;

	for (; *sym != '\0'; sym++) {
		if (*sym == '_') {
			up = 1;
			continue;
		}
		putc(up ? *sym : tolower((unsigned char)*sym), f);
		up = 0;
	}
}

static void
bounds(FILE *f, const char *call, const struct gk_shape_member *m)
{
	fprintf(f, "%s(%" PRId64, call, m->lo);
	if (m->hi > 0)
		fprintf(f, ", %" PRId64, m->hi);
	putc(')', f);
}

static void
number(FILE *f, const struct gk_shape_member *m)
{
	if (m->hi > 0 && m->lo == m->hi)
		fprintf(f, "z.literal(%" PRId64 ")", m->lo);
	else
		fprintf(f, "int(%" PRId64 ", %" PRId64 ")",
		    m->kind == GK_KIND_INT ? -GK_INTEGER_MAX : m->lo,
		    m->hi > 0 ? m->hi : GK_INTEGER_MAX);
}

static void
enumeration(FILE *f, const struct gk_shape_member *m)
{
	const char *const *list = gk_schema_set(m->ref);

	if (list[1] == NULL) {
		fputs("z.literal(", f);
		gen_str(f, list[0]);
	} else {
		fputs("z.enum(", f);
		gen_list(f, list);
	}
	putc(')', f);
}

/* One value, or one element of an array. */
static void
value(FILE *f, const struct gk_shape_member *m)
{
	switch (m->kind) {
	case GK_KIND_OK:
	case GK_KIND_BOOL:
		fputs("z.boolean()", f);
		break;
	case GK_KIND_INT:
	case GK_KIND_UINT:
		number(f, m);
		break;
	case GK_KIND_TEXT:
		if (m->flags & GK_MF_NONUL)
			bounds(f, "textNoNul", m);
		else if (m->lo == 0 && m->hi == 0)
			fputs("z.string()", f);
		else
			bounds(f, "text", m);
		break;
	case GK_KIND_LABEL:
		fputs("label", f);
		break;
	case GK_KIND_ENUM:
		enumeration(f, m);
		break;
	case GK_KIND_HEX:
	case GK_KIND_HEX_LOWER:
		bounds(f, "hexLower", m);
		break;
	case GK_KIND_B64:
		bounds(f, "b64", m);
		break;
	case GK_KIND_B64URL:
		bounds(f, "b64url", m);
		break;
	case GK_KIND_OBJECT:
		pascal(f, gk_schema_shape(m->ref)->sym);
		break;
	case GK_KIND_ANY_OBJECT:
		fputs("members", f);
		break;
	case GK_KIND_ANY:
		fputs("z.unknown()", f);
		break;
	}
}

static void
array(FILE *f, const struct gk_shape_member *m)
{
	if (m->flags & GK_MF_CATALOGUE) {
		fputs("inOrder(", f);
		gen_list(f, gk_schema_set(m->ref));
		putc(')', f);
		return;
	}
	if (m->flags & GK_MF_TOOLSET) {
		fputs("toolSet(", f);
		value(f, m);
		fprintf(f, ", %" PRId64 ")", m->most);
		return;
	}
	fputs("z.array(", f);
	value(f, m);
	putc(')', f);
	if (m->fewest > 0)
		fprintf(f, ".check(z.minLength(%" PRId64 "))", m->fewest);
	if (m->most > 0)
		fprintf(f, ".check(z.maxLength(%" PRId64 "))", m->most);
}

enum branch { PLAIN, OK, NOTOK };

/* Does the member belong to this branch, and must it be there? */
static int
belongs(const struct gk_shape_member *m, enum branch b, int *optional)
{
	*optional = m->when == GK_WHEN_OPT || m->when == GK_WHEN_OK_OPT ||
	    m->when == GK_WHEN_NOTOK_OPT;
	if (m->when == GK_WHEN_OK || m->when == GK_WHEN_OK_OPT)
		return b == OK;
	if (m->when == GK_WHEN_NOTOK || m->when == GK_WHEN_NOTOK_OPT)
		return b == NOTOK;
	return 1;
}

static void
member(FILE *f, const struct gk_shape_member *m, enum branch b, const char *indent)
{
	int optional;

	if (!belongs(m, b, &optional))
		return;
	fprintf(f, "%s%s: %s", indent, m->name, optional ? "z.optional(" : "");
	if (m->kind == GK_KIND_OK && b != PLAIN)
		fputs(b == OK ? "z.literal(true)" : "z.literal(false)", f);
	else if (b == NOTOK && (m->flags & GK_MF_EMPTY) != 0)
		fputs(m->array ? "none" : "z.literal(false)", f);
	else if (m->array)
		array(f, m);
	else
		value(f, m);
	fputs(optional ? "),\n" : ",\n", f);
}

static void
object(FILE *f, const char *tag, const struct gk_shape_member *m, enum branch b,
    const char *indent)
{
	char deeper[16];

	snprintf(deeper, sizeof(deeper), "%s  ", indent);
	fputs("z.strictObject({\n", f);
	if (tag != NULL)
		fprintf(f, "%stype: z.literal(\"%s\"),\n", deeper, tag);
	for (; m->name != NULL; m++)
		member(f, m, b, deeper);
	fprintf(f, "%s})", indent);
}

/* An object, or the union of its two verdicts. */
static void
verdicts(FILE *f, const char *tag, const struct gk_shape_member *list)
{
	const struct gk_shape_member *m;

	for (m = list; m->name != NULL && m->kind != GK_KIND_OK; m++)
		continue;
	if (m->name == NULL) {
		object(f, tag, list, PLAIN, "");
		return;
	}
	fputs("z.discriminatedUnion(\"ok\", [\n  ", f);
	object(f, tag, list, OK, "  ");
	fputs(",\n  ", f);
	object(f, tag, list, NOTOK, "  ");
	fputs(",\n])", f);
}

static void
begin(FILE *f, const char *sym)
{
	fputs("export const ", f);
	pascal(f, sym);
	fputs(" = ", f);
}

static void
end(FILE *f, const char *sym)
{
	fputs(";\nexport type ", f);
	pascal(f, sym);
	fputs(" = z.infer<typeof ", f);
	pascal(f, sym);
	fputs(">;\n", f);
}

/* A shape with the alternatives that follow it. */
void
zod_shape(FILE *f, enum gk_shape_id id)
{
	const struct gk_shape *s = gk_schema_shape((int)id);
	int i, last = (int)id;

	while (last + 1 < GK_SHAPE_END &&
	    gk_schema_shape(last + 1)->first == (int)id)
		last++;
	begin(f, s->sym);
	if (last == (int)id)
		verdicts(f, NULL, s->members);
	else {
		fputs("z.union([\n", f);
		for (i = (int)id; i <= last; i++) {
			fputs("  ", f);
			object(f, NULL, gk_schema_shape(i)->members, PLAIN,
			    "  ");
			fputs(",\n", f);
		}
		fputs("])", f);
	}
	end(f, s->sym);
}

/* ---------------------------------------------------------------- files */

void
zod_envelopes(FILE *f)
{
	fputs(HEAD "import * as z from \"zod/mini\";\n"
	    "import { int, label, members, text } from \"./kit\";\n\n"
	    "/** Broker to extension. */\n", f);
	zod_shape(f, GK_SHAPE_BRIDGE_REQUEST);
	zod_shape(f, GK_SHAPE_CANCEL);
	fputs("\n/** Extension to broker. */\n", f);
	zod_shape(f, GK_SHAPE_BRIDGE_RESPONSE);
	zod_shape(f, GK_SHAPE_HELLO);
	zod_shape(f, GK_SHAPE_WAITING);
}

/* Objects before those that hold them. */
static void
shape_once(FILE *f, int id, unsigned char *done)
{
	const struct gk_shape_member *m;
	int i;

	if (done[id])
		return;
	done[id] = 1;
	for (i = id; i < GK_SHAPE_END && gk_schema_shape(i)->first == id; i++)
		for (m = gk_schema_shape(i)->members; m->name != NULL; m++)
			if (m->kind == GK_KIND_OBJECT)
				shape_once(f, m->ref, done);
	zod_shape(f, (enum gk_shape_id)id);
}

static void
tags(FILE *f, const char *name, const char *dirs)
{
	const struct gk_tag_row *fr;
	size_t i, n;

	fprintf(f, "export const %s = [\n", name);
	fr = gk_schema_frames(&n);
	for (i = 0; i < n; i++)
		if (strchr(dirs, fr[i].dir) != NULL)
			fprintf(f, "  \"%s\",\n", fr[i].tag);
	fputs("] as const;\n", f);
}

static void
frame_map(FILE *f, const char *name, char dir)
{
	const struct gk_tag_row *fr;
	size_t i, n;

	fprintf(f, "export const %s = {\n", name);
	fr = gk_schema_frames(&n);
	for (i = 0; i < n; i++)
		if (fr[i].dir == dir) {
			fprintf(f, "  %s: ", fr[i].tag);
			pascal(f, fr[i].sym);
			fputs(",\n", f);
		}
	fputs("} as const;\n", f);
}

static void
reply_map(FILE *f)
{
	const struct gk_tag_row *fr;
	const struct gk_reply *r;
	size_t i, j, n, nr;
	int some;

	fputs("\n/** The tags of which one answers a request; audit_event has "
	    "no answer. */\nexport const replyOf = {\n", f);
	fr = gk_schema_frames(&n);
	r = gk_schema_replies(&nr);
	for (i = 0; i < n; i++) {
		if (fr[i].dir != 'B')
			continue;
		fprintf(f, "  %s: [", fr[i].tag);
		for (j = 0, some = 0; j < nr; j++)
			if ((size_t)r[j].frame == i)
				fprintf(f, "%s\"%s\"", some++ ? ", " : "",
				    fr[r[j].answer].tag);
		fputs("],\n", f);
	}
	fputs("} as const satisfies Record<BTag, readonly HTag[]>;\n", f);
}

void
zod_frames(FILE *f)
{
	unsigned char done[GK_SHAPE_END] = { 0 };
	const struct gk_shape_member *m;
	const struct gk_tag_row *fr;
	size_t i, n;

	fputs(HEAD "import * as z from \"zod/mini\";\n"
	    "import { b64, b64url, hexLower, int, label, members, none, text, "
	    "textNoNul } "
	    "from \"./kit\";\n"
	    "import { Overlay, PolicyFields } from \"./policy\";\n\n", f);
	done[GK_SHAPE_OVERLAY] = done[GK_SHAPE_POLICY_FIELDS] = 1;
	fr = gk_schema_frames(&n);
	for (i = 0; i < n; i++)
		for (m = fr[i].members; m->name != NULL; m++)
			if (m->kind == GK_KIND_OBJECT)
				shape_once(f, m->ref, done);
	for (i = 0; i < n; i++) {
		fputs(fr[i].dir == 'B' ? "\n/** To the host. */\n" :
		    "\n/** From the host. */\n", f);
		begin(f, fr[i].sym);
		verdicts(f, fr[i].tag, fr[i].members);
		end(f, fr[i].sym);
	}
	fputs("\n/** Control tags: B to the host, H from it. */\n", f);
	tags(f, "B_TAGS", "B");
	tags(f, "H_TAGS", "H");
	tags(f, "ALL_TAGS", "BH");
	fputs("export type BTag = (typeof B_TAGS)[number];\n"
	    "export type HTag = (typeof H_TAGS)[number];\n"
	    "export type ControlTag = (typeof ALL_TAGS)[number];\n\n", f);
	frame_map(f, "B_FRAMES", 'B');
	frame_map(f, "H_FRAMES", 'H');
	fputs("export type BFrame<T extends BTag = BTag> = "
	    "z.infer<(typeof B_FRAMES)[T]>;\n"
	    "export type HFrame<T extends HTag = HTag> = "
	    "z.infer<(typeof H_FRAMES)[T]>;\n", f);
	reply_map(f);
	fputs("\nconst all: ReadonlySet<string> = new Set(ALL_TAGS);\n"
	    "const fromHost: ReadonlySet<string> = new Set(H_TAGS);\n"
	    "export const isControlTag = (tag: unknown): tag is ControlTag => "
	    "typeof tag === \"string\" && all.has(tag);\n"
	    "export const isHTag = (tag: unknown): tag is HTag => "
	    "typeof tag === \"string\" && fromHost.has(tag);\n", f);
}
