// SPDX-License-Identifier: GPL-2.0
/* Ends in the middle of a transfer: both sides learn it, in time. */
#include "rdmach_test.h"

PAIR_FIXTURE(teardown, "depth 8 buffer 16K keepalive 1s linger 1s",
	     "depth 8 buffer 16K keepalive 1s linger 1s");

/* A process that writes for ever; exits with the errno that ends it. */
static pid_t start_writer(int fd, int other)
{
	static char buf[100000];
	pid_t pid = fork();

	if (pid)
		return pid;
	close(other);
	signal(SIGPIPE, SIG_IGN);
	while (write(fd, buf, sizeof(buf)) > 0)
		;
	_exit(errno);
}

/* And one that reads; exits with the errno, or 0 at the end of the stream. */
static pid_t start_reader(int fd, int other)
{
	static char buf[100000];
	pid_t pid = fork();
	ssize_t n;

	if (pid)
		return pid;
	close(other);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		;
	_exit(n ? errno : 0);
}

static int exit_of(pid_t pid)
{
	double end = now() + 3 + slack();
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (now() > end) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -2;
		}
		usleep(10000);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Wait until data flows, and close our own copies. */
static bool flowing(int *a, int *b)
{
	bool ok;

	close(*a);
	close(*b);
	*a = *b = -1;
	ok = COMES_TRUE(2, counter("in", "rx_messages") > 20);
	return ok;
}

TEST_F(teardown, deleting_the_writers_endpoint)
{
	pid_t w = start_writer(self->b, self->a), r = start_reader(self->a, self->b);
	double start;

	ASSERT_TRUE(flowing(&self->a, &self->b));
	start = now();
	ASSERT_EQ(0, shell("rdmactl endpoint del out"));
	EXPECT_LT(now() - start, 2 + slack());
	EXPECT_EQ(ENXIO, exit_of(w));
	EXPECT_EQ(ECONNRESET, exit_of(r));
}

TEST_F(teardown, deleting_the_readers_endpoint)
{
	pid_t w = start_writer(self->b, self->a), r = start_reader(self->a, self->b);

	ASSERT_TRUE(flowing(&self->a, &self->b));
	ASSERT_EQ(0, shell("rdmactl endpoint del in"));
	EXPECT_EQ(ENXIO, exit_of(r));
	EXPECT_EQ(ECONNRESET, exit_of(w));
}

TEST_F(teardown, killing_the_writer)
{
	pid_t w = start_writer(self->b, self->a), r = start_reader(self->a, self->b);

	ASSERT_TRUE(flowing(&self->a, &self->b));
	kill(w, SIGKILL);
	EXPECT_EQ(-1, exit_of(w));
	/* Its kernel closed for it: what it had written is read, then the end. */
	EXPECT_EQ(0, exit_of(r));
	EXPECT_TRUE(COMES_TRUE(2, shell_number("rdmactl -j connection | jq length") == 0));
}

TEST_F(teardown, killing_the_reader)
{
	pid_t w = start_writer(self->b, self->a), r = start_reader(self->a, self->b);

	ASSERT_TRUE(flowing(&self->a, &self->b));
	kill(r, SIGKILL);
	EXPECT_EQ(-1, exit_of(r));
	EXPECT_EQ(EPIPE, exit_of(w));
	EXPECT_TRUE(COMES_TRUE(2, shell_number("rdmactl -j connection | jq length") == 0));
}

TEST_F(teardown, killing_a_writer_that_waits_for_credit)
{
	pid_t w = start_writer(self->b, self->a);

	ASSERT_TRUE(COMES_TRUE(2, counter("out", "tx_messages") == 8));
	close(self->b);
	self->b = -1;
	kill(w, SIGKILL);
	EXPECT_EQ(-1, exit_of(w));
}

TEST_F(teardown, closing_both_at_once_is_in_order)
{
	int i, pair[2];

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, open_pair(pair));
		ASSERT_EQ(100, write(pair[0], (char[100]){ 0 }, 100));
		ASSERT_EQ(100, write(pair[1], (char[100]){ 0 }, 100));
		close(pair[0]);
		close(pair[1]);
	}
	EXPECT_TRUE(COMES_TRUE(2, shell_number("rdmactl -j connection | jq length") == 2));
	EXPECT_EQ(0, counter("in", "broken"));
	EXPECT_EQ(0, counter("out", "broken"));
}

/* Whoever has heard nothing for longer asks: mostly both sides in turns. */
static long long keepalives(void)
{
	return counter("in", "tx_keepalives") + counter("out", "tx_keepalives");
}

TEST_F(teardown, a_quiet_connection_lives_by_its_keepalives)
{
	char c;

	EXPECT_TRUE(COMES_TRUE(5, keepalives() >= 3));
	EXPECT_EQ(1, write(self->b, "x", 1));
	EXPECT_EQ(1, read(self->a, &c, 1));
	EXPECT_EQ(0, counter("out", "keepalive_timeouts"));
}

TEST_F(teardown, a_reader_that_does_not_read_is_not_taken_for_dead)
{
	pid_t w = start_writer(self->b, self->a);
	char buf[100];

	ASSERT_TRUE(COMES_TRUE(2, counter("out", "tx_messages") == 8));
	/* Longer than three keepalive intervals. */
	EXPECT_TRUE(COMES_TRUE(6, keepalives() >= 4));
	EXPECT_EQ(sizeof(buf), read(self->a, buf, sizeof(buf)));
	kill(w, SIGKILL);
	EXPECT_EQ(-1, exit_of(w));
	EXPECT_EQ(0, counter("out", "keepalive_timeouts"));
}

TEST_HARNESS_MAIN
