/*
 * The Secret Service, through libsecret, which os/keystore_lib.h loads.
 *
 * Every step is asynchronous, on a main context that belongs to the call, and
 * one deadline covers them all: libsecret's synchronous calls wait for half a
 * minute for a service that hangs.  A step that outlives even its cancellation
 * is abandoned: what it would still write to stays allocated for good, which
 * costs a few kilobytes and no correctness.
 *
 * Nothing here may prompt but gk_keystore_unlock(): searches are without the
 * flag that unlocks, and an item or a collection is looked at before it is
 * written to.
 */
#include "os/keystore.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "contract/schema.h"
#include "os/keystore_lib.h"

/* From cancelling to giving up. */
#define LAST_MS		300
/* A key is 44 characters; more than this is none. */
#define VALUE_MAX	1024

struct call {
	struct gk_keystore_lib lib;
	GMainContext	*main;
	GCancellable	*cancel;
	GSource		*timer;		/* NULL: no deadline */
	GHashTable	*attrs;
	SecretService	*service;
	GAsyncResult	*result;	/* of the step under way */
	bool		 timed_out;
	bool		 abandoned;
	struct gk_why	*why;
};

/* Names take no part in the match, so that what another tool stored under our
 * service and account is found, and is in the way. */
static const SecretSchema schema = {
	.name = "com.vivswan.genkan.HostKey",
	.flags = SECRET_SCHEMA_DONT_MATCH_NAME,
	.attributes = {
		{ "service", SECRET_SCHEMA_ATTRIBUTE_STRING },
		{ "account", SECRET_SCHEMA_ATTRIBUTE_STRING },
		{ NULL, 0 },
	},
};

/* -------------------------------------------------------------------- steps */

static void
arrived(GObject *source, GAsyncResult *result, gpointer user)
{
	struct call *c = user;

	(void)source;
	c->result = c->lib.g_object_ref(result);
}

static void
drop(struct call *c, gpointer object)
{
	if (object != NULL)
		c->lib.g_object_unref(object);
}

static gboolean ring(gpointer);

static void
timer_start(struct call *c, int ms)
{
	c->timer = c->lib.g_timeout_source_new((guint)ms);
	c->lib.g_source_set_callback(c->timer, ring, c, NULL);
	(void)c->lib.g_source_attach(c->timer, c->main);
}

static void
timer_stop(struct call *c)
{
	if (c->timer == NULL)
		return;
	c->lib.g_source_destroy(c->timer);
	c->lib.g_source_unref(c->timer);
	c->timer = NULL;
}

/* A new timer for the rest: a timeout source that goes on keeps its interval,
 * whatever ready time it was given. */
static gboolean
ring(gpointer user)
{
	struct call *c = user;

	if (c->timed_out) {
		c->abandoned = true;
		return G_SOURCE_REMOVE;
	}
	c->timed_out = true;
	timer_stop(c);
	timer_start(c, LAST_MS);
	c->lib.g_cancellable_cancel(c->cancel);
	return G_SOURCE_REMOVE;
}

/* The result of the step that was just begun, to be unreferenced; NULL when it
 * was abandoned. */
static GAsyncResult *
await(struct call *c)
{
	GAsyncResult *ret;

	while (c->result == NULL && !c->abandoned)
		(void)c->lib.g_main_context_iteration(c->main, TRUE);
	ret = c->result;
	c->result = NULL;
	return ret;
}

static int
fail(struct call *c, GError *error)
{
	char text[256];
	int r = GENKAN_E_UNAVAILABLE;

	if (c->timed_out || c->abandoned)
		r = gk_why_set(c->why, GENKAN_E_TIMEOUT, 0, "the credential "
		    "store did not answer within %d s",
		    (int)GK_KEYSTORE_MS / 1000);
	else if (error != NULL && c->lib.g_error_matches(error,
	    c->lib.secret_error_get_quark(), SECRET_ERROR_IS_LOCKED))
		r = gk_why_set(c->why, GENKAN_E_LOCKED, 0, "the credential "
		    "store is locked");
	else {
		gk_str_escaped(text, sizeof(text), error != NULL ?
		    error->message : "no reason given", error != NULL ?
		    strlen(error->message) : 15, sizeof(text));
		(void)gk_why_set(c->why, r, 0, "the credential store cannot "
		    "be used: %s", text);
	}
	c->lib.g_clear_error(&error);
	return r;
}

static int
locked(struct call *c)
{
	return gk_why_set(c->why, GENKAN_E_LOCKED, 0, "the credential store "
	    "is locked");
}

/* --------------------------------------------------------------------- call */

/* The bus, told not to end the process when it goes away; then the service. */
static int
open_service(struct call *c)
{
	GDBusConnection *bus = NULL;
	GError *error = NULL;
	GAsyncResult *result;

	c->lib.g_bus_get(G_BUS_TYPE_SESSION, c->cancel, arrived, c);
	if ((result = await(c)) == NULL)
		return fail(c, NULL);
	bus = c->lib.g_bus_get_finish(result, &error);
	c->lib.g_object_unref(result);
	if (bus == NULL)
		return fail(c, error);
	c->lib.g_dbus_connection_set_exit_on_close(bus, FALSE);
	c->lib.secret_service_open(c->lib.secret_service_get_type(), NULL,
	    SECRET_SERVICE_OPEN_SESSION, c->cancel, arrived, c);
	result = await(c);
	c->lib.g_object_unref(bus);
	if (result == NULL)
		return fail(c, NULL);
	c->service = c->lib.secret_service_open_finish(result, &error);
	c->lib.g_object_unref(result);
	return c->service != NULL ? 0 : fail(c, error);
}

/* ms 0: without a deadline.  A failure has been said; end_call() follows in
 * every case. */
static int
begin_call(struct call **ret, const char *account, int ms,
    struct gk_why *why)
{
	struct gk_keystore_lib lib;
	struct call *c;
	int r;

	*ret = NULL;
	if ((r = gk_keystore_lib(&lib, why)) < 0)
		return r;
	*ret = c = lib.g_malloc0(sizeof(*c));
	c->lib = lib;
	c->why = why;
	c->main = c->lib.g_main_context_new();
	c->cancel = c->lib.g_cancellable_new();
	c->lib.g_main_context_push_thread_default(c->main);
	if (account != NULL)
		c->attrs = c->lib.secret_attributes_build(&schema,
		    "service", gk_schema_ident(GK_IDENT_KEY_SERVICE),
		    "account", account, NULL);
	if (ms > 0)
		timer_start(c, ms);
	return open_service(c);
}

static void
end_main(struct call *c)
{
	drop(c, c->service);
	timer_stop(c);
	if (c->attrs != NULL)
		c->lib.g_hash_table_unref(c->attrs);
	drop(c, c->cancel);
	/* What the proxies still had to say goes with them. */
	while (c->lib.g_main_context_iteration(c->main, FALSE))
		;
	c->lib.g_main_context_pop_thread_default(c->main);
	c->lib.g_main_context_unref(c->main);
}

static void
end_call(struct call *c)
{
	if (c == NULL)
		return;
	if (c->abandoned) {
		c->lib.g_main_context_pop_thread_default(c->main);
		return;
	}
	end_main(c);
	c->lib.g_free(c);
}

/* ----------------------------------------------------------------- looking */

static int
search(struct call *c, GList **ret)
{
	GAsyncResult *result;
	GError *error = NULL;

	c->lib.secret_service_search(c->service, &schema, c->attrs,
	    SECRET_SEARCH_ALL, c->cancel, arrived, c);
	if ((result = await(c)) == NULL)
		return fail(c, NULL);
	*ret = c->lib.secret_service_search_finish(c->service, result, &error);
	c->lib.g_object_unref(result);
	return error == NULL ? 0 : fail(c, error);
}

/* The default collection; *ret NULL where there is none. */
static int
collection(struct call *c, SecretCollection **ret)
{
	GAsyncResult *result;
	GError *error = NULL;

	c->lib.secret_collection_for_alias(c->service, SECRET_COLLECTION_DEFAULT,
	    SECRET_COLLECTION_NONE, c->cancel, arrived, c);
	if ((result = await(c)) == NULL)
		return fail(c, NULL);
	*ret = c->lib.secret_collection_for_alias_finish(result, &error);
	c->lib.g_object_unref(result);
	return error == NULL ? 0 : fail(c, error);
}

/* Without a default collection: is any of the others locked? */
static int
others_locked(struct call *c)
{
	GAsyncResult *result;
	GError *error = NULL;
	GList *all, *l;
	gboolean ok, some = FALSE;

	c->lib.secret_service_load_collections(c->service, c->cancel,
	    arrived, c);
	if ((result = await(c)) == NULL)
		return fail(c, NULL);
	ok = c->lib.secret_service_load_collections_finish(c->service, result,
	    &error);
	c->lib.g_object_unref(result);
	if (!ok)
		return fail(c, error);
	all = c->lib.secret_service_get_collections(c->service);
	for (l = all; l != NULL; l = l->next)
		some = some || c->lib.secret_collection_get_locked(l->data);
	c->lib.g_list_free_full(all, c->lib.g_object_unref);
	return some ? 1 : 0;
}

/* Nothing was found.  Is that so, or is it out of sight?  NOENT or LOCKED. */
static int
nothing(struct call *c)
{
	SecretCollection *coll = NULL;
	int r = collection(c, &coll);

	if (r == 0)
		r = coll != NULL ? c->lib.secret_collection_get_locked(coll) :
		    others_locked(c);
	drop(c, coll);
	if (r < 0)
		return r;
	return r == 0 ? GENKAN_E_NOENT : gk_why_set(c->why, GENKAN_E_LOCKED,
	    0, "the host key in the credential store is locked or missing");
}

static int
secret_of(struct call *c, SecretItem *item, struct gk_buf *ret)
{
	GAsyncResult *result;
	GError *error = NULL;
	SecretValue *value;
	const gchar *text;
	gsize len = 0;
	gboolean ok;
	int r;

	c->lib.secret_item_load_secret(item, c->cancel, arrived, c);
	if ((result = await(c)) == NULL)
		return fail(c, NULL);
	ok = c->lib.secret_item_load_secret_finish(item, result, &error);
	c->lib.g_object_unref(result);
	if (!ok)
		return fail(c, error);
	if ((value = c->lib.secret_item_get_secret(item)) == NULL)
		return nothing(c);
	text = c->lib.secret_value_get(value, &len);
	r = gk_buf_put(ret, text, len < VALUE_MAX ? len : VALUE_MAX);
	c->lib.secret_value_unref(value);
	return r;
}

static int
load(struct call *c, struct gk_buf *ret)
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
	r = l != NULL ? secret_of(c, l->data, ret) : locked(c);
	c->lib.g_list_free_full(items, c->lib.g_object_unref);
	return r;
}

/* ----------------------------------------------------------------- writing */

static int
put(struct call *c, const char *text, size_t len)
{
	SecretCollection *coll = NULL;
	SecretValue *value;
	GAsyncResult *result;
	GError *error = NULL;
	gboolean ok;
	int r = collection(c, &coll);

	if (r == 0 && (coll == NULL ||
	    c->lib.secret_collection_get_locked(coll)))
		r = locked(c);
	drop(c, coll);
	if (r < 0)
		return r;
	value = c->lib.secret_value_new(text, (gssize)len, "text/plain");
	c->lib.secret_service_store(c->service, &schema, c->attrs,
	    SECRET_COLLECTION_DEFAULT, "genkan host key", value, c->cancel,
	    arrived, c);
	c->lib.secret_value_unref(value);
	if ((result = await(c)) == NULL)
		return fail(c, NULL);
	ok = c->lib.secret_service_store_finish(c->service, result, &error);
	c->lib.g_object_unref(result);
	return ok ? 0 : fail(c, error);
}

static int
delete(struct call *c, SecretItem *item)
{
	GAsyncResult *result;
	GError *error = NULL;
	gboolean ok;

	if (c->lib.secret_item_get_locked(item))
		return locked(c);
	c->lib.secret_item_delete(item, c->cancel, arrived, c);
	if ((result = await(c)) == NULL)
		return fail(c, NULL);
	ok = c->lib.secret_item_delete_finish(item, result, &error);
	c->lib.g_object_unref(result);
	return ok ? 0 : fail(c, error);
}

static int
erase(struct call *c)
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
unlock(struct call *c, SecretCollection *coll)
{
	GList one = { coll, NULL, NULL };
	GAsyncResult *result;
	GError *error = NULL;
	gint n;

	if (!c->lib.secret_collection_get_locked(coll))
		return 0;
	c->lib.secret_service_unlock(c->service, &one, c->cancel, arrived, c);
	result = await(c);
	n = c->lib.secret_service_unlock_finish(c->service, result, NULL,
	    &error);
	c->lib.g_object_unref(result);
	if (error != NULL)
		return fail(c, error);
	return n == 1 ? 0 : locked(c);
}

static int
create(struct call *c)
{
	GAsyncResult *result;
	GError *error = NULL;
	SecretCollection *coll;

	c->lib.secret_collection_create(c->service, "Default keyring",
	    SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_CREATE_NONE,
	    c->cancel, arrived, c);
	result = await(c);
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
	struct call *c;
	int r = begin_call(&c, account, GK_KEYSTORE_MS, why);

	if (r == 0)
		r = load(c, ret);
	end_call(c);
	return r;
}

int
gk_keystore_store(const char *account, const char *text, size_t len,
    struct gk_why *why)
{
	struct call *c;
	int r = begin_call(&c, account, GK_KEYSTORE_MS, why);

	if (r == 0)
		r = put(c, text, len);
	end_call(c);
	return r;
}

int
gk_keystore_erase(const char *account, struct gk_why *why)
{
	struct call *c;
	int r = begin_call(&c, account, GK_KEYSTORE_MS, why);

	if (r == 0)
		r = erase(c);
	end_call(c);
	return r;
}

int
gk_keystore_unlock(struct gk_why *why)
{
	SecretCollection *coll = NULL;
	struct call *c;
	int r = begin_call(&c, NULL, 0, why);

	if (r == 0)
		r = collection(c, &coll);
	if (r == 0)
		r = coll != NULL ? unlock(c, coll) : create(c);
	drop(c, coll);
	end_call(c);
	return r;
}
