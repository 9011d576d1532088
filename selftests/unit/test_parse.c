// SPDX-License-Identifier: GPL-2.0
/* SOURCES: ../../tools/rdmactl/parse.c */
/* What rdmactl reads from words, and what it writes so that it reads it again. */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <linux/rdmach.h>

#include "../../tools/rdmactl/parse.h"
#include "ktap.h"

static void fails(int line, const char *what)
{
	printf("# %s:%d: %s\n", __FILE__, line, what);
	unit_failures++;
}

typedef const char *(*parse_fn)(const char *word, uint64_t *value);

static void reads(parse_fn parse, const char *word, uint64_t want, int line)
{
	uint64_t value = ~want;
	const char *wrong = parse(word, &value);

	if (wrong || value != want) {
		printf("# '%s': %s, %llu\n", word, wrong ? wrong : "read",
		       (unsigned long long)value);
		fails(line, "not read as meant");
	}
}

/* Refused, and in words that have @why in them. */
static void refuses(parse_fn parse, const char *word, const char *why, int line)
{
	uint64_t value = 0;
	const char *wrong = parse(word, &value);

	if (!wrong || !strstr(wrong, why)) {
		printf("# '%s': %s\n", word, wrong ? wrong : "was read");
		fails(line, why);
	}
}

#define READS(parse, word, want) reads(parse, word, want, __LINE__)
#define REFUSES(parse, word, why) refuses(parse, word, why, __LINE__)

static void numbers(void)
{
	READS(parse_number, "0", 0);
	READS(parse_number, "42", 42);
	READS(parse_number, "010", 10);
	READS(parse_number, "0x1f", 31);
	READS(parse_number, "0XFF", 255);
	READS(parse_number, "18446744073709551615", UINT64_MAX);
	REFUSES(parse_number, "18446744073709551616", "too large");
	REFUSES(parse_number, "", "not a number");
	REFUSES(parse_number, "-1", "not a number");
	REFUSES(parse_number, "+1", "not a number");
	REFUSES(parse_number, " 1", "not a number");
	REFUSES(parse_number, "1 ", "not a number");
	REFUSES(parse_number, "1.5", "not a number");
	REFUSES(parse_number, "12k", "not a number");
	REFUSES(parse_number, "0x", "not a number");
	REFUSES(parse_number, "x1", "not a number");
}

static void sizes(void)
{
	READS(parse_size, "0", 0);
	READS(parse_size, "4096", 4096);
	READS(parse_size, "17B", 17);
	READS(parse_size, "64k", 65536);
	READS(parse_size, "64K", 65536);
	READS(parse_size, "64KiB", 65536);
	READS(parse_size, "1m", 1 << 20);
	READS(parse_size, "1M", 1 << 20);
	READS(parse_size, "2MiB", 2 << 20);
	READS(parse_size, "17592186044415M", 17592186044415ULL << 20);
	REFUSES(parse_size, "17592186044416M", "too large");
	REFUSES(parse_size, "99999999999999999999K", "too large");
	REFUSES(parse_size, "K", "not a number");
	REFUSES(parse_size, "", "not a number");
	REFUSES(parse_size, "-4K", "not a number");
	REFUSES(parse_size, "4G", "unknown unit");
	REFUSES(parse_size, "4KB", "unknown unit");
	REFUSES(parse_size, "4K4", "unknown unit");
	REFUSES(parse_size, "1.5M", "unknown unit");
	REFUSES(parse_size, "4 K", "unknown unit");
}

static void times(void)
{
	READS(parse_us, "0", 0);
	READS(parse_us, "7us", 7);
	READS(parse_us, "7usecs", 7);
	READS(parse_us, "10ms", 10000);
	READS(parse_us, "10msec", 10000);
	READS(parse_us, "3s", 3000000);
	READS(parse_us, "3sec", 3000000);
	READS(parse_us, "2min", 120000000);
	READS(parse_us, "0s", 0);
	REFUSES(parse_us, "10", "needs a unit");
	REFUSES(parse_us, "10h", "unknown unit");
	REFUSES(parse_us, "10m", "unknown unit");
	REFUSES(parse_us, "1.5s", "unknown unit");
	REFUSES(parse_us, "s", "not a number");
	REFUSES(parse_us, "-1s", "not a number");
	REFUSES(parse_us, "307445734562min", "too large");
	REFUSES(parse_us, "99999999999999999999us", "too large");
	READS(parse_ms, "0", 0);
	READS(parse_ms, "5000us", 5);
	READS(parse_ms, "1s", 1000);
	READS(parse_ms, "60min", 3600000);
	REFUSES(parse_ms, "1500us", "finer than a millisecond");
	REFUSES(parse_ms, "1us", "finer than a millisecond");
	REFUSES(parse_ms, "1", "needs a unit");
}

static void modes(void)
{
	READS(parse_mode, "0660", 0660);
	READS(parse_mode, "660", 0660);
	READS(parse_mode, "0", 0);
	READS(parse_mode, "7777", 07777);
	REFUSES(parse_mode, "0680", "octal");
	REFUSES(parse_mode, "u+rw", "octal");
	REFUSES(parse_mode, "-1", "octal");
	REFUSES(parse_mode, "", "octal");
	REFUSES(parse_mode, "7777777777777777777777777", "octal");
}

static void users_and_groups(void)
{
	READS(parse_user, "root", 0);
	READS(parse_user, "1000", 1000);
	READS(parse_group, "root", 0);
	READS(parse_group, "100", 100);
	REFUSES(parse_user, "no such user", "no user");
	REFUSES(parse_user, "", "no user");
	REFUSES(parse_group, "no such group", "no group");
	REFUSES(parse_group, "-1", "no group");
}

static void names(void)
{
	char longest[RDMACH_NAME_MAX + 2];

	memset(longest, 'x', sizeof(longest));
	longest[RDMACH_NAME_MAX] = 0;
	CHECK(!parse_name(longest));
	longest[RDMACH_NAME_MAX] = 'x';
	longest[RDMACH_NAME_MAX + 1] = 0;
	CHECK(parse_name(longest) && strstr(parse_name(longest), "too long"));
	CHECK(!parse_name("a"));
	CHECK(!parse_name("db-0.east_1"));
	CHECK(!parse_name("..."));
	CHECK(parse_name(""));
	CHECK(parse_name("."));
	CHECK(parse_name(".."));
	CHECK(parse_name("a/b"));
	CHECK(parse_name("a b"));
	CHECK(parse_name("a\n"));
	CHECK(parse_name("na\xc3\xafve"));
}

static bool is_v4(const char *word, bool with_port, const char *host, int port)
{
	struct address a;
	struct in_addr want;

	inet_pton(AF_INET, host, &want);
	return !parse_address(word, with_port, &a) && a.family == AF_INET &&
	       a.v4.s_addr == want.s_addr && a.port == port && !a.scope;
}

static bool is_v6(const char *word, bool with_port, const char *host, int port,
		  uint32_t scope)
{
	struct address a;
	struct in6_addr want;

	inet_pton(AF_INET6, host, &want);
	return !parse_address(word, with_port, &a) && a.family == AF_INET6 &&
	       IN6_ARE_ADDR_EQUAL(&a.v6, &want) && a.port == port &&
	       a.scope == scope;
}

static bool is_wrong(const char *word, bool with_port, const char *why)
{
	struct address a;
	const char *wrong = parse_address(word, with_port, &a);

	if (!wrong || !strstr(wrong, why))
		printf("# '%s': %s\n", word, wrong ? wrong : "was read");
	return wrong && strstr(wrong, why);
}

static void addresses(void)
{
	CHECK(is_v4("10.0.0.1:7471", true, "10.0.0.1", 7471));
	CHECK(is_v4("0.0.0.0:1", true, "0.0.0.0", 1));
	CHECK(is_v4("[10.0.0.1]:65535", true, "10.0.0.1", 65535));
	CHECK(is_v4("10.0.0.1", false, "10.0.0.1", 0));
	CHECK(is_v6("[fd00::1]:7471", true, "fd00::1", 7471, 0));
	CHECK(is_v6("[::]:7471", true, "::", 7471, 0));
	CHECK(is_v6("fd00::1", false, "fd00::1", 0, 0));
	CHECK(is_v6("[fd00::1]", false, "fd00::1", 0, 0));
	CHECK(is_v6("1:2:3:4:5:6:7:8", false, "1:2:3:4:5:6:7:8", 0, 0));

	CHECK(is_wrong("10.0.0.1", true, "no port"));
	CHECK(is_wrong("fd00::1:7471", true, "no port"));
	CHECK(is_wrong("[fd00::1]", true, "no port"));
	CHECK(is_wrong("10.0.0.1:7471", false, "has a port"));
	CHECK(is_wrong("[fd00::1]:7471", false, "has a port"));
	CHECK(is_wrong("10.0.0.1:", true, "no port between"));
	CHECK(is_wrong("10.0.0.1:0", true, "no port between"));
	CHECK(is_wrong("10.0.0.1:65536", true, "no port between"));
	CHECK(is_wrong("10.0.0.1:-1", true, "no port between"));
	CHECK(is_wrong("10.0.0.1:http", true, "no port between"));
	CHECK(is_wrong("[fd00::1:7471", true, "closing"));
	CHECK(is_wrong("[fd00::1]7471", true, "after ]"));
	CHECK(is_wrong("", true, "not an IPv4 or IPv6"));
	CHECK(is_wrong(":7471", true, "not an IPv4 or IPv6"));
	CHECK(is_wrong("[]:7471", true, "not an IPv4 or IPv6"));
	CHECK(is_wrong("10.0.0:7471", true, "not an IPv4 or IPv6"));
	CHECK(is_wrong("10.0.0.256:7471", true, "not an IPv4 or IPv6"));
	CHECK(is_wrong("host.example:7471", true, "not an IPv4 or IPv6"));
}

static void long_addresses(void)
{
	char word[4096];

	memset(word, ':', sizeof(word));
	word[sizeof(word) - 1] = 0;
	CHECK(is_wrong(word, true, "too long"));
	memset(word, '1', sizeof(word));
	word[sizeof(word) - 1] = 0;
	CHECK(is_wrong(word, false, "too long"));
}

static void scopes(void)
{
	uint32_t lo = if_nametoindex("lo");
	char index[64];

	CHECK(is_v6("[fe80::1%lo]:7471", true, "fe80::1", 7471, lo));
	CHECK(is_v6("fe80::1%lo", false, "fe80::1", 0, lo));
	snprintf(index, sizeof(index), "[fe80::1%%%u]:7471", lo);
	CHECK(is_v6(index, true, "fe80::1", 7471, lo));
	CHECK(is_wrong("[fe80::1]:7471", true, "scope id needed"));
	CHECK(is_wrong("fe80::1", false, "scope id needed"));
	CHECK(is_wrong("[fe80::1%]:7471", true, "scope id needed"));
	CHECK(is_wrong("[fe80::1%nosuch0]:7471", true, "does not exist"));
	CHECK(is_wrong("[fe80::1%0]:7471", true, "does not exist"));
	CHECK(is_wrong("[fe80::1%4294967297]:7471", true, "does not exist"));
	CHECK(is_wrong("[fe80::1%1x]:7471", true, "does not exist"));
	CHECK(is_wrong("[fd00::1%lo]:7471", true, "not link-local"));
	CHECK(is_wrong("10.0.0.1%lo:7471", true, "only IPv6"));
}

static void keywords(void)
{
	static const char *const words[] = {
		"connect-timeout", "connect", "depth", "device", NULL,
	};

	CHECK(parse_keyword("depth", words) == 2);
	CHECK(parse_keyword("dep", words) == 2);
	CHECK(parse_keyword("connect", words) == 1);
	CHECK(parse_keyword("connect-", words) == 0);
	CHECK(parse_keyword("conn", words) == -2);
	CHECK(parse_keyword("de", words) == -2);
	CHECK(parse_keyword("depths", words) == -1);
	CHECK(parse_keyword("x", words) == -1);
	CHECK(parse_keyword("", words) == -1);
	CHECK(parse_keyword("Depth", words) == -1);
}

static bool is_text(const char *text, const char *want)
{
	if (strcmp(text, want))
		printf("# '%s', not '%s'\n", text, want);
	return !strcmp(text, want);
}

static void written(void)
{
	char text[FORMAT_MAX];

	CHECK(is_text(format_size(0, text), "0"));
	CHECK(is_text(format_size(1000, text), "1000"));
	CHECK(is_text(format_size(65536, text), "64K"));
	CHECK(is_text(format_size(1 << 20, text), "1M"));
	CHECK(is_text(format_size((1 << 20) + 1024, text), "1025K"));
	CHECK(is_text(format_us(0, text), "0"));
	CHECK(is_text(format_us(1048, text), "1048us"));
	CHECK(is_text(format_us(1500000, text), "1500ms"));
	CHECK(is_text(format_us(10000000, text), "10s"));
	CHECK(is_text(format_us(60000000, text), "60s"));
	CHECK(is_text(format_us(600000000, text), "10min"));
	CHECK(is_text(format_us(UINT64_MAX, text), "18446744073709551615us"));
}

static void written_reads_the_same(void)
{
	static const uint64_t values[] = {
		0, 1, 63, 64, 999, 1000, 1024, 1500, 65536, 1000000, 1 << 20,
		59999999, 60000000, 60000001, 120000000, 150000000, 3600000000,
		UINT64_MAX,
	};
	char text[FORMAT_MAX];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		READS(parse_size, format_size(values[i], text), values[i]);
		READS(parse_us, format_us(values[i], text), values[i]);
	}
}

static const struct unit_test tests[] = {
	{ "numbers", numbers },
	{ "sizes", sizes },
	{ "times", times },
	{ "modes", modes },
	{ "users_and_groups", users_and_groups },
	{ "names", names },
	{ "addresses", addresses },
	{ "long_addresses", long_addresses },
	{ "scopes", scopes },
	{ "keywords", keywords },
	{ "written", written },
	{ "written_reads_the_same", written_reads_the_same },
};

UNIT_MAIN(tests)
