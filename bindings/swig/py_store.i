/*
 * Records that a Python program keeps: <genkan/store.h>.  What the functions
 * are given and give is judged in store.py, which lets no exception out; it is
 * raised by a later call, when the library is at rest.  Called as log and
 * random are: in the middle of a call, with the GIL taken back.
 */
%{
struct gk_py_store {
	PyObject	*calls;		/* of store.py */
	PyObject	*bytes;		/* of the last load: lent to the library */
};

/* Calls a method of it; NULL where it could not be called. */
static PyObject *
gk_py_store_call(struct gk_py_store *s, const char *name, const char *format,
    ...)
{
	PyObject *method, *args = NULL, *out = NULL;
	va_list ap;

	Py_CLEAR(s->bytes);
	method = PyObject_GetAttrString(s->calls, name);
	if (method != NULL) {
		va_start(ap, format);
		args = Py_VaBuildValue(format, ap);
		va_end(ap);
	}
	if (args != NULL)
		out = PyObject_CallObject(method, args);
	if (out == NULL)
		PyErr_WriteUnraisable(s->calls);
	Py_XDECREF(args);
	Py_XDECREF(method);
	return out;
}

/* Round a call: whatever is raised before it is raised after it. */
#define GK_PY_STORE_BEGIN \
	PyGILState_STATE gil = PyGILState_Ensure(); \
	PyObject *kept[3]; \
	PyErr_Fetch(&kept[0], &kept[1], &kept[2])
#define GK_PY_STORE_END \
	PyErr_Restore(kept[0], kept[1], kept[2]); \
	PyGILState_Release(gil)

static int
gk_py_store_load(void *user, int record, const void **ptr, size_t *len,
    uint64_t *version)
{
	struct gk_py_store *s = user;
	int r = GENKAN_E_IO, said;
	unsigned long long v;
	PyObject *out, *bytes;
	GK_PY_STORE_BEGIN;

	out = gk_py_store_call(s, "load", "(i)", record);
	if (out != NULL && PyArg_ParseTuple(out, "iOK", &said, &bytes, &v) &&
	    (said != 0 || PyBytes_Check(bytes)))
		r = said;
	if (r == 0) {
		s->bytes = Py_NewRef(bytes);
		*ptr = PyBytes_AS_STRING(bytes);
		*len = (size_t)PyBytes_GET_SIZE(bytes);
		*version = v;
	}
	PyErr_Clear();
	Py_XDECREF(out);
	GK_PY_STORE_END;
	return r;
}

static int
gk_py_store_version(void *user, int record, uint64_t *version)
{
	int r = GENKAN_E_IO, said;
	unsigned long long v;
	PyObject *out;
	GK_PY_STORE_BEGIN;

	out = gk_py_store_call(user, "version", "(i)", record);
	if (out != NULL && PyArg_ParseTuple(out, "iK", &said, &v)) {
		r = said;
		*version = v;
	}
	PyErr_Clear();
	Py_XDECREF(out);
	GK_PY_STORE_END;
	return r;
}

static void
gk_py_store_audit(void *user, const char *line, size_t len)
{
	GK_PY_STORE_BEGIN;

	Py_XDECREF(gk_py_store_call(user, "audit", "(N)", gk_text(line, len)));
	GK_PY_STORE_END;
}

static uint64_t
gk_py_store_unix_ms(void *user)
{
	unsigned long long ms = 0;
	PyObject *out;
	GK_PY_STORE_BEGIN;

	out = gk_py_store_call(user, "unix_ms", "()");
	if (out != NULL && PyLong_Check(out))
		ms = PyLong_AsUnsignedLongLongMask(out);
	PyErr_Clear();
	Py_XDECREF(out);
	GK_PY_STORE_END;
	return ms;
}

static void
gk_py_store_free(void *user)
{
	struct gk_py_store *s = user;
	GK_PY_STORE_BEGIN;

	Py_XDECREF(s->bytes);
	Py_DECREF(s->calls);
	PyMem_RawFree(s);
	GK_PY_STORE_END;
}

/* The table for an object of store.py, which says what it has; NULL for None.
 * -1: an exception. */
static int
gk_py_store(PyObject *calls, genkan_store *table, const genkan_store **ret)
{
	struct gk_py_store *s;
	PyObject *has;
	int version, audit;

	*ret = NULL;
	if (calls == Py_None)
		return 0;
	has = PyObject_GetAttrString(calls, "has");
	if (has == NULL)
		return -1;
	version = PyArg_ParseTuple(has, "pp", &version, &audit) ? version : -1;
	Py_DECREF(has);
	s = version < 0 ? NULL : PyMem_RawCalloc(1, sizeof(*s));
	if (s == NULL) {
		if (version >= 0)
			PyErr_NoMemory();
		return -1;
	}
	s->calls = Py_NewRef(calls);
	table->user = s;
	table->free_user = gk_py_store_free;
	table->load = gk_py_store_load;
	table->version = version ? gk_py_store_version : NULL;
	table->audit = audit ? gk_py_store_audit : NULL;
	table->unix_ms = gk_py_store_unix_ms;
	*ret = table;
	return 0;
}
%}
