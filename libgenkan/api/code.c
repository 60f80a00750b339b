/* The codes of results, which are no errors: contract/codes.def. */
#include "genkan/client.h"

#include "contract/schema.h"

static const struct gk_code_row *
code_row(int code)
{
	size_t n;

	(void)gk_schema_codes(&n);
	return code > 0 && (size_t)code <= n ? gk_schema_code(code) : NULL;
}

const char *
genkan_code_name(int code)
{
	const struct gk_code_row *row = code_row(code);

	return row != NULL ? row->name : code == 0 ? "OK" : "";
}

const char *
genkan_code_text(int code)
{
	const struct gk_code_row *row = code_row(code);

	return row != NULL ? row->text : code == 0 ? "success" : "";
}

int
genkan_code_retryable(int code)
{
	const struct gk_code_row *row = code_row(code);

	return row != NULL && row->retryable;
}
