/*
 * What a program may ask of the kernel from here on: frontends/common/calls.def.
 */
#ifndef GK_FRONTENDS_CONFINE_H
#define GK_FRONTENDS_CONFINE_H

/*
 * For the whole process and all that it will ever start, for good: no new
 * privileges, and the filter.  Called when the standard descriptors are what
 * they should be and before there is a second thread.
 *
 * Nothing that genkan decides rests on the filter, and a kernel without one
 * would otherwise have no genkan at all: where it is refused that is logged, and
 * the program goes on.  In a build without it only the first half happens.
 */
void	confine(const char *tag);

/* Stands in the filter for our own process, which the build cannot know. */
#define CONFINE_SELF	0x6b6e6765u

#endif
