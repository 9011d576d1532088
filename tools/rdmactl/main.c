// SPDX-License-Identifier: GPL-2.0
/* rdmactl: options, objects, help. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdmactl.h"

struct options options;

static const char usage[] =
"Usage: rdmactl [OPTIONS] OBJECT [COMMAND [ARGUMENTS]]\n"
"\n"
"  endpoint add NAME listen ADDR:PORT [OPTION...]\n"
"  endpoint add NAME connect ADDR:PORT [from ADDR] [OPTION...]\n"
"  endpoint del NAME\n"
"  endpoint show [NAME]\n"
"  connection show [ENDPOINT]\n"
"  stats show [ENDPOINT]\n"
"  stats reset [ENDPOINT]\n"
"  device show [DEVICE]\n"
"  monitor [all | endpoint | connection | device]\n"
"\n"
"OPTION of an endpoint: depth N, buffer SIZE, backlog N, max-connections N,\n"
"  mode OCTAL, owner USER, group GROUP, tos N, ack-timeout TIME,\n"
"  connect-timeout TIME, keepalive TIME, linger TIME\n"
"ADDR: 10.0.0.1, [fd00::1], [fe80::1%eth0]\n"
"SIZE: bytes, or with K or M. TIME: with us, ms, s or min.\n"
"\n"
"  -j  JSON        -p  indented JSON     -s  connection show: with counters\n"
"  -V  version     -h  this help\n"
"Words may be abbreviated.\n"
"\n"
"Exit: 0 done, 1 usage, 2 refused by the kernel, 3 timed out,\n"
"      4 the module or the RDMA device is absent\n";

static void vcomplain(const char *format, va_list args)
{
	char line[1024], *c;

	vsnprintf(line, sizeof(line), format, args);
	/* One line it stays, whatever was typed. */
	for (c = line; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	/* One write: lines of several programs do not mix. */
	fflush(stdout);
	dprintf(2, "rdmactl: %s\n", line);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vcomplain(format, args);
	va_end(args);
}

void fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vcomplain(format, args);
	va_end(args);
	exit(status);
}

void finish_output(void)
{
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_USAGE, "standard output: cannot write: %s",
		     strerror(errno));
}

static noreturn void help(void)
{
	fputs(usage, stdout);
	finish_output();
	exit(0);
}

static noreturn void version(void)
{
	puts("rdmactl " VERSION);
	finish_output();
	exit(0);
}

static noreturn void unknown_option(const char *word)
{
	/* Of several in one word optopt is the one. */
	if (optopt && strncmp(word, "--", 2))
		fail(EXIT_USAGE, "unknown option '-%c'; see 'rdmactl help'",
		     optopt);
	fail(EXIT_USAGE, "unknown option '%s'; see 'rdmactl help'", word);
}

static void parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "statistics", no_argument, NULL, 's' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, word;

	opterr = 0;
	for (;;) {
		word = optind;
		c = getopt_long(argc, argv, "+jpsVh", longs, NULL);
		switch (c) {
		case -1:
			return;
		case 'j':
			options.json = true;
			break;
		case 'p':
			options.json = true;
			options.pretty = true;
			break;
		case 's':
			options.statistics = true;
			break;
		case 'V':
			version();
		case 'h':
			help();
		default:
			unknown_option(argv[word]);
		}
	}
}

/* "help" as an object or command; "endpoint add help", where it is no name. */
static bool asks_for_help(const struct args *args)
{
	static const char *const add[] = { "add", NULL };

	if (args->argc && !strcmp(args->argv[0], "help"))
		return true;
	return args->argc == 2 && !strcmp(args->argv[1], "help") &&
	       !parse_keyword(args->argv[0], add);
}

int main(int argc, char **argv)
{
	static const char *const objects[] = {
		"endpoint", "connection", "stats", "device", "monitor", "help",
		NULL,
	};
	static void (*const run[])(struct args *args) = {
		do_endpoint, do_connection, do_stats, do_device, do_monitor,
	};
	struct args args;
	int object;

	parse_options(argc, argv);
	args.argc = argc - optind;
	args.argv = argv + optind;
	object = args_choose(&args, "object", objects, -1);
	if (!strcmp(objects[object], "help") || asks_for_help(&args))
		help();
	run[object](&args);
	finish_output();
	return 0;
}
