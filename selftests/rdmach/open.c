// SPDX-License-Identifier: GPL-2.0
/* open(): dialing, accepting, and how each fails. */
#include "rdmach_test.h"

FIXTURE(open) {};

FIXTURE_SETUP(open)
{
	del_both();
}

FIXTURE_TEARDOWN(open)
{
	del_both();
}

static int last_errno(int fd)
{
	struct rdmach_query q;

	return query(fd, &q) ? -1 : (int)q.error;
}

TEST_F(open, node_has_mode_and_owner_of_the_options)
{
	struct stat s;

	ASSERT_EQ(0, add_in("mode 0640 owner 1 group daemon"));
	ASSERT_EQ(0, stat(IN, &s));
	EXPECT_TRUE(S_ISCHR(s.st_mode));
	EXPECT_EQ(0640, s.st_mode & 0777);
	EXPECT_EQ(1, s.st_uid);
	EXPECT_EQ(1, s.st_gid);
	ASSERT_EQ(0, shell("rdmactl endpoint del in"));
	EXPECT_EQ(-1, stat(IN, &s));
	EXPECT_EQ(ENOENT, errno);
}

TEST_F(open, default_node_is_for_root_only)
{
	struct stat s;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, stat(IN, &s));
	EXPECT_EQ(0600, s.st_mode & 0777);
	EXPECT_EQ(0, s.st_uid);
	EXPECT_EQ(0, s.st_gid);
}

TEST_F(open, an_unprivileged_user_needs_no_more_than_the_node)
{
	int status, pair[2];
	char c;

	ASSERT_EQ(0, add_in("mode 0600 owner 1000"));
	ASSERT_EQ(0, add_out("mode 0600 owner 1000"));
	if (fork() == 0) {
		if (setgid(1000) || setuid(1000) || open_pair(pair))
			_exit(1);
		_exit(write(pair[0], "x", 1) != 1 || read(pair[1], &c, 1) != 1);
	}
	wait(&status);
	EXPECT_EQ(0, status);
	if (fork() == 0) {
		if (setgid(1001) || setuid(1001))
			_exit(1);
		_exit(open(OUT, O_RDWR) != -1 || errno != EACCES);
	}
	wait(&status);
	EXPECT_EQ(0, status);
}

TEST_F(open, dialing_without_a_listener_gives_econnrefused)
{
	double start = now();

	ASSERT_EQ(0, add_out("connect-timeout 5s"));
	EXPECT_EQ(-1, open(OUT, O_RDWR));
	EXPECT_EQ(ECONNREFUSED, errno);
	EXPECT_LT(now() - start, 5);
	EXPECT_EQ(1, counter("out", "connect_failures"));
	EXPECT_EQ(0, shell("rdmactl endpoint show out | grep -q 'last error.*refused'"));
}

TEST_F(open, dialing_a_listener_that_nobody_opens_gives_etimedout)
{
	double start = now(), took;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, add_out("connect-timeout 800ms"));
	start = now();
	EXPECT_EQ(-1, open(OUT, O_RDWR));
	EXPECT_EQ(ETIMEDOUT, errno);
	took = now() - start;
	EXPECT_GT(took, 0.79);
	EXPECT_LT(took, 0.8 + slack());
	EXPECT_EQ(1, counter("out", "connect_timeouts"));
}

TEST_F(open, dialing_an_address_that_is_not_there_ends_within_the_time)
{
	double start;

	ASSERT_EQ(0, shell("rdmactl endpoint add out connect 10.0.0.77:7471 connect-timeout 700ms"));
	start = now();
	EXPECT_EQ(-1, open(OUT, O_RDWR));
	EXPECT_TRUE(errno == ETIMEDOUT || errno == EHOSTUNREACH);
	EXPECT_LT(now() - start, 0.7 + slack());
}

TEST_F(open, dialing_where_no_route_leads_fails_at_once)
{
	double start;

	ASSERT_EQ(0, shell("rdmactl endpoint add out connect 203.0.113.9:7471"));
	start = now();
	EXPECT_EQ(-1, open(OUT, O_RDWR));
	EXPECT_EQ(EHOSTUNREACH, errno);
	EXPECT_LT(now() - start, slack());
}

static void on_alarm(int signal)
{
}

TEST_F(open, a_signal_interrupts_dialing)
{
	struct sigaction action = { .sa_handler = on_alarm };
	double start = now();

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, add_out("connect-timeout 60s"));
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	EXPECT_EQ(-1, open(OUT, O_RDWR));
	EXPECT_EQ(EINTR, errno);
	alarm(1);
	EXPECT_EQ(-1, open(IN, O_RDWR));
	EXPECT_EQ(EINTR, errno);
	EXPECT_LT(now() - start, 2 + slack());
	/* Nothing of either is left. */
	EXPECT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection | jq length") == 0));
}

TEST_F(open, a_kill_ends_a_waiting_open)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, add_in(""));
	pid = fork();
	if (!pid)
		_exit(open(IN, O_RDWR));
	ASSERT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection | jq length") == 1));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(SIGKILL, WTERMSIG(status));
	EXPECT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection | jq length") == 0));
}

TEST_F(open, nonblocking_dial_turns_writable)
{
	struct pollfd p;
	int in, out;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, add_out(""));
	out = open(OUT, O_RDWR | O_NONBLOCK);
	ASSERT_GE(out, 0);
	p = (struct pollfd){ out, POLLOUT, 0 };
	EXPECT_EQ(0, poll(&p, 1, 200));
	EXPECT_EQ(-1, write(out, "x", 1));
	EXPECT_EQ(EAGAIN, errno);
	in = open(IN, O_RDWR | O_NONBLOCK);
	ASSERT_GE(in, 0);
	EXPECT_EQ(1, poll(&p, 1, 8000));
	EXPECT_EQ(POLLOUT, p.revents);
	EXPECT_EQ(1, write(out, "x", 1));
	p = (struct pollfd){ in, POLLIN, 0 };
	EXPECT_EQ(1, poll(&p, 1, 8000));
	close(in);
	close(out);
}

TEST_F(open, nonblocking_dial_that_fails_turns_pollerr_with_the_cause)
{
	struct rdmach_query q;
	struct pollfd p;
	int out;
	char c;

	ASSERT_EQ(0, add_out(""));
	out = open(OUT, O_RDWR | O_NONBLOCK);
	ASSERT_GE(out, 0);
	p = (struct pollfd){ out, POLLOUT, 0 };
	ASSERT_EQ(1, poll(&p, 1, 8000));
	EXPECT_TRUE(p.revents & POLLERR);
	EXPECT_EQ(-1, write(out, "x", 1));
	EXPECT_EQ(ECONNREFUSED, errno);
	EXPECT_EQ(-1, read(out, &c, 1));
	EXPECT_EQ(ECONNREFUSED, errno);
	ASSERT_EQ(0, query(out, &q));
	EXPECT_EQ(RDMACH_CONN_BROKEN, q.state);
	EXPECT_NE(0, strlen(q.cause));
	close(out);
}

TEST_F(open, waiting_opens_are_served_in_order)
{
	int in[3], out[3], i;
	char c;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, add_out(""));
	for (i = 0; i < 3; i++)
		in[i] = open(IN, O_RDWR | O_NONBLOCK);
	for (i = 0; i < 3; i++) {
		out[i] = open(OUT, O_RDWR);
		ASSERT_GE(out[i], 0);
		ASSERT_EQ(1, write(out[i], "abc" + i, 1));
	}
	for (i = 0; i < 3; i++) {
		struct pollfd p = { in[i], POLLIN, 0 };

		ASSERT_EQ(1, poll(&p, 1, 8000));
		EXPECT_EQ(1, read(in[i], &c, 1));
		EXPECT_EQ("abc"[i], c);
		close(in[i]);
		close(out[i]);
	}
}

TEST_F(open, waiting_peers_are_served_in_order)
{
	int in, out[3], i;
	char c;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, add_out(""));
	for (i = 0; i < 3; i++) {
		out[i] = open(OUT, O_RDWR | O_NONBLOCK);
		ASSERT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j endpoint show in | jq .[0].queued") == i + 1));
	}
	for (i = 0; i < 3; i++) {
		struct pollfd p = { out[i], POLLOUT, 0 };

		in = open(IN, O_RDWR);
		ASSERT_GE(in, 0);
		ASSERT_EQ(1, poll(&p, 1, 8000));
		ASSERT_EQ(1, write(out[i], "abc" + i, 1));
		EXPECT_EQ(1, read(in, &c, 1));
		EXPECT_EQ("abc"[i], c);
		close(in);
	}
	for (i = 0; i < 3; i++)
		close(out[i]);
}

TEST_F(open, peers_beyond_backlog_are_refused_with_the_reason)
{
	int first;

	ASSERT_EQ(0, add_in("backlog 1"));
	ASSERT_EQ(0, add_out(""));
	first = open(OUT, O_RDWR | O_NONBLOCK);
	ASSERT_GE(first, 0);
	ASSERT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j endpoint show in | jq .[0].queued") == 1));
	EXPECT_EQ(-1, open(OUT, O_RDWR));
	EXPECT_EQ(ECONNREFUSED, errno);
	EXPECT_EQ(1, counter("in", "refused_backlog"));
	EXPECT_EQ(0, shell("rdmactl endpoint show out | grep -q 'backlog is full'"));
	close(first);
}

TEST_F(open, a_peer_that_waits_too_long_is_let_go)
{
	int out;

	ASSERT_EQ(0, add_in("connect-timeout 500ms"));
	ASSERT_EQ(0, add_out("connect-timeout 60s"));
	out = open(OUT, O_RDWR | O_NONBLOCK);
	ASSERT_GE(out, 0);
	EXPECT_TRUE(COMES_TRUE(1, last_errno(out) == ECONNREFUSED));
	EXPECT_EQ(1, counter("in", "expired"));
	EXPECT_EQ(0, shell("rdmactl endpoint show out | grep -q 'nobody opened'"));
	close(out);
}

TEST_F(open, a_dialer_that_leaves_is_forgotten)
{
	int out;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, add_out(""));
	out = open(OUT, O_RDWR | O_NONBLOCK);
	ASSERT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j endpoint show in | jq .[0].queued") == 1));
	close(out);
	EXPECT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j endpoint show in | jq .[0].queued") == 0));
}

TEST_F(open, more_than_max_connections_gives_eagain)
{
	int fd;

	ASSERT_EQ(0, add_in("max-connections 1"));
	fd = open(IN, O_RDWR | O_NONBLOCK);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-1, open(IN, O_RDWR | O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	close(fd);
	fd = open(IN, O_RDWR | O_NONBLOCK);
	EXPECT_GE(fd, 0);
	close(fd);
}

TEST_F(open, a_node_of_a_deleted_endpoint_gives_enxio)
{
	struct stat s;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, stat(IN, &s));
	unlink("/tmp/node");
	ASSERT_EQ(0, mknod("/tmp/node", S_IFCHR | 0600, s.st_rdev));
	ASSERT_EQ(0, shell("rdmactl endpoint del in"));
	EXPECT_EQ(-1, open("/tmp/node", O_RDWR));
	EXPECT_EQ(ENXIO, errno);
	unlink("/tmp/node");
}

TEST_F(open, deleting_the_endpoint_ends_a_waiting_open)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, add_in(""));
	pid = fork();
	if (!pid)
		_exit(open(IN, O_RDWR) == -1 ? errno : 0);
	ASSERT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection | jq length") == 1));
	ASSERT_EQ(0, shell("rdmactl endpoint del in"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(ENXIO, WEXITSTATUS(status));
}

/* Openers of both ends at every stage while the endpoints come and go. */
TEST_F_TIMEOUT(open, deleting_while_many_open, 100)
{
	pid_t pid[4];
	int i, fd, status;

	for (i = 0; i < 4; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		for (;;) {
			fd = open(i % 2 ? IN : OUT, O_RDWR | O_NONBLOCK);
			if (fd >= 0)
				close(fd);
			/* Leave the processors to the other side. */
			usleep(1000);
		}
	}
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(0, add_in(""));
		EXPECT_EQ(0, add_out("connect-timeout 1s"));
		usleep(i * 8000);
		EXPECT_EQ(0, shell("rdmactl endpoint del %s", i % 2 ? "in" : "out"));
		EXPECT_EQ(0, shell("rdmactl endpoint del %s", i % 2 ? "out" : "in"));
	}
	for (i = 0; i < 4; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], &status, 0);
	}
	EXPECT_TRUE(COMES_TRUE(2, shell_number("rdmactl -j connection | jq length") == 0));
}

TEST_F(open, a_hundred_connections_one_after_another_leave_nothing)
{
	int pair[2], i;
	char c;

	ASSERT_EQ(0, add_in("depth 2 buffer 256"));
	ASSERT_EQ(0, add_out("depth 2 buffer 256"));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, open_pair(pair)) {
			TH_LOG("connection %d", i);
		}
		ASSERT_EQ(1, write(pair[1], "x", 1));
		ASSERT_EQ(1, read(pair[0], &c, 1));
		close(pair[i % 2]);
		close(pair[1 - i % 2]);
	}
	EXPECT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection | jq length") == 0));
	EXPECT_EQ(0, counter("in", "broken"));
	EXPECT_EQ(0, counter("out", "broken"));
	EXPECT_EQ(100, counter("in", "accepts"));
	EXPECT_EQ(100, counter("out", "connects"));
}

TEST_HARNESS_MAIN
