/*
 * Events by callback.  A broker and its client in one program, with records that
 * the program keeps: no socket and no file.  Calls one tool and prints what came
 * of it; the client is freed by the very function that is told of that.
 *
 *   cc callbacks.c $(pkg-config --cflags --libs genkan)
 *   callbacks TOOL [ARGUMENTS]
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <genkan/genkan.h>

/* Who the client is.  Both ends are this program, so nobody is measured. */
#define HASH	"0123456789abcdef0123456789abcdef" \
		"0123456789abcdef0123456789abcdef"

struct app {
	genkan_client	*client;	/* NULL: it is over */
	const char	*tool, *args;
	int		 status;
};

/* ------------------------------------------------------- asked by the library */

static int64_t
now(void *user)
{
	struct timespec t;

	(void)user;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* One client is admitted, and there is no policy.  They never change, so that
 * their number is always 1. */
static int
load(void *user, int record, const void **ptr, size_t *len, uint64_t *version)
{
	static const char trust[] = "{\"version\":0,\"epoch\":1,"
	    "\"killed\":false,\"kill_epoch\":0,\"host_key_epoch\":0,"
	    "\"policy_epoch\":0,\"lang_epoch\":0,\"clients\":[{\"name\":"
	    "\"me\",\"anchor\":{\"kind\":\"hash\",\"value\":\"" HASH "\"},"
	    "\"added_unix\":1}],\"enrollments\":[]}";

	(void)user;
	if (record != GENKAN_RECORD_TRUST)
		return GENKAN_E_NOENT;
	*ptr = trust;
	*len = sizeof(trust) - 1;
	*version = 1;
	return 0;
}

/* ----------------------------------------------------------------- callbacks */

static void
finish(struct app *a, int status)
{
	a->status = status;
	/* It is dispatched just now, and so goes when that is over. */
	genkan_client_free(a->client);
	a->client = NULL;
}

static void
on_state(void *user, const genkan_event *ev)
{
	struct app *a = user;
	uint64_t id;

	if (ev->status == GENKAN_CLIENT_ATTACHED &&
	    genkan_client_call(a->client, a->tool, a->args, a->args == NULL ?
	    0 : strlen(a->args), 0, &id) == 0)
		return;
	fprintf(stderr, "callbacks: %s\n", ev->code != 0 ? ev->text :
	    "these are no arguments");
	finish(a, 2);
}

static void
on_result(void *user, const genkan_event *ev)
{
	printf("%s %s\n", genkan_code_name(ev->code), ev->text != NULL ?
	    ev->text : ev->data);
	finish(user, ev->code != 0);
}

static void
no_more(void *user)
{
	(void)user;
	puts("the callbacks are not needed any more");
}

/* --------------------------------------------------------------------- main */

static int
move(genkan_leg *from, genkan_leg *to)
{
	const void *ptr;
	size_t len, used = 0;

	if (genkan_leg_output(from, &ptr, &len) != 1)
		return 0;
	(void)genkan_leg_feed(to, ptr, len, &used);
	genkan_leg_wrote(from, used);
	return used > 0;
}

static int
join(struct app *a, genkan_ctx *ctx, genkan_broker *broker,
    const char *secret, genkan_leg *leg[2])
{
	genkan_peer_facts facts = GENKAN_PEER_FACTS_INIT;
	genkan_peer *peer;
	int r;

	facts.same_user = 1;
	facts.hash = HASH;
	r = genkan_client_join(a->client, secret, &leg[0]);
	if (r < 0 || (r = genkan_peer_new(ctx, &facts, &peer)) < 0)
		return r;
	r = genkan_broker_accept(broker, peer, &leg[1]);
	genkan_peer_free(peer);
	return r;
}

static void
fresh_secret(char secret[33])
{
	unsigned char raw[16];
	int i;

	if (getentropy(raw, sizeof(raw)) < 0)
		_exit(2);
	for (i = 0; i < 16; i++)
		(void)snprintf(secret + 2 * i, 3, "%02x", raw[i]);
}

static int
run(struct app *a, genkan_ctx *ctx, genkan_broker **broker,
    genkan_leg *leg[2])
{
	genkan_broker_options options = GENKAN_BROKER_OPTIONS_INIT;
	genkan_callbacks callbacks = GENKAN_CALLBACKS_INIT;
	genkan_store store = GENKAN_STORE_INIT;
	const struct timespec pause = { 0, 10000000 };
	char secret[33];
	int r;

	fresh_secret(secret);
	store.load = load;
	options.secret = secret;
	options.store = &store;
	callbacks.user = a;
	callbacks.free_user = no_more;
	callbacks.state = on_state;
	callbacks.result = on_result;
	r = genkan_broker_new(ctx, &options, broker);
	if (r == 0)
		r = genkan_client_new(ctx, NULL, &a->client);
	if (r == 0)
		r = genkan_client_set_callbacks(a->client, &callbacks);
	if (r == 0)
		r = join(a, ctx, *broker, secret, leg);
	while (r >= 0 && a->client != NULL) {
		while (move(leg[0], leg[1]) + move(leg[1], leg[0]) > 0)
			continue;
		r = genkan_dispatch(ctx, a->client);
		if (r > 0)
			continue;
		/* Nothing to do but to wait: for the next deadline, or for
		 * sockets if there were some, as loop_poll.c does. */
		(void)nanosleep(&pause, NULL);
		genkan_broker_tick(*broker, GENKAN_NOW);
		genkan_client_tick(a->client, GENKAN_NOW);
	}
	return r;
}

int
main(int argc, char **argv)
{
	genkan_ctx_options options = GENKAN_CTX_OPTIONS_INIT;
	genkan_leg *leg[2] = { NULL, NULL };
	genkan_broker *broker = NULL;
	struct app a = { NULL, NULL, NULL, 2 };
	genkan_ctx *ctx;
	int r;

	if (argc < 2 || argc > 3)
		return 2;
	a.tool = argv[1];
	a.args = argv[2];
	options.clock_fn = now;
	r = genkan_ctx_new(&options, &ctx);
	if (r < 0)
		return 2;
	r = run(&a, ctx, &broker, leg);
	if (r < 0)
		fprintf(stderr, "callbacks: %s\n", genkan_ctx_last_error(ctx));
	genkan_leg_free(leg[0]);
	genkan_leg_free(leg[1]);
	genkan_client_free(a.client);
	genkan_broker_free(broker);
	genkan_ctx_free(ctx);
	return a.status;
}
