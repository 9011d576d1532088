// SPDX-License-Identifier: GPL-2.0
/* rdmactl connection show. */
#include <stdio.h>
#include <netlink/attr.h>

#include "rdmactl.h"

static void print_path(const json_t *path)
{
	char local[128], peer[128];

	printf("    path %lld: %s -> %s device %s port %lld",
	       member_number(path, "index"),
	       address_text(path, "local", local, sizeof(local)),
	       address_text(path, "peer", peer, sizeof(peer)),
	       member_string(path, "device"), member_number(path, "port"));
	if (json_object_get(path, "qpn"))
		printf(" qpn %lld", member_number(path, "qpn"));
	if (json_object_get(path, "mtu_bytes"))
		printf(" mtu %lld", member_number(path, "mtu_bytes"));
	putchar('\n');
}

void print_connection(const json_t *c)
{
	char a[TEXT_MAX], b[TEXT_MAX];
	json_t *path;
	size_t i;

	printf("%lld: %s %s state %s pid %lld (%s) uid %lld",
	       member_number(c, "handle"), member_string(c, "endpoint"),
	       member_string(c, "role"), member_string(c, "state"),
	       member_number(c, "pid"), member_string(c, "comm"),
	       member_number(c, "uid"));
	if (json_object_get(c, "age_ms"))
		printf(" age %s", text_time(member_number(c, "age_ms"), a,
					    sizeof(a)));
	putchar('\n');
	json_array_foreach(json_object_get(c, "paths"), i, path)
		print_path(path);
	printf("    depth %lld buffer %s pool %s", member_number(c, "depth"),
	       text_size(member_number(c, "buffer_bytes"), a, sizeof(a)),
	       text_size(member_number(c, "pool_bytes"), b, sizeof(b)));
	if (json_object_get(c, "peer_depth")) {
		printf(" peer-depth %lld peer-buffer %s\n",
		       member_number(c, "peer_depth"),
		       text_size(member_number(c, "peer_buffer_bytes"), a,
				 sizeof(a)));
		printf("    credits %lld in-flight %lld unread %lld idle %s id %s",
		       member_number(c, "credits"),
		       member_number(c, "tx_inflight"),
		       member_number(c, "rx_queued"),
		       text_time(member_number(c, "idle_ms"), a, sizeof(a)),
		       member_string(c, "id"));
	}
	putchar('\n');
	if (json_object_get(c, "error"))
		printf("    error: %s\n", member_string(c, "cause"));
	if (options.statistics)
		print_stats(json_object_get(c, "stats"), "    ");
}

void do_connection(struct args *args)
{
	static const char *const commands[] = { "show", NULL };
	const char *name;
	struct nl_msg *msg;
	json_t *all, *one;
	size_t i;

	command(args, "a command", commands, 0);
	name = args_next(args);
	args_end(args);
	msg = request_new(RDMACH_CMD_CONNECTION_GET, NLM_F_DUMP);
	if (name)
		nla_put_string(msg, RDMACH_A_CONNECTION_ENDPOINT, name);
	all = request_run(msg, &connection_object, "connection show", NULL);
	if (options.json) {
		if (!options.statistics)
			json_array_foreach(all, i, one)
				json_object_del(one, "stats");
		print_json(all);
		return;
	}
	json_array_foreach(all, i, one)
		print_connection(one);
	json_decref(all);
}
