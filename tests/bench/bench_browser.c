/*
 * The browser of the benchmark: the least that answers.  It finds the id and
 * the wanted size in the request by plain search, and sends a text of that
 * size back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* The decimal number behind a key, or 0. */
static unsigned long
number_behind(const char *json, const char *key)
{
	const char *p = strstr(json, key);

	return p == NULL ? 0 : strtoul(p + strlen(key), NULL, 10);
}

/* Held from one call to the next: making it up, a byte at a time, would be
 * the dearest thing on the way, in both chains. */
static const char *
text_of(size_t size)
{
	static char *text;
	static size_t held;

	if (text == NULL || held != size) {
		free(text);
		text = bench_payload(size);
		held = size;
	}
	return text;
}

/* {"id":N,"ok":true,"data":{"text":"...","url":"","truncated":false}} */
static void
answer(int fd, unsigned long id, size_t size)
{
	const char *text = text_of(size);
	char *json = malloc(size + 128);
	int n;

	if (json == NULL)
		bench_fail("out of memory");
	n = snprintf(json, size + 128, "{\"id\":%lu,\"ok\":true,\"data\":{"
	    "\"text\":\"%s\",\"url\":\"\",\"truncated\":false}}", id, text);
	bench_frame_write(fd, json, (size_t)n);
	free(json);
}

void
bench_browser(struct bench_in *in, int out)
{
	static const char hello[] = "{\"type\":\"hello\",\"protocol\":1,"
	    "\"capabilities\":[\"tab_control\",\"page_read\","
	    "\"page_interact\"]}";
	unsigned long id, size;
	size_t len;
	char *json, saved;

	bench_frame_write(out, hello, sizeof(hello) - 1);
	while ((json = bench_frame(in, &len)) != NULL) {
		saved = json[len];
		json[len] = '\0';
		id = number_behind(json, "{\"id\":");
		size = number_behind(json, "\"selector\":\"#s");
		json[len] = saved;
		if (id != 0)
			answer(out, id, size);
	}
}
