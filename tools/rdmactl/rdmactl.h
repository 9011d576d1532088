/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rdmactl: what its parts share.
 *
 *   main.c      options, objects, help
 *   parse.c     words to values
 *   args.c      the words that follow a command
 *   object.c    netlink attributes to JSON; the tables say what has which name
 *   nl.c        the socket, requests, notifications
 *   refusal.c   what the kernel's refusal says, in one line
 *   holder.c    who holds an address that is in use
 *   endpoint.c connection.c stats.c device.c monitor.c    the objects
 *   print.c     JSON, or text for people
 */
#ifndef RDMACTL_H
#define RDMACTL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <jansson.h>
#include <netlink/msg.h>

#include <linux/rdmach_netlink.h>

#include "parse.h"

enum {
	EXIT_USAGE = 1,
	EXIT_REFUSED = 2,
	EXIT_TIMEOUT = 3,
	EXIT_ABSENT = 4,
};

struct options {
	bool json, pretty, statistics;
};

extern struct options options;

/* One line on stderr, after "rdmactl: ". */
__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);
/* The same, and the end of the program. */
__attribute__((format(printf, 2, 3)))
noreturn void fail(int status, const char *format, ...);
/* All was written to standard output, or that is complained of, too. */
void finish_output(void);

/* args.c: argv is what is left; each takes from its front. */
struct args {
	int argc;
	char **argv;
};

/* The next word, or NULL. */
const char *args_next(struct args *args);
/* The next word; usage error if there is none: "@what is missing; @remedy". */
const char *args_need(struct args *args, const char *what, const char *remedy);
/* The next word, which has to name an endpoint. */
const char *args_name(struct args *args);
/* Usage error if words are left. */
void args_end(struct args *args);
/*
 * Which of the words comes next, @otherwise if none does and that is not
 * negative; usage error listing them if another does: "'foo' is no @what".
 */
int args_choose(struct args *args, const char *what, const char *const *words,
		int otherwise);

/* object.c */
enum kind {
	KIND_U8, KIND_U32, KIND_U64, KIND_STRING, KIND_STRINGS, KIND_NAMED,
	KIND_OCTAL, KIND_HEX, KIND_ADDRESS, KIND_OBJECT, KIND_OBJECTS,
};

/* What a number counts, where people are told of it. */
enum unit_of { UNIT_NONE, UNIT_BYTES, UNIT_MS, UNIT_US };

/* An attribute: its key in JSON, and the keyword that sets it, if any does. */
struct attribute {
	const char *key;
	enum kind kind;
	const char *keyword;
	enum unit_of unit;
	const char *const *names;	/* KIND_NAMED: values from 0 */
	const struct object *object;	/* what is nested in it */
};

/* Attributes by number; count is one more than the largest. */
struct object {
	const struct attribute *attributes;
	int count;
};

extern const struct object endpoint_object, connection_object, stats_object,
			   device_object;

/* A message of the family as a JSON object, new reference. */
json_t *object_from_message(const struct object *object, struct nlmsghdr *nlh);
/* Text of an address of two JSON members, in @text. */
#define ADDRESS_MAX 80
const char *address_text(const json_t *object, const char *key,
			 char text[ADDRESS_MAX]);
/* Shorthands; 0 and "" where there is no such member. */
json_int_t member_number(const json_t *object, const char *key);
const char *member_string(const json_t *object, const char *key);

/* nl.c */
/* What is asked, as far as a refusal has to speak of it. */
struct asking {
	const char *what;		/* "endpoint add db0" */
	const struct object *object;	/* what the attributes mean */
	const struct address *local;	/* an address to be bound, or NULL */
	const char *local_words;	/* "listen 10.0.0.1:7471" */
};

/* Begin a request. Adding to one fails never: it ends the program. */
struct nl_msg *request_new(uint8_t cmd, int flags);
void request_u8(struct nl_msg *msg, int attr, uint8_t value);
void request_u32(struct nl_msg *msg, int attr, uint32_t value);
void request_string(struct nl_msg *msg, int attr, const char *text);
void request_address(struct nl_msg *msg, int attr, const struct address *a);
/*
 * Send, and collect the answers as an array. A refusal, or silence, is
 * complained of and ends the program. Frees @msg.
 */
json_t *request_run(struct nl_msg *msg, const struct asking *asking);
/* All objects that a dump command gives. */
json_t *request_dump(uint8_t cmd, const struct asking *asking);
/* The same, but NULL if anything goes wrong. */
json_t *request_try_dump(uint8_t cmd, const struct object *object);
/*
 * Call @fn with each notification of the family, and with NULL where some were
 * lost, until a signal comes or nobody reads standard output any more.
 */
void notifications_run(void (*fn)(struct nlmsghdr *nlh));

/* refusal.c: @answer is an NLMSG_ERROR, or an NLMSG_DONE with an error. */
noreturn void refused(const struct nlmsghdr *answer,
		      const struct asking *asking);

/* holder.c: who holds @address, " by ...", or "" if nobody is seen to. */
const char *address_holder(const struct address *address);

/* print.c */
void print_json(json_t *value);		/* takes the reference */
/* An array of objects, as JSON or each by @print; takes the reference. */
void print_all(json_t *array, void (*print)(const json_t *object));
void print_stats(const json_t *stats);
#define TEXT_MAX 64
/* A number rounded for people, in @text. */
const char *text_size(json_int_t bytes, char text[TEXT_MAX]);
const char *text_time(json_int_t ms, char text[TEXT_MAX]);
/* The member @key as it would be typed after its keyword. */
const char *text_member(const struct object *o, int attr, const json_t *object,
			char text[TEXT_MAX]);
/* A value of an attribute, likewise. */
const char *text_value(const struct attribute *a, uint64_t value,
		       char text[TEXT_MAX]);
/* The cause of an object's error. */
const char *text_cause(const json_t *object);

/* The objects; each gets the words after its name. */
void do_endpoint(struct args *args);
void do_connection(struct args *args);
void do_stats(struct args *args);
void do_device(struct args *args);
void do_monitor(struct args *args);
/* One line, for the monitor. */
void line_endpoint(const json_t *endpoint);
void line_connection(const json_t *connection);
void line_device(const json_t *device);

#endif /* RDMACTL_H */
