#include "local/rendezvous.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include "base/str.h"
#include "local/ground.h"
#include "os/clock.h"
#include "os/lock.h"
#include "os/sock.h"

static const struct gk_rendezvous rv = { &place, &install };
static struct gk_replaced replaced;
static struct gk_election e;
static int fd;

static void
setup(void)
{
	ground_make();
	memset(&replaced, 0, sizeof(replaced));
	fd = -1;
}

static void
teardown(void)
{
	if (fd >= 0)
		ck_assert_int_eq(close(fd), 0);
	ground_drop();
}

static enum gk_elected
elect(void)
{
	if (fd >= 0)
		(void)close(fd);
	gk_rendezvous_round(t.ctx, &rv, &replaced, true, &e, &fd, &notes);
	return e.outcome;
}

static size_t
runtime_names(void)
{
	struct dirent **list;
	int i, n = scandir(place.runtime, &list, NULL, NULL);

	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return (size_t)n - 2;
}

/* What a child does to be a broker: one round that must bind. */
static void
be_broker(void)
{
	if (elect() != GK_ELECTED_BROKER)
		_exit(1);
}

/* ------------------------------------------------------------- bind (step 3) */

START_TEST(test_the_first_one_binds_and_writes_its_lock)
{
	struct gk_runlock lock;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(read_lock(&lock), 0);
	ck_assert_str_eq(lock.endpoint, place.sock);
	ck_assert_str_eq(lock.state_dir, place.state);
	ck_assert_uint_eq(lock.pid, (uint32_t)getpid());
	ck_assert(gk_str_is_hex_lower(lock.secret, sizeof(lock.secret)));
	ck_assert_int_eq(mode_of("run/genkan"), 0700);
	ck_assert_int_eq(mode_of("run/genkan/run.lock"), 0600);
	ck_assert_int_eq(mode_of("run/genkan/run.sock"), 0600);
	ck_assert_int_eq(mode_of("run/genkan/run.mutex"), 0600);
	ck_assert_uint_eq(runtime_names(), 3);
	ck_assert(!exists("home/.local"));	/* nothing is to be written there */
}
END_TEST

START_TEST(test_the_secret_is_fresh_for_every_broker)
{
	struct gk_runlock one, two;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(read_lock(&one), 0);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);	/* our own pid: anew */
	ck_assert_int_eq(read_lock(&two), 0);
	ck_assert_mem_ne(one.secret, two.secret, sizeof(one.secret));
}
END_TEST

START_TEST(test_a_lock_of_no_living_process_is_taken_over)
{
	static const int64_t dead[] = { 0, 2147483648, 4294967295, -1 };
	struct gk_runlock lock;
	int64_t pid = dead[_i];

	if (pid == -1) {	/* a process that has just ended */
		pid = child(NULL);
		finish((pid_t)pid);
	}
	plant_lock(pid, place.sock, place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(read_lock(&lock), 0);
	ck_assert_uint_eq(lock.pid, (uint32_t)getpid());
}
END_TEST

START_TEST(test_a_zombie_is_no_broker)
{
	pid_t pid = child(NULL);

	plant_lock(pid, place.sock, place.state);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	while (state_of(pid) != 'Z')
		nap(5);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

/* Another program at that number is superseded, and never signalled. */
START_TEST(test_a_foreign_image_is_superseded_and_left_alone)
{
	pid_t pid;

	copy_to(SLEEPER, "sleeper");
	pid = start(at("sleeper"), NULL);
	plant_lock(pid, place.sock, place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert(noted("peer executable identity mismatch"));
	ck_assert_int_eq(notes.note[0].level, 1);	/* a warning */
	ck_assert_int_eq(state_of(pid), 'S');
	finish(pid);
}
END_TEST

START_TEST(test_an_unreadable_lock_is_taken_over)
{
	int dir = runtime_dir();
	char big[70000];

	switch (_i) {
	case 0:
		put("run/genkan/run.lock", "{", 0600);
		break;
	case 1:
		put("run/genkan/run.lock", "{\"pid\":1}", 0600);
		break;
	case 2:
		put("victim", "precious", 0600);
		ck_assert_int_eq(symlink(at("victim"),
		    at("run/genkan/run.lock")), 0);
		break;
	case 3:
		memset(big, ' ', sizeof(big));
		big[sizeof(big) - 1] = '\0';
		put("run/genkan/run.lock", big, 0600);
		break;
	case 4:
		ck_assert_int_eq(mkfifo(at("run/genkan/run.lock"), 0600), 0);
		break;
	default:
		plant_lock(getppid(), place.sock, place.state);
		if (geteuid() == 0)
			ck_assert_int_eq(chown(at("run/genkan/run.lock"),
			    OTHER_UID, OTHER_UID), 0);
		break;
	}
	ck_assert_int_eq(close(dir), 0);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	if (_i == 2)
		ck_assert(exists("victim"));
	ck_assert_uint_eq(runtime_names(), 3);
}
END_TEST

/* Whatever a lock file says, only a socket of this directory is removed. */
START_TEST(test_a_lock_removes_nothing_but_a_socket_in_its_directory)
{
	int dir = runtime_dir(), s = -1;

	put("run/genkan/precious", "x", 0600);
	ck_assert_int_eq(gk_sock_listen(at("home/outside"), 1, &s, &why), 0);
	ck_assert_int_eq(close(s), 0);
	ck_assert_int_eq(gk_sock_listen(at("run/genkan/old.sock"), 1, &s,
	    &why), 0);
	ck_assert_int_eq(close(s), 0);
	plant_lock(0, at("run/genkan/precious"), place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	plant_lock(0, at("home/outside"), place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	plant_lock(0, at("run/genkan/../../home/outside"), place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	plant_lock(0, at("run/genkan/old.sock"), place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert(exists("run/genkan/precious"));
	ck_assert(exists("home/outside"));
	ck_assert(!exists("run/genkan/old.sock"));
	ck_assert_int_eq(close(dir), 0);
}
END_TEST

START_TEST(test_a_leftover_socket_does_not_keep_us_from_binding)
{
	int dir = runtime_dir(), s = -1;

	if (_i == 0) {
		ck_assert_int_eq(gk_sock_listen(place.sock, 1, &s, &why), 0);
		ck_assert_int_eq(close(s), 0);
	} else if (_i == 1) {
		ck_assert_int_eq(symlink("/nowhere", place.sock), 0);
	} else {
		put("run/genkan/run.sock", "x", 0600);
	}
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(close(dir), 0);
}
END_TEST

START_TEST(test_what_cannot_be_bound_or_written_fails)
{
	int dir = runtime_dir();

	ck_assert_int_eq(mkdir(at(_i == 0 ? "run/genkan/run.sock" :
	    "run/genkan/run.lock"), 0700), 0);
	ck_assert_int_eq(elect(), GK_ELECTED_FAILED);
	ck_assert_int_eq(fd, -1);
	ck_assert_uint_gt(strlen(e.reason), 0);
	ck_assert_int_eq(close(dir), 0);
}
END_TEST

START_TEST(test_a_runtime_directory_that_cannot_be_trusted_fails)
{
	if (_i == 0) {
		ck_assert_int_eq(mkdir(at("elsewhere"), 0700), 0);
		ck_assert_int_eq(symlink(at("elsewhere"), at("run/genkan")),
		    0);
	} else if (_i == 1) {
		put("run/genkan", "x", 0600);
	} else {
		ck_assert_int_eq(mkdir(at("run/genkan"), 0700), 0);
		ck_assert_int_eq(symlink("x", at("run/genkan/run.mutex")), 0);
	}
	ck_assert_int_eq(elect(), GK_ELECTED_FAILED);
	if (_i == 0)
		ck_assert(!exists("elsewhere/run.lock"));
}
END_TEST

START_TEST(test_a_path_too_long_for_a_socket_fails_by_name)
{
	char text[16];
	size_t n;

	n = strlen(place.runtime);
	memset(place.runtime + n, '/', 1);
	memset(place.runtime + n + 1, 'l', 120);
	place.runtime[n + 121] = '\0';
	(void)snprintf(place.sock, sizeof(place.sock), "%.4000s/run.sock",
	    place.runtime);
	ck_assert_int_eq(elect(), GK_ELECTED_FAILED);
	(void)snprintf(text, sizeof(text), "%zu", strlen(place.sock));
	ck_assert_ptr_nonnull(strstr(e.reason, text));
	ck_assert_ptr_nonnull(strstr(e.reason, "107"));
	ck_assert_ptr_nonnull(strstr(e.reason, "XDG_RUNTIME_DIR"));
}
END_TEST

/* ------------------------------------------------------------- dial (step 4) */

START_TEST(test_a_living_broker_is_dialled)
{
	struct gk_runlock lock;
	uint32_t uid;
	int64_t pid;
	pid_t broker = child(be_broker);

	ck_assert_int_eq(elect(), GK_ELECTED_DIALLED);
	ck_assert_int_eq(gk_sock_cred(fd, &uid, &pid, &why), 0);
	ck_assert_int_eq(pid, broker);
	ck_assert_int_eq(read_lock(&lock), 0);
	ck_assert_uint_eq(lock.pid, (uint32_t)broker);
	ck_assert_mem_eq(e.secret, lock.secret, sizeof(lock.secret));
	finish(broker);
}
END_TEST

/* Who is short of memory or descriptors knows nothing about the broker. */
START_TEST(test_shortage_takes_nothing_over)
{
	struct rlimit old, tight;
	pid_t pid = child(be_broker);
	enum gk_elected got = GK_ELECTED_RETRY;
	size_t i, failed;

	for (i = 1; _i == 0; i++) {
		failed = t.failed;
		t.fail_at = i;
		got = elect();
		t.fail_at = 0;
		if (t.failed == failed)
			break;
		ck_assert_int_eq(got, GK_ELECTED_RETRY);
	}
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	for (i = 3; _i == 1 && got != GK_ELECTED_DIALLED && i < 64; i++) {
		tight.rlim_cur = i;
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
		got = elect();
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
		ck_assert_int_ne(got, GK_ELECTED_BROKER);
		ck_assert_int_ne(got, GK_ELECTED_DENIED);
	}
	ck_assert_uint_gt(i, 2);
	ck_assert_int_eq(got, GK_ELECTED_DIALLED);
	ck_assert(exists("run/genkan/run.lock"));
	finish(pid);
}
END_TEST

START_TEST(test_a_broker_is_only_reported_where_nobody_wants_a_dial)
{
	pid_t broker = child(be_broker);
	char text[16];

	gk_rendezvous_round(t.ctx, &rv, &replaced, false, &e, &fd, &notes);
	ck_assert_int_eq(e.outcome, GK_ELECTED_FOUND);
	(void)snprintf(text, sizeof(text), "%d", (int)broker);
	ck_assert_ptr_nonnull(strstr(e.reason, text));
	ck_assert_int_eq(fd, -1);
	finish(broker);
}
END_TEST

START_TEST(test_a_killed_broker_is_followed_at_once)
{
	pid_t broker = child(be_broker);

	finish(broker);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert(exists("run/genkan/run.sock"));
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
}
END_TEST

static void
bind_and_stop_listening(void)
{
	be_broker();
	(void)close(fd);
	fd = -1;
}

/* 3.2: it lives, but a second connect under the lock proves that nobody
 * listens; so a reused number cannot keep a dead lock alive. */
START_TEST(test_a_lock_behind_which_nobody_listens_is_removed)
{
	pid_t broker = child(bind_and_stop_listening);

	ck_assert_int_eq(elect(), GK_ELECTED_RETRY);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert(!exists("run/genkan/run.sock"));
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	finish(broker);
}
END_TEST

static void
listen_as_sleeper(void)
{
	int l = -1, dir = -1;

	if (gk_dirs_make(place.runtime, &dir, NULL) != 0 ||
	    gk_sock_listen(place.sock, 4, &l, NULL) != 0)
		_exit(1);
	(void)fcntl(l, F_SETFD, 0);
	(void)execl(at("sleeper"), "sleeper", "60", (char *)NULL);
	_exit(127);
}

/* The lock names a broker of ours, another program answers. */
START_TEST(test_a_foreign_program_behind_the_socket_is_denied)
{
	pid_t broker = child(NULL), other;

	copy_to(SLEEPER, "sleeper");
	other = fork();
	if (other == 0)
		listen_as_sleeper();
	wait_asleep(other, "sleeper");
	plant_lock(broker, place.sock, place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_DENIED);
	ck_assert_ptr_nonnull(strstr(e.reason,
	    "peer executable identity mismatch"));
	ck_assert_int_eq(fd, -1);
	finish(other);
	finish(broker);
}
END_TEST

START_TEST(test_another_state_directory_is_denied)
{
	pid_t broker = child(NULL);

	plant_lock(broker, place.sock, "/somewhere/else");
	ck_assert_int_eq(elect(), GK_ELECTED_DENIED);
	ck_assert_ptr_nonnull(strstr(e.reason, "state directory mismatch"));
	ck_assert_ptr_nonnull(strstr(e.reason, "/somewhere/else"));
	ck_assert_ptr_nonnull(strstr(e.reason, place.state));
	ck_assert(exists("run/genkan/run.lock"));
	finish(broker);
}
END_TEST

START_TEST(test_one_state_directory_by_another_name_is_fine)
{
	pid_t broker;
	int dir = -1;

	ck_assert_int_eq(gk_dirs_make(place.state, &dir, &why), 0);
	ck_assert_int_eq(close(dir), 0);
	ck_assert_int_eq(symlink(at("home"), at("link")), 0);
	broker = child(be_broker);
	plant_lock(broker, place.sock, at("link/.local/state/genkan"));
	ck_assert_int_eq(elect(), GK_ELECTED_DIALLED);
	finish(broker);
}
END_TEST

/* A mismatch counts only where the lock's process is a broker of ours. */
START_TEST(test_the_state_directory_of_a_dead_lock_does_not_matter)
{
	plant_lock(0, place.sock, "/somewhere/else");
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
}
END_TEST

/* ------------------------------------------------------------- image (step 1) */

START_TEST(test_a_replaced_image_takes_part_in_nothing)
{
	pid_t broker = child(be_broker);

	(void)snprintf(install.self.path, sizeof(install.self.path), "%s",
	    at("upgraded"));
	if (_i == 1)
		put("upgraded", "another program", 0755);
	ck_assert_int_eq(elect(), GK_ELECTED_OUTDATED);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert_int_eq(fd, -1);
	finish(broker);
	/* What was found stays so, whatever lies there now. */
	(void)unlink(at("upgraded"));
	copy_to("/proc/self/exe", "upgraded");
	ck_assert_int_eq(elect(), GK_ELECTED_OUTDATED);
}
END_TEST

START_TEST(test_the_same_bytes_in_a_new_file_are_no_replacement)
{
	copy_to("/proc/self/exe", "copy");
	(void)snprintf(install.self.path, sizeof(install.self.path), "%s",
	    at("copy"));
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert(replaced.judged);
	ck_assert(!replaced.replaced);
	ck_assert_int_eq(gk_replaced_glance(&install, &replaced),
	    GK_REPLACED_NO);		/* not hashed again */
}
END_TEST

/* ------------------------------------------------------------------ races */

#define STARTERS	12

/* All at once: one binds, all others reach it. */
START_TEST(test_of_many_starters_exactly_one_becomes_the_broker)
{
	int gate[2], report[2], i, brokers = 0, relays = 0;
	pid_t pid[STARTERS];
	char c;

	ck_assert_int_eq(pipe(gate) | pipe(report), 0);
	for (i = 0; i < STARTERS; i++) {
		pid[i] = fork();
		if (pid[i] != 0)
			continue;
		(void)close(gate[1]);
		(void)!read(gate[0], &c, 1);
		(void)elect();
		c = e.outcome == GK_ELECTED_BROKER ? 'b' :
		    e.outcome == GK_ELECTED_DIALLED ? 'r' : '?';
		(void)!write(report[1], &c, 1);
		for (;;)
			nap(1000);
	}
	ck_assert_int_eq(close(gate[1]), 0);
	for (i = 0; i < STARTERS; i++) {
		ck_assert_int_eq(read(report[0], &c, 1), 1);
		brokers += c == 'b';
		relays += c == 'r';
	}
	for (i = 0; i < STARTERS; i++)
		finish(pid[i]);
	ck_assert_int_eq(brokers, 1);
	ck_assert_int_eq(relays, STARTERS - 1);
	ck_assert_int_eq(close(gate[0]) | close(report[0]) | close(report[1]),
	    0);
}
END_TEST

/* ---------------------------------------------------------------- leaving */

START_TEST(test_leaving_removes_what_is_ours)
{
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(gk_rendezvous_leave(t.ctx, &place, 0, &notes), 0);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert(!exists("run/genkan/run.sock"));
	ck_assert_int_eq(gk_rendezvous_leave(t.ctx, &place, 0, &notes), 0);
	ck_assert_uint_eq(notes.n, 0);
}
END_TEST

START_TEST(test_leaving_leaves_the_lock_of_another_alone)
{
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	plant_lock(1, place.sock, place.state);
	ck_assert_int_eq(gk_rendezvous_leave(t.ctx, &place, 0, &notes), 0);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert(exists("run/genkan/run.sock"));
}
END_TEST

START_TEST(test_leaving_waits_no_longer_than_told_for_the_lock)
{
	int dir = runtime_dir(), mutex;
	uint64_t from, took;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(gk_lock_take(dir, "run.mutex", 0, &mutex, &why), 0);
	from = gk_clock_mono_ms();
	ck_assert_int_eq(gk_rendezvous_leave(t.ctx, &place, 250, &notes),
	    GENKAN_E_LOCKED);
	took = gk_clock_mono_ms() - from;
	ck_assert_uint_ge(took, 250);
	ck_assert_uint_lt(took, 400);
	ck_assert(exists("run/genkan/run.lock"));
	gk_lock_drop(mutex);
	ck_assert_int_eq(gk_rendezvous_leave(t.ctx, &place, 250, &notes), 0);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert_int_eq(close(dir), 0);
}
END_TEST

START_TEST(test_leaving_without_a_directory_creates_none)
{
	ck_assert_int_eq(gk_rendezvous_leave(t.ctx, &place, 0, &notes), 0);
	ck_assert(!exists("run/genkan"));
}
END_TEST

/* ------------------------------------------------------------------ hosts */

static struct gk_dialling d;
static char endpoint[GK_RUNLOCK_PATH_MAX];

static enum gk_dialled
dial(void)
{
	gk_rendezvous_dial(t.ctx, &rv, &d, endpoint, &fd, &notes);
	return d.outcome;
}

START_TEST(test_a_host_without_a_lock_is_told_to_start_the_server)
{
	ck_assert_int_eq(dial(), GK_DIALLED_NONE);
	ck_assert_int_eq(fd, -1);
	if (exists("run/genkan"))
		ck_abort_msg("dialling created a directory");
	ck_assert_int_eq(close(runtime_dir()), 0);
	ck_assert_int_eq(dial(), GK_DIALLED_NONE);
	ck_assert_ptr_nonnull(strstr(d.reason, "run.lock"));
	ck_assert_ptr_nonnull(strstr(d.reason, "MCP server"));
}
END_TEST

START_TEST(test_a_host_learns_whom_it_dialled)
{
	pid_t broker = child(be_broker);
	struct gk_runlock lock;
	uint32_t pid = 0;

	ck_assert_int_eq(dial(), GK_DIALLED_OK);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(d.id.pid, (uint32_t)broker);
	ck_assert_str_eq(d.id.endpoint, place.sock);
	ck_assert_int_eq(read_lock(&lock), 0);
	ck_assert_mem_eq(d.secret, lock.secret, sizeof(d.secret));
	ck_assert_int_eq(gk_rendezvous_look(t.ctx, &place, &pid, endpoint),
	    0);
	ck_assert_uint_eq(pid, (uint32_t)broker);
	finish(broker);
	ck_assert_int_lt(gk_rendezvous_look(t.ctx, &place, &pid, endpoint),
	    0);
}
END_TEST

START_TEST(test_a_host_refuses_foreign_servers_and_directories)
{
	pid_t broker, other;

	if (_i == 0) {
		copy_to(SLEEPER, "sleeper");
		other = fork();
		if (other == 0)
			listen_as_sleeper();
		wait_asleep(other, "sleeper");
		plant_lock(other, place.sock, place.state);
		ck_assert_int_eq(dial(), GK_DIALLED_FOREIGN);
		ck_assert_ptr_nonnull(strstr(d.reason,
		    "peer executable identity mismatch"));
		finish(other);
	} else {
		broker = child(be_broker);
		plant_lock(broker, place.sock, "/somewhere/else");
		ck_assert_int_eq(dial(), GK_DIALLED_MISMATCH);
		ck_assert_ptr_nonnull(strstr(d.reason,
		    "state directory mismatch"));
		finish(broker);
	}
	ck_assert_int_eq(fd, -1);
}
END_TEST

/* The role counts, not that the image is one of ours. */
START_TEST(test_a_host_does_not_take_a_host_for_the_server)
{
	pid_t broker = child(be_broker);

	gk_installset_init(&install.set);
	ck_assert_int_eq(gk_installset_add(&install.set, install.self.hash,
	    GK_ROLE_HOST), 0);
	ck_assert_int_eq(dial(), GK_DIALLED_FOREIGN);
	finish(broker);
}
END_TEST

START_TEST(test_a_probe_tells_lock_broker_and_mismatch_apart)
{
	char reason[512];
	pid_t broker;

	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_NONE);
	broker = child(be_broker);
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, false, reason),
	    GK_PROBE_LOCK);
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_BROKER);
	plant_lock(broker, place.sock, "/somewhere/else");
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_MISMATCH);
	ck_assert_ptr_nonnull(strstr(reason, "state directory mismatch"));
	finish(broker);
	/* A dead broker's directory is nobody's. */
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, true, reason),
	    GK_PROBE_NONE);
	put("run/genkan/run.lock", "damaged", 0600);
	ck_assert_int_eq(gk_rendezvous_probe(t.ctx, &rv, false, reason),
	    GK_PROBE_NONE);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("rendezvous");
	TCase *tc = tcase_create("rendezvous");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_the_first_one_binds_and_writes_its_lock);
	tcase_add_test(tc, test_the_secret_is_fresh_for_every_broker);
	tcase_add_loop_test(tc,
	    test_a_lock_of_no_living_process_is_taken_over, 0, 4);
	tcase_add_test(tc,
	    test_a_foreign_image_is_superseded_and_left_alone);
	tcase_add_loop_test(tc, test_an_unreadable_lock_is_taken_over, 0,
	    geteuid() == 0 ? 6 : 5);
	tcase_add_test(tc,
	    test_a_lock_removes_nothing_but_a_socket_in_its_directory);
	tcase_add_loop_test(tc,
	    test_a_leftover_socket_does_not_keep_us_from_binding, 0, 3);
	tcase_add_loop_test(tc, test_what_cannot_be_bound_or_written_fails, 0,
	    2);
	tcase_add_loop_test(tc,
	    test_a_runtime_directory_that_cannot_be_trusted_fails, 0, 3);
	tcase_add_test(tc, test_a_path_too_long_for_a_socket_fails_by_name);
	tcase_add_test(tc,
	    test_the_state_directory_of_a_dead_lock_does_not_matter);
	tcase_add_loop_test(tc, test_a_replaced_image_takes_part_in_nothing,
	    0, 2);
	tcase_add_test(tc,
	    test_the_same_bytes_in_a_new_file_are_no_replacement);
	tcase_add_test(tc, test_leaving_removes_what_is_ours);
	tcase_add_test(tc, test_leaving_leaves_the_lock_of_another_alone);
	tcase_add_test(tc,
	    test_leaving_waits_no_longer_than_told_for_the_lock);
	tcase_add_test(tc, test_leaving_without_a_directory_creates_none);
	tcase_add_test(tc,
	    test_a_host_without_a_lock_is_told_to_start_the_server);
	suite_add_tcase(s, tc);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = tcase_create("processes");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_zombie_is_no_broker);
	tcase_add_test(tc, test_a_living_broker_is_dialled);
	tcase_add_loop_test(tc, test_shortage_takes_nothing_over, 0, 2);
	tcase_add_test(tc,
	    test_a_broker_is_only_reported_where_nobody_wants_a_dial);
	tcase_add_test(tc, test_a_killed_broker_is_followed_at_once);
	tcase_add_test(tc,
	    test_a_lock_behind_which_nobody_listens_is_removed);
	tcase_add_test(tc,
	    test_a_foreign_program_behind_the_socket_is_denied);
	tcase_add_test(tc, test_another_state_directory_is_denied);
	tcase_add_test(tc, test_one_state_directory_by_another_name_is_fine);
	tcase_add_test(tc,
	    test_of_many_starters_exactly_one_becomes_the_broker);
	tcase_add_test(tc, test_a_host_learns_whom_it_dialled);
	tcase_add_loop_test(tc,
	    test_a_host_refuses_foreign_servers_and_directories, 0, 2);
	tcase_add_test(tc, test_a_host_does_not_take_a_host_for_the_server);
	tcase_add_test(tc,
	    test_a_probe_tells_lock_broker_and_mismatch_apart);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
