#include "util.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"

static struct gk_test t;
static struct gk_umap u;
static struct gk_smap m;
static int value[5000];

static void
setup(void)
{
	gk_test_init(&t);
	gk_umap_init(&u, t.ctx);
	gk_smap_init(&m, t.ctx);
}

static void
teardown(void)
{
	gk_umap_done(&u);
	gk_smap_done(&m);
	gk_test_done(&t);
}

START_TEST(test_numbers_are_found_again)
{
	uint64_t k;

	for (k = 0; k < 5000; k++)
		ck_assert_int_eq(gk_umap_put(&u, k << 40, &value[k], NULL), 0);
	ck_assert_uint_eq(gk_umap_len(&u), 5000);
	for (k = 0; k < 5000; k++)
		ck_assert_ptr_eq(gk_umap_get(&u, k << 40), &value[k]);
	ck_assert_ptr_null(gk_umap_get(&u, 1));
}
END_TEST

START_TEST(test_a_second_put_replaces_and_returns_the_first)
{
	void *old = &u;

	ck_assert_int_eq(gk_umap_put(&u, 7, &value[1], &old), 0);
	ck_assert_ptr_null(old);
	ck_assert_int_eq(gk_umap_put(&u, 7, &value[2], &old), 0);
	ck_assert_ptr_eq(old, &value[1]);
	ck_assert_uint_eq(gk_umap_len(&u), 1);
	ck_assert_ptr_eq(gk_umap_get(&u, 7), &value[2]);
}
END_TEST

/* A queue of ids, as of pending calls: the table must not grow for ever. */
START_TEST(test_graves_are_reused)
{
	uint64_t k;
	size_t idle;

	for (k = 0; k < 100; k++)
		ck_assert_int_eq(gk_umap_put(&u, k, &value[0], NULL), 0);
	idle = t.bytes;
	for (k = 0; k < 100000; k++) {
		ck_assert_ptr_eq(gk_umap_del(&u, k), &value[0]);
		ck_assert_ptr_null(gk_umap_get(&u, k));
		ck_assert_int_eq(gk_umap_put(&u, k + 100, &value[0], NULL), 0);
	}
	ck_assert_uint_eq(gk_umap_len(&u), 100);
	ck_assert_uint_le(t.bytes, 2 * idle);
}
END_TEST

START_TEST(test_deleting_what_is_not_there)
{
	ck_assert_ptr_null(gk_umap_del(&u, 3));
	ck_assert_int_eq(gk_umap_put(&u, 3, &value[0], NULL), 0);
	ck_assert_ptr_null(gk_umap_del(&u, 4));
	ck_assert_ptr_eq(gk_umap_del(&u, 3), &value[0]);
	ck_assert_ptr_null(gk_umap_del(&u, 3));
	ck_assert_uint_eq(gk_umap_len(&u), 0);
}
END_TEST

START_TEST(test_iteration_visits_each_once_and_allows_deletion)
{
	unsigned seen[300] = { 0 };
	size_t pos = 0, n = 0;
	uint64_t key;
	int *v;

	for (key = 0; key < 300; key++)
		ck_assert_int_eq(gk_umap_put(&u, key, &value[key], NULL), 0);
	while ((v = gk_umap_at(&u, &pos, &key)) != NULL) {
		ck_assert_ptr_eq(v, &value[key]);
		seen[key]++;
		if (key % 2 == 0)
			ck_assert_ptr_eq(gk_umap_del(&u, key), v);
		n++;
	}
	ck_assert_uint_eq(n, 300);
	for (key = 0; key < 300; key++) {
		ck_assert_uint_eq(seen[key], 1);
		ck_assert_int_eq(gk_umap_get(&u, key) != NULL, key % 2 == 1);
	}
}
END_TEST

START_TEST(test_names_are_bytes_and_copied)
{
	struct gk_span key;
	char name[16];
	size_t pos = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		ck_assert_int_eq(gk_smap_put(&m, gk_span_str(name), &value[i],
		    NULL), 0);
	}
	memset(name, 0, sizeof(name));
	ck_assert_ptr_eq(gk_smap_get(&m, gk_span_str("name999")), &value[999]);
	ck_assert_ptr_null(gk_smap_get(&m, gk_span_str("name")));
	/* Counted: a NUL is a byte, and the empty name is one too. */
	ck_assert_int_eq(gk_smap_put(&m, gk_span("a\0b", 3), &value[1], NULL),
	    0);
	ck_assert_ptr_null(gk_smap_get(&m, gk_span("a\0c", 3)));
	ck_assert_ptr_null(gk_smap_get(&m, gk_span("a", 1)));
	ck_assert_ptr_eq(gk_smap_get(&m, gk_span("a\0b", 3)), &value[1]);
	ck_assert_int_eq(gk_smap_put(&m, gk_span(NULL, 0), &value[2], NULL),
	    0);
	ck_assert_ptr_eq(gk_smap_get(&m, gk_span("", 0)), &value[2]);
	ck_assert_uint_eq(gk_smap_len(&m), 1002);
	for (i = 0; gk_smap_at(&m, &pos, &key) != NULL; i++)
		ck_assert_int_eq(key.ptr[key.len], 0);
	ck_assert_int_eq(i, 1002);
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		ck_assert_ptr_eq(gk_smap_del(&m, gk_span_str(name)),
		    &value[i]);
	}
	ck_assert_uint_eq(gk_smap_len(&m), 2);
}
END_TEST

START_TEST(test_lack_of_memory_leaves_the_map_alone)
{
	struct gk_span key = gk_span_str("key");
	void *old = &u;

	t.fail_at = 1;
	ck_assert_int_eq(gk_smap_put(&m, key, &value[0], &old),
	    GENKAN_E_NOMEM);
	t.fail_at = 2;
	ck_assert_int_eq(gk_smap_put(&m, key, &value[0], &old),
	    GENKAN_E_NOMEM);
	ck_assert_ptr_eq(old, &u);
	ck_assert_uint_eq(gk_smap_len(&m), 0);
	ck_assert_ptr_null(gk_smap_get(&m, key));
	ck_assert_int_eq(gk_smap_put(&m, key, &value[0], NULL), 0);
	/* Replacing needs none. */
	t.fail_at = 1;
	ck_assert_int_eq(gk_smap_put(&m, key, &value[1], NULL), 0);
	t.fail_at = 0;
	ck_assert_ptr_eq(gk_smap_get(&m, key), &value[1]);
}
END_TEST

START_TEST(test_the_hash_depends_on_the_key_of_the_context)
{
	struct gk_test other;
	uint64_t a = gk_hash(t.ctx, "x", 1), b;

	ck_assert_uint_eq(gk_hash(t.ctx, "x", 1), a);
	ck_assert_uint_ne(gk_hash(t.ctx, "y", 1), a);
	gk_test_init(&other);
	other.ctx->hash_key[0] ^= 1;
	b = gk_hash(other.ctx, "x", 1);
	gk_test_done(&other);
	ck_assert_uint_ne(a, b);
}
END_TEST

/* The order in which a map has the numbers from 0 on, under a key. */
static void
order(uint8_t key, uint64_t ret[16])
{
	struct gk_test other;
	struct gk_umap map;
	size_t pos = 0, i;

	gk_test_init(&other);
	memset(other.ctx->hash_key, key, sizeof(other.ctx->hash_key));
	gk_umap_init(&map, other.ctx);
	for (i = 0; i < 16; i++)
		ck_assert_int_eq(gk_umap_put(&map, i, &value[i], NULL), 0);
	for (i = 0; i < 16; i++)
		ck_assert_ptr_nonnull(gk_umap_at(&map, &pos, &ret[i]));
	ck_assert_ptr_null(gk_umap_at(&map, &pos, NULL));
	gk_umap_done(&map);
	gk_test_done(&other);
}

START_TEST(test_where_a_number_lies_depends_on_it_too)
{
	uint64_t a[16], b[16];

	order(0x11, a);
	order(0x11, b);
	ck_assert_mem_eq(a, b, sizeof(a));
	order(0x23, b);
	ck_assert_mem_ne(a, b, sizeof(a));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("map");
	TCase *tc = tcase_create("map");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_numbers_are_found_again);
	tcase_add_test(tc, test_a_second_put_replaces_and_returns_the_first);
	tcase_add_test(tc, test_graves_are_reused);
	tcase_add_test(tc, test_deleting_what_is_not_there);
	tcase_add_test(tc,
	    test_iteration_visits_each_once_and_allows_deletion);
	tcase_add_test(tc, test_names_are_bytes_and_copied);
	tcase_add_test(tc, test_lack_of_memory_leaves_the_map_alone);
	tcase_add_test(tc, test_the_hash_depends_on_the_key_of_the_context);
	tcase_add_test(tc, test_where_a_number_lies_depends_on_it_too);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
