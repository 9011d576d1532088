// SPDX-License-Identifier: GPL-2.0
/* rdmactl endpoint: add, del, show. */
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>

#include "rdmactl.h"

enum value { VALUE_NUMBER, VALUE_SIZE, VALUE_MS, VALUE_US, VALUE_MODE,
	     VALUE_USER, VALUE_GROUP, VALUE_U8 };

/* The options: what they mean to the kernel, and what it allows. */
static const struct option_of_endpoint {
	const char *keyword;
	int attr;
	enum value value;
	uint64_t min, max;
} option[] = {
	{ "depth", RDMACH_A_ENDPOINT_DEPTH, VALUE_NUMBER,
	  RDMACH_DEPTH_MIN, RDMACH_DEPTH_MAX },
	{ "buffer", RDMACH_A_ENDPOINT_BUFFER, VALUE_SIZE,
	  RDMACH_BUFFER_MIN, RDMACH_BUFFER_MAX },
	{ "backlog", RDMACH_A_ENDPOINT_BACKLOG, VALUE_NUMBER,
	  RDMACH_BACKLOG_MIN, RDMACH_BACKLOG_MAX },
	{ "max-connections", RDMACH_A_ENDPOINT_MAX_CONNECTIONS, VALUE_NUMBER,
	  RDMACH_MAX_CONNECTIONS_MIN, RDMACH_MAX_CONNECTIONS_MAX },
	{ "mode", RDMACH_A_ENDPOINT_MODE, VALUE_MODE, 0, RDMACH_MODE_MAX },
	{ "owner", RDMACH_A_ENDPOINT_OWNER, VALUE_USER, 0, UINT32_MAX - 1 },
	{ "group", RDMACH_A_ENDPOINT_GROUP, VALUE_GROUP, 0, UINT32_MAX - 1 },
	{ "tos", RDMACH_A_ENDPOINT_TOS, VALUE_U8, 0, UINT8_MAX },
	{ "ack-timeout", RDMACH_A_ENDPOINT_ACK_TIMEOUT_US, VALUE_US,
	  RDMACH_ACK_TIMEOUT_MIN_US, RDMACH_ACK_TIMEOUT_MAX_US },
	{ "connect-timeout", RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS, VALUE_MS,
	  RDMACH_CONNECT_TIMEOUT_MIN_MS, RDMACH_CONNECT_TIMEOUT_MAX_MS },
	{ "keepalive", RDMACH_A_ENDPOINT_KEEPALIVE_MS, VALUE_MS,
	  RDMACH_KEEPALIVE_MIN_MS, RDMACH_KEEPALIVE_MAX_MS },
	{ "linger", RDMACH_A_ENDPOINT_LINGER_MS, VALUE_MS,
	  RDMACH_LINGER_MIN_MS, RDMACH_LINGER_MAX_MS },
};

#define OPTIONS (sizeof(option) / sizeof(*option))

static const char *parse_value(const struct option_of_endpoint *o,
			       const char *word, uint64_t *value)
{
	const char *wrong;

	switch (o->value) {
	case VALUE_SIZE: return parse_size(word, value);
	case VALUE_MODE: return parse_mode(word, value);
	case VALUE_USER: return parse_user(word, value);
	case VALUE_GROUP: return parse_group(word, value);
	case VALUE_US: return parse_time(word, value);
	case VALUE_MS:
		wrong = parse_time(word, value);
		if (!wrong && *value % 1000)
			return "is finer than a millisecond";
		*value /= 1000;
		return wrong;
	default: return parse_number(word, value);
	}
}

static void check_range(const struct option_of_endpoint *o, const char *word,
			uint64_t value)
{
	const char *unit = o->value == VALUE_MS ? "ms" :
			   o->value == VALUE_US ? "us" : "";

	if (value >= o->min && value <= o->max)
		return;
	if (o->value == VALUE_MODE)
		fail(EXIT_USAGE, "%s %s is out of range: 0 to %04llo are allowed",
		     o->keyword, word, (unsigned long long)o->max);
	fail(EXIT_USAGE, "%s %s is out of range: %llu%s to %llu%s are allowed",
	     o->keyword, word, (unsigned long long)o->min, unit,
	     (unsigned long long)o->max, unit);
}

static void put_option(struct nl_msg *msg, int i, struct args *args)
{
	const struct option_of_endpoint *o = &option[i];
	char what[64];
	const char *word, *wrong;
	uint64_t value;

	snprintf(what, sizeof(what), "the value of '%s'", o->keyword);
	word = args_need(args, what);
	wrong = parse_value(o, word, &value);
	if (wrong)
		fail(EXIT_USAGE, "%s '%s' %s", o->keyword, word, wrong);
	check_range(o, word, value);
	if (o->value == VALUE_U8)
		nla_put_u8(msg, o->attr, value);
	else
		nla_put_u32(msg, o->attr, value);
}

/* The keywords in the order of option[], then "from". */
static void put_options(struct nl_msg *msg, enum rdmach_role role,
			struct args *args)
{
	const char *words[OPTIONS + 2], *word, *wrong;
	bool seen[OPTIONS + 1] = { false };
	struct address from;
	size_t i;
	int found;

	for (i = 0; i < OPTIONS; i++)
		words[i] = option[i].keyword;
	words[OPTIONS] = role == RDMACH_ROLE_CONNECT ? "from" : NULL;
	words[OPTIONS + 1] = NULL;
	while (args->argc) {
		word = args->argv[0];
		found = command(args, "an option", words, -1);
		if (seen[found])
			fail(EXIT_USAGE, "'%s' is given twice", words[found]);
		seen[found] = true;
		if ((size_t)found < OPTIONS) {
			put_option(msg, found, args);
			continue;
		}
		word = args_need(args, "the value of 'from'");
		wrong = parse_address(word, false, &from);
		if (wrong)
			fail(EXIT_USAGE, "from '%s' %s", word, wrong);
		request_address(msg, RDMACH_A_ENDPOINT_LOCAL, &from);
	}
}

static void add(struct args *args)
{
	static const char *const roles[] = { "listen", "connect", NULL };
	const char *name, *word, *wrong;
	enum rdmach_role role;
	struct address address;
	struct nl_msg *msg;
	char what[64];

	name = args_need(args, "the name of the endpoint");
	wrong = parse_name(name);
	if (wrong)
		fail(EXIT_USAGE, "endpoint name '%s' %s", name, wrong);
	role = command(args, "'listen' or 'connect'", roles, -1) ?
	       RDMACH_ROLE_CONNECT : RDMACH_ROLE_LISTEN;
	word = args_need(args, "ADDR:PORT");
	wrong = parse_address(word, true, &address);
	if (wrong)
		fail(EXIT_USAGE, "address '%s' %s", word, wrong);

	msg = request_new(RDMACH_CMD_ENDPOINT_ADD, NLM_F_ACK);
	nla_put_string(msg, RDMACH_A_ENDPOINT_NAME, name);
	nla_put_u32(msg, RDMACH_A_ENDPOINT_ROLE, role);
	request_address(msg, role == RDMACH_ROLE_LISTEN ?
			RDMACH_A_ENDPOINT_LOCAL : RDMACH_A_ENDPOINT_PEER,
			&address);
	put_options(msg, role, args);
	snprintf(what, sizeof(what), "endpoint add %s", name);
	json_decref(request_run(msg, &endpoint_object, what, &address));
}

static void del(struct args *args)
{
	const char *name = args_need(args, "the name of the endpoint");
	struct nl_msg *msg;
	char what[64];

	args_end(args);
	msg = request_new(RDMACH_CMD_ENDPOINT_DEL, NLM_F_ACK);
	nla_put_string(msg, RDMACH_A_ENDPOINT_NAME, name);
	snprintf(what, sizeof(what), "endpoint del %.32s", name);
	json_decref(request_run(msg, &endpoint_object, what, NULL));
}

void print_endpoint(const json_t *e)
{
	char text[128], a[TEXT_MAX], b[TEXT_MAX], c[TEXT_MAX];
	bool listens = !strcmp(member_string(e, "role"), "listen");

	printf("%s: %s %s", member_string(e, "name"), member_string(e, "role"),
	       address_text(e, listens ? "local" : "peer", text, sizeof(text)));
	if (!listens && json_object_get(e, "local_address"))
		printf(" from %s", member_string(e, "local_address"));
	printf(" state %s connections %lld/%lld", member_string(e, "state"),
	       member_number(e, "connections"),
	       member_number(e, "max_connections"));
	if (listens)
		printf(" queued %lld/%lld", member_number(e, "queued"),
		       member_number(e, "backlog"));
	printf("\n    depth %lld buffer %s mode %s owner %lld group %lld",
	       member_number(e, "depth"),
	       text_size(member_number(e, "buffer_bytes"), a, sizeof(a)),
	       member_string(e, "mode"), member_number(e, "owner"),
	       member_number(e, "group"));
	if (json_object_get(e, "tos"))
		printf(" tos %lld", member_number(e, "tos"));
	if (json_object_get(e, "ack_timeout_us"))
		printf(" ack-timeout %lldus", member_number(e, "ack_timeout_us"));
	printf("\n    connect-timeout %s keepalive %s linger %s\n",
	       text_time(member_number(e, "connect_timeout_ms"), a, sizeof(a)),
	       text_time(member_number(e, "keepalive_ms"), b, sizeof(b)),
	       text_time(member_number(e, "linger_ms"), c, sizeof(c)));
	if (json_object_get(e, "error"))
		printf("    last error %s ago: %s\n",
		       text_time(member_number(e, "error_age_ms"), a, sizeof(a)),
		       member_string(e, "cause"));
}

static void show(struct args *args)
{
	const char *name = args_next(args);
	struct nl_msg *msg;
	char what[64];
	json_t *all, *one;
	size_t i;

	args_end(args);
	if (name) {
		msg = request_new(RDMACH_CMD_ENDPOINT_GET, 0);
		nla_put_string(msg, RDMACH_A_ENDPOINT_NAME, name);
		snprintf(what, sizeof(what), "endpoint show %.32s", name);
		all = request_run(msg, &endpoint_object, what, NULL);
	} else {
		all = request_dump(RDMACH_CMD_ENDPOINT_GET, &endpoint_object);
	}
	if (options.json) {
		print_json(all);
		return;
	}
	json_array_foreach(all, i, one)
		print_endpoint(one);
	json_decref(all);
}

void do_endpoint(struct args *args)
{
	static const char *const commands[] = { "show", "add", "del", NULL };
	static void (*const run[])(struct args *args) = { show, add, del };

	run[command(args, "a command", commands, 0)](args);
}
