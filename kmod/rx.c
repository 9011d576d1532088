// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving
 * =========
 *
 * depth + RCH_CONTROL_SLOTS buffers are posted before the connection is made.
 * Whatever comes is checked against the protocol first: bytes by wire.c, right
 * to send by credit.c, order and state here. The first message that no correct
 * peer sends ends the connection, and what follows it is ignored; nothing that
 * a peer says can reach further.
 *
 * DATA stays in its buffer, on rx.queue, until the reader has emptied it; then
 * the buffer is posted again and the peer gets its credit back. A control
 * message is handled in place and its buffer posted at once. Receive buffers
 * are one FIFO for both, so any buffer may get either.
 *
 * Completions run in softirq context and go on while a path drains: data that
 * had arrived when the connection broke is delivered.
 */
#include <linux/slab.h>

#include "conn.h"
#include "endpoint.h"
#include "path.h"
#include "trace.h"

static void rx_done(struct ib_cq *cq, struct ib_wc *wc);

void rch_rx_init(struct rch_conn *conn)
{
	memset(&conn->rx, 0, sizeof(conn->rx));
	INIT_LIST_HEAD(&conn->rx.queue);
}

static int post(struct rch_conn *conn, struct rch_path *path,
		struct rch_slot *slot)
{
	u32 lkey = path->pd->local_dma_lkey;
	struct ib_sge sge[2] = {
		{ .addr = rch_pool_hdr_dma(&path->map, slot->index),
		  .length = RCH_WIRE_HDR_LEN, .lkey = lkey },
		{ .addr = rch_pool_dma(&conn->pool, &path->map, slot->index),
		  .length = conn->pool.buffer_size, .lkey = lkey },
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &slot->cqe,
		.sg_list = sge,
		.num_sge = 2,
	};
	int err;

	slot->cqe.done = rx_done;
	slot->path = path;
	ib_dma_sync_single_for_device(path->map.dev, sge[0].addr,
				      sge[0].length, DMA_FROM_DEVICE);
	ib_dma_sync_single_for_device(path->map.dev, sge[1].addr,
				      sge[1].length, DMA_FROM_DEVICE);
	err = ib_post_recv(path->qp, &wr, NULL);
	if (err) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_POST_ERRORS);
		rch_path_fail(path, EIO,
			      "the device refuses a receive: error %d", -err);
	}
	return err;
}

int rch_rx_post_all(struct rch_conn *conn, struct rch_path *path)
{
	u32 i, n = conn->ep->config.depth + RCH_CONTROL_SLOTS;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		spin_lock_bh(&conn->lock);
		err = post(conn, path, &conn->slots[i]);
		spin_unlock_bh(&conn->lock);
	}
	return err;
}

/* The buffer may receive again; the peer learns of it, at once if it is due. */
static void repost(struct rch_conn *conn, struct rch_slot *slot, bool data)
{
	struct rch_path *path = conn->path;

	lockdep_assert_held(&conn->lock);
	if (!path || !path->up || post(conn, path, slot))
		return;
	rch_credit_reposted(&conn->credit, data);
	if (rch_credit_update_due(&conn->credit))
		rch_tx_control(conn, RCH_CONTROL_CREDIT);
}

/* What the peer has received of us. */
static bool take_ack(struct rch_conn *conn, u32 ack)
{
	u32 more = ack - (u32)conn->tx.acked;

	if (more > conn->tx.seq - conn->tx.acked)
		return false;
	conn->tx.acked += more;
	return true;
}

/* May this come now? NULL, or what is wrong with it. */
static const char *check(struct rch_conn *conn, const struct rch_msg *msg)
{
	bool ready = msg->type == RCH_MSG_READY;
	bool data = msg->type == RCH_MSG_DATA;

	if (!conn->rx.open)
		return "a message before the connection was made";
	if (conn->rx.ready == ready)
		return "READY is not the first message";
	if (conn->rx.fin && data)
		return "data after the last";
	if (msg->seq != conn->rx.seq + data)
		return "a wrong sequence number";
	if (!take_ack(conn, msg->ack))
		return "an ack of what was not sent";
	if (rch_credit_grant(&conn->credit, msg->credits,
			     msg->control_credits))
		return "more credits than there are";
	if (rch_credit_received(&conn->credit, data))
		return "a message without a credit";
	return NULL;
}

static void take_data(struct rch_conn *conn, struct rch_slot *slot,
		      const struct rch_msg *msg)
{
	conn->rx.seq++;
	/* Nobody will read it, and its buffer is not needed any more. */
	if (conn->released) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_RX_DISCARDED);
		return;
	}
	rch_stats_inc(&conn->stats, RDMACH_A_STATS_RX_MESSAGES);
	rch_stats_add(&conn->stats, RDMACH_A_STATS_RX_BYTES, msg->length);
	slot->len = msg->length;
	slot->offset = 0;
	list_add_tail(&slot->node, &conn->rx.queue);
	conn->rx.queued++;
}

static void take_control(struct rch_conn *conn, struct rch_slot *slot,
			 const struct rch_msg *msg)
{
	struct rch_path *path = slot->path;

	rch_stats_inc(&conn->stats, RDMACH_A_STATS_RX_CONTROL);
	switch (msg->type) {
	case RCH_MSG_READY:
		conn->rx.ready = true;
		conn->tx.open = true;
		rch_path_event(path, RCH_EV_READY);
		break;
	case RCH_MSG_PING:
		conn->tx.pong_imm = msg->imm;
		rch_tx_control(conn, RCH_CONTROL_PONG);
		break;
	case RCH_MSG_FIN:
		conn->rx.fin = true;
		break;
	case RCH_MSG_BYE:
		conn->rx.fin = true;
		conn->rx.bye = true;
		rch_path_event(path, RCH_EV_BYE);
		break;
	}
	repost(conn, slot, false);
}

static void receive(struct rch_conn *conn, struct rch_slot *slot, u32 byte_len)
{
	struct rch_path *path = slot->path;
	const char *wrong = "a malformed message";
	struct rch_msg msg;

	if (conn->rx.mute)
		return;
	if (!rch_wire_decode_hdr(&conn->pool.hdrs[slot->index], byte_len,
				 conn->pool.buffer_size, &msg))
		wrong = check(conn, &msg);
	if (wrong) {
		conn->rx.mute = true;
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_WIRE_ERRORS);
		rch_path_fail(path, EPROTO, "the peer broke the protocol: %s",
			      wrong);
		return;
	}
	trace_rch_rx(conn, &msg);
	conn->last_rx = jiffies;
	if (msg.type == RCH_MSG_DATA)
		take_data(conn, slot, &msg);
	else
		take_control(conn, slot, &msg);
	rch_tx_flush(conn);
}

static void receive_failed(struct rch_conn *conn, struct rch_path *path,
			   enum ib_wc_status status)
{
	if (status == IB_WC_WR_FLUSH_ERR) {
		rch_conn_flushed(conn, path);
		return;
	}
	rch_stats_inc(&conn->stats, RDMACH_A_STATS_COMPLETION_ERRORS);
	/* The peer sent more than a buffer holds; rxe says so by the latter. */
	if (status == IB_WC_LOC_LEN_ERR || status == IB_WC_REM_INV_REQ_ERR) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_WIRE_ERRORS);
		rch_path_fail(path, EPROTO,
			      "the peer broke the protocol: a message too long");
		return;
	}
	rch_path_fail(path, EIO, "receiving failed: %s",
		      ib_wc_status_msg(status));
}

static void rx_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rch_slot *slot = container_of(wc->wr_cqe, struct rch_slot, cqe);
	struct rch_path *path = slot->path;
	struct rch_conn *conn = path->conn;
	u64 hdr = rch_pool_hdr_dma(&path->map, slot->index);

	if (wc->status != IB_WC_SUCCESS) {
		receive_failed(conn, path, wc->status);
		return;
	}
	ib_dma_sync_single_for_cpu(path->map.dev, hdr, RCH_WIRE_HDR_LEN,
				   DMA_FROM_DEVICE);
	if (wc->byte_len > RCH_WIRE_HDR_LEN)
		ib_dma_sync_single_for_cpu(path->map.dev,
					   rch_pool_dma(&conn->pool, &path->map,
							slot->index),
					   wc->byte_len - RCH_WIRE_HDR_LEN,
					   DMA_FROM_DEVICE);
	spin_lock_bh(&conn->lock);
	receive(conn, slot, wc->byte_len);
	spin_unlock_bh(&conn->lock);
	if (wq_has_sleeper(&conn->rx_wait))
		wake_up_all(&conn->rx_wait);
	if (wq_has_sleeper(&conn->tx_wait))
		wake_up_all(&conn->tx_wait);
}

bool rch_rx_readable(struct rch_conn *conn)
{
	bool readable;

	spin_lock_bh(&conn->lock);
	readable = !list_empty(&conn->rx.queue) || conn->rx.fin ||
		   rch_conn_ended(conn);
	spin_unlock_bh(&conn->lock);
	return readable;
}

struct rch_slot *rch_rx_peek(struct rch_conn *conn)
{
	struct rch_slot *slot;

	lockdep_assert_held(&conn->rx_mutex);
	spin_lock_bh(&conn->lock);
	slot = list_first_entry_or_null(&conn->rx.queue, struct rch_slot, node);
	spin_unlock_bh(&conn->lock);
	return slot;
}

void *rch_rx_payload(struct rch_conn *conn, struct rch_slot *slot)
{
	return conn->pool.buffers[slot->index].addr;
}

void rch_rx_consume(struct rch_conn *conn, struct rch_slot *slot)
{
	spin_lock_bh(&conn->lock);
	list_del(&slot->node);
	conn->rx.queued--;
	repost(conn, slot, true);
	spin_unlock_bh(&conn->lock);
}
