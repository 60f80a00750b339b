/* What a request says about itself: its method, and the claims in _meta. */
#include "proto/mcp_impl.h"

const char *
gk_mcp_version_name(int version)
{
	return gk_schema_set(GK_SET_MCP_VERSION)[version];
}

enum gk_mcp_method
gk_mcp_method_find(const struct gk_member *method)
{
	static const struct {
		const char		*name;
		enum gk_mcp_method	 which;
	} table[] = {
		{ "tools/call", GK_MCP_M_CALL },
		{ "tools/list", GK_MCP_M_LIST },
		{ "ping", GK_MCP_M_PING },
		{ "initialize", GK_MCP_M_INITIALIZE },
		{ "server/discover", GK_MCP_M_DISCOVER },
	};
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(table); i++)
		if (gk_jstr_is(method, table[i].name))
			return table[i].which;
	return GK_MCP_M_OTHER;
}

void
gk_mcp_object_open(struct gk_mcp_object *o, const struct gk_member *value)
{
	if (value->type == GK_J_OBJECT)
		gk_scan_object(value->value, o->member,
		    GK_ARRAY_LEN(o->member), &o->scan);
	else
		memset(&o->scan, 0, sizeof(o->scan));
}

/* Of a value inside an accepted text; false and *ret zeroed for a value that
 * is no object too. */
bool
gk_mcp_object_get(const struct gk_member *object, const char *name,
    struct gk_member *ret)
{
	struct gk_mcp_object o;

	gk_mcp_object_open(&o, object);
	return gk_scan_find(&o.scan, name, ret);
}

int
gk_mcp_version_find(const struct gk_member *version)
{
	int i;

	for (i = 0; i < GK_MCP_VERSIONS; i++)
		if (gk_jstr_is(version, gk_mcp_version_name(i)))
			return i;
	return -1;
}

void
gk_mcp_meta_read(const struct gk_scan *params, struct gk_mcp_meta *ret)
{
	struct gk_mcp_object o;
	struct gk_member meta;

	memset(ret, 0, sizeof(*ret));
	ret->claims = -1;
	if (gk_scan_find(params, "_meta", &meta)) {
		gk_mcp_object_open(&o, &meta);
		gk_scan_find(&o.scan, gk_schema_ident(GK_IDENT_META_VERSION),
		    &ret->version);
		gk_scan_find(&o.scan,
		    gk_schema_ident(GK_IDENT_META_CAPABILITIES), &ret->caps);
		gk_scan_find(&o.scan, "progressToken", &ret->token);
	}
	ret->bare = ret->version.type != GK_J_STRING;
	ret->complete = !ret->bare && ret->caps.type == GK_J_OBJECT;
	if (!ret->bare) {
		ret->claims = gk_mcp_version_find(&ret->version);
		ret->unsupported = ret->claims < 0;
	}
}

unsigned
gk_mcp_init_offends(const struct gk_member *params)
{
	struct gk_member v, info;
	unsigned bits = 0;

	if (!gk_mcp_object_get(params, "protocolVersion", &v) ||
	    v.type != GK_J_STRING)
		bits |= 1;
	if (!gk_mcp_object_get(params, "capabilities", &v) ||
	    v.type != GK_J_OBJECT)
		bits |= 2;
	gk_mcp_object_get(params, "clientInfo", &info);
	if (!gk_mcp_object_get(&info, "name", &v) || v.type != GK_J_STRING)
		bits |= 4;
	if (!gk_mcp_object_get(&info, "version", &v) || v.type != GK_J_STRING)
		bits |= 4;
	return bits;
}

/* The shape of 10.5, for a request that passed the gate. */
bool
gk_mcp_is_modern(const struct gk_mcp *m, const struct gk_mcp_meta *meta)
{
	return meta->claims == GK_MCP_MODERN || (meta->bare &&
	    m->era == GK_MCP_LEGACY && m->version == GK_MCP_MODERN);
}
