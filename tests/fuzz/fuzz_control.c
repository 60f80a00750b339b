/*
 * The control plane of a host against a browser that says anything, with an
 * authenticator, a person who clicks, time that passes and others who change
 * the records.  What it must keep (control 2.2, 2.8, 5.4, 6):
 *
 *   - each well-formed frame gets exactly one of the answers of its row, and
 *     what has none gets nothing; every frame fits its row;
 *   - presence_result{ok:true} only for the newest request, within 120 s, by a
 *     verified tap of a credential in the act's set, or by a click with the
 *     request's own nonce where that set is empty, the act takes a window and
 *     the parent qualifies; never twice for one request;
 *   - a switch that is released, a client or a credential that is added, a
 *     policy that gets looser: each only behind such a proof, for this very
 *     act, once; a release not behind a later engagement;
 *   - a challenge says what the user was shown: label, action and nonce;
 *   - first use only where nobody is enrolled and the parent qualifies.
 *
 * The input is lines: frames, and commands of an `@`, a letter and a digit (see
 * command()).
 */
#include "control_model.h"
#include "mutate_json.h"

#include "base/clock.h"
#include "codec/b64.h"
#include "codec/frame.h"
#include "crypto/ossl.h"
#include "engine/host.h"
#include "engine/shape.h"
#include "proto/queue.h"
#include "../unit/records/policydocs.h"
#include "../unit/softkey.h"

#define ORIGIN	"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl"
#define LABEL	"chrome"
#define TEXT_MAX	((size_t)16384)

static struct genkan_ctx *ctx;
static struct memstore store;
static struct gk_outq out;
static struct gk_control c;
static struct model m;
static struct softkey mine, other;
static bool parent;
static uint64_t drawn;
static unsigned epoch;		/* of a record that others write */

static int
numbers(void *user, void *buf, size_t len)
{
	uint8_t *p = buf;
	size_t i;

	(void)user;
	for (i = 0; i < len; i++)
		p[i] = (uint8_t)(softkey_random(&drawn) >> 32);
	return 0;
}

/* The same ones every time; making them is slow. */
static void
keys(void)
{
	static struct softkey made[2];

	if (made[0].idlen == 0) {
		softkey_init(&made[0], 11, 32);
		softkey_init(&made[1], 22, 16);
	}
	mine = made[0];
	other = made[1];
}

static bool
parent_still(void *user)
{
	(void)user;
	return parent;
}

/* ------------------------------------------------------------ what came out */

/* Every frame that was sent is looked at by the model. */
static void
sent(void)
{
	struct gk_shape_why why = { NULL, NULL };
	struct gk_member top[16];
	struct gk_frame in;
	struct gk_scan scan;
	const void *p;
	size_t len, used;
	int tag;

	gk_frame_init(&in, ctx, GK_NATIVE_OUT_MAX, true);
	while (gk_outq_output(&out, &p, &len)) {
		MUST(gk_frame_feed(&in, p, len, &used) == 1 && used == len);
		MUST(gk_scan(ctx, gk_frame_get(&in).ptr,
		    gk_frame_get(&in).len, top, 16, &scan) == 0);
		MUST(scan.canonical);
		tag = gk_control_tag(&scan);
		MUST(tag != GK_TAG_NONE && gk_schema_frame(tag)->dir == 'H');
		MUST(gk_shape_fits(ctx, scan.text,
		    gk_schema_frame(tag)->members, false, "type", &why));
		model_sent(&m, tag, &scan);
		gk_outq_wrote(&out, len);
	}
	gk_frame_done(&in);
}

static void
answer_keys(void)
{
	static const uint8_t scalar[32] = { 7, 1, 7, 1, 7, 1 };
	struct gk_host_ask ask;
	struct gk_key_ask *key;
	struct gk_signer signer;
	const char *why;

	while ((key = gk_control_asked(&c)) != NULL) {
		MUST(gk_signer_open(ctx, scalar, sizeof(scalar), &signer,
		    &why) == 0);
		key->answer.code = GK_KEY_OK;
		key->answer.place = GK_KEY_IN_FILE;
		memcpy(key->answer.pub, signer.pub, sizeof(signer.pub));
		memcpy(key->answer.key_id, signer.id, sizeof(signer.id));
		if (key->kind == GK_KEY_SIGN)
			MUST(gk_signer_sign(ctx, &signer, key + 1, key->len,
			    key->answer.sig) == 0);
		else if (key->kind == GK_KEY_DISPOSE)
			key->answer.code = GK_KEY_ERROR;
		gk_signer_done(&signer);
		gk_control_key_answered(&c, key);
		sent();
		model_records(&m);
	}
	while (gk_control_query(&c, &ask)) {
		gk_control_told(&c, GENKAN_E_IO, gk_span(NULL, 0), "no disk");
		sent();
	}
}

static void
tick(int64_t ms)
{
	int64_t d;

	while ((d = gk_control_deadline(&c)) <= ms) {
		gk_clock_set(ctx, GK_MAX(d, m.now));
		m.now = GK_MAX(d, m.now);
		gk_control_tick(&c);
		sent();
		model_records(&m);
		answer_keys();
	}
	gk_clock_set(ctx, ms);
	m.now = ms;
}

/* A frame, and all of its answer: what waits for the lock gets it or gives
 * up. */
static void
frame(const char *text, size_t len)
{
	struct gk_control_frame f;
	struct gk_member top[16];
	struct gk_scan scan;
	int rounds = 0;

	if (gk_scan(ctx, text, len, top, 16, &scan) < 0)
		return;
	gk_control_classify(ctx, &scan, &f);
	if (f.verdict == GK_CONTROL_FORWARD)
		return;
	model_frame(&m, &f, &scan);
	gk_control_answer(&c, &f);
	sent();
	model_records(&m);
	answer_keys();
	while (gk_control_busy(&c) && rounds++ < 1000)
		tick(m.now + 20);
	MUST(!gk_control_busy(&c));
	model_answered(&m);
	m.tap = m.finish = false;
}

/* ------------------------------------------------------- person and browser */

/* One that is well-formed, or this target is not. */
static void
own_frame(const char *text)
{
	struct gk_scan scan;

	MUST(gk_scan(ctx, text, strlen(text), NULL, 0, &scan) == 0);
	frame(text, strlen(text));
}

/* Appends base64url in quotes. */
static void
member(char *text, const char *name, const void *p, size_t n)
{
	struct gk_buf b;
	size_t at = strlen(text);

	gk_buf_init(&b, ctx, 2 * SOFTKEY_MAX);
	MUST(gk_b64_put(&b, GK_B64_URL, p, n) == 0);
	(void)snprintf(text + at, TEXT_MAX - at, ",\"%s\":\"%.*s\"", name,
	    (int)b.len, (const char *)b.ptr);
	gk_buf_done(&b);
}

/* how: 3 and 5 to 8 are each in one way not what was asked for; 2 is the other
 * key; 4 has the counter of the tap before. */
static void
tap(unsigned how)
{
	struct softkey *k = how == 2 ? &other : &mine;
	const char *challenge = how == 3 ? m.before.challenge :
	    m.slot.challenge;
	uint8_t ad[SOFTKEY_MAX], sig[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX], text[TEXT_MAX] = "{\"type\":\"presence_assert\"";
	size_t n, len, s;

	if (how != 4)
		k->count++;
	n = softkey_authdata(k, ORIGIN, how == 5 ? 0x04 : 0x05, ad);
	len = softkey_client_data(how == 6 ? "webauthn.create" :
	    "webauthn.get", challenge, how == 7 ? "https://a.example" : ORIGIN,
	    cd);
	s = softkey_sign(k, ad, n, cd, len, sig);
	if (how == 8)
		ad[36] ^= 1;
	member(text, "credential_id", k->id, k->idlen);
	member(text, "authenticator_data", ad, n);
	member(text, "client_data_json", cd, len);
	member(text, "signature", sig, s);
	m.tap = (how < 3 || how == 4 || how == 9) &&
	    model_may_tap(&m, k->id, k->idlen, k->count);
	own_frame(strcat(text, "}"));
}

static void
finish(unsigned how)
{
	struct softkey *k = how == 1 ? &other : &mine;
	uint8_t ad[SOFTKEY_MAX], object[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX], text[TEXT_MAX] = "{\"type\":\"enroll_finish\"";
	size_t n, len;

	n = softkey_authdata(k, how == 2 ? "https://a.example" : ORIGIN,
	    how == 3 ? 0x44 : how == 4 ? 0x05 : 0x45, ad);
	len = softkey_client_data(how == 5 ? "webauthn.get" :
	    "webauthn.create", how == 6 ? m.slot.challenge : m.enroll.challenge,
	    ORIGIN, cd);
	n = softkey_attestation(ad, n, object);
	member(text, "attestation_object", object, n);
	member(text, "client_data_json", cd, len);
	m.finish = how < 2 || how > 6;
	own_frame(strcat(text, "}"));
}

static void
click(unsigned how)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "{\"type\":\"presence_confirm\","
	    "\"nonce\":\"%s\"}", how == 1 ? m.before.nonce : how == 2 ?
	    m.slot.challenge : m.slot.nonce);
	own_frame(text);
}

/* ------------------------------------------------------------------- others */

static void
entry(char *text, const struct softkey *k, const char *label)
{
	size_t at = strlen(text);

	(void)snprintf(text + at, TEXT_MAX - at, "{\"label\":\"%s\","
	    "\"credential\":{", label);
	member(text, "id", k->id, k->idlen);
	member(text, "public_key", k->point, 65);
	/* member() begins with a comma. */
	at = (size_t)(strstr(text + at, "{,") - text) + 1;
	memmove(text + at, text + at + 1, strlen(text + at));
	at = strlen(text);
	(void)snprintf(text + at, TEXT_MAX - at, ",\"sign_count\":%u,"
	    "\"backup_eligible\":false}}", k->count);
}

/* Somebody else writes the trust record. */
static void
trust(unsigned how)
{
	char text[TEXT_MAX];

	if (how == 9) {
		memstore_break(&store, GK_RECORD_TRUST);
		return;
	}
	epoch++;
	(void)snprintf(text, sizeof(text), "{\"version\":0,\"epoch\":%u,"
	    "\"killed\":%s,\"kill_epoch\":%u,\"host_key_epoch\":0,"
	    "\"policy_epoch\":0,\"lang_epoch\":0,\"clients\":%s,"
	    "\"enrollments\":[", epoch, how % 2 ? "true" : "false",
	    how % 2 ? epoch : 0, how < 4 ? "null" : "[]");
	if (how == 8)
		entry(text, &other, LABEL);
	else if (how % 4 == 2)
		entry(text, &mine, LABEL);
	else if (how % 4 == 3)
		entry(text, &mine, "brave");
	memstore_set(&store, GK_RECORD_TRUST, strcat(text, "]}"));
}

/* Somebody else writes the policy. */
static void
policy(unsigned how)
{
	static const char *const doc[] = { D1, D2 };
	static const char *const sig[] = { SIG1, SIG2 };
	char text[4096];
	struct gk_buf b;

	if (how >= 4) {
		if (how == 9)
			memstore_break(&store, GK_RECORD_POLICY);
		else
			memstore_set(&store, GK_RECORD_POLICY, NULL);
		return;
	}
	gk_buf_init(&b, ctx, sizeof(text));
	MUST(gk_b64_put(&b, GK_B64_STD, doc[how % 2], strlen(doc[how % 2])) ==
	    0);
	(void)snprintf(text, sizeof(text), "{\"version\":0,\"baseline_b64\":"
	    "\"%.*s\",\"sig_b64\":\"%s\",\"key_id\":\"" KEY_ID "\"%s}",
	    (int)b.len, (const char *)b.ptr, sig[how % 2], how < 2 ? "" :
	    ",\"overlay\":{\"pageEvalEnabled\":false}");
	gk_buf_done(&b);
	memstore_set(&store, GK_RECORD_POLICY, text);
}

/* ------------------------------------------------------------------- script */

static void
command(char what, unsigned n)
{
	static const unsigned pass[] = { 1, 20, 1000, 2500, 59999, 60000, 119999,
		120000, 120001, 300000 };

	switch (what) {
	case 't': tap(n); return;
	case 'c': click(n); return;
	case 'f': finish(n); return;
	case 's': tick(m.now + pass[n]); break;
	case 'q':	/* and nobody has looked at the clock yet */
		m.now += pass[n];
		gk_clock_set(ctx, m.now);
		return;
	case 'r': trust(n); break;
	case 'p': policy(n); break;
	case 'l': store.locked = n % 2; break;
	case 'e': store.replace_error = n % 2 ? GENKAN_E_IO : 0; break;
	case 'b': parent = n % 2; break;
	case 'w': gk_control_watch(&c); break;
	default: return;
	}
	model_others(&m);
	sent();
	model_records(&m);
	answer_keys();
}

static void
script(const char *p, const char *end)
{
	const char *lf;
	int lines = 0;

	for (; p < end && lines < 64; p = lf + 1, lines++) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (lf == NULL)
			lf = end;
		if (lf - p >= 3 && *p == '@')
			command(p[1], (unsigned)(p[2] - '0') % 10);
		else
			frame(p, (size_t)(lf - p));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gk_ctx_hooks hooks = { .random = numbers };

	drawn = 1;
	epoch = 0;
	MUST(gk_ctx_new(&hooks, -1, &ctx) == 0);
	gk_clock_set(ctx, 1000);
	memstore_init(&store);
	keys();
	gk_outq_init(&out, ctx, SIZE_MAX);
	gk_control_init(&c, ctx, &store.store, &out, LABEL);
	parent = c.parent_is_browser = true;
	c.parent_still = parent_still;
	model_init(&m, ctx, &store, LABEL, &parent);
	gk_control_start(&c);
	answer_keys();
	sent();
	script((const char *)data, (const char *)data + size);
	gk_control_end(&c);
	answer_keys();
	MUST(store.holds == store.drops);
	gk_control_done(&c);
	model_done(&m);
	gk_outq_clear(&out);
	memstore_done(&store);
	gk_ossl_free(ctx);
	gk_ctx_free(ctx);
	return 0;
}

FZ_LINES_MUTATOR(0)
