// SPDX-License-Identifier: GPL-2.0
/* What the module says over netlink; see netlink.h. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <rdma/ib_cache.h>

#include "conn.h"
#include "endpoint.h"
#include "netlink.h"

static atomic_t rch_generation = ATOMIC_INIT(1);

unsigned int rch_message_generation(void)
{
	return atomic_read(&rch_generation);
}

static int put_u64(struct sk_buff *skb, int type, u64 value, int pad)
{
	return nla_put_u64_64bit(skb, type, value, pad);
}

static int put_addr(struct sk_buff *skb, int type,
		    const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	struct nlattr *nest;
	__be16 port;
	int err;

	if (!addr->ss_family)
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest)
		return -EMSGSIZE;
	if (addr->ss_family == AF_INET) {
		port = in->sin_port;
		err = nla_put_in_addr(skb, RDMACH_A_ADDR_IPV4,
				      in->sin_addr.s_addr);
	} else {
		port = in6->sin6_port;
		err = nla_put_in6_addr(skb, RDMACH_A_ADDR_IPV6,
				       &in6->sin6_addr);
		if (!err && in6->sin6_scope_id)
			err = nla_put_u32(skb, RDMACH_A_ADDR_SCOPE,
					  in6->sin6_scope_id);
	}
	if (!err && port)
		err = nla_put_u16(skb, RDMACH_A_ADDR_PORT, ntohs(port));
	if (err)
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* One function an object between these two, which frame it as a message. */
static void *message_begin(struct sk_buff *skb, const struct rch_message_to *to)
{
	void *hdr = genlmsg_put(skb, to->portid, to->seq, &rch_genl_family,
				to->flags, to->cmd);

	if (hdr && to->cb)
		genl_dump_check_consistent(to->cb, hdr);
	return hdr;
}

static int message_end(struct sk_buff *skb, void *hdr, bool failed)
{
	if (failed) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static bool put_endpoint_config(struct sk_buff *skb,
				const struct rch_endpoint_config *c)
{
	return nla_put_string(skb, RDMACH_A_ENDPOINT_NAME, c->name) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_ROLE, c->role) ||
	       put_addr(skb, RDMACH_A_ENDPOINT_LOCAL, &c->local) ||
	       put_addr(skb, RDMACH_A_ENDPOINT_PEER, &c->peer) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_DEPTH, c->depth) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_BUFFER, c->buffer_size) ||
	       (c->role == RDMACH_ROLE_LISTEN &&
		nla_put_u32(skb, RDMACH_A_ENDPOINT_BACKLOG, c->backlog)) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_MAX_CONNECTIONS,
			   c->max_connections) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_MODE, c->mode) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_OWNER,
			   from_kuid(&init_user_ns, c->owner)) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_GROUP,
			   from_kgid(&init_user_ns, c->group)) ||
	       (c->tos >= 0 && nla_put_u8(skb, RDMACH_A_ENDPOINT_TOS, c->tos)) ||
	       (c->ack_timeout &&
		nla_put_u32(skb, RDMACH_A_ENDPOINT_ACK_TIMEOUT_US,
			    (4096ULL << c->ack_timeout) / 1000)) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS,
			   c->connect_timeout_ms) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_KEEPALIVE_MS,
			   c->keepalive_ms) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_LINGER_MS, c->linger_ms);
}

/* Under ep->lock. */
static bool put_endpoint_state(struct sk_buff *skb,
			       const struct rch_endpoint *ep)
{
	return nla_put_u32(skb, RDMACH_A_ENDPOINT_STATE, ep->state) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_MINOR, ep->minor) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_CONNECTIONS, ep->nr_conns) ||
	       nla_put_u32(skb, RDMACH_A_ENDPOINT_QUEUED, ep->nr_requests) ||
	       (ep->error &&
		(nla_put_u32(skb, RDMACH_A_ENDPOINT_ERROR, ep->error) ||
		 nla_put_string(skb, RDMACH_A_ENDPOINT_CAUSE, ep->cause) ||
		 put_u64(skb, RDMACH_A_ENDPOINT_ERROR_AGE_MS,
			 ktime_ms_delta(ktime_get(), ep->error_at),
			 RDMACH_A_ENDPOINT_PAD)));
}

int rch_message_endpoint(struct sk_buff *skb, const struct rch_message_to *to,
			 struct rch_endpoint *ep)
{
	void *hdr = message_begin(skb, to);
	bool failed;

	if (!hdr)
		return -EMSGSIZE;
	spin_lock_bh(&ep->lock);
	failed = put_endpoint_config(skb, &ep->config) ||
		 put_endpoint_state(skb, ep);
	spin_unlock_bh(&ep->lock);
	return message_end(skb, hdr, failed);
}

static bool put_path(struct sk_buff *skb, const struct rch_conn_info *info)
{
	struct nlattr *nest;

	if (!info->device[0])
		return false;
	nest = nla_nest_start(skb, RDMACH_A_CONNECTION_PATH);
	if (!nest ||
	    nla_put_u32(skb, RDMACH_A_PATH_INDEX, 0) ||
	    nla_put_string(skb, RDMACH_A_PATH_DEVICE, info->device) ||
	    nla_put_u32(skb, RDMACH_A_PATH_PORT, info->port) ||
	    put_addr(skb, RDMACH_A_PATH_LOCAL, &info->local) ||
	    put_addr(skb, RDMACH_A_PATH_PEER, &info->peer) ||
	    (info->qpn && nla_put_u32(skb, RDMACH_A_PATH_QPN, info->qpn)) ||
	    (info->mtu && nla_put_u32(skb, RDMACH_A_PATH_MTU, info->mtu)))
		return true;
	nla_nest_end(skb, nest);
	return false;
}

/* What does not change. */
static bool put_conn_identity(struct sk_buff *skb, const struct rch_conn *conn)
{
	const struct rch_endpoint_config *c = &conn->ep->config;

	return nla_put_u32(skb, RDMACH_A_CONNECTION_HANDLE, conn->handle) ||
	       nla_put_string(skb, RDMACH_A_CONNECTION_ENDPOINT, c->name) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_ROLE, c->role) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_PID, conn->pid) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_UID,
			   from_kuid(&init_user_ns, conn->uid)) ||
	       nla_put_string(skb, RDMACH_A_CONNECTION_COMM, conn->comm) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_BUFFER, c->buffer_size) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_DEPTH, c->depth) ||
	       put_u64(skb, RDMACH_A_CONNECTION_POOL, conn->pool.bytes,
		       RDMACH_A_CONNECTION_PAD);
}

/* Under conn->lock: known only with the peer. */
static bool put_conn_peer(struct sk_buff *skb, const struct rch_conn *conn)
{
	const struct rch_hello *hello = &conn->hello;

	if (!hello->depth)
		return false;
	return nla_put(skb, RDMACH_A_CONNECTION_ID, sizeof(conn->id),
		       conn->id) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_EPOCH, hello->epoch) ||
	       put_u64(skb, RDMACH_A_CONNECTION_FEATURES, hello->features,
		       RDMACH_A_CONNECTION_PAD) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_PEER_BUFFER,
			   hello->buffer_size) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_PEER_DEPTH, hello->depth) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_CREDITS,
			   conn->credit.avail) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_TX_INFLIGHT,
			   conn->tx.inflight) ||
	       nla_put_u32(skb, RDMACH_A_CONNECTION_RX_QUEUED,
			   conn->rx.queued) ||
	       put_u64(skb, RDMACH_A_CONNECTION_IDLE_MS,
		       jiffies_to_msecs(jiffies - conn->last_rx),
		       RDMACH_A_CONNECTION_PAD);
}

/* Under conn->lock. */
static bool put_conn_state(struct sk_buff *skb, const struct rch_conn *conn,
			   enum rdmach_conn_state state)
{
	return nla_put_u32(skb, RDMACH_A_CONNECTION_STATE, state) ||
	       put_path(skb, &conn->info) || put_conn_peer(skb, conn) ||
	       (conn->established &&
		put_u64(skb, RDMACH_A_CONNECTION_AGE_MS,
			ktime_ms_delta(ktime_get(), conn->established),
			RDMACH_A_CONNECTION_PAD)) ||
	       (conn->error &&
		(nla_put_u32(skb, RDMACH_A_CONNECTION_ERROR, conn->error) ||
		 nla_put_string(skb, RDMACH_A_CONNECTION_CAUSE, conn->cause)));
}

int rch_message_conn(struct sk_buff *skb, const struct rch_message_to *to,
		     struct rch_conn *conn, enum rdmach_conn_state state)
{
	void *hdr = message_begin(skb, to);
	bool failed;

	if (!hdr)
		return -EMSGSIZE;
	spin_lock_bh(&conn->lock);
	failed = put_conn_identity(skb, conn) ||
		 put_conn_state(skb, conn, state);
	spin_unlock_bh(&conn->lock);
	failed = failed || rch_stats_put(skb, RDMACH_A_CONNECTION_STATS,
					 &conn->stats, false);
	return message_end(skb, hdr, failed);
}

int rch_message_stats(struct sk_buff *skb, const struct rch_message_to *to,
		      struct rch_endpoint *ep)
{
	struct rch_stats *sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	bool failed;
	void *hdr;

	hdr = sum ? message_begin(skb, to) : NULL;
	if (!hdr) {
		kfree(sum);
		return -EMSGSIZE;
	}
	rch_endpoint_stats(ep, sum);
	failed = nla_put_string(skb, RDMACH_A_STATS_OF_NAME, ep->config.name) ||
		 rch_stats_put(skb, RDMACH_A_STATS_OF_STATS, sum, true);
	kfree(sum);
	return message_end(skb, hdr, failed);
}

static const char *transport(struct ib_device *ibdev)
{
	u32 port = rdma_start_port(ibdev);

	if (rdma_protocol_iwarp(ibdev, port))
		return "iwarp";
	return rdma_protocol_roce(ibdev, port) ? "roce" : "infiniband";
}

/* The first GID of a port names its network device, where it has one. */
static bool put_netdev(struct sk_buff *skb, struct ib_device *ibdev, u32 port)
{
	const struct ib_gid_attr *gid = rdma_get_gid_attr(ibdev, port, 0);
	struct net_device *ndev;
	bool failed = false;

	if (IS_ERR(gid))
		return false;
	rcu_read_lock();
	ndev = rcu_dereference(gid->ndev);
	if (ndev)
		failed = nla_put_string(skb, RDMACH_A_DEVICE_NETDEV,
					ndev->name);
	rcu_read_unlock();
	rdma_put_gid_attr(gid);
	return failed;
}

static bool put_ports(struct sk_buff *skb, struct ib_device *ibdev)
{
	struct ib_port_attr attr;
	u32 port, active = 0;

	rdma_for_each_port(ibdev, port) {
		if (put_netdev(skb, ibdev, port))
			return true;
		if (!ib_query_port(ibdev, port, &attr) &&
		    attr.state == IB_PORT_ACTIVE)
			active++;
	}
	return nla_put_u32(skb, RDMACH_A_DEVICE_ACTIVE, active);
}

int rch_message_device(struct sk_buff *skb, const struct rch_message_to *to,
		       struct ib_device *ibdev, u32 nr_paths)
{
	const struct ib_device_attr *attr = &ibdev->attrs;
	void *hdr = message_begin(skb, to);
	bool failed;

	if (!hdr)
		return -EMSGSIZE;
	failed = nla_put_string(skb, RDMACH_A_DEVICE_NAME,
				dev_name(&ibdev->dev)) ||
		 nla_put_string(skb, RDMACH_A_DEVICE_TRANSPORT,
				transport(ibdev)) ||
		 nla_put_u32(skb, RDMACH_A_DEVICE_PORTS, ibdev->phys_port_cnt) ||
		 put_ports(skb, ibdev) ||
		 nla_put_u32(skb, RDMACH_A_DEVICE_MAX_QP, attr->max_qp) ||
		 nla_put_u32(skb, RDMACH_A_DEVICE_MAX_QP_WR, attr->max_qp_wr) ||
		 nla_put_u32(skb, RDMACH_A_DEVICE_MAX_CQE, attr->max_cqe) ||
		 nla_put_u32(skb, RDMACH_A_DEVICE_CONNECTIONS, nr_paths);
	return message_end(skb, hdr, failed);
}

/* Notifications */

static bool monitored(enum rdmach_cmd cmd)
{
	switch (cmd) {
	case RDMACH_CMD_ENDPOINT_ADD_NTF:
	case RDMACH_CMD_ENDPOINT_DEL_NTF:
	case RDMACH_CMD_CONNECTION_ADD_NTF:
	case RDMACH_CMD_CONNECTION_DEL_NTF:
	case RDMACH_CMD_DEVICE_ADD_NTF:
	case RDMACH_CMD_DEVICE_DEL_NTF:
		atomic_inc(&rch_generation);
		break;
	default:
		break;
	}
	return genl_has_listeners(&rch_genl_family, &init_net, 0);
}

/* What could not be made is lost for every monitor, and each is told. */
static void multicast(struct sk_buff *skb, int err)
{
	if (!err) {
		genlmsg_multicast(&rch_genl_family, skb, 0, 0, GFP_KERNEL);
		return;
	}
	nlmsg_free(skb);
	genl_set_err(&rch_genl_family, &init_net, 0, 0, -ENOBUFS);
}

void rch_notify_endpoint(enum rdmach_cmd cmd, struct rch_endpoint *ep)
{
	struct rch_message_to to = { .cmd = cmd };
	struct sk_buff *skb;

	if (!monitored(cmd))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	multicast(skb, skb ? rch_message_endpoint(skb, &to, ep) : -ENOMEM);
}

void rch_notify_conn(enum rdmach_cmd cmd, struct rch_conn *conn,
		     enum rdmach_conn_state state)
{
	struct rch_message_to to = { .cmd = cmd };
	struct sk_buff *skb;

	if (!monitored(cmd))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	multicast(skb, skb ? rch_message_conn(skb, &to, conn, state) : -ENOMEM);
}

void rch_notify_device(enum rdmach_cmd cmd, struct ib_device *ibdev)
{
	struct rch_message_to to = { .cmd = cmd };
	struct sk_buff *skb;

	if (!monitored(cmd))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	multicast(skb, skb ? rch_message_device(skb, &to, ibdev, 0) : -ENOMEM);
}
