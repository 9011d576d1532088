/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests in C share: two endpoints on this host, "in" that listens and
 * "out" that connects to it through the RDMA device's own address, which the
 * environment names in ADDR.
 */
#ifndef RDMACH_TEST_H
#define RDMACH_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/rdmach.h>

#include "kselftest_harness.h"

#define IN "/dev/rdmach/in"
#define OUT "/dev/rdmach/out"
#define PORT "7471"

/* Seconds by which slow machines may be late. */
static inline double slack(void)
{
	const char *slow = getenv("VM_SLOW");

	return 3.0 * (slow ? atof(slow) : 1);
}

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((format(printf, 1, 2)))
static inline int shell(const char *format, ...)
{
	char line[512];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* First number that a command prints; -1 if it prints none. */
__attribute__((format(printf, 1, 2)))
static inline long long shell_number(const char *format, ...)
{
	long long value = -1;
	char line[512];
	va_list args;
	FILE *pipe;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pipe = popen(line, "r");
	if (!pipe || fscanf(pipe, "%lld", &value) != 1)
		value = -1;
	if (pipe)
		pclose(pipe);
	return value;
}

static inline long long counter(const char *endpoint, const char *name)
{
	return shell_number("rdmactl -j stats show %s | jq .[0].stats.%s",
			    endpoint, name);
}

/* Does the condition come true within the slack plus @s seconds? */
#define COMES_TRUE(s, condition) ({					\
	double end_ = now() + (s) + slack();				\
	bool true_;							\
	while (!(true_ = (condition)) && now() < end_)			\
		usleep(20000);						\
	true_; })

static inline int add_in(const char *options)
{
	return shell("rdmactl endpoint add in listen $ADDR:" PORT " %s", options);
}

static inline int add_out(const char *options)
{
	return shell("rdmactl endpoint add out connect $ADDR:" PORT " %s",
		     options);
}

static inline void del_both(void)
{
	shell("rdmactl endpoint del in 2>/dev/null; rdmactl endpoint del out 2>/dev/null");
}

/* A pair that is connected: pair[0] listened, pair[1] dialed. */
static inline int open_pair(int pair[2])
{
	struct pollfd p;

	pair[0] = open(IN, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (pair[0] < 0)
		return -1;
	pair[1] = open(OUT, O_RDWR | O_CLOEXEC);
	if (pair[1] < 0)
		return -1;
	p = (struct pollfd){ pair[0], POLLOUT, 0 };
	if (poll(&p, 1, 10000) != 1 || !(p.revents & POLLOUT))
		return -1;
	return fcntl(pair[0], F_SETFL, O_RDWR);
}

static inline int query(int fd, struct rdmach_query *q)
{
	memset(q, 0, sizeof(*q));
	q->size = sizeof(*q);
	return ioctl(fd, RDMACH_IOC_QUERY, q);
}

static inline int shut_wr(int fd)
{
	struct rdmach_shutdown s = { sizeof(s), RDMACH_SHUT_WR };

	return ioctl(fd, RDMACH_IOC_SHUTDOWN, &s);
}

/* Read until @len bytes, the end of the stream or an error. */
static inline ssize_t read_all(int fd, void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = read(fd, (char *)buf + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !done)
			return -1;
		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

/* Bytes that show a loss, a repetition or a swap: a function of the offset. */
static inline void fill(void *buf, size_t len, uint64_t offset)
{
	unsigned char *c = buf;
	size_t i;

	for (i = 0; i < len; i++, offset++)
		c[i] = (offset * 0x9e3779b97f4a7c15ULL) >> 56;
}

static inline bool filled(const void *buf, size_t len, uint64_t offset)
{
	const unsigned char *c = buf;
	size_t i;

	for (i = 0; i < len; i++, offset++)
		if (c[i] != (unsigned char)((offset * 0x9e3779b97f4a7c15ULL) >> 56))
			return false;
	return true;
}

#define PAIR_FIXTURE(name, in_options, out_options)			\
FIXTURE(name) { int a, b; };						\
FIXTURE_SETUP(name)							\
{									\
	int pair[2];							\
	del_both();							\
	ASSERT_EQ(0, add_in(in_options));				\
	ASSERT_EQ(0, add_out(out_options));				\
	ASSERT_EQ(0, open_pair(pair));					\
	self->a = pair[0];						\
	self->b = pair[1];						\
}									\
FIXTURE_TEARDOWN(name)							\
{									\
	close(self->a);							\
	close(self->b);							\
	del_both();							\
}									\
struct name##_fixture_end

#endif /* RDMACH_TEST_H */
