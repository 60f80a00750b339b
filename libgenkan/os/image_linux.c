#include "os/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "contract/schema.h"
#include "crypto/digest.h"
#include "genkan/contract.h"

static int
too_large(struct gk_why *why)
{
	return gk_why_set(why, GENKAN_E_TOO_LARGE, 0, "the image is larger "
	    "than %lld bytes", (long long)GK_IMAGE_MAX);
}

static int
beyond(int64_t most, struct gk_why *why)
{
	if (most == GK_IMAGE_MAX)
		return too_large(why);
	return gk_why_set(why, GENKAN_E_LIMIT, 0, "the image is larger than "
	    "%lld bytes", (long long)most);
}

/* Positioned reads: the descriptor may be shared, its offset is nobody's.  The
 * file may grow while it is read. */
static int
stream(struct gk_digest *md, int fd, int64_t most, uint8_t *block,
    struct gk_why *why)
{
	off_t at = 0;
	ssize_t n;
	int r;

	for (;;) {
		n = pread(fd, block, GK_HASH_BLOCK, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gk_why_set(why, GENKAN_E_IO, errno,
			    "cannot read the image");
		if (n == 0)
			return 0;
		r = gk_digest_update(md, block, (size_t)n);
		if (r < 0)
			return gk_why_set(why, r, 0, "digest failed");
		at += n;
		if (at > most)
			return beyond(most, why);
	}
}

static void
hex(const uint8_t raw[GK_SHA256_LEN], char ret[65])
{
	static const char digit[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < GK_SHA256_LEN; i++) {
		ret[2 * i] = digit[raw[i] >> 4];
		ret[2 * i + 1] = digit[raw[i] & 15];
	}
	ret[64] = '\0';
}

int
gk_image_fd(struct genkan_ctx *ctx, int fd, char ret[65], struct gk_why *why)
{
	return gk_image_fd_most(ctx, fd, GK_IMAGE_MAX, ret, why);
}

int
gk_image_fd_most(struct genkan_ctx *ctx, int fd, int64_t most, char ret[65],
    struct gk_why *why)
{
	uint8_t raw[GK_SHA256_LEN], *block;
	struct gk_digest md = { NULL };
	struct gk_fstat st;
	int r;

	r = gk_file_stat_fd(fd, &st, why);
	if (r < 0)
		return r;
	if (st.size > (uint64_t)GK_IMAGE_MAX)
		return too_large(why);
	if (st.size > (uint64_t)most)
		return beyond(most, why);
	block = gk_malloc(ctx, GK_HASH_BLOCK);
	if (block == NULL)
		return gk_why_set(why, GENKAN_E_NOMEM, 0, "no memory");
	r = gk_digest_init(&md, ctx);
	if (r < 0)
		(void)gk_why_set(why, r, 0, "digest failed");
	else
		r = stream(&md, fd, most, block, why);
	if (r == 0) {
		r = gk_digest_final(&md, raw);
		if (r < 0)
			(void)gk_why_set(why, r, 0, "digest failed");
	}
	if (r == 0)
		hex(raw, ret);
	gk_digest_done(&md);
	gk_free(ctx, block);
	return r;
}

/* Stats and hashes one descriptor, which is closed in every case. */
static int
finish(struct genkan_ctx *ctx, int fd, struct gk_image *ret,
    struct gk_why *why)
{
	int r;

	r = gk_file_stat_fd(fd, &ret->st, why);
	if (r == 0)
		r = gk_image_fd(ctx, fd, ret->hash, why);
	(void)close(fd);
	return r;
}

int
gk_image_self(struct genkan_ctx *ctx, struct gk_image *ret,
    struct gk_why *why)
{
	static const char exe[] = "/proc/self/exe";
	ssize_t n;
	int fd;

	n = readlink(exe, ret->path, sizeof(ret->path) - 1);
	if (n < 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno, exe);
	ret->path[n] = '\0';
	fd = open(exe, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno, exe);
	return finish(ctx, fd, ret, why);
}

int
gk_image_file(struct genkan_ctx *ctx, int dir, const char *name,
    struct gk_image *ret, struct gk_why *why)
{
	int r, fd;

	r = gk_file_open(dir, name, GK_FILE_TRUSTED, &fd, NULL, why);
	if (r < 0)
		return r;
	(void)gk_str_copy(ret->path, sizeof(ret->path), name, strlen(name));
	return finish(ctx, fd, ret, why);
}
