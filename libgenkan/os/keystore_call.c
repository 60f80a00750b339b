#include "os/keystore_call.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "contract/schema.h"

/* From cancelling to giving up. */
#define LAST_MS		300

/* Names take no part in the match, so that what another tool stored under our
 * service and account is found, and is in the way. */
const SecretSchema gk_keycall_schema = {
	.name = "com.vivswan.genkan.HostKey",
	.flags = SECRET_SCHEMA_DONT_MATCH_NAME,
	.attributes = {
		{ "service", SECRET_SCHEMA_ATTRIBUTE_STRING },
		{ "account", SECRET_SCHEMA_ATTRIBUTE_STRING },
		{ NULL, 0 },
	},
};

/* -------------------------------------------------------------------- steps */

void
gk_keycall_arrived(GObject *source, GAsyncResult *result, gpointer user)
{
	struct gk_keycall *c = user;

	(void)source;
	c->result = c->lib.g_object_ref(result);
}

void
gk_keycall_drop(struct gk_keycall *c, gpointer object)
{
	if (object != NULL)
		c->lib.g_object_unref(object);
}

static gboolean ring(gpointer);

static void
timer_start(struct gk_keycall *c, int ms)
{
	c->timer = c->lib.g_timeout_source_new((guint)ms);
	c->lib.g_source_set_callback(c->timer, ring, c, NULL);
	(void)c->lib.g_source_attach(c->timer, c->main);
}

static void
timer_stop(struct gk_keycall *c)
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
	struct gk_keycall *c = user;

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
GAsyncResult *
gk_keycall_await(struct gk_keycall *c)
{
	GAsyncResult *ret;

	while (c->result == NULL && !c->abandoned)
		(void)c->lib.g_main_context_iteration(c->main, TRUE);
	ret = c->result;
	c->result = NULL;
	return ret;
}

int
gk_keycall_fail(struct gk_keycall *c, GError *error)
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

int
gk_keycall_locked(struct gk_keycall *c)
{
	return gk_why_set(c->why, GENKAN_E_LOCKED, 0, "the credential store "
	    "is locked");
}

/* --------------------------------------------------------------------- call */

/* The bus, told not to end the process when it goes away; then the service. */
static int
open_service(struct gk_keycall *c)
{
	GDBusConnection *bus = NULL;
	GError *error = NULL;
	GAsyncResult *result;

	c->lib.g_bus_get(G_BUS_TYPE_SESSION, c->cancel, gk_keycall_arrived, c);
	if ((result = gk_keycall_await(c)) == NULL)
		return gk_keycall_fail(c, NULL);
	bus = c->lib.g_bus_get_finish(result, &error);
	c->lib.g_object_unref(result);
	if (bus == NULL)
		return gk_keycall_fail(c, error);
	c->lib.g_dbus_connection_set_exit_on_close(bus, FALSE);
	c->lib.secret_service_open(c->lib.secret_service_get_type(), NULL,
	    SECRET_SERVICE_OPEN_SESSION, c->cancel, gk_keycall_arrived, c);
	result = gk_keycall_await(c);
	c->lib.g_object_unref(bus);
	if (result == NULL)
		return gk_keycall_fail(c, NULL);
	c->service = c->lib.secret_service_open_finish(result, &error);
	c->lib.g_object_unref(result);
	return c->service != NULL ? 0 : gk_keycall_fail(c, error);
}

int
gk_keycall_begin(struct gk_keycall **ret, const char *account, int ms,
    struct gk_why *why)
{
	struct gk_keystore_lib lib;
	struct gk_keycall *c;
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
		c->attrs = c->lib.secret_attributes_build(&gk_keycall_schema,
		    "service", gk_schema_ident(GK_IDENT_KEY_SERVICE),
		    "account", account, NULL);
	if (ms > 0)
		timer_start(c, ms);
	return open_service(c);
}

static void
end_main(struct gk_keycall *c)
{
	gk_keycall_drop(c, c->service);
	timer_stop(c);
	if (c->attrs != NULL)
		c->lib.g_hash_table_unref(c->attrs);
	gk_keycall_drop(c, c->cancel);
	/* What the proxies still had to say goes with them. */
	while (c->lib.g_main_context_iteration(c->main, FALSE))
		;
	c->lib.g_main_context_pop_thread_default(c->main);
	c->lib.g_main_context_unref(c->main);
}

void
gk_keycall_end(struct gk_keycall *c)
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
