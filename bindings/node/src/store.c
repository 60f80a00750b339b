/*
 * Records that a JavaScript program keeps: <genkan/store.h>.  What its functions
 * give is judged in store.cjs, which lets no exception out; it is thrown by a
 * later call, when the library is at rest.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "store.h"

enum { LOAD, VERSION, AUDIT, CLOCK, FUNCTIONS };

struct store {
	struct gkn_core	*core;
	napi_ref	 fn[FUNCTIONS];	/* NULL: there is none */
	void		*bytes;		/* of the last load: lent to the library */
};

static void
store_free(void *user)
{
	struct store *s = user;
	int i;

	for (i = 0; i < FUNCTIONS; i++)
		if (s->fn[i] != NULL)
			napi_delete_reference(s->core->env, s->fn[i]);
	free(s->bytes);
	free(s);
}

/* Calls one of them with one value; false where that is not possible now.  For
 * who has opened a scope. */
static bool
store_call(struct store *s, int which, napi_value arg, napi_value *ret)
{
	napi_env env = s->core->env;
	napi_value fn;

	free(s->bytes);
	s->bytes = NULL;
	return napi_get_reference_value(env, s->fn[which], &fn) == napi_ok &&
	    napi_call_function(env, gkn_undefined(env), fn, 1, &arg, ret) ==
	    napi_ok;
}

/* A number that is exact, as all of store.cjs are. */
static bool
number(napi_env env, napi_value v, int64_t *ret)
{
	double d;

	if (napi_get_value_double(env, v, &d) != napi_ok)
		return false;
	*ret = (int64_t)d;
	return true;
}

/* load(record): a code, or [bytes, version]. */
static int
loaded(struct store *s, napi_value v, const void **ptr, size_t *len,
    uint64_t *version)
{
	napi_env env = s->core->env;
	struct gkn_call parts = { .env = env };
	const void *bytes;
	int64_t n;
	bool is = false;

	if (number(env, v, &n))
		return n < 0 ? (int)n : GENKAN_E_IO;
	if (napi_is_array(env, v, &is) != napi_ok || !is ||
	    napi_get_element(env, v, 0, &parts.argv[0]) != napi_ok ||
	    napi_get_element(env, v, 1, &parts.argv[1]) != napi_ok ||
	    !gkn_arg_bytes(&parts, 0, &bytes, len) ||
	    !gkn_arg_int(&parts, 1, &n))
		return GENKAN_E_IO;
	s->bytes = malloc(*len + 1);
	if (s->bytes == NULL)
		return GENKAN_E_NOMEM;
	if (*len > 0)
		memcpy(s->bytes, bytes, *len);
	*ptr = s->bytes;
	*version = (uint64_t)n;
	return 0;
}

static int
on_load(void *user, int record, const void **ptr, size_t *len,
    uint64_t *version)
{
	struct store *s = user;
	napi_handle_scope scope;
	int r = GENKAN_E_IO;
	napi_value v;

	if (!gkn_may_call(s->core, &scope))
		return r;
	if (store_call(s, LOAD, gkn_int(s->core->env, record), &v))
		r = loaded(s, v, ptr, len, version);
	napi_close_handle_scope(s->core->env, scope);
	return r;
}

static int
on_version(void *user, int record, uint64_t *version)
{
	struct store *s = user;
	napi_handle_scope scope;
	int r = GENKAN_E_IO;
	napi_value v;
	int64_t n;

	if (!gkn_may_call(s->core, &scope))
		return r;
	if (store_call(s, VERSION, gkn_int(s->core->env, record), &v) &&
	    number(s->core->env, v, &n)) {
		r = n < 0 ? (int)n : 0;
		*version = n < 0 ? 0 : (uint64_t)n;
	}
	napi_close_handle_scope(s->core->env, scope);
	return r;
}

static void
on_audit(void *user, const char *line, size_t len)
{
	struct store *s = user;
	napi_handle_scope scope;
	napi_value v;

	if (!gkn_may_call(s->core, &scope))
		return;
	(void)store_call(s, AUDIT, gkn_text_n(s->core->env, line, len), &v);
	napi_close_handle_scope(s->core->env, scope);
}

static uint64_t
on_clock(void *user)
{
	struct store *s = user;
	napi_handle_scope scope;
	napi_value v;
	int64_t n = 0;

	if (!gkn_may_call(s->core, &scope))
		return 0;
	if (!store_call(s, CLOCK, gkn_undefined(s->core->env), &v) ||
	    !number(s->core->env, v, &n) || n < 0)
		n = 0;
	napi_close_handle_scope(s->core->env, scope);
	return (uint64_t)n;
}

bool
gkn_arg_store(struct gkn_call *call, size_t i, genkan_store *table,
    const genkan_store **ret)
{
	struct store *s;
	int n;

	*ret = NULL;
	if (gkn_is_nothing(call, i))
		return true;
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		gkn_throw(call->env, NULL, GENKAN_E_NOMEM);
		return false;
	}
	s->core = call->core;
	for (n = 0; n < FUNCTIONS; n++)
		if (!gkn_keep(call, i + (size_t)n, &s->fn[n])) {
			store_free(s);
			return false;
		}
	s->core->calls = true;
	table->user = s;
	table->free_user = store_free;
	table->load = on_load;
	table->version = s->fn[VERSION] != NULL ? on_version : NULL;
	table->audit = s->fn[AUDIT] != NULL ? on_audit : NULL;
	table->unix_ms = s->fn[CLOCK] != NULL ? on_clock : NULL;
	*ret = table;
	return true;
}
