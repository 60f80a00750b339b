/*
 * Every allocation of what a person does through the public API fails, one at a
 * time: pairing and revoking, the kill switch, the policy, the language, the
 * host key, the reports, registration, and the verifiers of an authenticator.
 *
 * A report is made, or there is GENKAN_E_NOMEM and the output is untouched.  What
 * was said to be done is done; whatever was not, each record is the old one or
 * the new one, and whole; no file is left beside them; all memory comes back;
 * and a second try does it.
 *
 * GENKAN_FAULTS and GENKAN_FAULT: as for alloc.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "softkey.h"
#include "sweep.h"
#include "world.h"

struct actor *const world_cast[] = { NULL };

static struct memory own;	/* of the context that has the faults */
static genkan_ctx *ctx;
static int master = -1;

#define HASH	"0000000000000000000000000000000000000000000000000000000000" \
		"000000"

/* -------------------------------------------------------------------- acts */

static int
pair_key(genkan_report **ret)
{
	return genkan_key_pair(ctx, GENKAN_KEY_FILE, ret);
}

static int
reset_key(genkan_report **ret)
{
	return genkan_key_pair(ctx, GENKAN_KEY_FILE | GENKAN_KEY_RESET, ret);
}

static int
pair(genkan_report **ret)
{
	genkan_pair_options o = GENKAN_PAIR_OPTIONS_INIT;

	o.name = "py";
	o.hash = HASH;
	return genkan_trust_pair(ctx, &o, ret);
}

static int
unpair(genkan_report **ret)
{
	return genkan_trust_revoke(ctx, "py", ret);
}

static int
forget_browser(genkan_report **ret)
{
	return genkan_trust_revoke_browser(ctx, "chrome", ret);
}

static int
policy(int (*set)(genkan_ctx *, const char *const *, size_t,
    genkan_report **), const char *cdp, genkan_report **ret)
{
	const char *value[1] = { cdp };

	return set(ctx, value, 1, ret);
}

static int
allow(genkan_report **ret)
{
	return policy(genkan_policy_set, "on", ret);
}

static int
restrict_it(genkan_report **ret)
{
	return policy(genkan_policy_restrict, "off", ret);
}

static int
roll_back(genkan_report **ret)
{
	return genkan_policy_rollback(ctx, 1, NULL, ret);
}

static int
speak(genkan_report **ret)
{
	return genkan_lang_set(ctx, "zh_TW", ret);
}

static int
tail(genkan_report **ret)
{
	return genkan_audit_read(ctx, 20, 1, ret);
}

static int
enrol(genkan_report **ret)
{
	const char *const dirs[] = { world_at("home/manifests") };
	genkan_register_options o = GENKAN_REGISTER_OPTIONS_INIT;

	o.dirs = dirs;
	o.ndirs = 1;
	return genkan_register_write(ctx, &o, ret);
}

static int
unenrol(genkan_report **ret)
{
	const char *const dirs[] = { world_at("home/manifests") };
	genkan_register_options o = GENKAN_REGISTER_OPTIONS_INIT;

	o.dirs = dirs;
	o.ndirs = 1;
	return genkan_register_remove(ctx, &o, ret);
}

#define REPORT(name) \
	static int \
	name(genkan_report **ret) \
	{ \
		return genkan_##name(ctx, ret); \
	}

REPORT(kill_engage)
REPORT(kill_release)
REPORT(trust_list)
REPORT(trust_revoke_all)
REPORT(policy_show)
REPORT(policy_history)
REPORT(lang_show)
REPORT(key_status)
REPORT(doctor_check)
REPORT(doctor_list)
REPORT(doctor_paths)

/* What has to be there before. */
#define KEY		1
#define PAIRED		2
#define POLICY		4
#define TIGHT		8
#define KILLED		16
#define REGISTERED	32

#define STATE		"home/.local/state/genkan/"
#define MANIFEST	"home/manifests/"

static const struct act {
	const char	*name;
	int		(*run)(genkan_report **);
	int		 needs;
	int		 status;	/* of one that goes well */
	const char	*file;		/* where it shows that it was done; or */
	const char	*text;		/* NULL: the file is gone */
	int		 again;		/* status once it was done already */
} acts[] = {
	{ "a host key", pair_key, 0, 0, STATE "host_key.json", "scalar", 1 },
	{ "another host key", reset_key, KEY | POLICY, 0,
	    STATE "host_key.json", "scalar", 0 },
	{ "a client is paired", pair, 0, 0, STATE "trust.json", HASH, 0 },
	{ "a client is revoked", unpair, PAIRED, 0, STATE "trust.json",
	    "\"clients\":[]", 1 },
	{ "a browser is revoked", forget_browser, PAIRED, 1, NULL, NULL, 1 },
	{ "everything is revoked", trust_revoke_all, PAIRED | KEY | POLICY, 0,
	    STATE "trust.json", "\"clients\":[]", 1 },
	{ "the kill switch is engaged", kill_engage, PAIRED, 0,
	    STATE "trust.json", "\"killed\":true", 0 },
	{ "the kill switch is released", kill_release, KILLED, 0,
	    STATE "trust.json", "\"killed\":false", 0 },
	{ "a policy is set", allow, KEY, 0, STATE "policy.json",
	    "\"baseline_b64\":\"eyJ2IjoxLCJyZXZpc2lvbiI6M", 0 },
	{ "it is tightened", restrict_it, KEY | POLICY, 0,
	    STATE "policy.json", "\"overlay\":{\"cdpMode\":false}", 0 },
	{ "it is rolled back", roll_back, KEY | POLICY | TIGHT, 0,
	    STATE "policy.json", /* {"v":1,"revision":2 */
	    "\"baseline_b64\":\"eyJ2IjoxLCJyZXZpc2lvbiI6Mi", 1 },
	{ "a language is chosen", speak, 0, 0, STATE "lang.json", "zh_TW",
	    0 },
	{ "a host is registered", enrol, 0, 0, MANIFEST
	    "com.vivswan.genkan.host.json", "genkan", 0 },
	{ "its registration is removed", unenrol, REGISTERED, 0, MANIFEST
	    "com.vivswan.genkan.host.json", NULL, 0 },
	{ "the clients", trust_list, PAIRED, 0, NULL, NULL, 0 },
	{ "the policy", policy_show, KEY | POLICY, 0, NULL, NULL, 0 },
	{ "its history", policy_history, KEY | POLICY | TIGHT, 0, NULL, NULL,
	    0 },
	{ "the language", lang_show, 0, 0, NULL, NULL, 0 },
	{ "the state of the key", key_status, KEY, 0, NULL, NULL, 0 },
	{ "the audit trail", tail, PAIRED | KEY | POLICY, 0, NULL, NULL, 0 },
	{ "a health report", doctor_check, PAIRED | KEY | POLICY, 1, NULL,
	    NULL, 1 },
	{ "the browsers", doctor_list, 0, 1, NULL, NULL, 1 },
	{ "the paths", doctor_paths, 0, 0, NULL, NULL, 0 },
};

/* ------------------------------------------------------------------- a person */

/* Says yes before being asked: the line waits. */
static void
say_yes(void)
{
	(void)tcflush(STDIN_FILENO, TCIFLUSH);
	CHECK(write(master, "allow\n", 6) == 6);
}

static void
sit_down(void)
{
	struct termios t;
	int slave, null;

	if (openpty(&master, &slave, NULL, NULL, NULL) < 0 ||
	    tcgetattr(slave, &t) < 0)
		abort();
	t.c_lflag &= ~(tcflag_t)ECHO;
	/* What is asked is of no interest. */
	null = open("/dev/null", O_WRONLY);
	if (tcsetattr(slave, TCSANOW, &t) < 0 || dup2(slave, 0) < 0 ||
	    dup2(null, 2) < 0)
		abort();
	(void)close(slave);
	(void)close(null);
}

/* ---------------------------------------------------------------- what is kept */

static bool
contains(const char *name, const char *text)
{
	static char bytes[65536];
	int fd = open(world_at(name), O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, bytes, sizeof(bytes) - 1);
	(void)close(fd);
	bytes[n < 0 ? 0 : n] = '\0';
	return strstr(bytes, text) != NULL;
}

static bool
is_done(const struct act *a)
{
	return a->file == NULL || (a->text == NULL ?
	    access(world_at(a->file), F_OK) != 0 : contains(a->file, a->text));
}

/* Adds the names in the state directory, each with a '/' behind it. */
static void
names(char *ret, size_t size)
{
	DIR *d = opendir(world_at(STATE));
	struct dirent *e;
	size_t n = strlen(ret + 1);

	ret[0] = '/';
	while (d != NULL && (e = readdir(d)) != NULL)
		n += (size_t)snprintf(ret + 1 + n, size - 1 - n, "%s/",
		    e->d_name);
	if (d != NULL)
		(void)closedir(d);
}

static char usual[4096];	/* before and after */

static void
look_for_leftovers(void)
{
	char now[2048] = "", one[300], *p, *q;

	names(now, sizeof(now));
	for (p = now + 1; (q = strchr(p, '/')) != NULL; p = q + 1) {
		(void)snprintf(one, sizeof(one), "/%.*s/", (int)(q - p), p);
		if (strstr(usual, one) == NULL && getenv("GENKAN_FAULT") != NULL)
			printf("%s is not among %s\n", one, usual);
		CHECK(strstr(usual, one) != NULL);
	}
}

/* With memory again everything can be read. */
static void
look_at_records(void)
{
	static int (*const all[])(genkan_report **) = {
		trust_list, policy_show, policy_history, lang_show,
		key_status, tail,
	};
	genkan_report *rep;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		rep = NULL;
		CHECK(all[i](&rep) == 0);
		CHECK(strstr(genkan_report_warnings(rep), "cannot be read") ==
		    NULL);
		CHECK(strstr(genkan_report_text(rep), "unrecognized") ==
		    NULL);
		genkan_report_free(rep);
	}
}

/* ------------------------------------------------------------------- one act */

static void
make_context(bool with_faults)
{
	genkan_ctx_options o = GENKAN_CTX_OPTIONS_INIT;

	o.user = &own;
	o.realloc_fn = with_faults ? memory_realloc : NULL;
	CHECK(genkan_ctx_new(&o, &ctx) == 0);
	CHECK(genkan_ctx_set_time(ctx, 1000) == 0);
}

static void
drop_context(void)
{
	genkan_ctx_free(ctx);
	ctx = NULL;
}

static void
must(int (*run)(genkan_report **))
{
	genkan_report *rep = NULL;

	say_yes();
	CHECK(run(&rep) == 0);
	CHECK(genkan_report_status(rep) == 0);
	genkan_report_free(rep);
}

static void
prepare(const struct act *a)
{
	world_fresh();
	CHECK(mkdir(world_at("home/manifests"), 0700) == 0);
	make_context(false);
	if ((a->needs & KEY) != 0)
		must(pair_key);
	if ((a->needs & (PAIRED | KILLED)) != 0)
		must(pair);
	if ((a->needs & POLICY) != 0)
		must(allow);
	if ((a->needs & TIGHT) != 0)
		must(restrict_it);
	if ((a->needs & KILLED) != 0)
		must(kill_engage);
	if ((a->needs & REGISTERED) != 0)
		must(enrol);
	drop_context();
}

/* The act itself: with the n-th allocation failing. */
static size_t
do_it(const struct act *a, struct memory *m, size_t n, bool *done)
{
	genkan_report *const none = (genkan_report *)(uintptr_t)"none";
	genkan_report *rep = none;
	size_t asked;
	int r;

	say_yes();
	m->fail_at = n;
	asked = m->asked;
	r = a->run(&rep);
	asked = m->asked - asked;
	m->fail_at = 0;
	*done = false;
	if (r == 0) {
		CHECK(rep != none && genkan_report_text(rep) != NULL);
		*done = genkan_report_status(rep) == a->status;
		if (*done)
			CHECK(is_done(a));
		else
			CHECK(genkan_report_status(rep) == 1 &&
			    genkan_report_warnings(rep)[0] != '\0');
		genkan_report_free(rep);
	} else {
		CHECK(r == GENKAN_E_NOMEM || r == GENKAN_E_CRYPTO);
		CHECK(rep == none);
		CHECK(genkan_ctx_last_error(ctx)[0] != '\0');
	}
	return asked;
}

static void
do_it_again(const struct act *a, bool was_done)
{
	genkan_report *rep = NULL;
	int status;

	say_yes();
	CHECK(a->run(&rep) == 0);
	status = genkan_report_status(rep);
	/* The history goes first: of a change that then fails it may know. */
	if (strstr(genkan_report_warnings(rep), "is ambiguous") == NULL) {
		CHECK(status == a->status || (status == a->again &&
		    (was_done || is_done(a))));
		CHECK(is_done(a));
	}
	genkan_report_free(rep);
}

static size_t
run_act(const void *arg, struct memory *m, size_t n, bool *failed)
{
	const struct act *a = arg;
	size_t asked, before;
	bool done;

	if (m == NULL)
		m = &own;
	prepare(a);
	if (n == 0) {
		memset(usual, 0, sizeof(usual));
		names(usual, sizeof(usual));
	}
	make_context(m == &own);
	before = m->failed;
	asked = do_it(a, m, n, &done);
	*failed = m->failed != before;
	if (n == 0)
		names(usual, sizeof(usual));
	else
		look_for_leftovers();
	look_at_records();
	do_it_again(a, done);
	look_at_records();
	drop_context();
	CHECK(own.live == 0);
	return asked;
}

/* ------------------------------------------------------ without any records */

static size_t
count(struct memory *m, size_t n)
{
	m->fail_at = n;
	return m->asked;
}

/* A registration, and two assertions of what was registered. */
static int
ceremonies(void)
{
	static const char challenge[] =
	    "_mbsJarbgGZZlu_wiVi1M2dCVkvMuo87A7WysToqyDA";
	static uint8_t data[SOFTKEY_MAX], object[SOFTKEY_MAX],
	    sig[SOFTKEY_MAX];
	static char said[SOFTKEY_MAX];
	static struct softkey key;
	static size_t len, object_len, said_len, sig_len;
	genkan_rp rp = GENKAN_RP_INIT;
	genkan_credential *cred = NULL, *copy = NULL;
	char text[GENKAN_CHALLENGE_SIZE];
	uint32_t counter = 7;
	int r;

	rp.id = "example.com";
	rp.origin = "https://example.com";
	rp.challenge = challenge;
	if (object_len == 0) {	/* made once: with memory of its own */
		softkey_init(&key, 5, 32);
		len = softkey_authdata(&key, rp.id, 0x45, data);
		object_len = softkey_attestation(data, len, object);
	}
	said_len = softkey_client_data("webauthn.create", challenge,
	    rp.origin, said);
	r = genkan_webauthn_nonce(ctx, text);
	if (r == 0)
		r = genkan_webauthn_challenge(ctx, GENKAN_CEREMONY_ENROLL,
		    "chrome", "enroll", text, text);
	if (r == 0)
		r = genkan_webauthn_register(ctx, &rp, object, object_len,
		    said, said_len, &cred);
	CHECK((r == 0) == (cred != NULL));
	if (r == 0)
		r = genkan_credential_new(ctx, genkan_credential_id(cred,
		    NULL), 32, genkan_credential_public_key(cred),
		    genkan_credential_sign_count(cred), 0, &copy);
	if (sig_len == 0 && r == 0) {
		key.count++;
		len = softkey_authdata(&key, rp.id, 0x01, data);
		said_len = softkey_client_data("webauthn.get", challenge,
		    rp.origin, said);
		sig_len = softkey_sign(&key, data, len, said, said_len, sig);
	}
	said_len = softkey_client_data("webauthn.get", challenge, rp.origin,
	    said);
	if (r == 0)
		r = genkan_webauthn_assert(ctx, &rp, copy, data, len, said,
		    said_len, sig, sig_len, &counter);
	CHECK(r == 0 || counter == 7);
	if (r == 0)
		r = genkan_credential_counted(copy, counter);
	genkan_credential_free(copy);
	genkan_credential_free(cred);
	return r;
}

/* Who is at the other end: this very program. */
static int
attestation(void)
{
	genkan_peer *p = NULL;
	int fd[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		abort();
	r = genkan_peer_query(ctx, fd[0], world_at("bin"), &p);
	CHECK((r == 0) == (p != NULL));
	if (r == 0) {
		CHECK(genkan_peer_pid(p) == getpid());
		/* Measured, or there is a reason. */
		CHECK((genkan_peer_hash(p) != NULL) ==
		    (genkan_peer_why(p)[0] == '\0'));
		/* Never taken for somebody else. */
		CHECK(genkan_peer_hash(p) != NULL ||
		    genkan_peer_roles(p) == 0);
		if (genkan_peer_hash(p) == NULL ||
		    genkan_peer_roles(p) != (GENKAN_ROLE_SERVER |
		    GENKAN_ROLE_HOST))
			r = GENKAN_E_NOMEM;
	}
	genkan_peer_free(p);
	(void)close(fd[0]);
	(void)close(fd[1]);
	return r;
}

/* Frames of a size that takes several allocations. */
static int
frames(void)
{
	static char frame[70000];
	genkan_native *dec = NULL;
	size_t used, len, at;
	int r;

	memset(frame, ' ', sizeof(frame));
	CHECK(genkan_native_header(sizeof(frame) - 4, GENKAN_NATIVE_IN_MAX,
	    (uint8_t *)frame) == 0);
	r = genkan_native_new(ctx, GENKAN_NATIVE_IN_MAX, &dec);
	CHECK((r == 0) == (dec != NULL));
	for (at = 0; r == 0 && at < sizeof(frame); at += used) {
		len = sizeof(frame) - at;
		r = genkan_native_feed(dec, frame + at, len < 5000 ? len :
		    5000, &used);
		CHECK(r >= 0 || genkan_native_feed(dec, "", 0, &used) == r);
	}
	if (r == 1) {
		CHECK(genkan_native_frame(dec, &len) != NULL &&
		    len == sizeof(frame) - 4);
		r = 0;
	}
	genkan_native_free(dec);
	return r;
}

/* A client that is told that there is no broker, and is freed by who is told. */
static struct {
	genkan_client	*client;
	int		 code, given, freed, other_freed;
} called;

static void
count_freed(void *freed)
{
	(*(int *)freed)++;
}

static void
on_state(void *user, const genkan_event *ev)
{
	genkan_callbacks none = GENKAN_CALLBACKS_INIT;

	(void)user;
	called.code = ev->code;
	called.given++;
	none.user = &called.other_freed;
	none.free_user = count_freed;
	CHECK(genkan_client_set_callbacks(called.client, &none) !=
	    GENKAN_E_STATE);
	CHECK(called.freed == 0);	/* it is what we stand in */
	genkan_client_free(called.client);
	CHECK(genkan_client_state(called.client) == GENKAN_CLIENT_DETACHED);
	genkan_client_free(called.client);
	called.client = NULL;
}

static int
callbacks(void)
{
	genkan_callbacks cb = GENKAN_CALLBACKS_INIT;
	int r;

	memset(&called, 0, sizeof(called));
	cb.user = &called.freed;
	cb.free_user = count_freed;
	cb.state = on_state;
	r = genkan_client_new(ctx, NULL, &called.client);
	if (r == 0) {
		called.given++;
		r = genkan_client_set_callbacks(called.client, &cb);
		CHECK(called.freed == (r < 0));
	}
	if (r == 0)
		r = genkan_client_attach(called.client);
	if (r == 0) {
		r = genkan_dispatch(ctx, called.client);
		CHECK(r >= 0);
		r = called.code == GENKAN_E_CONNECT ||
		    called.code == GENKAN_E_NOENT ? 0 : called.code;
	}
	genkan_client_free(called.client);
	CHECK(called.freed + called.other_freed == called.given);
	return r;
}

static size_t
run_plain(const void *arg, struct memory *m, size_t n, bool *failed)
{
	int (*const *fn)(void) = arg;
	size_t asked, before;
	int r;

	if (m == NULL)
		m = &own;
	make_context(m == &own);
	before = m->failed;
	asked = count(m, n);
	r = (*fn)();
	asked = m->asked - asked;
	m->fail_at = 0;
	*failed = m->failed != before;
	CHECK(r == 0 || (*failed && (r == GENKAN_E_NOMEM ||
	    r == GENKAN_E_CRYPTO)));
	CHECK((*fn)() == 0);
	drop_context();
	CHECK(own.live == 0);
	return asked;
}

/* --------------------------------------------------------------------- main */

static int (*const plain[])(void) = { ceremonies, attestation, frames,
    callbacks };
static const char *const plain_name[] = {
	"registration and assertion of an authenticator",
	"attestation of a peer", "frames of native messaging",
	"a client that is freed by its callback",
};

static const char *const plain_openssl[] = {
	"OpenSSL verifies an authenticator", "OpenSSL hashes a peer",
};

#define N(list)	(sizeof(list) / sizeof(list[0]))

int
main(int argc, char **argv)
{
	static struct sweep s[N(acts) + N(plain) + 4];
	int r = world_enter(argv[0]);
	size_t i, n;

	(void)argc;
	if (r >= 0)
		return r;
	sit_down();
	for (i = n = 0; i < N(acts); i++, n++) {
		s[n].name = acts[i].name;
		s[n].run = run_act;
		s[n].arg = &acts[i];
	}
	for (i = 0; i < N(plain); i++, n++) {
		s[n].name = plain_name[i];
		s[n].run = run_plain;
		s[n].arg = &plain[i];
	}
	for (i = 0; i < N(plain_openssl); i++, n++) {
		s[n] = s[N(acts) + i];
		s[n].name = plain_openssl[i];
		s[n].process = true;
		s[n].whose = OF_CRYPTO;
	}
	s[n] = s[0];
	s[n].name = "OpenSSL makes a host key";
	s[n].process = true;
	s[n++].whose = OF_CRYPTO;
	s[n] = s[8];
	s[n].name = "OpenSSL signs a policy";
	s[n].process = true;
	s[n++].whose = OF_CRYPTO;
	return sweep_all(s, n);
}
