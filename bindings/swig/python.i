/*
 * Python's half of genkan.i: a function returns its code, or a tuple of code
 * and outputs, and nothing here raises for a code; that is the package's.  The
 * GIL is released round every call but those marked %nothread, which are short
 * and handle Python objects.
 *
 * SPDX-License-Identifier: MIT
 */

/* What is made: the pointer, None where it was not. */
%define %gk_made(TYPE)
%typemap(in, numinputs=0) TYPE **ret (TYPE *made = NULL) { $1 = &made; }
%typemap(argout) TYPE **ret {
	PyObject *o = result == 0 ? SWIG_NewPointerObj(*$1,
	    $descriptor(TYPE *), 0) : Py_NewRef(Py_None);
	$result = SWIG_Python_AppendOutput($result, o);
}
%enddef
%gk_made(genkan_leg)
%gk_made(genkan_native)
%gk_made(genkan_peer)
%gk_made(genkan_report)

/* Bytes that are lent for a call; any object that has a buffer will do. */
%typemap(in) (const void *GK_BYTES, size_t GK_LEN) (Py_buffer view) {
	if (gk_view($input, "$1_name", &view) < 0)
		SWIG_fail;
	$1 = view.buf;
	$2 = (size_t)view.len;
}
%typemap(freearg) (const void *GK_BYTES, size_t GK_LEN) {
	if (view$argnum.obj != NULL)
		PyBuffer_Release(&view$argnum);
}
%typemap(arginit) (const void *GK_BYTES, size_t GK_LEN) {
	view$argnum.obj = NULL;
}
%apply (const void *GK_BYTES, size_t GK_LEN) {
	(const void *buf, size_t len),
	(const void *args, size_t len)
};

/* Text, but none that C would take for a shorter one. */
%typemap(in) const char * {
	const char *text = NULL;

	if ($input != Py_None && gk_str($input, "$1_name", &text) < 0)
		SWIG_fail;
	$1 = ($1_ltype)text;
}
%typemap(freearg) const char * ""

/* Numbers that go in: those of C's type, and no others. */
%define %gk_number(TYPE, MIN, MAX)
%typemap(in) TYPE {
	PyObject *whole = gk_whole($input, "$1_name", MIN, MAX);

	if (whole == NULL)
		SWIG_fail;
	$1 = ($1_ltype)(MIN < 0 ? (unsigned long long)PyLong_AsLongLong(whole) :
	    PyLong_AsUnsignedLongLong(whole));
	Py_DECREF(whole);
}
%enddef
%gk_number(int, INT_MIN, INT_MAX)
%gk_number(int64_t, INT64_MIN, INT64_MAX)
%gk_number(uint32_t, 0, UINT32_MAX)
%gk_number(uint64_t, 0, UINT64_MAX)
%gk_number(size_t, 0, SIZE_MAX)

/* Numbers that come out. */
%typemap(in, numinputs=0) size_t *used (size_t n = 0) { $1 = &n; }
%typemap(argout) size_t *used {
	$result = SWIG_Python_AppendOutput($result, PyLong_FromSize_t(*$1));
}
%typemap(in, numinputs=0) int64_t *ms (int64_t n = 0) { $1 = &n; }
%typemap(argout) int64_t *ms {
	$result = SWIG_Python_AppendOutput($result, PyLong_FromLongLong(*$1));
}
%typemap(in, numinputs=0) uint64_t *ret (uint64_t n = 0) { $1 = &n; }
%typemap(argout) uint64_t *ret {
	$result = SWIG_Python_AppendOutput($result,
	    PyLong_FromUnsignedLongLong(*$1));
}

/* Text that people wrote may hold anything: never a failure to decode it. */
%typemap(out) const char * {
	$result = $1 == NULL ? Py_NewRef(Py_None) :
	    PyUnicode_DecodeUTF8($1, (Py_ssize_t)strlen($1), "replace");
}

/* A helper that makes its result itself. */
%typemap(out) PyObject *gk_py { $result = $1; }

%{
/* Before 3.10 there is none. */
#if PY_VERSION_HEX < 0x030a0000
static PyObject *
Py_NewRef(PyObject *o)
{
	Py_INCREF(o);
	return o;
}
#endif

/* Raises InvalidArgument for an argument; -1. */
static int
gk_refuse(const char *name, const char *why)
{
	PyObject *errors = PyImport_ImportModule("genkan.errors");
	PyObject *kind = errors == NULL ? NULL :
	    PyObject_GetAttrString(errors, "InvalidArgument");

	if (kind != NULL)
		PyErr_Format(kind, "%s: %s", name, why);
	Py_XDECREF(kind);
	Py_XDECREF(errors);
	return -1;
}

/* Raises TypeError for one; -1. */
static int
gk_expected(const char *name, const char *what, PyObject *o)
{
	PyErr_Format(PyExc_TypeError, "%s: expected %s, not %.100s", name,
	    what, Py_TYPE(o)->tp_name);
	return -1;
}

/* UTF-8 that lives as long as the object; -1 with an exception. */
static int
gk_str(PyObject *o, const char *name, const char **ret)
{
	Py_ssize_t n;

	if (!PyUnicode_Check(o))
		return gk_expected(name, "str", o);
	*ret = PyUnicode_AsUTF8AndSize(o, &n);
	if (*ret == NULL) {
		if (!PyErr_ExceptionMatches(PyExc_UnicodeError))
			return -1;
		PyErr_Clear();
		return gk_refuse(name, "text that UTF-8 cannot hold");
	}
	return strlen(*ret) == (size_t)n ? 0 :
	    gk_refuse(name, "text with U+0000 in it");
}

/* The bytes of an object; -1 with an exception. */
static int
gk_view(PyObject *o, const char *name, Py_buffer *ret)
{
	ret->obj = NULL;
	if (PyObject_GetBuffer(o, ret, PyBUF_SIMPLE) == 0)
		return 0;
	if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
	    !PyErr_ExceptionMatches(PyExc_BufferError))
		return -1;
	PyErr_Clear();
	return gk_expected(strcmp(name, "buf") == 0 ? "data" : name,
	    "bytes", o);
}

/* An int from min to max, yours; NULL with an exception. */
static PyObject *
gk_whole(PyObject *o, const char *name, long long min, unsigned long long max)
{
	PyObject *whole = PyNumber_Index(o);
	unsigned long long u;
	long long n;
	char why[64];
	int over;

	if (whole == NULL) {
		if (PyErr_ExceptionMatches(PyExc_TypeError))
			gk_expected(name, "int", o);
		return NULL;
	}
	n = PyLong_AsLongLongAndOverflow(whole, &over);
	u = over > 0 ? PyLong_AsUnsignedLongLong(whole) : (unsigned long long)n;
	if (over > 0 && PyErr_Occurred() != NULL)
		PyErr_Clear();		/* 65 bits */
	else if (over > 0 ? u <= max : over == 0 && n >= min &&
	    (n < 0 || u <= max))
		return whole;
	Py_DECREF(whole);
	snprintf(why, sizeof(why), "not from %lld to %llu", min, max);
	gk_refuse(name, why);
	return NULL;
}

#define gk_pointer(p, type) \
	((p) == NULL ? Py_NewRef(Py_None) : SWIG_NewPointerObj((p), (type), 0))

static PyObject *
gk_bytes(const void *p, size_t n)
{
	return p == NULL ? Py_NewRef(Py_None) :
	    PyBytes_FromStringAndSize(p, (Py_ssize_t)n);
}

static PyObject *
gk_text(const char *p, size_t n)
{
	return p == NULL ? Py_NewRef(Py_None) :
	    PyUnicode_DecodeUTF8(p, (Py_ssize_t)n, "replace");
}
%}

%include "py_context.i"
%include "py_bytes.i"
%include "py_store.i"
%include "py_machines.i"
%include "py_reports.i"
%include "py_webauthn.i"
