/*
 * A native-messaging host in one screen: it sends every message back.
 *
 *   cc native_echo.c $(pkg-config --cflags --libs genkan)
 *
 * libgenkan does no I/O, so this program reads and writes; the codec says
 * where a message begins and ends, and refuses what no browser would send.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <genkan/genkan.h>

static int
write_all(const unsigned char *p, size_t len)
{
	ssize_t n;

	for (; len > 0; p += n, len -= (size_t)n) {
		n = write(STDOUT_FILENO, p, len);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -1;
	}
	return 0;
}

static int
echo(const genkan_native *dec)
{
	unsigned char *frame;
	const void *json;
	size_t len;
	int r;

	json = genkan_native_frame(dec, &len);
	frame = malloc(len + GENKAN_NATIVE_HEADER_LEN);
	if (frame == NULL)
		return GENKAN_E_NOMEM;
	r = genkan_native_encode(json, len, GENKAN_NATIVE_OUT_MAX, frame,
	    len + GENKAN_NATIVE_HEADER_LEN);
	if (r == 0 && write_all(frame, len + GENKAN_NATIVE_HEADER_LEN) != 0)
		r = GENKAN_E_IO;
	free(frame);
	return r;
}

/* Everything that those bytes complete. */
static int
take(genkan_native *dec, const unsigned char *p, size_t n)
{
	size_t used;
	int r = 0;

	while (n > 0 && r >= 0) {
		r = genkan_native_feed(dec, p, n, &used);
		p += used;
		n -= used;
		if (r == 1)
			r = echo(dec);
	}
	return r;
}

int
main(void)
{
	unsigned char buf[65536];
	genkan_native *dec = NULL;
	genkan_ctx *ctx = NULL;
	ssize_t n = 0;
	int r;

	r = genkan_ctx_new(NULL, &ctx);
	if (r == 0)
		r = genkan_native_new(ctx, GENKAN_NATIVE_IN_MAX, &dec);
	while (r >= 0 && (n = read(STDIN_FILENO, buf, sizeof(buf))) > 0)
		r = take(dec, buf, (size_t)n);
	if (r >= 0 && n == 0 && genkan_native_eof(dec) == GENKAN_NATIVE_EOF_BODY)
		r = GENKAN_E_FRAME_SHORT;
	if (r < 0)
		fprintf(stderr, "native_echo: %s\n", genkan_error_text(r));
	genkan_native_free(dec);
	genkan_ctx_free(ctx);
	return r < 0;
}
