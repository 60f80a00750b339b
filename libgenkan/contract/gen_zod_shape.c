/*
 * zod validators of objects: members, shapes, and the two branches of a frame
 * with a verdict, which are a union, so that a mixture of both fits neither.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "contract/gen_zod.h"

void
zod_pascal(FILE *f, const char *sym)
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
		zod_pascal(f, gk_schema_shape(m->ref)->sym);
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

void
zod_verdicts(FILE *f, const char *tag, const struct gk_shape_member *list)
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

void
zod_begin(FILE *f, const char *sym)
{
	fputs("export const ", f);
	zod_pascal(f, sym);
	fputs(" = ", f);
}

void
zod_end(FILE *f, const char *sym)
{
	fputs(";\nexport type ", f);
	zod_pascal(f, sym);
	fputs(" = z.infer<typeof ", f);
	zod_pascal(f, sym);
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
	zod_begin(f, s->sym);
	if (last == (int)id)
		zod_verdicts(f, NULL, s->members);
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
	zod_end(f, s->sym);
}
