/*
 * The filter of the programs, in processes that do what it is there against.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/confine.h"
#include "util.h"

/* What a child did: its wait status, and what it said on stderr. */
struct end {
	int	status;
	char	said[512];
};

/* Runs act in a process of its own, which exits with what act returns. */
static struct end
child(int (*act)(long), long arg)
{
	struct end e = { 0, "" };
	size_t have = 0;
	ssize_t n;
	pid_t pid;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_ge(pid = fork(), 0);
	if (pid == 0) {
		(void)dup2(fds[1], STDERR_FILENO);
		_exit(act(arg));
	}
	(void)close(fds[1]);
	while (have < sizeof(e.said) - 1 && (n = read(fds[0], e.said + have,
	    sizeof(e.said) - 1 - have)) > 0)
		have += (size_t)n;
	(void)close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &e.status, 0), pid);
	return e;
}

#define exits(e, code) do { \
	ck_assert_msg(WIFEXITED((e).status), "status %#x", (e).status); \
	ck_assert_int_eq(WEXITSTATUS((e).status), (code)); \
} while (0)

/* --------------------------------------------------------------- what ends */

static const struct {
	const char	*name;
} fatal[] = {
#define CALL(name)
#define LIMIT(name, ...)
#define OTHERWISE(name, ...)
#define FAILS(name, ...)
#define FATAL(name)	{ #name },
#include "common/calls.def"
};

/* With arguments that would do no harm if it were let through. */
static int
call(long number)
{
	confine("test");
	(void)syscall((int)number, -1L, -1L, -1L, -1L, -1L, -1L);
	return 1;
}

START_TEST(test_a_fatal_call_ends_the_process)
{
	const int number = seccomp_syscall_resolve_name(fatal[_i].name);
	struct end e;

	if (number < 0)
		return;		/* not one of this architecture */
	e = child(call, number);
	ck_assert_msg(WIFSIGNALED(e.status) && WTERMSIG(e.status) == SIGSYS,
	    "%s: status %#x", fatal[_i].name, e.status);
	ck_assert_str_eq(e.said, "");
}
END_TEST

static int
run_true(long unused)
{
	(void)unused;
	confine("test");
	(void)execl("/bin/true", "true", (char *)NULL);
	return 1;
}

START_TEST(test_no_program_is_run)
{
	struct end e = child(run_true, 0);

	ck_assert_msg(WIFSIGNALED(e.status) && WTERMSIG(e.status) == SIGSYS,
	    "status %#x", e.status);
}
END_TEST

static void *
run_thread(void *unused)
{
	(void)run_true(0);
	return unused;
}

static int
in_a_thread(long unused)
{
	pthread_t t;

	(void)unused;
	confine("test");
	if (pthread_create(&t, NULL, run_thread, NULL) != 0)
		return 2;
	(void)pthread_join(t, NULL);
	return 1;
}

/* Not the thread alone, which would leave the rest in an odd state. */
START_TEST(test_what_a_thread_does_ends_the_process)
{
	struct end e = child(in_a_thread, 0);

	ck_assert_msg(WIFSIGNALED(e.status) && WTERMSIG(e.status) == SIGSYS,
	    "status %#x", e.status);
}
END_TEST

#ifdef __x86_64__
static int
other_numbers(long which)
{
	confine("test");
	if (which == 0)		/* x32 */
		(void)syscall(0x40000000 + SYS_getpid);
	else {
		long r = 20;	/* getpid of 32 bits */

		__asm__ volatile ("int $0x80" : "+a" (r) : : "memory");
	}
	return 1;
}

START_TEST(test_the_numbers_of_another_architecture_end_the_process)
{
	struct end e = child(other_numbers, _i);

	/* A kernel without 32 bits knows no such interrupt. */
	ck_assert_msg(WIFSIGNALED(e.status) && (WTERMSIG(e.status) == SIGSYS ||
	    (_i == 1 && WTERMSIG(e.status) == SIGSEGV)),
	    "status %#x", e.status);
}
END_TEST
#endif

/* ----------------------------------------------------------- what fails */

static int
fails(int r, int number)
{
	return r == -1 && errno == number;
}

static int
refused(long parent)
{
	int pair[2];

	confine("test");
	if (!fails(socket(AF_INET, SOCK_STREAM, 0), EAFNOSUPPORT) ||
	    !fails(socket(AF_INET6, SOCK_DGRAM, 0), EAFNOSUPPORT) ||
	    !fails(socket(AF_NETLINK, SOCK_RAW, 0), EAFNOSUPPORT) ||
	    !fails(socketpair(AF_INET, SOCK_STREAM, 0, pair), EAFNOSUPPORT))
		return 1;
	if (!fails((int)fork(), EPERM))
		return 2;
	if (!fails(kill((pid_t)parent, SIGTERM), ENOSYS) ||
	    kill((pid_t)parent, 0) != 0)
		return 3;
	if (!fails(ioctl(0, TIOCSTI, "x"), ENOSYS))
		return 4;
	if (!fails((int)syscall(100000), ENOSYS))
		return 5;
	if (!fails((int)syscall(SYS_prctl, 4 /* PR_SET_DUMPABLE */, 0),
	    ENOSYS))
		return 6;
	if (!fails((int)syscall(SYS_keyctl, 0, 0, 0, 0, 0), EPERM))
		return 7;
	return 0;
}

START_TEST(test_what_nobody_needs_fails)
{
	struct end e = child(refused, getpid());

	exits(e, 0);
}
END_TEST

/* Every way to send somebody a signal, and to ask the kernel to. */
static int
signals(long victim)
{
	const pid_t pid = (pid_t)victim;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	confine("test");
	if (!fails((int)syscall(SYS_tgkill, pid, pid, SIGTERM), ENOSYS) ||
	    !fails((int)syscall(SYS_tkill, pid, SIGTERM), ENOSYS) ||
	    !fails(kill(pid, SIGTERM), ENOSYS) ||
	    !fails((int)syscall(SYS_rt_sigqueueinfo, pid, SIGTERM, NULL),
	    ENOSYS))
		return 2;
	if (!fails(fcntl(pair[0], F_SETOWN, pid), ENOSYS) ||
	    !fails(fcntl(pair[0], F_SETSIG, SIGTERM), ENOSYS) ||
	    !fails(ioctl(pair[0], FIOSETOWN, &pid), ENOSYS) ||
	    fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK) != 0 ||
	    write(pair[1], "x", 1) != 1)
		return 3;
	if (signal(SIGUSR1, SIG_IGN) == SIG_ERR || raise(SIGUSR1) != 0)
		return 4;	/* ourselves we may */
	return 0;
}

START_TEST(test_nobody_else_gets_a_signal)
{
	const pid_t victim = fork();
	struct end e;
	int status;

	ck_assert_int_ge(victim, 0);
	if (victim == 0) {
		(void)pause();
		_exit(0);
	}
	e = child(signals, victim);
	ck_assert_int_eq(waitpid(victim, &status, WNOHANG), 0);
	ck_assert_int_eq(kill(victim, SIGKILL), 0);
	ck_assert_int_eq(waitpid(victim, &status, 0), victim);
	exits(e, 0);
}
END_TEST

/* ---------------------------------------------------------- what goes on */

static int
status_says(const char *line)
{
	char text[4096];
	const int fd = open("/proc/self/status", O_RDONLY);
	const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return 0;
	text[n] = '\0';
	return strstr(text, line) != NULL;
}

static void *
nothing(void *user)
{
	return user;
}

static int
ordinary(long unused)
{
	pthread_t t;
	int pair[2], mark;
	void *ret = NULL;

	(void)unused;
	confine("test");
	if (!status_says("\nNoNewPrivs:\t1\n") ||
	    !status_says("\nSeccomp:\t2\n"))
		return 1;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
	    write(pair[0], "x", 1) != 1)
		return 2;
	if (pthread_create(&t, NULL, nothing, &mark) != 0 ||
	    pthread_join(t, &ret) != 0 || ret != &mark)
		return 3;
	confine("test");	/* its own call is forbidden by now */
	return 0;
}

START_TEST(test_what_a_program_does_goes_on)
{
	struct end e = child(ordinary, 0);

	exits(e, 0);
	ck_assert_ptr_nonnull(strstr(e.said, "going on without"));
}
END_TEST

/* A kernel, or whoever started us, that refuses filters. */
static int
without(long unused)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	(void)unused;
	if (ctx == NULL || seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES),
	    SCMP_SYS(seccomp), 0) != 0 || seccomp_load(ctx) != 0)
		return 1;
	confine("test");
	(void)execl("/bin/true", "true", (char *)NULL);
	return 2;
}

START_TEST(test_a_refused_filter_is_logged_and_no_end)
{
	struct end e = child(without, 0);

	exits(e, 0);
	ck_assert_str_eq(e.said, "[WARN] [test] the kernel takes no filter of "
	    "system calls (Permission denied): going on without\n");
}
END_TEST

/* Is there a filter here at all, or nothing to be tested? */
static int
filtered(void)
{
	const pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		confine("test");
		_exit(!status_says("\nSeccomp:\t2\n"));
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

int
main(void)
{
	Suite *s = suite_create("confine");
	TCase *tc = tcase_create("confine");

	if (!filtered()) {
		(void)printf("1..0 # SKIP the kernel takes no filter here\n");
		return 77;
	}
	tcase_add_loop_test(tc, test_a_fatal_call_ends_the_process, 0,
	    (int)(sizeof(fatal) / sizeof(fatal[0])));
	tcase_add_test(tc, test_no_program_is_run);
	tcase_add_test(tc, test_what_a_thread_does_ends_the_process);
#ifdef __x86_64__
	tcase_add_loop_test(tc,
	    test_the_numbers_of_another_architecture_end_the_process, 0, 2);
#endif
	tcase_add_test(tc, test_what_nobody_needs_fails);
	tcase_add_test(tc, test_nobody_else_gets_a_signal);
	tcase_add_test(tc, test_what_a_program_does_goes_on);
	tcase_add_test(tc, test_a_refused_filter_is_logged_and_no_end);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
