/*
 * Log records to stderr (wire 14).
 */
#ifndef GK_FRONTENDS_LOG_H
#define GK_FRONTENDS_LOG_H

#include <genkan/context.h>

/* Level by GENKAN_LOG, records to stderr: for genkan_ctx_new(). */
void	log_options(genkan_ctx_options *);

/* A line of the program's own. */
void	log_line(int level, const char *tag, const char *text);
/* The same where in, which is for another program, is a terminal.  Before
 * confine(). */
void	log_by_hand(int in, const char *tag, const char *text);

#endif
