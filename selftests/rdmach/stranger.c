// SPDX-License-Identifier: GPL-2.0
/*
 * Peers that are not ours, or not honest: programs of plain librdmacm that say
 * the wrong thing, at connecting or later. Whatever they do ends one connection
 * with a reason and a count, and the listener serves the next.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <rdma/rdma_cma.h>

#include "rdmach_test.h"

#define __packed __attribute__((packed))
#include "../../kmod/wire.h"

#define DEPTH 4
#define BUFFER 256

struct peer {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	char memory[16384];	/* messages out: first half */
	/* The last event. */
	int event, status;
	char data[256];
	unsigned int data_len;
};

/* Wait for an event; a connection request's id becomes ours. */
static int peer_event(struct peer *p)
{
	struct pollfd fd = { p->channel->fd, POLLIN, 0 };
	struct rdma_cm_event *e;

	p->event = -1;
	if (poll(&fd, 1, 10000) != 1 || rdma_get_cm_event(p->channel, &e))
		return -1;
	p->event = e->event;
	p->status = e->status;
	p->data_len = 0;
	if (e->param.conn.private_data && e->param.conn.private_data_len) {
		p->data_len = e->param.conn.private_data_len;
		memcpy(p->data, e->param.conn.private_data, p->data_len);
	}
	if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		p->id = e->id;
	rdma_ack_cm_event(e);
	return p->event;
}

static int peer_queues(struct peer *p)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 32, .max_recv_wr = 32,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_recv_wr wr = { .num_sge = 1 }, *bad;
	struct ibv_sge sge;
	int i;

	p->pd = ibv_alloc_pd(p->id->verbs);
	p->cq = ibv_create_cq(p->id->verbs, 128, NULL, NULL, 0);
	p->mr = ibv_reg_mr(p->pd, p->memory, sizeof(p->memory),
			   IBV_ACCESS_LOCAL_WRITE);
	if (!p->pd || !p->cq || !p->mr)
		return -1;
	attr.send_cq = attr.recv_cq = p->cq;
	if (rdma_create_qp(p->id, p->pd, &attr))
		return -1;
	for (i = 0; i < 16; i++) {
		sge = (struct ibv_sge){ (uintptr_t)p->memory + 8192 + i * 512,
					512, p->mr->lkey };
		wr.sg_list = &sge;
		if (ibv_post_recv(p->id->qp, &wr, &bad))
			return -1;
	}
	return 0;
}

static void local_address(struct sockaddr_in *addr, int port)
{
	memset(addr, 0, sizeof(*addr));
	addr->sin_family = AF_INET;
	addr->sin_port = htons(port);
	inet_pton(AF_INET, getenv("ADDR") ?: "10.0.0.1", &addr->sin_addr);
}

/* Dial our listener with this private data; the event that answers. */
static int peer_dial(struct peer *p, const void *data, int len)
{
	struct rdma_conn_param param = {
		.private_data = data, .private_data_len = len,
		.responder_resources = 1, .initiator_depth = 1,
		.retry_count = 7, .rnr_retry_count = 7,
	};
	struct sockaddr_in to;

	memset(p, 0, sizeof(*p));
	local_address(&to, 7471);
	p->channel = rdma_create_event_channel();
	if (!p->channel || rdma_create_id(p->channel, &p->id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(p->id, NULL, (struct sockaddr *)&to, 2000) ||
	    peer_event(p) != RDMA_CM_EVENT_ADDR_RESOLVED ||
	    rdma_resolve_route(p->id, 2000) ||
	    peer_event(p) != RDMA_CM_EVENT_ROUTE_RESOLVED ||
	    peer_queues(p) || rdma_connect(p->id, &param))
		return -1;
	return peer_event(p);
}

static void peer_close(struct peer *p)
{
	if (p->id && p->id->qp) {
		rdma_disconnect(p->id);
		rdma_destroy_qp(p->id);
	}
	if (p->id)
		rdma_destroy_id(p->id);
	if (p->mr)
		ibv_dereg_mr(p->mr);
	if (p->cq)
		ibv_destroy_cq(p->cq);
	if (p->pd)
		ibv_dealloc_pd(p->pd);
	if (p->channel)
		rdma_destroy_event_channel(p->channel);
	memset(p, 0, sizeof(*p));
}

/* Post a message, from a place of its own. */
static int peer_send(struct peer *p, const struct rch_wire_hdr *hdr, size_t len)
{
	static int turn;
	char *at = p->memory + 1024 * (turn++ % 8);
	struct ibv_sge sge = { (uintptr_t)at, len, p->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	memcpy(at, hdr, len < sizeof(*hdr) ? len : sizeof(*hdr));
	return ibv_post_send(p->id->qp, &wr, &bad);
}

static struct rch_wire_hello hello(void)
{
	return (struct rch_wire_hello){
		.magic = htole32(RCH_WIRE_MAGIC), .version_min = 1,
		.version_max = 1, .path_count = 1,
		.conn_id = "a hostile peer", .buffer_size = htole32(BUFFER),
		.depth = htole16(DEPTH),
	};
}

static struct rch_wire_hdr header(int type, uint32_t len, uint64_t seq)
{
	return (struct rch_wire_hdr){
		.type = type, .length = htole32(len), .seq = htole64(seq),
	};
}

/* What a refusal says; -1 if it is not of our protocol. */
static int refusal(const struct peer *p)
{
	const struct rch_wire_reject *r = (void *)p->data;

	if (p->event != RDMA_CM_EVENT_REJECTED || p->data_len < sizeof(*r) ||
	    le32toh(r->magic) != RCH_WIRE_MAGIC)
		return -1;
	return le16toh(r->reason);
}

FIXTURE(stranger) {
	struct peer peer;
	int in;
};

FIXTURE_SETUP(stranger)
{
	memset(self, 0, sizeof(*self));
	del_both();
	ASSERT_EQ(0, add_in("depth 4 buffer 256 connect-timeout 1s"));
	ASSERT_EQ(0, add_out("depth 4 buffer 256"));
	self->in = open(IN, O_RDWR | O_NONBLOCK);
	ASSERT_GE(self->in, 0);
}

FIXTURE_TEARDOWN(stranger)
{
	int out;

	peer_close(&self->peer);
	close(self->in);
	/* The listener is unharmed. */
	self->in = open(IN, O_RDWR | O_NONBLOCK);
	out = open(OUT, O_RDWR);
	EXPECT_GE(out, 0);
	EXPECT_EQ(1, write(out, "x", 1));
	close(out);
	close(self->in);
	del_both();
}

TEST_F(stranger, without_private_data_is_refused)
{
	EXPECT_EQ(RDMA_CM_EVENT_REJECTED, peer_dial(&self->peer, NULL, 0));
	EXPECT_EQ(RCH_REJECT_STRANGER, refusal(&self->peer));
	EXPECT_EQ(1, counter("in", "refused_stranger"));
}

TEST_F(stranger, with_other_private_data_is_refused)
{
	char data[56];

	memset(data, 'x', sizeof(data));
	EXPECT_EQ(RDMA_CM_EVENT_REJECTED, peer_dial(&self->peer, data, 56));
	EXPECT_EQ(RCH_REJECT_STRANGER, refusal(&self->peer));
	peer_close(&self->peer);
	EXPECT_EQ(RDMA_CM_EVENT_REJECTED, peer_dial(&self->peer, data, 3));
	EXPECT_EQ(RCH_REJECT_STRANGER, refusal(&self->peer));
	EXPECT_EQ(2, counter("in", "refused_stranger"));
	EXPECT_EQ(0, shell("rdmactl endpoint show in | grep -q stranger"));
}

TEST_F(stranger, of_another_version_is_refused_with_what_we_speak)
{
	struct rch_wire_hello h = hello();
	const struct rch_wire_reject *r = (void *)self->peer.data;

	h.version_min = h.version_max = 9;
	EXPECT_EQ(RDMA_CM_EVENT_REJECTED, peer_dial(&self->peer, &h, sizeof(h)));
	EXPECT_EQ(RCH_REJECT_VERSION, refusal(&self->peer));
	EXPECT_EQ(RCH_WIRE_VERSION_MIN, r->version_min);
	EXPECT_EQ(RCH_WIRE_VERSION_MAX, r->version_max);
	EXPECT_EQ(1, counter("in", "refused_version"));
}

TEST_F(stranger, of_a_later_version_that_speaks_ours_is_welcome)
{
	struct rch_wire_hello h = hello();

	h.version_max = 200;
	h.features = htole32(~0U);
	EXPECT_EQ(RDMA_CM_EVENT_ESTABLISHED, peer_dial(&self->peer, &h, sizeof(h)));
}

TEST_F(stranger, with_parameters_out_of_range_is_refused)
{
	struct rch_wire_hello h = hello();

	h.buffer_size = htole32(1 << 30);
	EXPECT_EQ(RDMA_CM_EVENT_REJECTED, peer_dial(&self->peer, &h, sizeof(h)));
	EXPECT_EQ(RCH_REJECT_PARAMETER, refusal(&self->peer));
	peer_close(&self->peer);
	h = hello();
	h.depth = 0;
	EXPECT_EQ(RDMA_CM_EVENT_REJECTED, peer_dial(&self->peer, &h, sizeof(h)));
	EXPECT_EQ(RCH_REJECT_PARAMETER, refusal(&self->peer));
	EXPECT_EQ(2, counter("in", "refused_parameter"));
}

TEST_F(stranger, that_never_speaks_keeps_no_opener)
{
	struct rch_wire_hello h = hello();

	ASSERT_EQ(RDMA_CM_EVENT_ESTABLISHED, peer_dial(&self->peer, &h, sizeof(h)));
	EXPECT_TRUE(COMES_TRUE(2, counter("in", "accept_failures") == 1));
	EXPECT_TRUE(COMES_TRUE(1, shell_number("rdmactl -j connection show in | jq '[.[]|select(.state==\"waiting\")]|length'") == 1));
}

/* A hostile peer that has connected as it should, and said READY. */
static bool admitted(struct peer *p)
{
	struct rch_wire_hello h = hello();
	struct rch_wire_hdr ready = header(RCH_MSG_READY, 0, 0);

	return peer_dial(p, &h, sizeof(h)) == RDMA_CM_EVENT_ESTABLISHED &&
	       !peer_send(p, &ready, sizeof(ready));
}

/* The connection ends with EPROTO, with a cause, counted, and for us only. */
static bool punished(int in)
{
	struct rdmach_query q;
	bool broken = COMES_TRUE(1, !query(in, &q) &&
				    q.state == RDMACH_CONN_BROKEN);
	char buf[4096];

	while (read(in, buf, sizeof(buf)) > 0)
		;
	if (broken && errno == EPROTO && q.error == EPROTO &&
	    strstr(q.cause, "broke the protocol") &&
	    counter("in", "wire_errors") == 1)
		return true;
	printf("# read: errno %d; state %u error %u cause: %s\n", errno, q.state,
	       q.error, q.cause);
	return false;
}

static bool established(int in)
{
	struct pollfd p = { in, POLLOUT, 0 };

	return poll(&p, 1, 8000) == 1 && p.revents == POLLOUT;
}

TEST_F(stranger, honest_so_far_is_served)
{
	struct rch_wire_hdr data = header(RCH_MSG_DATA, 5, 1);
	char buf[10];

	ASSERT_TRUE(admitted(&self->peer));
	ASSERT_TRUE(established(self->in));
	ASSERT_EQ(0, peer_send(&self->peer, &data, sizeof(data) + 5));
	EXPECT_TRUE(COMES_TRUE(1, read(self->in, buf, 10) == 5));
}

FIXTURE(hostile) {
	struct peer peer;
	int in;
};

FIXTURE_SETUP(hostile)
{
	memset(self, 0, sizeof(*self));
	del_both();
	ASSERT_EQ(0, add_in("depth 4 buffer 256"));
	self->in = open(IN, O_RDWR | O_NONBLOCK);
	ASSERT_TRUE(admitted(&self->peer));
	ASSERT_TRUE(established(self->in));
}

FIXTURE_TEARDOWN(hostile)
{
	peer_close(&self->peer);
	close(self->in);
	del_both();
}

/* One message that no correct peer sends here. */
#define HOSTILE(name, header_, len)					\
TEST_F(hostile, name)							\
{									\
	struct rch_wire_hdr h = header_;				\
									\
	ASSERT_EQ(0, peer_send(&self->peer, &h, len));			\
	EXPECT_TRUE(punished(self->in));				\
}

#define HEADER(...) ((struct rch_wire_hdr){ __VA_ARGS__ })

HOSTILE(unknown_type, header(99, 0, 0), 32)
HOSTILE(type_zero, header(0, 0, 0), 32)
HOSTILE(unknown_flag, HEADER(.type = RCH_MSG_PING, .flags = 1), 32)
HOSTILE(shorter_than_a_header, header(RCH_MSG_PING, 0, 0), 31)
HOSTILE(length_below_the_bytes, header(RCH_MSG_DATA, 4, 1), 32 + 8)
HOSTILE(length_beyond_the_bytes, header(RCH_MSG_DATA, 100, 1), 32 + 8)
HOSTILE(control_with_payload, header(RCH_MSG_PING, 4, 0), 32 + 4)
HOSTILE(sequence_gap, header(RCH_MSG_DATA, 1, 2), 33)
HOSTILE(sequence_repeated, header(RCH_MSG_DATA, 1, 0), 33)
HOSTILE(control_with_a_wrong_sequence, header(RCH_MSG_PING, 0, 7), 32)
HOSTILE(ready_twice, header(RCH_MSG_READY, 0, 0), 32)
HOSTILE(credits_never_given, HEADER(.type = RCH_MSG_CREDIT, .credits = htole16(1)), 32)
HOSTILE(all_credits_there_are, HEADER(.type = RCH_MSG_CREDIT, .credits = 0xffff), 32)
HOSTILE(control_credits_never_given, HEADER(.type = RCH_MSG_CREDIT, .control_credits = 1), 32)
HOSTILE(ack_of_the_future, HEADER(.type = RCH_MSG_CREDIT, .ack = htole32(1)), 32)
HOSTILE(ack_of_the_past, HEADER(.type = RCH_MSG_CREDIT, .ack = 0xffffffff), 32)

/*
 * The device finds this one. Some (rxe of 6.1) do not tell the peer's fault from
 * one of their own: then it is EIO.
 */
TEST_F(hostile, longer_than_a_buffer)
{
	struct rch_wire_hdr h = header(RCH_MSG_DATA, BUFFER + 8, 1);
	struct rdmach_query q;

	ASSERT_EQ(0, peer_send(&self->peer, &h, 32 + BUFFER + 8));
	EXPECT_TRUE(COMES_TRUE(1, !query(self->in, &q) &&
				  q.state == RDMACH_CONN_BROKEN));
	EXPECT_TRUE((q.error == EPROTO && strstr(q.cause, "too long")) ||
		    (q.error == EIO && strstr(q.cause, "receiving failed")));
	EXPECT_EQ(1, counter("in", "completion_errors"));
}

TEST_F(hostile, more_data_than_credits)
{
	struct rch_wire_hdr h;
	int i;

	for (i = 1; i <= DEPTH + 1; i++) {
		h = header(RCH_MSG_DATA, 1, i);
		ASSERT_EQ(0, peer_send(&self->peer, &h, 33));
	}
	EXPECT_TRUE(punished(self->in));
}

TEST_F(hostile, data_after_fin)
{
	struct rch_wire_hdr h = header(RCH_MSG_FIN, 0, 0);

	ASSERT_EQ(0, peer_send(&self->peer, &h, 32));
	h = header(RCH_MSG_DATA, 1, 1);
	ASSERT_EQ(0, peer_send(&self->peer, &h, 33));
	/* The stream had ended in order: the reader sees that. */
	EXPECT_TRUE(COMES_TRUE(1, counter("in", "wire_errors") == 1));
}

TEST_F(hostile, a_flood_of_pings)
{
	struct rch_wire_hdr h = header(RCH_MSG_PING, 0, 0);
	struct ibv_wc wc[8];
	int i, n = 0;

	/* As fast as it goes, never returning a control slot. */
	for (i = 0; i < 200; i++) {
		if (peer_send(&self->peer, &h, 32))
			n += ibv_poll_cq(self->peer.cq, 8, wc);
		while (ibv_poll_cq(self->peer.cq, 8, wc) > 0)
			;
	}
	/* It has starved itself, or was cut off; we are well either way. */
	EXPECT_GE(counter("in", "tx_control"), 1);
	EXPECT_LE(counter("in", "tx_control"), 8);
	(void)n;
}

TEST_F(hostile, vanishing_without_a_word)
{
	char c;

	peer_close(&self->peer);
	EXPECT_TRUE(COMES_TRUE(2, read(self->in, &c, 1) == -1 &&
				  errno == ECONNRESET));
}

/* Our dialer meets a listener that is not ours. */
FIXTURE(foreign_listener) {
	struct peer peer;
	struct rdma_cm_id *listener;
};

FIXTURE_SETUP(foreign_listener)
{
	struct sockaddr_in at;

	memset(self, 0, sizeof(*self));
	local_address(&at, 7472);
	del_both();
	ASSERT_EQ(0, shell("rdmactl endpoint add out connect $ADDR:7472 connect-timeout 3s"));
	self->peer.channel = rdma_create_event_channel();
	ASSERT_EQ(0, rdma_create_id(self->peer.channel, &self->listener, NULL, RDMA_PS_TCP));
	ASSERT_EQ(0, rdma_bind_addr(self->listener, (struct sockaddr *)&at));
	ASSERT_EQ(0, rdma_listen(self->listener, 1));
}

FIXTURE_TEARDOWN(foreign_listener)
{
	struct rdma_event_channel *channel = self->peer.channel;

	self->peer.channel = NULL;
	peer_close(&self->peer);
	rdma_destroy_id(self->listener);
	rdma_destroy_event_channel(channel);
	del_both();
}

static int dial_errno(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

TEST_F(foreign_listener, that_accepts_gives_eproto)
{
	struct rdma_conn_param param = { .responder_resources = 1,
					 .initiator_depth = 1 };
	pid_t pid = fork();

	if (!pid)
		_exit(open(OUT, O_RDWR) < 0 ? errno : 0);
	ASSERT_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, peer_event(&self->peer));
	ASSERT_EQ(0, peer_queues(&self->peer));
	ASSERT_EQ(0, rdma_accept(self->peer.id, &param));
	EXPECT_EQ(EPROTO, dial_errno(pid));
	EXPECT_EQ(0, shell("rdmactl endpoint show out | grep -q 'does not speak the rdmach protocol'"));
}

TEST_F(foreign_listener, that_rejects_gives_econnrefused)
{
	pid_t pid = fork();

	if (!pid)
		_exit(open(OUT, O_RDWR) < 0 ? errno : 0);
	ASSERT_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, peer_event(&self->peer));
	ASSERT_EQ(0, rdma_reject(self->peer.id, NULL, 0));
	EXPECT_EQ(ECONNREFUSED, dial_errno(pid));
}

TEST_F(foreign_listener, that_is_silent_gives_etimedout)
{
	pid_t pid = fork();

	if (!pid)
		_exit(open(OUT, O_RDWR) < 0 ? errno : 0);
	ASSERT_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, peer_event(&self->peer));
	EXPECT_EQ(ETIMEDOUT, dial_errno(pid));
}

TEST_HARNESS_MAIN
