// SPDX-License-Identifier: GPL-2.0
/* JSON, or text for people. */
#include <stdio.h>
#include <string.h>

#include "rdmactl.h"

void print_json(json_t *value)
{
	json_dumpf(value, stdout, options.pretty ? JSON_INDENT(4) :
						   JSON_COMPACT);
	putchar('\n');
	json_decref(value);
}

void print_all(json_t *array, void (*print)(const json_t *object))
{
	json_t *one;
	size_t i;

	if (options.json) {
		print_json(array);
		return;
	}
	json_array_foreach(array, i, one) {
		print(one);
	}
	json_decref(array);
}

/* Those that are not 0; the rest are in the JSON. */
void print_stats(const json_t *stats)
{
	const char *key;
	json_t *value;
	bool any = false;

	json_object_foreach((json_t *)stats, key, value) {
		if (!json_integer_value(value))
			continue;
		printf("    %-20s %lld\n", key, json_integer_value(value));
		any = true;
	}
	if (!any)
		printf("    all counters are 0\n");
}

const char *text_size(json_int_t bytes, char text[TEXT_MAX])
{
	if (bytes >= 1 << 30)
		snprintf(text, TEXT_MAX, "%.1fG", bytes / 1073741824.0);
	else if (bytes >= 1 << 20)
		snprintf(text, TEXT_MAX, bytes % (1 << 20) ? "%.1fM" : "%.0fM",
			 bytes / 1048576.0);
	else
		format_size(bytes, text);
	return text;
}

const char *text_time(json_int_t ms, char text[TEXT_MAX])
{
	json_int_t s = ms / 1000;

	if (ms < 1000)
		snprintf(text, TEXT_MAX, "%lldms", ms);
	else if (s < 60)
		snprintf(text, TEXT_MAX, "%lld.%llds", s, ms % 1000 / 100);
	else if (s < 3600)
		snprintf(text, TEXT_MAX, "%lldmin%02llds", s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, TEXT_MAX, "%lldh%02lldmin", s / 3600,
			 s / 60 % 60);
	else
		snprintf(text, TEXT_MAX, "%lldd%02lldh", s / 86400,
			 s / 3600 % 24);
	return text;
}

const char *text_value(const struct attribute *a, uint64_t value,
		       char text[TEXT_MAX])
{
	if (a->kind == KIND_OCTAL)
		snprintf(text, TEXT_MAX, "%04llo", (unsigned long long)value);
	else if (a->unit == UNIT_BYTES)
		format_size(value, text);
	else if (a->unit == UNIT_US)
		format_us(value, text);
	else if (a->unit == UNIT_MS && value <= UINT64_MAX / 1000)
		format_us(value * 1000, text);
	else
		snprintf(text, TEXT_MAX, "%llu", (unsigned long long)value);
	return text;
}

const char *text_member(const struct object *o, int attr, const json_t *object,
			char text[TEXT_MAX])
{
	const struct attribute *a = &o->attributes[attr];

	return text_value(a, member_number(object, a->key), text);
}

const char *text_cause(const json_t *object)
{
	const char *cause = member_string(object, "cause");

	return *cause ? cause : strerror(member_number(object, "error"));
}
