#include "control_world.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "codec/frame.h"
#include "crypto/ossl.h"
#include "engine/shape.h"
#include "records/keyrec.h"

struct gk_test t;
struct memstore m;
struct gk_outq out;
struct gk_control c;
char got[65536];

void
control_setup(void)
{
	gk_test_init(&t);
	memstore_init(&m);
	gk_outq_init(&out, t.ctx, SIZE_MAX);
	gk_control_init(&c, t.ctx, &m.store, &out, "chrome");
}

void
control_teardown(void)
{
	gk_control_done(&c);
	gk_outq_clear(&out);
	memstore_done(&m);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
}

TCase *
control_tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, control_setup, control_teardown);
	suite_add_tcase(s, tc);
	return tc;
}

void
classify(const char *s, struct gk_control_frame *f)
{
	struct gk_member top[16];
	struct gk_scan scan;

	ck_assert_int_eq(gk_scan(t.ctx, s, strlen(s), top, 16, &scan), 0);
	gk_control_classify(t.ctx, &scan, f);
}

/* The key of the file store, as a job would answer for it. */
static void
load_key(struct gk_key_answer *a, struct gk_signer *signer)
{
	char why[GK_WHY_MAX] = "";
	struct gk_stamp stamp;
	struct gk_buf bytes, scalar;
	const char *text;
	int r;

	memset(signer, 0, sizeof(*signer));
	gk_buf_init(&scalar, t.ctx, 64);
	r = gk_store_load(t.ctx, &m.store, GK_RECORD_HOST_KEY, &bytes, &stamp,
	    why, sizeof(why));
	a->code = r == GENKAN_E_NOENT ? GK_KEY_NONE : GK_KEY_ERROR;
	if (r == 0 && gk_keyrec_parse(t.ctx, bytes.ptr, bytes.len, &scalar,
	    why, sizeof(why)) == 0)
		a->code = gk_signer_open(t.ctx, scalar.ptr, scalar.len, signer,
		    &text) == 0 ? GK_KEY_OK : GK_KEY_INVALID;
	memcpy(a->pub, signer->pub, sizeof(a->pub));
	memcpy(a->key_id, signer->id, sizeof(a->key_id));
	gk_buf_done(&scalar);
	gk_buf_done(&bytes);
}

/* What DISPOSE says in a test. */
enum gk_key_state disposal;

static void
answer_asks(void)
{
	struct gk_key_ask *ask;
	struct gk_signer signer;

	while ((ask = gk_control_asked(&c)) != NULL) {
		load_key(&ask->answer, &signer);
		if (ask->kind == GK_KEY_SIGN && ask->answer.code == GK_KEY_OK)
			ck_assert_int_eq(gk_signer_sign(t.ctx, &signer,
			    ask + 1, ask->len, ask->answer.sig), 0);
		if (ask->kind == GK_KEY_DISPOSE)
			ask->answer.code = disposal;
		gk_signer_done(&signer);
		gk_control_key_answered(&c, ask);
	}
}

/* What went out, one frame a line; each fits its own row of the table. */
const char *
sent_so_far(void)
{
	struct gk_control_frame f;
	struct gk_shape_why why = { NULL, NULL };
	struct gk_member top[16];
	struct gk_scan scan;
	struct gk_frame in;
	const void *p;
	size_t len, used, n = 0;

	gk_frame_init(&in, t.ctx, GK_NATIVE_OUT_MAX, false);
	got[0] = '\0';
	while (gk_outq_output(&out, &p, &len)) {
		ck_assert_int_eq(gk_frame_feed(&in, p, len, &used), 1);
		ck_assert_uint_eq(used, len);
		gk_outq_wrote(&out, used);
		ck_assert_int_eq(gk_scan(t.ctx, gk_frame_get(&in).ptr,
		    gk_frame_get(&in).len, top, 16, &scan), 0);
		gk_control_classify(t.ctx, &scan, &f);
		ck_assert_int_ne(f.tag, GK_TAG_NONE);
		ck_assert_int_eq(gk_schema_frame(f.tag)->dir, 'H');
		ck_assert_msg(gk_shape_fits(t.ctx, scan.text,
		    gk_schema_frame(f.tag)->members, false, "type", &why),
		    "%.*s: %s %s", (int)scan.text.len, scan.text.ptr,
		    why.member, why.text);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%.*s\n",
		    (int)gk_frame_get(&in).len, gk_frame_get(&in).ptr);
	}
	gk_frame_done(&in);
	return got;
}

/* And with every question about the key answered. */
const char *
sent(void)
{
	answer_asks();
	return sent_so_far();
}

const char *
answer(const char *s)
{
	struct gk_control_frame f;

	classify(s, &f);
	ck_assert_int_ne(f.verdict, GK_CONTROL_FORWARD);
	gk_control_answer(&c, &f);
	return sent();
}

void
run_until(int64_t ms)
{
	while (gk_control_deadline(&c) <= ms) {
		gk_test_time(&t, gk_control_deadline(&c));
		gk_control_tick(&c);
	}
	gk_test_time(&t, ms);
	gk_control_tick(&c);
}
