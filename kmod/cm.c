// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA CM events
 * ==============
 *
 * The handlers record what happened and let works act on it: they take the
 * spinlocks of path and endpoint, sleep for memory at most, and destroy
 * nothing. Each kind of event has a bit of its own at the path, so none is lost
 * when two come together.
 *
 * A handler's non-zero return makes the CM core destroy the id. That is used
 * only for a request that is refused at once, which nobody owns yet.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_cm.h>

#include "conn.h"
#include "endpoint.h"
#include "listen.h"
#include "path.h"

int rch_cm_errno(int err)
{
	switch (err) {
	case -ENOMEM:
		return -ENOMEM;
	case -ENODEV:
	case -EADDRNOTAVAIL:
		return -ENODEV;
	default:
		return -EHOSTUNREACH;
	}
}

static void path_addr_error(struct rch_path *path, int status)
{
	if (status == -ENODEV)
		rch_path_fail(path, ENODEV,
			      "no RDMA device stands behind the local address");
	else if (status == -ETIMEDOUT)
		rch_path_fail(path, EHOSTUNREACH, "no neighbour answers");
	else
		rch_path_fail(path, -rch_cm_errno(status),
			      "the address cannot be resolved: error %d",
			      -status);
}

/* The listener's answer has to be of our protocol, too. */
static void path_answered(struct rch_path *path,
			  const struct rdma_conn_param *param)
{
	enum rch_reject reason;

	/* On the listener's side nothing depends on this event. */
	if (path->ep->config.role != RDMACH_ROLE_CONNECT)
		return;
	reason = rch_wire_decode_hello(param->private_data,
				       param->private_data_len, &path->hello);
	if (reason)
		rch_path_fail(path, EPROTO, "the listener's answer: %s",
			      rch_wire_reject_text(reason));
	else
		rch_path_event(path, RCH_EV_ESTABLISHED);
}

static void path_rejected(struct rch_path *path, struct rdma_cm_id *id,
			  struct rdma_cm_event *event)
{
	enum rch_reject reason;
	const void *data;
	u8 len = 0;

	if (path->ep->config.role == RDMACH_ROLE_LISTEN) {
		rch_path_fail(path, ECONNRESET, "the dialer gave up");
		return;
	}
	/* It had accepted, and left before the CM heard our last word. */
	if (path->hello.depth) {
		rch_path_disconnected(path);
		return;
	}
	/* NULL: not by the listener but by the CM of its host. */
	data = rdma_consumer_reject_data(id, event, &len);
	if (!data) {
		rch_path_fail(path, ECONNREFUSED, "refused: %s",
			      rdma_reject_msg(id, event->status));
		return;
	}
	/* InfiniBand's CM sends its own refusals so, too. */
	if (!memchr_inv(data, 0, len)) {
		rch_path_fail(path, ECONNREFUSED, "refused without a reason");
		return;
	}
	reason = rch_wire_decode_reject(data, len);
	rch_path_fail(path, reason == RCH_REJECT_VERSION ? EPROTO : ECONNREFUSED,
		      "refused: %s", rch_wire_reject_text(reason));
}

int rch_cm_path_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rch_path *path = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		rch_path_event(path, RCH_EV_ADDR_RESOLVED);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
		path_addr_error(path, event->status);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		rch_path_event(path, RCH_EV_ROUTE_RESOLVED);
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		rch_path_fail(path, EHOSTUNREACH, "no route: error %d",
			      -event->status);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		path_answered(path, &event->param.conn);
		break;
	case RDMA_CM_EVENT_REJECTED:
		path_rejected(path, id, event);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
		rch_path_fail(path, ECONNREFUSED, "connecting failed: error %d",
			      -event->status);
		break;
	case RDMA_CM_EVENT_UNREACHABLE:
		rch_path_unreachable(path, event->status);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		rch_path_disconnected(path);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		rch_path_fail(path, ENODEV, "the RDMA device was removed");
		break;
	case RDMA_CM_EVENT_ADDR_CHANGE:
		rch_path_fail(path, ECONNRESET,
			      "the local address moved to another port");
		break;
	default:
		rch_stats_inc(&path->ep->stats, RDMACH_A_STATS_CM_IGNORED);
	}
	return 0;
}

static int refuse(struct rch_endpoint *ep, struct rdma_cm_id *id,
		  enum rch_reject reason)
{
	struct rch_wire_reject wire;

	rch_listen_count_refusal(ep, reason);
	rch_wire_encode_reject(&wire, reason);
	rdma_reject(id, &wire, sizeof(wire), IB_CM_REJ_CONSUMER_DEFINED);
	return -ECONNREFUSED;
}

static int connect_request(struct rch_endpoint *ep, struct rdma_cm_id *id,
			   const struct rdma_conn_param *param)
{
	enum rch_reject reason;
	struct rch_hello hello;
	struct rch_path *path;

	reason = rch_wire_decode_hello(param->private_data,
				       param->private_data_len, &hello);
	if (reason)
		return refuse(ep, id, reason);
	path = rch_path_request(ep, id, &hello);
	if (!path)
		return refuse(ep, id, RCH_REJECT_RESOURCES);

	/* The id was born with the listener's; from here on it is the path's. */
	id->context = path;
	id->event_handler = rch_cm_path_handler;
	reason = rch_listen_request(path);
	if (reason) {
		rch_path_disown(path);
		return refuse(ep, id, reason);
	}
	/* The id lives until this handler returns, so does the path. */
	rch_path_admit(path);
	return 0;
}

int rch_cm_listen_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rch_endpoint *ep = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return connect_request(ep, id, &event->param.conn);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		rch_listen_lost(ep);
		break;
	default:
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_CM_IGNORED);
	}
	return 0;
}
