/* Arguments of genkan-host: wire 12.1. */
#include "engine/host.h"

#include <stdio.h>

#include "base/str.h"
#include "codec/url.h"

#define ORIGIN_SCHEME	"chrome-extension://"

static int
take_label(const char *value, struct gk_host_args *a, char *why,
    size_t whylen)
{
	char shown[4 * GK_QUOTE_MAX];

	if (a->has_label) {
		(void)snprintf(why, whylen, "--label is given twice");
		return GENKAN_E_INVAL;
	}
	if (value == NULL) {
		(void)snprintf(why, whylen, "--label needs a value");
		return GENKAN_E_INVAL;
	}
	if (!gk_str_is_label(value, strlen(value))) {
		(void)snprintf(why, whylen, "not a label: %s",
		    gk_str_escaped(shown, sizeof(shown), value, strlen(value),
		    GK_QUOTE_MAX));
		return GENKAN_E_INVAL;
	}
	a->has_label = true;
	(void)gk_str_copy(a->label, sizeof(a->label), value, strlen(value));
	return 0;
}

static int
take_origin(const char *arg, char *why, size_t whylen)
{
	char shown[4 * GK_QUOTE_MAX], origin[GK_QUOTE_MAX];

	if (strcmp(arg, gk_schema_ident(GK_IDENT_EXTENSION_URL)) == 0)
		return 0;
	/* What stands behind the origin is for no log. */
	(void)gk_url_trim(origin, sizeof(origin), arg, strlen(arg));
	(void)snprintf(why, whylen, "started for another extension: %s",
	    gk_str_escaped(shown, sizeof(shown), origin, strlen(origin),
	    GK_QUOTE_MAX));
	return GENKAN_E_INVAL;
}

int
gk_host_args(int argc, const char *const *argv, struct gk_host_args *ret,
    char *why, size_t whylen)
{
	struct gk_host_args a;
	int i, r = 0;

	memset(&a, 0, sizeof(a));
	for (i = 0; r == 0 && i < argc; i++) {
		if (strcmp(argv[i], "--label") == 0) {
			r = take_label(i + 1 < argc ? argv[i + 1] : NULL, &a,
			    why, whylen);
			i++;
		} else if (strncmp(argv[i], "--label=", 8) == 0) {
			(void)snprintf(why, whylen,
			    "write --label L, not --label=L");
			r = GENKAN_E_INVAL;
		} else if (strncmp(argv[i], ORIGIN_SCHEME,
		    sizeof(ORIGIN_SCHEME) - 1) == 0) {
			r = take_origin(argv[i], why, whylen);
		}
		/* All others, --native-host among them, are the browser's. */
	}
	if (r == 0)
		*ret = a;
	return r;
}
