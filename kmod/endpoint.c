// SPDX-License-Identifier: GPL-2.0
/* Endpoints; see endpoint.h. */
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <linux/xarray.h>
#include <rdma/rdma_cm.h>

#include "compat.h"
#include "conn.h"
#include "endpoint.h"
#include "listen.h"
#include "netlink.h"
#include "path.h"

#define RCH_ENDPOINT_DEL_WAIT	(10 * HZ)

/* The table of endpoints, their listeners, the order of changes. */
DEFINE_MUTEX(rch_config_mutex);

/* Changed under rch_config_mutex; looked up under its own lock, too. */
static DEFINE_XARRAY_ALLOC(rch_endpoints);
static bool rch_endpoints_closed;
/* Endpoints whose memory is not free yet. */
static atomic_t rch_endpoints_live = ATOMIC_INIT(0);

static char *endpoint_devnode(rch_devnode_device *dev, umode_t *mode,
			      kuid_t *uid, kgid_t *gid)
{
	const struct rch_endpoint *ep = container_of(dev, struct rch_endpoint,
						     dev);

	/* Only a node that is to be made needs more than its name. */
	if (mode) {
		*mode = ep->config.mode;
		*uid = ep->config.owner;
		*gid = ep->config.group;
	}
	return kasprintf(GFP_KERNEL, "rdmach/%s", ep->config.name);
}

static void endpoint_release(struct device *dev)
{
	kfree(container_of(dev, struct rch_endpoint, dev));
	if (atomic_dec_and_test(&rch_endpoints_live))
		wake_up_var(&rch_endpoints_live);
}

static const struct device_type rch_endpoint_type = {
	.name = "endpoint",
	.devnode = endpoint_devnode,
	.release = endpoint_release,
};

static struct class rch_class = {
	.name = "rdmach",
};

void rch_endpoint_get(struct rch_endpoint *ep)
{
	get_device(&ep->dev);
}

void rch_endpoint_put(struct rch_endpoint *ep)
{
	put_device(&ep->dev);
}

void rch_endpoint_path_born(struct rch_endpoint *ep)
{
	atomic_inc(&ep->nr_paths);
}

void rch_endpoint_path_gone(struct rch_endpoint *ep)
{
	if (atomic_dec_and_test(&ep->nr_paths))
		wake_up_all(&ep->paths_wait);
}

struct rch_endpoint *rch_endpoint_next(unsigned long *minor)
{
	lockdep_assert_held(&rch_config_mutex);
	return xa_find(&rch_endpoints, minor, ULONG_MAX, XA_PRESENT);
}

struct rch_endpoint *rch_endpoint_find(const char *name)
{
	struct rch_endpoint *ep;
	unsigned long minor = 0;

	for (; (ep = rch_endpoint_next(&minor)); minor++)
		if (!strcmp(ep->config.name, name))
			return ep;
	return NULL;
}

struct rch_endpoint *rch_endpoint_get_minor(unsigned int minor)
{
	struct rch_endpoint *ep;

	/* In the table means referenced. */
	xa_lock(&rch_endpoints);
	ep = xa_load(&rch_endpoints, minor);
	if (ep)
		rch_endpoint_get(ep);
	xa_unlock(&rch_endpoints);
	return ep;
}

void rch_endpoint_error(struct rch_endpoint *ep, int error, const char *cause)
{
	spin_lock_bh(&ep->lock);
	ep->error = error;
	strscpy(ep->cause, cause, sizeof(ep->cause));
	ep->error_at = ktime_get();
	spin_unlock_bh(&ep->lock);
}

void rch_endpoint_stats(struct rch_endpoint *ep, struct rch_stats *sum)
{
	struct rch_conn *conn;

	rch_stats_reset(sum);
	spin_lock_bh(&ep->lock);
	rch_stats_fold(sum, &ep->stats);
	list_for_each_entry(conn, &ep->conns, node)
		rch_stats_fold(sum, &conn->stats);
	spin_unlock_bh(&ep->lock);
}

void rch_endpoint_stats_reset(struct rch_endpoint *ep)
{
	struct rch_conn *conn;

	spin_lock_bh(&ep->lock);
	rch_stats_reset(&ep->stats);
	list_for_each_entry(conn, &ep->conns, node)
		rch_stats_reset(&conn->stats);
	spin_unlock_bh(&ep->lock);
}

static struct rch_endpoint *endpoint_alloc(const struct rch_endpoint_config *config)
{
	struct rch_endpoint *ep = kzalloc(sizeof(*ep), GFP_KERNEL_ACCOUNT);

	if (!ep)
		return NULL;
	ep->config = *config;
	spin_lock_init(&ep->lock);
	INIT_LIST_HEAD(&ep->conns);
	atomic_set(&ep->nr_paths, 0);
	init_waitqueue_head(&ep->paths_wait);
	rch_listen_init(ep);

	device_initialize(&ep->dev);
	ep->dev.class = &rch_class;
	ep->dev.type = &rch_endpoint_type;
	atomic_inc(&rch_endpoints_live);
	return ep;
}

static int ignore_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	return 0;
}

/* Without keeping it. */
static int try_bind(struct sockaddr_storage addr)
{
	struct rdma_cm_id *id;
	int err;

	id = rdma_create_id(&init_net, ignore_event, NULL, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	err = rdma_bind_addr(id, (struct sockaddr *)&addr);
	rdma_destroy_id(id);
	return err;
}

static int explain_listen(int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case 0:
		break;
	case -EADDRINUSE:
		NL_SET_ERR_MSG(extack, "address and port are in use");
		break;
	case -EADDRNOTAVAIL:
		NL_SET_ERR_MSG(extack, "the address is not one of this host");
		break;
	case -ENODEV:
		NL_SET_ERR_MSG(extack, "no RDMA device stands behind the address");
		break;
	case -ENOMEM:
		break;
	default:
		NL_SET_ERR_MSG(extack, "RDMA CM refuses to listen there");
	}
	return err;
}

static int listen_first(struct rch_endpoint *ep)
{
	struct sockaddr_storage local = ep->config.local;
	int err = rch_listen_start(ep);

	/*
	 * RDMA CM's word for a port that clashes with a wildcard's. The ports
	 * of both families lie at the same place.
	 */
	((struct sockaddr_in *)&local)->sin_port = 0;
	if (err == -EADDRNOTAVAIL && !try_bind(local))
		return -EADDRINUSE;
	return err;
}

static int endpoint_reach(struct rch_endpoint *ep,
			  struct netlink_ext_ack *extack)
{
	if (ep->config.role == RDMACH_ROLE_LISTEN)
		return explain_listen(listen_first(ep), extack);
	/* A source address is wrong now or never: try it. */
	if (ep->config.local.ss_family)
		return explain_listen(try_bind(ep->config.local), extack);
	return 0;
}

/* Number, name, listener, node: the node last, when it can be opened. */
static int endpoint_register(struct rch_endpoint *ep,
			     struct netlink_ext_ack *extack)
{
	int err;

	err = xa_alloc(&rch_endpoints, &ep->minor, NULL,
		       XA_LIMIT(0, RCH_ENDPOINTS_MAX - 1), GFP_KERNEL);
	if (err) {
		NL_SET_ERR_MSG(extack, "no device number is left");
		return err == -EBUSY ? -ENOSPC : err;
	}
	ep->dev.devt = rch_cdev_devt(ep->minor);
	err = dev_set_name(&ep->dev, "%s", ep->config.name);
	if (!err)
		err = endpoint_reach(ep, extack);
	if (err)
		goto erase;
	xa_store(&rch_endpoints, ep->minor, ep, GFP_KERNEL);
	err = device_add(&ep->dev);
	if (err) {
		NL_SET_ERR_MSG(extack, "the device node cannot be made");
		goto unstore;
	}
	return 0;

unstore:
	spin_lock_bh(&ep->lock);
	ep->dying = true;
	spin_unlock_bh(&ep->lock);
	rch_listen_stop(ep);
erase:
	xa_erase(&rch_endpoints, ep->minor);
	return err;
}

int rch_endpoint_add(const struct rch_endpoint_config *config,
		     struct netlink_ext_ack *extack)
{
	struct rch_endpoint *ep;
	int err;

	ep = endpoint_alloc(config);
	if (!ep)
		return -ENOMEM;
	mutex_lock(&rch_config_mutex);
	if (rch_endpoints_closed) {
		NL_SET_ERR_MSG(extack, "the module is being unloaded");
		err = -ESHUTDOWN;
	} else if (rch_endpoint_find(config->name)) {
		NL_SET_ERR_MSG(extack, "an endpoint of this name exists");
		err = -EEXIST;
	} else {
		err = endpoint_register(ep, extack);
	}
	if (!err)
		rch_notify_endpoint(RDMACH_CMD_ENDPOINT_ADD_NTF, ep);
	mutex_unlock(&rch_config_mutex);
	if (err) {
		rch_listen_drain(ep);
		rch_endpoint_put(ep);
	}
	return err;
}

/* Under the mutex: nothing finds it any more, nothing joins it. */
static void endpoint_detach(struct rch_endpoint *ep)
{
	lockdep_assert_held(&rch_config_mutex);
	spin_lock_bh(&ep->lock);
	ep->dying = true;
	spin_unlock_bh(&ep->lock);
	xa_erase(&rch_endpoints, ep->minor);
	device_del(&ep->dev);
	rch_listen_stop(ep);
	rch_notify_endpoint(RDMACH_CMD_ENDPOINT_DEL_NTF, ep);
}

static void kill_conns(struct rch_endpoint *ep)
{
	struct rch_conn *victim;

	/* Killed ones stay listed until closed: they go to the end. */
	do {
		spin_lock_bh(&ep->lock);
		victim = list_first_entry_or_null(&ep->conns, struct rch_conn,
						  node);
		if (victim && victim->killed)
			victim = NULL;
		if (victim) {
			victim->killed = true;
			list_move_tail(&victim->node, &ep->conns);
			rch_conn_get(victim);
		}
		spin_unlock_bh(&ep->lock);
		if (victim) {
			rch_conn_kill(victim, ENXIO, "the endpoint was deleted");
			rch_conn_put(victim);
		}
	} while (victim);
}

/* Without the mutex; puts the table's reference. */
static void endpoint_finish(struct rch_endpoint *ep)
{
	rch_listen_drain(ep);
	kill_conns(ep);
	wait_event_killable_timeout(ep->paths_wait,
				    !atomic_read(&ep->nr_paths),
				    RCH_ENDPOINT_DEL_WAIT);
	rch_endpoint_put(ep);
}

int rch_endpoint_del(const char *name)
{
	struct rch_endpoint *ep;

	mutex_lock(&rch_config_mutex);
	ep = rch_endpoint_find(name);
	if (ep)
		endpoint_detach(ep);
	mutex_unlock(&rch_config_mutex);
	if (!ep)
		return -ENOENT;
	endpoint_finish(ep);
	return 0;
}

int rch_endpoints_init(void)
{
	return class_register(&rch_class);
}

void rch_endpoints_shutdown(void)
{
	struct rch_endpoint *ep;
	unsigned long minor;

	do {
		minor = 0;
		mutex_lock(&rch_config_mutex);
		rch_endpoints_closed = true;
		ep = rch_endpoint_next(&minor);
		if (ep)
			endpoint_detach(ep);
		mutex_unlock(&rch_config_mutex);
		if (ep)
			endpoint_finish(ep);
	} while (ep);
}

void rch_endpoints_exit(void)
{
	wait_var_event(&rch_endpoints_live, !atomic_read(&rch_endpoints_live));
	class_unregister(&rch_class);
	xa_destroy(&rch_endpoints);
}
