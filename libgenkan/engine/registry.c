/*
 * Live labels (wire 8.1).  At most 16, kept sorted: a label is found by
 * halving, and texts and listings need the order anyway.
 */
#include "engine/broker_impl.h"

static int
compare(const char *a, size_t alen, const char *b, size_t blen)
{
	int c = memcmp(a, b, GK_MIN(alen, blen));

	return c != 0 ? c : alen < blen ? -1 : alen > blen;
}

/* The place of the label, or where it would be. */
static size_t
place_of(const struct gk_broker *b, const char *label, size_t len, bool *found)
{
	size_t lo = 0, hi = b->nbrowsers, mid;
	int c;

	*found = false;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		c = compare(b->browser[mid]->label,
		    strlen(b->browser[mid]->label), label, len);
		if (c == 0) {
			*found = true;
			return mid;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct gk_browser_leg *
gk_registry_find(const struct gk_broker *b, const char *label, size_t len)
{
	bool found;
	size_t i = place_of(b, label, len, &found);

	return found ? b->browser[i] : NULL;
}

/*
 * Takes the slot of the label, whoever holds it: the holder is severed.  0, or
 * GENKAN_E_LIMIT when the label is new and all slots are taken.
 */
int
gk_registry_add(struct gk_browser_leg *w)
{
	struct gk_broker *b = w->leg->broker;
	struct gk_browser_leg *old;
	bool found;
	size_t i;

	old = gk_registry_find(b, w->label, strlen(w->label));
	if (old == NULL && b->nbrowsers == GK_MAX_BROWSERS)
		return GENKAN_E_LIMIT;
	w->generation = ++b->generation;
	i = place_of(b, w->label, strlen(w->label), &found);
	if (found) {
		/* The slot is ours before the old leg goes, so that nobody
		 * sees the label missing, and it finds itself displaced. */
		b->browser[i] = w;
		gk_browser_sever(old, "another connection took its label");
		return 0;
	}
	memmove(&b->browser[i + 1], &b->browser[i],
	    (b->nbrowsers - i) * sizeof(b->browser[0]));
	b->browser[i] = w;
	b->nbrowsers++;
	return 0;
}

/* Only the slot that still holds this generation. */
void
gk_registry_remove(struct gk_browser_leg *w)
{
	struct gk_broker *b = w->leg->broker;
	bool found;
	size_t i;

	i = place_of(b, w->label, strlen(w->label), &found);
	if (!found || b->browser[i] != w)
		return;
	b->nbrowsers--;
	memmove(&b->browser[i], &b->browser[i + 1],
	    (b->nbrowsers - i) * sizeof(b->browser[0]));
}

/* "a, b, c", bytewise sorted. */
int
gk_registry_labels(const struct gk_broker *b, struct gk_buf *ret)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < b->nbrowsers; i++)
		r = gk_buf_putf(ret, "%s%s", i == 0 ? "" : ", ",
		    b->browser[i]->label);
	return r;
}
