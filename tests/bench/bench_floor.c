/*
 * The floor: what the hops cost when every process on the way does nothing
 * but wait, read and write.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

static void
copy_once(int from, int to, char *buf, size_t cap)
{
	ssize_t n = read(from, buf, cap), w, off;

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		_exit(0);
	for (off = 0; off < n; off += w) {
		w = write(to, buf + off, (size_t)(n - off));
		if (w < 0)
			_exit(0);
	}
}

void
bench_copy(int from_a, int to_a, int from_b, int to_b)
{
	struct pollfd fds[2] = { { from_a, POLLIN, 0 }, { from_b, POLLIN, 0 } };
	const size_t cap = 256u << 10;
	char *buf = malloc(cap);

	if (buf == NULL)
		_exit(1);
	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			_exit(0);
		if (fds[0].revents != 0)
			copy_once(from_a, to_b, buf, cap);
		if (fds[1].revents != 0)
			copy_once(from_b, to_a, buf, cap);
	}
}
