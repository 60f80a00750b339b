/* Calls tools in this user's browser, one after the other: TOOL ARGUMENTS ... */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <genkan/genkan.h>

int
main(int argc, char **argv)
{
	genkan_client_options options = GENKAN_CLIENT_OPTIONS_INIT;
	genkan_event ev = GENKAN_EVENT_INIT;
	struct pollfd p = { -1, 0, 0 };
	size_t len, used, have = 0;
	genkan_client *client;
	genkan_leg *leg = NULL;
	genkan_ctx *ctx;
	struct timespec t;
	char buf[65536];
	const void *out;
	uint64_t id;
	ssize_t n;

	options.program_dir = getenv("GENKAN_PROGRAM_DIR");	/* NULL: as installed */
	if (argc % 2 == 0 || genkan_ctx_new(NULL, &ctx) < 0 ||
	    genkan_client_new(ctx, &options, &client) < 0 || genkan_client_attach(client) < 0)
		return 2;
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		genkan_client_tick(client, t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000);
		genkan_leg_feed(leg, buf, have, &used);
		memmove(buf, buf + used, have -= used);
		while (genkan_client_next(client, &ev) == 1)
			if (ev.kind == GENKAN_EV_JOB) {		/* waits for the disk, so a */
				genkan_job_run(ev.job);		/* thread could do it */
				genkan_job_done(ev.job);
			} else if (ev.kind == GENKAN_EV_SERVE) {
				p.fd = ev.fd;			/* the broker */
				leg = ev.leg;
			} else if (ev.kind == GENKAN_EV_STATE || ev.kind == GENKAN_EV_RESULT) {
				puts(ev.text != NULL ? ev.text : ev.data);
				if (ev.code != 0 || *++argv == NULL || genkan_client_call(client,
				    argv[0], argv[1], strlen(argv[1]), 0, &id) < 0)
					exit(ev.code != 0 || *argv != NULL);	/* all ends here */
				argv++;
			}
		while (genkan_leg_output(leg, &out, &len) == 1 && (n = write(p.fd, out, len)) > 0)
			genkan_leg_wrote(leg, (size_t)n);
		p.events = POLLIN | (genkan_leg_wants(leg) & GENKAN_WANT_WRITE ? POLLOUT : 0);
		if (have > 0 || poll(&p, 1, 1000) <= 0)
			continue;
		n = read(p.fd, buf, sizeof(buf));
		if (n == 0)
			genkan_leg_eof(leg);
		have = n > 0 ? (size_t)n : 0;
	}
}
