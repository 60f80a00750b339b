/* The entries of tools/list, as gencontract prints them in the build. */
#include "contract/schema.h"

static const struct {
	const char	*text;
	size_t		 len;
} entries[] = {
#define ENTRY(text) { text, sizeof(text) - 1 },
#include "contract/tools_json.h"
#undef ENTRY
};

const char *
gk_schema_tool_json(int tool, size_t *retlen)
{
	if (tool < 0 || tool >= GK_TOOL_END)
		return NULL;
	*retlen = entries[tool].len;
	return entries[tool].text;
}
