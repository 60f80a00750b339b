/*
 * Origins.  Properties: an accepted one is its own trimmed form, also with a
 * path, a query or a user around it, and is refused with any of them; it is
 * refused in upper case and with the default port; and what is trimmed never
 * holds more than the input shows before its path.
 */
#include "fuzz.h"

#include <ctype.h>
#include <string.h>

#include "codec/url.h"

static void
check_trim(const char *s, size_t len)
{
	char ret[512], again[512];

	(void)gk_url_trim(ret, sizeof(ret), s, len);
	MUST(strlen(ret) <= (len < 8 ? 8 : len));
	if (strcmp(ret, "(no URL)") != 0) {
		MUST(strpbrk(ret + strcspn(ret, ":"), "?#\\@") == NULL);
		(void)gk_url_trim(again, sizeof(again), ret, strlen(ret));
		MUST(strcmp(again, ret) == 0);
	}
	(void)gk_url_trim(ret, 1 + len % 16, s, len);
	MUST(strlen(ret) < 1 + len % 16);
}

static void
check_origin(const char *s, size_t len)
{
	char url[GK_ORIGIN_MAX + 32], ret[GK_ORIGIN_MAX + 32];
	const char *host = strstr(s, "//") + 2;
	int n, i;

	MUST(len <= GK_ORIGIN_MAX);
	/* The default port is never written. */
	n = strncmp(s, "https:", 6) == 0 ? 4 : 3;
	MUST(len < (size_t)n || strcmp(s + len - n, n == 4 ? ":443" :
	    ":80") != 0);
	n = snprintf(url, sizeof(url), "%s/p?q#f", s);
	MUST(strcmp(gk_url_trim(ret, sizeof(ret), url, (size_t)n), s) == 0);
	MUST(!gk_url_is_origin(url, (size_t)n));
	MUST(!gk_url_is_origin(url, len + 1));
	n = snprintf(url, sizeof(url), "%.*su:p@%s", (int)(host - s), s, host);
	MUST(strcmp(gk_url_trim(ret, sizeof(ret), url, (size_t)n), s) == 0);
	MUST(!gk_url_is_origin(url, (size_t)n));
	for (i = 0; s[i] != '\0'; i++) {
		MUST(strchr(" ;=/?#@%\\", s[i]) == NULL ||
		    (s[i] == '/' && s + i < host));
		if (!islower((unsigned char)s[i]))
			continue;
		memcpy(url, s, len + 1);
		url[i] = (char)toupper((unsigned char)s[i]);
		MUST(!gk_url_is_origin(url, len));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char s[GK_ORIGIN_MAX + 64];

	if (size >= sizeof(s))
		return 0;
	check_trim((const char *)data, size);
	if (gk_url_is_origin((const char *)data, size)) {
		memcpy(s, data, size);
		s[size] = '\0';
		MUST(strlen(s) == size);
		check_origin(s, size);
	}
	return 0;
}
