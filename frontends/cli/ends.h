/*
 * A signal that ends a command does not cut in two what it is writing: it has
 * the time of common/grace.h to finish, and ends by the signal only then, also
 * where it had nothing to write.  One that was ignored when the command was
 * started stays ignored.
 */
#ifndef FRONTENDS_CLI_ENDS_H
#define FRONTENDS_CLI_ENDS_H

/* Before any other thread is started.  Without memory for a thread signals do
 * what they did. */
void	ends_start(void);

#endif
