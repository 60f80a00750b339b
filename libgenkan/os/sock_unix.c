#include "os/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "contract/schema.h"
#include "genkan/contract.h"

/* What the system is asked to hold of a message that its reader has not taken. */
#define SEND_BUFFER	(1024 * 1024)

_Static_assert(sizeof(((struct sockaddr_un *)NULL)->sun_path) ==
    GK_SOCKET_PATH_MAX + 1, "the limit is the system's");

static int
address(const char *path, struct sockaddr_un *ret, struct gk_why *why)
{
	const size_t len = strlen(path);

	if (len > GK_SOCKET_PATH_MAX)
		return gk_why_set(why, GENKAN_E_ADDR, 0,
		    "socket path %s has %zu bytes, a socket address takes %d; "
		    "set XDG_RUNTIME_DIR to a shorter directory", path, len,
		    GK_SOCKET_PATH_MAX);
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	memcpy(ret->sun_path, path, len);
	return 0;
}

int
gk_sock_fits(const char *path, struct gk_why *why)
{
	struct sockaddr_un sun;

	return address(path, &sun, why);
}

int
gk_sock_listen(const char *path, int backlog, int *ret, struct gk_why *why)
{
	struct sockaddr_un sun;
	int r, fd;

	r = address(path, &sun, why);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return gk_why_set(why, GENKAN_E_IO, errno, "socket");
	if (bind(fd, (struct sockaddr *)&sun, sizeof(sun)) != 0) {
		r = gk_why_set(why, errno == EADDRINUSE ? GENKAN_E_EXIST :
		    GENKAN_E_IO, errno, "cannot bind %s", path);
		(void)close(fd);
		return r;
	}
	/* Nobody connects in between: it does not listen yet. */
	if (chmod(path, 0600) != 0 || listen(fd, backlog) != 0) {
		r = gk_why_set(why, GENKAN_E_IO, errno,
		    "cannot listen on %s", path);
		(void)unlink(path);
		(void)close(fd);
		return r;
	}
	*ret = fd;
	return 0;
}

/*
 * A large message goes to the system in one write, instead of a wait for each
 * fifth of it.  It takes memory only while it lies there.  Nothing depends on
 * it: the system gives what it allows.
 */
static void
widen(int fd)
{
	const int size = SEND_BUFFER;

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

static int
connect_error(const char *path, int err, struct gk_why *why)
{
	int code = GENKAN_E_IO;

	if (err == ENOENT || err == ECONNREFUSED)
		code = GENKAN_E_CONNECT;
	else if (err == EAGAIN)
		code = GENKAN_E_TIMEOUT;
	return gk_why_set(why, code, err, "cannot connect to %s", path);
}

int
gk_sock_connect(const char *path, int ms, int *ret, struct gk_why *why)
{
	struct timeval tv = { ms / 1000, (ms % 1000) * 1000 };
	struct sockaddr_un sun;
	int r, fd;

	r = address(path, &sun, why);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return gk_why_set(why, GENKAN_E_IO, errno, "socket");
	/* A connect waits only for a full backlog, and the send timeout
	 * bounds that. */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	do
		r = connect(fd, (struct sockaddr *)&sun, sizeof(sun));
	while (r != 0 && errno == EINTR);
	if (r != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
		r = connect_error(path, errno, why);
		(void)close(fd);
		return r;
	}
	widen(fd);
	*ret = fd;
	return 0;
}

int
gk_sock_accept(int listener, int *ret, struct gk_why *why)
{
	int fd;

	do
		fd = accept4(listener, NULL, NULL,
		    SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd >= 0) {
		widen(fd);
		*ret = fd;
		return 0;
	}
	if (errno == EAGAIN)
		return gk_why_set(why, GENKAN_E_AGAIN, errno, "accept");
	return gk_why_set(why, gk_why_is_want(errno) ? GENKAN_E_LIMIT :
	    GENKAN_E_IO, errno, "accept");
}

int
gk_sock_cred(int fd, uint32_t *uid, int64_t *pid, struct gk_why *why)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, errno,
		    "no peer credentials");
	if (len != sizeof(cred) || cred.pid <= 0)
		return gk_why_set(why, GENKAN_E_UNMEASURABLE, 0,
		    "no peer credentials");
	*uid = (uint32_t)cred.uid;
	*pid = cred.pid;
	return 0;
}
