/*
 * The frames between broker and extension (wire 8.2 to 8.7): one line each,
 * read as spans without a tree, written with LF.  A reader takes the line
 * without its ending; its spans point into it.
 *
 * What cannot be read severs the leg, so a failed read says in one sentence of
 * ours why, never quoting the frame.
 */
#ifndef GK_PROTO_ENVELOPE_H
#define GK_PROTO_ENVELOPE_H

#include "base/buf.h"
#include "contract/schema.h"

/* ------------------------------------------------ extension to broker */

enum gk_envelope_kind {
	GK_ENV_RESPONSE,
	GK_ENV_HELLO,
	GK_ENV_WAITING
};

struct gk_response {
	int64_t		id;
	bool		ok;
	struct gk_span	data;		/* any JSON; "null" when absent */
	/* Of a failure: the string token, quotes included, and its code. */
	struct gk_span	error;
	enum gk_code	code;		/* EXECUTION_FAILED when absent */
};

struct gk_hello {
	int64_t		protocol;
	/* Bits 1 << GK_CAPABILITY_*, of the announced names that are known;
	 * examined only where protocol is GK_BRIDGE_PROTOCOL. */
	uint32_t	capabilities;
};

struct gk_envelope {
	enum gk_envelope_kind kind;
	union {
		struct gk_response	response;
		struct gk_hello		hello;
		int64_t			waiting;	/* the id */
	} u;
	/* The line, and so every span of it, is byte for byte what
	 * gk_scan_compact() would write. */
	bool		 canonical;
	const char	*why;		/* static, when the read failed */
};

/*
 * 0; what gk_scan() says; GENKAN_E_FRAME_MEMBER, GENKAN_E_FRAME_TYPE (a type
 * that an extension has no business sending), GENKAN_E_PROTOCOL (a
 * contradiction of 8.3).  Whether a frame comes at the right
 * time is the reader's business, apart from what stands here.
 */
int	gk_envelope_read(struct genkan_ctx *, struct gk_span line,
	    struct gk_envelope *ret);

/* ------------------------------------------------ broker to extension */

/* browser is the resolved label, args a finished JSON object ("{}" if there
 * are none).  Appends a line with LF. */
int	gk_request_write(struct gk_buf *, int64_t id, const char *op,
	    const char *browser, struct gk_span args);
int	gk_cancel_write(struct gk_buf *, int64_t id);

/* What a host or a test reads.  browser.ptr is NULL where absent; op and
 * browser are string tokens. */
struct gk_request {
	int64_t		id;
	struct gk_span	op;
	struct gk_span	browser;
	struct gk_span	args;
};
int	gk_request_read(struct genkan_ctx *, struct gk_span line,
	    struct gk_request *ret);
int	gk_cancel_read(struct genkan_ctx *, struct gk_span line, int64_t *id);

/* -------------------------------------------- extension, host, scripts */

/* The answer in place of a frame that is too large, or of any that fails. */
int	gk_failure_write(struct gk_buf *, int64_t id, enum gk_code,
	    const char *text);

#endif
