// SPDX-License-Identifier: GPL-2.0
/* rdmactl stats: show, reset. */
#include <stdio.h>
#include <netlink/attr.h>

#include "rdmactl.h"

static void show(struct args *args)
{
	const char *name = args_next(args);
	struct nl_msg *msg;
	json_t *all, *one;
	size_t i;

	args_end(args);
	if (name) {
		msg = request_new(RDMACH_CMD_STATS_GET, 0);
		nla_put_string(msg, RDMACH_A_STATS_OF_NAME, name);
		all = request_run(msg, &stats_object, "stats show", NULL);
	} else {
		all = request_dump(RDMACH_CMD_STATS_GET, &stats_object);
	}
	if (options.json) {
		print_json(all);
		return;
	}
	json_array_foreach(all, i, one) {
		printf("%s:\n", member_string(one, "endpoint"));
		print_stats(json_object_get(one, "stats"), "    ");
	}
	json_decref(all);
}

static void reset(struct args *args)
{
	const char *name = args_next(args);
	struct nl_msg *msg;

	args_end(args);
	msg = request_new(RDMACH_CMD_STATS_RESET, NLM_F_ACK);
	if (name)
		nla_put_string(msg, RDMACH_A_STATS_OF_NAME, name);
	json_decref(request_run(msg, &stats_object, "stats reset", NULL));
}

void do_stats(struct args *args)
{
	static const char *const commands[] = { "show", "reset", NULL };

	if (command(args, "a command", commands, 0))
		reset(args);
	else
		show(args);
}
