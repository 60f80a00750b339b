/* Server, broker, host, client and their events. */
%{
static PyObject *
gk_event(int r, const genkan_event *ev)
{
	if (r != 1)
		return Py_BuildValue("(i)", r);
	return Py_BuildValue("iiiiiNNKNN", r, ev->kind, ev->fd, ev->status,
	    ev->code, gk_pointer(ev->leg, SWIGTYPE_p_genkan_leg),
	    gk_pointer(ev->job, SWIGTYPE_p_genkan_job),
	    (unsigned long long)ev->id, gk_bytes(ev->data, ev->len),
	    gk_text(ev->text, ev->textlen));
}
%}

%nothread gk_server_new;
%nothread gk_server_next;
%nothread gk_broker_new;
%nothread gk_broker_next;
%nothread gk_peer_new;
%nothread gk_client_new;
%nothread gk_client_next;
%nothread gk_host_new;
%nothread gk_host_next;
%inline %{
/* (code, server); store is an object of store.py or None. */
PyObject *
gk_server_new(genkan_ctx *ctx, const char *client_name, int broker_only,
    PyObject *store)
{
	genkan_server_options options = GENKAN_SERVER_OPTIONS_INIT;
	genkan_store table = GENKAN_STORE_INIT;
	genkan_server *server = NULL;
	int r;

	if (gk_py_store(store, &table, &options.store) < 0)
		return NULL;
	options.client_name = client_name;
	options.broker_only = broker_only;
	r = genkan_server_new(ctx, &options, &server);
	return Py_BuildValue("iN", r, gk_pointer(r == 0 ? server : NULL,
	    SWIGTYPE_p_genkan_server));
}

/* (1, kind, fd, status, code, leg, job, id, data, text), or r alone. */
PyObject *
gk_server_next(genkan_server *server)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	int r = genkan_server_next(server, &ev);

	return gk_event(r, &ev);
}

/* (code, broker); without a store over the records of this user. */
PyObject *
gk_broker_new(genkan_ctx *ctx, const char *secret, int stay, PyObject *store)
{
	genkan_broker_options options = GENKAN_BROKER_OPTIONS_INIT;
	genkan_store table = GENKAN_STORE_INIT;
	genkan_broker *broker = NULL;
	int r;

	if (gk_py_store(store, &table, &options.store) < 0)
		return NULL;
	options.secret = secret;
	options.stay = stay;
	r = genkan_broker_new(ctx, &options, &broker);
	return Py_BuildValue("iN", r, gk_pointer(r == 0 ? broker : NULL,
	    SWIGTYPE_p_genkan_broker));
}

PyObject *
gk_broker_next(genkan_broker *broker)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	int r = genkan_broker_next(broker, &ev);

	return gk_event(r, &ev);
}

/* (code, peer). */
PyObject *
gk_peer_new(genkan_ctx *ctx, int same_user, int roles, int64_t pid,
    const char *hash, const char *path)
{
	genkan_peer_facts facts = GENKAN_PEER_FACTS_INIT;
	genkan_peer *peer = NULL;
	int r;

	facts.same_user = same_user;
	facts.roles = roles;
	facts.pid = pid;
	facts.hash = hash;
	facts.path = path;
	r = genkan_peer_new(ctx, &facts, &peer);
	return Py_BuildValue("iN", r, gk_pointer(r == 0 ? peer : NULL,
	    SWIGTYPE_p_genkan_peer));
}

/* (code, host): argv is a sequence of str. */
PyObject *
gk_host_new(genkan_ctx *ctx, PyObject *argv)
{
	PyObject *fast = PySequence_Fast(argv, "argv is no sequence"), *out;
	const char **words = NULL;
	genkan_host *host = NULL;
	Py_ssize_t i, n;
	int r;

	if (fast == NULL)
		return NULL;
	n = PySequence_Fast_GET_SIZE(fast);
	words = PyMem_Calloc((size_t)n + 1, sizeof(*words));
	for (i = 0; words != NULL && i < n; i++) {
		if (gk_str(PySequence_Fast_GET_ITEM(fast, i), "argv",
		    &words[i]) < 0)
			break;
	}
	if (words == NULL)
		out = PyErr_NoMemory();
	else if (i < n || n > 1024)
		out = i < n ? NULL : Py_BuildValue("iO", GENKAN_E_INVAL,
		    Py_None);
	else {
		r = genkan_host_new(ctx, (int)n, words, &host);
		out = Py_BuildValue("iN", r, gk_pointer(r == 0 ? host : NULL,
		    SWIGTYPE_p_genkan_host));
	}
	PyMem_Free(words);
	Py_DECREF(fast);
	return out;
}

PyObject *
gk_host_next(genkan_host *host)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	int r = genkan_host_next(host, &ev);

	return gk_event(r, &ev);
}

/* (code, client). */
PyObject *
gk_client_new(genkan_ctx *ctx, const char *program_dir)
{
	genkan_client_options options = GENKAN_CLIENT_OPTIONS_INIT;
	genkan_client *client = NULL;
	int r;

	options.program_dir = program_dir;
	r = genkan_client_new(ctx, &options, &client);
	return Py_BuildValue("iN", r, gk_pointer(r == 0 ? client : NULL,
	    SWIGTYPE_p_genkan_client));
}

PyObject *
gk_client_next(genkan_client *client)
{
	genkan_event ev = GENKAN_EVENT_INIT;
	int r = genkan_client_next(client, &ev);

	return gk_event(r, &ev);
}
%}
