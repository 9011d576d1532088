/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One path: an RDMA CM id and the queue pair it drives
 * ====================================================
 *
 * A path is born either as a dialer's, by rch_path_dial(), or as a request that
 * a peer sent to a listener, in which case it has no connection until an open()
 * is there to take it. It is the only place that makes and destroys RDMA
 * objects: protection domain, share of a completion queue, queue pair, DMA
 * mappings, CM id.
 *
 * What happens to it comes from three sides: CM handlers, completions, and
 * whoever ends the connection. None of them acts. They record an event, once
 * for each kind, and queue path->work, which handles what is recorded, in the
 * order of the bits, in process context. The first failure recorded is the
 * cause that users will see; later ones are consequences.
 *
 * The end of a path, for whatever reason, is one work item, queued once, on a
 * workqueue of its own:
 *
 *   forget it at its listener, so that no connection takes it any more
 *   no more events (path->dying); wait for path->work, which may be starting it
 *   no more posting (path->up)
 *   disconnect, or reject a request that was never taken
 *   drain the receive queue, then the send queue
 *   destroy the CM id, which fences its handlers; then QP, CQ, mappings, PD
 *   leave the device
 *   tell the connection, which only now decides how it ended: what the drain
 *   delivered is data that had arrived
 *
 * Each queue has one work request more than tx.c and rx.c use, so the drain
 * always finds a slot.
 *
 * References: the stop work owns the first and puts it when done. A connection
 * holds one on its path, and the path one on its connection, from the moment
 * they meet until the stop work separates them; so every path is stopped, and
 * none is freed under its connection.
 *
 * Locks: path->lock guards events, error, dying; it is innermost. path->up is
 * guarded by the connection's lock, under which everything is posted: that is
 * the gate of the data path. A per-CPU reference would do the same at the price
 * of an RCU grace period for each teardown, and sends need the lock for the
 * order of their numbers anyway.
 */
#ifndef RCH_PATH_H
#define RCH_PATH_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include <linux/rdmach.h>

#include "pool.h"
#include "wire.h"

struct rch_conn;
struct rch_device;
struct rch_endpoint;

/* In the order in which they are handled. */
enum rch_path_event {
	RCH_EV_DIAL,
	RCH_EV_ADDR_RESOLVED,
	RCH_EV_ROUTE_RESOLVED,
	RCH_EV_TAKEN,		/* a connection takes the request */
	RCH_EV_COMM_EST,	/* a message came before the CM's last word */
	RCH_EV_ESTABLISHED,	/* the listener has accepted */
	RCH_EV_READY,		/* the dialer has spoken */
	RCH_EV_FAILED,		/* path->error says why */
	RCH_EV_BYE,		/* the peer has closed; nothing more will come */
};

struct rch_path {
	struct kref ref;
	struct rch_endpoint *ep;	/* reference */
	struct rch_conn *conn;		/* reference; see above */
	struct list_head request_node;	/* ep->requests, guarded by ep->lock */
	unsigned long expires;		/* jiffies, of a request */
	struct rch_hello hello;		/* of the peer, once known */

	spinlock_t lock;		/* all up to the works */
	unsigned long events;		/* bits of enum rch_path_event */
	bool admitted;			/* events may be handled */
	bool dying;			/* events are of no use any more */
	bool disconnected;		/* the peer, or its CM, hung up */
	int error;			/* positive errno, 0: none */
	char cause[RDMACH_CAUSE_MAX + 1];

	struct work_struct work;
	struct work_struct stop_work;
	unsigned long stopping;		/* bit 0: stop_work is queued */
	bool connected;			/* work only: connect or accept was called */
	bool up;			/* guarded by conn->lock */

	struct rch_device *dev;
	struct list_head dev_node;	/* dev->paths, guarded by its lock */
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u32 nr_cqe;
	struct rch_pool_map map;
};

/* For works that end soon and wait for no other work. */
extern struct workqueue_struct *rch_cm_wq;

int rch_paths_init(void);
void rch_paths_exit(void);

/* Wait until every path that is being stopped has stopped. */
void rch_paths_flush(void);

/**
 * rch_path_dial - start to connect
 * @conn: in state RESOLVING, without a path; gets one
 *
 * Context: process. Return: 0 (success or failure will be told), -ENXIO if the
 * connection was ended meanwhile, or another -errno.
 */
int rch_path_dial(struct rch_conn *conn);

/**
 * rch_path_request - make a path of a peer's request
 * @ep: the endpoint that was dialed
 * @id: the new id of the request; becomes the path's
 * @hello: what the peer says
 *
 * It is on its device's list, so it may fail at once, but nothing is done about
 * that before rch_path_admit(), which follows when others know the path, or
 * rch_path_disown().
 *
 * Context: CM handler. Return: the path, or NULL: reject, @id is untouched.
 */
struct rch_path *rch_path_request(struct rch_endpoint *ep,
				  struct rdma_cm_id *id,
				  const struct rch_hello *hello);

/* From here on the path acts on its events. */
void rch_path_admit(struct rch_path *path);

/**
 * rch_path_disown - undo rch_path_request() before anyone else knows the path
 * @path: path; freed. Its id lives on, for the CM core to destroy.
 */
void rch_path_disown(struct rch_path *path);

/* Record an event. Context: any. */
void rch_path_event(struct rch_path *path, enum rch_path_event event);

/**
 * rch_path_fail - the path has to end; the first cause stays
 * @path: path
 * @error: positive errno that users of the connection get
 * @fmt: the cause in words, for people
 *
 * Context: any, also with conn->lock or the device list's lock held.
 */
__printf(3, 4)
void rch_path_fail(struct rch_path *path, int error, const char *fmt, ...);

/* The CM has no answer: that ends a path which is connecting. Context: any. */
void rch_path_unreachable(struct rch_path *path, int status);

/* The peer hung up: no data is lost if it had closed. Context: any. */
void rch_path_disconnected(struct rch_path *path);

/* End the path without blame. Idempotent. Context: any. */
void rch_path_stop(struct rch_path *path);

void rch_path_get(struct rch_path *path);
void rch_path_put(struct rch_path *path);

/* cm.c: what the CM core calls. */
int rch_cm_path_handler(struct rdma_cm_id *id, struct rdma_cm_event *event);
int rch_cm_listen_handler(struct rdma_cm_id *id, struct rdma_cm_event *event);
/* The -errno of our contract for what the CM core returned. */
int rch_cm_errno(int err);

#endif /* RCH_PATH_H */
