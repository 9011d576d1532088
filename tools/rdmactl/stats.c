// SPDX-License-Identifier: GPL-2.0
/* rdmactl stats: show, reset. */
#include <stdio.h>

#include "rdmactl.h"

static void print(const json_t *stats)
{
	printf("%s:\n", member_string(stats, "endpoint"));
	print_stats(json_object_get(stats, "stats"));
}

static json_t *ask(uint8_t cmd, const char *name)
{
	char what[64];
	struct asking asking = { .what = what, .object = &stats_object };
	bool reset = cmd == RDMACH_CMD_STATS_RESET;
	struct nl_msg *msg;

	snprintf(what, sizeof(what), "stats %s%s%s", reset ? "reset" : "show",
		 name ? " " : "", name ? name : "");
	if (!name && !reset)
		return request_dump(cmd, &asking);
	msg = request_new(cmd, reset ? NLM_F_ACK : 0);
	if (name)
		request_string(msg, RDMACH_A_STATS_OF_NAME, name);
	return request_run(msg, &asking);
}

void do_stats(struct args *args)
{
	static const char *const commands[] = { "show", "reset", NULL };
	bool reset = args_choose(args, "command", commands, 0);
	const char *name = args->argc ? args_name(args) : NULL;

	args_end(args);
	if (reset)
		json_decref(ask(RDMACH_CMD_STATS_RESET, name));
	else
		print_all(ask(RDMACH_CMD_STATS_GET, name), print);
}
