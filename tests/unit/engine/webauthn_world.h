/*
 * A connection whose browser has an authenticator in software, "mine", and
 * sees another one; the frames that they make, and records that know them.
 */
#ifndef GK_TESTS_WEBAUTHN_WORLD_H
#define GK_TESTS_WEBAUTHN_WORLD_H

#include "control_world.h"
#include "softkey.h"

#define ORIGIN	"chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl"
#define OK	"{\"type\":\"presence_result\",\"ok\":true}\n"
#define RELEASE	"{\"type\":\"kill_release\"}"
#define BEGIN	"{\"type\":\"enroll_begin\"}"
#define ENGAGE	"{\"type\":\"kill_engage\"}"

extern struct softkey mine, other;

TCase	*webauthn_tcase(Suite *, const char *name);

/* base64url, good for three more calls. */
const char *b64(const void *, size_t);
/* The string member of the frame that was sent, copied. */
const char *member(const char *frames, const char *name, char ret[64]);
/* enroll_finish for the options that were sent. */
const char *finish(struct softkey *, const char *options);
const char *finish_with(struct softkey *, const char *options,
	    const char *origin);
/* presence_assert, or the click of the window, for a request. */
const char *tap(struct softkey *, const char *request);
const char *assert_with(struct softkey *, const char *request,
	    const char *origin);
const char *click(const char *request);
/* What is sent stays where it is until the next call: keep it. */
const char *kept(const char *);
/* An entry of a record, good for one more call. */
const char *entry(const struct softkey *, const char *label);
/* A record with the given enrollments, "" or one entry or two. */
void	record(bool killed, const char *enrollments);
/* ... with one key, or two. */
void	enrolled(bool killed, const struct softkey *, const char *label,
	    const struct softkey *, const char *label2);
/* The frames are this refusal alone. */
void	refused(const char *frames, const char *result, const char *reason);

#define REFUSED(frame, code)	refused(answer(frame), "presence_result", code)
#define ENROLL_REFUSED(frame, code) \
	refused(answer(frame), "enroll_result", code)

#endif
