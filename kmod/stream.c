// SPDX-License-Identifier: GPL-2.0
/*
 * read() and write() on top of messages
 * =====================================
 *
 * A stream has no message boundaries: a write is cut into messages of at most
 * the smaller buffer size of both sides, a read takes what is there. tx_mutex
 * is held for a whole blocking write, which so is contiguous in the stream;
 * rx_mutex only while bytes are copied, so a reader that waits keeps no other
 * from looking. Who may not wait tries both.
 *
 * Every wait is interruptible, and ends when the connection does.
 */
#include <linux/sched/signal.h>
#include <linux/uio.h>

#include "conn.h"
#include "path.h"

int rch_stream_error(struct rch_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return READ_ONCE(conn->state) == RDMACH_CONN_BROKEN ? -conn->error : 0;
}

static bool opened(struct rch_conn *conn)
{
	return READ_ONCE(conn->state) >= RDMACH_CONN_ESTABLISHED;
}

int rch_stream_wait_open(struct rch_conn *conn)
{
	int err = wait_event_interruptible(conn->tx_wait, opened(conn));

	if (err)
		return err;
	spin_lock_bh(&conn->lock);
	err = rch_stream_error(conn);
	spin_unlock_bh(&conn->lock);
	return err;
}

static int lock(struct mutex *mutex, bool nowait)
{
	if (nowait)
		return mutex_trylock(mutex) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(mutex) ? -ERESTARTSYS : 0;
}

/* Copy what is there. Returns bytes, or -EFAULT if that is none. */
static ssize_t read_queued(struct rch_conn *conn, struct iov_iter *to)
{
	struct rch_slot *slot;
	ssize_t done = 0;
	size_t want, n;

	while (iov_iter_count(to) && (slot = rch_rx_peek(conn))) {
		want = min_t(size_t, slot->len - slot->offset,
			     iov_iter_count(to));
		n = copy_to_iter(rch_rx_payload(conn, slot) + slot->offset,
				 want, to);
		slot->offset += n;
		done += n;
		if (slot->offset == slot->len)
			rch_rx_consume(conn, slot);
		if (n < want)
			return done ?: -EFAULT;
	}
	return done;
}

/* Nothing is queued: 0 at the end of the stream, or the error, or -EAGAIN. */
static int read_nothing(struct rch_conn *conn)
{
	int ret = -EAGAIN;

	spin_lock_bh(&conn->lock);
	if (!list_empty(&conn->rx.queue))
		ret = -EAGAIN;
	else if (conn->rx.fin)
		ret = 0;
	else if (rch_conn_ended(conn))
		ret = rch_stream_error(conn);
	spin_unlock_bh(&conn->lock);
	return ret;
}

ssize_t rch_stream_read(struct rch_conn *conn, struct iov_iter *to, bool nowait)
{
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	for (;;) {
		ret = lock(&conn->rx_mutex, nowait);
		if (ret)
			return ret;
		ret = read_queued(conn, to);
		mutex_unlock(&conn->rx_mutex);
		if (ret)
			return ret;
		ret = read_nothing(conn);
		if (ret != -EAGAIN || nowait)
			return ret;
		if (wait_event_interruptible(conn->rx_wait,
					     rch_rx_readable(conn)))
			return -ERESTARTSYS;
	}
}

static int wait_writable(struct rch_conn *conn)
{
	ktime_t start = ktime_get();
	bool starved;
	int err;

	spin_lock_bh(&conn->lock);
	starved = conn->tx.open && !conn->credit.avail;
	spin_unlock_bh(&conn->lock);
	err = wait_event_interruptible(conn->tx_wait, rch_tx_writable(conn));
	if (starved)
		rch_stats_add(&conn->stats, RDMACH_A_STATS_CREDIT_STALL_NS,
			      ktime_to_ns(ktime_sub(ktime_get(), start)));
	return err;
}

/* One message. Returns its bytes or an error, -EAGAIN: not now. */
static ssize_t write_message(struct rch_conn *conn, struct iov_iter *from)
{
	struct rch_slot *slot = rch_tx_reserve(conn);
	size_t want, n;

	if (IS_ERR(slot))
		return PTR_ERR(slot);
	want = min_t(size_t, conn->tx.payload_max, iov_iter_count(from));
	n = copy_from_iter(rch_tx_payload(conn, slot), want, from);
	if (!n) {
		rch_tx_cancel(conn, slot);
		return -EFAULT;
	}
	rch_tx_send(conn, slot, n);
	return n;
}

ssize_t rch_stream_write(struct rch_conn *conn, struct iov_iter *from,
			 bool nowait)
{
	ssize_t ret, done = 0;

	if (!iov_iter_count(from))
		return 0;
	ret = lock(&conn->tx_mutex, nowait);
	if (ret)
		return ret;
	while (iov_iter_count(from)) {
		ret = write_message(conn, from);
		if (ret == -EAGAIN && !nowait) {
			ret = wait_writable(conn);
			if (!ret)
				continue;
		}
		if (ret < 0)
			break;
		done += ret;
	}
	mutex_unlock(&conn->tx_mutex);
	if (!done && ret == -EPIPE)
		send_sig(SIGPIPE, current, 0);
	return done ?: ret;
}

static bool flushed(struct rch_conn *conn, u64 seq, bool *ended)
{
	bool acked;

	spin_lock_bh(&conn->lock);
	acked = conn->tx.acked >= seq;
	*ended = rch_conn_ended(conn);
	spin_unlock_bh(&conn->lock);
	return acked || *ended;
}

/*
 * Completions would not do: on iWARP they say only that the bytes have left.
 * The answer to a PING acknowledges what came before it.
 */
int rch_stream_flush(struct rch_conn *conn)
{
	bool ended;
	u64 seq;
	int err;

	spin_lock_bh(&conn->lock);
	seq = conn->tx.seq;
	if (conn->tx.acked < seq && !rch_conn_ended(conn))
		rch_tx_control(conn, RCH_CONTROL_PING);
	spin_unlock_bh(&conn->lock);

	err = wait_event_interruptible(conn->tx_wait,
				       flushed(conn, seq, &ended));
	if (err)
		return err;
	spin_lock_bh(&conn->lock);
	if (conn->tx.acked < seq)
		err = rch_stream_error(conn) ?: -EIO;
	spin_unlock_bh(&conn->lock);
	return err;
}

int rch_stream_shutdown(struct rch_conn *conn)
{
	int err;

	spin_lock_bh(&conn->lock);
	err = rch_stream_error(conn);
	if (!err && !conn->tx.open && !rch_conn_ended(conn))
		err = -ENOTCONN;
	if (!err)
		conn->tx.fin = true;
	spin_unlock_bh(&conn->lock);
	if (err)
		return err;

	/* A writer that waits gives up now; its last message goes first. */
	wake_up_all(&conn->tx_wait);
	if (mutex_lock_interruptible(&conn->tx_mutex))
		return -ERESTARTSYS;
	spin_lock_bh(&conn->lock);
	if (!conn->tx.fin_said)
		rch_tx_control(conn, RCH_CONTROL_FIN);
	conn->tx.fin_said = true;
	spin_unlock_bh(&conn->lock);
	mutex_unlock(&conn->tx_mutex);
	return 0;
}
