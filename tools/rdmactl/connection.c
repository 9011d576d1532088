// SPDX-License-Identifier: GPL-2.0
/* rdmactl connection show. */
#include <stdio.h>

#include "rdmactl.h"

static void print_path(const json_t *path)
{
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];

	printf("    path %lld: %s -> %s\n", member_number(path, "index"),
	       address_text(path, "local", local),
	       address_text(path, "peer", peer));
	printf("        device %s port %lld", member_string(path, "device"),
	       member_number(path, "port"));
	if (json_object_get(path, "qpn"))
		printf(" qpn %lld", member_number(path, "qpn"));
	if (json_object_get(path, "mtu_bytes"))
		printf(" mtu %lld", member_number(path, "mtu_bytes"));
	putchar('\n');
}

static void print_head(const json_t *c)
{
	printf("%lld: %s %s state %s pid %lld (%s) uid %lld",
	       member_number(c, "handle"), member_string(c, "endpoint"),
	       member_string(c, "role"), member_string(c, "state"),
	       member_number(c, "pid"), member_string(c, "comm"),
	       member_number(c, "uid"));
}

void line_connection(const json_t *c)
{
	const json_t *path = json_array_get(json_object_get(c, "paths"), 0);
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];

	print_head(c);
	if (path)
		printf(" %s -> %s device %s",
		       address_text(path, "local", local),
		       address_text(path, "peer", peer),
		       member_string(path, "device"));
	if (json_object_get(c, "error"))
		printf(" error: %s", text_cause(c));
	putchar('\n');
}

/* What is known once the peer has answered. */
static void print_session(const json_t *c)
{
	char a[TEXT_MAX];

	printf("    peer-depth %lld peer-buffer %s\n",
	       member_number(c, "peer_depth"),
	       text_size(member_number(c, "peer_buffer_bytes"), a));
	printf("    credits %lld in-flight %lld unread %lld idle %s\n",
	       member_number(c, "credits"), member_number(c, "tx_inflight"),
	       member_number(c, "rx_queued"),
	       text_time(member_number(c, "idle_ms"), a));
	printf("    id %s epoch %lld features %#llx\n", member_string(c, "id"),
	       member_number(c, "epoch"), member_number(c, "features"));
}

static void print(const json_t *c)
{
	char a[TEXT_MAX], b[TEXT_MAX];
	json_t *path;
	size_t i;

	print_head(c);
	if (json_object_get(c, "age_ms"))
		printf(" age %s", text_time(member_number(c, "age_ms"), a));
	putchar('\n');
	json_array_foreach(json_object_get(c, "paths"), i, path) {
		print_path(path);
	}
	printf("    depth %lld buffer %s pool %s\n", member_number(c, "depth"),
	       text_size(member_number(c, "buffer_bytes"), a),
	       text_size(member_number(c, "pool_bytes"), b));
	if (json_object_get(c, "peer_depth"))
		print_session(c);
	if (json_object_get(c, "error"))
		printf("    error: %s\n", text_cause(c));
	if (options.statistics)
		print_stats(json_object_get(c, "stats"));
}

/* A list that is empty because the name is wrong would mislead. */
static void check_endpoint(const char *name, const char *what)
{
	struct asking asking = { .what = what, .object = &endpoint_object };
	struct nl_msg *msg = request_new(RDMACH_CMD_ENDPOINT_GET, 0);

	request_string(msg, RDMACH_A_ENDPOINT_NAME, name);
	json_decref(request_run(msg, &asking));
}

void do_connection(struct args *args)
{
	static const char *const commands[] = { "show", NULL };
	char what[64] = "connection show";
	struct asking asking = { .what = what, .object = &connection_object };
	const char *name = NULL;
	struct nl_msg *msg;
	json_t *all;

	args_choose(args, "command", commands, 0);
	if (args->argc)
		name = args_name(args);
	args_end(args);
	msg = request_new(RDMACH_CMD_CONNECTION_GET, NLM_F_DUMP);
	if (name) {
		snprintf(what, sizeof(what), "connection show %s", name);
		request_string(msg, RDMACH_A_CONNECTION_ENDPOINT, name);
	}
	all = request_run(msg, &asking);
	/* Those of a deleted endpoint are listed until they are closed. */
	if (name && !json_array_size(all))
		check_endpoint(name, what);
	print_all(all, print);
}
