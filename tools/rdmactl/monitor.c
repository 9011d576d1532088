// SPDX-License-Identifier: GPL-2.0
/* rdmactl monitor: what happens, as it happens, one line or object each. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <netlink/genl/genl.h>

#include "rdmactl.h"

static const struct event {
	const char *name;
	const struct object *object;
	void (*print)(const json_t *object);
} events[RDMACH_CMD_MAX + 1] = {
	[RDMACH_CMD_ENDPOINT_ADD_NTF] =
		{ "endpoint_add", &endpoint_object, print_endpoint },
	[RDMACH_CMD_ENDPOINT_DEL_NTF] =
		{ "endpoint_del", &endpoint_object, print_endpoint },
	[RDMACH_CMD_ENDPOINT_CHANGE_NTF] =
		{ "endpoint_change", &endpoint_object, print_endpoint },
	[RDMACH_CMD_CONNECTION_ADD_NTF] =
		{ "connection_add", &connection_object, print_connection },
	[RDMACH_CMD_CONNECTION_DEL_NTF] =
		{ "connection_del", &connection_object, print_connection },
	[RDMACH_CMD_CONNECTION_CHANGE_NTF] =
		{ "connection_change", &connection_object, print_connection },
	[RDMACH_CMD_DEVICE_ADD_NTF] =
		{ "device_add", &device_object, print_device },
	[RDMACH_CMD_DEVICE_DEL_NTF] =
		{ "device_del", &device_object, print_device },
};

static const struct object *only;

static void stop(int signal)
{
	/* Only to interrupt the wait. */
	(void)signal;
}

static void stamp(char *text, size_t size)
{
	struct timespec now;
	struct tm tm;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	len = strftime(text, size, "%FT%T", &tm);
	snprintf(text + len, size - len, ".%03ld", now.tv_nsec / 1000000);
}

static void print_event(struct nlmsghdr *nlh)
{
	struct genlmsghdr *genl = nlmsg_data(nlh);
	const struct event *event;
	char time[64];
	json_t *object;

	if (genl->cmd > RDMACH_CMD_MAX || !events[genl->cmd].name)
		return;
	event = &events[genl->cmd];
	if (only && only != event->object)
		return;
	object = object_from_message(event->object, nlh);
	stamp(time, sizeof(time));
	if (options.json) {
		print_json(json_pack("{s:s, s:s, s:o}", "time", time, "event",
				     event->name, "object", object));
	} else {
		printf("%s %s ", time, event->name);
		event->print(object);
		json_decref(object);
	}
	if (fflush(stdout))
		exit(EXIT_USAGE);
}

void do_monitor(struct args *args)
{
	static const char *const words[] = {
		"all", "endpoint", "connection", "device", NULL,
	};
	static const struct object *const objects[] = {
		NULL, &endpoint_object, &connection_object, &device_object,
	};
	/* Without SA_RESTART, so that the wait ends. */
	struct sigaction action = { .sa_handler = stop };

	only = objects[command(args, "what to monitor", words, 0)];
	args_end(args);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	notifications_run(print_event);
}
