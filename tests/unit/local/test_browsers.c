/* Where browsers look for manifests: control.md 10.1, 10.5, 10.6. */
#include "local/browsers.h"

#include <stdio.h>
#include <stdlib.h>

#include "local/ground.h"

static struct gk_browsers b;
static struct gk_target target;

static void
setup(void)
{
	ground_make();
	ck_assert_int_eq(unsetenv("XDG_CONFIG_HOME"), 0);
	ck_assert_int_eq(unsetenv("XDG_DATA_HOME"), 0);
	ck_assert_int_eq(gk_browsers_init(&b, &why), 0);
}

static void
teardown(void)
{
	ground_drop();
}

static void
make_dirs(const char *below)
{
	char path[GK_PATH_MAX];
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", at("home"), below);
	ck_assert_int_eq(gk_dirs_make_plain(path, 0700, &fd, &why), 0);
	ck_assert_int_eq(close(fd), 0);
}

static const struct {
	int		 browser;
	const char	*key, *vendor;
} table[] = {
	{ GK_BROWSER_CHROME, "chrome", "google-chrome" },
	{ GK_BROWSER_CHROMIUM, "chromium", "chromium" },
	{ GK_BROWSER_BRAVE, "brave", "BraveSoftware/Brave-Browser" },
	{ GK_BROWSER_EDGE, "edge", "microsoft-edge" },
	{ GK_BROWSER_VIVALDI, "vivaldi", "vivaldi" },
	{ GK_BROWSER_OPERA, "opera", "opera" },
};

START_TEST(test_the_manifest_of_each_browser)
{
	char want[GK_PATH_MAX], vendor[256];

	ck_assert_int_eq(gk_browsers_user(&b, table[_i].browser, &target,
	    &why), 0);
	ck_assert_str_eq(target.name, table[_i].key);
	ck_assert_str_eq(target.label, table[_i].key);
	ck_assert(!target.system && !target.detected);
	(void)snprintf(want, sizeof(want), "%s/.config/%s/NativeMessagingHosts/"
	    "com.vivswan.genkan.host.json", at("home"), table[_i].vendor);
	ck_assert_str_eq(target.manifest, want);
	(void)snprintf(want, sizeof(want), "%s/.local/share/genkan",
	    at("home"));
	ck_assert_str_eq(target.wrappers, want);
	(void)snprintf(want, sizeof(want), "run-host-%s.sh", table[_i].key);
	ck_assert_str_eq(target.wrapper, want);
	(void)snprintf(vendor, sizeof(vendor), ".config/%s",
	    table[_i].vendor);
	make_dirs(vendor);
	ck_assert_int_eq(gk_browsers_user(&b, table[_i].browser, &target,
	    &why), 0);
	ck_assert(target.detected);
}
END_TEST

static const struct {
	const char	*keys, *dir, *label, *wrapper;
} systems[] = {
	{ "chrome brave opera", "/etc/opt/chrome", NULL, "run-host.sh" },
	{ "chromium", "/etc/chromium", "chromium", "run-host-chromium.sh" },
	{ "edge", "/etc/opt/edge", "edge", "run-host-edge.sh" },
	{ "vivaldi", "/etc/vivaldi", "vivaldi", "run-host-vivaldi.sh" },
};

START_TEST(test_the_machine_wide_directories)
{
	char want[GK_PATH_MAX];

	ck_assert_int_eq(gk_browsers_system((size_t)_i, &target, &why), 0);
	ck_assert_str_eq(target.name, systems[_i].keys);
	if (systems[_i].label == NULL)
		ck_assert_ptr_null(target.label);
	else
		ck_assert_str_eq(target.label, systems[_i].label);
	ck_assert(target.system);
	(void)snprintf(want, sizeof(want), "%s/native-messaging-hosts/"
	    "com.vivswan.genkan.host.json", systems[_i].dir);
	ck_assert_str_eq(target.manifest, want);
	ck_assert_str_eq(target.wrappers, "/var/lib/genkan");
	ck_assert_str_eq(target.wrapper, systems[_i].wrapper);
	ck_assert_int_eq(gk_browsers_system(4, &target, &why),
	    GENKAN_E_NOENT);
}
END_TEST

START_TEST(test_which_directory_a_browser_reads)
{
	static const size_t want[GK_BROWSER_END] = {
		[GK_BROWSER_CHROME] = 0, [GK_BROWSER_CHROMIUM] = 1,
		[GK_BROWSER_BRAVE] = 0, [GK_BROWSER_EDGE] = 2,
		[GK_BROWSER_VIVALDI] = 3, [GK_BROWSER_OPERA] = 0,
	};
	int i;

	for (i = 0; i < GK_BROWSER_END; i++)
		ck_assert_uint_eq(gk_browsers_system_of(i), want[i]);
}
END_TEST

START_TEST(test_a_named_directory_stands_as_it_is)
{
	char name[GK_PATH_MAX + 8];

	ck_assert_int_eq(gk_browsers_named(&b, "/d/e/", false, &target, &why),
	    0);
	ck_assert_str_eq(target.manifest,
	    "/d/e//com.vivswan.genkan.host.json");
	ck_assert_str_eq(target.wrapper, "run-host.sh");
	ck_assert_ptr_null(target.label);
	ck_assert_str_eq(target.wrappers, b.wrappers);
	ck_assert_int_eq(gk_browsers_named(&b, "/d", true, &target, &why), 0);
	ck_assert_str_eq(target.wrappers, "/var/lib/genkan");
	memset(name, '/', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(gk_browsers_named(&b, name, false, &target, &why),
	    GENKAN_E_ADDR);
}
END_TEST

START_TEST(test_sandboxed_browsers_are_found_apart)
{
	struct gk_sandboxed s[GK_SANDBOXED_MAX];

	ck_assert_uint_eq(gk_browsers_sandboxed(&b, s), 0);
	make_dirs("snap/chromium/common/chromium");
	make_dirs(".var/app/org.chromium.Chromium/config/chromium");
	make_dirs(".var/app/com.microsoft.Edge/config/microsoft-edge");
	make_dirs(".var/app/com.vivaldi.Vivaldi/config");
	ck_assert_uint_eq(gk_browsers_sandboxed(&b, s), 3);
	ck_assert_str_eq(s[0].key, "chromium");
	ck_assert_str_eq(s[0].packaging, "snap");
	ck_assert_str_eq(s[1].key, "chromium");
	ck_assert_str_eq(s[1].packaging, "flatpak");
	ck_assert_str_eq(s[2].key, "edge");
	ck_assert_int_eq(gk_browsers_user(&b, GK_BROWSER_CHROMIUM, &target,
	    &why), 0);
	ck_assert(!target.detected);
}
END_TEST

/* Uninstalling walks this list, so it must name every wrapper that can be. */
START_TEST(test_every_wrapper_has_its_place_in_the_list)
{
	char name[GK_WRAPPER_NAME], known[16][GK_WRAPPER_NAME];
	size_t n, i;
	int k;

	for (n = 0; gk_browsers_wrapper(n, known[n]) != NULL; n++)
		ck_assert_uint_lt(n, 15);
	ck_assert_uint_eq(n, 7);
	for (k = 0; k < GK_BROWSER_END + 4; k++) {
		ck_assert_int_eq(k < GK_BROWSER_END ?
		    gk_browsers_user(&b, k, &target, &why) :
		    gk_browsers_system((size_t)(k - GK_BROWSER_END), &target,
		    &why), 0);
		(void)snprintf(name, sizeof(name), "%s", target.wrapper);
		for (i = 0; i < n && strcmp(known[i], name) != 0; i++)
			;
		ck_assert_msg(i < n, "%s", name);
	}
}
END_TEST

START_TEST(test_xdg_variables_count_only_if_absolute)
{
	ck_assert_int_eq(setenv("XDG_CONFIG_HOME", "/c", 1), 0);
	ck_assert_int_eq(setenv("XDG_DATA_HOME", "/d", 1), 0);
	ck_assert_int_eq(gk_browsers_init(&b, &why), 0);
	ck_assert_str_eq(b.config, "/c");
	ck_assert_str_eq(b.wrappers, "/d/genkan");
	ck_assert_int_eq(setenv("XDG_CONFIG_HOME", "c", 1), 0);
	ck_assert_int_eq(setenv("XDG_DATA_HOME", "", 1), 0);
	ck_assert_int_eq(gk_browsers_init(&b, &why), 0);
	ck_assert_str_eq(b.config, at("home/.config"));
	ck_assert_str_eq(b.wrappers, at("home/.local/share/genkan"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("browsers");
	TCase *tc = tcase_create("browsers");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_the_manifest_of_each_browser, 0,
	    (int)GK_ARRAY_LEN(table));
	tcase_add_loop_test(tc, test_the_machine_wide_directories, 0,
	    (int)GK_ARRAY_LEN(systems));
	tcase_add_test(tc, test_which_directory_a_browser_reads);
	tcase_add_test(tc, test_a_named_directory_stands_as_it_is);
	tcase_add_test(tc, test_sandboxed_browsers_are_found_apart);
	tcase_add_test(tc, test_every_wrapper_has_its_place_in_the_list);
	tcase_add_test(tc, test_xdg_variables_count_only_if_absolute);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
