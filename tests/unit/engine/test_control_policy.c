/* Policy and language from the extension: control 2.6, 4.4 to 4.6, 6.5, 12.3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../records/policydocs.h"
#include "codec/b64.h"
#include "control_world.h"

/* The scalar 02 03 ... 21: not the fixture key, which is refused. */
#define KEY	"{\"version\":0,\"scalar\":" \
	"\"AgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICE=\"}"
#define FIXTURE	"{\"version\":0,\"scalar\":" \
	"\"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=\"}"
#define SIGNED(sig)	",\"sig_b64\":\"" sig "\",\"key_id\":\"" KEY_ID "\""
#define SET(overlay)	"{\"type\":\"policy_set\",\"overlay\":" overlay "}"
#define RESTRICT(overlay) \
	"{\"type\":\"policy_restrict\",\"overlay\":" overlay "}"
#define TRUST(rest)	"{\"version\":0,\"epoch\":4,\"killed\":false," \
	"\"kill_epoch\":0,\"policy_epoch\":0,\"lang_epoch\":0," \
	"\"clients\":null,\"enrollments\":[]," rest "}"

static uint64_t
at_noon(void *user)
{
	(void)user;
	return 1700000000;
}

static void
setup(void)
{
	control_setup();
	m.store.unix_time = at_noon;
	c.parent_is_browser = true;
	memstore_set(&m, GK_RECORD_HOST_KEY, KEY);
}

static const char *
b64(const char *text)
{
	static char ret[2][4096];
	static int turn;
	struct gk_buf b;
	char *at = ret[turn++ % 2];

	gk_buf_init(&b, t.ctx, 4000);
	ck_assert_int_eq(gk_b64_put(&b, GK_B64_STD, text, strlen(text)), 0);
	(void)snprintf(at, 4096, "%.*s", (int)b.len, (const char *)b.ptr);
	gk_buf_done(&b);
	return at;
}

static void
policy(const char *doc, const char *rest)
{
	char text[4096];

	(void)snprintf(text, sizeof(text),
	    "{\"version\":0,\"baseline_b64\":\"%s\"%s}", b64(doc), rest);
	memstore_set(&m, GK_RECORD_POLICY, text);
}

static void
earlier(const char *doc, const char *rest)
{
	char text[4096];

	(void)snprintf(text, sizeof(text), "{\"version\":0,\"entries\":["
	    "{\"baseline_b64\":\"%s\"%s,\"superseded_unix\":1700000000}]}",
	    b64(doc), rest);
	memstore_set(&m, GK_RECORD_HISTORY, text);
}

/* The nonce of the request in got. */
static const char *
nonce(void)
{
	static char ret[64];
	const char *at = strstr(got, "\"nonce\":\"");

	ck_assert_msg(at != NULL, "%s", got);
	(void)snprintf(ret, sizeof(ret), "%.43s", at + 9);
	return ret;
}

static const char *
confirm(void)
{
	char frame[160];

	(void)snprintf(frame, sizeof(frame),
	    "{\"type\":\"presence_confirm\",\"nonce\":\"%s\"}", nonce());
	return answer(frame);
}

/* In this order, and nothing between. */
static void
expect_tags(const char *const *tag, size_t n)
{
	const char *p = got;
	char want[64];
	size_t i;

	for (i = 0; i < n; i++) {
		(void)snprintf(want, sizeof(want), "{\"type\":\"%s\",",
		    tag[i]);
		ck_assert_msg(strncmp(p, want, strlen(want)) == 0,
		    "%s, not %s", p, want);
		p = strchr(p, '\n') + 1;
	}
	ck_assert_str_eq(p, "");
}

#define EXPECT(...)	do {						\
	const char *const tags_[] = { __VA_ARGS__ };			\
	expect_tags(tags_, sizeof(tags_) / sizeof(tags_[0]));		\
} while (0)

static bool
said(const char *part)
{
	return strstr(got, part) != NULL;
}

static bool
holds(int record, const char *part)
{
	return m.rec[record] != NULL && strstr(m.rec[record], part) != NULL;
}

/* ---------------------------------------------------------------------- set */

START_TEST(test_a_set_is_asked_for_confirmed_signed_and_pushed)
{
	answer(SET("{\"pageEvalEnabled\":true,\"disabledTools\":[\"a\"]}"));
	EXPECT("presence_request");
	ck_assert(said("\"action\":\"set policy: pageEvalEnabled=on,"
	    "disabledTools=[a]\""));
	ck_assert(said("\"allowed_credential_ids\":[]"));
	ck_assert_ptr_null(m.rec[GK_RECORD_POLICY]);
	confirm();
	EXPECT("presence_result", "policy_set_result", "policy_current");
	ck_assert(said("{\"type\":\"presence_result\",\"ok\":true}"));
	ck_assert(said("{\"type\":\"policy_set_result\",\"ok\":true}"));
	ck_assert(said("\"baseline\":\"") && said("\"sig\":\""));
	ck_assert(!said("key_id"));
	ck_assert(holds(GK_RECORD_POLICY, "\"sig_b64\":\""));
	ck_assert(holds(GK_RECORD_TRUST, "\"policy_epoch\":1"));
	ck_assert_str_eq(memstore_audit(&m), "policy_write extension ok "
	    "tool=- code=- name=- detail=auth=confirm_window; "
	    "touched=pageEvalEnabled,disabledTools cid=-");
	ck_assert_ptr_nonnull(strstr(m.audit[m.naudits - 2],
	    "presence_assert extension ok"));
	ck_assert_ptr_nonnull(strstr(m.audit[m.naudits - 2],
	    "act=policy_set; auth=confirm_window"));
	ck_assert_uint_eq(m.holds, m.drops);
}
END_TEST

/* The host cannot tell, but a reader with the key can: these bytes, this key. */
START_TEST(test_what_is_sent_is_what_was_signed)
{
	static const char *const member[] = { "\"baseline\":\"",
		"\"sig\":\"" };
	struct gk_policyrec *rec = NULL;
	char why[GK_WHY_MAX], want[2048];
	size_t i;

	policy(D1, SIGNED(SIG1));
	answer(SET("{\"pageEvalEnabled\":true,\"confirmGraceMs\":120000,"
	    "\"disabledTools\":[\"page_upload\"]}"));
	confirm();
	EXPECT("presence_result", "policy_set_result", "policy_current");
	(void)snprintf(want, sizeof(want), "\"baseline\":\"%s\"", b64(D2));
	ck_assert_msg(said(want), "%s", got);
	ck_assert_int_eq(gk_policyrec_parse(t.ctx, m.rec[GK_RECORD_POLICY],
	    m.len[GK_RECORD_POLICY], &rec, why, sizeof(why)), 0);
	ck_assert_mem_eq(rec->doc_bytes, D2, 446);
	for (i = 0; i < 2; i++)
		ck_assert_ptr_nonnull(strstr(got, member[i]));
	gk_policyrec_free(rec);
	/* The old one is in the history, its signature with it. */
	ck_assert(holds(GK_RECORD_HISTORY, SIG1));
}
END_TEST

static const struct {
	const char	*key;
	const char	*frame;
	const char	*why;
} refused[] = {
	{ KEY, SET("{}"), "names no field" },
	{ KEY, SET("{\"disabledTools\":[\"a,b\"]}"), "disabledTools" },
	{ KEY, SET("{\"disabledTools\":[\"a\",\"a\"]}"), "disabledTools" },
	{ NULL, SET("{\"cdpMode\":true}"), "no usable host key" },
	{ FIXTURE, SET("{\"cdpMode\":true}"), "no usable host key" },
	{ "{", SET("{\"cdpMode\":true}"), "no usable host key" },
};

START_TEST(test_a_refusal_before_the_request_is_the_result_alone)
{
	memstore_set(&m, GK_RECORD_HOST_KEY, refused[_i].key);
	answer(refused[_i].frame);
	EXPECT("policy_set_result");
	ck_assert(said("\"ok\":false"));
	ck_assert_msg(said(refused[_i].why), "%s", got);
	ck_assert_ptr_null(m.rec[GK_RECORD_POLICY]);
	answer("{\"type\":\"presence_confirm\",\"nonce\":\"x\"}");
	ck_assert(said("no_request_outstanding"));
	ck_assert_uint_eq(m.naudits, 0);
}
END_TEST

START_TEST(test_records_that_cannot_be_read_refuse_every_change)
{
	static const int record[] = { GK_RECORD_TRUST, GK_RECORD_POLICY };
	static const char *const file[] = { "trust.json", "policy.json" };

	policy(D1, SIGNED(SIG1));
	earlier(D2, SIGNED(SIG2));
	memstore_break(&m, record[_i]);
	answer(SET("{\"cdpMode\":true}"));
	EXPECT("policy_set_result");
	ck_assert(said("\"ok\":false") && said(file[_i]));
	answer(RESTRICT("{\"confirmGraceMs\":1}"));
	EXPECT("policy_restrict_result");
	ck_assert(said("\"ok\":false") && said(file[_i]));
	answer("{\"type\":\"policy_rollback\",\"revision\":2}");
	EXPECT("policy_rollback_result");
	ck_assert(said("\"ok\":false") && said(file[_i]));
}
END_TEST

/* "set policy: disabledTools=[...]" of 1024 bytes passes, one more does not. */
START_TEST(test_a_text_beyond_the_bound_is_refused_before_any_request)
{
	const size_t fixed = strlen("set policy: disabledTools=[]");
	size_t left = 1024 - fixed + (size_t)_i, n;
	char frame[2048];
	size_t at;
	char name = 'a';

	at = (size_t)snprintf(frame, sizeof(frame), "{\"type\":\"policy_set\","
	    "\"overlay\":{\"disabledTools\":[");
	while (left > 0) {
		n = left > 120 ? 100 : left;
		frame[at++] = '"';
		memset(frame + at, name++, n);
		at += n;
		frame[at++] = '"';
		left -= n;
		if (left > 0) {
			frame[at++] = ',';
			left--;		/* the comma of the text */
		}
	}
	(void)snprintf(frame + at, sizeof(frame) - at, "]}}");
	answer(frame);
	if (_i <= 0) {
		EXPECT("presence_request");
	} else {
		EXPECT("policy_set_result");
		ck_assert(said("longer than 1024 bytes"));
	}
}
END_TEST

START_TEST(test_a_host_started_by_hand_points_to_the_terminal)
{
	c.parent_is_browser = false;
	policy(D2, SIGNED(SIG2));
	earlier(D1, SIGNED(SIG1));
	answer(SET("{\"cdpMode\":true}"));
	confirm();
	EXPECT("presence_result");
	ck_assert(said("software_confirmation_not_allowed: use `genkan policy "
	    "set` at a terminal"));
	answer("{\"type\":\"policy_rollback\",\"revision\":1}");
	confirm();
	EXPECT("presence_result");
	ck_assert(said("`genkan policy rollback`"));
	ck_assert(holds(GK_RECORD_POLICY, SIG2));
}
END_TEST

START_TEST(test_what_moved_behind_the_request_is_a_conflict)
{
	policy(D1, SIGNED(SIG1));
	answer(SET("{\"cdpMode\":true}"));
	if (_i == 0)
		policy(D2, SIGNED(SIG2));
	else if (_i == 1)
		policy(D1, SIGNED(SIG1) ",\"overlay\":{\"evalMask\":true}");
	else
		memstore_set(&m, GK_RECORD_TRUST,
		    TRUST("\"host_key_epoch\":4"));
	confirm();
	EXPECT("presence_result", "policy_set_result");
	ck_assert(said("\"ok\":true}") && said("conflict"));
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m),
	    "policy_write extension error"));
	ck_assert_ptr_null(m.rec[GK_RECORD_HISTORY]);
}
END_TEST

START_TEST(test_a_key_that_went_meanwhile_is_said_behind_the_proof)
{
	answer(SET("{\"cdpMode\":true}"));
	EXPECT("presence_request");
	memstore_set(&m, GK_RECORD_HOST_KEY, NULL);
	confirm();
	EXPECT("presence_result", "policy_set_result");
	ck_assert(said("no usable host key"));
	ck_assert_ptr_null(m.rec[GK_RECORD_POLICY]);
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m),
	    "policy_write extension error"));
}
END_TEST

/* 6.5: the slot is cleared before anything else is looked at. */
START_TEST(test_a_new_act_clears_the_slot_even_if_it_is_refused)
{
	static const char *const frame[] = { SET("{}"),
		"{\"type\":\"policy_rollback\",\"revision\":7}" };
	char first[64];

	answer(SET("{\"cdpMode\":true}"));
	(void)snprintf(first, sizeof(first), "%s", nonce());
	answer(frame[_i]);
	ck_assert(said("\"ok\":false"));
	(void)snprintf(got, sizeof(got), "\"nonce\":\"%s\"", first);
	confirm();
	ck_assert(said("no_request_outstanding"));
	ck_assert_ptr_null(m.rec[GK_RECORD_POLICY]);
}
END_TEST

START_TEST(test_engaging_the_latch_drops_the_request)
{
	answer(SET("{\"cdpMode\":true}"));
	(void)nonce();
	answer("{\"type\":\"kill_engage\"}");
	answer("{\"type\":\"presence_confirm\",\"nonce\":\"x\"}");
	ck_assert(said("no_request_outstanding"));
	ck_assert_ptr_null(m.rec[GK_RECORD_POLICY]);
}
END_TEST

START_TEST(test_a_request_is_forgotten_after_120_seconds)
{
	answer(SET("{\"cdpMode\":true}"));
	gk_test_time(&t, 1000 + 120000);
	confirm();
	ck_assert(said("no_request_outstanding"));
}
END_TEST

/* ----------------------------------------------------------------- restrict */

START_TEST(test_a_restriction_takes_no_proof_and_is_pushed)
{
	policy(D2, SIGNED(SIG2));
	memstore_set(&m, GK_RECORD_HOST_KEY, NULL);
	answer(RESTRICT("{\"pageEvalEnabled\":false}"));
	EXPECT("policy_restrict_result", "policy_current");
	ck_assert(said("\"overlay\":{\"pageEvalEnabled\":false}"));
	ck_assert(said("\"sig\":\"" SIG2 "\""));
	ck_assert_str_eq(memstore_audit(&m), "policy_write extension ok "
	    "tool=- code=- name=- detail=auth=none; "
	    "restricted=pageEvalEnabled cid=-");
	/* Once more: it stands already. */
	answer(RESTRICT("{\"pageEvalEnabled\":false}"));
	EXPECT("policy_restrict_result", "policy_current");
	ck_assert_uint_eq(m.naudits, 1);
	answer(RESTRICT("{\"pageEvalEnabled\":true}"));
	EXPECT("policy_restrict_result");
	ck_assert(said("no restriction, it would loosen pageEvalEnabled"));
	ck_assert_uint_eq(m.naudits, 1);
}
END_TEST

START_TEST(test_before_the_first_set_there_is_nothing_to_restrict)
{
	answer(RESTRICT("{\"confirmGraceMs\":1}"));
	EXPECT("policy_restrict_result");
	ck_assert(said("\"ok\":false") && said("policy set"));
}
END_TEST

START_TEST(test_a_restriction_leaves_an_outstanding_request_alone)
{
	char first[64];

	policy(D2, SIGNED(SIG2));
	memstore_set(&m, GK_RECORD_TRUST, TRUST("\"host_key_epoch\":0"));
	answer(SET("{\"cdpMode\":true}"));
	(void)snprintf(first, sizeof(first), "%s", nonce());
	answer(RESTRICT("{\"confirmGraceMs\":1}"));
	ck_assert(said("\"ok\":true"));
	(void)snprintf(got, sizeof(got), "\"nonce\":\"%s\"", first);
	confirm();
	/* The record moved: the proof was good, the write is a conflict. */
	EXPECT("presence_result", "policy_set_result");
	ck_assert(said("conflict"));
}
END_TEST

START_TEST(test_the_lock_is_waited_for_and_frames_wait_behind)
{
	policy(D2, SIGNED(SIG2));
	m.locked = true;
	ck_assert_str_eq(answer(RESTRICT("{\"confirmGraceMs\":1}")), "");
	ck_assert_str_eq(answer("{\"type\":\"policy_get\"}"), "");
	run_until(1000 + 1500);
	ck_assert_str_eq(sent(), "");
	m.locked = false;
	run_until(1000 + 1520);
	sent();
	EXPECT("policy_restrict_result", "policy_current", "policy_current");
	ck_assert_uint_eq(m.holds, m.drops);
}
END_TEST

START_TEST(test_a_lock_that_is_never_had_is_named)
{
	policy(D2, SIGNED(SIG2));
	m.locked = true;
	answer(RESTRICT("{\"confirmGraceMs\":1}"));
	run_until(1000 + 2000);
	sent();
	EXPECT("policy_restrict_result");
	ck_assert(said("\"ok\":false") && said("records.mutex"));
	ck_assert(!holds(GK_RECORD_POLICY, "overlay"));
}
END_TEST

/* The end comes while the key is asked, or while the lock is waited for. */
START_TEST(test_a_connection_that_ends_in_the_middle_leaks_nothing)
{
	struct gk_control_frame f;

	classify(SET("{\"cdpMode\":true}"), &f);
	gk_control_answer(&c, &f);
	ck_assert(gk_control_busy(&c));
	if (_i == 0)
		return;
	sent();
	m.locked = true;
	confirm();
	ck_assert(gk_control_busy(&c));
}
END_TEST

/* ----------------------------------------------------------------- rollback */

START_TEST(test_rolling_back_to_what_is_so_answers_alone)
{
	policy(D2, SIGNED(SIG2));
	earlier(D2, SIGNED(SIG2));
	answer("{\"type\":\"policy_rollback\",\"revision\":2}");
	EXPECT("policy_rollback_result");
	ck_assert(said("\"ok\":true"));
	ck_assert_uint_eq(m.naudits, 0);
	ck_assert_uint_eq(m.replaces, 0);
}
END_TEST

START_TEST(test_a_tightening_rollback_is_free)
{
	policy(D2, SIGNED(SIG2));
	earlier(D2, SIGNED(SIG2) ",\"overlay\":{\"confirmGraceMs\":1}");
	memstore_set(&m, GK_RECORD_HOST_KEY, NULL);
	answer("{\"type\":\"policy_rollback\",\"revision\":2}");
	EXPECT("policy_rollback_result", "policy_current");
	ck_assert(said("\"overlay\":{\"confirmGraceMs\":1}"));
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m),
	    "detail=auth=none; restricted=confirmGraceMs"));
}
END_TEST

#define ID1	"c54dc2a7469b4f9aecb3837d76c6c7ae148db9bc7fde52d092ec33bf48e0da28"

START_TEST(test_a_relaxing_rollback_asks_for_presence)
{
	policy(D2, SIGNED(SIG2));
	earlier(D1, SIGNED(SIG1));
	answer("{\"type\":\"policy_rollback\",\"revision\":1,\"entry\":"
	    "{\"id\":\"" ID1 "\"}}");
	EXPECT("presence_request");
	ck_assert(said("\"action\":\"roll policy back to revision 1: "
	    "pageEvalEnabled=off,confirmGraceMs=60000,disabledTools=[]\""));
	confirm();
	EXPECT("presence_result", "policy_rollback_result", "policy_current");
	ck_assert(!holds(GK_RECORD_POLICY, SIG1));
	ck_assert(!holds(GK_RECORD_POLICY, b64(D1)));
	ck_assert_ptr_nonnull(strstr(memstore_audit(&m), "touched="
	    "pageEvalEnabled,confirmGraceMs,disabledTools"));
}
END_TEST

START_TEST(test_a_rollback_that_cannot_be_is_answered_by_itself)
{
	policy(D2, SIGNED(SIG2));
	earlier(D1, SIGNED(SIG1));
	answer("{\"type\":\"policy_rollback\",\"revision\":9}");
	EXPECT("policy_rollback_result");
	ck_assert(said("available revisions: 1"));
	answer("{\"type\":\"policy_rollback\",\"revision\":1,\"entry\":"
	    "{\"id\":\"\"}}");
	EXPECT("policy_rollback_result");
	ck_assert(said("no such entry"));
	memstore_set(&m, GK_RECORD_HOST_KEY, NULL);
	answer("{\"type\":\"policy_rollback\",\"revision\":1}");
	EXPECT("policy_rollback_result");
	ck_assert(said("no usable host key"));
	memstore_break(&m, GK_RECORD_HISTORY);
	answer("{\"type\":\"policy_rollback\",\"revision\":1}");
	EXPECT("policy_rollback_result");
	ck_assert(said("policy-history.json"));
}
END_TEST

/* ------------------------------------------------------------------ history */

START_TEST(test_the_history_as_a_frame)
{
	char text[4096];

	ck_assert_str_eq(answer("{\"type\":\"policy_history\"}"),
	    "{\"type\":\"policy_history_result\",\"ok\":true,"
	    "\"entries\":[]}\n");
	(void)snprintf(text, sizeof(text), "{\"version\":0,\"entries\":["
	    "{\"baseline_b64\":\"%s\"" SIGNED(SIG1) ",\"superseded_unix\":"
	    "1700000000},{\"baseline_b64\":\"e30=\",\"overlay\":{\"evalMask\":"
	    "true},\"superseded_unix\":-1}]}", b64(D1));
	memstore_set(&m, GK_RECORD_HISTORY, text);
	answer("{\"type\":\"policy_history\"}");
	ck_assert(said("\"entries\":[{\"id\":\"" ID1 "\",\"signed\":true,"
	    "\"overlay_active\":false,\"superseded_unix\":1700000000,"
	    "\"held\":{\"revision\":1,\"effective\":{\"cdpMode\":false,"));
	ck_assert(said("\"disabledTools\":[]}}},{\"id\":\""));
	ck_assert(said("\"signed\":false,\"overlay_active\":true}]}"));
	memstore_set(&m, GK_RECORD_HISTORY, "{\"version\":0}");
	answer("{\"type\":\"policy_history\"}");
	ck_assert(said("\"ok\":false") && said("policy-history.json"));
}
END_TEST

/* ---------------------------------------------------------------- malformed */

static const char *const malformed[][2] = {
	{ "{\"type\":\"policy_set\"}", "policy_set_result" },
	{ "{\"type\":\"policy_set\",\"overlay\":null}", "policy_set_result" },
	{ SET("{\"cdpMode\":1}"), "policy_set_result" },
	{ SET("{\"other\":true}"), "policy_set_result" },
	{ SET("{\"confirmGraceMs\":-1}"), "policy_set_result" },
	{ SET("{\"confirmGraceMs\":9007199254740992}"), "policy_set_result" },
	{ RESTRICT("[]"), "policy_restrict_result" },
	{ "{\"type\":\"policy_restrict\",\"overlay\":{},\"x\":1}",
	  "policy_restrict_result" },
	{ "{\"type\":\"policy_rollback\"}", "policy_rollback_result" },
	{ "{\"type\":\"policy_rollback\",\"revision\":0}",
	  "policy_rollback_result" },
	{ "{\"type\":\"policy_rollback\",\"revision\":\"1\"}",
	  "policy_rollback_result" },
	{ "{\"type\":\"policy_rollback\",\"revision\":1,\"entry\":\"x\"}",
	  "policy_rollback_result" },
	{ "{\"type\":\"policy_rollback\",\"revision\":1,\"entry\":null}",
	  "policy_rollback_result" },
	{ "{\"type\":\"policy_rollback\",\"revision\":1,\"entry\":{}}",
	  "policy_rollback_result" },
	{ "{\"type\":\"policy_history\",\"x\":1}", "policy_history_result" },
	{ "{\"type\":\"policy_get\",\"x\":1}", "policy_current" },
	{ "{\"type\":\"lang_set\"}", "lang_current" },
	{ "{\"type\":\"lang_set\",\"value\":1}", "lang_current" },
	{ "{\"type\":\"lang_get\",\"x\":1}", "lang_current" },
};

START_TEST(test_malformed_frames_answer_in_their_own_result)
{
	answer(malformed[_i][0]);
	expect_tags(&malformed[_i][1], 1);
	if (strcmp(malformed[_i][1], "lang_current") == 0)
		ck_assert(said("\"value\":\"en\",\"seq\":0"));
	else
		ck_assert(said("\"ok\":false"));
	ck_assert_uint_eq(m.replaces, 0);
}
END_TEST

/* ----------------------------------------------------------------- language */

START_TEST(test_a_language_is_set_and_answered)
{
	ck_assert_str_eq(answer("{\"type\":\"lang_set\",\"value\":"
	    "\"zh_CN\"}"), "{\"type\":\"lang_current\",\"value\":\"zh_CN\","
	    "\"seq\":1}\n");
	ck_assert(holds(GK_RECORD_TRUST, "\"lang_epoch\":1"));
	/* The same again writes nothing. */
	ck_assert_str_eq(answer("{\"type\":\"lang_set\",\"value\":"
	    "\"zh_CN\"}"), "{\"type\":\"lang_current\",\"value\":\"zh_CN\","
	    "\"seq\":1}\n");
	ck_assert(holds(GK_RECORD_TRUST, "\"epoch\":1,"));
	ck_assert_str_eq(answer("{\"type\":\"lang_set\",\"value\":\"auto\"}"),
	    "{\"type\":\"lang_current\",\"value\":\"auto\",\"seq\":2}\n");
	ck_assert_uint_eq(m.naudits, 0);
}
END_TEST

static const char *const no_lang[] = { "", "de", "EN", "zh_CN ", "zh-CN",
	"zh_CN\\u0000" };

START_TEST(test_another_value_changes_nothing)
{
	char frame[96];

	(void)snprintf(frame, sizeof(frame), "{\"type\":\"lang_set\","
	    "\"value\":\"%s\"}", no_lang[_i]);
	ck_assert_str_eq(answer(frame), "{\"type\":\"lang_current\","
	    "\"value\":\"en\",\"seq\":0}\n");
	ck_assert_uint_eq(m.replaces, 0);
}
END_TEST

START_TEST(test_an_unreadable_language_is_neither_sent_nor_written)
{
	memstore_set(&m, GK_RECORD_LANG, "{\"version\":0,\"value\":\"de\","
	    "\"seq\":1}");
	ck_assert_str_eq(answer("{\"type\":\"lang_set\",\"value\":\"en\"}"),
	    "");
	ck_assert_str_eq(answer("{\"type\":\"lang_get\"}"), "");
	ck_assert(holds(GK_RECORD_LANG, "\"de\""));
	ck_assert(!gk_control_busy(&c));
}
END_TEST

START_TEST(test_a_language_that_cannot_be_stamped_is_not_written)
{
	memstore_break(&m, GK_RECORD_TRUST);
	ck_assert_str_eq(answer("{\"type\":\"lang_set\",\"value\":"
	    "\"zh_TW\"}"), "{\"type\":\"lang_current\",\"value\":\"en\","
	    "\"seq\":0}\n");
	ck_assert_ptr_null(m.rec[GK_RECORD_LANG]);
}
END_TEST

START_TEST(test_the_number_of_a_language_ends_at_the_bound)
{
	memstore_set(&m, GK_RECORD_LANG, "{\"version\":0,\"value\":\"en\","
	    "\"seq\":9007199254740991}");
	ck_assert_str_eq(answer("{\"type\":\"lang_set\",\"value\":"
	    "\"zh_TW\"}"), "{\"type\":\"lang_current\",\"value\":\"en\","
	    "\"seq\":9007199254740991}\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("control_policy");
	TCase *tc = tcase_create("control_policy");

	tcase_add_checked_fixture(tc, setup, control_teardown);
#define ADD(test)		tcase_add_test(tc, test)
#define ADD_ALL(test, tab)	tcase_add_loop_test(tc, test, 0,	\
	    (int)(sizeof(tab) / sizeof(tab[0])))
	ADD(test_a_set_is_asked_for_confirmed_signed_and_pushed);
	ADD(test_what_is_sent_is_what_was_signed);
	ADD_ALL(test_a_refusal_before_the_request_is_the_result_alone,
	    refused);
	tcase_add_loop_test(tc,
	    test_records_that_cannot_be_read_refuse_every_change, 0, 2);
	tcase_add_loop_test(tc,
	    test_a_text_beyond_the_bound_is_refused_before_any_request, -1,
	    2);
	ADD(test_a_host_started_by_hand_points_to_the_terminal);
	tcase_add_loop_test(tc,
	    test_what_moved_behind_the_request_is_a_conflict, 0, 3);
	ADD(test_a_key_that_went_meanwhile_is_said_behind_the_proof);
	tcase_add_loop_test(tc,
	    test_a_new_act_clears_the_slot_even_if_it_is_refused, 0, 2);
	ADD(test_engaging_the_latch_drops_the_request);
	ADD(test_a_request_is_forgotten_after_120_seconds);
	ADD(test_a_restriction_takes_no_proof_and_is_pushed);
	ADD(test_before_the_first_set_there_is_nothing_to_restrict);
	ADD(test_a_restriction_leaves_an_outstanding_request_alone);
	ADD(test_the_lock_is_waited_for_and_frames_wait_behind);
	ADD(test_a_lock_that_is_never_had_is_named);
	tcase_add_loop_test(tc,
	    test_a_connection_that_ends_in_the_middle_leaks_nothing, 0, 2);
	ADD(test_rolling_back_to_what_is_so_answers_alone);
	ADD(test_a_tightening_rollback_is_free);
	ADD(test_a_relaxing_rollback_asks_for_presence);
	ADD(test_a_rollback_that_cannot_be_is_answered_by_itself);
	ADD(test_the_history_as_a_frame);
	ADD_ALL(test_malformed_frames_answer_in_their_own_result, malformed);
	ADD(test_a_language_is_set_and_answered);
	ADD_ALL(test_another_value_changes_nothing, no_lang);
	ADD(test_an_unreadable_language_is_neither_sent_nor_written);
	ADD(test_a_language_that_cannot_be_stamped_is_not_written);
	ADD(test_the_number_of_a_language_ends_at_the_bound);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
