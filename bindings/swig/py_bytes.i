/* Frames and output: borrowed memory, copied into bytes objects. */
%{
#define GK_GATHER_MOST	((size_t)1 << 24)	/* more than waits at any time */
%}
%nothread gk_native_frame;
%nothread gk_native_encode;
%nothread gk_native_header;
%nothread gk_leg_output;
%nothread gk_leg_gather;
%inline %{
/* The JSON of the frame that is ready, None if none is. */
PyObject *
gk_native_frame(const genkan_native *dec)
{
	size_t n = 0;
	const void *p = genkan_native_frame(dec, &n);

	return gk_bytes(p, n);
}

/* (code, the length prefix or None). */
PyObject *
gk_native_header(size_t length, uint32_t max)
{
	uint8_t head[GENKAN_NATIVE_HEADER_LEN];
	int r = genkan_native_header(length, max, head);

	return Py_BuildValue("iN", r, gk_bytes(r == 0 ? head : NULL,
	    sizeof(head)));
}

/* (code, the frame or None). */
PyObject *
gk_native_encode(PyObject *data, uint32_t max)
{
	PyObject *frame = NULL;
	Py_buffer view;
	int r;

	if (gk_view(data, "data", &view) < 0)
		return NULL;
	frame = PyBytes_FromStringAndSize(NULL,
	    GENKAN_NATIVE_HEADER_LEN + view.len);
	if (frame == NULL) {
		PyBuffer_Release(&view);
		return NULL;
	}
	r = genkan_native_encode(view.buf, (size_t)view.len, max,
	    PyBytes_AS_STRING(frame), (size_t)PyBytes_GET_SIZE(frame));
	PyBuffer_Release(&view);
	if (r < 0) {
		Py_DECREF(frame);
		frame = Py_NewRef(Py_None);
	}
	return Py_BuildValue("iN", r, frame);
}

/* What to send next, at most so many bytes; None if there is nothing. */
PyObject *
gk_leg_output(genkan_leg *leg, size_t most)
{
	const void *p;
	size_t n;

	if (genkan_leg_output(leg, &p, &n) != 1)
		return Py_NewRef(Py_None);
	return gk_bytes(p, n < most ? n : most);
}

/* Messages that wait, at most so many bytes of whole ones; None for fewer than
 * two of them. */
PyObject *
gk_leg_gather(genkan_leg *leg, size_t most)
{
	PyObject *out;
	size_t n = 0;

	if (most > GK_GATHER_MOST)
		most = GK_GATHER_MOST;
	out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)most);
	if (out == NULL)
		return NULL;
	if (genkan_leg_gather(leg, PyBytes_AS_STRING(out), most, &n) != 1) {
		Py_DECREF(out);
		return Py_NewRef(Py_None);
	}
	(void)_PyBytes_Resize(&out, (Py_ssize_t)n);	/* NULL: it has raised */
	return out;
}
%}
