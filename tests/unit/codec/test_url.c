#include "util.h"

#include <string.h>

#include "codec/url.h"

static const char *const origins[] = {
	"http://a", "https://a", "https://example.com",
	"https://example.com:8443", "http://localhost:3000",
	"http://127.0.0.1", "http://127.0.0.1:1", "http://255.255.255.255",
	"http://0.0.0.0", "http://[::1]", "https://[::1]:444", "http://[::]",
	"http://[2001:db8::1]", "http://[1:2:3:4:5:6:7:8]",
	"http://[1::3:4:5:6:7]", "http://[::ffff:102:304]",
	"http://[1:0:0:2::3]", "http://[1::2:0:0:3:4]", "http://[1:2::]",
	"http://[0:1:2:3:4:5:6:7]", "http://[fe80::abcd]",
	"https://xn--mnchen-3ya.de", "https://xn--n3h.net",
	"https://xn--wgv71a119e.jp", "http://example.com.", "http://a..b",
	"http://a-.b_c", "http://a.b-", "http://1.2.3.4.5.a", "http://1.2.3.a",
	"http://0x.a", "http://a:0", "http://a:65535", "https://a:80",
	"http://a:443", "http://.", "http://a!b$c", "http://09a",
	"http://xn--zzzzzzz",
};

static const char *const others[] = {
	"", "http:", "http:/", "http://", "https://", "ftp://a", "ws://a",
	"chrome-extension://abc", "null", "about:blank", "file://",
	"HTTP://a", "Https://a", "http://A", "http://exAmple.com",
	/* A path, even the empty one; query, fragment, user. */
	"http://a/", "http://a/b", "http://a?q", "http://a#f", "http://u@a",
	"http://u:p@a", "http://a:", "http://:80",
	/* Ports: default, leading zero, too large, no number. */
	"http://a:80", "https://a:443", "http://a:080", "http://a:65536",
	"http://a:99999", "http://a:100000", "http://a:x", "http://a:-1",
	"http://a:+1", "http://a:1:2", "http://a:00", "http://a:1 ",
	/* Numbers that are IPv4 addresses in another spelling, or none. */
	"http://1", "http://127.1", "http://0x7f.1", "http://0x7f000001",
	"http://127.0.0.01", "http://256.1.1.1", "http://1.2.3.4.",
	"http://1.2.3.4.5", "http://1.2.3", "http://a.1", "http://a.0x1",
	"http://a.0x", "http://a.09", "http://127.0.0.1.", "http://1.2.3.04",
	/* IPv6 in another spelling, or none. */
	"http://[::1", "http://::1", "http://[]", "http://[:]",
	"http://[1]", "http://[1:2:3:4:5:6:7:8:9]", "http://[::1]a",
	"http://[::01]", "http://[::A]", "http://[0:0:0:0:0:0:0:1]",
	"http://[1:0:0:2:0:0:0:3]", "http://[1:2:3:4:5:6:7::]",
	"http://[1::0:3]", "http://[1::2::3]", "http://[:::]",
	"http://[1:::2]", "http://[::ffff:1.2.3.4]", "http://[fe80::1%eth0]",
	"http://[12345::]", "http://[::1]:80", "http://[1::]x:1", "http://[:1::]",
	"http://[1:]", "http://[1:2:3:4:5:6:7:]", "http://[g::]",
	/* Names: forbidden characters, escapes, what a statement splits at. */
	"http://a b", "http://a\tb", "http://a\nb", "http://a%62",
	"http://a;b", "http://a=b", "http://a<b", "http://a>b", "http://a^b",
	"http://a|b", "http://a\\b", "http://a[b", "http://a]b",
	"http://caf\xc3\xa9.fr", "http://a\x7f", "http://a\x01",
	/* Punycode that is none. */
	"http://xn--", "http://xn--a-", "http://xn--a",
	"http://xn--a-9999999999", "http://b.xn--", "http://xn--mnchen-3y\x80",
	"http://xn--99999999999999",
};

static bool
is_origin(const char *s)
{
	return gk_url_is_origin(s, strlen(s));
}

START_TEST(test_an_origin_in_its_own_spelling)
{
	ck_assert_msg(is_origin(origins[_i]), "%s", origins[_i]);
}
END_TEST

START_TEST(test_everything_else_is_refused)
{
	ck_assert_msg(!is_origin(others[_i]), "%s", others[_i]);
}
END_TEST

START_TEST(test_no_beginning_of_an_address_is_read_beyond)
{
	const char *s = "http://[1:2::ffff:0]:9090";
	char copy[32];
	size_t n;

	for (n = 0; n <= strlen(s); n++) {
		memset(copy, 'f', sizeof(copy));
		memcpy(copy, s, n);
		ck_assert_int_eq(gk_url_is_origin(copy, n), n == 20 || n > 21);
	}
	ck_assert(!gk_url_is_origin("http://a\0b", 10));
}
END_TEST

START_TEST(test_the_length_is_bounded)
{
	char s[400];

	memset(s, 'a', sizeof(s));
	memcpy(s, "http://", 7);
	ck_assert(gk_url_is_origin(s, 299));
	ck_assert(gk_url_is_origin(s, 300));
	ck_assert(!gk_url_is_origin(s, 301));
}
END_TEST

static const struct { const char *url, *log; } trimmed[] = {
	{ "https://example.com/secret?q=1#f", "https://example.com" },
	{ "https://user:pass@example.com:8443/x",
	    "https://example.com:8443" },
	{ "https://a@b@c/x", "https://c" },
	{ "https://example.com?token=1", "https://example.com" },
	{ "https://example.com#token", "https://example.com" },
	{ "https://example.com\\@evil", "https://example.com" },
	{ "https://example.com", "https://example.com" },
	{ "chrome-extension://abc/popup.html", "chrome-extension://abc" },
	{ "data:text/plain,secret", "data:" },
	{ "blob:https://a/uuid", "blob:" },
	{ "javascript:alert(1)", "javascript:" },
	{ "about:blank", "about:" },
	{ "file:///home/me/secret", "file://" },
	{ "/home/me", "(no URL)" },
	{ "", "(no URL)" },
	{ "no scheme: here", "(no URL)" },
	{ "1http://a", "(no URL)" },
	{ ":x", "(no URL)" },
};

START_TEST(test_logs_get_the_origin_alone)
{
	char ret[64];

	ck_assert_str_eq(gk_url_trim(ret, sizeof(ret), trimmed[_i].url,
	    strlen(trimmed[_i].url)), trimmed[_i].log);
}
END_TEST

START_TEST(test_a_small_array_is_never_overrun)
{
	const char *url = "https://example.com/x";
	char ret[32];
	size_t size;

	for (size = 1; size < sizeof(ret); size++) {
		memset(ret, 'z', sizeof(ret));
		ck_assert_ptr_eq(gk_url_trim(ret, size, url, strlen(url)),
		    ret);
		ck_assert_uint_lt(strlen(ret), size);
		ck_assert_int_eq(strncmp(ret, url, strlen(ret)), 0);
		ck_assert_int_eq(ret[size], 'z');
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("url");
	TCase *tc = tcase_create("url");

	tcase_add_loop_test(tc, test_an_origin_in_its_own_spelling, 0,
	    GK_ARRAY_LEN(origins));
	tcase_add_loop_test(tc, test_everything_else_is_refused, 0,
	    GK_ARRAY_LEN(others));
	tcase_add_test(tc, test_no_beginning_of_an_address_is_read_beyond);
	tcase_add_test(tc, test_the_length_is_bounded);
	tcase_add_loop_test(tc, test_logs_get_the_origin_alone, 0,
	    GK_ARRAY_LEN(trimmed));
	tcase_add_test(tc, test_a_small_array_is_never_overrun);
	suite_add_tcase(s, tc);
	return gk_test_main(s);
}
