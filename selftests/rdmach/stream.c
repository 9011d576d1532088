// SPDX-License-Identifier: GPL-2.0
/* read() and write(): nothing is lost, repeated or swapped. */
#include "rdmach_test.h"

#define BUFFER 4096

PAIR_FIXTURE(stream, "depth 8 buffer 4096", "depth 8 buffer 4096");

/* Write @len bytes in one call while a thread reads them back. */
struct transfer {
	int fd;
	size_t len;
	uint64_t offset;
	bool ok;
};

static void *reader(void *arg)
{
	struct transfer *t = arg;
	char *buf = malloc(t->len + 1);

	t->ok = read_all(t->fd, buf, t->len) == (ssize_t)t->len &&
		filled(buf, t->len, t->offset);
	free(buf);
	return NULL;
}

static bool transfer(int from, int to, size_t len, uint64_t offset)
{
	struct transfer t = { to, len, offset, false };
	char *buf = malloc(len + 1);
	pthread_t thread;
	ssize_t n;

	fill(buf, len, offset);
	pthread_create(&thread, NULL, reader, &t);
	n = write(from, buf, len);
	pthread_join(thread, NULL);
	free(buf);
	return n == (ssize_t)len && t.ok;
}

TEST_F(stream, sizes_around_the_buffer_arrive_whole)
{
	static const size_t sizes[] = {
		1, 2, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER - 1,
		2 * BUFFER, 2 * BUFFER + 1, 7 * BUFFER + 13, 8 * BUFFER,
		9 * BUFFER, 100 * BUFFER + 1,
	};
	uint64_t offset = 0;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		EXPECT_TRUE(transfer(self->b, self->a, sizes[i], offset)) {
			TH_LOG("%zu bytes to the listener", sizes[i]);
		}
		EXPECT_TRUE(transfer(self->a, self->b, sizes[i], offset)) {
			TH_LOG("%zu bytes to the dialer", sizes[i]);
		}
		offset += sizes[i];
	}
}

TEST_F(stream, nothing_is_a_valid_length)
{
	char c;

	EXPECT_EQ(0, write(self->b, &c, 0));
	EXPECT_EQ(0, read(self->a, &c, 0));
	EXPECT_EQ(1, write(self->b, "x", 1));
	EXPECT_EQ(1, read(self->a, &c, 1));
	EXPECT_EQ('x', c);
}

TEST_F(stream, many_small_writes_are_one_stream)
{
	char buf[3000], piece[7];
	uint64_t offset;

	for (offset = 0; offset < sizeof(buf); offset += sizeof(piece)) {
		size_t n = sizeof(buf) - offset < sizeof(piece) ?
			   sizeof(buf) - offset : sizeof(piece);

		fill(piece, n, offset);
		/* Eight buffers only: read as we go. */
		ASSERT_EQ(n, write(self->b, piece, n));
		ASSERT_EQ(n, read_all(self->a, buf + offset, n));
	}
	EXPECT_TRUE(filled(buf, sizeof(buf), 0));
}

TEST_F(stream, short_reads_keep_the_rest)
{
	char buf[BUFFER];
	size_t done, n;

	fill(buf, BUFFER, 0);
	ASSERT_EQ(BUFFER, write(self->b, buf, BUFFER));
	memset(buf, 0, sizeof(buf));
	for (done = 0; done < BUFFER; done += n) {
		n = BUFFER - done < 100 ? BUFFER - done : 100;
		ASSERT_EQ(n, read(self->a, buf + done, n));
	}
	EXPECT_TRUE(filled(buf, BUFFER, 0));
}

TEST_F(stream, vectors_are_gathered_and_scattered)
{
	char from[3 * BUFFER], to[3 * BUFFER];
	struct iovec out[] = { { from, 1 }, { from + 1, 0 },
			       { from + 1, BUFFER }, { from + BUFFER + 1, 5000 } };
	struct iovec in[] = { { to, 4000 }, { to + 4000, 3 }, { to + 4003, 5094 } };
	ssize_t len = BUFFER + 5001, n, done = 0;

	fill(from, len, 0);
	ASSERT_EQ(len, writev(self->b, out, 4));
	n = readv(self->a, in, 3);
	ASSERT_GT(n, 0);
	for (done = n; done < len; done += n) {
		n = read(self->a, to + done, len - done);
		ASSERT_GT(n, 0);
	}
	EXPECT_TRUE(filled(to, len, 0));
}

TEST_F(stream, bad_addresses_give_efault_and_lose_nothing)
{
	char *volatile bad = (char *)8;
	char c = 'x';

	EXPECT_EQ(-1, write(self->b, bad, 10));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(1, write(self->b, &c, 1));
	EXPECT_EQ(-1, read(self->a, bad, 10));
	EXPECT_EQ(EFAULT, errno);
	c = 0;
	EXPECT_EQ(1, read(self->a, &c, 1));
	EXPECT_EQ('x', c);
}

/* Records larger than a buffer, from many writers: each stays in one piece. */
#define WRITERS 4
#define RECORDS 12
#define RECORD (3 * BUFFER + 5)

static void write_records(int fd, int id)
{
	unsigned char record[RECORD];
	int i;

	for (i = 0; i < RECORDS; i++) {
		memset(record, id * RECORDS + i, sizeof(record));
		if (write(fd, record, sizeof(record)) != sizeof(record))
			_exit(1);
	}
}

static bool read_records(int fd)
{
	unsigned char record[RECORD];
	int next[WRITERS] = { 0 }, i, j, id;

	for (i = 0; i < WRITERS * RECORDS; i++) {
		if (read_all(fd, record, sizeof(record)) != sizeof(record))
			return false;
		for (j = 1; j < RECORD; j++)
			if (record[j] != record[0])
				return false;
		id = record[0] / RECORDS;
		if (id >= WRITERS || record[0] % RECORDS != next[id]++)
			return false;
	}
	return true;
}

struct writer {
	int fd, id;
};

static void *writer_thread(void *arg)
{
	struct writer *w = arg;

	write_records(w->fd, w->id);
	return NULL;
}

TEST_F(stream, writes_of_threads_are_contiguous)
{
	struct writer w[WRITERS];
	pthread_t thread[WRITERS];
	int i;

	for (i = 0; i < WRITERS; i++) {
		w[i] = (struct writer){ self->b, i };
		pthread_create(&thread[i], NULL, writer_thread, &w[i]);
	}
	EXPECT_TRUE(read_records(self->a));
	for (i = 0; i < WRITERS; i++)
		pthread_join(thread[i], NULL);
}

TEST_F(stream, writes_of_processes_are_contiguous)
{
	int i, status;

	for (i = 0; i < WRITERS; i++) {
		if (fork() == 0) {
			write_records(self->b, i);
			_exit(0);
		}
	}
	EXPECT_TRUE(read_records(self->a));
	for (i = 0; i < WRITERS; i++) {
		ASSERT_GT(wait(&status), 0);
		EXPECT_EQ(0, status);
	}
}

/* Two readers share a stream: together they get each byte once. */
TEST_F(stream, readers_of_two_processes_get_every_byte_once)
{
	const int total = 40 * BUFFER;
	unsigned char buf[BUFFER];
	int sums[2], i, n, status;
	uint64_t sum = 0, got = 0, want = 0, part[2];

	ASSERT_EQ(0, pipe(sums));
	for (i = 0; i < 2; i++) {
		if (fork() == 0) {
			close(self->b);
			part[0] = part[1] = 0;
			while ((n = read(self->a, buf, sizeof(buf))) > 0) {
				part[1] += n;
				while (n--)
					part[0] += buf[n];
			}
			n = write(sums[1], part, sizeof(part));
			_exit(n != sizeof(part));
		}
	}
	for (i = 0; i < total; i += BUFFER) {
		fill(buf, BUFFER, i);
		ASSERT_EQ(BUFFER, write(self->b, buf, BUFFER));
		for (n = 0; n < BUFFER; n++)
			want += buf[n];
	}
	ASSERT_EQ(0, shut_wr(self->b));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(sizeof(part), read(sums[0], part, sizeof(part)));
		sum += part[0];
		got += part[1];
		wait(&status);
	}
	EXPECT_EQ(total, got);
	EXPECT_EQ(want, sum);
}

static bool both_ways_ok;

static void *other_way(void *arg)
{
	int *fd = arg;

	both_ways_ok = transfer(fd[0], fd[1], 300 * BUFFER, 99);
	return NULL;
}

TEST_F(stream, both_directions_at_once)
{
	int fd[2] = { self->a, self->b };
	pthread_t thread;

	pthread_create(&thread, NULL, other_way, fd);
	EXPECT_TRUE(transfer(self->b, self->a, 300 * BUFFER, 7));
	pthread_join(thread, NULL);
	EXPECT_TRUE(both_ways_ok);
}

TEST_F(stream, fsync_means_the_peer_has_it)
{
	char buf[5 * BUFFER];
	long long got;

	fill(buf, sizeof(buf), 0);
	ASSERT_EQ(sizeof(buf), write(self->b, buf, sizeof(buf)));
	ASSERT_EQ(0, fsync(self->b));
	/* Nobody has read; the peer's kernel has counted it all the same. */
	got = counter("in", "rx_bytes");
	EXPECT_EQ(sizeof(buf), got);
}

TEST_F(stream, half_close_ends_one_direction_only)
{
	char c;

	ASSERT_EQ(1, write(self->b, "x", 1));
	ASSERT_EQ(0, shut_wr(self->b));
	EXPECT_EQ(0, shut_wr(self->b));
	signal(SIGPIPE, SIG_IGN);
	EXPECT_EQ(-1, write(self->b, "y", 1));
	EXPECT_EQ(EPIPE, errno);
	EXPECT_EQ(1, read(self->a, &c, 1));
	EXPECT_EQ(0, read(self->a, &c, 1));
	EXPECT_EQ(0, read(self->a, &c, 1));
	ASSERT_EQ(1, write(self->a, "z", 1));
	EXPECT_EQ(1, read(self->b, &c, 1));
	EXPECT_EQ('z', c);
}

TEST_F(stream, reader_gets_the_rest_after_the_peer_closed)
{
	char buf[6 * BUFFER + 3], got[sizeof(buf) + 1];

	fill(buf, sizeof(buf), 0);
	ASSERT_EQ(sizeof(buf), write(self->b, buf, sizeof(buf)));
	close(self->b);
	self->b = -1;
	ASSERT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection show in | jq '[.[]|select(.state==\"closed\")]|length'") == 1));
	EXPECT_EQ(sizeof(buf), read_all(self->a, got, sizeof(got)));
	EXPECT_TRUE(filled(got, sizeof(buf), 0));
	EXPECT_EQ(0, read(self->a, got, 1));
}

TEST_F(stream, writing_to_a_closed_peer_gives_epipe)
{
	close(self->a);
	self->a = -1;
	signal(SIGPIPE, SIG_IGN);
	/* It may take a moment until the news is here. */
	EXPECT_TRUE(COMES_TRUE(1, write(self->b, "x", 1) < 0));
	EXPECT_EQ(-1, write(self->b, "x", 1));
	EXPECT_EQ(EPIPE, errno);
}

TEST_F(stream, writing_to_a_closed_peer_raises_sigpipe)
{
	int status;

	close(self->a);
	self->a = -1;
	if (fork() == 0) {
		signal(SIGPIPE, SIG_DFL);
		alarm(20);
		while (write(self->b, "x", 1) == 1)
			usleep(1000);
		_exit(0);
	}
	ASSERT_GT(wait(&status), 0);
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGPIPE, WTERMSIG(status));
}

TEST_F(stream, dup_and_fork_keep_the_connection_until_the_last_close)
{
	int copy = dup(self->b), status;
	char c;

	close(self->b);
	self->b = -1;
	if (fork() == 0)
		_exit(write(copy, "x", 1) != 1);
	ASSERT_GT(wait(&status), 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, read(self->a, &c, 1));
	close(copy);
	EXPECT_EQ(0, read(self->a, &c, 1));
}

/* Both sides close with everything sent and nothing read. */
TEST_F(stream, close_delivers_what_was_accepted)
{
	char buf[8 * BUFFER], got[sizeof(buf)];

	fill(buf, sizeof(buf), 0);
	ASSERT_EQ(sizeof(buf), write(self->b, buf, sizeof(buf)));
	ASSERT_EQ(sizeof(buf), write(self->a, buf, sizeof(buf)));
	close(self->b);
	self->b = -1;
	EXPECT_EQ(sizeof(got), read_all(self->a, got, sizeof(got)));
	EXPECT_TRUE(filled(got, sizeof(got), 0));
}

static void *sync_thread(void *arg)
{
	fsync(*(int *)arg);
	return NULL;
}

/* Nothing follows a BYE, whatever the peer asks meanwhile. */
TEST_F(stream, closing_while_the_peer_asks_is_no_wire_error)
{
	static char buf[512];
	pthread_t thread;
	int i, pair[2];

	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, open_pair(pair));
		write(pair[0], buf, sizeof(buf));
		write(pair[1], buf, sizeof(buf));
		pthread_create(&thread, NULL, sync_thread, &pair[1]);
		close(pair[0]);
		pthread_join(thread, NULL);
		close(pair[1]);
	}
	EXPECT_EQ(0, counter("out", "wire_errors"));
	EXPECT_EQ(0, counter("in", "wire_errors"));
}

TEST_F(stream, splice_carries_a_file)
{
	char buf[20000], got[20000];
	int file[2];

	ASSERT_EQ(0, pipe(file));
	fill(buf, sizeof(buf), 0);
	ASSERT_EQ(sizeof(buf), write(file[1], buf, sizeof(buf)));
	ASSERT_EQ(sizeof(buf), splice(file[0], NULL, self->b, NULL, sizeof(buf), 0));
	EXPECT_EQ(sizeof(buf), read_all(self->a, got, sizeof(buf)));
	EXPECT_TRUE(filled(got, sizeof(got), 0));
}

TEST_HARNESS_MAIN
