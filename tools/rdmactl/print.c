// SPDX-License-Identifier: GPL-2.0
/* JSON, or text for people. */
#include <stdio.h>

#include "rdmactl.h"

void print_json(json_t *value)
{
	json_dumpf(value, stdout, options.pretty ? JSON_INDENT(4) :
						   JSON_COMPACT);
	putchar('\n');
	json_decref(value);
}

/* Those that are not 0; the rest are in the JSON. */
void print_stats(const json_t *stats, const char *indent)
{
	const char *key;
	json_t *value;
	bool any = false;

	json_object_foreach((json_t *)stats, key, value) {
		if (!json_integer_value(value))
			continue;
		printf("%s%-20s %lld\n", indent, key, json_integer_value(value));
		any = true;
	}
	if (!any)
		printf("%sall counters are 0\n", indent);
}

const char *text_size(json_int_t bytes, char *text, size_t size)
{
	if (bytes >= 1 << 20)
		snprintf(text, size, bytes % (1 << 20) ? "%.1fM" : "%.0fM",
			 bytes / 1048576.0);
	else if (bytes >= 1 << 10 && bytes % (1 << 10) == 0)
		snprintf(text, size, "%lldK", bytes >> 10);
	else
		snprintf(text, size, "%lld", bytes);
	return text;
}

const char *text_time(json_int_t ms, char *text, size_t size)
{
	if (ms < 1000)
		snprintf(text, size, "%lldms", ms);
	else if (ms % 1000 && ms < 60000)
		snprintf(text, size, "%.1fs", ms / 1000.0);
	else
		snprintf(text, size, "%llds", ms / 1000);
	return text;
}
