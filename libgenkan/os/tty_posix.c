#include "os/tty.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "genkan/contract.h"

int
gk_tty_is(int fd)
{
	return isatty(fd) == 1;
}

int
gk_tty_put(int fd, const char *text, struct gk_why *why)
{
	size_t left = strlen(text);
	ssize_t n;

	while (left > 0) {
		n = write(fd, text, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gk_why_set(why, GENKAN_E_IO, errno,
			    "cannot write the prompt");
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

int
gk_tty_line(int fd, char *ret, size_t size, struct gk_why *why)
{
	size_t got = 0;
	char c = '\0';
	ssize_t n;

	/* Byte by byte: what follows the line is not ours. */
	while (c != '\n') {
		n = read(fd, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gk_why_set(why, GENKAN_E_IO, errno,
			    "cannot read the answer");
		if (n == 0)
			break;
		if (got < size)
			ret[got++] = c;
	}
	return (int)got;
}
