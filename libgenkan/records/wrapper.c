#include "base/buf.h"
#include "base/str.h"
#include "records/wrapper.h"

#define HOST		"genkan-host"
#define TAIL		" \"$@\""
#define WORDS_MAX	5	/* one more than is ever right */

/* exec PATH --label LABEL, decoded; the words lie behind one another. */
struct words {
	char	 text[GK_WRAPPER_PATH_MAX + 256];
	size_t	 used;
	char	*word[WORDS_MAX];
	size_t	 n;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* What the shell would act upon outside quotes. */
static bool
is_special(char c)
{
	return strchr("$`;&|()<>\"*?[]{}~!", c) != NULL;	/* NUL too */
}

static bool
put(struct words *w, char c)
{
	if (w->used >= sizeof(w->text))
		return false;
	w->text[w->used++] = c;
	return true;
}

/* One word from *p on; false where it is no plain literal. */
static bool
take_word(const char **p, const char *end, struct words *w)
{
	bool quoted = false;

	if (w->n >= WORDS_MAX)
		return false;
	w->word[w->n++] = w->text + w->used;
	for (; *p < end && (quoted || !is_blank(**p)); (*p)++) {
		if (**p == '\'') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && **p == '\\' && ++*p == end)
			return false;
		if (!quoted && is_special(**p))
			return false;
		if (!put(w, **p))
			return false;
	}
	return !quoted && put(w, '\0');
}

static bool
split(const char *p, const char *end, struct words *w)
{
	w->used = 0;
	w->n = 0;
	for (;;) {
		while (p < end && is_blank(*p))
			p++;
		if (p == end)
			return true;
		if (!take_word(&p, end, w))
			return false;
	}
}

static bool
is_host(const char *path)
{
	const char *slash = strrchr(path, '/');

	return path[0] == '/' && strcmp(slash + 1, HOST) == 0;
}

static const char *
parse_payload(const char *line, size_t len, struct gk_wrapper *ret)
{
	size_t tail = strlen(TAIL);
	struct words w;

	if (len < tail || memcmp(line + len - tail, TAIL, tail) != 0)
		return "a line does more than hand on the arguments";
	if (!split(line, line + len - tail, &w))
		return "a line is not made of plain words";
	if ((w.n != 2 && w.n != 4) || strcmp(w.word[0], "exec") != 0)
		return "a line is not a single exec";
	if (!is_host(w.word[1]) ||
	    !gk_str_copy(ret->path, sizeof(ret->path), w.word[1],
	    strlen(w.word[1])))
		return "it starts another program";
	if (w.n == 2)
		return NULL;
	if (strcmp(w.word[2], "--label") != 0 ||
	    !gk_str_is_label(w.word[3], strlen(w.word[3])))
		return "it passes other arguments";
	(void)gk_str_copy(ret->label, sizeof(ret->label), w.word[3],
	    strlen(w.word[3]));
	return NULL;
}

/* The first line is the shebang; which others carry anything? */
static bool
is_idle(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len && is_blank(line[i]); i++)
		;
	return i == len || line[i] == '#';
}

static const char *
parse_lines(const char *p, const char *end, struct gk_wrapper *ret)
{
	const char *shebang = gk_schema_ident(GK_IDENT_WRAPPER_SHEBANG);
	const char *lf, *why;
	bool first = true, payload = false;
	size_t len;

	for (; p < end; p += len + 1, first = false) {
		lf = memchr(p, '\n', (size_t)(end - p));
		len = lf != NULL ? (size_t)(lf - p) : (size_t)(end - p);
		if (first) {
			if (!gk_span_is(gk_span(p, len), shebang))
				return "the first line is another";
			continue;
		}
		if (is_idle(p, len))
			continue;
		if (payload)
			return "it has more than one command";
		if ((why = parse_payload(p, len, ret)) != NULL)
			return why;
		payload = true;
	}
	return payload ? NULL : "it starts nothing";
}

int
gk_wrapper_parse(const void *bytes, size_t len, struct gk_wrapper *ret,
    const char **why)
{
	const char *p = bytes;

	memset(ret, 0, sizeof(*ret));
	if (len > GK_MANIFEST_MAX)
		*why = "it is too large";
	else if (len == 0)
		*why = "it is empty";
	else if (memchr(p, '\0', len) != NULL)
		*why = "it holds a NUL";
	else
		*why = parse_lines(p, p + len, ret);
	if (*why == NULL)
		return 0;
	memset(ret, 0, sizeof(*ret));
	return GENKAN_E_NOT_OURS;
}

static int
put_quoted(struct gk_buf *out, const char *s)
{
	int r = gk_buf_putc(out, '\'');

	for (; r == 0 && *s != '\0'; s++)
		r = *s == '\'' ? gk_buf_puts(out, "'\\''") :
		    gk_buf_putc(out, *s);
	return r < 0 ? r : gk_buf_putc(out, '\'');
}

int
gk_wrapper_format(const char *path, const char *label, struct gk_buf *ret)
{
	size_t at = ret->len;
	int r;

	if (path[0] != '/' || !is_host(path) || strchr(path, '\n') != NULL ||
	    strlen(path) >= GK_WRAPPER_PATH_MAX ||
	    (label != NULL && !gk_str_is_label(label, strlen(label))))
		return GENKAN_E_INVAL;
	if ((r = gk_buf_putf(ret, "%s\n%s\nexec ",
	    gk_schema_ident(GK_IDENT_WRAPPER_SHEBANG),
	    gk_schema_ident(GK_IDENT_WRAPPER_MARK))) < 0 ||
	    (r = put_quoted(ret, path)) < 0)
		goto out;
	if (label != NULL && ((r = gk_buf_puts(ret, " --label ")) < 0 ||
	    (r = put_quoted(ret, label)) < 0))
		goto out;
	r = gk_buf_puts(ret, TAIL "\n");
out:
	if (r < 0)
		gk_buf_truncate(ret, at);
	return r;
}
