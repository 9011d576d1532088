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

const char *args_need(struct args *args, const char *what, const char *remedy)
{
	const char *word = args_next(args);

	if (!word)
		fail(EXIT_USAGE, "%s is missing; %s", what, remedy);
	return word;
}

const char *args_name(struct args *args)
{
	const char *name = args_need(args, "the name of the endpoint",
				     "see 'rdmactl help'");
	const char *wrong = parse_name(name);

	if (wrong)
		fail(EXIT_USAGE, "endpoint name '%s' %s", name, wrong);
	return name;
}

/* Before a word is said to be wrong. */
static void refuse_late_option(const char *word)
{
	if (word[0] == '-' && word[1])
		fail(EXIT_USAGE,
		     "'%s': options stand before the object, as in 'rdmactl -j endpoint show'",
		     word);
}

void args_end(struct args *args)
{
	if (!args->argc)
		return;
	refuse_late_option(args->argv[0]);
	fail(EXIT_USAGE, "'%s' is one word too many; see 'rdmactl help'",
	     args->argv[0]);
}

/* Appends them. */
static void list(const char *const *words, char *text, size_t size)
{
	size_t used = strlen(text);

	for (; *words && used < size; words++)
		used += snprintf(text + used, size - used, "%s%s", *words,
				 words[1] ? ", " : "");
}

int args_choose(struct args *args, const char *what, const char *const *words,
		int otherwise)
{
	char known[256] = "one of: ";
	const char *word;
	int found;

	if (!args->argc && otherwise >= 0)
		return otherwise;
	list(words, known, sizeof(known));
	word = args_need(args, what, known);
	found = parse_keyword(word, words);
	if (found >= 0)
		return found;
	refuse_late_option(word);
	if (found == -1)
		fail(EXIT_USAGE, "'%s' is no %s; %s", word, what, known);
	fail(EXIT_USAGE, "'%s' is ambiguous as %s; %s", word, what, known);
}
