#include "common/out.h"

#include <stdio.h>

int
out_text(const char *text)
{
	return fputs(text, stdout) == EOF || fflush(stdout) != 0 ? -1 : 0;
}

int
out_line(const char *text)
{
	return fputs(text, stdout) == EOF ? -1 : out_text("\n");
}

void
out_error(const char *text)
{
	(void)fputs(text, stderr);
}
