/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rdmactl: what its parts share.
 *
 *   main.c      options, objects, help
 *   parse.c     words to values
 *   args.c      the words that follow a command
 *   object.c    netlink attributes to JSON; the tables say what has which name
 *   nl.c        the socket, requests, and what a refusal says
 *   holder.c    who holds an address that is in use
 *   endpoint.c connection.c stats.c device.c monitor.c    the objects
 *   print.c     JSON, or text for people
 */
#ifndef RDMACTL_H
#define RDMACTL_H

#include <stdbool.h>
#include <stdint.h>
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

/* One line on stderr; the second also ends the program. */
__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);
__attribute__((format(printf, 2, 3), noreturn))
void fail(int status, const char *format, ...);

/* args.c: argv is what is left; each takes from its front. */
struct args {
	int argc;
	char **argv;
};

/* The next word, or NULL. */
const char *args_next(struct args *args);
/* The next word; usage error if there is none: "@what is missing". */
const char *args_need(struct args *args, const char *what);
/* Usage error if words are left. */
void args_end(struct args *args);

/* object.c */
enum kind {
	KIND_U8, KIND_U32, KIND_U64, KIND_STRING, KIND_STRINGS, KIND_NAMED,
	KIND_OCTAL, KIND_HEX, KIND_ADDRESS, KIND_OBJECT, KIND_OBJECTS,
};

/* An attribute: its key in JSON, and the keyword that sets it, if any does. */
struct attribute {
	const char *key;
	enum kind kind;
	const char *keyword;
	const char *const *names;	/* KIND_NAMED: values from 0 */
	const struct object *object;	/* KIND_OBJECT(S) */
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
const char *address_text(const json_t *object, const char *key, char *text,
			 size_t size);
/* Shorthands; 0 and "" where there is no such member. */
json_int_t member_number(const json_t *object, const char *key);
const char *member_string(const json_t *object, const char *key);

/* nl.c */
/* Begin a request; @object explains attributes when it is refused. */
struct nl_msg *request_new(uint8_t cmd, int flags);
void request_address(struct nl_msg *msg, int attr, const struct address *a);
/*
 * Send, and collect the answers as an array of @object. On refusal one line is
 * said, prefixed with @what, and the program ends; for EADDRINUSE @address is
 * looked up.
 */
json_t *request_run(struct nl_msg *msg, const struct object *object,
		    const char *what, const struct address *address);
/* All objects that a dump command gives. */
json_t *request_dump(uint8_t cmd, const struct object *object);
/* Wait for notifications; @fn is called with each message of the family. */
int notifications_run(void (*fn)(struct nlmsghdr *nlh));

/* holder.c: who holds an address, in words; "" if nobody is seen to. */
const char *address_holder(const struct address *address);

/* print.c */
void print_json(json_t *value);	/* takes the reference */
void print_stats(const json_t *stats, const char *indent);
const char *text_size(json_int_t bytes, char *text, size_t size);
const char *text_time(json_int_t ms, char *text, size_t size);
#define TEXT_MAX 64

/* The objects; each gets the words after its name. */
void do_endpoint(struct args *args);
void do_connection(struct args *args);
void do_stats(struct args *args);
void do_device(struct args *args);
void do_monitor(struct args *args);
void print_endpoint(const json_t *endpoint);
void print_connection(const json_t *connection);
void print_device(const json_t *device);

/* Which of the words comes next; usage error listing them if none does. */
int command(struct args *args, const char *object, const char *const *words,
	    int otherwise);

#endif /* RDMACTL_H */
