/* Errors, codes, refusals, limits, policy, audit, places: what they promise. */
#include <stdlib.h>

#include <genkan/contract.h>

#include "contract/schema.h"
#include "tap.h"

/* Numbers are ABI: these were published with the first header. */
START_TEST(test_published_error_numbers_stay)
{
	static const struct {
		int		 num;
		const char	*wire;
		enum gk_class	 cls;
	} pinned[] = {
		{ -1, "invalid-argument", GK_CLASS_CALLER },
		{ -2, "no-memory", GK_CLASS_TRANSIENT },
		{ -3, "internal", GK_CLASS_FATAL },
		{ -17, "frame-too-large", GK_CLASS_CONN },
		{ -33, "bad-mac", GK_CLASS_CONN },
		{ -34, "wrong-peer", GK_CLASS_CONN },
		{ -40, "state-dir-mismatch", GK_CLASS_FATAL },
		{ -58, "record-too-old", GK_CLASS_FATAL },
	};
	const struct gk_error *e;
	size_t i;

	for (i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++) {
		e = gk_schema_error(pinned[i].num);
		ck_assert_ptr_nonnull(e);
		ck_assert_str_eq(e->wire, pinned[i].wire);
		ck_assert_int_eq((int)e->cls, (int)pinned[i].cls);
	}
	ck_assert_int_eq(GENKAN_E_FRAME_SIZE, -17);
	ck_assert_int_eq(GENKAN_E_AUTH_MAC, -33);
}
END_TEST

START_TEST(test_header_and_table_agree)
{
	size_t n;

#define GK_ERROR(sym, num, wire, survives, text) \
	ck_assert_int_eq(GENKAN_E_##sym, num); \
	ck_assert_int_eq((int)gk_schema_error(num)->cls, \
	    GENKAN_CLASS_##survives);
#include "contract/errors.def"
#undef GK_ERROR
#define GK_CODE(sym, cat, retry, ext, by, text) \
	ck_assert_int_eq(GENKAN_CODE_##sym, (int)GK_CODE_##sym);
#include "contract/codes.def"
#undef GK_CODE
#define GK_REFUSAL(sym, num, wire, text) \
	ck_assert_int_eq(GENKAN_REFUSAL_##sym, num);
#include "contract/refusals.def"
#undef GK_REFUSAL
	ck_assert_int_eq(GENKAN_BRIDGE_LINE_MAX, GK_BRIDGE_LINE_MAX);
	ck_assert_int_eq(GENKAN_LABEL_MAX, GK_LABEL_MAX);
	gk_schema_errors(&n);
	ck_assert_uint_ge(n, 45);
}
END_TEST

START_TEST(test_errors_are_distinct_and_negative)
{
	const struct gk_error *e;
	size_t i, j, n;

	e = gk_schema_errors(&n);
	for (i = 0; i < n; i++) {
		ck_assert_int_lt(e[i].num, 0);
		ck_assert_ptr_eq(gk_schema_error(e[i].num), &e[i]);
		for (j = 0; j < i; j++)
			ck_assert_str_ne(e[i].wire, e[j].wire);
	}
	ck_assert_ptr_null(gk_schema_error(0));
	ck_assert_ptr_null(gk_schema_error(1));
	ck_assert_ptr_null(gk_schema_error(-9999));
}
END_TEST

static const struct {
	const char	*name, *category;
	int		 retryable, ext;
} codes[] = {
	{ "INVALID_ARGUMENT", "PROTOCOL", 0, 1 },
	{ "NOT_CONNECTED", "CONNECTION", 1, 0 },
	{ "PROTOCOL_MISMATCH", "PROTOCOL", 0, 0 },
	{ "EXTENSION_NOT_READY", "CONNECTION", 1, 0 },
	{ "SITE_NOT_ALLOWED", "PERMISSION", 0, 1 },
	{ "HOST_PERMISSION_MISSING", "PERMISSION", 0, 1 },
	{ "TOOL_DISABLED", "PERMISSION", 0, 1 },
	{ "USER_DENIED", "USER", 0, 1 },
	{ "CONFIRMATION_TIMEOUT", "USER", 1, 1 },
	{ "TAB_NOT_FOUND", "EXECUTION", 0, 1 },
	{ "UNSUPPORTED_PAGE", "EXECUTION", 0, 1 },
	{ "EXECUTION_FAILED", "EXECUTION", 0, 1 },
	{ "PAYLOAD_TOO_LARGE", "PROTOCOL", 0, 1 },
	{ "RESPONSE_TIMEOUT", "CONNECTION", 1, 0 },
	{ "CONNECTION_LOST", "CONNECTION", 1, 0 },
	{ "BROWSER_AMBIGUOUS", "PROTOCOL", 0, 0 },
	{ "BROWSER_NOT_FOUND", "CONNECTION", 1, 0 },
	{ "BRIDGE_KILLED", "PERMISSION", 0, 0 },
	{ "INTERNAL_ERROR", "INTERNAL", 0, 0 },
};

START_TEST(test_result_codes_in_order)
{
	const struct gk_code_row *c;
	size_t i, n;

	c = gk_schema_codes(&n);
	ck_assert_uint_eq(n, sizeof(codes) / sizeof(codes[0]));
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(c[i].name, codes[i].name);
		ck_assert_str_eq(c[i].category, codes[i].category);
		ck_assert_int_eq(c[i].retryable, codes[i].retryable);
		ck_assert_int_eq(c[i].ext, codes[i].ext);
		ck_assert_int_eq((int)c[i].code, (int)i + 1);
		ck_assert_int_eq(gk_schema_code_find(T(codes[i].name)),
		    (int)i + 1);
		ck_assert_int_eq(gk_schema_set_find(GK_SET_EXT_CODE,
		    T(codes[i].name)) >= 0, codes[i].ext);
		ck_assert_ptr_eq(gk_schema_code((int)i + 1), &c[i]);
	}
}
END_TEST

/* Counted text: neither a prefix nor something longer may match. */
START_TEST(test_lookup_takes_the_whole_text_only)
{
	ck_assert_int_eq(gk_schema_code_find("USER_DENIED", 10), -1);
	ck_assert_int_eq(gk_schema_code_find("USER_DENIED ", 12), -1);
	ck_assert_int_eq(gk_schema_code_find("user_denied", 11), -1);
	ck_assert_int_eq(gk_schema_code_find("USER_DENIED\0", 12), -1);
	ck_assert_int_eq(gk_schema_code_find("", 0), -1);
	ck_assert_int_eq(gk_schema_refusal_find("nonce", 4), -1);
	ck_assert_int_eq(gk_schema_policy_find(T("cdpmode")), -1);
	ck_assert_int_eq(gk_schema_browser_find(T("chrom")), -1);
	ck_assert_ptr_null(gk_schema_code(0));
	ck_assert_ptr_null(gk_schema_code(GK_CODE_END));
	ck_assert_ptr_null(gk_schema_code(-1));
	ck_assert_ptr_null(gk_schema_refusal(0));
	ck_assert_ptr_null(gk_schema_refusal(43));
	ck_assert_ptr_null(gk_schema_record(-1));
	ck_assert_ptr_null(gk_schema_record(GK_RECORD_END));
	ck_assert_str_eq(gk_schema_ident(GK_IDENT_END), "");
	ck_assert_str_eq(gk_schema_file(GK_FILE_END), "");
}
END_TEST

static const char *const refusals[] = {
	"encoding", "authdata_too_short", "authdata_reserved_flags",
	"authdata_extensions", "authdata_backup_state_without_eligibility",
	"authdata_attested_truncated", "authdata_trailing_bytes",
	"credential_id_invalid", "public_key_invalid",
	"unexpected_attested_credential", "rp_id_mismatch", "user_not_present",
	"sign_count_not_increased", "backup_eligibility_changed",
	"client_data_malformed", "client_data_type", "challenge_mismatch",
	"origin_mismatch", "cross_origin", "signature_malformed",
	"signature_invalid", "attestation_malformed",
	"attestation_trailing_bytes", "attestation_format",
	"attestation_statement_not_empty", "no_attested_credential",
	"not_interactive", "declined", "io_error", "credential_not_enrolled",
	"wrong_browser_label", "software_confirmation_not_allowed",
	"request_mismatch", "store_error", "presence_required", "nonce",
	"no_request_outstanding", "no_enrollment_outstanding",
	"machine_already_enrolled", "not_enrolled", "invalid_action",
	"invalid_origin",
};

START_TEST(test_forty_two_refusals_in_order)
{
	const struct gk_refusal_row *r;
	size_t i, n;

	r = gk_schema_refusals(&n);
	ck_assert_uint_eq(n, 42);
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(r[i].wire, refusals[i]);
		ck_assert_int_eq((int)r[i].code, (int)i + 1);
		ck_assert_int_eq(gk_schema_refusal_find(T(refusals[i])),
		    (int)i + 1);
		ck_assert_ptr_eq(gk_schema_refusal((int)i + 1), &r[i]);
	}
}
END_TEST

/* The numbers by which other programs know us. */
START_TEST(test_limits_of_the_wire)
{
	static const struct {
		const char	*name;
		int64_t		 value;
	} pinned[] = {
		{ "SECRET_HEX", 32 }, { "NONCE_HEX_MAX", 64 },
		{ "MAC_HEX", 64 }, { "LABEL_MAX", 32 },
		{ "LOCK_FILE_MAX", 65536 }, { "BRIDGE_LINE_MAX", 67108864 },
		{ "MCP_LINE_IN_MAX", 67108864 },
		{ "MCP_LINE_OUT_MAX", 10 * 1024 * 1024 - 64 * 1024 },
		{ "NATIVE_IN_MAX", 67108864 }, { "NATIVE_OUT_MAX", 1048576 },
		{ "SETUP_LINE_MAX", 65536 }, { "SETUP_DIAL_MS", 2000 },
		{ "SETUP_READ_MS", 10000 }, { "MAX_PENDING_ATTACH", 32 },
		{ "MAX_CLIENTS", 64 }, { "MAX_BROWSERS", 16 },
		{ "MAX_INFLIGHT", 128 }, { "MAX_INFLIGHT_BYTES", 64 << 20 },
		{ "MAX_QUEUED_BYTES", 256 << 20 }, { "RATE_BUCKET", 8192 },
		{ "RATE_PER_S", 8192 }, { "SWEEP_MS", 1000 },
		{ "CONNECT_WAIT_MS", 12000 }, { "CONNECT_POLL_MS", 150 },
		{ "HELLO_WAIT_MS", 3000 }, { "CALL_BUDGET_MS", 120000 },
		{ "FIRST_REPLY_MS", 50 }, { "DRAIN_MS", 1500 },
		{ "LEAVE_MS", 500 }, { "LEAVE_LOCK_MS", 250 },
		{ "TAKEOVER_MS", 1000 }, { "PROBE_MS", 5000 },
		{ "ELECTION_ROUNDS", 6 }, { "ELECTION_PAUSE_MS", 150 },
		{ "REDIAL_MS", 2000 }, { "SOCKET_PATH_MAX", 107 },
		{ "RPC_ID_MAX", 65536 }, { "PARSE_ERRORS_PER_S", 10 },
		{ "PROGRESS_MS", 1000 }, { "QUOTE_MAX", 256 },
		{ "QUOTE_REQUESTED_MAX", 64 }, { "CACHE_TTL_MS", 3600000 },
		{ "BRIDGE_PROTOCOL", 1 }, { "JSON_DEPTH", 128 },
		{ "AUDIT_PAGE", 200 }, { "AUDIT_PAGE_MAX", 1000 },
	};
	const struct gk_limit *l;
	size_t i, j, n;

	l = gk_schema_limits(&n);
	for (i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++) {
		for (j = 0; j < n; j++)
			if (strcmp(l[j].name, pinned[i].name) == 0)
				break;
		ck_assert_msg(j < n, "no limit %s", pinned[i].name);
		ck_assert_int_eq(l[j].value, pinned[i].value);
	}
	ck_assert_int_eq(GK_INTEGER_MAX, (INT64_C(1) << 53) - 1);
}
END_TEST

START_TEST(test_fifteen_policy_fields_and_their_defaults)
{
	static const struct {
		const char		*name, *flag;
		enum gk_policy_kind	 kind;
		enum gk_looser		 looser;
		int64_t			 def;
	} want[] = {
#define ON(n, f)	{ n, f, GK_PKIND_GRANT, GK_LOOSER_ON, 0 }
#define OFF(n, f)	{ n, f, GK_PKIND_BOOL, GK_LOOSER_OFF, 1 }
#define MS(n, f, d)	{ n, f, GK_PKIND_MS, GK_LOOSER_LARGER, d }
		ON("cdpMode", "--cdp-mode"),
		ON("fileUploadEnabled", "--file-upload"),
		ON("handleDialogEnabled", "--handle-dialog"),
		ON("pageEvalEnabled", "--page-eval"),
		OFF("confirmHighRiskClick", "--confirm-high-risk-click"),
		OFF("confirmPageEval", "--confirm-page-eval"),
		OFF("presenceConfirm", "--presence-confirm"),
		OFF("confirmTabClose", "--confirm-tab-close"),
		OFF("warnPreciseSnapshot", "--warn-precise-snapshot"),
		OFF("evalMask", "--eval-mask"),
		{ "hostReverifyMs", "--host-reverify-ms", GK_PKIND_MS,
		    GK_LOOSER_LARGER_0_LOOSEST, 0 },
		MS("confirmGraceMs", "--confirm-grace-ms", 60000),
		MS("clickToastTimeoutMs", "--click-toast-timeout-ms", 30000),
		MS("evalToastTimeoutMs", "--eval-toast-timeout-ms", 45000),
		{ "disabledTools", "--disabled-tools", GK_PKIND_SET,
		    GK_LOOSER_FEWER, 0 },
	};
	const struct gk_policy_field *p;
	size_t i, n;

	p = gk_schema_policy(&n);
	ck_assert_uint_eq(n, 15);
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(p[i].name, want[i].name);
		ck_assert_str_eq(p[i].flag, want[i].flag);
		ck_assert_int_eq((int)p[i].kind, (int)want[i].kind);
		ck_assert_int_eq((int)p[i].looser, (int)want[i].looser);
		ck_assert_int_eq(p[i].def, want[i].def);
		ck_assert_int_eq(gk_schema_policy_find(T(want[i].name)),
		    (int)i);
	}
}
END_TEST

/* The host takes no other kind from a page, so the six must be just these. */
START_TEST(test_the_extension_reports_the_last_six_kinds)
{
	static const char *const six[] = {
		"confirm_shown", "confirm_allowed", "confirm_denied",
		"enroll_approved", "enroll_rejected", "enroll_revoked",
	};
	const char *const *set = gk_schema_set(GK_SET_AUDIT_EVENT);
	const struct gk_audit_row *a;
	size_t i, n;

	a = gk_schema_audit(&n);
	ck_assert_uint_eq(n, 22);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(a[i].event, i >= n - 6);
	for (i = 0; i < 6; i++)
		ck_assert_str_eq(set[i], six[i]);
	ck_assert_ptr_null(set[6]);
	ck_assert_int_eq(gk_schema_set_find(GK_SET_AUDIT_OUTCOME,
	    T("unenrolled")), GK_OUTCOME_UNENROLLED);
	ck_assert_int_eq(gk_schema_set_find(GK_SET_AUDIT_SURFACE,
	    T("broker")), GK_SURFACE_BROKER);
	ck_assert_int_eq(gk_schema_set_find(GK_SET_AUDIT_EVENT,
	    T("tool_call")), -1);
}
END_TEST

START_TEST(test_an_audit_record_has_its_members_in_order)
{
	static const char *const want[] = {
		"v", "ts_ms", "kind", "surface", "outcome", "tool", "code",
		"name", "detail", "cid", "req", "conn", "dur_ms", "dropped",
	};
	const struct gk_audit_member *m;
	size_t i, n;

	m = gk_schema_audit_members(&n);
	ck_assert_uint_eq(n, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < n; i++)
		ck_assert_str_eq(m[i].name, want[i]);
}
END_TEST

START_TEST(test_browsers_and_where_they_look)
{
	static const char *const keys[] = {
		"chrome", "chromium", "brave", "edge", "vivaldi", "opera"
	};
	const struct gk_browser_row *b;
	const struct gk_system_dir *d;
	size_t i, n;

	b = gk_schema_browsers(&n);
	ck_assert_uint_eq(n, 6);
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(b[i].key, keys[i]);
		ck_assert_int_eq(gk_schema_browser_find(T(keys[i])), (int)i);
		ck_assert_int_eq(b[i].image[0][0], '/');
	}
	ck_assert_str_eq(b[GK_BROWSER_CHROMIUM].image[1],
	    "/usr/lib/chromium-browser/chromium-browser");
	ck_assert_str_eq(b[GK_BROWSER_BRAVE].vendor,
	    "BraveSoftware/Brave-Browser");
	d = gk_schema_system_dirs(&n);
	ck_assert_uint_eq(n, 4);
	ck_assert_str_eq(d[0].dir, "/etc/opt/chrome");
	ck_assert_str_eq(d[0].keys, "chrome brave opera");
	ck_assert_str_eq(d[0].wrapper, "run-host.sh");
	ck_assert_str_eq(d[1].wrapper, "run-host-chromium.sh");
}
END_TEST

START_TEST(test_records_and_their_caps)
{
	static const struct {
		const char	*file;
		size_t		 cap;
	} want[] = {
		{ "trust.json", 262144 }, { "policy.json", 262144 },
		{ "policy-history.json", 262144 }, { "lang.json", 4096 },
		{ "host_key.json", 4096 },
	};
	const struct gk_record_row *r;
	size_t i, n;

	r = gk_schema_records(&n);
	ck_assert_uint_eq(n, 5);
	for (i = 0; i < n; i++) {
		ck_assert_str_eq(r[i].file, want[i].file);
		ck_assert_uint_eq(r[i].cap, want[i].cap);
		ck_assert_ptr_nonnull(gk_schema_member_find(
		    gk_schema_shape((int)r[i].shape), T("version")));
	}
	ck_assert_str_eq(gk_schema_file(GK_FILE_RUN_LOCK), "run.lock");
	ck_assert_str_eq(gk_schema_file(GK_FILE_AUDIT_LOCK), "audit.log.lock");
}
END_TEST

START_TEST(test_mcp_revisions_oldest_first)
{
	static const char *const want[] = {
		"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
		"2026-07-28"
	};
	const char *const *v = gk_schema_set(GK_SET_MCP_VERSION);
	size_t i;

	for (i = 0; i < 5; i++)
		ck_assert_str_eq(v[i], want[i]);
	ck_assert_ptr_null(v[5]);
	ck_assert_int_eq(GK_MCP_VERSIONS, 5);
	ck_assert_int_eq(GK_MCP_2026_07_28, 4);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("schema");
	TCase *tc = tcase_create("tables");

	tcase_add_test(tc, test_published_error_numbers_stay);
	tcase_add_test(tc, test_header_and_table_agree);
	tcase_add_test(tc, test_errors_are_distinct_and_negative);
	tcase_add_test(tc, test_result_codes_in_order);
	tcase_add_test(tc, test_lookup_takes_the_whole_text_only);
	tcase_add_test(tc, test_forty_two_refusals_in_order);
	tcase_add_test(tc, test_limits_of_the_wire);
	tcase_add_test(tc, test_fifteen_policy_fields_and_their_defaults);
	tcase_add_test(tc, test_the_extension_reports_the_last_six_kinds);
	tcase_add_test(tc, test_an_audit_record_has_its_members_in_order);
	tcase_add_test(tc, test_browsers_and_where_they_look);
	tcase_add_test(tc, test_records_and_their_caps);
	tcase_add_test(tc, test_mcp_revisions_oldest_first);
	suite_add_tcase(s, tc);
	return tap_main(s);
}
