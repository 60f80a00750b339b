/*
 * A signal that ends a command does not cut in two what it is writing: it has
 * the time that wire 3.3 gives a server to finish, and ends by the signal only
 * then, also where it had nothing to write.  One that was ignored when the command was started stays ignored.
 */
#ifndef FRONTENDS_CLI_GRACE_H
#define FRONTENDS_CLI_GRACE_H

/* Before any other thread is started.  Without memory for a thread signals do
 * what they did. */
void	grace(void);

#endif
