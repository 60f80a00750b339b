#ifndef GK_OS_PROCTEXT_H
#define GK_OS_PROCTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What Linux writes in /proc, taken apart.  Here are bytes alone; the files
 * are read in code_linux.c and proc_linux.c.  Names in them are the choice of
 * whoever runs the process, so nothing is taken that is not written exactly as
 * the kernel writes it.
 */

/* A line of maps. */
struct gk_mapping {
	bool		 exec;
	unsigned	 major, minor;
	uint64_t	 ino;
	char		*path;		/* inside the line, "" for none */
};

/* Takes the line with or without its newline, which it overwrites; a NUL is
 * behind it.  0, or -1: this is no such line. */
int	gk_proctext_mapping(char *line, size_t len, struct gk_mapping *ret);

/* The kernel writes a newline in a name as \012, and a backslash as itself: a
 * name with that in it may be one of two files. */
bool	gk_proctext_two_names(const char *path);

/* Field 22 of stat, when the process was started.  0 or -1. */
int	gk_proctext_started(const char *text, size_t len, uint64_t *ret);

/* The line "Pid:" in what fdinfo says of a pidfd: 0, and -1 is a pid there,
 * that of a process that was reaped; or -1, it is not this line. */
int	gk_proctext_pid(const char *line, int64_t *ret);

#endif
