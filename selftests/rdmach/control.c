// SPDX-License-Identifier: GPL-2.0
/* The netlink family: who may, what is refused, and what nonsense does. */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sched.h>

#include "rdmach_test.h"
#include <linux/rdmach_netlink.h>

struct request {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	char attrs[4000];
};

static void put(struct request *r, int type, const void *data, int len)
{
	struct nlattr *a = (void *)((char *)r + NLMSG_ALIGN(r->nlh.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memcpy((char *)a + NLA_HDRLEN, data, len);
	r->nlh.nlmsg_len = NLMSG_ALIGN(r->nlh.nlmsg_len) + NLA_ALIGN(a->nla_len);
}

static void begin(struct request *r, int family, int cmd, int flags)
{
	memset(r, 0, sizeof(*r));
	r->nlh.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	r->nlh.nlmsg_type = family;
	r->nlh.nlmsg_flags = NLM_F_REQUEST | flags;
	r->genl.cmd = cmd;
	r->genl.version = 1;
}

static int open_netlink(void)
{
	struct timeval timeout = { 3 * slack(), 0 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	return fd;
}

/* Send and take the first answer: its errno, 0 for an ack or data. */
static int ask(int fd, struct request *r, char *answer, int size)
{
	struct nlmsghdr *nlh = (void *)answer;
	int n;

	if (send(fd, r, r->nlh.nlmsg_len, 0) < 0)
		return errno;
	n = recv(fd, answer, size, 0);
	if (n < (int)sizeof(*nlh))
		return -1;
	if (nlh->nlmsg_type == NLMSG_ERROR)
		return -((struct nlmsgerr *)NLMSG_DATA(nlh))->error;
	return 0;
}

static int family_id(int fd)
{
	char answer[8192];
	struct request r;
	struct nlattr *a;
	char *at, *end;

	begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	put(&r, CTRL_ATTR_FAMILY_NAME, RDMACH_GENL_NAME, sizeof(RDMACH_GENL_NAME));
	if (ask(fd, &r, answer, sizeof(answer)))
		return -1;
	end = answer + ((struct nlmsghdr *)answer)->nlmsg_len;
	for (at = answer + NLMSG_HDRLEN + GENL_HDRLEN; at < end;
	     at += NLA_ALIGN(a->nla_len)) {
		a = (void *)at;
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			return *(uint16_t *)(at + NLA_HDRLEN);
	}
	return -1;
}

FIXTURE(control) { int fd, family; };

FIXTURE_SETUP(control)
{
	del_both();
	self->fd = open_netlink();
	self->family = family_id(self->fd);
	ASSERT_GT(self->family, 0);
}

FIXTURE_TEARDOWN(control)
{
	close(self->fd);
	del_both();
}

TEST_F(control, changes_need_cap_net_admin)
{
	int status;

	ASSERT_EQ(0, add_in(""));
	if (fork() == 0) {
		if (setgid(1000) || setuid(1000))
			_exit(1);
		if (shell("rdmactl endpoint del in 2>/dev/null") != 2)
			_exit(2);
		if (shell("rdmactl stats reset 2>/dev/null") != 2)
			_exit(3);
		if (shell("rdmactl endpoint add x listen $ADDR:7999 2>/dev/null") != 2)
			_exit(4);
		_exit(shell("rdmactl endpoint show in >/dev/null"));
	}
	wait(&status);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, shell("rdmactl endpoint show in > /dev/null"));
}

TEST_F(control, other_network_namespaces_see_nothing_and_change_nothing)
{
	int status;

	ASSERT_EQ(0, add_in(""));
	if (fork() == 0) {
		if (unshare(CLONE_NEWNET))
			_exit(1);
		if (shell("rdmactl endpoint show 2>&1 | grep -q 'initial network namespace'"))
			_exit(2);
		_exit(shell("rdmactl endpoint del in 2>/dev/null") != 2);
	}
	wait(&status);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, shell("rdmactl endpoint show in > /dev/null"));
}

TEST_F(control, unknown_commands_and_attributes_are_refused)
{
	char answer[8192];
	struct request r;
	int cmd;

	for (cmd = RDMACH_CMD_MAX; cmd < 256; cmd += 15) {
		begin(&r, self->family, cmd, NLM_F_ACK);
		EXPECT_EQ(EOPNOTSUPP, ask(self->fd, &r, answer, sizeof(answer)));
	}
	begin(&r, self->family, RDMACH_CMD_ENDPOINT_DEL, NLM_F_ACK);
	put(&r, 200, "x", 2);
	EXPECT_EQ(EINVAL, ask(self->fd, &r, answer, sizeof(answer)));
	begin(&r, self->family, RDMACH_CMD_ENDPOINT_DEL, NLM_F_ACK);
	EXPECT_EQ(EINVAL, ask(self->fd, &r, answer, sizeof(answer)));
	/* A letter, but not one of ours; it would be a file name. */
	begin(&r, self->family, RDMACH_CMD_ENDPOINT_ADD, NLM_F_ACK);
	put(&r, RDMACH_A_ENDPOINT_NAME, "caf\xe9", 5);
	put(&r, RDMACH_A_ENDPOINT_ROLE, &(uint32_t){ RDMACH_ROLE_CONNECT }, 4);
	EXPECT_EQ(EINVAL, ask(self->fd, &r, answer, sizeof(answer)));
	begin(&r, self->family, RDMACH_CMD_ENDPOINT_DEL, NLM_F_ACK);
	/* A name without its end. */
	put(&r, RDMACH_A_ENDPOINT_NAME, "abc", 3);
	EXPECT_EQ(EINVAL, ask(self->fd, &r, answer, sizeof(answer)));
}

/* Count-based and seeded: the same nonsense each time. */
TEST_F(control, nonsense_makes_nothing_and_breaks_nothing)
{
	static const int cmds[] = { RDMACH_CMD_ENDPOINT_ADD,
		RDMACH_CMD_ENDPOINT_DEL, RDMACH_CMD_ENDPOINT_GET,
		RDMACH_CMD_CONNECTION_GET, RDMACH_CMD_STATS_GET,
		RDMACH_CMD_STATS_RESET, RDMACH_CMD_DEVICE_GET };
	unsigned char junk[64];
	char answer[65536];
	struct request r;
	unsigned int i, j, n, k;

	srandom(1);
	ASSERT_EQ(0, add_in(""));
	for (i = 0; i < 3000; i++) {
		begin(&r, self->family, cmds[random() % 7],
		      NLM_F_ACK | (random() % 4 ? 0 : NLM_F_DUMP));
		n = random() % 12;
		for (j = 0; j < n; j++) {
			for (k = 0; k < sizeof(junk); k++)
				junk[k] = random() % 3 ? random() : 0;
			put(&r, random() % 32 | (random() % 3 ? 0 : NLA_F_NESTED),
			    junk, random() % 3 ? 4 : random() % sizeof(junk));
		}
		ask(self->fd, &r, answer, sizeof(answer));
		while (recv(self->fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	}
	EXPECT_EQ(0, shell("rdmactl endpoint show in > /dev/null"));
	EXPECT_EQ(1, shell_number("rdmactl -j endpoint show | jq length"));
}

TEST_F(control, a_long_dump_has_every_object_once)
{
	/* A nest: 10.0.0.9, port 7. */
	static const unsigned char peer[] = {
		8, 0, RDMACH_A_ADDR_IPV4, 0, 10, 0, 0, 9,
		6, 0, RDMACH_A_ADDR_PORT, 0, 7, 0, 0, 0,
	};
	uint32_t role = RDMACH_ROLE_CONNECT;
	char answer[8192], name[32];
	struct request r;
	int i;

	for (i = 0; i < 120; i++) {
		sprintf(name, "many%d", i);
		begin(&r, self->family, RDMACH_CMD_ENDPOINT_ADD, NLM_F_ACK);
		put(&r, RDMACH_A_ENDPOINT_NAME, name, strlen(name) + 1);
		put(&r, RDMACH_A_ENDPOINT_ROLE, &role, sizeof(role));
		put(&r, RDMACH_A_ENDPOINT_PEER | NLA_F_NESTED, peer, sizeof(peer));
		ASSERT_EQ(0, ask(self->fd, &r, answer, sizeof(answer)));
	}
	EXPECT_EQ(120, shell_number("rdmactl -j endpoint show | jq '[.[].name]|unique|length'"));
	EXPECT_EQ(120, shell_number("rdmactl -j stats show | jq '[.[].endpoint]|unique|length'"));
	for (i = 0; i < 120; i++) {
		sprintf(name, "many%d", i);
		begin(&r, self->family, RDMACH_CMD_ENDPOINT_DEL, NLM_F_ACK);
		put(&r, RDMACH_A_ENDPOINT_NAME, name, strlen(name) + 1);
		EXPECT_EQ(0, ask(self->fd, &r, answer, sizeof(answer)));
	}
}

TEST_F(control, reset_sets_counters_to_zero_and_no_more)
{
	int pair[2];
	char c;

	ASSERT_EQ(0, add_in(""));
	ASSERT_EQ(0, add_out(""));
	ASSERT_EQ(0, open_pair(pair));
	ASSERT_EQ(1, write(pair[1], "x", 1));
	ASSERT_EQ(1, read(pair[0], &c, 1));
	EXPECT_EQ(1, counter("out", "tx_bytes"));
	EXPECT_EQ(1, counter("in", "rx_bytes"));
	ASSERT_EQ(0, shell("rdmactl stats reset out"));
	EXPECT_EQ(0, counter("out", "tx_bytes"));
	EXPECT_EQ(0, counter("out", "connects"));
	EXPECT_EQ(1, counter("in", "rx_bytes"));
	ASSERT_EQ(1, write(pair[1], "x", 1));
	ASSERT_EQ(1, read(pair[0], &c, 1));
	EXPECT_EQ(1, counter("out", "tx_bytes"));
	EXPECT_EQ(2, shell("rdmactl stats reset nobody 2>/dev/null"));
	close(pair[0]);
	close(pair[1]);
	/* The sums outlive the connection. */
	EXPECT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection | jq length") == 0));
	EXPECT_EQ(1, counter("out", "tx_bytes"));
	EXPECT_EQ(2, counter("in", "rx_bytes"));
}

TEST_HARNESS_MAIN
