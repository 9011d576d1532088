// SPDX-License-Identifier: GPL-2.0
/* rdmactl: options, objects, help. */
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
"SIZE: bytes, or with K or M. TIME: with us, ms, s or min.\n"
"\n"
"  -j  JSON        -p  indented JSON     -s  connection show: with counters\n"
"  -V  version     -h  this help\n"
"\n"
"Exit: 0 done, 1 usage, 2 refused by the kernel, 3 timed out,\n"
"      4 the module or the RDMA device is absent\n";

static void vcomplain(const char *format, va_list args)
{
	fprintf(stderr, "rdmactl: ");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
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

__attribute__((noreturn)) static void help(void)
{
	fputs(usage, stdout);
	exit(0);
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
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+jpsVh", longs, NULL)) != -1) {
		switch (c) {
		case 'j': options.json = true; break;
		case 'p': options.json = options.pretty = true; break;
		case 's': options.statistics = true; break;
		case 'V': puts("rdmactl " VERSION); exit(0);
		case 'h': help();
		default:
			fail(EXIT_USAGE, "unknown option '%s'; see rdmactl -h",
			     argv[optind - 1]);
		}
	}
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
	object = command(&args, "an object", objects, -1);
	if (!strcmp(objects[object], "help"))
		help();
	if (args.argc == 1 && !strcmp(args.argv[0], "help"))
		help();
	run[object](&args);
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_USAGE, "standard output: cannot write");
	return 0;
}
