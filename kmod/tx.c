// SPDX-License-Identifier: GPL-2.0
/*
 * Sending
 * =======
 *
 * A DATA message takes a slot (header and buffer) and a credit, in that order
 * of scarcity: no credit means the reader is slow, no slot that the wire is. A
 * control message takes a slot without buffer and a control slot of the peer;
 * if either is missing it stays a bit in tx.pending, and is sent when a
 * completion or the peer frees one, so asking for one never fails and never
 * waits. Bits of one kind merge: two PONGs become one.
 *
 * Numbers and credits are stamped when the message is posted, under conn->lock,
 * so their order on the wire is that of the posts. Every work request is
 * signalled: its slot is free again when its completion has come.
 */
#include <linux/slab.h>

#include "conn.h"
#include "endpoint.h"
#include "path.h"
#include "trace.h"

static const u8 rch_control_type[RCH_CONTROL_NR] = {
	[RCH_CONTROL_READY] = RCH_MSG_READY,
	[RCH_CONTROL_CREDIT] = RCH_MSG_CREDIT,
	[RCH_CONTROL_PONG] = RCH_MSG_PONG,
	[RCH_CONTROL_PING] = RCH_MSG_PING,
	[RCH_CONTROL_FIN] = RCH_MSG_FIN,
	[RCH_CONTROL_BYE] = RCH_MSG_BYE,
};

static void tx_done(struct ib_cq *cq, struct ib_wc *wc);

static bool has_buffer(const struct rch_conn *conn, const struct rch_slot *slot)
{
	return slot->index < conn->pool.nr_buffers;
}

static bool may_post(const struct rch_conn *conn)
{
	return conn->path && conn->path->up;
}

void rch_tx_init(struct rch_conn *conn)
{
	u32 i, first = conn->ep->config.depth + RCH_CONTROL_SLOTS;
	struct rch_slot *slot;

	memset(&conn->tx, 0, sizeof(conn->tx));
	INIT_LIST_HEAD(&conn->tx.free);
	INIT_LIST_HEAD(&conn->tx.free_control);
	/* None yet, when the connection is new. */
	for (i = first; i < conn->nr_slots; i++) {
		slot = &conn->slots[i];
		slot->cqe.done = tx_done;
		list_add_tail(&slot->node, has_buffer(conn, slot) ?
			      &conn->tx.free : &conn->tx.free_control);
	}
}

static void put_slot(struct rch_conn *conn, struct rch_slot *slot)
{
	list_add(&slot->node, has_buffer(conn, slot) ? &conn->tx.free :
						       &conn->tx.free_control);
}

/* Fill in and post a message; the slot comes back by completion, or here. */
static void post(struct rch_conn *conn, struct rch_slot *slot,
		 struct rch_msg *msg)
{
	struct rch_path *path = conn->path;
	u32 lkey = path->pd->local_dma_lkey;
	struct ib_sge sge[2] = {
		{ .addr = rch_pool_hdr_dma(&path->map, slot->index),
		  .length = RCH_WIRE_HDR_LEN, .lkey = lkey },
	};
	struct ib_send_wr wr = {
		.wr_cqe = &slot->cqe,
		.sg_list = sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};
	int err;

	msg->seq = conn->tx.seq;
	msg->ack = (u32)conn->rx.seq;
	rch_credit_stamp(&conn->credit, &msg->credits, &msg->control_credits);
	rch_wire_encode_hdr(&conn->pool.hdrs[slot->index], msg);
	ib_dma_sync_single_for_device(path->map.dev, sge[0].addr,
				      sge[0].length, DMA_TO_DEVICE);
	if (msg->length) {
		sge[1].addr = rch_pool_dma(&conn->pool, &path->map, slot->index);
		sge[1].length = msg->length;
		sge[1].lkey = lkey;
		wr.num_sge = 2;
		ib_dma_sync_single_for_device(path->map.dev, sge[1].addr,
					      sge[1].length, DMA_TO_DEVICE);
	}
	slot->path = path;
	conn->tx.inflight++;
	trace_rch_tx(conn, msg);
	err = ib_post_send(path->qp, &wr, NULL);
	if (!err)
		return;
	conn->tx.inflight--;
	put_slot(conn, slot);
	rch_stats_inc(&conn->stats, RDMACH_A_STATS_POST_ERRORS);
	rch_path_fail(path, EIO, "the device refuses a send: error %d", -err);
}

static bool post_control(struct rch_conn *conn, enum rch_control what)
{
	struct rch_msg msg = { .type = rch_control_type[what] };
	struct rch_slot *slot;

	slot = list_first_entry_or_null(&conn->tx.free_control,
					struct rch_slot, node);
	if (!slot)
		return false;
	if (!rch_credit_take_control(&conn->credit,
				     what == RCH_CONTROL_CREDIT))
		return false;
	list_del(&slot->node);
	if (what == RCH_CONTROL_PONG)
		msg.imm = conn->tx.pong_imm;
	if (what == RCH_CONTROL_BYE)
		conn->tx.bye_said = true;
	rch_stats_inc(&conn->stats, RDMACH_A_STATS_TX_CONTROL);
	if (what == RCH_CONTROL_CREDIT)
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_TX_CREDIT_UPDATES);
	post(conn, slot, &msg);
	return true;
}

void rch_tx_flush(struct rch_conn *conn)
{
	enum rch_control what;

	lockdep_assert_held(&conn->lock);
	/* BYE is the last word. */
	if (conn->tx.bye_said)
		conn->tx.pending = 0;
	for (what = 0; conn->tx.pending && what < RCH_CONTROL_NR; what++) {
		if (!may_post(conn))
			return;
		if (!(conn->tx.pending & BIT(what)))
			continue;
		/* Another message may have carried the credits meanwhile. */
		if (what == RCH_CONTROL_CREDIT &&
		    !rch_credit_update_due(&conn->credit))
			conn->tx.pending &= ~BIT(what);
		else if (post_control(conn, what))
			conn->tx.pending &= ~BIT(what);
	}
}

void rch_tx_control(struct rch_conn *conn, enum rch_control what)
{
	lockdep_assert_held(&conn->lock);
	conn->tx.pending |= BIT(what);
	rch_tx_flush(conn);
	if (conn->tx.pending & BIT(what))
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_CONTROL_STALLS);
}

static int tx_error(struct rch_conn *conn)
{
	if (rch_conn_ended(conn))
		return rch_stream_error(conn) ?: -EPIPE;
	return conn->tx.fin || conn->rx.bye ? -EPIPE : 0;
}

bool rch_tx_writable(struct rch_conn *conn)
{
	bool writable;

	spin_lock_bh(&conn->lock);
	writable = tx_error(conn) ||
		   (conn->tx.open && may_post(conn) && conn->credit.avail &&
		    !list_empty(&conn->tx.free));
	spin_unlock_bh(&conn->lock);
	return writable;
}

static struct rch_slot *reserve(struct rch_conn *conn)
{
	struct rch_slot *slot;
	int err = tx_error(conn);

	if (err)
		return ERR_PTR(err);
	/* Still connecting, or waiting for the verdict. */
	if (!conn->tx.open || !may_post(conn))
		return ERR_PTR(-EAGAIN);
	slot = list_first_entry_or_null(&conn->tx.free, struct rch_slot, node);
	if (!slot) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_BUFFER_STALLS);
		return ERR_PTR(-EAGAIN);
	}
	if (!rch_credit_take(&conn->credit)) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_CREDIT_STALLS);
		return ERR_PTR(-EAGAIN);
	}
	list_del(&slot->node);
	return slot;
}

struct rch_slot *rch_tx_reserve(struct rch_conn *conn)
{
	struct rch_slot *slot;

	lockdep_assert_held(&conn->tx_mutex);
	spin_lock_bh(&conn->lock);
	slot = reserve(conn);
	spin_unlock_bh(&conn->lock);
	return slot;
}

void *rch_tx_payload(struct rch_conn *conn, struct rch_slot *slot)
{
	return conn->pool.buffers[slot->index].addr;
}

void rch_tx_cancel(struct rch_conn *conn, struct rch_slot *slot)
{
	spin_lock_bh(&conn->lock);
	put_slot(conn, slot);
	rch_credit_untake(&conn->credit);
	spin_unlock_bh(&conn->lock);
	/* Somebody may have found none while it was ours. */
	wake_up_all(&conn->tx_wait);
}

void rch_tx_send(struct rch_conn *conn, struct rch_slot *slot, u32 len)
{
	struct rch_msg msg = { .type = RCH_MSG_DATA, .length = len };

	spin_lock_bh(&conn->lock);
	conn->tx.seq++;
	if (may_post(conn)) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_TX_MESSAGES);
		rch_stats_add(&conn->stats, RDMACH_A_STATS_TX_BYTES, len);
		post(conn, slot, &msg);
	} else {
		/*
		 * The path has stopped: the bytes share the fate of the rest.
		 * Numbered, they will never be acknowledged, as fsync() finds.
		 */
		put_slot(conn, slot);
	}
	spin_unlock_bh(&conn->lock);
}

/* What a failed work request says of the connection. */
static void completion_failed(struct rch_conn *conn, struct rch_path *path,
			      enum ib_wc_status status)
{
	if (status == IB_WC_WR_FLUSH_ERR) {
		rch_conn_flushed(conn, path);
		return;
	}
	rch_stats_inc(&conn->stats, RDMACH_A_STATS_COMPLETION_ERRORS);
	rch_path_fail(path, status == IB_WC_RETRY_EXC_ERR ? ETIMEDOUT :
							    ECONNRESET,
		      "sending failed: %s", ib_wc_status_msg(status));
}

static void tx_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rch_slot *slot = container_of(wc->wr_cqe, struct rch_slot, cqe);
	struct rch_path *path = slot->path;
	struct rch_conn *conn = path->conn;

	if (wc->status != IB_WC_SUCCESS)
		completion_failed(conn, path, wc->status);
	spin_lock_bh(&conn->lock);
	conn->tx.inflight--;
	put_slot(conn, slot);
	if (wc->status == IB_WC_SUCCESS)
		rch_tx_flush(conn);
	spin_unlock_bh(&conn->lock);
	if (wq_has_sleeper(&conn->tx_wait))
		wake_up_all(&conn->tx_wait);
}
