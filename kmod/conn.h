/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connection: one open file description on an endpoint's node
 * ===============================================================
 *
 * States, and who moves between them (conn.c has the table):
 *
 *   WAITING ----> ACCEPTING ----> ESTABLISHED ----> CLOSING ----> CLOSED
 *      ^______________|                ^                             ^
 *   RESOLVING --> CONNECTING __________|            any state but these two
 *                                                    ----> BROKEN, CLOSED
 *
 * rch_conn_set_state() is the one function that changes the state, in process
 * context and with no lock held, since it tells monitors. An accept that fails
 * leads back to WAITING: the opener wanted a peer, and others may come.
 *
 * The end. Whatever ends a connection records the cause at its path and stops
 * that; the state changes to CLOSED or BROKEN when the path has drained, so a
 * reader gets all that had arrived before it gets the error, and a writer that
 * meets a stopped path waits for the verdict, which depends on no peer.
 *
 * Lifetime: one reference each is held by the file, by the list of the
 * endpoint, and by the path. The list lets go when the file is closed and the
 * path gone. A connection holds a reference on its endpoint.
 *
 * Lock order, outermost first:
 *
 *   rch_config_mutex                    the table of endpoints
 *   conn->tx_mutex, conn->rx_mutex      one writer, one reader at a time
 *   ep->lock                            lists of an endpoint
 *   conn->lock                          state, queues, credits, posting
 *   rch_devices_lock
 *   path->lock
 *
 * The spinlocks but the last are taken in process and softirq context; the
 * last in any.
 */
#ifndef RCH_CONN_H
#define RCH_CONN_H

#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include <linux/rdmach.h>

#include "credit.h"
#include "pool.h"
#include "stats.h"
#include "wire.h"

struct rch_endpoint;
struct rch_path;

/*
 * A work request of ours: a header and, but for control messages we send, the
 * buffer of the same number.
 */
struct rch_slot {
	struct ib_cqe cqe;
	struct rch_path *path;	/* that it was posted on last */
	struct list_head node;
	u32 index;		/* of header and buffer */
	u32 len;		/* payload */
	u32 offset;		/* payload already read; guarded by rx_mutex */
};

/* Control messages that are to be sent; bits of rch_tx.pending, in this order. */
enum rch_control {
	RCH_CONTROL_READY,
	RCH_CONTROL_CREDIT,
	RCH_CONTROL_PONG,
	RCH_CONTROL_PING,
	RCH_CONTROL_FIN,
	RCH_CONTROL_BYE,
	RCH_CONTROL_NR,
};

/* Sending; see tx.c. Guarded by conn->lock. */
struct rch_tx {
	struct list_head free;		/* slots with a buffer */
	struct list_head free_control;	/* slots without */
	unsigned long pending;
	u64 pong_imm;
	u64 seq;			/* of the last DATA posted */
	u64 acked;			/* the peer has received up to this */
	u32 inflight;			/* work requests not completed */
	u32 payload_max;		/* bytes of one message */
	bool open;			/* DATA may be sent */
	bool fin;			/* DATA may no longer be sent */
	bool fin_said;			/* and the peer was told */
	bool bye_said;			/* nothing more may be sent */
};

/* Receiving; see rx.c. Guarded by conn->lock. */
struct rch_rx {
	struct list_head queue;		/* slots with unread data */
	u32 queued;
	u64 seq;			/* of the last DATA received */
	bool open;			/* messages may come */
	bool ready;			/* READY was seen or is not expected */
	bool fin;			/* the peer will send no more DATA */
	bool bye;			/* the peer has closed */
	bool mute;			/* it broke the protocol: ignore the rest */
};

/* What remains to be shown when the path is gone. */
struct rch_conn_info {
	char device[IB_DEVICE_NAME_MAX];
	u32 port;
	u32 qpn;
	u32 mtu;			/* bytes; 0: the transport has none */
	struct sockaddr_storage local;
	struct sockaddr_storage peer;
};

struct rch_conn {
	struct kref ref;
	struct rch_endpoint *ep;
	struct list_head node;		/* ep->conns; guarded by ep->lock */
	struct list_head wait_node;	/* ep->waiting; likewise */
	bool killed;			/* by the deletion of ep; likewise */
	u32 handle;
	pid_t pid;			/* of the opener, in the initial namespace */
	kuid_t uid;
	char comm[TASK_COMM_LEN];

	spinlock_t lock;		/* all up to the mutexes */
	enum rdmach_conn_state state;
	bool released;			/* the file is closed */
	int error;			/* positive errno */
	char cause[RDMACH_CAUSE_MAX + 1];
	u8 id[RDMACH_CONN_ID_LEN];
	struct rch_path *path;		/* reference */
	struct rch_hello hello;		/* of the peer; depth 0: not known */
	struct rch_conn_info info;
	ktime_t established;		/* 0: never */
	unsigned long deadline;		/* jiffies: of the state */
	unsigned long last_rx;		/* jiffies */
	struct rch_credit credit;
	struct rch_tx tx;
	struct rch_rx rx;

	struct mutex tx_mutex;		/* the order of written bytes */
	struct mutex rx_mutex;		/* the order of read bytes */
	wait_queue_head_t tx_wait;	/* state, room, acknowledgements */
	wait_queue_head_t rx_wait;	/* state, data */
	struct delayed_work timer;

	struct rch_pool pool;
	u32 nr_slots;
	struct rch_slot *slots;		/* receive, send, control */
	struct rch_stats stats;
	struct rcu_head rcu;
};

int rch_conns_init(void);
void rch_conns_exit(void);

/**
 * rch_conn_create - a connection for an open file
 * @ep: endpoint; the connection takes a reference of its own
 *
 * Context: process, of the opener. Return: the connection, referenced for the
 * file, in state RESOLVING or WAITING; or ERR_PTR: -ENOMEM, -EAGAIN (as many as
 * the endpoint allows), -ENXIO (the endpoint is deleted).
 */
struct rch_conn *rch_conn_create(struct rch_endpoint *ep);

/* The file is closed: let go, now or after what was accepted is sent. */
void rch_conn_close(struct rch_conn *conn);

/* End the connection; @error and @cause as for rch_path_fail(). */
void rch_conn_kill(struct rch_conn *conn, int error, const char *cause);

/**
 * rch_conn_set_state - the only way to change the state
 * @conn: connection
 * @to: new state
 * @error: positive errno for BROKEN, else 0
 * @cause: why, or NULL
 *
 * Context: process, no spinlock. Return: false if @to cannot follow.
 */
bool rch_conn_set_state(struct rch_conn *conn, enum rdmach_conn_state to,
			int error, const char *cause);

/* The path has stopped: decide how that leaves the connection. */
void rch_conn_path_gone(struct rch_conn *conn, struct rch_path *path);

/*
 * A work request came back because the queue pair has stopped. While connecting
 * the CM will say why, a moment later; after that it may be all we hear.
 */
void rch_conn_flushed(struct rch_conn *conn, struct rch_path *path);

/* Take over what the path's id knows about addresses and device. */
void rch_conn_update_info(struct rch_conn *conn, struct rch_path *path);

/* Fill both queues for a path that is about to connect. */
void rch_conn_prepare(struct rch_conn *conn, struct rch_path *path);

/* Let the timer look after the connection when its state's time has passed. */
void rch_conn_arm(struct rch_conn *conn);

/* Is the verdict spoken? No more data will come and none be taken. */
static inline bool rch_conn_ended(const struct rch_conn *conn)
{
	enum rdmach_conn_state state = READ_ONCE(conn->state);

	return state == RDMACH_CONN_CLOSED || state == RDMACH_CONN_BROKEN;
}

void rch_conn_get(struct rch_conn *conn);
void rch_conn_put(struct rch_conn *conn);

/**
 * rch_conn_next - walk over all connections
 * @handle: in: least handle; out: that of the connection
 *
 * Return: referenced connection, or NULL at the end.
 */
struct rch_conn *rch_conn_next(unsigned long *handle);

/* Count for a connection; what only endpoints count goes to the endpoint. */
void rch_conn_count(struct rch_conn *conn, enum rdmach_a_stats which, u64 n);

/* tx.c: sending */

/* Empty send queue; the peer is to get DATA of at most @payload_max bytes. */
void rch_tx_init(struct rch_conn *conn);

/* May a writer go on: with data, or with an error? */
bool rch_tx_writable(struct rch_conn *conn);

/**
 * rch_tx_reserve - a buffer for one DATA message
 * @conn: connection; the caller holds tx_mutex
 *
 * Return: slot, or ERR_PTR: -EAGAIN (wait for rch_tx_writable()), -EPIPE, or
 * the connection's error.
 */
struct rch_slot *rch_tx_reserve(struct rch_conn *conn);

/* Where the payload of a reserved slot goes; tx.payload_max bytes. */
void *rch_tx_payload(struct rch_conn *conn, struct rch_slot *slot);

/* Give a reserved slot back unused, or send it with @len bytes of payload. */
void rch_tx_cancel(struct rch_conn *conn, struct rch_slot *slot);
void rch_tx_send(struct rch_conn *conn, struct rch_slot *slot, u32 len);

/* Send a control message, now or when there is a slot. Holds conn->lock. */
void rch_tx_control(struct rch_conn *conn, enum rch_control what);

/* Send control messages that were waiting for a slot. Holds conn->lock. */
void rch_tx_flush(struct rch_conn *conn);

/* rx.c: receiving */

void rch_rx_init(struct rch_conn *conn);

/* Post every receive buffer. Return: 0 or -errno of the device. */
int rch_rx_post_all(struct rch_conn *conn, struct rch_path *path);

/* May a reader go on: with data, end of stream or an error? */
bool rch_rx_readable(struct rch_conn *conn);

/* The oldest unread message, or NULL. The caller holds rx_mutex. */
struct rch_slot *rch_rx_peek(struct rch_conn *conn);

/* Where the payload of a received message lies. */
void *rch_rx_payload(struct rch_conn *conn, struct rch_slot *slot);

/* The oldest message has been read: its buffer may receive again. */
void rch_rx_consume(struct rch_conn *conn, struct rch_slot *slot);

/* stream.c: read() and write(); see uapi/linux/rdmach.h for the errors */

struct iov_iter;

ssize_t rch_stream_read(struct rch_conn *conn, struct iov_iter *to,
			bool nowait);
ssize_t rch_stream_write(struct rch_conn *conn, struct iov_iter *from,
			 bool nowait);

/* Wait until the peer has all that was written before. */
int rch_stream_flush(struct rch_conn *conn);

/* No more will be written. Return: 0, -ENOTCONN, or the connection's error. */
int rch_stream_shutdown(struct rch_conn *conn);

/* Wait for the end of connecting. Return: 0, -ERESTARTSYS, or why it failed. */
int rch_stream_wait_open(struct rch_conn *conn);

/* What a reader or writer gets of a connection that has ended; 0: in order. */
int rch_stream_error(struct rch_conn *conn);

#endif /* RCH_CONN_H */
