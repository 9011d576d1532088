// SPDX-License-Identifier: GPL-2.0
/* rdmactl monitor: what happens, as it happens, one line or object each. */
#include <stdio.h>
#include <time.h>
#include <netlink/genl/genl.h>

#include "rdmactl.h"

static const struct event {
	const char *name;
	const struct object *object;
	void (*line)(const json_t *object);
} events[RDMACH_CMD_MAX + 1] = {
	[RDMACH_CMD_ENDPOINT_ADD_NTF] = {
		"endpoint_add", &endpoint_object, line_endpoint,
	},
	[RDMACH_CMD_ENDPOINT_DEL_NTF] = {
		"endpoint_del", &endpoint_object, line_endpoint,
	},
	[RDMACH_CMD_ENDPOINT_CHANGE_NTF] = {
		"endpoint_change", &endpoint_object, line_endpoint,
	},
	[RDMACH_CMD_CONNECTION_ADD_NTF] = {
		"connection_add", &connection_object, line_connection,
	},
	[RDMACH_CMD_CONNECTION_DEL_NTF] = {
		"connection_del", &connection_object, line_connection,
	},
	[RDMACH_CMD_CONNECTION_CHANGE_NTF] = {
		"connection_change", &connection_object, line_connection,
	},
	[RDMACH_CMD_DEVICE_ADD_NTF] = {
		"device_add", &device_object, line_device,
	},
	[RDMACH_CMD_DEVICE_DEL_NTF] = {
		"device_del", &device_object, line_device,
	},
};

static const struct object *only;

/* In JSON with the zone, for a reader elsewhere or later. */
static void stamp(char *text, size_t size)
{
	struct timespec now;
	struct tm tm;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	len = strftime(text, size, "%FT%T", &tm);
	len += snprintf(text + len, size - len, ".%06ld", now.tv_nsec / 1000);
	if (options.json)
		strftime(text + len, size - len, "%z", &tm);
}

/* Takes the reference. */
static void print_event(const char *name, json_t *object,
			void (*line)(const json_t *object))
{
	char time[64];

	stamp(time, sizeof(time));
	if (options.json) {
		print_json(json_pack("{s:s, s:s, s:o}", "time", time, "event",
				     name, "object", object));
	} else {
		printf("%s %s ", time, name);
		line(object);
		json_decref(object);
	}
	finish_output();
}

static void line_lost(const json_t *object)
{
	(void)object;
	puts("some");
}

static void notified(struct nlmsghdr *nlh)
{
	const struct event *event;
	uint8_t cmd;

	if (!nlh) {
		complain("monitor: events were lost: %s; %s",
			 "this program, or its reader, is too slow",
			 "'rdmactl endpoint show' tells how things stand");
		print_event("events_lost", json_object(), line_lost);
		return;
	}
	cmd = ((struct genlmsghdr *)nlmsg_data(nlh))->cmd;
	if (cmd > RDMACH_CMD_MAX || !events[cmd].name)
		return;
	event = &events[cmd];
	if (!only || only == event->object)
		print_event(event->name, object_from_message(event->object, nlh),
			    event->line);
}

void do_monitor(struct args *args)
{
	static const char *const words[] = {
		"all", "endpoint", "connection", "device", NULL,
	};
	static const struct object *const objects[] = {
		NULL, &endpoint_object, &connection_object, &device_object,
	};

	only = objects[args_choose(args, "kind of event", words, 0)];
	args_end(args);
	/* An event is a line. */
	options.pretty = false;
	setvbuf(stdout, NULL, _IOLBF, 0);
	notifications_run(notified);
}
