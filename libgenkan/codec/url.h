/*
 * Origins.  No general URL parser: what is not plainly an origin in the form
 * that the WHATWG URL standard serialises is refused.
 */
#ifndef GK_CODEC_URL_H
#define GK_CODEC_URL_H

#include "base/base.h"

#define GK_ORIGIN_MAX	300	/* bytes */

/*
 * An http or https origin that its own WHATWG serialisation reproduces
 * unchanged: lower case, no default port, no user, no path, IP addresses in
 * canonical form, international names as well-formed Punycode; and without
 * ';', '=' or space.  At most GK_ORIGIN_MAX bytes.  (URL standard 3.3-3.6, 4.5)
 * Names are not looked up in the IDNA tables: a label whose characters IDNA
 * forbids, but whose Punycode is well-formed, passes.
 */
bool	gk_url_is_origin(const char *, size_t len);

/*
 * What may be logged of a URL: scheme, host and port of one with an authority
 * (user and password cut), scheme and colon of any other, "(no URL)" for what
 * has no scheme.  Not validated, so escape it for logs; always terminated.
 */
const char *gk_url_trim(char *ret, size_t size, const char *url, size_t len);

#endif
