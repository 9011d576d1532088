// SPDX-License-Identifier: GPL-2.0
/*
 * The device node: file operations; uapi/linux/rdmach.h is their contract
 * ======================================================================
 *
 * A file's private data is its connection, from open() to the last close; both
 * belong together, so nothing here takes a reference. Every number of the
 * reserved range leads here and is looked up in the table of endpoints.
 */
#include <linux/cdev.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/splice.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "compat.h"
#include "conn.h"
#include "endpoint.h"
#include "listen.h"
#include "netlink.h"
#include "path.h"

static dev_t rch_devt;
static struct cdev rch_cdev;

/* Begin to connect or to wait for a peer. */
static int conn_begin(struct rch_conn *conn)
{
	int err;

	if (conn->ep->config.role == RDMACH_ROLE_LISTEN)
		return rch_listen_wait(conn, false);
	err = rch_path_dial(conn);
	if (!err)
		rch_conn_arm(conn);
	return err;
}

static int node_open(struct inode *inode, struct file *file)
{
	struct rch_endpoint *ep = rch_endpoint_get_minor(iminor(inode));
	struct rch_conn *conn;
	int err;

	if (!ep)
		return -ENXIO;
	conn = rch_conn_create(ep);
	rch_endpoint_put(ep);
	if (IS_ERR(conn))
		return PTR_ERR(conn);
	err = conn_begin(conn);
	if (!err && !(file->f_flags & O_NONBLOCK))
		err = rch_stream_wait_open(conn);
	if (err) {
		rch_conn_close(conn);
		return err;
	}
	file->private_data = conn;
	file->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, file);
}

static int node_release(struct inode *inode, struct file *file)
{
	rch_conn_close(file->private_data);
	return 0;
}

static bool no_wait(const struct kiocb *iocb)
{
	return (iocb->ki_flags & IOCB_NOWAIT) ||
	       (iocb->ki_filp->f_flags & O_NONBLOCK);
}

static ssize_t node_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	return rch_stream_read(iocb->ki_filp->private_data, to, no_wait(iocb));
}

static ssize_t node_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	return rch_stream_write(iocb->ki_filp->private_data, from,
				no_wait(iocb));
}

static __poll_t node_poll(struct file *file, poll_table *wait)
{
	struct rch_conn *conn = file->private_data;
	enum rdmach_conn_state state;
	__poll_t mask = 0;

	poll_wait(file, &conn->rx_wait, wait);
	poll_wait(file, &conn->tx_wait, wait);
	if (rch_rx_readable(conn))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (rch_tx_writable(conn))
		mask |= EPOLLOUT | EPOLLWRNORM;

	spin_lock_bh(&conn->lock);
	state = conn->state;
	if (conn->rx.fin)
		mask |= EPOLLRDHUP;
	if (conn->rx.bye || state == RDMACH_CONN_CLOSED)
		mask |= EPOLLHUP;
	if (state == RDMACH_CONN_BROKEN)
		mask |= EPOLLERR | EPOLLHUP;
	spin_unlock_bh(&conn->lock);
	return mask;
}

static int node_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	return rch_stream_flush(file->private_data);
}

static void fill_addr(struct rdmach_addr *to, const struct sockaddr_storage *from)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
	const struct sockaddr_in *in = (const struct sockaddr_in *)from;

	switch (from->ss_family) {
	case AF_INET:
		memcpy(to->addr, &in->sin_addr, sizeof(in->sin_addr));
		to->port = ntohs(in->sin_port);
		break;
	case AF_INET6:
		memcpy(to->addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
		to->port = ntohs(in6->sin6_port);
		to->scope_id = in6->sin6_scope_id;
		break;
	default:
		return;
	}
	to->family = from->ss_family;
}

static void fill_query(struct rdmach_query *q, struct rch_conn *conn)
{
	const struct rch_endpoint_config *config = &conn->ep->config;

	q->size = sizeof(*q);
	q->abi_version = RDMACH_ABI_VERSION;
	q->role = config->role;
	q->handle = conn->handle;
	q->buffer_size = config->buffer_size;
	q->depth = config->depth;
	strscpy(q->endpoint, config->name, sizeof(q->endpoint));

	spin_lock_bh(&conn->lock);
	q->state = conn->state;
	q->error = conn->error;
	q->features = conn->hello.features;
	q->epoch = conn->hello.epoch;
	q->peer_buffer_size = conn->hello.buffer_size;
	q->peer_depth = conn->hello.depth;
	memcpy(q->conn_id, conn->id, sizeof(q->conn_id));
	fill_addr(&q->local, &conn->info.local);
	fill_addr(&q->peer, &conn->info.peer);
	strscpy(q->cause, conn->cause, sizeof(q->cause));
	spin_unlock_bh(&conn->lock);
}

static long node_query(struct rch_conn *conn, struct rdmach_query __user *arg)
{
	struct rdmach_query q;
	u32 size;
	int err;

	if (get_user(size, &arg->size))
		return -EFAULT;
	if (size < sizeof(q))
		return -EINVAL;
	err = copy_struct_from_user(&q, sizeof(q), arg, size);
	if (err)
		return err;
	if (q.flags)
		return -EINVAL;
	memset(&q, 0, sizeof(q));
	fill_query(&q, conn);
	return copy_to_user(arg, &q, sizeof(q)) ? -EFAULT : 0;
}

static long node_shutdown(struct rch_conn *conn,
			  struct rdmach_shutdown __user *arg)
{
	struct rdmach_shutdown s;
	u32 size;
	int err;

	if (get_user(size, &arg->size))
		return -EFAULT;
	if (size < sizeof(s))
		return -EINVAL;
	err = copy_struct_from_user(&s, sizeof(s), arg, size);
	if (err)
		return err;
	if (s.how != RDMACH_SHUT_WR)
		return -EINVAL;
	return rch_stream_shutdown(conn);
}

static long node_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct rch_conn *conn = file->private_data;

	switch (cmd) {
	case RDMACH_IOC_QUERY:
		return node_query(conn, (void __user *)arg);
	case RDMACH_IOC_SHUTDOWN:
		return node_shutdown(conn, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations rch_fops = {
	.owner = THIS_MODULE,
	.open = node_open,
	.release = node_release,
	.read_iter = node_read_iter,
	.write_iter = node_write_iter,
	.splice_read = copy_splice_read,
	.splice_write = iter_file_splice_write,
	.poll = node_poll,
	.fsync = node_fsync,
	.unlocked_ioctl = node_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

dev_t rch_cdev_devt(u32 minor)
{
	return MKDEV(MAJOR(rch_devt), minor);
}

int rch_cdev_init(void)
{
	int err = alloc_chrdev_region(&rch_devt, 0, RCH_ENDPOINTS_MAX,
				      "rdmach");

	if (err)
		return err;
	cdev_init(&rch_cdev, &rch_fops);
	rch_cdev.owner = THIS_MODULE;
	err = cdev_add(&rch_cdev, rch_devt, RCH_ENDPOINTS_MAX);
	if (err)
		unregister_chrdev_region(rch_devt, RCH_ENDPOINTS_MAX);
	return err;
}

void rch_cdev_exit(void)
{
	cdev_del(&rch_cdev);
	unregister_chrdev_region(rch_devt, RCH_ENDPOINTS_MAX);
}
