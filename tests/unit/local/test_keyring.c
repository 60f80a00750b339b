/* Accounts, and the file store; the credential store needs one to talk to:
 * tests/protocol/test_keystore.py. */
#include "../records/fakestore.h"
#include "local/ground.h"

#include "local/hostkey.h"
#include "local/stores.h"

static struct gk_stores stores;
static struct gk_keyring keys;

static void
setup(void)
{
	ground_make();
	/* No bus, so that no keyring of the user's is ever asked. */
	ck_assert_int_eq(unsetenv("DBUS_SESSION_BUS_ADDRESS"), 0);
	ck_assert_int_eq(unsetenv("DISPLAY"), 0);
	ck_assert_int_eq(gk_stores_init(&stores, t.ctx, &place), 0);
	ck_assert_int_eq(gk_keyring_init(&keys, t.ctx, &place,
	    &stores.store), 0);
}

static void
teardown(void)
{
	gk_stores_done(&stores);
	ground_drop();
}

START_TEST(test_accounts_are_those_of_the_vectors)
{
	char account[GK_KEYRING_ACCOUNT_MAX];
	int n = 0;

#define GK_VECTOR_ACCOUNT(path, want)					\
	ck_assert_int_eq(gk_keyring_account(t.ctx, path, account), 0);	\
	ck_assert_str_eq(account, want);				\
	n++;
#include "contract/vectors.def"
	ck_assert_int_gt(n, 0);
}
END_TEST

/* The same before the directory is there and after, whatever leads to it. */
START_TEST(test_an_account_is_that_of_the_resolved_path)
{
	struct gk_place linked = place;
	struct gk_keyring other;
	int fd = -1;

	ck_assert_int_eq(symlink(at("home"), at("link")), 0);
	(void)snprintf(linked.state, sizeof(linked.state),
	    "%s/.local//state/genkan", at("link"));
	ck_assert_int_eq(gk_keyring_init(&other, t.ctx, &linked,
	    &stores.store), 0);
	ck_assert_str_eq(other.account, keys.account);
	ck_assert_int_eq(gk_dirs_make(place.state, &fd, &why), 0);
	(void)close(fd);
	ck_assert_int_eq(gk_keyring_init(&other, t.ctx, &linked,
	    &stores.store), 0);
	ck_assert_str_eq(other.account, keys.account);
	(void)snprintf(linked.state, sizeof(linked.state), "%s/other",
	    at("home"));
	ck_assert_int_eq(gk_keyring_init(&other, t.ctx, &linked,
	    &stores.store), 0);
	ck_assert_str_ne(other.account, keys.account);
}
END_TEST

START_TEST(test_a_file_key_is_stored_loaded_and_deleted)
{
	struct gk_key_answer a;
	struct gk_signer made, loaded;
	enum gk_key_place where = GK_KEY_NOWHERE;
	struct gk_hold *hold;
	char text[GK_WHY_FULL];
	bool had = false;

	memset(&a, 0, sizeof(a));
	ck_assert_int_eq(gk_signer_mint(t.ctx, &made), 0);
	ck_assert_int_eq(gk_store_hold(&stores.store, &hold, text,
	    sizeof(text)), 0);
	ck_assert_int_eq(gk_keyring_put(&keys, hold, GK_KEY_IN_FILE, &made),
	    0);
	ck_assert_int_eq(gk_keyring_occupied(&keys, false, &where), 1);
	ck_assert_int_eq(where, GK_KEY_IN_FILE);
	gk_keyring_load(&keys, &loaded, &a);
	ck_assert_int_eq(a.code, GK_KEY_OK);
	ck_assert_int_eq(a.place, GK_KEY_IN_FILE);
	ck_assert_str_eq(a.key_id, made.id);
	ck_assert_mem_eq(loaded.scalar.ptr, made.scalar.ptr, GK_P256_SCALAR);
	/* It never replaces what is there. */
	ck_assert_int_lt(gk_keyring_put(&keys, hold, GK_KEY_IN_FILE, &made),
	    0);
	ck_assert_int_eq(gk_keyring_erase(&keys, hold, false, &had), 0);
	ck_assert(had);
	ck_assert_int_eq(gk_keyring_occupied(&keys, true, &where), 0);
	stores.store.drop(stores.store.user, hold);
	gk_signer_done(&made);
	gk_signer_done(&loaded);
}
END_TEST

/* A store that fails: before it is done, behind it, and without a word. */
START_TEST(test_a_file_key_that_was_not_kept_is_said)
{
	static const char *const want[] = {
		"host_key.json cannot be written: no room",
		"host_key.json was written, but that may not outlast a loss "
		"of power: not made to last",
		"host_key.json cannot be deleted: no room",
		"host_key.json was deleted, but that may not outlast a loss "
		"of power: not made to last",
	};
	struct gk_signer made;
	struct fakestore f;
	bool had = false;
	int *fails, r;

	fakestore_init(&f);
	f.held = 1;
	ck_assert_int_eq(gk_signer_mint(t.ctx, &made), 0);
	ck_assert_int_eq(gk_keyring_init(&keys, t.ctx, &place, &f.store), 0);
	if (_i >= 2)
		ck_assert_int_eq(gk_keyring_put(&keys, (struct gk_hold *)&f,
		    GK_KEY_IN_FILE, &made), 0);
	fails = _i % 2 == 0 ? f.refuse : f.late;
	fails[GK_RECORD_HOST_KEY] = GENKAN_E_IO;
	r = _i < 2 ? gk_keyring_put(&keys, (struct gk_hold *)&f,
	    GK_KEY_IN_FILE, &made) :
	    gk_keyring_erase(&keys, (struct gk_hold *)&f, true, &had);
	ck_assert_int_eq(r, GENKAN_E_IO);
	ck_assert_str_eq(keys.why, want[_i]);
	ck_assert((f.text[GK_RECORD_HOST_KEY] != NULL) ==
	    (_i == 1 || _i == 2));
	gk_signer_done(&made);
	fakestore_done(&f);
}
END_TEST

START_TEST(test_the_answers_to_a_question)
{
	struct gk_key_answer a;
	struct gk_hold *hold;
	struct gk_signer made;
	char text[GK_WHY_FULL];

	ck_assert_int_eq(gk_signer_mint(t.ctx, &made), 0);
	ck_assert_int_eq(gk_store_hold(&stores.store, &hold, text,
	    sizeof(text)), 0);
	ck_assert_int_eq(gk_keyring_put(&keys, hold, GK_KEY_IN_FILE, &made),
	    0);
	stores.store.drop(stores.store.user, hold);
	gk_hostkey_ask(t.ctx, &place, GK_KEY_LOAD, NULL, 0, &a);
	ck_assert_int_eq(a.code, GK_KEY_OK);
	ck_assert_uint_eq(a.sig[0] | a.sig[1] | a.sig[2] | a.sig[63], 0);
	gk_hostkey_ask(t.ctx, &place, GK_KEY_SIGN, "x", 1, &a);
	ck_assert_int_eq(a.code, GK_KEY_OK);
	ck_assert_str_eq(a.key_id, made.id);
	ck_assert_uint_ne(a.sig[0] | a.sig[1] | a.sig[2] | a.sig[3], 0);
	gk_hostkey_ask(t.ctx, &place, GK_KEY_DISPOSE, NULL, 0, &a);
	ck_assert_int_eq(a.code, GK_KEY_OK);
	ck_assert(a.had_key);
	ck_assert(!a.incomplete);
	gk_signer_done(&made);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keyring");
	TCase *tc = tcase_create("keyring");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_accounts_are_those_of_the_vectors);
	tcase_add_test(tc, test_an_account_is_that_of_the_resolved_path);
	tcase_add_test(tc, test_a_file_key_is_stored_loaded_and_deleted);
	tcase_add_loop_test(tc, test_a_file_key_that_was_not_kept_is_said, 0,
	    4);
	tcase_add_test(tc, test_the_answers_to_a_question);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
