/* Who starts is the broker, or is not; and leaves. */
#include "local/rendezvous.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

#include "base/str.h"
#include "local/starter.h"
#include "os/clock.h"
#include "os/lock.h"
#include "os/sock.h"

/* errno of the next one, or 0 */
static int socket_fails, cred_fails, read_fails;

typedef int socket_fn(int, int, int);
typedef ssize_t read_fn(int, void *, size_t);
typedef int getsockopt_fn(int, int, int, void *, socklen_t *);

static bool
fails(int *err)
{
	errno = *err;
	*err = 0;
	return errno != 0;
}

/* In place of the system's. */
int
socket(int domain, int type, int protocol)
{
	void *real = dlsym(RTLD_NEXT, "socket");
	socket_fn *fn;

	memcpy(&fn, &real, sizeof(fn));
	return fails(&socket_fails) ? -1 : fn(domain, type, protocol);
}

int
getsockopt(int s, int level, int name, void *val, socklen_t *len)
{
	void *real = dlsym(RTLD_NEXT, "getsockopt");
	getsockopt_fn *fn;

	memcpy(&fn, &real, sizeof(fn));
	return name == SO_PEERCRED && fails(&cred_fails) ? -1 :
	    fn(s, level, name, val, len);
}

ssize_t
read(int f, void *buf, size_t len)
{
	void *real = dlsym(RTLD_NEXT, "read");
	read_fn *fn;

	memcpy(&fn, &real, sizeof(fn));
	return fails(&read_fails) ? -1 : fn(f, buf, len);
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

START_TEST(test_without_randomness_nobody_binds)
{
	t.random_fails = true;
	ck_assert_int_eq(elect(), GK_ELECTED_FAILED);
	ck_assert_str_eq(e.reason, "no randomness for the secret");
	ck_assert_int_eq(fd, -1);
	ck_assert_uint_eq(runtime_names(), 1);		/* run.mutex */
	t.random_fails = false;
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
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

/* ---------------------------------------------------------------- leaving */

/* As soon as nobody listens, a lock with our pid is a leftover. */
START_TEST(test_a_broker_in_this_process_is_one)
{
	int listener;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	listener = fd;
	fd = -1;
	ck_assert_int_eq(elect(), GK_ELECTED_DIALLED);
	(void)snprintf(place.state, sizeof(place.state), "/elsewhere");
	ck_assert_int_eq(elect(), GK_ELECTED_DENIED);
	ck_assert_ptr_nonnull(strstr(e.reason, "state directory mismatch"));
	ck_assert_int_eq(close(listener), 0);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
}
END_TEST

/* Only a refusal is proof that nobody listens (3.2): who cannot ask, for want
 * of descriptors or whatever else, has learnt nothing. */
START_TEST(test_a_broker_in_this_process_that_cannot_be_asked_stays)
{
	const char *path = place.sock;
	int listener;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	listener = fd;
	fd = -1;
	if (_i == 4) {		/* ENOTDIR */
		put("run/genkan/file", "x", 0600);
		path = at("run/genkan/file/run.sock");
		plant_lock(getpid(), path, place.state);
	}
	socket_fails = _i == 0 ? EMFILE : _i == 1 ? ENFILE :
	    _i == 2 ? ENOMEM : 0;
	cred_fails = _i == 3 ? ENOBUFS : 0;
	ck_assert_int_eq(elect(), GK_ELECTED_RETRY);
	ck_assert_int_eq(socket_fails | cred_fails, 0);
	ck_assert_uint_gt(strlen(e.reason), 0);
	ck_assert_int_eq(fd, -1);
	ck_assert_uint_eq(notes.n, 0);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert(exists("run/genkan/run.sock"));
	if (_i < 4)
		ck_assert_int_eq(elect(), GK_ELECTED_DIALLED);
	ck_assert_int_eq(close(listener), 0);
}
END_TEST

/* Nor has who could not read the lock. */
START_TEST(test_a_lock_that_the_disk_does_not_give_is_not_taken_over)
{
	int listener;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	listener = fd;
	fd = -1;
	read_fails = _i == 0 ? EIO : ENOMEM;
	ck_assert_int_eq(elect(), GK_ELECTED_RETRY);
	ck_assert_int_eq(read_fails, 0);
	ck_assert_ptr_nonnull(strstr(e.reason, "run.lock"));
	ck_assert_uint_eq(notes.n, 0);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert_int_eq(elect(), GK_ELECTED_DIALLED);
	ck_assert_int_eq(close(listener), 0);
}
END_TEST

/* A lock of our number is a leftover where its socket is gone, could never be,
 * or is another process's. */
START_TEST(test_a_lock_with_our_pid_that_is_nobodys_here_is_taken_over)
{
	char path[GK_RUNLOCK_PATH_MAX];
	pid_t other = _i == 2 ? child(be_broker) : 0;

	(void)snprintf(path, sizeof(path), "%.1000s/%0*d", place.runtime,
	    _i == 1 ? 120 : 1, 0);
	plant_lock(getpid(), _i == 2 ? place.sock : path, place.state);
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_uint_eq(notes.n, 0);
	if (other != 0)
		finish(other);
}
END_TEST

/* Nor does it take over from itself where nobody may attach to it. */
START_TEST(test_a_foreign_program_twice_is_refused_and_superseded_by_nobody)
{
	int listener;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	listener = fd;
	fd = -1;
	gk_installset_init(&install.set);	/* which our image is not in */
	ck_assert_int_eq(elect(), GK_ELECTED_DENIED);
	ck_assert_ptr_nonnull(strstr(e.reason,
	    "peer executable identity mismatch"));
	ck_assert_uint_eq(notes.n, 0);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert_int_eq(close(listener), 0);
}
END_TEST

/* As the one that was elected last. */
static int
leave(int wait_ms)
{
	return gk_rendezvous_leave(t.ctx, &place, e.secret, wait_ms, &notes);
}

START_TEST(test_leaving_removes_what_is_ours)
{
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(leave(0), 0);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert(!exists("run/genkan/run.sock"));
	ck_assert_int_eq(leave(0), 0);
	ck_assert_uint_eq(notes.n, 0);
}
END_TEST

START_TEST(test_leaving_leaves_the_lock_of_another_alone)
{
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	plant_lock(1, place.sock, place.state);
	ck_assert_int_eq(leave(0), 0);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert(exists("run/genkan/run.sock"));
}
END_TEST

/* One process may have several servers, and the lock the same pid for each. */
START_TEST(test_leaving_leaves_the_lock_of_another_server_here_alone)
{
	uint8_t secret[GK_SECRET_HEX];

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	memcpy(secret, e.secret, sizeof(secret));
	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(gk_rendezvous_leave(t.ctx, &place, secret, 0,
	    &notes), 0);
	ck_assert(exists("run/genkan/run.lock"));
	ck_assert(exists("run/genkan/run.sock"));
	ck_assert_int_eq(leave(0), 0);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert(!exists("run/genkan/run.sock"));
}
END_TEST

START_TEST(test_leaving_waits_no_longer_than_told_for_the_lock)
{
	int dir = runtime_dir(), mutex;
	uint64_t from, took;

	ck_assert_int_eq(elect(), GK_ELECTED_BROKER);
	ck_assert_int_eq(gk_lock_take(dir, "run.mutex", 0, &mutex, &why), 0);
	from = gk_clock_mono_ms();
	ck_assert_int_eq(leave(250), GENKAN_E_LOCKED);
	took = gk_clock_mono_ms() - from;
	ck_assert_uint_ge(took, 250);
	ck_assert_uint_lt(took, 400);
	ck_assert(exists("run/genkan/run.lock"));
	gk_lock_drop(mutex);
	ck_assert_int_eq(leave(250), 0);
	ck_assert(!exists("run/genkan/run.lock"));
	ck_assert_int_eq(close(dir), 0);
}
END_TEST

START_TEST(test_leaving_without_a_directory_creates_none)
{
	ck_assert_int_eq(leave(0), 0);
	ck_assert(!exists("run/genkan"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("rendezvous");
	TCase *tc = starter_tcase(s, "rendezvous");

	tcase_add_test(tc, test_the_first_one_binds_and_writes_its_lock);
	tcase_add_test(tc, test_the_secret_is_fresh_for_every_broker);
	tcase_add_test(tc, test_without_randomness_nobody_binds);
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
	tcase_add_loop_test(tc, test_a_replaced_image_takes_part_in_nothing,
	    0, 2);
	tcase_add_test(tc,
	    test_the_same_bytes_in_a_new_file_are_no_replacement);
	tcase_add_loop_test(tc,
	    test_a_lock_with_our_pid_that_is_nobodys_here_is_taken_over, 0,
	    3);
	tcase_add_test(tc,
	    test_a_foreign_program_twice_is_refused_and_superseded_by_nobody);
	tcase_add_test(tc, test_leaving_removes_what_is_ours);
	tcase_add_test(tc, test_leaving_leaves_the_lock_of_another_alone);
	tcase_add_test(tc,
	    test_leaving_leaves_the_lock_of_another_server_here_alone);
	tcase_add_test(tc,
	    test_leaving_waits_no_longer_than_told_for_the_lock);
	tcase_add_test(tc, test_leaving_without_a_directory_creates_none);
	if (under_valgrind())	/* nobody is who he is */
		return gk_test_main(s);
	tc = starter_tcase(s, "processes");
	tcase_add_test(tc, test_a_zombie_is_no_broker);
	tcase_add_test(tc, test_a_broker_in_this_process_is_one);
	tcase_add_loop_test(tc,
	    test_a_broker_in_this_process_that_cannot_be_asked_stays, 0, 5);
	tcase_add_loop_test(tc,
	    test_a_lock_that_the_disk_does_not_give_is_not_taken_over, 0, 2);
	return gk_test_main(s);
}
