/*
 * Contexts with Python functions for log and randomness.  The library calls
 * them in the middle of its work, with the GIL released by the caller, on the
 * thread that called; so each takes the GIL back and lets no exception out.
 * Memory comes from Python's raw allocator, which needs no GIL and is what
 * tracemalloc watches.
 */
%{
struct gk_py_user {
	PyObject	*log;		/* callable or NULL */
	PyObject	*random;	/* callable or NULL */
};

static void *
gk_py_realloc(void *user, void *ptr, size_t size)
{
	(void)user;
	if (size > 0)
		return PyMem_RawRealloc(ptr, size);
	PyMem_RawFree(ptr);
	return NULL;
}

static void
gk_py_log(void *user, int level, const char *tag, const char *id,
    const char *text)
{
	struct gk_py_user *u = user;
	PyGILState_STATE gil = PyGILState_Ensure();
	PyObject *kept[3], *r;

	PyErr_Fetch(&kept[0], &kept[1], &kept[2]);
	r = PyObject_CallFunction(u->log, "isss", level, tag, id, text);
	if (r == NULL)
		PyErr_WriteUnraisable(u->log);
	Py_XDECREF(r);
	PyErr_Restore(kept[0], kept[1], kept[2]);
	PyGILState_Release(gil);
}

/* A function that raises, or gives other than what was asked for, has failed:
 * the library then fails closed. */
static int
gk_py_random(void *user, void *buf, size_t len)
{
	struct gk_py_user *u = user;
	PyGILState_STATE gil = PyGILState_Ensure();
	PyObject *kept[3], *o;
	Py_buffer view;
	int r = -1;

	PyErr_Fetch(&kept[0], &kept[1], &kept[2]);
	o = PyObject_CallFunction(u->random, "n", (Py_ssize_t)len);
	if (o != NULL && PyObject_GetBuffer(o, &view, PyBUF_SIMPLE) == 0) {
		if ((size_t)view.len == len) {
			memcpy(buf, view.buf, len);
			r = 0;
		}
		PyBuffer_Release(&view);
	}
	if (PyErr_Occurred() != NULL)
		PyErr_WriteUnraisable(u->random);
	Py_XDECREF(o);
	PyErr_Restore(kept[0], kept[1], kept[2]);
	PyGILState_Release(gil);
	return r;
}

static int
gk_function(PyObject *o, const char *name)
{
	return o == Py_None || PyCallable_Check(o) ? 0 :
	    gk_expected(name, "a function", o);
}

static void
gk_py_free_user(void *user)
{
	struct gk_py_user *u = user;
	PyGILState_STATE gil = PyGILState_Ensure();

	Py_XDECREF(u->log);
	Py_XDECREF(u->random);
	PyMem_RawFree(u);
	PyGILState_Release(gil);
}
%}

%nothread gk_ctx_new;
%nothread gk_unraisable;
%inline %{
/* Says that an exception was dropped, as for log and random. */
PyObject *
gk_unraisable(PyObject *exception, PyObject *where)
{
	PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
	PyErr_WriteUnraisable(where);
	return Py_NewRef(Py_None);
}

/* (code, context): log(level, tag, id, text), random(n) -> n bytes. */
PyObject *
gk_ctx_new(PyObject *log, int log_level, PyObject *random,
    const char *program_dir)
{
	genkan_ctx_options options = GENKAN_CTX_OPTIONS_INIT;
	struct gk_py_user *u = NULL;
	genkan_ctx *ctx = NULL;
	int r;

	if (gk_function(log, "log") < 0 || gk_function(random, "random") < 0)
		return NULL;
	u = PyMem_RawCalloc(1, sizeof(*u));
	if (u == NULL)
		return PyErr_NoMemory();
	u->log = log == Py_None ? NULL : Py_NewRef(log);
	u->random = random == Py_None ? NULL : Py_NewRef(random);
	options.user = u;
	options.realloc_fn = gk_py_realloc;
	options.log_fn = u->log != NULL ? gk_py_log : NULL;
	options.random_fn = u->random != NULL ? gk_py_random : NULL;
	options.free_user = gk_py_free_user;
	options.log_level = log_level;
	options.program_dir = program_dir;
	r = genkan_ctx_new(&options, &ctx);
	return Py_BuildValue("iN", r, gk_pointer(r == 0 ? ctx : NULL,
	    SWIGTYPE_p_genkan_ctx));
}
%}
