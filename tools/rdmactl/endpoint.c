// SPDX-License-Identifier: GPL-2.0
/* rdmactl endpoint: add, del, show. */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "rdmactl.h"

/*
 * The options. Keyword and unit stand in the table of attributes. The ranges
 * are the kernel's, too: here they spare the question.
 */
static const struct option_of_endpoint {
	int attr;
	const char *(*parse)(const char *word, uint64_t *value);
	uint64_t min, max;
} option[] = {
	{ RDMACH_A_ENDPOINT_DEPTH, parse_number,
	  RDMACH_DEPTH_MIN, RDMACH_DEPTH_MAX },
	{ RDMACH_A_ENDPOINT_BUFFER, parse_size,
	  RDMACH_BUFFER_MIN, RDMACH_BUFFER_MAX },
	{ RDMACH_A_ENDPOINT_BACKLOG, parse_number,
	  RDMACH_BACKLOG_MIN, RDMACH_BACKLOG_MAX },
	{ RDMACH_A_ENDPOINT_MAX_CONNECTIONS, parse_number,
	  RDMACH_MAX_CONNECTIONS_MIN, RDMACH_MAX_CONNECTIONS_MAX },
	{ RDMACH_A_ENDPOINT_MODE, parse_mode, 0, RDMACH_MODE_MAX },
	{ RDMACH_A_ENDPOINT_OWNER, parse_user, 0, UINT32_MAX - 1 },
	{ RDMACH_A_ENDPOINT_GROUP, parse_group, 0, UINT32_MAX - 1 },
	{ RDMACH_A_ENDPOINT_TOS, parse_number, 0, UINT8_MAX },
	{ RDMACH_A_ENDPOINT_ACK_TIMEOUT_US, parse_us,
	  RDMACH_ACK_TIMEOUT_MIN_US, RDMACH_ACK_TIMEOUT_MAX_US },
	{ RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS, parse_ms,
	  RDMACH_CONNECT_TIMEOUT_MIN_MS, RDMACH_CONNECT_TIMEOUT_MAX_MS },
	{ RDMACH_A_ENDPOINT_KEEPALIVE_MS, parse_ms,
	  RDMACH_KEEPALIVE_MIN_MS, RDMACH_KEEPALIVE_MAX_MS },
	{ RDMACH_A_ENDPOINT_LINGER_MS, parse_ms,
	  RDMACH_LINGER_MIN_MS, RDMACH_LINGER_MAX_MS },
};

#define OPTIONS (sizeof(option) / sizeof(*option))

/* What the words ask for. All are read before the kernel is spoken to. */
struct wish {
	const char *name;
	enum rdmach_role role;
	struct address address, from;
	char local_words[256];
	bool given[OPTIONS];
	uint64_t value[OPTIONS];
};

static const struct attribute *attribute_of(const struct option_of_endpoint *o)
{
	return &endpoint_object.attributes[o->attr];
}

/* A value, or a usage error that names the keyword and what is allowed. */
static uint64_t read_value(const struct option_of_endpoint *o,
			   struct args *args)
{
	const struct attribute *a = attribute_of(o);
	char least[TEXT_MAX], most[TEXT_MAX], what[64], range[160];
	const char *word, *wrong;
	uint64_t value = 0;

	text_value(a, o->min, least);
	text_value(a, o->max, most);
	snprintf(what, sizeof(what), "the value of '%s'", a->keyword);
	snprintf(range, sizeof(range), "%s to %s are allowed", least, most);
	word = args_need(args, what, range);
	wrong = o->parse(word, &value);
	if (!wrong && (value < o->min || value > o->max))
		wrong = "is out of range";
	if (wrong)
		fail(EXIT_USAGE, "%s '%s' %s; %s", a->keyword, word, wrong,
		     range);
	return value;
}

/* Not to be taken for an abbreviation of an option. */
static void refuse_second_role(const struct wish *wish, const char *word)
{
	if (!strcmp(word, "listen") || !strcmp(word, "connect"))
		fail(EXIT_USAGE,
		     "'%s' is given after '%s'; an endpoint has one role and one address for it",
		     word, wish->role == RDMACH_ROLE_LISTEN ? "listen" :
							      "connect");
}

static void read_from(struct wish *wish, struct args *args)
{
	const char *word = args_need(args, "the value of 'from'",
				     "an address of this host is needed");
	const char *wrong = parse_address(word, false, &wish->from);

	if (wrong)
		fail(EXIT_USAGE, "from '%s' %s", word, wrong);
	snprintf(wish->local_words, sizeof(wish->local_words), "from %s", word);
}

/* The keywords in the order of option[], then "from". */
static void read_options(struct wish *wish, struct args *args)
{
	const char *words[OPTIONS + 2];
	bool given;
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		words[i] = attribute_of(&option[i])->keyword;
	words[OPTIONS] = wish->role == RDMACH_ROLE_CONNECT ? "from" : NULL;
	words[OPTIONS + 1] = NULL;
	while (args->argc) {
		refuse_second_role(wish, args->argv[0]);
		i = args_choose(args, "option", words, -1);
		given = i < OPTIONS ? wish->given[i] : wish->from.family;
		if (given)
			fail(EXIT_USAGE, "'%s' is given twice; once is allowed",
			     words[i]);
		if (i == OPTIONS) {
			read_from(wish, args);
			continue;
		}
		wish->given[i] = true;
		wish->value[i] = read_value(&option[i], args);
	}
}

static void read_wish(struct wish *wish, struct args *args)
{
	static const char *const roles[] = { "listen", "connect", NULL };
	const char *word, *wrong;
	int role;

	memset(wish, 0, sizeof(*wish));
	wish->name = args_name(args);
	role = args_choose(args, "role", roles, -1);
	wish->role = role ? RDMACH_ROLE_CONNECT : RDMACH_ROLE_LISTEN;
	word = args_need(args, role ? "the value of 'connect'" :
				      "the value of 'listen'",
			 "ADDR:PORT, or [ADDR]:PORT for IPv6, is needed");
	wrong = parse_address(word, true, &wish->address);
	if (wrong)
		fail(EXIT_USAGE, "%s '%s' %s", roles[role], word, wrong);
	if (!role)
		snprintf(wish->local_words, sizeof(wish->local_words),
			 "listen %s", word);
	read_options(wish, args);
}

static void put_options(struct nl_msg *msg, const struct wish *wish)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		if (!wish->given[i])
			continue;
		if (attribute_of(&option[i])->kind == KIND_U8)
			request_u8(msg, option[i].attr, wish->value[i]);
		else
			request_u32(msg, option[i].attr, wish->value[i]);
	}
}

static void do_add(struct args *args)
{
	char what[64];
	struct asking asking = { .what = what, .object = &endpoint_object };
	struct nl_msg *msg;
	struct wish wish;

	read_wish(&wish, args);
	if (wish.role == RDMACH_ROLE_LISTEN)
		asking.local = &wish.address;
	else if (wish.from.family)
		asking.local = &wish.from;
	asking.local_words = wish.local_words;

	msg = request_new(RDMACH_CMD_ENDPOINT_ADD, NLM_F_ACK);
	request_string(msg, RDMACH_A_ENDPOINT_NAME, wish.name);
	request_u32(msg, RDMACH_A_ENDPOINT_ROLE, wish.role);
	if (asking.local)
		request_address(msg, RDMACH_A_ENDPOINT_LOCAL, asking.local);
	if (wish.role == RDMACH_ROLE_CONNECT)
		request_address(msg, RDMACH_A_ENDPOINT_PEER, &wish.address);
	put_options(msg, &wish);
	snprintf(what, sizeof(what), "endpoint add %s", wish.name);
	json_decref(request_run(msg, &asking));
}

/* What there is to say to delete or show one. */
static json_t *ask(uint8_t cmd, int flags, const char *verb, const char *name)
{
	char what[64];
	struct asking asking = { .what = what, .object = &endpoint_object };
	struct nl_msg *msg = request_new(cmd, flags);

	request_string(msg, RDMACH_A_ENDPOINT_NAME, name);
	snprintf(what, sizeof(what), "endpoint %s %s", verb, name);
	return request_run(msg, &asking);
}

static void do_del(struct args *args)
{
	const char *name = args_name(args);

	args_end(args);
	json_decref(ask(RDMACH_CMD_ENDPOINT_DEL, NLM_F_ACK, "del", name));
}

static void print_head(const json_t *e)
{
	bool listens = !strcmp(member_string(e, "role"), "listen");
	char text[ADDRESS_MAX];

	printf("%s: %s %s", member_string(e, "name"), member_string(e, "role"),
	       address_text(e, listens ? "local" : "peer", text));
	if (!listens && json_object_get(e, "local_address"))
		printf(" from %s", member_string(e, "local_address"));
}

static void print_state(const json_t *e)
{
	printf("state %s connections %lld/%lld", member_string(e, "state"),
	       member_number(e, "connections"),
	       member_number(e, "max_connections"));
	if (json_object_get(e, "backlog"))
		printf(" queued %lld/%lld", member_number(e, "queued"),
		       member_number(e, "backlog"));
}

void line_endpoint(const json_t *e)
{
	print_head(e);
	putchar(' ');
	print_state(e);
	if (json_object_get(e, "error"))
		printf(" last error: %s", text_cause(e));
	putchar('\n');
}

/* An option as it would be given to add, if the endpoint has it. */
static void print_option(const json_t *e, int attr)
{
	const struct attribute *a = &endpoint_object.attributes[attr];
	char text[TEXT_MAX];

	if (json_object_get(e, a->key))
		printf(" %s %s", a->keyword,
		       text_member(&endpoint_object, attr, e, text));
}

static void print_node(const json_t *e)
{
	struct passwd *user = getpwuid(member_number(e, "owner"));
	struct group *group = getgrgid(member_number(e, "group"));

	printf("    mode %s", member_string(e, "mode"));
	if (user)
		printf(" owner %s", user->pw_name);
	else
		print_option(e, RDMACH_A_ENDPOINT_OWNER);
	if (group)
		printf(" group %s", group->gr_name);
	else
		print_option(e, RDMACH_A_ENDPOINT_GROUP);
	putchar('\n');
}

static void print(const json_t *e)
{
	char text[TEXT_MAX];

	print_head(e);
	printf("\n    ");
	print_state(e);
	printf("\n   ");
	print_option(e, RDMACH_A_ENDPOINT_DEPTH);
	print_option(e, RDMACH_A_ENDPOINT_BUFFER);
	print_option(e, RDMACH_A_ENDPOINT_TOS);
	print_option(e, RDMACH_A_ENDPOINT_ACK_TIMEOUT_US);
	printf("\n   ");
	print_option(e, RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS);
	print_option(e, RDMACH_A_ENDPOINT_KEEPALIVE_MS);
	print_option(e, RDMACH_A_ENDPOINT_LINGER_MS);
	putchar('\n');
	print_node(e);
	if (json_object_get(e, "error"))
		printf("    last error %s ago: %s\n",
		       text_time(member_number(e, "error_age_ms"), text),
		       text_cause(e));
}

static void do_show(struct args *args)
{
	static const struct asking all = {
		.what = "endpoint show", .object = &endpoint_object,
	};
	const char *name = args->argc ? args_name(args) : NULL;

	args_end(args);
	print_all(name ? ask(RDMACH_CMD_ENDPOINT_GET, 0, "show", name) :
			 request_dump(RDMACH_CMD_ENDPOINT_GET, &all), print);
}

void do_endpoint(struct args *args)
{
	static void (*const run[])(struct args *args) = {
		do_show, do_add, do_del,
	};
	static const char *const commands[] = { "show", "add", "del", NULL };

	run[args_choose(args, "command", commands, 0)](args);
}
