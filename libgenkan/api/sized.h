/*
 * Size-first structs of callers: looked at once, at the door, and copied.
 * Inside, only our own copy is used.
 */
#ifndef GK_API_SIZED_H
#define GK_API_SIZED_H

#include "api/door.h"
#include "base/err.h"

#define GK_SIZED_MAX	4096

/* The size that a struct had while last was its last member.  Never sizeof:
 * that grows with the struct, and would turn away who was built before. */
#define GK_SIZED_TO(type, last) \
	((offsetof(type, last) + sizeof(((type *)0)->last) + \
	  _Alignof(type) - 1) / _Alignof(type) * _Alignof(type))

/*
 * dst, of full bytes, holds the defaults and starts with a size_t; first is the
 * size of the struct in the release that brought it.  What the caller's struct
 * does not have yet keeps its default.  0; GENKAN_E_INVAL for a size that no
 * release had, and then dst is as it was; GENKAN_E_ABI for a member that we do
 * not have and that is set.
 */
static inline int
gk_sized_take(void *dst, size_t full, const void *src, size_t first)
{
	const unsigned char *p = src;
	size_t n, size;

	memcpy(&size, src, sizeof(size));
	if (size < first || size > GK_SIZED_MAX)
		return GENKAN_E_INVAL;
	memcpy(dst, src, GK_MIN(size, full));
	memcpy(dst, &full, sizeof(full));
	for (n = full; n < size; n++)
		if (p[n] != 0)
			return GENKAN_E_ABI;
	return 0;
}

/* The same for options, with the sentence, but none where the door is shut.
 * reserved: n members of dst that are for later, and so have to be 0. */
static inline int
gk_options_take(struct genkan_ctx *ctx, void *dst, size_t full,
    const void *src, size_t first, const int *reserved, size_t n)
{
	int r = src == NULL ? 0 : gk_sized_take(dst, full, src, first);

	while (r == 0 && n > 0)
		if (reserved[--n] != 0)
			r = GENKAN_E_ABI;
	if (gk_door(ctx) < 0)
		return r;
	if (r == GENKAN_E_INVAL)
		return gk_err_set(ctx, r, "options: bad size");
	if (r == GENKAN_E_ABI)
		return gk_err_set(ctx, r,
		    "options: made for a newer libgenkan");
	return r;
}

#endif
