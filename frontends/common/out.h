/* Finished text to standard output and standard error. */
#ifndef FRONTENDS_COMMON_OUT_H
#define FRONTENDS_COMMON_OUT_H

/* All of it to standard output, or -1: a full disk must not look like
 * success. */
int	out_text(const char *);
/* The same and LF. */
int	out_line(const char *);

/* To standard error; what becomes of it is nobody's business. */
void	out_error(const char *);

#endif
