/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * rdmach: generic netlink control plane.
 *
 * Family "rdmach", multicast group "monitor". Requests are taken in the initial
 * network namespace; those that change something need CAP_NET_ADMIN. Every object has its own
 * attribute set, whose attributes stand at the top level of the message.
 *
 * command            do                          dump
 * ENDPOINT_ADD       ROLE, NAME, LOCAL and/or    -
 *                    PEER, options; admin
 * ENDPOINT_DEL       NAME; admin                 -
 * ENDPOINT_GET       NAME -> the endpoint        all endpoints
 * CONNECTION_GET     -                           all connections; with ENDPOINT
 *                                                those of one endpoint
 * STATS_GET          NAME -> STATS               STATS of each endpoint
 * STATS_RESET        NAME, or nothing for all;   -
 *                    admin
 * DEVICE_GET         -                           RDMA devices that can be used
 *
 * Notifications (group "monitor") carry whole objects: ENDPOINT_*_NTF what
 * ENDPOINT_GET gives, CONNECTION_*_NTF what CONNECTION_GET gives, DEVICE_*_NTF
 * what DEVICE_GET gives.
 *
 * Refusals carry an extended ack: a text, the offending or missing attribute,
 * and, for a number out of range, the policy with the range.
 *   EADDRINUSE     the address and port are taken, by an endpoint or by another
 *                  RDMA user
 *   EADDRNOTAVAIL  the address is not one of this host
 *   EEXIST         the name is taken
 *   EINVAL         missing, unknown or malformed attribute
 *   ENODEV         no RDMA device stands behind the local address
 *   ENOENT         no such endpoint
 *   EOPNOTSUPP     asked from another network namespace
 *   EPERM          without CAP_NET_ADMIN
 *   ERANGE         a number out of range
 *   ENOSPC         no device number is left
 */
#ifndef _UAPI_LINUX_RDMACH_NETLINK_H
#define _UAPI_LINUX_RDMACH_NETLINK_H

#include <linux/rdmach.h>

#define RDMACH_GENL_NAME	"rdmach"
#define RDMACH_GENL_VERSION	1
#define RDMACH_MCGRP_MONITOR	"monitor"

/* Allowed ranges, also enforced by policy, and defaults of the options. */
#define RDMACH_DEPTH_MIN		2	/* messages */
#define RDMACH_DEPTH_MAX		1024
#define RDMACH_DEPTH_DEFAULT		32
#define RDMACH_BUFFER_MIN		256	/* bytes */
#define RDMACH_BUFFER_MAX		(1 << 20)
#define RDMACH_BUFFER_DEFAULT		(64 << 10)
#define RDMACH_BACKLOG_MIN		0	/* peers that wait for an open() */
#define RDMACH_BACKLOG_MAX		4096
#define RDMACH_BACKLOG_DEFAULT		16
#define RDMACH_MAX_CONNECTIONS_MIN	1
#define RDMACH_MAX_CONNECTIONS_MAX	65536
#define RDMACH_MAX_CONNECTIONS_DEFAULT	1024
#define RDMACH_MODE_MAX			0777
#define RDMACH_MODE_DEFAULT		0600
#define RDMACH_ACK_TIMEOUT_MIN_US	8	/* 2^1 x 4.096 us, IBTA 9.7.6.1.3 */
#define RDMACH_ACK_TIMEOUT_MAX_US	8589934	/* 2^21 x 4.096 us */
#define RDMACH_CONNECT_TIMEOUT_MIN_MS	10
#define RDMACH_CONNECT_TIMEOUT_MAX_MS	600000
#define RDMACH_CONNECT_TIMEOUT_DEFAULT_MS 10000
#define RDMACH_KEEPALIVE_MIN_MS		100
#define RDMACH_KEEPALIVE_MAX_MS		3600000
#define RDMACH_KEEPALIVE_DEFAULT_MS	10000
#define RDMACH_LINGER_MIN_MS		0
#define RDMACH_LINGER_MAX_MS		600000
#define RDMACH_LINGER_DEFAULT_MS	10000

enum rdmach_cmd {
	RDMACH_CMD_UNSPEC,
	RDMACH_CMD_ENDPOINT_ADD,
	RDMACH_CMD_ENDPOINT_DEL,
	RDMACH_CMD_ENDPOINT_GET,
	RDMACH_CMD_CONNECTION_GET,
	RDMACH_CMD_STATS_GET,
	RDMACH_CMD_STATS_RESET,
	RDMACH_CMD_DEVICE_GET,
	RDMACH_CMD_ENDPOINT_ADD_NTF,
	RDMACH_CMD_ENDPOINT_DEL_NTF,
	RDMACH_CMD_ENDPOINT_CHANGE_NTF,
	RDMACH_CMD_CONNECTION_ADD_NTF,
	RDMACH_CMD_CONNECTION_DEL_NTF,
	RDMACH_CMD_CONNECTION_CHANGE_NTF,
	RDMACH_CMD_DEVICE_ADD_NTF,
	RDMACH_CMD_DEVICE_DEL_NTF,
	__RDMACH_CMD_MAX
};

#define RDMACH_CMD_MAX (__RDMACH_CMD_MAX - 1)

/* Attributes of an address (nested). */
enum rdmach_a_addr {
	RDMACH_A_ADDR_UNSPEC,
	RDMACH_A_ADDR_IPV4,		/* 4 bytes, network order */
	RDMACH_A_ADDR_IPV6,		/* 16 bytes, network order */
	RDMACH_A_ADDR_PORT,		/* u16, host order; absent: chosen by the host */
	RDMACH_A_ADDR_SCOPE,		/* u32: interface index of a link-local address */
	__RDMACH_A_ADDR_MAX
};

#define RDMACH_A_ADDR_MAX (__RDMACH_A_ADDR_MAX - 1)

/**
 * enum rdmach_endpoint_state - whether an endpoint can be opened
 * @RDMACH_ENDPOINT_READY: a connect endpoint, always
 * @RDMACH_ENDPOINT_LISTENING: a listen endpoint that takes peers
 * @RDMACH_ENDPOINT_DOWN: a listen endpoint whose device or address is gone; it
 *	listens again by itself when they return
 */
enum rdmach_endpoint_state {
	RDMACH_ENDPOINT_READY,
	RDMACH_ENDPOINT_LISTENING,
	RDMACH_ENDPOINT_DOWN,
};

/* Attributes of an endpoint. in = may be given to ENDPOINT_ADD. */
enum rdmach_a_endpoint {
	RDMACH_A_ENDPOINT_UNSPEC,
	RDMACH_A_ENDPOINT_PAD,
	RDMACH_A_ENDPOINT_NAME,			/* string, in */
	RDMACH_A_ENDPOINT_ROLE,			/* u32 enum rdmach_role, in */
	RDMACH_A_ENDPOINT_LOCAL,		/* nest rdmach_a_addr, in: listen: where;
						 * connect: source address, no port
						 */
	RDMACH_A_ENDPOINT_PEER,			/* nest rdmach_a_addr, in: connect only */
	RDMACH_A_ENDPOINT_DEPTH,		/* u32 messages, in */
	RDMACH_A_ENDPOINT_BUFFER,		/* u32 bytes, in; rounded up to a multiple
						 * of 64, the effective value is shown
						 */
	RDMACH_A_ENDPOINT_BACKLOG,		/* u32 peers, in: listen only */
	RDMACH_A_ENDPOINT_MAX_CONNECTIONS,	/* u32, in */
	RDMACH_A_ENDPOINT_MODE,			/* u32 permission bits of the node, in */
	RDMACH_A_ENDPOINT_OWNER,		/* u32 uid of the node, in */
	RDMACH_A_ENDPOINT_GROUP,		/* u32 gid of the node, in */
	RDMACH_A_ENDPOINT_TOS,			/* u8 RoCE traffic class, in; absent: the
						 * device's default
						 */
	RDMACH_A_ENDPOINT_ACK_TIMEOUT_US,	/* u32, in: rounded up to 4.096 us x 2^n,
						 * the effective value is shown; absent:
						 * the device's default
						 */
	RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS,	/* u32, in */
	RDMACH_A_ENDPOINT_KEEPALIVE_MS,		/* u32, in */
	RDMACH_A_ENDPOINT_LINGER_MS,		/* u32, in */
	RDMACH_A_ENDPOINT_STATE,		/* u32 enum rdmach_endpoint_state */
	RDMACH_A_ENDPOINT_MINOR,		/* u32 minor number of the node */
	RDMACH_A_ENDPOINT_CONNECTIONS,		/* u32 connections, pending ones included */
	RDMACH_A_ENDPOINT_QUEUED,		/* u32 peers that wait for an open() */
	RDMACH_A_ENDPOINT_ERROR,		/* u32 errno of the last failure, or absent */
	RDMACH_A_ENDPOINT_CAUSE,		/* string: its text */
	RDMACH_A_ENDPOINT_ERROR_AGE_MS,		/* u64: how long ago it was */
	__RDMACH_A_ENDPOINT_MAX
};

#define RDMACH_A_ENDPOINT_MAX (__RDMACH_A_ENDPOINT_MAX - 1)

/* Attributes of a path (nested in a connection, once for each path). */
enum rdmach_a_path {
	RDMACH_A_PATH_UNSPEC,
	RDMACH_A_PATH_INDEX,		/* u32 */
	RDMACH_A_PATH_DEVICE,		/* string: name of the RDMA device */
	RDMACH_A_PATH_PORT,		/* u32: port of the RDMA device */
	RDMACH_A_PATH_LOCAL,		/* nest rdmach_a_addr */
	RDMACH_A_PATH_PEER,		/* nest rdmach_a_addr */
	RDMACH_A_PATH_QPN,		/* u32: local QP number */
	RDMACH_A_PATH_MTU,		/* u32 bytes: path MTU, where the device has one */
	__RDMACH_A_PATH_MAX
};

#define RDMACH_A_PATH_MAX (__RDMACH_A_PATH_MAX - 1)

/* Attributes of a connection. */
enum rdmach_a_connection {
	RDMACH_A_CONNECTION_UNSPEC,
	RDMACH_A_CONNECTION_PAD,
	RDMACH_A_CONNECTION_HANDLE,		/* u32: local number, never 0 */
	RDMACH_A_CONNECTION_ENDPOINT,		/* string, also a filter of the dump */
	RDMACH_A_CONNECTION_ROLE,		/* u32 enum rdmach_role */
	RDMACH_A_CONNECTION_ID,			/* 16 bytes, known to both sides */
	RDMACH_A_CONNECTION_STATE,		/* u32 enum rdmach_conn_state */
	RDMACH_A_CONNECTION_EPOCH,		/* u32 */
	RDMACH_A_CONNECTION_FEATURES,		/* u64 bits */
	RDMACH_A_CONNECTION_PATH,		/* nest rdmach_a_path, repeated */
	RDMACH_A_CONNECTION_PID,		/* u32: thread group that opened the node */
	RDMACH_A_CONNECTION_UID,		/* u32: effective uid of the opener */
	RDMACH_A_CONNECTION_COMM,		/* string: its name then */
	RDMACH_A_CONNECTION_AGE_MS,		/* u64: since established; absent before */
	RDMACH_A_CONNECTION_IDLE_MS,		/* u64: since the last message from the peer */
	RDMACH_A_CONNECTION_BUFFER,		/* u32 bytes: this side's buffer size */
	RDMACH_A_CONNECTION_PEER_BUFFER,	/* u32 bytes */
	RDMACH_A_CONNECTION_DEPTH,		/* u32 messages */
	RDMACH_A_CONNECTION_PEER_DEPTH,		/* u32 messages */
	RDMACH_A_CONNECTION_POOL,		/* u64 bytes of buffer memory held */
	RDMACH_A_CONNECTION_CREDITS,		/* u32: messages that may be sent now */
	RDMACH_A_CONNECTION_TX_INFLIGHT,	/* u32: sent, not yet acknowledged */
	RDMACH_A_CONNECTION_RX_QUEUED,		/* u32: received, not yet read, messages */
	RDMACH_A_CONNECTION_ERROR,		/* u32 errno, absent while all is well */
	RDMACH_A_CONNECTION_CAUSE,		/* string */
	RDMACH_A_CONNECTION_STATS,		/* nest rdmach_a_stats */
	__RDMACH_A_CONNECTION_MAX
};

#define RDMACH_A_CONNECTION_MAX (__RDMACH_A_CONNECTION_MAX - 1)

/*
 * Counters, all u64, since the object was made or last reset. Those marked E
 * exist for endpoints only; an endpoint's others are the sums over its
 * connections, past and present.
 */
enum rdmach_a_stats {
	RDMACH_A_STATS_UNSPEC,
	RDMACH_A_STATS_PAD,
	RDMACH_A_STATS_TX_BYTES,		/* payload given to the device */
	RDMACH_A_STATS_TX_MESSAGES,		/* data messages */
	RDMACH_A_STATS_RX_BYTES,		/* payload received, valid */
	RDMACH_A_STATS_RX_MESSAGES,
	RDMACH_A_STATS_TX_CONTROL,		/* control messages of every type */
	RDMACH_A_STATS_RX_CONTROL,
	RDMACH_A_STATS_TX_CREDIT_UPDATES,	/* of TX_CONTROL: only to return credits */
	RDMACH_A_STATS_TX_KEEPALIVES,		/* of TX_CONTROL: pings */
	RDMACH_A_STATS_CREDIT_STALLS,		/* a writer found no credit */
	RDMACH_A_STATS_CREDIT_STALL_NS,		/* and waited so long in all */
	RDMACH_A_STATS_BUFFER_STALLS,		/* a writer found no free send buffer */
	RDMACH_A_STATS_CONTROL_STALLS,		/* a control message had to wait */
	RDMACH_A_STATS_KEEPALIVE_TIMEOUTS,	/* peer silent for 3 keepalives */
	RDMACH_A_STATS_WIRE_ERRORS,		/* messages the protocol forbids */
	RDMACH_A_STATS_COMPLETION_ERRORS,	/* work requests that failed */
	RDMACH_A_STATS_POST_ERRORS,		/* work requests the device refused */
	RDMACH_A_STATS_CONNECTS,		/* E established as the dialer */
	RDMACH_A_STATS_CONNECT_FAILURES,	/* E dials that failed, time-outs included */
	RDMACH_A_STATS_CONNECT_TIMEOUTS,	/* E dials that timed out */
	RDMACH_A_STATS_ACCEPTS,			/* E established as the listener */
	RDMACH_A_STATS_ACCEPT_FAILURES,		/* E requests lost while being accepted */
	RDMACH_A_STATS_REFUSED_STRANGER,	/* E requests that are not this protocol */
	RDMACH_A_STATS_REFUSED_VERSION,		/* E peers of another version */
	RDMACH_A_STATS_REFUSED_BACKLOG,		/* E more peers than backlog */
	RDMACH_A_STATS_REFUSED_RESOURCES,	/* E no memory for the request */
	RDMACH_A_STATS_EXPIRED,			/* E peers that waited too long, or left */
	RDMACH_A_STATS_BROKEN,			/* E connections ended by an error */
	RDMACH_A_STATS_CM_IGNORED,		/* E CM events that mean nothing here */
	RDMACH_A_STATS_RX_DISCARDED,		/* data messages nobody will read: this
						 * side had closed
						 */
	RDMACH_A_STATS_REFUSED_PARAMETER,	/* E peers with a parameter out of range */
	__RDMACH_A_STATS_MAX
};

#define RDMACH_A_STATS_MAX (__RDMACH_A_STATS_MAX - 1)

/* Attributes of STATS_GET and STATS_RESET. */
enum rdmach_a_stats_of {
	RDMACH_A_STATS_OF_UNSPEC,
	RDMACH_A_STATS_OF_NAME,		/* string: the endpoint */
	RDMACH_A_STATS_OF_STATS,	/* nest rdmach_a_stats */
	__RDMACH_A_STATS_OF_MAX
};

#define RDMACH_A_STATS_OF_MAX (__RDMACH_A_STATS_OF_MAX - 1)

/* Attributes of a device. */
enum rdmach_a_device {
	RDMACH_A_DEVICE_UNSPEC,
	RDMACH_A_DEVICE_NAME,		/* string */
	RDMACH_A_DEVICE_TRANSPORT,	/* string: infiniband, roce or iwarp */
	RDMACH_A_DEVICE_PORTS,		/* u32 */
	RDMACH_A_DEVICE_NETDEV,		/* string, repeated: one for each port with one */
	RDMACH_A_DEVICE_ACTIVE,		/* u32: how many ports are active */
	RDMACH_A_DEVICE_MAX_QP,		/* u32 */
	RDMACH_A_DEVICE_MAX_QP_WR,	/* u32: work requests of one queue */
	RDMACH_A_DEVICE_MAX_CQE,	/* u32 */
	RDMACH_A_DEVICE_CONNECTIONS,	/* u32: our paths on it */
	__RDMACH_A_DEVICE_MAX
};

#define RDMACH_A_DEVICE_MAX (__RDMACH_A_DEVICE_MAX - 1)

#endif /* _UAPI_LINUX_RDMACH_NETLINK_H */
