// SPDX-License-Identifier: GPL-2.0
/* poll() and epoll, credits, and what may not wait. */
#include <sys/epoll.h>

#include "rdmach_test.h"

PAIR_FIXTURE(poll, "depth 4 buffer 4096", "depth 4 buffer 4096");

static int events(int fd, int timeout)
{
	struct pollfd p = { fd, POLLIN | POLLOUT | POLLRDHUP, 0 };

	poll(&p, 1, timeout);
	return p.revents;
}

static bool becomes(int fd, int mask, int want)
{
	return COMES_TRUE(1, (events(fd, 0) & mask) == want);
}

TEST_F(poll, idle_is_writable_and_not_readable)
{
	EXPECT_EQ(POLLOUT, events(self->a, 0));
	EXPECT_EQ(POLLOUT, events(self->b, 0));
}

TEST_F(poll, data_is_readable_until_it_is_read)
{
	char c;

	ASSERT_EQ(1, write(self->b, "x", 1));
	EXPECT_TRUE(becomes(self->a, POLLIN, POLLIN));
	EXPECT_EQ(1, read(self->a, &c, 1));
	EXPECT_EQ(0, events(self->a, 0) & POLLIN);
}

TEST_F(poll, a_reader_that_does_not_read_stops_only_its_writer)
{
	char buf[4096];
	int n, fd[2];

	fcntl(self->b, F_SETFL, O_RDWR | O_NONBLOCK);
	memset(buf, 1, sizeof(buf));
	/* Buffers become free when they are acknowledged: wait for those. */
	for (n = 0; n < 100 && becomes(self->b, POLLOUT, POLLOUT); n++)
		if (write(self->b, buf, sizeof(buf)) != sizeof(buf))
			break;
	EXPECT_EQ(4, n);
	EXPECT_EQ(-1, write(self->b, buf, 1));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_GT(counter("out", "credit_stalls"), 0);

	/* Another connection of the same endpoints is not concerned. */
	ASSERT_EQ(0, open_pair(fd));
	EXPECT_EQ(3, write(fd[1], "abc", 3));
	EXPECT_EQ(3, read(fd[0], buf, 3));
	close(fd[0]);
	close(fd[1]);

	for (n = 0; n < 4; n++)
		ASSERT_EQ(sizeof(buf), read_all(self->a, buf, sizeof(buf)));
	EXPECT_TRUE(becomes(self->b, POLLOUT, POLLOUT));
	EXPECT_EQ(1, write(self->b, buf, 1));
	EXPECT_EQ(0, counter("out", "completion_errors"));
}

TEST_F(poll, reading_nothing_without_waiting_gives_eagain)
{
	struct iovec v = { &(char){ 0 }, 1 };

	EXPECT_EQ(-1, preadv2(self->a, &v, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(EAGAIN, errno);
	fcntl(self->a, F_SETFL, O_RDWR | O_NONBLOCK);
	EXPECT_EQ(-1, read(self->a, v.iov_base, 1));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(poll, half_close_shows_as_rdhup)
{
	ASSERT_EQ(0, shut_wr(self->b));
	EXPECT_TRUE(becomes(self->a, POLLRDHUP | POLLIN, POLLRDHUP | POLLIN));
	EXPECT_EQ(0, events(self->a, 0) & (POLLHUP | POLLERR));
}

TEST_F(poll, close_shows_as_hup)
{
	close(self->b);
	self->b = -1;
	EXPECT_TRUE(becomes(self->a, POLLHUP | POLLIN, POLLHUP | POLLIN));
	EXPECT_EQ(0, events(self->a, 0) & POLLERR);
}

TEST_F(poll, a_broken_connection_shows_as_err)
{
	struct rdmach_query q;
	char c;

	ASSERT_EQ(0, shell("rdmactl endpoint del out"));
	EXPECT_TRUE(becomes(self->b, POLLERR, POLLERR));
	ASSERT_EQ(0, query(self->b, &q));
	EXPECT_EQ(RDMACH_CONN_BROKEN, q.state);
	EXPECT_EQ(ENXIO, q.error);
	EXPECT_STREQ("the endpoint was deleted", q.cause);
	EXPECT_EQ(-1, read(self->b, &c, 1));
	EXPECT_EQ(ENXIO, errno);
	EXPECT_EQ(-1, write(self->b, &c, 1));
	EXPECT_EQ(ENXIO, errno);
}

TEST_F(poll, edge_triggered_epoll_sees_each_arrival)
{
	struct epoll_event e = { EPOLLIN | EPOLLET, { 0 } };
	int ep = epoll_create1(0), i;
	char c;

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->a, &e));
	fcntl(self->a, F_SETFL, O_RDWR | O_NONBLOCK);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, write(self->b, "x", 1));
		ASSERT_EQ(1, epoll_wait(ep, &e, 1, 5000));
		/* Read until it would wait, as edge-triggered users must. */
		while (read(self->a, &c, 1) == 1)
			;
		ASSERT_EQ(EAGAIN, errno);
	}
	close(ep);
}

TEST_F(poll, a_waiting_reader_is_interruptible)
{
	int status;
	pid_t pid = fork();
	char c;

	if (!pid) {
		signal(SIGALRM, SIG_DFL);
		read(self->a, &c, 1);
		_exit(1);
	}
	usleep(200000);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(SIGKILL, WTERMSIG(status));
}

TEST_HARNESS_MAIN
