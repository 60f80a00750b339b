/*
 * Native-messaging frames: a 4-byte little-endian length of the JSON only,
 * then the JSON.
 *
 * A promised length reserves nothing: memory grows with the bytes that really
 * arrive, and a liar has to send a quarter of what it wants us to hold, beyond
 * the smallest block.  A frame that lies whole in the fed bytes is handed out
 * where it lies, without a copy.  An error is final, since a length prefix
 * cannot be resynchronised.
 */
#ifndef GK_CODEC_FRAME_H
#define GK_CODEC_FRAME_H

#include "base/buf.h"

#define GK_FRAME_PREFIX	4

/* How the input ended, gk_frame_eof(). */
#define GK_FRAME_EOF_CLEAN	0	/* at a frame boundary */
#define GK_FRAME_EOF_PREFIX	1	/* after 1 to 3 bytes of the length */
#define GK_FRAME_EOF_BODY	2	/* the body is cut short */

struct gk_frame {
	struct gk_buf	 body;		/* what is held of an unfinished body */
	struct gk_span	 frame;		/* the finished one */
	uint32_t	 max;		/* largest length accepted */
	uint32_t	 size;		/* promised, once prefix is complete */
	uint8_t		 prefix[GK_FRAME_PREFIX];
	uint8_t		 nprefix;
	bool		 ready;
	bool		 borrow;	/* may point into the fed bytes */
	int		 err;		/* sticky */
};

/*
 * max: largest JSON in bytes, inclusive; the direction's own cap.  borrow: a
 * frame may be a view of the bytes given to gk_frame_feed(), valid as long as
 * those are; otherwise it is always copied and valid until the next feed.
 */
void	gk_frame_init(struct gk_frame *, struct genkan_ctx *, uint32_t max,
	    bool borrow);
void	gk_frame_done(struct gk_frame *);

/*
 * Takes at most one frame.  1: a frame is ready, 0: more bytes are needed.
 * *used is set whatever is returned.  GENKAN_E_FRAME_EMPTY for length zero,
 * GENKAN_E_FRAME_SIZE above max, GENKAN_E_NOMEM; each is final.
 */
int	gk_frame_feed(struct gk_frame *, const void *, size_t len, size_t *used);

/*
 * Where the rest of a frame that has begun may be read to, in place of a copy:
 * how many bytes, all of them the frame's; 0 if fewer than least have come or
 * are due, or there is no such place.  It is there until the next call for this
 * reader, which is to be a feed of what was read there, from its start on, or
 * any other.
 */
size_t	gk_frame_room(struct gk_frame *, size_t least, void **ret);

/* The finished frame, borrowed until the next feed; ptr NULL if there is none. */
struct gk_span	gk_frame_get(const struct gk_frame *);

/*
 * A frame that was put together from pieces can be had for good, without a
 * copy, two bytes below its buffer's ceiling: true, and *ret is that buffer,
 * not initialised before.  The bytes stay where they are.  false: it is
 * borrowed, or there is none.
 */
bool	gk_frame_take(struct gk_frame *, struct gk_buf *ret);

/* The finished frame has been dealt with: what it lies in is given back now, and
 * not with the next feed, which may be long in coming. */
void	gk_frame_over(struct gk_frame *);

/* GK_FRAME_EOF_*; asks only, changes nothing. */
int	gk_frame_eof(const struct gk_frame *);

/* The prefix of a frame of len bytes, 1 to UINT32_MAX. */
void	gk_frame_header(uint8_t ret[GK_FRAME_PREFIX], uint32_t len);
/* Appends prefix and JSON.  GENKAN_E_FRAME_EMPTY, GENKAN_E_FRAME_SIZE beyond
 * max or the buffer, GENKAN_E_NOMEM; on failure the buffer is unchanged. */
int	gk_frame_put(struct gk_buf *, const void *, size_t len, uint32_t max);

#endif
