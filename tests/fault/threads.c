/*
 * Contexts share nothing: two threads, each with a context of its own, go
 * through the public API at the same time, over one home, while the jobs of
 * both run on two further threads.  Built with -fsanitize=thread this finds
 * what is shared after all; without, it still compares what the threads saw.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <genkan/genkan.h>

#define ROUNDS	6

static const char discover[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
    "\"server/discover\",\"params\":{\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{"
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"list_browsers\",\"arguments\":{},"
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";

struct runner {
	int		 number;
	genkan_ctx	*ctx;
	unsigned long	 saw;		/* a digest of all answers */
	size_t		 answers;
	int		 failed;	/* the line of the first check, 0 */
};

#define CHECK(r, cond) \
	do { \
		if (!(cond) && (r)->failed == 0) \
			(r)->failed = __LINE__; \
	} while (0)

static pthread_barrier_t together;

static void
saw(struct runner *r, const char *text, size_t len)
{
	size_t i;

	for (i = 0; text != NULL && i < len; i++)
		r->saw = r->saw * 31 + (unsigned char)text[i];
	r->answers++;
}

/* -------------------------------------------------------------- small things */

static void
tables(struct runner *r)
{
	const char *text;
	size_t n;
	int i;

	for (i = -80; i <= 80; i++) {
		const char *const all[] = {
			genkan_error_name(i), genkan_error_text(i),
			genkan_refusal_name(i), genkan_refusal_text(i),
			genkan_code_name(i), genkan_code_text(i),
		};

		for (n = 0; n < sizeof(all) / sizeof(all[0]); n++)
			if (all[n] != NULL)
				saw(r, all[n], strlen(all[n]));
		r->saw += (unsigned long)genkan_error_class(i);
		r->saw += (unsigned long)genkan_code_retryable(i);
	}
	for (n = 0; (text = genkan_policy_field(n)) != NULL; n++)
		saw(r, text, strlen(text));
	for (n = 0; (text = genkan_policy_flag(n)) != NULL; n++)
		saw(r, text, strlen(text));
	saw(r, genkan_version(), strlen(genkan_version()));
}

static void
codec(struct runner *r)
{
	uint8_t frame[64];
	genkan_native *dec = NULL;
	const void *got;
	size_t i, used, len;
	int w;

	CHECK(r, genkan_native_encode("{\"a\":1}", 7, 1024, frame,
	    sizeof(frame)) == 0);
	CHECK(r, genkan_native_new(r->ctx, 1024, &dec) == 0);
	for (i = 0, w = 0; i < 11; i += used) {
		w = genkan_native_feed(dec, frame + i, 1, &used);
		if (w != 0 || used == 0)
			break;
	}
	got = genkan_native_frame(dec, &len);
	CHECK(r, w == 1 && got != NULL && len == 7);
	saw(r, got, len);
	genkan_native_free(dec);
}

static void
ceremony(struct runner *r)
{
	char nonce[128], challenge[128];
	static const uint8_t key[65] = { 4 };
	genkan_credential *cred = NULL;

	CHECK(r, genkan_webauthn_nonce(r->ctx, nonce) == 0);
	CHECK(r, genkan_webauthn_challenge(r->ctx, GENKAN_CEREMONY_PRESENCE,
	    "chrome", "release", nonce, challenge) == 0);
	CHECK(r, genkan_webauthn_challenge(r->ctx, GENKAN_CEREMONY_PRESENCE,
	    "chrome", "release",
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", challenge) == 0);
	saw(r, challenge, strlen(challenge));
	/* Not a point of the curve: refused by OpenSSL, in a context of ours. */
	CHECK(r, genkan_credential_new(r->ctx, "id", 2, key, 0, 0, &cred) < 0);
	saw(r, genkan_ctx_last_error(r->ctx),
	    strlen(genkan_ctx_last_error(r->ctx)));
	genkan_credential_free(cred);
}

static void
peer(struct runner *r)
{
	genkan_peer *p = NULL;
	int fd[2];

	CHECK(r, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
	CHECK(r, genkan_peer_query(r->ctx, fd[0], "/usr/bin", &p) == 0);
	CHECK(r, genkan_peer_pid(p) == getpid());
	CHECK(r, genkan_peer_same_user(p) == 1);
	CHECK(r, genkan_peer_hash(p) != NULL);
	saw(r, genkan_peer_hash(p), 64);
	genkan_peer_free(p);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

static void
end(struct runner *r, int result, genkan_report **report)
{
	CHECK(r, (result >= 0) == (*report != NULL));
	if (*report != NULL) {
		CHECK(r, genkan_report_text(*report) != NULL);
		(void)genkan_report_json(*report);
		(void)genkan_report_warnings(*report);
		(void)genkan_report_status(*report);
	}
	genkan_report_free(*report);
	*report = NULL;
}

/* Reports on one state directory, which the other one changes meanwhile: what
 * they say may differ, so it is not compared. */
static void
reports(struct runner *r)
{
	static int (*const all[])(genkan_ctx *, genkan_report **) = {
		genkan_doctor_check, genkan_doctor_list, genkan_doctor_paths,
		genkan_policy_show, genkan_policy_history, genkan_lang_show,
		genkan_key_status, genkan_trust_list, genkan_kill_engage,
		genkan_kill_release,
	};
	genkan_pair_options whom = GENKAN_PAIR_OPTIONS_INIT;
	genkan_report *report = NULL;
	char name[16];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		end(r, all[i](r->ctx, &report), &report);
	(void)snprintf(name, sizeof(name), "client-%d", r->number);
	whom.name = name;
	whom.hash = "0000000000000000000000000000000000000000000000000000000000"
	    "000000";
	/* Nobody is there to be asked. */
	end(r, genkan_trust_pair(r->ctx, &whom, &report), &report);
	end(r, genkan_trust_revoke(r->ctx, name, &report), &report);
	end(r, genkan_lang_set(r->ctx, "de", &report), &report);
	end(r, genkan_audit_read(r->ctx, 20, 1, &report), &report);
}

/* ------------------------------------------------------------------ machines */

static void *
run_job(void *job)
{
	genkan_job_run(job);
	return NULL;
}

/* On a thread of its own, as programs do it. */
static void
elsewhere(struct runner *r, genkan_job *job)
{
	pthread_t id;

	if (pthread_create(&id, NULL, run_job, job) != 0) {
		CHECK(r, 0);
		return;
	}
	(void)pthread_join(id, NULL);
}

/* What the leg has to say, up to the end of the n-th line. */
static void
drain(struct runner *r, genkan_leg *leg, size_t *lines)
{
	const void *ptr;
	const char *c;
	size_t len, i;

	while (genkan_leg_output(leg, &ptr, &len) == 1 && len > 0) {
		for (i = 0, c = ptr; i < len; i++)
			*lines += c[i] == '\n';
		genkan_leg_wrote(leg, len);
	}
	(void)r;
}

static int
turn_server(struct runner *r, genkan_server *s)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	int over = 0;

	while (genkan_server_next(s, &ev) == 1)
		if (ev.kind == GENKAN_EV_JOB) {
			elsewhere(r, ev.job);
			genkan_job_done(ev.job);
		} else if (ev.kind == GENKAN_EV_UNLISTEN) {
			(void)close(ev.fd);
		} else if (ev.kind == GENKAN_EV_SERVE) {
			(void)close(ev.fd);
			genkan_leg_free(ev.leg);
		} else if (ev.kind == GENKAN_EV_EXIT) {
			over = 1;
		}
	return over;
}

/* Discovered, listed and asked; the clock runs by ticks. */
static void
serve(struct runner *r)
{
	genkan_server *s = NULL;
	genkan_leg *leg;
	size_t used = 0, at = 0, lines = 0;
	int i, over = 0;

	CHECK(r, genkan_server_new(r->ctx, NULL, &s) == 0);
	leg = genkan_server_stdio(s);
	CHECK(r, leg != NULL);
	for (i = 1; i < 400 && lines < 3; i++) {
		over = turn_server(r, s);
		if (over)
			break;
		if (at < sizeof(discover) - 1 &&
		    genkan_leg_feed(leg, discover + at,
		    sizeof(discover) - 1 - at, &used) >= 0)
			at += used;
		genkan_server_tick(s, i * 50);
		genkan_leg_tick(leg, i * 50);
		drain(r, leg, &lines);
	}
	CHECK(r, lines == 3);
	genkan_server_stop(s);
	for (i = 0; i < 100 && !over; i++) {
		over = turn_server(r, s);
		genkan_server_tick(s, 30000 + i * 50);
		drain(r, leg, &lines);
	}
	CHECK(r, over);
	genkan_leg_free(leg);
	genkan_server_free(s);
}

static void
host(struct runner *r)
{
	static const char *const argv[] = { "--label", "chrome" };
	static const char ask[] = "{\"type\":\"client_list\",\"v\":1}";
	uint8_t frame[64];
	genkan_event ev = GENKAN_EVENT_INIT;
	genkan_host *h = NULL;
	genkan_leg *leg;
	size_t used, lines = 0;
	int i, over = 0;

	CHECK(r, genkan_host_new(r->ctx, 2, argv, &h) == 0);
	leg = genkan_host_stdio(h);
	CHECK(r, genkan_native_encode(ask, sizeof(ask) - 1, 1024, frame,
	    sizeof(frame)) == 0);
	for (i = 1; i < 200 && !over; i++) {
		while (genkan_host_next(h, &ev) == 1)
			if (ev.kind == GENKAN_EV_JOB) {
				elsewhere(r, ev.job);
				genkan_job_done(ev.job);
			} else if (ev.kind == GENKAN_EV_SERVE) {
				(void)close(ev.fd);
				genkan_leg_broken(ev.leg);
				genkan_leg_free(ev.leg);
			} else if (ev.kind == GENKAN_EV_EXIT) {
				over = 1;
			}
		if (i == 5)
			(void)genkan_leg_feed(leg, frame,
			    sizeof(ask) - 1 + GENKAN_NATIVE_HEADER_LEN, &used);
		if (i == 60)
			genkan_host_stop(h);
		genkan_host_tick(h, i * 50);
		genkan_leg_tick(leg, i * 50);
		drain(r, leg, &lines);
	}
	CHECK(r, over);
	genkan_leg_free(leg);
	genkan_host_free(h);
}

static void
client(struct runner *r)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	genkan_client *c = NULL;
	uint64_t id;
	int i, n;

	CHECK(r, genkan_client_new(r->ctx, NULL, &c) == 0);
	CHECK(r, genkan_client_attach(c) == 0);
	CHECK(r, genkan_client_call(c, "tab_list", "{}", 2, 1000, &id) == 0);
	for (i = 1, n = 0; i < 100 && n < 50; i++) {
		while (genkan_client_next(c, &ev) == 1) {
			n++;
			if (ev.kind == GENKAN_EV_JOB) {
				elsewhere(r, ev.job);
				genkan_job_done(ev.job);
			} else if (ev.kind == GENKAN_EV_SERVE) {
				(void)close(ev.fd);
				genkan_leg_free(ev.leg);
			}
		}
		genkan_client_tick(c, i * 100);
	}
	CHECK(r, n > 0);
	genkan_client_free(c);
}

static void *
run(void *arg)
{
	struct runner *r = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		(void)pthread_barrier_wait(&together);
		CHECK(r, genkan_ctx_new(NULL, &r->ctx) == 0);
		tables(r);
		codec(r);
		ceremony(r);
		peer(r);
		serve(r);
		host(r);
		client(r);
		reports(r);
		genkan_ctx_free(r->ctx);
	}
	return NULL;
}

/* ---------------------------------------------------------------------- main */

static int
say(int n, int ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", n, what);
	return ok ? 0 : 1;
}

static void
make_home(char dir[64])
{
	char path[128];

	(void)snprintf(dir, 64, "/tmp/gk-threads-XXXXXX");
	if (mkdtemp(dir) == NULL)
		exit(1);
	(void)snprintf(path, sizeof(path), "%s/home", dir);
	(void)mkdir(path, 0700);
	(void)setenv("HOME", path, 1);
	(void)snprintf(path, sizeof(path), "%s/run", dir);
	(void)mkdir(path, 0700);
	(void)setenv("XDG_RUNTIME_DIR", path, 1);
	(void)unsetenv("XDG_CONFIG_HOME");
	(void)unsetenv("XDG_DATA_HOME");
	(void)unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

int
main(void)
{
	struct runner r[2] = { { .number = 1 }, { .number = 2 } };
	pthread_t id[2];
	char dir[64], command[96];
	int bad = 0;

	make_home(dir);
	(void)pthread_barrier_init(&together, NULL, 2);
	printf("1..3\n");
	if (pthread_create(&id[0], NULL, run, &r[0]) != 0 ||
	    pthread_create(&id[1], NULL, run, &r[1]) != 0)
		return 1;
	(void)pthread_join(id[0], NULL);
	(void)pthread_join(id[1], NULL);
	(void)pthread_barrier_destroy(&together);
	if (r[0].failed != 0 || r[1].failed != 0)
		printf("# lines %d and %d\n", r[0].failed, r[1].failed);
	bad += say(1, r[0].failed == 0 && r[1].failed == 0,
	    "each thread is served by its own context");
	bad += say(2, r[0].saw == r[1].saw && r[0].answers == r[1].answers &&
	    r[0].answers > 500, "and sees what the other one sees");
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	bad += say(3, system(command) == 0, "and nothing is left");
	return bad != 0;
}
