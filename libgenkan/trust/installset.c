#include "base/str.h"
#include "trust/installset.h"

static const struct {
	unsigned	 role;
	const char	*program;
} programs[] = {
	{ GK_ROLE_SERVER, "genkan-server" },
	{ GK_ROLE_HOST, "genkan-host" },
	{ GK_ROLE_CLI, "genkan" },
};

void
gk_installset_init(struct gk_installset *set)
{
	memset(set, 0, sizeof(*set));
}

static size_t
find(const struct gk_installset *set, const char *hash)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (strcmp(set->item[i].hash, hash) == 0)
			break;
	return i;
}

int
gk_installset_add(struct gk_installset *set, const char *hash, unsigned roles)
{
	size_t i;

	if (strlen(hash) != GK_HASH_HEX ||
	    !gk_str_is_hex_lower(hash, GK_HASH_HEX))
		return GENKAN_E_INVAL;
	i = find(set, hash);
	if (i == GK_ARRAY_LEN(set->item))
		return GENKAN_E_LIMIT;
	if (i == set->n) {
		memcpy(set->item[i].hash, hash, GK_HASH_HEX + 1);
		set->item[i].roles = 0;
		set->n++;
	}
	set->item[i].roles |= roles;
	return 0;
}

unsigned
gk_installset_roles(const struct gk_installset *set, const char *hash)
{
	size_t i = find(set, hash);

	return i < set->n ? set->item[i].roles : 0;
}

bool
gk_installset_has(const struct gk_installset *set, unsigned role)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if ((set->item[i].roles & role) != 0)
			return true;
	return false;
}

const char *
gk_role_program(unsigned role)
{
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(programs); i++)
		if (programs[i].role == role)
			return programs[i].program;
	return NULL;
}

unsigned
gk_role_of_program(const char *program)
{
	size_t i;

	for (i = 0; i < GK_ARRAY_LEN(programs); i++)
		if (strcmp(programs[i].program, program) == 0)
			return programs[i].role;
	return 0;
}
