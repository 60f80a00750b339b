/*
 * The runner of the contract tests.  util.h serves every other floor but knows
 * contexts, and this floor has nothing below it.
 */
#ifndef GK_TESTS_CONTRACT_TAP_H
#define GK_TESTS_CONTRACT_TAP_H

#include <check.h>
#include <string.h>

static inline int
tap_main(Suite *suite)
{
	SRunner *sr = srunner_create(suite);
	int failed;

	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_SILENT);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed > 0;
}

/* A text of the tables, as the lookups take it. */
#define T(s)	(s), strlen(s)

#endif
