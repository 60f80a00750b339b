/*
 * Lines ended by LF.  The cap counts the LF; a line that lies whole in the fed
 * bytes is handed out where it lies, without a copy.
 *
 * Blank lines (spaces, tabs, CRs) are skipped, any number of them in constant
 * stack and memory.  For that, blanks at the start of a line are counted
 * against the cap but never held, and the line handed out begins behind them;
 * trailing CRs and the LF are stripped.  Neither changes what JSON says.
 */
#ifndef GK_CODEC_LINE_H
#define GK_CODEC_LINE_H

#include "base/buf.h"

enum gk_line_mode {
	/* Bridge socket: an over-long line is final, a fragment at the end of
	 * input is discarded. */
	GK_LINE_SOCKET,
	/* The same while it is set up: what was held is wiped. */
	GK_LINE_SETUP,
	/* Stdio: an over-long line is reported once, as soon as the cap is
	 * passed, and discarded up to its LF; a fragment at the end counts. */
	GK_LINE_STDIO
};

struct gk_line {
	struct gk_buf	 held;		/* of an unfinished line, blanks cut */
	struct gk_span	 line;		/* the finished one */
	size_t		 cap;		/* bytes of a line with its LF */
	size_t		 seen;		/* bytes of the current line so far */
	size_t		 last;		/* of the last line that was held */
	uint8_t		 mode;
	bool		 borrow;	/* may point into the fed bytes */
	bool		 ready;
	bool		 behind;	/* fed bytes are left in held's memory */
	bool		 skipping;	/* to the LF of an over-long line */
	int		 err;		/* sticky */
};

void	gk_line_init(struct gk_line *, struct genkan_ctx *, size_t cap,
	    enum gk_line_mode, bool borrow);
void	gk_line_done(struct gk_line *);

/*
 * Between lines only: set-up lines have a smaller cap than what follows them.
 */
void	gk_line_set_cap(struct gk_line *, size_t cap);

/*
 * Takes at most one line that is not blank.  1: one is ready, 0: more bytes
 * are needed.  *used is set whatever is returned.  GENKAN_E_LINE_SIZE: final
 * on a socket; on stdio the next call goes on.  GENKAN_E_NOMEM is final.
 */
int	gk_line_feed(struct gk_line *, const void *, size_t len, size_t *used);

/*
 * Where more of a line that has begun may be read to, in place of a copy: how
 * many bytes; 0 if fewer than least have come, or there is no such place for as
 * many.  Not for lines of the set-up.  It is there until the next call
 * for this reader but gk_line_get().  What was read there is fed from its start
 * on, and what lies behind the end of a line may be fed from there as well; it
 * stays until bytes from elsewhere are fed.
 */
size_t	gk_line_room(struct gk_line *, size_t least, void **ret);

/* The input ended: 1 if a last line is ready, 0 if not.  Later feeds start
 * from a clean slate. */
int	gk_line_eof(struct gk_line *);

/* The finished line without its ending, never empty; borrowed until the next
 * feed (with borrow: and as long as the fed bytes stay).  ptr NULL if none. */
struct gk_span	gk_line_get(const struct gk_line *);

/* The finished line has been dealt with: what it lies in is given back now, and
 * not with the next feed, which may be long in coming. */
void	gk_line_over(struct gk_line *);

/* true if bytes of an unfinished line were seen, blank ones included. */
bool	gk_line_partial(const struct gk_line *);

#endif
