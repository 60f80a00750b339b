#ifndef GK_FRONTENDS_SERVER_H
#define GK_FRONTENDS_SERVER_H

/* Runs the server on these descriptors; broker: without MCP on them.  Returns
 * the exit status. */
int	serve(int in, int out, int broker);

#endif
