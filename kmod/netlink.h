/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control plane: generic netlink family "rdmach"; the contract stands in
 * uapi/linux/rdmach_netlink.h. netlink.c takes requests, message.c writes what
 * the module says, to those who ask and to the monitors.
 */
#ifndef RCH_NETLINK_H
#define RCH_NETLINK_H

#include <linux/types.h>

#include <linux/rdmach_netlink.h>

struct genl_family;
struct ib_device;
struct netlink_callback;
struct rch_conn;
struct rch_endpoint;
struct sk_buff;

int rch_netlink_init(void);
void rch_netlink_exit(void);

extern struct genl_family rch_genl_family;

/* Whom a message goes to, and as the answer to what. */
struct rch_message_to {
	u32 portid;
	u32 seq;
	int flags;			/* NLM_F_* */
	u8 cmd;				/* enum rdmach_cmd */
	struct netlink_callback *cb;	/* of the dump it is part of, or NULL */
};

/*
 * Append one whole object as a message.
 * Context: process. Return: 0 or -EMSGSIZE, in which case nothing was added.
 */
int rch_message_endpoint(struct sk_buff *skb, const struct rch_message_to *to,
			 struct rch_endpoint *ep);
int rch_message_conn(struct sk_buff *skb, const struct rch_message_to *to,
		     struct rch_conn *conn, enum rdmach_conn_state state);
int rch_message_stats(struct sk_buff *skb, const struct rch_message_to *to,
		      struct rch_endpoint *ep);
int rch_message_device(struct sk_buff *skb, const struct rch_message_to *to,
		       struct ib_device *ibdev, u32 nr_paths);

/* Changes with every object that comes or goes, for consistent dumps. */
unsigned int rch_message_generation(void);

/*
 * Tell the monitors. @state is what it changed to; by now it may be another. A
 * message that cannot be made or delivered shows as
 * ENOBUFS at their sockets. Context: process, no spinlock.
 */
void rch_notify_endpoint(enum rdmach_cmd cmd, struct rch_endpoint *ep);
void rch_notify_conn(enum rdmach_cmd cmd, struct rch_conn *conn,
		     enum rdmach_conn_state state);
void rch_notify_device(enum rdmach_cmd cmd, struct ib_device *ibdev);

#endif /* RCH_NETLINK_H */
