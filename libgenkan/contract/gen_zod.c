/*
 * The files with zod validators: of every argument, envelope and frame.
 *
 * They refuse unknown members and fill in no default.  zod/mini, since the
 * classic interface alone would take two thirds of what the worker's bundle may
 * weigh.
 */
#include <inttypes.h>
#include <string.h>

#include "contract/gen_zod.h"

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
			zod_pascal(f, fr[i].sym);
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
		zod_begin(f, fr[i].sym);
		zod_verdicts(f, fr[i].tag, fr[i].members);
		zod_end(f, fr[i].sym);
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
