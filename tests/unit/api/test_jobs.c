/*
 * The threads of the programs, and what becomes of a job where none can be
 * had: it waits for the credential store or a disk, so it is never run by the
 * thread of the loop.
 */
#include "common/jobs.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "crypto/ossl.h"
#include "genkan/host.h"
#include "os/scratch.h"
#include "util.h"

static struct gk_test t;
static struct loop *loop;
static struct jobs *jobs;
static genkan_host *host;
static genkan_event ev;
static int no_threads, made;

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
	    void *);

/* In place of the system's. */
int
pthread_create(pthread_t *id, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg)
{
	void *real = dlsym(RTLD_NEXT, "pthread_create");
	create_fn *create;

	if (no_threads)
		return EAGAIN;
	made++;
	memcpy(&create, &real, sizeof(create));
	return create(id, attr, fn, arg);
}

static void
setup(void)
{
	static const genkan_event fresh = GENKAN_EVENT_INIT;

	scratch_make();
	gk_test_init(&t);
	scratch_home();
	no_threads = made = 0;
	ev = fresh;
	ck_assert_ptr_nonnull(loop = loop_new());
	ck_assert_ptr_nonnull(jobs = jobs_new(loop));
	ck_assert_int_eq(genkan_host_new(t.ctx, 0, NULL, &host), 0);
}

static void
teardown(void)
{
	genkan_host_free(host);
	jobs_free(jobs);
	loop_free(loop);
	gk_ossl_free(t.ctx);
	gk_test_done(&t);
	scratch_drop();
}

/* The first job of a host: a look at its own image. */
static void
submit(void)
{
	ck_assert_int_eq(genkan_host_next(host, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
	jobs_submit(jobs, ev.job);
}

static void
stop(void *user)
{
	loop_stop(user);
}

START_TEST(test_a_job_is_run_by_a_thread_and_handed_back_on_the_loop)
{
	loop_on_wake(loop, stop, loop);
	submit();
	ck_assert_int_eq(made, 1);
	ck_assert_int_eq(jobs_idle(jobs), 0);
	loop_run(loop);
	ck_assert_int_eq(jobs_collect(jobs), 1);
	ck_assert_int_eq(jobs_idle(jobs), 1);
	/* It was done: the host goes on, and has the next one. */
	ck_assert_int_eq(genkan_host_next(host, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_JOB);
	genkan_job_done(ev.job);
}
END_TEST

START_TEST(test_without_a_thread_a_job_fails_and_is_not_run_here)
{
	no_threads = 1;
	submit();
	ck_assert_int_eq(jobs_idle(jobs), 1);
	ck_assert_int_eq(jobs_collect(jobs), 0);
	/* It had failed by the time that jobs_submit() was back. */
	ck_assert_int_eq(genkan_host_next(host, &ev), 1);
	ck_assert_int_eq(ev.kind, GENKAN_EV_EXIT);
	ck_assert_int_eq(ev.status, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("jobs");
	TCase *tc = tcase_create("jobs");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
	    test_a_job_is_run_by_a_thread_and_handed_back_on_the_loop);
	tcase_add_test(tc,
	    test_without_a_thread_a_job_fails_and_is_not_run_here);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
