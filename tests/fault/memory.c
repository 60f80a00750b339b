/* See memory.h. */
#include "memory.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
must_fail(struct memory *m)
{
	m->asked++;
	if (m->fail_at == 0 || --m->fail_at > 0)
		return 0;
	m->failed++;
	return 1;
}

/* ------------------------------------------------------------- of a context */

struct head {
	size_t	 size;
	uint64_t magic;
};

#define LIVE	UINT64_C(0x67656e6b616e2121)
#define DEAD	UINT64_C(0xdeaddeaddeaddead)

void *
memory_realloc(void *user, void *ptr, size_t size)
{
	struct head *h = ptr == NULL ? NULL : (struct head *)ptr - 1, *n;
	struct memory *m = user;

	if (h != NULL && h->magic != LIVE) {
		fputs("freed twice, or by another context\n", stderr);
		abort();
	}
	n = NULL;
	if (size > 0) {
		if (must_fail(m) || (n = malloc(sizeof(*n) + size)) == NULL)
			return NULL;
		n->size = size;
		n->magic = LIVE;
		/* Always moves, so that no stale pointer works by luck. */
		memset(n + 1, 0xa5, size);
		m->live++;
	}
	if (h != NULL) {
		if (n != NULL)
			memcpy(n + 1, h + 1, h->size < size ? h->size : size);
		h->magic = DEAD;
		m->live--;
		free(h);
	}
	return n == NULL ? NULL : n + 1;
}

/* ----------------------------------------------------------- of the process */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    !defined(__GLIBC__)
#define OWN	0
#elif defined(__has_feature)
#define OWN	(!__has_feature(address_sanitizer) && \
		!__has_feature(thread_sanitizer) && \
		!__has_feature(memory_sanitizer))
#else
#define OWN	1
#endif

#if OWN

static struct memory all;

/* What is behind malloc() and free() of glibc. */
void	*__libc_malloc(size_t);
void	*__libc_calloc(size_t, size_t);
void	*__libc_realloc(void *, size_t);
void	*__libc_memalign(size_t, size_t);
void	 __libc_free(void *);
void	*memalign(size_t, size_t);

struct memory *
memory_process(void)
{
	return &all;
}

static void *
counted(void *p)
{
	all.live += p != NULL;
	return p;
}

/* The code that allocates: this program, with the library in it, what it is
 * linked with, and OpenSSL.  What comes later is nobody's whose memory fails:
 * there are libraries that end the process then. */
static struct code {
	const char	*name;		/* "": the program */
	bool		 crypto;
	uintptr_t	 from, to;
} code[] = {
	{ "", false, 0, 0 }, { "/libjansson.", false, 0, 0 },
	{ "/libuv.", false, 0, 0 }, { "/libc.", false, 0, 0 }, { "/libcrypto.", true, 0, 0 },
};

#define NCODE	(sizeof(code) / sizeof(code[0]))

static int
look(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *name = info->dlpi_name;
	size_t i, k;

	(void)size;
	(void)unused;
	for (k = 0; k < NCODE; k++) {
		if ((code[k].name[0] == '\0') != (name[0] == '\0') ||
		    strstr(name, code[k].name) == NULL || code[k].to != 0)
			continue;
		code[k].from = info->dlpi_addr;
		for (i = 0; i < info->dlpi_phnum; i++)
			if (info->dlpi_phdr[i].p_type == PT_LOAD)
				code[k].to = info->dlpi_addr +
				    info->dlpi_phdr[i].p_vaddr +
				    info->dlpi_phdr[i].p_memsz;
	}
	return 0;
}

__attribute__((constructor)) static void
find_code(void)
{
	(void)dl_iterate_phdr(look, NULL);
}

static int
refused(const void *caller)
{
	const uintptr_t at = (uintptr_t)caller;
	size_t k = 0;

	while (k < NCODE && !(at >= code[k].from && at < code[k].to))
		k++;
	if (k == NCODE || code[k].crypto != (all.whose == OF_CRYPTO) ||
	    !must_fail(&all))
		return 0;
	if (all.told != NULL)
		all.told();
	errno = ENOMEM;
	return 1;
}

/* The shared libraries are to find these, too. */
#pragma GCC visibility push(default)

#define REFUSED()	refused(__builtin_return_address(0))

void *
malloc(size_t size)
{
	return REFUSED() ? NULL : counted(__libc_malloc(size));
}

void *
calloc(size_t n, size_t size)
{
	return REFUSED() ? NULL : counted(__libc_calloc(n, size));
}

void *
realloc(void *p, size_t size)
{
	void *q;

	if (size > 0 && REFUSED())
		return NULL;
	q = __libc_realloc(p, size);
	if (p == NULL)
		return counted(q);
	all.live -= size == 0 && q == NULL;
	return q;
}

void *
memalign(size_t align, size_t size)
{
	return REFUSED() ? NULL : counted(__libc_memalign(align, size));
}

void *
aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int
posix_memalign(void **ret, size_t align, size_t size)
{
	void *p = memalign(align, size);

	if (p == NULL)
		return ENOMEM;
	*ret = p;
	return 0;
}

void
free(void *p)
{
	all.live -= p != NULL;
	__libc_free(p);
}

#pragma GCC visibility pop

#else

struct memory *
memory_process(void)
{
	return NULL;
}

#endif
