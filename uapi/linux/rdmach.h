/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * rdmach: an RDMA connection as a file.
 *
 * The file contract of /dev/rdmach/NAME
 * -------------------------------------
 * One open file description is one connection. open() dials (role connect) or
 * waits for a peer (role listen); both are interruptible and bounded.
 *
 *   open()      0 or more: established (or pending, with O_NONBLOCK)
 *     EACCES       the node's mode or owner forbids it
 *     EAGAIN       the endpoint has reached max-connections
 *     ECONNREFUSED the peer, or its host, refused; the reason is in QUERY, in
 *                  `rdmactl endpoint show` and in `rdmactl monitor`
 *     EHOSTUNREACH no route, or no neighbour answered
 *     EINTR        a signal arrived first (restarted where SA_RESTART says so)
 *     ENODEV       no RDMA device stands behind the address
 *     ENOMEM       the connection's pool or queues could not be allocated
 *     ENXIO        the endpoint has been deleted
 *     EPROTO       the peer speaks another version, or not this protocol
 *     ESHUTDOWN    the listener is down (its device is gone)
 *     ETIMEDOUT    nothing answered within connect-timeout
 *   With O_NONBLOCK open() returns at once; the file turns writable when the
 *   connection is established, and POLLERR when it is not: read() and write()
 *   then return the error above. An open() with O_NONBLOCK of a listen endpoint
 *   never times out; a blocking one waits until a peer comes or a signal.
 *
 *   read(), readv()   a byte stream
 *     n > 0        at least one byte, at most what was asked
 *     0            end of stream: the peer has shut down, closed or died *after*
 *                  all it had sent was read
 *     EAGAIN       O_NONBLOCK or RWF_NOWAIT, and nothing to read
 *     EINTR        a signal arrived before any byte
 *     ECONNRESET   the peer has gone without closing; ETIMEDOUT: it has not
 *                  answered for three keepalive intervals, or the device has
 *                  sent in vain as often as it may; ENXIO: the endpoint was
 *                  deleted; ENODEV: the device was removed; EPROTO: the peer
 *                  sent what the protocol forbids; EIO: the device failed.
 *                  Sticky, and given only after the data that had arrived in
 *                  order was read
 *     ESPIPE       an offset was given (pread); EFAULT as usual
 *
 *   write(), writev() bytes accepted, all of them when blocking. A blocking
 *                  write is contiguous in the stream, whatever other threads do
 *     EAGAIN       O_NONBLOCK or RWF_NOWAIT, and no credit or no buffer
 *     EINTR        a signal arrived before any byte
 *     EPIPE        the peer has closed, or this side has shut down (+ SIGPIPE)
 *     others       as for read()
 *
 *   fsync()     0: every byte written before is in the memory of the peer's
 *               host. EIO, or the connection's error: it is not known to be
 *   poll()      IN readable or end of stream; OUT at least one byte can be
 *               written; RDHUP the peer will send no more; HUP the peer has
 *               closed; ERR broken, cause by RDMACH_IOC_QUERY
 *   close()     the last one sends what was accepted and then disconnects, in
 *               the background, within linger
 *   lseek, mmap ESPIPE, ENODEV
 *
 * After fork, dup or SCM_RIGHTS the file is the same connection.
 */
#ifndef _UAPI_LINUX_RDMACH_H
#define _UAPI_LINUX_RDMACH_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Grows when something is added here; never shrinks, nothing is taken away. */
#define RDMACH_ABI_VERSION	1

/* Longest endpoint name, without the terminating NUL. [A-Za-z0-9._-] only. */
#define RDMACH_NAME_MAX		31
/* Longest text of a cause, without the terminating NUL. */
#define RDMACH_CAUSE_MAX	95
/* Bytes of a connection id; the same id is known to both sides. */
#define RDMACH_CONN_ID_LEN	16

/**
 * enum rdmach_role - what an endpoint does when its node is opened
 * @RDMACH_ROLE_UNSPEC: not a role
 * @RDMACH_ROLE_LISTEN: wait for a peer
 * @RDMACH_ROLE_CONNECT: dial the configured peer
 */
enum rdmach_role {
	RDMACH_ROLE_UNSPEC,
	RDMACH_ROLE_LISTEN,
	RDMACH_ROLE_CONNECT,
};

/**
 * enum rdmach_conn_state - the life of a connection
 * @RDMACH_CONN_WAITING: opened on a listen endpoint; no peer yet
 * @RDMACH_CONN_RESOLVING: looking for address, device and route
 * @RDMACH_CONN_CONNECTING: the request is on its way to the peer
 * @RDMACH_CONN_ACCEPTING: a peer's request was answered; its first message is
 *	awaited
 * @RDMACH_CONN_ESTABLISHED: data flows
 * @RDMACH_CONN_CLOSING: this side has closed; what was accepted is being sent
 * @RDMACH_CONN_CLOSED: ended in order
 * @RDMACH_CONN_BROKEN: ended by an error; see the cause
 */
enum rdmach_conn_state {
	RDMACH_CONN_WAITING,
	RDMACH_CONN_RESOLVING,
	RDMACH_CONN_CONNECTING,
	RDMACH_CONN_ACCEPTING,
	RDMACH_CONN_ESTABLISHED,
	RDMACH_CONN_CLOSING,
	RDMACH_CONN_CLOSED,
	RDMACH_CONN_BROKEN,
};

/**
 * struct rdmach_addr - an address and a port
 * @family: AF_INET or AF_INET6; 0 where no address is known
 * @port: host byte order
 * @scope_id: interface index of a link-local IPv6 address, else 0
 * @addr: network byte order; the first four bytes for AF_INET
 */
struct rdmach_addr {
	__u16 family;
	__u16 port;
	__u32 scope_id;
	__u8 addr[16];
};

/**
 * struct rdmach_query - argument of RDMACH_IOC_QUERY
 * @size: in: bytes the caller knows; out: bytes the kernel knows. The smaller
 *	of both is copied; bytes the kernel does not know must be zero
 * @flags: in: must be zero
 * @abi_version: out: RDMACH_ABI_VERSION of the module
 * @role: out: enum rdmach_role
 * @state: out: enum rdmach_conn_state
 * @error: out: 0, or the positive errno that ended the connection
 * @features: out: protocol features both sides agreed on; none is defined yet
 * @epoch: out: how often this connection was re-established
 * @handle: out: local number of the connection, as `rdmactl connection show`
 *	prints it
 * @buffer_size: out: bytes of one message buffer of this side
 * @peer_buffer_size: out: the same of the peer; 0 before it is known
 * @depth: out: messages this side can receive before it must read
 * @peer_depth: out: the same of the peer
 * @conn_id: out: 128-bit id known to both sides
 * @local: out: this side's address
 * @peer: out: the peer's address
 * @endpoint: out: name of the endpoint, NUL-terminated
 * @cause: out: why the connection ended, NUL-terminated, empty if it has not
 */
struct rdmach_query {
	__u32 size;
	__u32 flags;
	__u32 abi_version;
	__u32 role;
	__u32 state;
	__u32 error;
	__u64 features;
	__u32 epoch;
	__u32 handle;
	__u32 buffer_size;
	__u32 peer_buffer_size;
	__u32 depth;
	__u32 peer_depth;
	__u8 conn_id[RDMACH_CONN_ID_LEN];
	struct rdmach_addr local;
	struct rdmach_addr peer;
	char endpoint[RDMACH_NAME_MAX + 1];
	char cause[RDMACH_CAUSE_MAX + 1];
};

/* Which directions RDMACH_IOC_SHUTDOWN ends. */
#define RDMACH_SHUT_WR		1

/**
 * struct rdmach_shutdown - argument of RDMACH_IOC_SHUTDOWN
 * @size: in: sizeof(struct rdmach_shutdown) as the caller knows it
 * @how: in: RDMACH_SHUT_WR: the peer reads what was written, then end of stream
 */
struct rdmach_shutdown {
	__u32 size;
	__u32 how;
};

#define RDMACH_IOC_MAGIC	0xdc
/*
 * RDMACH_IOC_QUERY: 0
 *   EFAULT, EINVAL (size smaller than version 1's, flags not zero), E2BIG (the
 *   caller knows more than the kernel, and it is not zero)
 */
#define RDMACH_IOC_QUERY	_IOWR(RDMACH_IOC_MAGIC, 0, struct rdmach_query)
/*
 * RDMACH_IOC_SHUTDOWN: 0, also when it was done before
 *   EFAULT, E2BIG, EINVAL (size, how), ENOTCONN (never established), EINTR, or
 *   the connection's error
 * Any other request: ENOTTY.
 */
#define RDMACH_IOC_SHUTDOWN	_IOW(RDMACH_IOC_MAGIC, 1, struct rdmach_shutdown)

#endif /* _UAPI_LINUX_RDMACH_H */
