/*
 * extension/.contract: what is plain data.  The validators are in gen_zod.c.
 * Every table is printed "as const", so that a code, a tag or a tool that the
 * extension forgets is a type error there.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "contract/gen_zod.h"

static void
names(FILE *f, const char *name, const char *const *list)
{
	size_t i;

	fprintf(f, "export const %s = [\n", name);
	for (i = 0; list[i] != NULL; i++) {
		fputs("  ", f);
		gen_str(f, list[i]);
		fputs(",\n", f);
	}
	fputs("] as const;\n", f);
}

static void
member_type(FILE *f, const char *type, const char *array)
{
	fprintf(f, "export type %s = (typeof %s)[number];\n", type, array);
}

/* ------------------------------------------------------------------- ops */

static void
grants(FILE *f, const struct gk_tool *t)
{
	const struct gk_policy_field *p;
	size_t i, n;
	int some = 0;

	p = gk_schema_policy(&n);
	fputs(", grants: [", f);
	for (i = 0; i < 2; i++)
		if (t->grant[i] != GK_POLICY_NONE) {
			if (some++)
				fputs(", ", f);
			gen_str(f, p[t->grant[i]].name);
		}
	putc(']', f);
}

static void
op_row(FILE *f, const struct gk_tool *t)
{
	static const char *const hint[] = {
		"readOnly", "destructive", "idempotent", "openWorld"
	};
	size_t i;

	fprintf(f, "  { name: \"%s\", title: ", t->name);
	gen_str(f, t->title);
	fputs(", risk: ", f);
	gen_word(f, t->w_risk);
	fputs(", scope: ", f);
	gen_word(f, t->w_scope);
	fputs(", perm: ", f);
	gen_word(f, t->w_perm);
	fputs(", confirm: ", f);
	gen_word(f, t->w_confirm);
	fputs(", capability: ", f);
	if (t->cap == GK_CAP_NONE)
		fputs("null", f);
	else
		gen_str(f, gk_schema_cap(t->cap));
	grants(f, t);
	fputs(", render: ", f);
	gen_word(f, t->w_render);
	fprintf(f, ", at: \"%s\"", t->w_at);
	for (i = 0; i < 4; i++)
		fprintf(f, ", %s: %s", hint[i],
		    t->rdio[i] == 'y' ? "true" : "false");
	fprintf(f, ", tabId: %s },\n",
	    gk_schema_arg_find(t, "tabId", 5) == NULL ? "false" : "true");
}

static void
op_needs(FILE *f, const struct gk_tool *t)
{
	fprintf(f, "  %s: { perm: ", t->name);
	gen_word(f, t->w_perm);
	fputs(", capability: ", f);
	if (t->cap == GK_CAP_NONE)
		fputs("null", f);
	else
		gen_str(f, gk_schema_cap(t->cap));
	grants(f, t);
	fputs(" },\n", f);
}

static void
ops(FILE *f)
{
	const struct gk_tool *t;
	size_t i, n;

	fputs(HEAD "import * as z from \"zod/mini\";\n"
	    "import { chars, int } from \"./kit\";\n\n"
	    "/** The tools in catalogue order; `at` PGSW: in the page, captured "
	    "in the worker. */\nexport const OPS = [\n", f);
	t = gk_schema_tools(&n);
	for (i = 0; i < n; i++)
		op_row(f, &t[i]);
	fputs("] as const;\n", f);
	member_type(f, "OpRow", "OPS");
	fputs("export type Op = OpRow[\"name\"];\n"
	    "const rows: ReadonlyMap<string, OpRow> = /* @__PURE__ */ "
	    "new Map(/* @__PURE__ */ OPS.map((row) => [row.name, row]));\n"
	    "export const isOp = (name: string): name is Op => "
	    "rows.has(name);\n"
	    "export const opRow = (op: Op): OpRow => rows.get(op) as OpRow;\n"
	    "\n/** What a decision about a tool needs of its row, and no more. */\n"
	    "export const OP_NEEDS = {\n",
	    f);
	for (i = 0; i < n; i++)
		op_needs(f, &t[i]);
	fputs("} as const;\n"
	    "\n/** What a bridge request may name: all but the server's own. */\n",
	    f);
	names(f, "EXT_OPS", gk_schema_set(GK_SET_OP));
	member_type(f, "ExtOp", "EXT_OPS");
	putc('\n', f);
	fputs("export const CAPABILITIES = [\n", f);
	for (i = 0; i < GK_CAP_END; i++)
		fprintf(f, "  \"%s\",\n", gk_schema_cap((int)i));
	fputs("] as const;\n", f);
	member_type(f, "Capability", "CAPABILITIES");
	zod_args(f);
}

/* -------------------------------------------------------- errors, refusals */

static void
errors(FILE *f)
{
	const struct gk_code_row *c;
	const struct gk_error *e;
	size_t i, n;

	fputs(HEAD "/** Result codes of a tool call; `ext`: an extension may "
	    "send it. */\nexport const RESULT_CODES = [\n", f);
	c = gk_schema_codes(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, "  { code: \"%s\", category: ", c[i].name);
		gen_word(f, c[i].category);
		fprintf(f, ", retryable: %s, ext: %s },\n",
		    c[i].retryable ? "true" : "false",
		    c[i].ext ? "true" : "false");
	}
	fputs("] as const;\n"
	    "export type ResultCode = (typeof RESULT_CODES)[number][\"code\"];"
	    "\n\n", f);
	names(f, "EXT_CODES", gk_schema_set(GK_SET_EXT_CODE));
	member_type(f, "ExtCode", "EXT_CODES");
	fputs("\n/** Wire names of the library's own errors. */\n"
	    "export const ERRORS = {\n", f);
	e = gk_schema_errors(&n);
	for (i = 0; i < n; i++)
		fprintf(f, "  %s: \"%s\",\n", e[i].sym, e[i].wire);
	fputs("} as const;\n\n/** Why the host gives no proof of its key. */\n",
	    f);
	names(f, "ENCLAVE_REASONS", gk_schema_set(GK_SET_ENCLAVE_REASON));
	member_type(f, "EnclaveReason", "ENCLAVE_REASONS");
}

static void
refusals(FILE *f)
{
	const struct gk_refusal_row *r;
	size_t i, n;

	fputs(HEAD "/** What each refusal means, in the words of the library. Key "
	    "others by RefusalCode:\n * one that is missing is a type error. "
	    "*/\nexport const REFUSAL_TEXTS = {\n", f);
	r = gk_schema_refusals(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, "  \"%s\": ", r[i].wire);
		gen_str(f, r[i].text);
		fputs(",\n", f);
	}
	fputs("} as const;\n"
	    "export type RefusalCode = keyof typeof REFUSAL_TEXTS;\n"
	    "export const REFUSALS = Object.keys(REFUSAL_TEXTS) as "
	    "RefusalCode[];\n"
	    "export const isRefusal = (code: string): code is RefusalCode => "
	    "Object.hasOwn(REFUSAL_TEXTS, code);\n", f);
}

/* ------------------------------------------------------------------ policy */

static void
policy_row(FILE *f, const struct gk_policy_field *p)
{
	static const char *const looser[] = {
		"on", "off", "larger", "larger, 0 loosest", "fewer"
	};
	static const char *const kind[] = { "grant", "bool", "ms", "set" };

	fprintf(f, "  { name: \"%s\", kind: \"%s\", default: ", p->name,
	    kind[p->kind]);
	if (p->kind == GK_PKIND_SET)
		fputs("[]", f);
	else if (p->kind == GK_PKIND_MS)
		fprintf(f, "%" PRId64, p->def);
	else
		fputs(p->def ? "true" : "false", f);
	fprintf(f, ", looser: \"%s\", flag: \"%s\" },\n", looser[p->looser],
	    p->flag);
}

static void
policy(FILE *f)
{
	const struct gk_policy_field *p;
	size_t i, n;

	fputs(HEAD "import * as z from \"zod/mini\";\n"
	    "import { inOrder, int, text, toolSet } from \"./kit\";\n\n"
	    "/** The fields in their normative order; `looser` is the direction "
	    "that takes a grant. */\nexport const POLICY_FIELDS = [\n", f);
	p = gk_schema_policy(&n);
	for (i = 0; i < n; i++)
		policy_row(f, &p[i]);
	fputs("] as const;\n", f);
	member_type(f, "PolicyRow", "POLICY_FIELDS");
	fputs("export type PolicyField = PolicyRow[\"name\"];\n\n", f);
	zod_shape(f, GK_SHAPE_OVERLAY);
	zod_shape(f, GK_SHAPE_POLICY_FIELDS);
	zod_shape(f, GK_SHAPE_POLICY_DOCUMENT);
	fputs("\n/** The defaults, which are the deny baseline. */\n"
	    "export const DENY_BASELINE: Readonly<PolicyFields> = "
	    "Object.freeze({\n", f);
	for (i = 0; i < n; i++) {
		fprintf(f, "  %s: ", p[i].name);
		if (p[i].kind == GK_PKIND_SET)
			fputs("Object.freeze([]) as unknown as string[]", f);
		else if (p[i].kind == GK_PKIND_MS)
			fprintf(f, "%" PRId64, p[i].def);
		else
			fputs(p[i].def ? "true" : "false", f);
		fputs(",\n", f);
	}
	fputs("});\n", f);
}

/* --------------------------------------------------- audit, identity, host */

static void
audit(FILE *f)
{
	const struct gk_audit_row *a;
	size_t i, n;

	fputs(HEAD "export const AUDIT_KINDS = [\n", f);
	a = gk_schema_audit(&n);
	for (i = 0; i < n; i++)
		fprintf(f, "  \"%s\",\n", a[i].name);
	fputs("] as const;\n", f);
	member_type(f, "AuditKind", "AUDIT_KINDS");
	fputs("\n/** The kinds that go to the host as audit_event. */\n", f);
	names(f, "EXTENSION_AUDIT_KINDS", gk_schema_set(GK_SET_AUDIT_EVENT));
	member_type(f, "ExtensionAuditKind", "EXTENSION_AUDIT_KINDS");
	putc('\n', f);
	names(f, "AUDIT_OUTCOMES", gk_schema_set(GK_SET_AUDIT_OUTCOME));
	member_type(f, "AuditOutcome", "AUDIT_OUTCOMES");
	names(f, "AUDIT_SURFACES", gk_schema_set(GK_SET_AUDIT_SURFACE));
	member_type(f, "AuditSurface", "AUDIT_SURFACES");
}

static void
identity(FILE *f)
{
	const struct gk_ident_row *id;
	size_t i, n;

	fputs(HEAD, f);
	id = gk_schema_idents(&n);
	for (i = 0; i < n; i++) {
		fprintf(f, "/** %s */\nexport const %s = ", id[i].text,
		    id[i].sym);
		gen_str(f, id[i].value);
		fputs(";\n", f);
	}
	putc('\n', f);
	names(f, "LANGUAGES", gk_schema_set(GK_SET_LANGUAGE));
	member_type(f, "Language", "LANGUAGES");
	names(f, "BROWSER_KEYS", gk_schema_set(GK_SET_BROWSER));
	member_type(f, "BrowserKey", "BROWSER_KEYS");
	fputs("\n/** First 16 bytes of SHA-256 over the DER of a manifest key, "
	    "0-f written a-p. */\n"
	    "export const ID_VECTOR = {\n  key: ", f);
	gen_str(f, gk_schema_ident(GK_IDENT_VECTOR_KEY));
	fputs(",\n  id: ", f);
	gen_str(f, gk_schema_ident(GK_IDENT_VECTOR_ID));
	fputs(",\n} as const;\n", f);
}

static void
host(FILE *f)
{
	const struct gk_limit *l;
	size_t i, n;

	fprintf(f, HEAD "/** Number of the bridge protocol. */\n"
	    "export const PROTOCOL = %d;\n"
	    "export const INTEGER_MAX = %" PRId64 ";\n\n"
	    "/** Every bound and timer; times in milliseconds, lengths in "
	    "bytes. */\nexport const LIMITS = {\n", GK_BRIDGE_PROTOCOL,
	    GK_INTEGER_MAX);
	l = gk_schema_limits(&n);
	for (i = 0; i < n; i++)
		fprintf(f, "  /** %s */\n  %s: %" PRId64 ",\n", l[i].text,
		    l[i].name, l[i].value);
	fputs("} as const;\n", f);
}

/* ------------------------------------------------------------------- files */

static void print_index(FILE *);

static const struct gen_ts files[] = {
	{ "kit.ts", zod_kit },
	{ "ops.ts", ops },
	{ "errors.ts", errors },
	{ "refusals.ts", refusals },
	{ "policy.ts", policy },
	{ "envelopes.ts", zod_envelopes },
	{ "frames.ts", zod_frames },
	{ "audit.ts", audit },
	{ "identity.ts", identity },
	{ "host.ts", host },
	{ "index.ts", print_index },
	{ "vectors.ts", gen_vectors },
};

static void
print_index(FILE *f)
{
	size_t i;

	fputs(HEAD, f);
	for (i = 1; files[i].print != print_index; i++)
		fprintf(f, "export * from \"./%.*s\";\n",
		    (int)strlen(files[i].file) - 3, files[i].file);
}

const struct gen_ts *
gen_ts_files(size_t *n)
{
	*n = sizeof(files) / sizeof(files[0]);
	return files;
}
