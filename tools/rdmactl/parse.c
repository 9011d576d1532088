// SPDX-License-Identifier: GPL-2.0
/* Words to values; see parse.h. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <net/if.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rdmach.h>

#include "parse.h"

/* Digits, then a unit; *unit points behind the digits. */
static const char *parse_digits(const char *word, int base, uint64_t *value,
				const char **unit)
{
	char *end;

	if (!isdigit((unsigned char)*word))
		return "is not a number";
	errno = 0;
	*value = strtoull(word, &end, base);
	if (errno)
		return "is too large";
	*unit = end;
	return NULL;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const char *apply_unit(const char *name, const struct unit *unit,
			      const char *unknown, uint64_t *value)
{
	for (; unit->name; unit++) {
		if (strcmp(unit->name, name))
			continue;
		if (__builtin_mul_overflow(*value, unit->factor, value))
			return "is too large";
		return NULL;
	}
	return unknown;
}

const char *parse_number(const char *word, uint64_t *value)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *unit, *wrong;

	wrong = parse_digits(word, hex ? 16 : 10, value, &unit);
	return wrong ? wrong : *unit ? "is not a number" : NULL;
}

const char *parse_size(const char *word, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ "", 1 }, { "B", 1 },
		{ "k", 1 << 10 }, { "K", 1 << 10 }, { "KiB", 1 << 10 },
		{ "m", 1 << 20 }, { "M", 1 << 20 }, { "MiB", 1 << 20 },
		{ NULL, 0 },
	};
	const char *unit, *wrong = parse_digits(word, 10, bytes, &unit);

	return wrong ? wrong :
	       apply_unit(unit, units,
			  "has an unknown unit; bytes, K and M are known", bytes);
}

const char *parse_us(const char *word, uint64_t *us)
{
	static const struct unit units[] = {
		{ "us", 1 }, { "usec", 1 }, { "usecs", 1 },
		{ "ms", 1000 }, { "msec", 1000 }, { "msecs", 1000 },
		{ "s", 1000000 }, { "sec", 1000000 }, { "secs", 1000000 },
		{ "min", 60000000 }, { NULL, 0 },
	};
	const char *unit, *wrong = parse_digits(word, 10, us, &unit);

	if (wrong)
		return wrong;
	if (!*unit)
		return *us ? "needs a unit: us, ms, s or min" : NULL;
	return apply_unit(unit, units,
			  "has an unknown unit; us, ms, s and min are known", us);
}

const char *parse_ms(const char *word, uint64_t *ms)
{
	const char *wrong = parse_us(word, ms);

	if (wrong)
		return wrong;
	if (*ms % 1000)
		return "is finer than a millisecond";
	*ms /= 1000;
	return NULL;
}

const char *parse_mode(const char *word, uint64_t *mode)
{
	const char *unit, *wrong = parse_digits(word, 8, mode, &unit);

	return wrong || *unit ? "is not an octal number" : NULL;
}

const char *parse_user(const char *word, uint64_t *uid)
{
	struct passwd *user;

	if (!parse_number(word, uid))
		return NULL;
	user = getpwnam(word);
	if (!user)
		return "is no user";
	*uid = user->pw_uid;
	return NULL;
}

const char *parse_group(const char *word, uint64_t *gid)
{
	struct group *group;

	if (!parse_number(word, gid))
		return NULL;
	group = getgrnam(word);
	if (!group)
		return "is no group";
	*gid = group->gr_gid;
	return NULL;
}

const char *parse_name(const char *word)
{
	const char *c;

	if (!*word || !strcmp(word, ".") || !strcmp(word, ".."))
		return "is not a name";
	if (strlen(word) > RDMACH_NAME_MAX)
		return "is too long; at most 31 characters are allowed";
	for (c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return "has a character that is not a letter, digit, '.', '_' or '-'";
	return NULL;
}

static const char *parse_port(const char *word, uint16_t *port)
{
	uint64_t value;

	if (parse_number(word, &value) || value < 1 || value > 65535)
		return "has no port between 1 and 65535";
	*port = value;
	return NULL;
}

/* The name of an interface, or its index. */
static const char *parse_scope(const char *word, uint32_t *scope)
{
	char name[IF_NAMESIZE];
	uint64_t index;

	*scope = if_nametoindex(word);
	if (!*scope && !parse_number(word, &index) && index <= INT32_MAX &&
	    if_indextoname(index, name))
		*scope = index;
	return *scope ? NULL : "names an interface that does not exist";
}

static const char *parse_host(char *host, struct address *a)
{
	char *scope = strchr(host, '%');

	if (scope)
		*scope++ = 0;
	if (inet_pton(AF_INET, host, &a->v4) == 1) {
		a->family = AF_INET;
		return scope ? "has a scope, which only IPv6 knows" : NULL;
	}
	if (inet_pton(AF_INET6, host, &a->v6) != 1)
		return "is not an IPv4 or IPv6 address";
	a->family = AF_INET6;
	if (!IN6_IS_ADDR_LINKLOCAL(&a->v6))
		return scope ? "has a scope, but is not link-local" : NULL;
	if (!scope || !*scope)
		return "is link-local: scope id needed, as in fe80::1%eth0";
	return parse_scope(scope, &a->scope);
}

/* Cuts @text into host and port; without brackets only IPv4 has a port. */
static const char *split(char *text, char **host, char **port)
{
	char *end;

	*host = text;
	*port = NULL;
	if (*text == '[') {
		end = strchr(text, ']');
		if (!end)
			return "has no closing ]";
		*host = text + 1;
		*end++ = 0;
		if (*end && *end != ':')
			return "has something other than :PORT after ]";
	} else {
		end = strchr(text, ':');
		if (!end || strchr(end + 1, ':'))
			return NULL;
	}
	if (*end == ':') {
		*end = 0;
		*port = end + 1;
	}
	return NULL;
}

const char *parse_address(const char *word, bool with_port,
			  struct address *address)
{
	char text[128], *host, *port;
	const char *wrong;

	memset(address, 0, sizeof(*address));
	if (snprintf(text, sizeof(text), "%s", word) >= (int)sizeof(text))
		return "is too long for an address";
	wrong = split(text, &host, &port);
	if (!wrong)
		wrong = parse_host(host, address);
	if (wrong)
		return wrong;
	if (!with_port)
		return port ? "has a port, which a source address has not" : NULL;
	if (!port)
		return "has no port; write ADDR:PORT, [ADDR]:PORT for IPv6";
	return parse_port(port, &address->port);
}

int parse_keyword(const char *word, const char *const *words)
{
	size_t len = strlen(word);
	int i, found = -1;

	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], word))
			return i;
		if (len && !strncmp(words[i], word, len))
			found = found == -1 ? i : -2;
	}
	return found;
}

static const char *format(uint64_t value, const struct unit *unit, char *text)
{
	if (!value)
		return memcpy(text, "0", 2);
	while (value % unit->factor)
		unit++;
	snprintf(text, FORMAT_MAX, "%llu%s",
		 (unsigned long long)(value / unit->factor), unit->name);
	return text;
}

const char *format_size(uint64_t bytes, char text[FORMAT_MAX])
{
	static const struct unit units[] = {
		{ "M", 1 << 20 }, { "K", 1 << 10 }, { "", 1 },
	};

	return format(bytes, units, text);
}

/* Minutes from two on: 60s reads better than 1min. */
const char *format_us(uint64_t us, char text[FORMAT_MAX])
{
	static const struct unit units[] = {
		{ "min", 60000000 }, { "s", 1000000 }, { "ms", 1000 }, { "us", 1 },
	};

	return format(us, us < 120000000 ? units + 1 : units, text);
}
