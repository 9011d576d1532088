// SPDX-License-Identifier: GPL-2.0
/* The ioctls' contract, and what the node is not. */
#include <sys/mman.h>

#include "rdmach_test.h"

PAIR_FIXTURE(ioctl, "depth 4 buffer 1000", "depth 8 buffer 4096");

TEST_F(ioctl, query_tells_both_ends_of_one_connection)
{
	struct rdmach_query a, b;

	ASSERT_EQ(0, query(self->a, &a));
	ASSERT_EQ(0, query(self->b, &b));
	EXPECT_EQ(sizeof(a), a.size);
	EXPECT_EQ(RDMACH_ABI_VERSION, a.abi_version);
	EXPECT_EQ(RDMACH_ROLE_LISTEN, a.role);
	EXPECT_EQ(RDMACH_ROLE_CONNECT, b.role);
	EXPECT_EQ(RDMACH_CONN_ESTABLISHED, a.state);
	EXPECT_EQ(RDMACH_CONN_ESTABLISHED, b.state);
	EXPECT_EQ(0, memcmp(a.conn_id, b.conn_id, sizeof(a.conn_id)));
	EXPECT_NE(a.handle, b.handle);
	EXPECT_STREQ("in", a.endpoint);
	EXPECT_STREQ("out", b.endpoint);
	/* 1000 is rounded up to a multiple of 64. */
	EXPECT_EQ(1024, a.buffer_size);
	EXPECT_EQ(1024, b.peer_buffer_size);
	EXPECT_EQ(4096, a.peer_buffer_size);
	EXPECT_EQ(4, b.peer_depth);
	EXPECT_EQ(8, a.peer_depth);
	EXPECT_EQ(AF_INET, a.local.family);
	EXPECT_EQ(7471, a.local.port);
	EXPECT_EQ(7471, b.peer.port);
	EXPECT_EQ(a.peer.port, b.local.port);
	EXPECT_EQ(0, a.error);
	EXPECT_STREQ("", a.cause);
}

TEST_F(ioctl, query_minds_its_size)
{
	struct {
		struct rdmach_query q;
		uint64_t later;
	} big = { .later = 0 };
	struct rdmach_query q = { .size = 8 };

	EXPECT_EQ(-1, ioctl(self->a, RDMACH_IOC_QUERY, &q));
	EXPECT_EQ(EINVAL, errno);
	big.q.size = sizeof(big);
	EXPECT_EQ(0, ioctl(self->a, RDMACH_IOC_QUERY, &big));
	EXPECT_EQ(sizeof(q), big.q.size);
	memset(&big, 0, sizeof(big));
	big.q.size = sizeof(big);
	big.later = 1;
	EXPECT_EQ(-1, ioctl(self->a, RDMACH_IOC_QUERY, &big));
	EXPECT_EQ(E2BIG, errno);
	q = (struct rdmach_query){ .size = sizeof(q), .flags = 1 };
	EXPECT_EQ(-1, ioctl(self->a, RDMACH_IOC_QUERY, &q));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->a, RDMACH_IOC_QUERY, (void *)8));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(ioctl, shutdown_minds_its_argument)
{
	struct rdmach_shutdown s = { sizeof(s), 0 };

	EXPECT_EQ(-1, ioctl(self->a, RDMACH_IOC_SHUTDOWN, &s));
	EXPECT_EQ(EINVAL, errno);
	s = (struct rdmach_shutdown){ 4, RDMACH_SHUT_WR };
	EXPECT_EQ(-1, ioctl(self->a, RDMACH_IOC_SHUTDOWN, &s));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->a, RDMACH_IOC_SHUTDOWN, (void *)8));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(ioctl, shutdown_before_a_peer_gives_enotconn)
{
	int fd = open(IN, O_RDWR | O_NONBLOCK);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-1, shut_wr(fd));
	EXPECT_EQ(ENOTCONN, errno);
	close(fd);
}

TEST_F(ioctl, unknown_requests_give_enotty)
{
	EXPECT_EQ(-1, ioctl(self->a, _IO(RDMACH_IOC_MAGIC, 99), 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(self->a, 0x5401, 0));
	EXPECT_EQ(ENOTTY, errno);
}

TEST_F(ioctl, a_stream_has_no_offsets_and_no_mapping)
{
	char c;

	EXPECT_EQ(-1, lseek(self->a, 0, SEEK_CUR));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(self->a, &c, 1, 1));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->a, 0));
	EXPECT_EQ(ENODEV, errno);
}

TEST_HARNESS_MAIN
