/*
 * What every program does before anything else (wire 1.6).
 */
#ifndef GK_FRONTENDS_HYGIENE_H
#define GK_FRONTENDS_HYGIENE_H

/*
 * The first statement of main().  Descriptors 0 to 2 are open from here on,
 * every inherited one is close-on-exec, SIGPIPE is ignored, core dumps are off
 * through a zero limit: being non-dumpable would hide /proc/<pid>/exe from
 * peers and fail every measurement.  Ends the process if descriptors cannot be
 * opened.
 */
void	hygiene(void);

/*
 * Takes the protocol's descriptors away from everybody else: *out is a private
 * copy of descriptor 1, which then points at stderr, so that a stray print
 * corrupts nothing.  Both are non-blocking where the system lets that be a
 * matter of this process alone.
 */
void	hygiene_stdio(int *in, int *out);

/*
 * For a program that has nothing to do: gives memory back that the next large
 * message or the next hash takes again.  Kept meanwhile, since taking it from
 * the system for every message costs more than handling the message.
 */
void	hygiene_rest(void);

/* A descriptor like fd for this process alone: its own flags, where it can be
 * opened anew; else a duplicate.  -1 with errno. */
int	hygiene_private(int fd, int writes);

#endif
