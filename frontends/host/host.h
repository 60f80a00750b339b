#ifndef GK_FRONTENDS_HOST_H
#define GK_FRONTENDS_HOST_H

/* Runs the host on these descriptors, with the arguments behind the program's
 * name.  Returns the exit status. */
int	host(int argc, const char *const *argv, int in, int out);

#endif
