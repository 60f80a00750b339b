/*
 * genkan/leg.h - one byte stream between the library and something outside
 *
 * A leg is what a program joins to a descriptor: the stdio of an MCP client, a
 * connection of the bridge socket, the two pipes of a native-messaging host.
 * The library neither reads nor writes; the program moves the bytes and tells
 * the time.  Thread rule of every function: that of the context.
 *
 * Where a descriptor is a pipe, the program may widen it.  One of the usual
 * 64 KiB passes a megabyte in sixteen pieces, and wakes two processes for each;
 * on Linux
 *
 *	fcntl(fd, F_SETPIPE_SZ, 256 * 1024);
 *
 * makes it four.  A program goes on with what it has where that is refused: what
 * the pipes of a user may hold all together is limited.  genkan-server and
 * genkan-host ask for a megabyte while something large passes, and give it back.
 *
 * A turn of the loop: ask genkan_leg_wants(); read and feed, or take output,
 * write it and say how much went out; genkan_leg_tick() when the deadline has
 * come.  What is fed to one leg may give output to another, so after a turn
 * every leg is asked again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_LEG_H
#define GENKAN_LEG_H

#include <stddef.h>
#include <stdint.h>

#include <genkan/export.h>

GENKAN_BEGIN_DECLS

typedef struct genkan_leg genkan_leg;

/* Bits of genkan_leg_wants(). */
#define GENKAN_WANT_READ	1	/* feed() would take bytes */
#define GENKAN_WANT_WRITE	2	/* output() has bytes */
#define GENKAN_WANT_CLOSE	4	/* over: write what output() has, then
					 * close the descriptor and free */

/**
 * genkan_leg_feed - bytes arrived
 * @leg:  the leg
 * @buf:  borrowed for the call only
 * @len:  may be 0
 * @used: [out] bytes taken, at most @len; set whatever is returned
 *
 * A leg that has enough to do takes fewer bytes than it is offered, or none.
 * The program keeps the rest and offers it again once the leg wants to read;
 * until then it reads no more, and that is the back-pressure.  A leg that is
 * over takes everything and ignores it.  Returns 0; GENKAN_E_INVAL for NULLs,
 * which changes nothing; or another GENKAN_E_* code when the leg has failed: it
 * wants to close then, and what is outside it goes on.  Since: 0.1
 */
GENKAN_API int genkan_leg_feed(genkan_leg *leg, const void *buf, size_t len,
    size_t *used);

/**
 * genkan_leg_room - where more of a large message may be read to
 * @leg: the leg
 * @ptr: [out] the place, inside of the leg; NULL when there is none
 * @len: [out] its size, at least a few kilobytes; 0 when there is none
 *
 * Spares a copy: once a good part of a large message has come, the rest may be
 * read to where it is put together.  The place is there until the next call for
 * this context.  When something was read there, that call is genkan_leg_feed()
 * with @ptr and as many bytes as were read, not a part of them.  What it leaves
 * (@used) stays where it is until it is fed, again all of it, or anything else
 * is called for this leg: a program that does not go on at once copies it.
 * Nothing depends on it: a program may ask and not use the place, and may read
 * to one of its own at any time.  Returns 1, 0 when there is none, or
 * GENKAN_E_INVAL.
 * Since: 0.1
 */
GENKAN_API int genkan_leg_room(genkan_leg *leg, void **ptr, size_t *len);

/**
 * genkan_leg_eof - the input has ended
 * @leg: the leg
 *
 * Also for a read error: there will be no more bytes.  Called once everything
 * that was read has been fed.  The leg may still have output, and may go on for
 * a while to finish what it owes.  Further calls do nothing.  Since: 0.1
 */
GENKAN_API void genkan_leg_eof(genkan_leg *leg);

/**
 * genkan_leg_broken - the output has failed, or its reader is gone
 * @leg: the leg
 *
 * A program notices by polling for it, not only by writing.  What is queued is
 * dropped.  The leg may want to read what its peer had still sent.  Further
 * calls do nothing.  Since: 0.1
 */
GENKAN_API void genkan_leg_broken(genkan_leg *leg);

/**
 * genkan_leg_output - what to send next
 * @leg: the leg
 * @ptr: [out] the bytes, borrowed until the next call for this context
 * @len: [out] how many, 0 when there is nothing
 *
 * Returns 1 when there are bytes, 0 when there are none, or GENKAN_E_INVAL.
 * Since: 0.1
 */
GENKAN_API int genkan_leg_output(genkan_leg *leg, const void **ptr,
    size_t *len);

/**
 * genkan_leg_gather - what to send next, several messages together
 * @leg:  the leg
 * @buf:  where they are copied to
 * @size: its size; a few kilobytes are enough
 * @len:  [out] how many bytes, 0 when nothing was copied
 *
 * For one write in the place of many: copies the messages that wait, in their
 * order, as many whole ones as there is room for.  genkan_leg_wrote() is told
 * as behind genkan_leg_output().  Returns 1, 0 when fewer than two messages
 * wait or fit, or GENKAN_E_INVAL.  Since: 0.1
 */
GENKAN_API int genkan_leg_gather(genkan_leg *leg, void *buf, size_t size,
    size_t *len);

/**
 * genkan_leg_wrote - so many bytes of the output went out
 * @leg: the leg
 * @n:   at most what genkan_leg_output() or genkan_leg_gather() had offered,
 *       whichever was asked last
 *
 * "Went out" means that the system has taken them, or that a writer of the
 * program's has and will not give them back.  Say so before anything else is
 * called for this context: until then the library takes them for unsent, and
 * may take them back when what they belong to is cancelled.  Since: 0.1
 */
GENKAN_API void genkan_leg_wrote(genkan_leg *leg, size_t n);

/**
 * genkan_leg_wants - what to do with the descriptor
 * @leg: the leg
 *
 * Returns GENKAN_WANT_* bits, 0 while the leg waits for something else;
 * GENKAN_WANT_CLOSE for NULL.  A leg that wants to close does not come back from
 * that.  Since: 0.1
 */
GENKAN_API int genkan_leg_wants(const genkan_leg *leg);

/**
 * genkan_leg_deadline - when genkan_leg_tick() is due at the latest
 * @leg: the leg
 * @ms:  [out] in the monotonic milliseconds that tick() is given
 *
 * Returns 1 when there is a deadline, 0 when there is none and @ms is
 * untouched, or GENKAN_E_INVAL.  Since: 0.1
 */
GENKAN_API int genkan_leg_deadline(const genkan_leg *leg, int64_t *ms);

/**
 * genkan_leg_tick - what time it is
 * @leg:    the leg
 * @now_ms: monotonic milliseconds, or GENKAN_NOW; a time before the last one
 *          is ignored
 *
 * Sets the time of the whole context.  Since: 0.1
 */
GENKAN_API void genkan_leg_tick(genkan_leg *leg, int64_t now_ms);

/**
 * genkan_leg_free - the descriptor is closed
 * @leg: may be NULL
 *
 * Whatever the leg had not finished ends as if its peer had vanished.  A leg may
 * outlive the object that handed it out, but not the context.  Frees nothing
 * while the door is shut: <genkan/context.h>.  Since: 0.1
 */
GENKAN_API void genkan_leg_free(genkan_leg *leg);

GENKAN_END_DECLS

#endif
