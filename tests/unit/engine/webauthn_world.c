#include "webauthn_world.h"

#include <stdio.h>
#include <string.h>

#include "codec/b64.h"

struct softkey mine, other;

static void
setup(void)
{
	control_setup();
	c.parent_is_browser = true;
	softkey_init(&mine, 11, 32);
	softkey_init(&other, 22, 16);
}

TCase *
webauthn_tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, control_teardown);
	suite_add_tcase(s, tc);
	return tc;
}

const char *
b64(const void *bytes, size_t len)
{
	static char text[4][8192];
	static unsigned turn;
	char *ret = text[turn++ % 4];
	struct gk_buf b;

	gk_buf_init(&b, t.ctx, sizeof(text[0]) - 1);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_URL, bytes, len), 0);
	if (b.len > 0)
		memcpy(ret, b.ptr, b.len);
	ret[b.len] = '\0';
	gk_buf_done(&b);
	return ret;
}

/* The string member of the frame that was sent, copied. */
const char *
member(const char *frames, const char *name, char ret[64])
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":\"", name);
	at = strstr(frames, key);
	ck_assert_msg(at != NULL, "no %s in %s", name, frames);
	snprintf(ret, 64, "%.43s", at + strlen(key));
	return ret;
}

/* enroll_finish for the options that were sent. */
const char *
finish_with(struct softkey *k, const char *options, const char *origin)
{
	static char frame[16384];
	uint8_t ad[SOFTKEY_MAX], obj[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX], challenge[64];
	size_t n, m2;

	n = softkey_authdata(k, ORIGIN, 0x45, ad);
	n = softkey_attestation(ad, n, obj);
	m2 = softkey_client_data("webauthn.create", member(options,
	    "challenge", challenge), origin, cd);
	snprintf(frame, sizeof(frame), "{\"type\":\"enroll_finish\","
	    "\"attestation_object\":\"%s\",\"client_data_json\":\"%s\"}",
	    b64(obj, n), b64(cd, m2));
	return frame;
}

const char *
finish(struct softkey *k, const char *options)
{
	return finish_with(k, options, ORIGIN);
}

const char *
assert_with(struct softkey *k, const char *request, const char *origin)
{
	static char frame[16384];
	uint8_t ad[SOFTKEY_MAX], sig[SOFTKEY_MAX];
	char cd[SOFTKEY_MAX], challenge[64];
	size_t n, m2, s;

	k->count++;
	n = softkey_authdata(k, ORIGIN, 0x05, ad);
	m2 = softkey_client_data("webauthn.get", member(request, "challenge",
	    challenge), origin, cd);
	s = softkey_sign(k, ad, n, cd, m2, sig);
	snprintf(frame, sizeof(frame), "{\"type\":\"presence_assert\","
	    "\"credential_id\":\"%s\",\"authenticator_data\":\"%s\","
	    "\"client_data_json\":\"%s\",\"signature\":\"%s\"}",
	    b64(k->id, k->idlen), b64(ad, n), b64(cd, m2), b64(sig, s));
	return frame;
}

const char *
tap(struct softkey *k, const char *request)
{
	return assert_with(k, request, ORIGIN);
}

const char *
click(const char *request)
{
	static char frame[128];
	char nonce[64];

	snprintf(frame, sizeof(frame), "{\"type\":\"presence_confirm\","
	    "\"nonce\":\"%s\"}", member(request, "nonce", nonce));
	return frame;
}

/* What is sent stays where it is until the next call: keep it. */
const char *
kept(const char *s)
{
	static char copy[65536];

	snprintf(copy, sizeof(copy), "%s", s);
	return copy;
}

const char *
entry(const struct softkey *k, const char *label)
{
	static char text[2][4096];
	static unsigned turn;
	char *ret = text[turn++ % 2];

	snprintf(ret, 4096, "{\"label\":\"%s\",\"credential\":{\"id\":\"%s\","
	    "\"public_key\":\"%s\",\"sign_count\":%u,\"backup_eligible\":"
	    "false}}", label, b64(k->id, k->idlen), b64(k->point, 65),
	    k->count);
	return ret;
}

/* A record with the given enrollments, "" or one entry or two. */
void
record(bool killed, const char *enrollments)
{
	char text[16384];

	snprintf(text, sizeof(text), "{\"version\":0,\"epoch\":5,\"killed\":%s,"
	    "\"kill_epoch\":5,\"host_key_epoch\":0,\"policy_epoch\":0,"
	    "\"lang_epoch\":0,\"clients\":null,\"enrollments\":[%s]}",
	    killed ? "true" : "false", enrollments);
	memstore_set(&m, GK_RECORD_TRUST, text);
}

void
enrolled(bool killed, const struct softkey *a, const char *alabel,
    const struct softkey *b, const char *blabel)
{
	char both[8192];

	snprintf(both, sizeof(both), "%s%s%s", entry(a, alabel),
	    b != NULL ? "," : "", b != NULL ? entry(b, blabel) : "");
	record(killed, both);
}

void
refused(const char *frames, const char *result, const char *reason)
{
	char want[512];

	snprintf(want, sizeof(want), "{\"type\":\"%s\",\"ok\":false,"
	    "\"reason\":\"%s\"}\n", result, reason);
	ck_assert_str_eq(frames, want);
}
