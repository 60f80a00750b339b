/*
 * The floor's native host: sends every frame back as it came.  What a round
 * trip through the browser costs when nobody does anything.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define FRAME_MAX	(1u << 20)	/* what the browser takes */

static int
read_all(void *buf, size_t len)
{
	char *p = buf;
	ssize_t n;

	while (len > 0) {
		n = read(STDIN_FILENO, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int
write_all(const void *buf, size_t len)
{
	const char *p = buf;
	ssize_t n;

	while (len > 0) {
		n = write(STDOUT_FILENO, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int
main(void)
{
	static char frame[4 + FRAME_MAX];
	uint32_t len;

	for (;;) {
		if (read_all(frame, 4) != 0)
			return 0;
		memcpy(&len, frame, 4);
		if (len > FRAME_MAX || read_all(frame + 4, len) != 0 ||
		    write_all(frame, 4 + (size_t)len) != 0)
			return 1;
	}
}
