#ifndef GK_OS_WHY_H
#define GK_OS_WHY_H

#include <stddef.h>

/*
 * The sentence that goes with a failure of os/ or local/.
 *
 * A code tells a program what survives; a person also wants the path and the
 * system's reason.  Every call down here that can fail takes one of these, so
 * the words are made where the facts are, once.  A NULL is allowed everywhere
 * and drops the words.
 */
struct gk_why {
	int	err;		/* errno of the failing call, 0 if none */
	char	text[512];	/* NUL-terminated, cut at the end if long */
};

/* Fills @why (may be NULL) and returns @code.  With @err, ": strerror" is
 * appended. */
int	gk_why_set(struct gk_why *why, int code, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * What a look that failed has told.  Most failures are answers: there is none,
 * it is forbidden, it is something else.  These two are not, and who decides by
 * what lies there has to tell them apart, or want of a descriptor would make a
 * stranger of a file of ours, and a dead one of a broker that lives.
 *
 * gk_why_is_want(): an errno of want on our side, of memory, of descriptors, of
 * a moment; asked again, it may go well.  gk_why_shortage(): what failed with
 * @r did so for that.  gk_why_no_answer(): for that, or because the disk
 * failed, which may last, and still says nothing of what is on it.
 */
int	gk_why_is_want(int err);
int	gk_why_shortage(int r, const struct gk_why *why);
int	gk_why_no_answer(int r, const struct gk_why *why);

/* Puts "prefix: " before what stands there. */
void	gk_why_prefix(struct gk_why *why, const char *prefix);

#endif
