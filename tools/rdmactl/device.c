// SPDX-License-Identifier: GPL-2.0
/* rdmactl device show. */
#include <stdio.h>
#include <string.h>

#include "rdmactl.h"

void line_device(const json_t *d)
{
	json_t *netdev;
	size_t i;

	printf("%s: %s ports %lld active %lld", member_string(d, "name"),
	       member_string(d, "transport"), member_number(d, "ports"),
	       member_number(d, "active_ports"));
	json_array_foreach(json_object_get(d, "netdevs"), i, netdev) {
		printf(" netdev %s", json_string_value(netdev));
	}
	putchar('\n');
}

static void print(const json_t *d)
{
	line_device(d);
	printf("    connections %lld max-qp %lld max-qp-wr %lld max-cqe %lld\n",
	       member_number(d, "connections"), member_number(d, "max_qp"),
	       member_number(d, "max_qp_wr"), member_number(d, "max_cqe"));
}

void do_device(struct args *args)
{
	static const char *const commands[] = { "show", NULL };
	static const struct asking asking = {
		.what = "device show", .object = &device_object,
	};
	json_t *all, *one, *found = json_array();
	const char *name;
	size_t i;

	args_choose(args, "command", commands, 0);
	name = args_next(args);
	args_end(args);
	all = request_dump(RDMACH_CMD_DEVICE_GET, &asking);
	json_array_foreach(all, i, one) {
		if (!name || !strcmp(member_string(one, "name"), name))
			json_array_append(found, one);
	}
	json_decref(all);
	if (name && !json_array_size(found))
		fail(EXIT_ABSENT,
		     "device show %s: no such RDMA device; 'rdma link show' lists them, 'rdma link add' makes one",
		     name);
	print_all(found, print);
}
