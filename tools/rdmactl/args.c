// SPDX-License-Identifier: GPL-2.0
/* The words that follow a command. */
#include <stdio.h>
#include <string.h>

#include "rdmactl.h"

const char *args_next(struct args *args)
{
	if (!args->argc)
		return NULL;
	args->argc--;
	return *args->argv++;
}

const char *args_need(struct args *args, const char *what)
{
	const char *word = args_next(args);

	if (!word)
		fail(EXIT_USAGE, "%s is missing; see rdmactl -h", what);
	return word;
}

void args_end(struct args *args)
{
	if (args->argc)
		fail(EXIT_USAGE, "unexpected word '%s'; see rdmactl -h",
		     args->argv[0]);
}

static void list(const char *const *words, char *text, size_t size)
{
	size_t used = 0;

	for (; *words && used < size; words++)
		used += snprintf(text + used, size - used, "%s%s",
				 used ? ", " : "", *words);
}

int command(struct args *args, const char *object, const char *const *words,
	    int otherwise)
{
	const char *word = args_next(args);
	char known[256] = "";
	int found;

	if (!word && otherwise >= 0)
		return otherwise;
	list(words, known, sizeof(known));
	if (!word)
		fail(EXIT_USAGE, "%s is missing: %s", object, known);
	found = parse_keyword(word, words);
	if (found < 0)
		fail(EXIT_USAGE, "'%s' is %s: %s", word, found == -1 ?
		     "unknown" : "ambiguous", known);
	return found;
}
