#include <stdio.h>

#include "base/str.h"
#include "records/anchor.h"

const char *
gk_anchor_kind_name(enum gk_anchor_kind kind)
{
	return kind == GK_ANCHOR_HASH ? "hash" : "signer";
}

bool
gk_anchor_kind_parse(const char *s, size_t len, enum gk_anchor_kind *ret)
{
	if (gk_span_is(gk_span(s, len), "hash"))
		*ret = GK_ANCHOR_HASH;
	else if (gk_span_is(gk_span(s, len), "signer"))
		*ret = GK_ANCHOR_SIGNER;
	else
		return false;
	return true;
}

bool
gk_anchor_is_valid(enum gk_anchor_kind kind, const char *value, size_t len)
{
	if (kind == GK_ANCHOR_HASH)
		return (len == 40 || len == 64) &&
		    gk_str_is_hex_lower(value, len);
	return len >= 1 && len <= GK_SIGNER_MAX && gk_str_is_plain(value, len);
}

void
gk_anchor_detail(const struct gk_anchor *a, const char *auth,
    char ret[GK_AUDIT_TEXT_MAX + 1])
{
	static const char between[] = "; auth=", cut[] = "...";
	const char *kind = gk_anchor_kind_name(a->kind);
	const size_t len = strlen(a->value), taken = strlen(kind) + 1 +
	    strlen(between) + strlen(auth);
	size_t n = len;

	if (taken + len > GK_AUDIT_TEXT_MAX)
		n = gk_utf8_cut(a->value, len, GK_AUDIT_TEXT_MAX - taken -
		    strlen(cut));
	(void)snprintf(ret, GK_AUDIT_TEXT_MAX + 1, "%s:%.*s%s%s%s", kind,
	    (int)n, a->value, n < len ? cut : "", between, auth);
}
