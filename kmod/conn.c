// SPDX-License-Identifier: GPL-2.0
/* The connection; see conn.h. */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/rdma_cm.h>

#include "conn.h"
#include "endpoint.h"
#include "listen.h"
#include "netlink.h"
#include "path.h"
#include "trace.h"

/* A peer is dead after so many keepalive intervals of silence. */
#define RCH_KEEPALIVE_DEAD	3

/* handle -> connection; an entry lives until the connection's memory goes. */
static DEFINE_XARRAY_ALLOC1(rch_conns);
static u32 rch_conns_next;

static void conn_timer(struct work_struct *work);

int rch_conns_init(void)
{
	return 0;
}

void rch_conns_exit(void)
{
	xa_destroy(&rch_conns);
}

/* Life */

static void conn_destroy(struct rch_conn *conn)
{
	cancel_delayed_work_sync(&conn->timer);
	kvfree(conn->slots);
	rch_pool_free(&conn->pool);
	mutex_destroy(&conn->tx_mutex);
	mutex_destroy(&conn->rx_mutex);
	rch_endpoint_put(conn->ep);
	kfree_rcu(conn, rcu);
}

static void conn_release(struct kref *ref)
{
	struct rch_conn *conn = container_of(ref, struct rch_conn, ref);

	xa_erase(&rch_conns, conn->handle);
	conn_destroy(conn);
}

void rch_conn_get(struct rch_conn *conn)
{
	kref_get(&conn->ref);
}

void rch_conn_put(struct rch_conn *conn)
{
	kref_put(&conn->ref, conn_release);
}

struct rch_conn *rch_conn_next(unsigned long *handle)
{
	struct rch_conn *conn;

	rcu_read_lock();
	do {
		conn = xa_find(&rch_conns, handle, ULONG_MAX, XA_PRESENT);
		if (!conn || kref_get_unless_zero(&conn->ref))
			break;
		(*handle)++;
	} while (true);
	rcu_read_unlock();
	return conn;
}

static void conn_set_opener(struct rch_conn *conn)
{
	conn->pid = task_tgid_nr(current);
	conn->uid = current_euid();
	get_task_comm(conn->comm, current);
}

static int conn_alloc_queues(struct rch_conn *conn)
{
	u32 depth = conn->ep->config.depth;
	u32 nr_rx = depth + RCH_CONTROL_SLOTS;
	u32 nr_slots = nr_rx + depth + RCH_CONTROL_SLOTS;
	u32 i;

	conn->slots = kvcalloc(nr_slots, sizeof(*conn->slots),
			       GFP_KERNEL_ACCOUNT);
	if (!conn->slots)
		return -ENOMEM;
	conn->nr_slots = nr_slots;
	for (i = 0; i < nr_slots; i++)
		conn->slots[i].index = i;
	/* Control messages that are sent have no buffer. */
	return rch_pool_init(&conn->pool, conn->ep->config.buffer_size,
			     nr_rx + depth, nr_slots);
}

/* Time of each state, from its beginning; 0: for ever. */
static u32 state_ms(const struct rch_conn *conn, enum rdmach_conn_state state)
{
	const struct rch_endpoint_config *config = &conn->ep->config;

	switch (state) {
	case RDMACH_CONN_RESOLVING:
	case RDMACH_CONN_CONNECTING:
	case RDMACH_CONN_ACCEPTING:
		return config->connect_timeout_ms;
	case RDMACH_CONN_ESTABLISHED:
		return config->keepalive_ms;
	case RDMACH_CONN_CLOSING:
		return config->linger_ms;
	default:
		return 0;
	}
}

static struct rch_conn *conn_alloc(struct rch_endpoint *ep)
{
	struct rch_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL_ACCOUNT);

	if (!conn)
		return NULL;
	kref_init(&conn->ref);
	INIT_LIST_HEAD(&conn->node);
	INIT_LIST_HEAD(&conn->wait_node);
	spin_lock_init(&conn->lock);
	mutex_init(&conn->tx_mutex);
	mutex_init(&conn->rx_mutex);
	init_waitqueue_head(&conn->tx_wait);
	init_waitqueue_head(&conn->rx_wait);
	INIT_DELAYED_WORK(&conn->timer, conn_timer);
	rch_endpoint_get(ep);
	conn->ep = ep;
	conn->state = ep->config.role == RDMACH_ROLE_LISTEN ?
		      RDMACH_CONN_WAITING : RDMACH_CONN_RESOLVING;
	if (ep->config.role == RDMACH_ROLE_CONNECT)
		get_random_bytes(conn->id, sizeof(conn->id));
	conn->deadline = jiffies + msecs_to_jiffies(state_ms(conn, conn->state));
	conn_set_opener(conn);
	rch_tx_init(conn);
	rch_rx_init(conn);
	return conn;
}

/* One more, if it may be: before it costs memory. */
static bool conn_count(struct rch_endpoint *ep)
{
	bool ok;

	spin_lock_bh(&ep->lock);
	ok = ep->nr_conns < ep->config.max_connections;
	if (ok)
		ep->nr_conns++;
	spin_unlock_bh(&ep->lock);
	if (!ok)
		rch_endpoint_error(ep, EAGAIN, "max-connections reached");
	return ok;
}

static void conn_uncount(struct rch_endpoint *ep)
{
	spin_lock_bh(&ep->lock);
	ep->nr_conns--;
	spin_unlock_bh(&ep->lock);
}

/* The list's reference is put, and the count undone, by conn_unlist(). */
static int conn_list(struct rch_conn *conn)
{
	struct rch_endpoint *ep = conn->ep;
	int err = 0;

	spin_lock_bh(&ep->lock);
	if (ep->dying) {
		err = -ENXIO;
	} else {
		rch_conn_get(conn);
		list_add_tail(&conn->node, &ep->conns);
	}
	spin_unlock_bh(&ep->lock);
	return err;
}

static void conn_unlist(struct rch_conn *conn)
{
	struct rch_endpoint *ep = conn->ep;
	bool listed;

	spin_lock_bh(&ep->lock);
	listed = !list_empty(&conn->node);
	if (listed) {
		list_del_init(&conn->node);
		ep->nr_conns--;
		/* Unlisted, it is not added again; its last message has them. */
		rch_stats_fold(&ep->stats, &conn->stats);
	}
	spin_unlock_bh(&ep->lock);
	if (!listed)
		return;
	rch_notify_conn(RDMACH_CMD_CONNECTION_DEL_NTF, conn,
			READ_ONCE(conn->state));
	rch_conn_put(conn);
}

static struct rch_conn *conn_make(struct rch_endpoint *ep)
{
	struct rch_conn *conn = conn_alloc(ep);
	int err;

	if (!conn)
		return ERR_PTR(-ENOMEM);
	err = xa_alloc_cyclic(&rch_conns, &conn->handle, NULL, xa_limit_31b,
			      &rch_conns_next, GFP_KERNEL);
	if (err < 0) {
		conn_destroy(conn);
		return ERR_PTR(err);
	}
	err = conn_alloc_queues(conn);
	if (!err)
		err = conn_list(conn);
	if (err) {
		rch_conn_put(conn);
		return ERR_PTR(err);
	}
	xa_store(&rch_conns, conn->handle, conn, GFP_KERNEL);
	return conn;
}

struct rch_conn *rch_conn_create(struct rch_endpoint *ep)
{
	struct rch_conn *conn;

	if (!conn_count(ep))
		return ERR_PTR(-EAGAIN);
	conn = conn_make(ep);
	if (IS_ERR(conn)) {
		conn_uncount(ep);
		return conn;
	}
	rch_notify_conn(RDMACH_CMD_CONNECTION_ADD_NTF, conn,
			READ_ONCE(conn->state));
	return conn;
}

void rch_conn_count(struct rch_conn *conn, enum rdmach_a_stats which, u64 n)
{
	rch_stats_add(&conn->stats, which, n);
}

void rch_conn_arm(struct rch_conn *conn)
{
	unsigned long wait;

	spin_lock_bh(&conn->lock);
	wait = time_before(jiffies, conn->deadline) ?
	       conn->deadline - jiffies : 0;
	spin_unlock_bh(&conn->lock);
	mod_delayed_work(rch_cm_wq, &conn->timer, wait);
}

/* States */

static const u32 rch_conn_may_follow[] = {
	[RDMACH_CONN_WAITING] = BIT(RDMACH_CONN_ACCEPTING) |
		BIT(RDMACH_CONN_CLOSED) | BIT(RDMACH_CONN_BROKEN),
	[RDMACH_CONN_RESOLVING] = BIT(RDMACH_CONN_CONNECTING) |
		BIT(RDMACH_CONN_CLOSED) | BIT(RDMACH_CONN_BROKEN),
	[RDMACH_CONN_CONNECTING] = BIT(RDMACH_CONN_ESTABLISHED) |
		BIT(RDMACH_CONN_CLOSED) | BIT(RDMACH_CONN_BROKEN),
	[RDMACH_CONN_ACCEPTING] = BIT(RDMACH_CONN_ESTABLISHED) |
		BIT(RDMACH_CONN_WAITING) |
		BIT(RDMACH_CONN_CLOSED) | BIT(RDMACH_CONN_BROKEN),
	[RDMACH_CONN_ESTABLISHED] = BIT(RDMACH_CONN_CLOSING) |
		BIT(RDMACH_CONN_CLOSED) | BIT(RDMACH_CONN_BROKEN),
	[RDMACH_CONN_CLOSING] = BIT(RDMACH_CONN_CLOSED) |
		BIT(RDMACH_CONN_BROKEN),
	[RDMACH_CONN_CLOSED] = 0,
	[RDMACH_CONN_BROKEN] = 0,
};

/* What an endpoint counts and remembers of its connections. */
static void conn_account(struct rch_conn *conn, enum rdmach_conn_state from,
			 enum rdmach_conn_state to, int error,
			 const char *cause)
{
	struct rch_stats *stats = &conn->ep->stats;
	bool dialing = from == RDMACH_CONN_RESOLVING ||
		       from == RDMACH_CONN_CONNECTING;

	if (to == RDMACH_CONN_ESTABLISHED)
		rch_stats_inc(stats, dialing ? RDMACH_A_STATS_CONNECTS :
					       RDMACH_A_STATS_ACCEPTS);
	if (from == RDMACH_CONN_ACCEPTING && to != RDMACH_CONN_ESTABLISHED)
		rch_stats_inc(stats, RDMACH_A_STATS_ACCEPT_FAILURES);
	if (cause)
		rch_endpoint_error(conn->ep, error, cause);
	if (to != RDMACH_CONN_BROKEN)
		return;
	if (dialing)
		rch_stats_inc(stats, RDMACH_A_STATS_CONNECT_FAILURES);
	if (dialing && error == ETIMEDOUT)
		rch_stats_inc(stats, RDMACH_A_STATS_CONNECT_TIMEOUTS);
	if (from >= RDMACH_CONN_ESTABLISHED)
		rch_stats_inc(stats, RDMACH_A_STATS_BROKEN);
}

static void enter_state(struct rch_conn *conn, enum rdmach_conn_state to,
			int error, const char *cause)
{
	lockdep_assert_held(&conn->lock);
	switch (to) {
	case RDMACH_CONN_WAITING:
		/* For another peer. */
		memset(&conn->hello, 0, sizeof(conn->hello));
		memset(&conn->info, 0, sizeof(conn->info));
		memset(conn->id, 0, sizeof(conn->id));
		break;
	case RDMACH_CONN_ESTABLISHED:
		conn->established = ktime_get();
		break;
	case RDMACH_CONN_BROKEN:
		conn->error = error;
		strscpy(conn->cause, cause, sizeof(conn->cause));
		break;
	default:
		break;
	}
	/* CONNECTING shares the time of RESOLVING. */
	if (to != RDMACH_CONN_CONNECTING)
		conn->deadline = jiffies + msecs_to_jiffies(state_ms(conn, to));
	WRITE_ONCE(conn->state, to);
}

bool rch_conn_set_state(struct rch_conn *conn, enum rdmach_conn_state to,
			int error, const char *cause)
{
	enum rdmach_conn_state from;
	bool ok;

	spin_lock_bh(&conn->lock);
	from = conn->state;
	ok = rch_conn_may_follow[from] & BIT(to);
	if (ok)
		enter_state(conn, to, error, cause);
	spin_unlock_bh(&conn->lock);
	if (!ok)
		return false;

	trace_rch_conn_state(conn, from, to, error);
	conn_account(conn, from, to, error, cause);
	if (to == RDMACH_CONN_ACCEPTING || to == RDMACH_CONN_ESTABLISHED)
		rch_conn_arm(conn);
	wake_up_all(&conn->tx_wait);
	wake_up_all(&conn->rx_wait);
	rch_notify_conn(RDMACH_CMD_CONNECTION_CHANGE_NTF, conn, to);
	return true;
}

void rch_conn_flushed(struct rch_conn *conn, struct rch_path *path)
{
	if (READ_ONCE(conn->rx.ready))
		rch_path_disconnected(path);
}

/* Starting */

void rch_conn_update_info(struct rch_conn *conn, struct rch_path *path)
{
	const struct rdma_route *route = &path->id->route;
	struct rch_conn_info info = {
		.port = path->id->port_num,
		.qpn = path->qp ? path->qp->qp_num : 0,
		.local = route->addr.src_addr,
		.peer = route->addr.dst_addr,
	};

	strscpy(info.device, dev_name(&path->id->device->dev),
		sizeof(info.device));
	if (route->path_rec && rdma_cap_ib_cm(path->id->device,
					      path->id->port_num))
		info.mtu = ib_mtu_enum_to_int(route->path_rec->mtu);
	spin_lock_bh(&conn->lock);
	conn->info = info;
	spin_unlock_bh(&conn->lock);
}

void rch_conn_prepare(struct rch_conn *conn, struct rch_path *path)
{
	const struct rch_endpoint_config *config = &conn->ep->config;
	bool listener = config->role == RDMACH_ROLE_LISTEN;

	spin_lock_bh(&conn->lock);
	rch_tx_init(conn);
	rch_rx_init(conn);
	/* A dialer learns the peer's figures later; so does its tx.open. */
	if (listener) {
		conn->hello = path->hello;
		conn->tx.payload_max = min(path->hello.buffer_size,
					   config->buffer_size);
		rch_credit_init(&conn->credit, config->depth,
				path->hello.depth);
		conn->rx.open = true;
	}
	conn->last_rx = jiffies;
	path->up = true;
	spin_unlock_bh(&conn->lock);
}

/* Time */

static void fail_overdue(struct rch_path *path, enum rdmach_conn_state state)
{
	switch (state) {
	case RDMACH_CONN_RESOLVING:
		rch_path_fail(path, ETIMEDOUT,
			      "no address within connect-timeout");
		break;
	case RDMACH_CONN_CONNECTING:
		rch_path_fail(path, ETIMEDOUT,
			      "not accepted within connect-timeout");
		break;
	case RDMACH_CONN_ACCEPTING:
		rch_path_fail(path, ETIMEDOUT,
			      "no word of the dialer within connect-timeout");
		break;
	case RDMACH_CONN_CLOSING:
		rch_path_fail(path, ETIMEDOUT,
			      "linger passed, the peer lacks data");
		break;
	default:
		break;
	}
}

/*
 * A quiet peer is asked after each interval; three without a word, and it is
 * dead. Returns the time until the next look.
 */
static unsigned long keep_alive(struct rch_conn *conn, struct rch_path *path)
{
	unsigned long interval = msecs_to_jiffies(conn->ep->config.keepalive_ms);
	unsigned long quiet;

	spin_lock_bh(&conn->lock);
	quiet = jiffies - conn->last_rx;
	if (quiet >= interval && quiet < RCH_KEEPALIVE_DEAD * interval) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_TX_KEEPALIVES);
		rch_tx_control(conn, RCH_CONTROL_PING);
	}
	spin_unlock_bh(&conn->lock);

	if (quiet >= RCH_KEEPALIVE_DEAD * interval) {
		rch_stats_inc(&conn->stats, RDMACH_A_STATS_KEEPALIVE_TIMEOUTS);
		rch_path_fail(path, ETIMEDOUT,
			      "the peer is silent for %u keepalive intervals",
			      RCH_KEEPALIVE_DEAD);
		return 0;
	}
	return max(interval - quiet % interval, 1UL);
}

static void conn_timer(struct work_struct *work)
{
	struct rch_conn *conn = container_of(to_delayed_work(work),
					     struct rch_conn, timer);
	enum rdmach_conn_state state;
	struct rch_path *path;
	unsigned long next = 0;

	spin_lock_bh(&conn->lock);
	path = conn->path;
	if (path)
		rch_path_get(path);
	state = conn->state;
	if (time_before(jiffies, conn->deadline))
		next = conn->deadline - jiffies;
	spin_unlock_bh(&conn->lock);
	if (!path)
		return;
	if (state == RDMACH_CONN_ESTABLISHED)
		next = keep_alive(conn, path);
	else if (!next)
		fail_overdue(path, state);
	rch_path_put(path);
	if (next)
		queue_delayed_work(rch_cm_wq, &conn->timer, next);
}

/* Ending */

/*
 * Does the opener of a listener whose peer was lost in accepting wait on? True
 * if it does, and is queued before all others.
 */
static bool conn_wait_again(struct rch_conn *conn, struct rch_path *path)
{
	enum rdmach_conn_state state = READ_ONCE(conn->state);

	if (conn->ep->config.role != RDMACH_ROLE_LISTEN ||
	    state >= RDMACH_CONN_ESTABLISHED || READ_ONCE(conn->released))
		return false;
	if (path->error)
		rch_endpoint_error(conn->ep, path->error, path->cause);
	if (state == RDMACH_CONN_ACCEPTING &&
	    !rch_conn_set_state(conn, RDMACH_CONN_WAITING, 0, NULL))
		return false;
	return !rch_listen_wait(conn, true);
}

/* The verdict. */
static void conn_end(struct rch_conn *conn, struct rch_path *path)
{
	enum rdmach_conn_state state;
	bool in_order;

	spin_lock_bh(&conn->lock);
	state = conn->state;
	in_order = conn->rx.bye;
	if (conn->released && state < RDMACH_CONN_ESTABLISHED)
		in_order = true;
	/* The peer hangs up when it has our BYE. */
	if (state == RDMACH_CONN_CLOSING && path->disconnected &&
	    path->error == ECONNRESET)
		in_order = true;
	spin_unlock_bh(&conn->lock);

	if (in_order)
		rch_conn_set_state(conn, RDMACH_CONN_CLOSED, 0, NULL);
	else if (READ_ONCE(conn->ep->dying))
		rch_conn_set_state(conn, RDMACH_CONN_BROKEN, ENXIO,
				   "the endpoint was deleted");
	else
		rch_conn_set_state(conn, RDMACH_CONN_BROKEN,
				   path->error ?: ECONNRESET, path->cause);
}

void rch_conn_path_gone(struct rch_conn *conn, struct rch_path *path)
{
	bool ready;

	spin_lock_bh(&conn->lock);
	conn->path = NULL;
	ready = conn->rx.ready;
	spin_unlock_bh(&conn->lock);
	/* Not the last reference: the caller has one. */
	rch_path_put(path);

	/* The dialer's first message may have come only while draining. */
	if (conn->state == RDMACH_CONN_ACCEPTING && ready)
		rch_conn_set_state(conn, RDMACH_CONN_ESTABLISHED, 0, NULL);
	if (!conn_wait_again(conn, path))
		conn_end(conn, path);
	/* The file may have been closed meanwhile; then this is the end. */
	if (READ_ONCE(conn->released) && rch_conn_ended(conn))
		conn_unlist(conn);
}

void rch_conn_kill(struct rch_conn *conn, int error, const char *cause)
{
	struct rch_path *path;

	rch_listen_cancel(conn);
	spin_lock_bh(&conn->lock);
	path = conn->path;
	if (path)
		rch_path_get(path);
	spin_unlock_bh(&conn->lock);
	if (!path) {
		rch_conn_set_state(conn, RDMACH_CONN_BROKEN, error, cause);
		return;
	}
	rch_path_fail(path, error, "%s", cause);
	rch_path_put(path);
}

/* Say goodbye; the peer hangs up when it has read so far. */
static void conn_close_in_order(struct rch_conn *conn)
{
	if (!rch_conn_set_state(conn, RDMACH_CONN_CLOSING, 0, NULL))
		return;
	spin_lock_bh(&conn->lock);
	conn->tx.fin = true;
	rch_tx_control(conn, RCH_CONTROL_BYE);
	spin_unlock_bh(&conn->lock);
	rch_conn_arm(conn);
}

void rch_conn_close(struct rch_conn *conn)
{
	struct rch_path *path;
	bool open;

	spin_lock_bh(&conn->lock);
	conn->released = true;
	rch_stats_add(&conn->stats, RDMACH_A_STATS_RX_DISCARDED,
		      conn->rx.queued);
	spin_unlock_bh(&conn->lock);
	rch_listen_cancel(conn);

	spin_lock_bh(&conn->lock);
	path = conn->path;
	if (path)
		rch_path_get(path);
	open = conn->tx.open;
	spin_unlock_bh(&conn->lock);

	if (path) {
		/* Data may flow before the work has said so. */
		if (open)
			rch_conn_set_state(conn, RDMACH_CONN_ESTABLISHED, 0,
					   NULL);
		if (READ_ONCE(conn->state) == RDMACH_CONN_ESTABLISHED)
			conn_close_in_order(conn);
		else
			rch_path_stop(path);
		rch_path_put(path);
	} else {
		rch_conn_set_state(conn, RDMACH_CONN_CLOSED, 0, NULL);
		conn_unlist(conn);
	}
	rch_conn_put(conn);
}
