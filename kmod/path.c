// SPDX-License-Identifier: GPL-2.0
/* One path: CM id and queue pair; see path.h. */
#include <linux/slab.h>
#include <rdma/ib_cm.h>

#include "conn.h"
#include "device.h"
#include "endpoint.h"
#include "listen.h"
#include "path.h"

/* One work request of each queue is kept for draining. */
#define RCH_PATH_DRAIN_WR	1
/* Header, payload. */
#define RCH_PATH_SGE		2
/* No answer for so long means no neighbour, as for TCP. */
#define RCH_PATH_ADDR_TIMEOUT_MS	3000U

/*
 * The works of connecting must not wait for those of teardown, which wait for
 * them.
 */
struct workqueue_struct *rch_cm_wq;
static struct workqueue_struct *rch_stop_wq;

static void path_work(struct work_struct *work);
static void path_stop_work(struct work_struct *work);

int rch_paths_init(void)
{
	rch_cm_wq = alloc_workqueue("rdmach_cm", WQ_UNBOUND, 0);
	if (!rch_cm_wq)
		return -ENOMEM;
	rch_stop_wq = alloc_workqueue("rdmach_stop", WQ_UNBOUND, 0);
	if (!rch_stop_wq) {
		destroy_workqueue(rch_cm_wq);
		return -ENOMEM;
	}
	return 0;
}

void rch_paths_exit(void)
{
	destroy_workqueue(rch_stop_wq);
	destroy_workqueue(rch_cm_wq);
}

void rch_paths_flush(void)
{
	flush_workqueue(rch_cm_wq);
	flush_workqueue(rch_stop_wq);
}

static struct rch_path *path_alloc(struct rch_endpoint *ep)
{
	struct rch_path *path = kzalloc(sizeof(*path), GFP_KERNEL);

	if (!path)
		return NULL;
	kref_init(&path->ref);
	spin_lock_init(&path->lock);
	INIT_LIST_HEAD(&path->request_node);
	INIT_LIST_HEAD(&path->dev_node);
	INIT_WORK(&path->work, path_work);
	INIT_WORK(&path->stop_work, path_stop_work);
	rch_endpoint_get(ep);
	rch_endpoint_path_born(ep);
	path->ep = ep;
	return path;
}

void rch_path_get(struct rch_path *path)
{
	kref_get(&path->ref);
}

static void path_free(struct kref *ref)
{
	struct rch_path *path = container_of(ref, struct rch_path, ref);

	rch_endpoint_path_gone(path->ep);
	rch_endpoint_put(path->ep);
	kfree(path);
}

void rch_path_put(struct rch_path *path)
{
	kref_put(&path->ref, path_free);
}

static void kick(struct rch_path *path)
{
	lockdep_assert_held(&path->lock);
	if (path->admitted && !path->dying && path->events)
		queue_work(rch_cm_wq, &path->work);
}

void rch_path_event(struct rch_path *path, enum rch_path_event event)
{
	unsigned long flags;

	spin_lock_irqsave(&path->lock, flags);
	path->events |= BIT(event);
	kick(path);
	spin_unlock_irqrestore(&path->lock, flags);
}

void rch_path_admit(struct rch_path *path)
{
	unsigned long flags;

	spin_lock_irqsave(&path->lock, flags);
	path->admitted = true;
	kick(path);
	spin_unlock_irqrestore(&path->lock, flags);
}

void rch_path_fail(struct rch_path *path, int error, const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	spin_lock_irqsave(&path->lock, flags);
	if (!path->error) {
		path->error = error;
		va_start(args, fmt);
		vscnprintf(path->cause, sizeof(path->cause), fmt, args);
		va_end(args);
	}
	path->events |= BIT(RCH_EV_FAILED);
	kick(path);
	spin_unlock_irqrestore(&path->lock, flags);
}

void rch_path_unreachable(struct rch_path *path, int status)
{
	struct rch_conn *conn = READ_ONCE(path->conn);
	enum rdmach_conn_state state;

	/* May also come to one that works, when a neighbour entry changes. */
	state = conn ? READ_ONCE(conn->state) : RDMACH_CONN_ACCEPTING;
	if (state >= RDMACH_CONN_ESTABLISHED) {
		rch_stats_inc(&path->ep->stats, RDMACH_A_STATS_CM_IGNORED);
		return;
	}
	rch_path_fail(path, ETIMEDOUT, "the peer does not answer: error %d",
		      -status);
}

void rch_path_disconnected(struct rch_path *path)
{
	WRITE_ONCE(path->disconnected, true);
	rch_path_fail(path, ECONNRESET,
		      "the peer disconnected without closing");
}

void rch_path_stop(struct rch_path *path)
{
	if (!test_and_set_bit(0, &path->stopping))
		queue_work(rch_stop_wq, &path->stop_work);
}

/* Starting */

/* The options that the CM core applies when it connects or accepts. */
static void path_apply_options(struct rch_path *path)
{
	const struct rch_endpoint_config *config = &path->ep->config;

	if (config->tos >= 0)
		rdma_set_service_type(path->id, config->tos);
	if (config->ack_timeout)
		rdma_set_ack_timeout(path->id, config->ack_timeout);
}

/* Both hold each other, unless the connection has ended already. */
static bool path_join(struct rch_path *path, struct rch_conn *conn)
{
	bool joined;

	spin_lock_bh(&conn->lock);
	joined = conn->state == RDMACH_CONN_RESOLVING;
	if (joined) {
		rch_conn_get(conn);
		path->conn = conn;
		rch_path_get(path);
		conn->path = path;
	}
	spin_unlock_bh(&conn->lock);
	return joined;
}

int rch_path_dial(struct rch_conn *conn)
{
	struct rch_path *path;
	int err;

	path = path_alloc(conn->ep);
	if (!path)
		return -ENOMEM;
	path->id = rdma_create_id(&init_net, rch_cm_path_handler, path,
				  RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(path->id)) {
		err = PTR_ERR(path->id);
		path->id = NULL;
		rch_path_put(path);
		return err;
	}
	path_apply_options(path);
	/* Once joined the path ends by its stop work, perhaps before we go on. */
	rch_path_get(path);
	if (!path_join(path, conn)) {
		rdma_destroy_id(path->id);
		path->id = NULL;
		rch_path_put(path);
		rch_path_put(path);
		return -ENXIO;
	}
	rch_path_admit(path);
	rch_path_event(path, RCH_EV_DIAL);
	rch_path_put(path);
	return 0;
}

static void path_dial(struct rch_path *path)
{
	const struct rch_endpoint_config *config = &path->ep->config;
	struct sockaddr_storage from = config->local, to = config->peer;
	u32 ms = min(config->connect_timeout_ms, RCH_PATH_ADDR_TIMEOUT_MS);
	int err;

	err = rdma_resolve_addr(path->id,
				from.ss_family ? (struct sockaddr *)&from : NULL,
				(struct sockaddr *)&to, ms);
	if (err)
		rch_path_fail(path, -rch_cm_errno(err),
			      "cannot resolve the address: error %d", -err);
}

struct rch_path *rch_path_request(struct rch_endpoint *ep,
				  struct rdma_cm_id *id,
				  const struct rch_hello *hello)
{
	struct rch_path *path = path_alloc(ep);

	if (!path)
		return NULL;
	path->id = id;
	path->hello = *hello;
	path->expires = jiffies + msecs_to_jiffies(ep->config.connect_timeout_ms);
	if (rch_device_get(path, id->device)) {
		path->id = NULL;
		rch_path_put(path);
		return NULL;
	}
	return path;
}

void rch_path_disown(struct rch_path *path)
{
	rch_device_put(path);
	path->id = NULL;
	rch_path_put(path);
}

static void path_addr_resolved(struct rch_path *path)
{
	int err;

	if (!path->id->device || rch_device_get(path, path->id->device)) {
		rch_path_fail(path, ENODEV,
			      "no RDMA device stands behind the local address");
		return;
	}
	rch_conn_update_info(path->conn, path);
	err = rdma_resolve_route(path->id,
				 path->ep->config.connect_timeout_ms);
	if (err)
		rch_path_fail(path, EHOSTUNREACH, "no route: error %d", -err);
}

static void qp_event(struct ib_event *event, void *context)
{
	struct rch_path *path = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		rch_path_event(path, RCH_EV_COMM_EST);
		break;
	case IB_EVENT_QP_LAST_WQE_REACHED:
		break;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
	case IB_EVENT_DEVICE_FATAL:
		rch_path_fail(path, EIO, "the device reports: %s",
			      ib_event_msg(event->event));
		break;
	default:
		rch_stats_inc(&path->ep->stats, RDMACH_A_STATS_CM_IGNORED);
	}
}

/* A device that is too small says which limit is in the way. */
static bool path_fits_device(struct rch_path *path, u32 nr_wr)
{
	const struct ib_device_attr *attr = &path->id->device->attrs;

	if (nr_wr > attr->max_qp_wr) {
		rch_path_fail(path, ENOMEM,
			      "depth needs %u work requests, %s allows %d",
			      nr_wr, dev_name(&path->id->device->dev),
			      attr->max_qp_wr);
		return false;
	}
	if (2 * nr_wr > attr->max_cqe) {
		rch_path_fail(path, ENOMEM,
			      "depth needs %u completions, %s allows %d",
			      2 * nr_wr, dev_name(&path->id->device->dev),
			      attr->max_cqe);
		return false;
	}
	if (min(attr->max_send_sge, attr->max_recv_sge) < RCH_PATH_SGE) {
		rch_path_fail(path, EOPNOTSUPP,
			      "%s cannot gather two segments a message",
			      dev_name(&path->id->device->dev));
		return false;
	}
	return true;
}

static int path_create_qp(struct rch_path *path, u32 nr_wr)
{
	struct ib_qp_init_attr attr = {
		.event_handler = qp_event,
		.qp_context = path,
		.send_cq = path->cq,
		.recv_cq = path->cq,
		.cap = {
			.max_send_wr = nr_wr,
			.max_recv_wr = nr_wr,
			.max_send_sge = RCH_PATH_SGE,
			.max_recv_sge = RCH_PATH_SGE,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	int err = rdma_create_qp(path->id, path->pd, &attr);

	if (!err)
		path->qp = path->id->qp;
	return err;
}

/*
 * Everything that can receive a message, receives posted. What was made before
 * an error is unmade by the stop work.
 */
static bool path_start(struct rch_path *path)
{
	struct ib_device *dev = path->id->device;
	struct rch_conn *conn = path->conn;
	u32 nr_wr = path->ep->config.depth + RCH_CONTROL_SLOTS +
		    RCH_PATH_DRAIN_WR;
	const char *what;
	int err;

	if (!path_fits_device(path, nr_wr))
		return false;

	what = "a protection domain";
	path->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(path->pd)) {
		err = PTR_ERR(path->pd);
		path->pd = NULL;
		goto fail;
	}
	what = "a completion queue";
	path->nr_cqe = 2 * nr_wr;
	path->cq = ib_cq_pool_get(dev, path->nr_cqe, -1, IB_POLL_SOFTIRQ);
	if (IS_ERR(path->cq)) {
		err = PTR_ERR(path->cq);
		path->cq = NULL;
		goto fail;
	}
	what = "a queue pair";
	err = path_create_qp(path, nr_wr);
	if (err)
		goto fail;
	what = "the buffers";
	err = rch_pool_map(&conn->pool, &path->map, dev);
	if (err)
		goto fail;

	rch_conn_prepare(conn, path);
	what = "receive requests";
	err = rch_rx_post_all(conn, path);
	if (err)
		goto fail;
	rch_conn_update_info(conn, path);
	return true;

fail:
	rch_path_fail(path, err == -EIO ? EIO : ENOMEM,
		      "%s refuses %s: error %d", dev_name(&dev->dev), what, -err);
	return false;
}

static void path_conn_param(struct rch_path *path, struct rdma_conn_param *param,
			    struct rch_wire_hello *wire, u8 answer)
{
	struct rch_conn *conn = path->conn;
	struct rch_hello hello = {
		.path_count = 1,
		.buffer_size = path->ep->config.buffer_size,
		.depth = path->ep->config.depth,
		.features = answer ? path->hello.features : RCH_WIRE_FEATURES,
	};

	memcpy(hello.conn_id, conn->id, sizeof(hello.conn_id));
	rch_wire_encode_hello(wire, &hello, answer);
	*param = (struct rdma_conn_param){
		.private_data = wire,
		.private_data_len = sizeof(*wire),
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = 7,
		/* Credits make a receiver that is not ready a bug: show it. */
		.rnr_retry_count = 0,
	};
}

static void path_connect(struct rch_path *path)
{
	struct rdma_conn_param param;
	struct rch_wire_hello wire;
	int err;

	if (!path_start(path))
		return;
	path_conn_param(path, &param, &wire, 0);
	if (!rch_conn_set_state(path->conn, RDMACH_CONN_CONNECTING, 0, NULL)) {
		rch_path_stop(path);
		return;
	}
	path->connected = true;
	err = rdma_connect(path->id, &param);
	if (err)
		rch_path_fail(path, EHOSTUNREACH, "cannot connect: error %d",
			      -err);
}

static void path_accept(struct rch_path *path)
{
	struct rch_conn *conn = path->conn;
	struct rdma_conn_param param;
	struct rch_wire_hello wire;
	int err;

	spin_lock_bh(&conn->lock);
	memcpy(conn->id, path->hello.conn_id, sizeof(conn->id));
	spin_unlock_bh(&conn->lock);
	if (!rch_conn_set_state(conn, RDMACH_CONN_ACCEPTING, 0, NULL)) {
		rch_path_stop(path);
		return;
	}
	path_apply_options(path);
	if (!path_start(path))
		return;
	path_conn_param(path, &param, &wire, path->hello.version);
	rdma_lock_handler(path->id);
	path->connected = true;
	err = rdma_accept(path->id, &param);
	rdma_unlock_handler(path->id);
	if (err)
		rch_path_fail(path, ECONNRESET,
			      "the peer left while being accepted: error %d",
			      -err);
}

/* The listener has answered with its hello: speak first. */
static void path_established(struct rch_path *path)
{
	struct rch_conn *conn = path->conn;

	spin_lock_bh(&conn->lock);
	conn->hello = path->hello;
	conn->tx.payload_max = min(path->hello.buffer_size,
				   path->ep->config.buffer_size);
	rch_credit_init(&conn->credit, path->ep->config.depth,
			path->hello.depth);
	conn->rx.open = true;
	conn->rx.ready = true;
	conn->last_rx = jiffies;
	rch_tx_control(conn, RCH_CONTROL_READY);
	conn->tx.open = true;
	spin_unlock_bh(&conn->lock);
	rch_conn_set_state(conn, RDMACH_CONN_ESTABLISHED, 0, NULL);
}

static void path_ready(struct rch_path *path)
{
	rch_conn_set_state(path->conn, RDMACH_CONN_ESTABLISHED, 0, NULL);
}

static void path_work(struct work_struct *work)
{
	struct rch_path *path = container_of(work, struct rch_path, work);
	unsigned long events;

	spin_lock_irq(&path->lock);
	events = path->dying ? 0 : path->events;
	path->events &= ~events;
	spin_unlock_irq(&path->lock);

	/* A request that nobody has taken can only end. */
	if (READ_ONCE(path->conn)) {
		if (events & BIT(RCH_EV_DIAL))
			path_dial(path);
		if (events & BIT(RCH_EV_ADDR_RESOLVED))
			path_addr_resolved(path);
		if (events & BIT(RCH_EV_ROUTE_RESOLVED))
			path_connect(path);
		if (events & BIT(RCH_EV_TAKEN))
			path_accept(path);
		if (events & BIT(RCH_EV_COMM_EST))
			rdma_notify(path->id, IB_EVENT_COMM_EST);
		if (events & BIT(RCH_EV_ESTABLISHED))
			path_established(path);
		if (events & BIT(RCH_EV_READY))
			path_ready(path);
	}
	if (events & (BIT(RCH_EV_FAILED) | BIT(RCH_EV_BYE)))
		rch_path_stop(path);
}

/* Stopping */

static void path_hang_up(struct rch_path *path)
{
	struct rch_wire_reject wire;

	if (path->connected) {
		rdma_disconnect(path->id);
		return;
	}
	if (path->ep->config.role == RDMACH_ROLE_LISTEN) {
		rch_wire_encode_reject(&wire, rch_listen_reject_reason(path));
		rdma_reject(path->id, &wire, sizeof(wire),
			    IB_CM_REJ_CONSUMER_DEFINED);
	}
}

static void path_destroy(struct rch_path *path)
{
	if (path->qp) {
		ib_drain_rq(path->qp);
		ib_drain_sq(path->qp);
	}
	if (path->id)
		rdma_destroy_id(path->id);
	if (path->qp)
		ib_destroy_qp(path->qp);
	if (path->cq)
		ib_cq_pool_put(path->cq, path->nr_cqe);
	if (path->conn)
		rch_pool_unmap(&path->conn->pool, &path->map);
	if (path->pd)
		ib_dealloc_pd(path->pd);
	path->id = NULL;
	path->qp = NULL;
	rch_device_put(path);
}

static void path_stop_work(struct work_struct *work)
{
	struct rch_path *path = container_of(work, struct rch_path, stop_work);
	struct rch_conn *conn;

	rch_listen_forget(path);
	/* Nobody takes the path any more: its connection, if any, is final. */
	conn = path->conn;

	spin_lock_irq(&path->lock);
	path->dying = true;
	spin_unlock_irq(&path->lock);
	/* It may be starting the path still, which opens the gate. */
	cancel_work_sync(&path->work);
	if (conn) {
		spin_lock_bh(&conn->lock);
		path->up = false;
		spin_unlock_bh(&conn->lock);
		wake_up_all(&conn->tx_wait);
	}

	if (path->id)
		path_hang_up(path);
	path_destroy(path);
	if (conn) {
		rch_conn_path_gone(conn, path);
		path->conn = NULL;
		rch_conn_put(conn);
	}
	rch_path_put(path);
}
