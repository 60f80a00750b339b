/* See world.h. */
#include "world.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];
static pid_t pretended;		/* who getpid() says that we are; 0: the truth */
static int64_t now = 1000;

static void
need(bool cond, const char *what)
{
	if (cond)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	abort();
}

/* In place of the C library's. */
pid_t
getpid(void)
{
	return pretended != 0 ? pretended : (pid_t)syscall(SYS_getpid);
}

/* Likewise: no credential store, whose library has threads of its own and ends
 * the process when there is no memory. */
void *
dlopen(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

/* -------------------------------------------------------------- directories */

const char *
world_at(const char *name)
{
	static char path[8][256];
	static unsigned i;

	i = (i + 1) % 8;
	(void)snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

static int
remove_one(const char *path, const struct stat *st, int type,
    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void
drop(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void
world_fresh(void)
{
	drop(world_at("home"));
	drop(world_at("run"));
	need(mkdir(world_at("home"), 0700) == 0 &&
	    mkdir(world_at("run"), 0700) == 0, "a home");
}

/* Of a program, how much is loaded. */
static size_t
loaded(int fd)
{
	size_t end = 0;
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	int i;

	need(pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head),
	    "its header");
	for (i = 0; i < head.e_phnum; i++) {
		need(pread(fd, &part, sizeof(part), (off_t)head.e_phoff +
		    i * (off_t)sizeof(part)) == (ssize_t)sizeof(part),
		    "its parts");
		if (part.p_offset + part.p_filesz > end)
			end = part.p_offset + part.p_filesz;
	}
	return end;
}

/*
 * Without what is for debuggers, which is most of it: everybody measures
 * everybody here, every time anew, and that would be most of the time.  gdb
 * takes the symbols from the program that was built (symbol-file).
 */
static void
copy(const char *from, const char *to)
{
	static char block[1 << 16];
	int in = open(from, O_RDONLY | O_CLOEXEC), out;
	size_t left;
	ssize_t n;

	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	need(in >= 0 && out >= 0, to);
	for (left = loaded(in); left > 0; left -= (size_t)n) {
		n = read(in, block, left < sizeof(block) ? left :
		    sizeof(block));
		need(n > 0 && write(out, block, (size_t)n) == n, to);
	}
	need(close(in) == 0 && close(out) == 0, to);
}

static void	 clean(struct actor *);

#define STAGE	"GENKAN_FAULT_WORLD"

static void
become(const char *stage)
{
	(void)setenv(STAGE, stage, 1);
	(void)execl(world_at("bin/genkan-server"),
	    world_at("bin/genkan-server"), (char *)NULL);
	need(false, "the program");
}

/* What it is called as: where the directories are, if that is as it should be. */
static const char *
stage(const char *self)
{
	const char *slash = strrchr(self, '/');
	size_t n;

	if (slash == NULL || strcmp(slash, "/genkan-server") != 0 ||
	    getenv(STAGE) == NULL)
		return "first";
	n = (size_t)(slash - self) - strlen("/bin");
	need(n < sizeof(dir), "its name");
	memcpy(dir, self, n);
	return getenv(STAGE);
}

static void
settle(void)
{
	int i;

	for (i = 0; world_cast[i] != NULL; i++)
		clean(world_cast[i]);
	(void)setenv("HOME", world_at("home"), 1);
	(void)setenv("XDG_RUNTIME_DIR", world_at("run"), 1);
	(void)unsetenv("XDG_CONFIG_HOME");
	(void)unsetenv("XDG_DATA_HOME");
	(void)unsetenv("DBUS_SESSION_BUS_ADDRESS");
	world_fresh();
}

/* First the directories are made; then there are a parent, who is the server of
 * another process to some, and a child. */
int
world_enter(const char *self)
{
	const char *now_is = stage(self);
	int status = 0;
	pid_t pid;

	if (strcmp(now_is, "child") == 0) {
		settle();
		return -1;
	}
	if (strcmp(now_is, "first") == 0) {
		(void)snprintf(dir, sizeof(dir), "/tmp/gk-fault-XXXXXX");
		need(mkdtemp(dir) != NULL && chmod(dir, 0755) == 0 &&
		    mkdir(world_at("bin"), 0755) == 0, dir);
		copy("/proc/self/exe", world_at("bin/genkan-server"));
		need(link(world_at("bin/genkan-server"),
		    world_at("bin/genkan-host")) == 0, "genkan-host");
		become("parent");
	}
	if ((pid = fork()) == 0)
		become("child");
	need(pid > 0 && waitpid(pid, &status, 0) == pid, "the program");
	drop(dir);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* -------------------------------------------------------------------- actors */

/* Nothing of an earlier life. */
static void
clean(struct actor *a)
{
	int i;

	a->nsaid = 0;
	a->over = false;
	a->nresults = 0;
	a->ntold = 0;
	a->listener = -1;
	for (i = 0; i < JOINED_MAX; i++)
		a->conn[i].fd = -1;
}

/* For who looks for the reason of a failure. */
static void
print_log(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	(void)user;
	(void)level;
	fprintf(stderr, "%s/%s: %s\n", tag, id, text);
}

static int
context(struct actor *a)
{
	genkan_ctx_options o = GENKAN_CTX_OPTIONS_INIT;
	int r;

	clean(a);
	o.user = &a->mem;
	o.realloc_fn = memory_realloc;
	if (getenv("GENKAN_FAULT") != NULL) {
		o.log_fn = print_log;
		o.log_level = GENKAN_LOG_DEBUG;
	}
	r = genkan_ctx_new(&o, &a->ctx);
	if (r == 0)
		r = genkan_ctx_set_time(a->ctx, now);
	return r;
}

int
world_server(struct actor *a, bool only_broker)
{
	genkan_server_options o = GENKAN_SERVER_OPTIONS_INIT;
	int r;

	o.broker_only = only_broker;
	if ((r = context(a)) == 0)
		r = genkan_server_new(a->ctx, &o, &a->server);
	if (r == 0)
		a->stdio = genkan_server_stdio(a->server);
	else
		world_free(a);
	return r;
}

static void	 send_frame(struct actor *, const char *json);

int
world_host(struct actor *a)
{
	static const char *const argv[] = { "--label", "chrome" };
	static const char hello[] = "{\"type\":\"hello\",\"protocol\":1,"
	    "\"capabilities\":[\"tab_control\",\"page_read\"]}";
	int r;

	if ((r = context(a)) == 0)
		r = genkan_host_new(a->ctx, 2, argv, &a->host);
	if (r < 0) {
		world_free(a);
		return r;
	}
	a->stdio = genkan_host_stdio(a->host);
	/* Kept as the input of the leg, which is in no hurry to read. */
	send_frame(a, hello);
	return 0;
}

int
world_client(struct actor *a)
{
	genkan_client_options o = GENKAN_CLIENT_OPTIONS_INIT;
	int r;

	o.program_dir = world_at("bin");
	if ((r = context(a)) == 0)
		r = genkan_client_new(a->ctx, &o, &a->client);
	if (r < 0)
		world_free(a);
	return r;
}

static void
unjoin(struct joined *c)
{
	(void)close(c->fd);
	genkan_leg_free(c->leg);
	c->fd = -1;
	c->leg = NULL;
	c->have = 0;
	c->eof = false;
}

/* The object alone: jobs and legs may outlive it, not the context. */
static void
free_object(struct actor *a)
{
	genkan_server_free(a->server);
	genkan_host_free(a->host);
	genkan_client_free(a->client);
	a->server = NULL;
	a->host = NULL;
	a->client = NULL;
}

void
world_free(struct actor *a)
{
	int i;

	if (a->listener >= 0)
		(void)close(a->listener);
	a->listener = -1;
	for (i = 0; i < JOINED_MAX; i++)
		if (a->conn[i].fd >= 0)
			unjoin(&a->conn[i]);
	a->conn[0].have = 0;
	genkan_leg_free(a->stdio);
	a->stdio = NULL;
	free_object(a);
	genkan_ctx_free(a->ctx);
	a->ctx = NULL;
}

/* ----------------------------------------------------------------- movement */

static void
join(struct actor *a, int fd, genkan_leg *leg)
{
	int i = a->host != NULL;	/* the first is its browser's input */

	for (; i < JOINED_MAX; i++) {
		struct joined *c = &a->conn[i];

		if (c->fd >= 0)
			continue;
		c->fd = fd;
		c->leg = leg;
		c->have = 0;
		c->eof = false;
		return;
	}
	need(false, "no place for a connection");
}

static int
event(struct actor *a, genkan_event *ev)
{
	return a->server != NULL ? genkan_server_next(a->server, ev) :
	    a->host != NULL ? genkan_host_next(a->host, ev) :
	    genkan_client_next(a->client, ev);
}

/* Its owner loses interest in the middle of an event; what that brought is the
 * owner's to get rid of. */
static void
abandon(struct actor *a, const genkan_event *ev)
{
	if (a->first)
		free_object(a);
	if (ev->kind == GENKAN_EV_JOB) {
		if (a->events % 2 == 0)
			genkan_job_run(ev->job);
		genkan_job_done(ev->job);
	} else if (ev->kind == GENKAN_EV_SERVE) {
		(void)close(ev->fd);
		genkan_leg_free(ev->leg);
	} else if (ev->kind == GENKAN_EV_LISTEN) {
		(void)close(ev->fd);
	} else if (ev->kind == GENKAN_EV_UNLISTEN) {
		(void)close(ev->fd);
		a->listener = -1;
	}
	world_free(a);
	a->over = true;
}

static bool
events(struct actor *a)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	bool some = false;
	int r;

	while ((r = event(a, &ev)) == 1) {
		some = true;
		if (++a->events == a->free_at) {
			abandon(a, &ev);
			return true;
		}
		if (a->reenter != NULL)
			a->reenter(a);
		switch (ev.kind) {
		case GENKAN_EV_JOB:
			genkan_job_run(ev.job);
			genkan_job_done(ev.job);
			break;
		case GENKAN_EV_LISTEN:
			a->listener = ev.fd;
			break;
		case GENKAN_EV_UNLISTEN:
			need(ev.fd == a->listener, "another listener");
			(void)close(ev.fd);
			a->listener = -1;
			break;
		case GENKAN_EV_SERVE:
			join(a, ev.fd, ev.leg);
			break;
		case GENKAN_EV_EXIT:
			a->over = true;
			break;
		case GENKAN_EV_RESULT:
			need(a->nresults < RESULTS_MAX, "too many results");
			a->result[a->nresults] = ev.id;
			a->code[a->nresults++] = ev.code;
			break;
		default:
			break;
		}
	}
	need(r == 0, "next");
	return some;
}

/* What was offered and not taken moves to the front. */
static bool
feed(struct joined *c, genkan_leg *leg)
{
	size_t used = 0;

	if (c->have == 0 || (genkan_leg_wants(leg) &
	    (GENKAN_WANT_READ | GENKAN_WANT_CLOSE)) == 0)
		return false;
	(void)genkan_leg_feed(leg, c->in, c->have, &used);
	c->have -= used;
	memmove(c->in, c->in + used, c->have);
	return used > 0;
}

static bool
receive(struct joined *c)
{
	ssize_t n;

	if (c->eof || c->have > 0 ||
	    (genkan_leg_wants(c->leg) & GENKAN_WANT_READ) == 0)
		return false;
	n = recv(c->fd, c->in, sizeof(c->in), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n > 0) {
		c->have = (size_t)n;
		(void)feed(c, c->leg);
	} else {
		c->eof = true;
		genkan_leg_eof(c->leg);
	}
	return true;
}

static bool
transmit(struct joined *c)
{
	bool some = false;
	const void *p;
	ssize_t n;
	size_t len;

	while (genkan_leg_output(c->leg, &p, &len) == 1) {
		n = send(c->fd, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			break;
		some = true;
		if (n < 0)
			genkan_leg_broken(c->leg);
		else
			genkan_leg_wrote(c->leg, (size_t)n);
	}
	return some;
}

static bool
connections(struct actor *a)
{
	bool some = false;
	int i;

	for (i = 0; i < JOINED_MAX; i++) {
		struct joined *c = &a->conn[i];

		if (c->fd < 0)
			continue;
		some |= feed(c, c->leg);
		some |= receive(c);
		some |= transmit(c);
		if ((genkan_leg_wants(c->leg) & GENKAN_WANT_CLOSE) != 0) {
			(void)transmit(c);
			unjoin(c);
			some = true;
		}
	}
	return some;
}

static void
send_frame(struct actor *a, const char *json)
{
	struct joined *c = &a->conn[0];
	const size_t n = strlen(json);

	need(genkan_native_encode(json, n, GENKAN_NATIVE_IN_MAX,
	    c->in + c->have, sizeof(c->in) - c->have) == 0, "a frame");
	c->have += n + GENKAN_NATIVE_HEADER_LEN;
}

/* Every request is answered with no tabs; of all else the type is kept. */
static void
take_frame(struct actor *a, const char *json)
{
	char text[64];
	int id;

	if (strstr(json, "\"op\":") != NULL &&
	    sscanf(json, "{\"id\":%d,", &id) == 1) {
		(void)snprintf(text, sizeof(text),
		    "{\"id\":%d,\"ok\":true,\"data\":[]}", id);
		send_frame(a, text);
	} else if (sscanf(json, "{\"type\":\"%31[a-z_]\"",
	    a->told[a->ntold % TOLD_MAX]) == 1) {
		a->ntold++;
	}
}

/* A browser: frames are whole, and objects. */
static void
browse(struct actor *a)
{
	uint32_t len;

	while (a->nsaid >= 4) {
		memcpy(&len, a->said, 4);
		need(len > 0 && len <= GENKAN_NATIVE_OUT_MAX, "a broken frame");
		if (a->nsaid < 4 + (size_t)len)
			return;
		if (getenv("GENKAN_FAULT") != NULL)
			fprintf(stderr, "browser gets %.*s\n", (int)len,
			    a->said + 4);
		need(a->said[4] == '{' && a->said[3 + len] == '}',
		    "a frame that is no object");
		a->said[3 + len] = '\0';	/* its brace */
		take_frame(a, a->said + 4);
		a->nsaid -= 4 + len;
		memmove(a->said, a->said + 4 + len, a->nsaid);
	}
}

void
world_page(struct actor *a, const char *json)
{
	a->ntold = 0;
	send_frame(a, json);
}

bool
world_told(const struct actor *a, const char *type)
{
	size_t i;

	for (i = 0; i < a->ntold && i < TOLD_MAX; i++)
		if (strcmp(a->told[i], type) == 0)
			return true;
	return false;
}

static bool
stdio(struct actor *a)
{
	bool some = false;
	const void *p;
	size_t len;

	if (a->stdio == NULL)
		return false;
	while (genkan_leg_output(a->stdio, &p, &len) == 1) {
		need(a->nsaid + len < SAID_MAX, "so much is said");
		memcpy(a->said + a->nsaid, p, len);
		a->nsaid += len;
		genkan_leg_wrote(a->stdio, len);
		some = true;
	}
	if (a->host != NULL) {
		browse(a);
		some |= feed(&a->conn[0], a->stdio);
	}
	if ((genkan_leg_wants(a->stdio) & GENKAN_WANT_CLOSE) != 0 &&
	    !a->over) {
		/* Its program would close the descriptors and hear of the end. */
		genkan_leg_free(a->stdio);
		a->stdio = NULL;
		a->over = true;
		some = true;
	}
	return some;
}

static bool
accepts(struct actor *a)
{
	bool some = false;

	while (a->listener >= 0 && genkan_server_accept(a->server) == 1)
		some = true;
	return some;
}

static bool
turn(struct actor *a)
{
	bool some;

	pretended = a->elsewhere ? getppid() : 0;
	some = events(a);
	if (a->ctx == NULL) {
		pretended = 0;
		return true;
	}
	some |= accepts(a);
	some |= connections(a);
	some |= stdio(a);
	pretended = 0;
	return some;
}

static void
tick(struct actor *a)
{
	if (a->server != NULL)
		genkan_server_tick(a->server, now);
	else if (a->host != NULL)
		genkan_host_tick(a->host, now);
	else
		genkan_client_tick(a->client, now);
}

static void
sooner(const struct actor *a, int64_t *at)
{
	int64_t ms = *at;
	int r;

	r = a->server != NULL ? genkan_server_deadline(a->server, &ms) :
	    a->host != NULL ? genkan_host_deadline(a->host, &ms) :
	    genkan_client_deadline(a->client, &ms);
	if (r == 1 && ms < *at)
		*at = ms;
}

bool
world_until(bool (*fn)(void *), void *arg)
{
	const int64_t end = now + 120000;
	int64_t at;
	bool some;
	int i;

	while (!fn(arg)) {
		some = false;
		for (i = 0; world_cast[i] != NULL; i++)
			if (world_cast[i]->ctx != NULL)
				some |= turn(world_cast[i]);
		if (some)
			continue;
		at = now + 200;
		for (i = 0; world_cast[i] != NULL; i++)
			if (world_cast[i]->ctx != NULL)
				sooner(world_cast[i], &at);
		now = at > now ? at : now + 1;
		for (i = 0; world_cast[i] != NULL; i++)
			if (world_cast[i]->ctx != NULL)
				tick(world_cast[i]);
		if (now > end)
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- MCP client */

void
world_say(struct actor *a, const char *line)
{
	size_t len = strlen(line), used;

	while (len > 0 && !a->over && a->stdio != NULL) {
		if (genkan_leg_feed(a->stdio, line, len, &used) < 0)
			break;
		need(used > 0, "a server that takes nothing");
		line += used;
		len -= used;
	}
}

const char *
world_answer(struct actor *a, int id)
{
	const char *at = a->said, *found = NULL;
	char want[48];

	(void)snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":%d,", id);
	a->said[a->nsaid] = '\0';
	while ((at = strstr(at, want)) != NULL) {
		need(found == NULL, "two answers");
		found = at++;
	}
	/* All of it. */
	return found != NULL && strchr(found, '\n') != NULL ? found : NULL;
}
