// SPDX-License-Identifier: GPL-2.0
/* Listening; see listen.h. */
#include <rdma/rdma_cm.h>

#include "conn.h"
#include "endpoint.h"
#include "listen.h"
#include "netlink.h"
#include "path.h"

#define RCH_LISTEN_RETRY	HZ

static void set_state(struct rch_endpoint *ep, enum rdmach_endpoint_state to)
{
	bool changed;

	/* Being added or deleted is a notification of its own. */
	spin_lock_bh(&ep->lock);
	changed = ep->state != to && !ep->dying &&
		  device_is_registered(&ep->dev);
	ep->state = to;
	spin_unlock_bh(&ep->lock);
	if (changed)
		rch_notify_endpoint(RDMACH_CMD_ENDPOINT_CHANGE_NTF, ep);
}

int rch_listen_start(struct rch_endpoint *ep)
{
	struct sockaddr_storage local = ep->config.local;
	struct rdma_cm_id *id;
	int err;

	lockdep_assert_held(&rch_config_mutex);
	id = rdma_create_id(&init_net, rch_cm_listen_handler, ep, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	/* [::] and 0.0.0.0 are two listeners, as for TCP with IPV6_V6ONLY. */
	err = local.ss_family == AF_INET6 ? rdma_set_afonly(id, 1) : 0;
	if (!err)
		err = rdma_bind_addr(id, (struct sockaddr *)&local);
	if (!err)
		err = rdma_listen(id, ep->config.backlog + 1);
	if (err) {
		rdma_destroy_id(id);
		return err;
	}
	ep->listener = id;
	set_state(ep, RDMACH_ENDPOINT_LISTENING);
	return 0;
}

void rch_listen_stop(struct rch_endpoint *ep)
{
	struct rdma_cm_id *id = ep->listener;

	lockdep_assert_held(&rch_config_mutex);
	ep->listener = NULL;
	if (!id)
		return;
	rdma_destroy_id(id);
	set_state(ep, RDMACH_ENDPOINT_DOWN);
}

static void listen_work(struct work_struct *work)
{
	struct rch_endpoint *ep = container_of(to_delayed_work(work),
					       struct rch_endpoint, listen_work);
	int err = 0;

	mutex_lock(&rch_config_mutex);
	if (xchg(&ep->listener_lost, false))
		rch_listen_stop(ep);
	if (!ep->dying && !ep->listener) {
		err = rch_listen_start(ep);
		if (err)
			queue_delayed_work(rch_cm_wq, &ep->listen_work,
					   RCH_LISTEN_RETRY);
	}
	mutex_unlock(&rch_config_mutex);
	if (err)
		rch_endpoint_error(ep, -err, "cannot listen again yet");
}

void rch_listen_lost(struct rch_endpoint *ep)
{
	WRITE_ONCE(ep->listener_lost, true);
	mod_delayed_work(rch_cm_wq, &ep->listen_work, 0);
}

void rch_listen_device_added(void)
{
	struct rch_endpoint *ep;
	unsigned long minor = 0;

	mutex_lock(&rch_config_mutex);
	for (; (ep = rch_endpoint_next(&minor)); minor++)
		if (ep->config.role == RDMACH_ROLE_LISTEN && !ep->listener)
			mod_delayed_work(rch_cm_wq, &ep->listen_work, 0);
	mutex_unlock(&rch_config_mutex);
}

void rch_listen_device_removed(struct ib_device *ibdev)
{
	struct rch_endpoint *ep;
	unsigned long minor = 0;

	mutex_lock(&rch_config_mutex);
	for (; (ep = rch_endpoint_next(&minor)); minor++) {
		if (!ep->listener || ep->listener->device != ibdev)
			continue;
		rch_listen_stop(ep);
		rch_endpoint_error(ep, ENODEV, "the RDMA device was removed");
		mod_delayed_work(rch_cm_wq, &ep->listen_work, RCH_LISTEN_RETRY);
	}
	mutex_unlock(&rch_config_mutex);
}

static void take(struct rch_conn *conn, struct rch_path *path)
{
	rch_conn_get(conn);
	rch_path_get(path);
	spin_lock(&conn->lock);
	conn->path = path;
	spin_unlock(&conn->lock);
	WRITE_ONCE(path->conn, conn);
	rch_path_event(path, RCH_EV_TAKEN);
}

static void forget_locked(struct rch_endpoint *ep, struct rch_path *path)
{
	list_del_init(&path->request_node);
	ep->nr_requests--;
}

static void match(struct rch_endpoint *ep)
{
	struct rch_conn *conn;
	struct rch_path *path;

	lockdep_assert_held(&ep->lock);
	while (!list_empty(&ep->waiting) && !list_empty(&ep->requests)) {
		conn = list_first_entry(&ep->waiting, struct rch_conn,
					wait_node);
		path = list_first_entry(&ep->requests, struct rch_path,
					request_node);
		list_del_init(&conn->wait_node);
		forget_locked(ep, path);
		take(conn, path);
	}
}

enum rch_reject rch_listen_request(struct rch_path *path)
{
	struct rch_endpoint *ep = path->ep;
	unsigned long wait = msecs_to_jiffies(ep->config.connect_timeout_ms);
	enum rch_reject reason = RCH_REJECT_NONE;

	spin_lock_bh(&ep->lock);
	if (ep->dying) {
		reason = RCH_REJECT_SHUTDOWN;
	} else if (list_empty(&ep->waiting) &&
		   ep->nr_requests >= ep->config.backlog) {
		reason = RCH_REJECT_BACKLOG;
	} else {
		list_add_tail(&path->request_node, &ep->requests);
		ep->nr_requests++;
		match(ep);
		if (!list_empty(&ep->requests))
			queue_delayed_work(rch_cm_wq, &ep->expire_work, wait);
	}
	spin_unlock_bh(&ep->lock);
	return reason;
}

static void expire_work(struct work_struct *work)
{
	struct rch_endpoint *ep = container_of(to_delayed_work(work),
					       struct rch_endpoint, expire_work);
	struct rch_path *path, *next;

	spin_lock_bh(&ep->lock);
	list_for_each_entry_safe(path, next, &ep->requests, request_node) {
		if (time_before(jiffies, path->expires)) {
			queue_delayed_work(rch_cm_wq, &ep->expire_work,
					   path->expires - jiffies);
			break;
		}
		forget_locked(ep, path);
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_EXPIRED);
		rch_path_stop(path);
	}
	spin_unlock_bh(&ep->lock);
}

void rch_listen_count_refusal(struct rch_endpoint *ep, enum rch_reject reason)
{
	switch (reason) {
	case RCH_REJECT_STRANGER:
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_REFUSED_STRANGER);
		rch_endpoint_error(ep, EPROTO,
				   "refused a stranger: it speaks another protocol");
		break;
	case RCH_REJECT_VERSION:
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_REFUSED_VERSION);
		rch_endpoint_error(ep, EPROTO,
				   "refused a peer of another protocol version");
		break;
	case RCH_REJECT_BACKLOG:
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_REFUSED_BACKLOG);
		rch_endpoint_error(ep, EAGAIN,
				   "refused a peer: the backlog is full");
		break;
	case RCH_REJECT_RESOURCES:
	case RCH_REJECT_SHUTDOWN:
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_REFUSED_RESOURCES);
		rch_endpoint_error(ep, ENOMEM,
				   "refused a peer: no memory, or no device");
		break;
	default:
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_REFUSED_PARAMETER);
		rch_endpoint_error(ep, EPROTO,
				   "refused a peer: a parameter out of range");
	}
}

enum rch_reject rch_listen_reject_reason(const struct rch_path *path)
{
	if (READ_ONCE(path->ep->dying))
		return RCH_REJECT_SHUTDOWN;
	if (path->conn && path->error == ENOMEM)
		return RCH_REJECT_RESOURCES;
	return RCH_REJECT_EXPIRED;
}

void rch_listen_forget(struct rch_path *path)
{
	struct rch_endpoint *ep = path->ep;

	spin_lock_bh(&ep->lock);
	if (!list_empty(&path->request_node)) {
		forget_locked(ep, path);
		rch_stats_inc(&ep->stats, RDMACH_A_STATS_EXPIRED);
	}
	spin_unlock_bh(&ep->lock);
}

int rch_listen_wait(struct rch_conn *conn, bool first)
{
	struct rch_endpoint *ep = conn->ep;
	int err = 0;

	spin_lock_bh(&ep->lock);
	/* Closing sets released before it looks at this list. */
	if (READ_ONCE(conn->released))
		err = -ECANCELED;
	else if (ep->dying)
		err = -ENXIO;
	else if (ep->state == RDMACH_ENDPOINT_DOWN && !first)
		err = -ESHUTDOWN;
	else if (first)
		list_add(&conn->wait_node, &ep->waiting);
	else
		list_add_tail(&conn->wait_node, &ep->waiting);
	match(ep);
	spin_unlock_bh(&ep->lock);
	return err;
}

void rch_listen_cancel(struct rch_conn *conn)
{
	spin_lock_bh(&conn->ep->lock);
	list_del_init(&conn->wait_node);
	spin_unlock_bh(&conn->ep->lock);
}

void rch_listen_drain(struct rch_endpoint *ep)
{
	struct rch_path *path, *next;

	cancel_delayed_work_sync(&ep->listen_work);
	cancel_delayed_work_sync(&ep->expire_work);
	spin_lock_bh(&ep->lock);
	list_for_each_entry_safe(path, next, &ep->requests, request_node) {
		forget_locked(ep, path);
		rch_path_stop(path);
	}
	spin_unlock_bh(&ep->lock);
}

void rch_listen_init(struct rch_endpoint *ep)
{
	INIT_LIST_HEAD(&ep->waiting);
	INIT_LIST_HEAD(&ep->requests);
	INIT_DELAYED_WORK(&ep->listen_work, listen_work);
	INIT_DELAYED_WORK(&ep->expire_work, expire_work);
	ep->state = ep->config.role == RDMACH_ROLE_LISTEN ?
		    RDMACH_ENDPOINT_DOWN : RDMACH_ENDPOINT_READY;
}
