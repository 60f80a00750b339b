/*
 * Acts whose options are a struct.  They touch files and may wait for a lock
 * or a person, so they release the GIL: nothing here handles a Python object.
 */
%{
#define GK_POLICY_MOST	32	/* more fields than a policy has */

static const char *
gk_field(Py_ssize_t i)
{
	const char *name = genkan_policy_field((size_t)i);

	return name == NULL ? "values" : name;
}
%}
%typemap(in) (const char *const *values, size_t n) (const char *texts[32]) {
	Py_ssize_t i, most = PyTuple_Check($input) ?
	    PyTuple_GET_SIZE($input) : -1;

	if (most < 0 || most > GK_POLICY_MOST)
		SWIG_exception_fail(SWIG_TypeError, "values: a tuple of texts");
	for (i = 0; i < most; i++) {
		PyObject *o = PyTuple_GET_ITEM($input, i);

		texts[i] = NULL;
		if (o != Py_None && gk_str(o, gk_field(i), &texts[i]) < 0)
			SWIG_fail;
	}
	$1 = texts;
	$2 = (size_t)most;
}

%inline %{
int
gk_policy_set(genkan_ctx *ctx, const char *const *values, size_t n,
    genkan_report **ret)
{
	return genkan_policy_set(ctx, values, n, ret);
}

int
gk_policy_restrict(genkan_ctx *ctx, const char *const *values, size_t n,
    genkan_report **ret)
{
	return genkan_policy_restrict(ctx, values, n, ret);
}

int
gk_trust_pair(genkan_ctx *ctx, const char *name, const char *hash,
    const char *signer, int this_parent, genkan_report **ret)
{
	genkan_pair_options options = GENKAN_PAIR_OPTIONS_INIT;

	options.name = name;
	options.hash = hash;
	options.signer = signer;
	options.this_parent = this_parent;
	return genkan_trust_pair(ctx, &options, ret);
}

int
gk_register_write(genkan_ctx *ctx, const char *browsers, const char *dir,
    int all, int machine, genkan_report **ret)
{
	genkan_register_options options = GENKAN_REGISTER_OPTIONS_INIT;

	options.browsers = browsers;
	options.dirs = &dir;
	options.ndirs = dir != NULL;
	options.all = all;
	options.system = machine;
	return genkan_register_write(ctx, &options, ret);
}

int
gk_register_remove(genkan_ctx *ctx, const char *dir, int machine,
    genkan_report **ret)
{
	genkan_register_options options = GENKAN_REGISTER_OPTIONS_INIT;

	options.dirs = &dir;
	options.ndirs = dir != NULL;
	options.system = machine;
	return genkan_register_remove(ctx, &options, ret);
}
%}
