#ifndef GK_OS_KEYSTORE_LIB_H
#define GK_OS_KEYSTORE_LIB_H

#include <libsecret/secret.h>

#include "os/why.h"

/*
 * libsecret and GLib, as they are loaded: with the first call and not with the
 * program, since most of a host's memory would be theirs, and most hosts never
 * look for a key there.  They stay, as GLib cannot be unloaded.
 */

/* All that is used of libsecret and of what it is linked with. */
#define GK_KEYSTORE_FUNCTIONS(X) \
	X(g_bus_get) \
	X(g_bus_get_finish) \
	X(g_cancellable_cancel) \
	X(g_cancellable_new) \
	X(g_clear_error) \
	X(g_dbus_connection_set_exit_on_close) \
	X(g_error_matches) \
	X(g_free) \
	X(g_hash_table_unref) \
	X(g_list_free_full) \
	X(g_malloc0) \
	X(g_main_context_iteration) \
	X(g_main_context_new) \
	X(g_main_context_pop_thread_default) \
	X(g_main_context_push_thread_default) \
	X(g_main_context_unref) \
	X(g_object_ref) \
	X(g_object_unref) \
	X(g_source_attach) \
	X(g_source_destroy) \
	X(g_source_set_callback) \
	X(g_source_unref) \
	X(g_timeout_source_new) \
	X(secret_attributes_build) \
	X(secret_collection_create) \
	X(secret_collection_create_finish) \
	X(secret_collection_for_alias) \
	X(secret_collection_for_alias_finish) \
	X(secret_collection_get_locked) \
	X(secret_error_get_quark) \
	X(secret_item_delete) \
	X(secret_item_delete_finish) \
	X(secret_item_get_locked) \
	X(secret_item_get_secret) \
	X(secret_item_load_secret) \
	X(secret_item_load_secret_finish) \
	X(secret_service_get_collections) \
	X(secret_service_get_type) \
	X(secret_service_load_collections) \
	X(secret_service_load_collections_finish) \
	X(secret_service_open) \
	X(secret_service_open_finish) \
	X(secret_service_search) \
	X(secret_service_search_finish) \
	X(secret_service_store) \
	X(secret_service_store_finish) \
	X(secret_service_unlock) \
	X(secret_service_unlock_finish) \
	X(secret_value_get) \
	X(secret_value_new) \
	X(secret_value_unref)

#undef g_object_ref	/* a macro over the function of that name */

struct gk_keystore_lib {
#define X(name) __typeof__(name) *name;
	GK_KEYSTORE_FUNCTIONS(X)
#undef X
};

/* GENKAN_E_UNAVAILABLE: not installed, too old, or not safe to load. */
int	gk_keystore_lib(struct gk_keystore_lib *ret, struct gk_why *);

#endif
