/*
 * The Secret Service, through libsecret: what is asked of it.  How it is asked
 * is in os/keystore_call.h.
 *
 * Nothing here may prompt but gk_keystore_unlock(): searches are without the
 * flag that unlocks, and an item or a collection is looked at before it is
 * written to.
 */
#include "os/keystore_call.h"

#include "base/buf.h"
#include "contract/schema.h"

/* A key is 44 characters; more than this is none. */
#define VALUE_MAX	1024

/* ----------------------------------------------------------------- looking */

static int
search(struct gk_keycall *c, GList **ret)
{
	GAsyncResult *result;
	GError *error = NULL;

	c->lib.secret_service_search(c->service, &gk_keycall_schema, c->attrs,
	    SECRET_SEARCH_ALL, c->cancel, gk_keycall_arrived, c);
	if ((result = gk_keycall_await(c)) == NULL)
		return gk_keycall_fail(c, NULL);
	*ret = c->lib.secret_service_search_finish(c->service, result, &error);
	c->lib.g_object_unref(result);
	return error == NULL ? 0 : gk_keycall_fail(c, error);
}

/* The default collection; *ret NULL where there is none. */
static int
collection(struct gk_keycall *c, SecretCollection **ret)
{
	GAsyncResult *result;
	GError *error = NULL;

	c->lib.secret_collection_for_alias(c->service, SECRET_COLLECTION_DEFAULT,
	    SECRET_COLLECTION_NONE, c->cancel, gk_keycall_arrived, c);
	if ((result = gk_keycall_await(c)) == NULL)
		return gk_keycall_fail(c, NULL);
	*ret = c->lib.secret_collection_for_alias_finish(result, &error);
	c->lib.g_object_unref(result);
	return error == NULL ? 0 : gk_keycall_fail(c, error);
}

/* Without a default collection: is any of the others locked? */
static int
others_locked(struct gk_keycall *c)
{
	GAsyncResult *result;
	GError *error = NULL;
	GList *all, *l;
	gboolean ok, some = FALSE;

	c->lib.secret_service_load_collections(c->service, c->cancel,
	    gk_keycall_arrived, c);
	if ((result = gk_keycall_await(c)) == NULL)
		return gk_keycall_fail(c, NULL);
	ok = c->lib.secret_service_load_collections_finish(c->service, result,
	    &error);
	c->lib.g_object_unref(result);
	if (!ok)
		return gk_keycall_fail(c, error);
	all = c->lib.secret_service_get_collections(c->service);
	for (l = all; l != NULL; l = l->next)
		some = some || c->lib.secret_collection_get_locked(l->data);
	c->lib.g_list_free_full(all, c->lib.g_object_unref);
	return some ? 1 : 0;
}

/* Nothing was found.  Is that so, or is it out of sight?  NOENT or LOCKED. */
static int
nothing(struct gk_keycall *c)
{
	SecretCollection *coll = NULL;
	int r = collection(c, &coll);

	if (r == 0)
		r = coll != NULL ? c->lib.secret_collection_get_locked(coll) :
		    others_locked(c);
	gk_keycall_drop(c, coll);
	if (r < 0)
		return r;
	return r == 0 ? GENKAN_E_NOENT : gk_why_set(c->why, GENKAN_E_LOCKED,
	    0, "the host key in the credential store is locked or missing");
}

static int
secret_of(struct gk_keycall *c, SecretItem *item, struct gk_buf *ret)
{
	GAsyncResult *result;
	GError *error = NULL;
	SecretValue *value;
	const gchar *text;
	gsize len = 0;
	gboolean ok;
	int r;

	c->lib.secret_item_load_secret(item, c->cancel, gk_keycall_arrived, c);
	if ((result = gk_keycall_await(c)) == NULL)
		return gk_keycall_fail(c, NULL);
	ok = c->lib.secret_item_load_secret_finish(item, result, &error);
	c->lib.g_object_unref(result);
	if (!ok)
		return gk_keycall_fail(c, error);
	if ((value = c->lib.secret_item_get_secret(item)) == NULL)
		return nothing(c);
	text = c->lib.secret_value_get(value, &len);
	r = gk_buf_put(ret, text, len < VALUE_MAX ? len : VALUE_MAX);
	c->lib.secret_value_unref(value);
	return r;
}

static int
load(struct gk_keycall *c, struct gk_buf *ret)
{
	GList *items = NULL, *l;
	int r = search(c, &items);

	if (r < 0)
		return r;
	if (items == NULL)
		return nothing(c);
	for (l = items; l != NULL; l = l->next)
		if (!c->lib.secret_item_get_locked(l->data))
			break;
	r = l != NULL ? secret_of(c, l->data, ret) : gk_keycall_locked(c);
	c->lib.g_list_free_full(items, c->lib.g_object_unref);
	return r;
}

/* ----------------------------------------------------------------- writing */

static int
put(struct gk_keycall *c, const char *text, size_t len)
{
	SecretCollection *coll = NULL;
	SecretValue *value;
	GAsyncResult *result;
	GError *error = NULL;
	gboolean ok;
	int r = collection(c, &coll);

	if (r == 0 && (coll == NULL ||
	    c->lib.secret_collection_get_locked(coll)))
		r = gk_keycall_locked(c);
	gk_keycall_drop(c, coll);
	if (r < 0)
		return r;
	value = c->lib.secret_value_new(text, (gssize)len, "text/plain");
	c->lib.secret_service_store(c->service, &gk_keycall_schema, c->attrs,
	    SECRET_COLLECTION_DEFAULT, "genkan host key", value, c->cancel,
	    gk_keycall_arrived, c);
	c->lib.secret_value_unref(value);
	if ((result = gk_keycall_await(c)) == NULL)
		return gk_keycall_fail(c, NULL);
	ok = c->lib.secret_service_store_finish(c->service, result, &error);
	c->lib.g_object_unref(result);
	return ok ? 0 : gk_keycall_fail(c, error);
}

static int
delete(struct gk_keycall *c, SecretItem *item)
{
	GAsyncResult *result;
	GError *error = NULL;
	gboolean ok;

	if (c->lib.secret_item_get_locked(item))
		return gk_keycall_locked(c);
	c->lib.secret_item_delete(item, c->cancel, gk_keycall_arrived, c);
	if ((result = gk_keycall_await(c)) == NULL)
		return gk_keycall_fail(c, NULL);
	ok = c->lib.secret_item_delete_finish(item, result, &error);
	c->lib.g_object_unref(result);
	return ok ? 0 : gk_keycall_fail(c, error);
}

static int
erase(struct gk_keycall *c)
{
	GList *items = NULL, *left = NULL, *l;
	bool some;
	int r = search(c, &items);

	for (l = items; r == 0 && l != NULL; l = l->next)
		r = delete(c, l->data);
	some = items != NULL;
	c->lib.g_list_free_full(items, c->lib.g_object_unref);
	if (r == 0)
		r = search(c, &left);
	if (r == 0 && left != NULL)
		r = gk_why_set(c->why, GENKAN_E_UNAVAILABLE, 0, "the host key "
		    "is still in the credential store after it was deleted");
	c->lib.g_list_free_full(left, c->lib.g_object_unref);
	if (r == 0 && (r = nothing(c)) == GENKAN_E_NOENT)
		r = some ? 0 : 1;
	return r;
}

/* --------------------------------------------------------------- unlocking */

static int
unlock(struct gk_keycall *c, SecretCollection *coll)
{
	GList one = { coll, NULL, NULL };
	GAsyncResult *result;
	GError *error = NULL;
	gint n;

	if (!c->lib.secret_collection_get_locked(coll))
		return 0;
	c->lib.secret_service_unlock(c->service, &one, c->cancel,
	    gk_keycall_arrived, c);
	result = gk_keycall_await(c);
	n = c->lib.secret_service_unlock_finish(c->service, result, NULL,
	    &error);
	c->lib.g_object_unref(result);
	if (error != NULL)
		return gk_keycall_fail(c, error);
	return n == 1 ? 0 : gk_keycall_locked(c);
}

static int
create(struct gk_keycall *c)
{
	GAsyncResult *result;
	GError *error = NULL;
	SecretCollection *coll;

	c->lib.secret_collection_create(c->service, "Default keyring",
	    SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_CREATE_NONE,
	    c->cancel, gk_keycall_arrived, c);
	result = gk_keycall_await(c);
	coll = c->lib.secret_collection_create_finish(result, &error);
	c->lib.g_object_unref(result);
	if (coll != NULL) {
		c->lib.g_object_unref(coll);
		return 0;
	}
	/* A prompt that was dismissed, or could not be shown, ends in an odd
	 * error: "no such collection". */
	c->lib.g_clear_error(&error);
	return gk_why_set(c->why, GENKAN_E_LOCKED, 0, "the credential store "
	    "has no keyring yet, and none was made");
}

/* ---------------------------------------------------------------- interface */

bool
gk_keystore_built(void)
{
	return true;
}

int
gk_keystore_load(const char *account, struct gk_buf *ret, struct gk_why *why)
{
	struct gk_keycall *c;
	int r = gk_keycall_begin(&c, account, GK_KEYSTORE_MS, why);

	if (r == 0)
		r = load(c, ret);
	gk_keycall_end(c);
	return r;
}

int
gk_keystore_store(const char *account, const char *text, size_t len,
    struct gk_why *why)
{
	struct gk_keycall *c;
	int r = gk_keycall_begin(&c, account, GK_KEYSTORE_MS, why);

	if (r == 0)
		r = put(c, text, len);
	gk_keycall_end(c);
	return r;
}

int
gk_keystore_erase(const char *account, struct gk_why *why)
{
	struct gk_keycall *c;
	int r = gk_keycall_begin(&c, account, GK_KEYSTORE_MS, why);

	if (r == 0)
		r = erase(c);
	gk_keycall_end(c);
	return r;
}

int
gk_keystore_unlock(struct gk_why *why)
{
	SecretCollection *coll = NULL;
	struct gk_keycall *c;
	int r = gk_keycall_begin(&c, NULL, 0, why);

	if (r == 0)
		r = collection(c, &coll);
	if (r == 0)
		r = coll != NULL ? unlock(c, coll) : create(c);
	gk_keycall_drop(c, coll);
	gk_keycall_end(c);
	return r;
}
