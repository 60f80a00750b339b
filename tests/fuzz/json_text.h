/*
 * A text that looks like JSON, for mutators: where its values are, putting
 * bytes in place of others, words that its readers know, and another value in
 * the place of one.
 */
#ifndef GK_TESTS_FUZZ_JSON_TEXT_H
#define GK_TESTS_FUZZ_JSON_TEXT_H

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "base/base.h"

#define FZ_VALUES	256
#define FZ_DEPTH	64
#define FZ_WORDS	512
#define FZ_WORD_MAX	64

/* A value, and the name in front of it where it is a member's. */
struct fz_value {
	size_t	start, end;	/* of the value */
	size_t	from;		/* of its name, else start */
	int	parent;		/* index, -1 outermost */
};

/* Being mutated: n bytes of a larger buffer, with room for max. */
struct fz_text {
	uint8_t		*p;
	size_t		 n, max;
	uint32_t	 seed;
	bool		 within;	/* another text */
	struct fz_value	 v[FZ_VALUES];
	int		 count;
};

static inline size_t
fz_draw(struct fz_text *t, size_t below)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 17;
	t->seed ^= t->seed << 5;
	return below == 0 ? 0 : t->seed % below;
}

#define FZ_ONE_OF(t, list)	(list)[fz_draw(t, GK_ARRAY_LEN(list))]

/* ------------------------------------------------------------------- reading */

static inline size_t
fz_string_end(const struct fz_text *t, size_t i)
{
	for (i++; i < t->n && t->p[i] != '"'; i++)
		if (t->p[i] == '\\')
			i++;
	return i < t->n ? i + 1 : t->n;
}

/* Finds the values: strings, words and what stands in brackets. */
static inline void
fz_find(struct fz_text *t)
{
	int open[FZ_DEPTH], depth = 0;
	size_t i = 0, from = 0, end;
	bool named = false;

	t->count = 0;
	while (i < t->n && t->count < FZ_VALUES) {
		struct fz_value *v = &t->v[t->count];
		const uint8_t c = t->p[i];

		if (c == '}' || c == ']') {
			if (depth > 0)
				t->v[open[--depth]].end = i + 1;
			named = false;
			i++;
			continue;
		}
		if (c == ',' || c == ':' || c == ' ' || c == '\n' ||
		    c == '\t' || c == '\r') {
			if (c == ',')
				named = false;
			i++;
			continue;
		}
		if (c == '"') {
			size_t k = end = fz_string_end(t, i);

			while (k < t->n && t->p[k] == ' ')
				k++;
			if (!named && k < t->n && t->p[k] == ':') {
				named = true;
				from = i;
				i = k + 1;
				continue;
			}
		} else if (c == '{' || c == '[') {
			end = t->n;	/* until it is closed */
		} else {
			for (end = i + 1; end < t->n &&
			    strchr(",:{}[]\" \n\t\r", t->p[end]) == NULL; )
				end++;
		}
		v->start = i;
		v->end = end;
		v->from = named ? from : i;
		v->parent = depth > 0 ? open[depth - 1] : -1;
		named = false;
		if (c == '{' || c == '[') {
			if (depth == FZ_DEPTH)
				break;
			open[depth++] = t->count;
			end = i + 1;
		}
		t->count++;
		i = end;
	}
	while (depth > 0)
		t->v[open[--depth]].end = t->n;
}

/* ------------------------------------------------------------------- writing */

/* Puts these bytes in place of those from a to b, if there is room. */
static inline void
fz_splice(struct fz_text *t, size_t a, size_t b, const void *with, size_t len)
{
	uint8_t *copy;

	if (t->n - (b - a) + len > t->max)
		return;
	copy = malloc(len + 1);		/* it may be of this text */
	MUST(copy != NULL);
	if (len > 0)
		memcpy(copy, with, len);
	memmove(t->p + a + len, t->p + b, t->n - b);
	memcpy(t->p + a, copy, len);
	free(copy);
	t->n = t->n - (b - a) + len;
}

static inline void
fz_splice_text(struct fz_text *t, size_t a, size_t b, const char *with)
{
	fz_splice(t, a, b, with, strlen(with));
}

/* The words of the dictionary that libFuzzer was given: lines of "word" or
 * "\"word\"", those with other escapes left out. */
static char		 fz_word[FZ_WORDS][FZ_WORD_MAX];
static size_t		 fz_nwords;

static inline void
fz_learn(void)
{
	const char *path = getenv("GK_FUZZ_WORDS");
	char line[2 * FZ_WORD_MAX], *p, *end;
	FILE *f;

	if (fz_nwords > 0)
		return;
	(void)snprintf(fz_word[fz_nwords++], FZ_WORD_MAX, "a");
	f = path != NULL ? fopen(path, "r") : NULL;
	while (f != NULL && fz_nwords < FZ_WORDS &&
	    fgets(line, sizeof(line), f) != NULL) {
		p = line + strspn(line, "\\\"");
		end = p + strcspn(p, "\\\"\n");
		if (p == line || *end == '\n' || end == p ||
		    end - p >= FZ_WORD_MAX)
			continue;
		*end = '\0';
		(void)snprintf(fz_word[fz_nwords++], FZ_WORD_MAX, "%s", p);
	}
	if (f != NULL)
		fclose(f);
}

static inline const char *
fz_draw_word(struct fz_text *t)
{
	fz_learn();
	return fz_word[fz_draw(t, fz_nwords)];
}

/* ------------------------------------------------------------------- values */

static inline void
fz_other_value(struct fz_text *t, const struct fz_value *v)
{
	static const char *const other[] = {
		"null", "true", "false", "0", "1", "-1", "-0", "1.0", "1e0",
		"1.5", "1e400", "2147483648", "4294967296",
		"9007199254740991", "9007199254740992", "-9007199254740992",
		"9223372036854775807", "9223372036854775808",
		"18446744073709551616", "01", "+1", "1e", "\"\"", "\"0\"",
		"\"a\"", "[]", "[[]]", "[null]", "{}", "{\"\":0}",
		"{\"a\":1,\"a\":1}",
	};

	fz_splice_text(t, v->start, v->end, FZ_ONE_OF(t, other));
}

/* A number one more or less, or a digit longer; else another value. */
static inline void
fz_number(struct fz_text *t, const struct fz_value *v)
{
	uint8_t *last = t->p + v->end - 1;

	if (*last < '0' || *last > '9')
		fz_other_value(t, v);
	else if (fz_draw(t, 3) == 0)
		fz_splice_text(t, v->end, v->end, "0");
	else
		*last = (uint8_t)('0' + (*last - '0' +
		    (fz_draw(t, 2) ? 1 : 9)) % 10);
}

/* The same string in another spelling, or with what no string may hold, or
 * longer than any bound. */
static inline void
fz_string(struct fz_text *t, size_t start, size_t end)
{
	static const char *const odd[] = {
		"\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude00",
		"\\ude00\\ud83d", "\\uffff", "\\u2028", "\\/", "\\\"", "\\\\",
		"\\n", "\\u001b[0m", "\\x", "\\u12", "\xff", "\xc0\x80",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x80\xae", "\x01",
		"\n", "\x7f", "\xc3", "'", " ", "/", ".", "..", ":", "@",
	};
	char spelt[8], more[300];
	size_t at = start + 1 + fz_draw(t, end - start - 1);

	switch (fz_draw(t, 6)) {
	case 0:
		if (at + 1 >= end || t->p[at] >= 0x80 || t->p[at] < 0x20 ||
		    t->p[at] == '\\' || t->p[at - 1] == '\\')
			break;
		(void)snprintf(spelt, sizeof(spelt), fz_draw(t, 2) ?
		    "\\u%04x" : "\\u%04X", t->p[at]);
		fz_splice(t, at, at + 1, spelt, 6);
		break;
	case 1:
		fz_splice_text(t, at, at, FZ_ONE_OF(t, odd));
		break;
	case 2:
		memset(more, at < end ? t->p[at] : 'a', sizeof(more));
		fz_splice(t, at, at, more, 1 + fz_draw(t, sizeof(more)));
		break;
	case 3:
		fz_splice(t, at, at + fz_draw(t, end - at), NULL, 0);
		break;
	default:
		fz_splice_text(t, start + 1, end - 1, fz_draw_word(t));
	}
}

#endif
