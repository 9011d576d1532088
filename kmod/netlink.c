// SPDX-License-Identifier: GPL-2.0
/*
 * Requests over netlink; see netlink.h
 * ====================================
 *
 * Ranges and lengths are refused by policy, which tells the asker the range
 * that is allowed; what a policy cannot say is refused here, with the attribute
 * and the reason in words. What a request means is done elsewhere.
 *
 * All are taken from the initial network namespace only: the RDMA devices of a
 * host are bound there.
 */
#include <linux/in6.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "compat.h"
#include "conn.h"
#include "device.h"
#include "endpoint.h"
#include "netlink.h"
#include "pool.h"

/* Not const: older kernels have the pointer to them so. */
static struct netlink_range_validation depth_range = {
	.min = RDMACH_DEPTH_MIN, .max = RDMACH_DEPTH_MAX,
};

static struct netlink_range_validation buffer_range = {
	.min = RDMACH_BUFFER_MIN, .max = RDMACH_BUFFER_MAX,
};

static struct netlink_range_validation backlog_range = {
	.min = RDMACH_BACKLOG_MIN, .max = RDMACH_BACKLOG_MAX,
};

static struct netlink_range_validation max_connections_range = {
	.min = RDMACH_MAX_CONNECTIONS_MIN, .max = RDMACH_MAX_CONNECTIONS_MAX,
};

static struct netlink_range_validation mode_range = {
	.max = RDMACH_MODE_MAX,
};

static struct netlink_range_validation ack_timeout_range = {
	.min = RDMACH_ACK_TIMEOUT_MIN_US, .max = RDMACH_ACK_TIMEOUT_MAX_US,
};

static struct netlink_range_validation connect_timeout_range = {
	.min = RDMACH_CONNECT_TIMEOUT_MIN_MS,
	.max = RDMACH_CONNECT_TIMEOUT_MAX_MS,
};

static struct netlink_range_validation keepalive_range = {
	.min = RDMACH_KEEPALIVE_MIN_MS, .max = RDMACH_KEEPALIVE_MAX_MS,
};

static struct netlink_range_validation linger_range = {
	.min = RDMACH_LINGER_MIN_MS, .max = RDMACH_LINGER_MAX_MS,
};

static const struct nla_policy addr_policy[RDMACH_A_ADDR_MAX + 1] = {
	[RDMACH_A_ADDR_IPV4] = NLA_POLICY_EXACT_LEN(4),
	[RDMACH_A_ADDR_IPV6] = NLA_POLICY_EXACT_LEN(16),
	[RDMACH_A_ADDR_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[RDMACH_A_ADDR_SCOPE] = NLA_POLICY_MIN(NLA_U32, 1),
};

static const struct nla_policy endpoint_policy[RDMACH_A_ENDPOINT_MAX + 1] = {
	[RDMACH_A_ENDPOINT_NAME] = { .type = NLA_NUL_STRING,
				     .len = RDMACH_NAME_MAX },
	[RDMACH_A_ENDPOINT_ROLE] = NLA_POLICY_RANGE(NLA_U32,
			RDMACH_ROLE_LISTEN, RDMACH_ROLE_CONNECT),
	[RDMACH_A_ENDPOINT_LOCAL] = NLA_POLICY_NESTED(addr_policy),
	[RDMACH_A_ENDPOINT_PEER] = NLA_POLICY_NESTED(addr_policy),
	[RDMACH_A_ENDPOINT_DEPTH] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &depth_range),
	[RDMACH_A_ENDPOINT_BUFFER] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &buffer_range),
	[RDMACH_A_ENDPOINT_BACKLOG] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &backlog_range),
	[RDMACH_A_ENDPOINT_MAX_CONNECTIONS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &max_connections_range),
	[RDMACH_A_ENDPOINT_MODE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &mode_range),
	[RDMACH_A_ENDPOINT_OWNER] = { .type = NLA_U32 },
	[RDMACH_A_ENDPOINT_GROUP] = { .type = NLA_U32 },
	[RDMACH_A_ENDPOINT_TOS] = { .type = NLA_U8 },
	[RDMACH_A_ENDPOINT_ACK_TIMEOUT_US] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &ack_timeout_range),
	[RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &connect_timeout_range),
	[RDMACH_A_ENDPOINT_KEEPALIVE_MS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &keepalive_range),
	[RDMACH_A_ENDPOINT_LINGER_MS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &linger_range),
};

static const struct nla_policy name_policy[RDMACH_A_ENDPOINT_NAME + 1] = {
	[RDMACH_A_ENDPOINT_NAME] = { .type = NLA_NUL_STRING,
				     .len = RDMACH_NAME_MAX },
};

static const struct nla_policy conn_policy[RDMACH_A_CONNECTION_ENDPOINT + 1] = {
	[RDMACH_A_CONNECTION_ENDPOINT] = { .type = NLA_NUL_STRING,
					   .len = RDMACH_NAME_MAX },
};

static const struct nla_policy stats_policy[RDMACH_A_STATS_OF_NAME + 1] = {
	[RDMACH_A_STATS_OF_NAME] = { .type = NLA_NUL_STRING,
				     .len = RDMACH_NAME_MAX },
};

/* Parsing */

/* Also a file name below /dev. */
static bool name_is_valid(const char *name)
{
	const char *c;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (c = name; *c; c++)
		if (!(isascii(*c) && isalnum(*c)) && !strchr("._-", *c))
			return false;
	return true;
}

/* RDMA CM would take it for a wildcard: listen, then, to the whole network. */
static int refuse_loopback(struct nlattr *nest, struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG_ATTR(extack, nest,
			    "no RDMA device stands behind a loopback address");
	return -ENODEV;
}

static int parse_ipv6(struct nlattr *nest, struct nlattr **tb,
		      struct sockaddr_in6 *in6, struct netlink_ext_ack *extack)
{
	u32 scope = 0;

	in6->sin6_family = AF_INET6;
	in6->sin6_addr = nla_get_in6_addr(tb[RDMACH_A_ADDR_IPV6]);
	if (tb[RDMACH_A_ADDR_SCOPE])
		scope = nla_get_u32(tb[RDMACH_A_ADDR_SCOPE]);
	if (ipv6_addr_is_multicast(&in6->sin6_addr)) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "a multicast address");
		return -EINVAL;
	}
	if ((ipv6_addr_type(&in6->sin6_addr) & IPV6_ADDR_LINKLOCAL) && !scope) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "scope id needed: a link-local address is not unique on the host");
		return -EINVAL;
	}
	if (!(ipv6_addr_type(&in6->sin6_addr) & IPV6_ADDR_LINKLOCAL) && scope) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "a scope id for an address that is not link-local");
		return -EINVAL;
	}
	in6->sin6_scope_id = scope;
	return ipv6_addr_loopback(&in6->sin6_addr) ?
	       refuse_loopback(nest, extack) : 0;
}

static int parse_ipv4(struct nlattr *nest, struct nlattr **tb,
		      struct sockaddr_in *in, struct netlink_ext_ack *extack)
{
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = nla_get_in_addr(tb[RDMACH_A_ADDR_IPV4]);
	if (ipv4_is_multicast(in->sin_addr.s_addr) ||
	    ipv4_is_lbcast(in->sin_addr.s_addr)) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "a multicast or broadcast address");
		return -EINVAL;
	}
	if (tb[RDMACH_A_ADDR_SCOPE]) {
		NL_SET_ERR_MSG_ATTR(extack, tb[RDMACH_A_ADDR_SCOPE],
				    "a scope id for an IPv4 address");
		return -EINVAL;
	}
	return ipv4_is_loopback(in->sin_addr.s_addr) ?
	       refuse_loopback(nest, extack) : 0;
}

static int parse_addr(struct nlattr *nest, bool with_port,
		      struct sockaddr_storage *addr,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMACH_A_ADDR_MAX + 1];
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	__be16 port = 0;
	int err;

	err = nla_parse_nested(tb, RDMACH_A_ADDR_MAX, nest, addr_policy, extack);
	if (err)
		return err;
	if (!tb[RDMACH_A_ADDR_IPV4] == !tb[RDMACH_A_ADDR_IPV6]) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "one IPv4 or one IPv6 address is needed");
		return -EINVAL;
	}
	if (with_port && !tb[RDMACH_A_ADDR_PORT]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "a port is needed");
		return -EINVAL;
	}
	if (!with_port && tb[RDMACH_A_ADDR_PORT]) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "a source address has no port");
		return -EINVAL;
	}
	if (with_port)
		port = htons(nla_get_u16(tb[RDMACH_A_ADDR_PORT]));
	/* The port lies at the same place for both families. */
	if (tb[RDMACH_A_ADDR_IPV6]) {
		in6->sin6_port = port;
		return parse_ipv6(nest, tb, in6, extack);
	}
	in->sin_port = port;
	return parse_ipv4(nest, tb, in, extack);
}

static bool is_any_addr(const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	return addr->ss_family == AF_INET6 ? ipv6_addr_any(&in6->sin6_addr) :
					     !in->sin_addr.s_addr;
}

/* Attribute, member and default of the plain numbers. */
static void parse_numbers(struct nlattr **tb, struct rch_endpoint_config *c)
{
	const struct {
		int attr;
		u32 *to;
		u32 otherwise;
	} number[] = {
		{ RDMACH_A_ENDPOINT_DEPTH, &c->depth, RDMACH_DEPTH_DEFAULT },
		{ RDMACH_A_ENDPOINT_BUFFER, &c->buffer_size,
		  RDMACH_BUFFER_DEFAULT },
		{ RDMACH_A_ENDPOINT_BACKLOG, &c->backlog,
		  RDMACH_BACKLOG_DEFAULT },
		{ RDMACH_A_ENDPOINT_MAX_CONNECTIONS, &c->max_connections,
		  RDMACH_MAX_CONNECTIONS_DEFAULT },
		{ RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS, &c->connect_timeout_ms,
		  RDMACH_CONNECT_TIMEOUT_DEFAULT_MS },
		{ RDMACH_A_ENDPOINT_KEEPALIVE_MS, &c->keepalive_ms,
		  RDMACH_KEEPALIVE_DEFAULT_MS },
		{ RDMACH_A_ENDPOINT_LINGER_MS, &c->linger_ms,
		  RDMACH_LINGER_DEFAULT_MS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(number); i++)
		*number[i].to = tb[number[i].attr] ?
				nla_get_u32(tb[number[i].attr]) :
				number[i].otherwise;
	c->buffer_size = round_up(c->buffer_size, RCH_POOL_ALIGN);
}

/* The least n with 4.096 us x 2^n >= @us. */
static u8 ack_timeout_exponent(u32 us)
{
	u8 n = 1;

	while ((4096ULL << n) < us * 1000ULL)
		n++;
	return n;
}

static int parse_node(struct nlattr **tb, struct rch_endpoint_config *c,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *mode = tb[RDMACH_A_ENDPOINT_MODE];
	struct nlattr *owner = tb[RDMACH_A_ENDPOINT_OWNER];
	struct nlattr *group = tb[RDMACH_A_ENDPOINT_GROUP];

	c->mode = mode ? nla_get_u32(mode) : RDMACH_MODE_DEFAULT;
	c->owner = make_kuid(&init_user_ns, owner ? nla_get_u32(owner) : 0);
	c->group = make_kgid(&init_user_ns, group ? nla_get_u32(group) : 0);
	if (!uid_valid(c->owner)) {
		NL_SET_ERR_MSG_ATTR(extack, owner, "not a user id");
		return -EINVAL;
	}
	if (!gid_valid(c->group)) {
		NL_SET_ERR_MSG_ATTR(extack, group, "not a group id");
		return -EINVAL;
	}
	return 0;
}

static int parse_listen(struct nlattr **tb, struct rch_endpoint_config *c,
			struct genl_info *info)
{
	if (GENL_REQ_ATTR_CHECK(info, RDMACH_A_ENDPOINT_LOCAL)) {
		GENL_SET_ERR_MSG(info, "a listen endpoint needs an address to listen on");
		return -EINVAL;
	}
	if (tb[RDMACH_A_ENDPOINT_PEER]) {
		NL_SET_ERR_MSG_ATTR(info->extack, tb[RDMACH_A_ENDPOINT_PEER],
				    "a listen endpoint has no peer address");
		return -EINVAL;
	}
	return parse_addr(tb[RDMACH_A_ENDPOINT_LOCAL], true, &c->local,
			  info->extack);
}

static int parse_connect(struct nlattr **tb, struct rch_endpoint_config *c,
			 struct genl_info *info)
{
	struct nlattr *local = tb[RDMACH_A_ENDPOINT_LOCAL];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, RDMACH_A_ENDPOINT_PEER)) {
		GENL_SET_ERR_MSG(info, "a connect endpoint needs the address of its peer");
		return -EINVAL;
	}
	if (tb[RDMACH_A_ENDPOINT_BACKLOG]) {
		NL_SET_ERR_MSG_ATTR(info->extack, tb[RDMACH_A_ENDPOINT_BACKLOG],
				    "a connect endpoint has no backlog");
		return -EINVAL;
	}
	err = parse_addr(tb[RDMACH_A_ENDPOINT_PEER], true, &c->peer,
			 info->extack);
	if (!err && local)
		err = parse_addr(local, false, &c->local, info->extack);
	if (err)
		return err;
	if (is_any_addr(&c->peer)) {
		NL_SET_ERR_MSG_ATTR(info->extack, tb[RDMACH_A_ENDPOINT_PEER],
				    "not the address of a host");
		return -EINVAL;
	}
	if (local && c->local.ss_family != c->peer.ss_family) {
		NL_SET_ERR_MSG_ATTR(info->extack, local,
				    "source and peer are of different address families");
		return -EINVAL;
	}
	return 0;
}

static int parse_endpoint(struct rch_endpoint_config *c, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;
	struct nlattr *ack = tb[RDMACH_A_ENDPOINT_ACK_TIMEOUT_US];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, RDMACH_A_ENDPOINT_NAME) ||
	    GENL_REQ_ATTR_CHECK(info, RDMACH_A_ENDPOINT_ROLE)) {
		GENL_SET_ERR_MSG(info, "an endpoint needs a name and a role");
		return -EINVAL;
	}
	nla_strscpy(c->name, tb[RDMACH_A_ENDPOINT_NAME], sizeof(c->name));
	if (!name_is_valid(c->name)) {
		NL_SET_ERR_MSG_ATTR(info->extack, tb[RDMACH_A_ENDPOINT_NAME],
				    "a name consists of letters, digits, '.', '_' and '-'");
		return -EINVAL;
	}
	c->role = nla_get_u32(tb[RDMACH_A_ENDPOINT_ROLE]);
	c->tos = tb[RDMACH_A_ENDPOINT_TOS] ?
		 nla_get_u8(tb[RDMACH_A_ENDPOINT_TOS]) : -1;
	if (ack)
		c->ack_timeout = ack_timeout_exponent(nla_get_u32(ack));
	parse_numbers(tb, c);
	err = parse_node(tb, c, info->extack);
	if (err)
		return err;
	return c->role == RDMACH_ROLE_LISTEN ? parse_listen(tb, c, info) :
					       parse_connect(tb, c, info);
}

/* Requests */

static int check_netns(struct net *net, struct netlink_ext_ack *extack)
{
	if (net_eq(net, &init_net))
		return 0;
	NL_SET_ERR_MSG(extack, "only available in the initial network namespace");
	return -EOPNOTSUPP;
}

static int pre_doit(struct genl_info *info)
{
	return check_netns(genl_info_net(info), info->extack);
}

static int pre_dump(struct netlink_callback *cb)
{
	return check_netns(sock_net(cb->skb->sk), cb->extack);
}

static int endpoint_add(struct sk_buff *skb, struct genl_info *info)
{
	struct rch_endpoint_config *config;
	int err = pre_doit(info);

	if (err)
		return err;
	config = kzalloc(sizeof(*config), GFP_KERNEL);
	if (!config)
		return -ENOMEM;
	err = parse_endpoint(config, info);
	if (!err)
		err = rch_endpoint_add(config, info->extack);
	if (err == -EEXIST)
		NL_SET_BAD_ATTR(info->extack,
				info->attrs[RDMACH_A_ENDPOINT_NAME]);
	kfree(config);
	return err;
}

static int endpoint_del(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *name = info->attrs[RDMACH_A_ENDPOINT_NAME];
	int err = pre_doit(info);

	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, RDMACH_A_ENDPOINT_NAME)) {
		GENL_SET_ERR_MSG(info, "the name of an endpoint is needed");
		return -EINVAL;
	}
	err = rch_endpoint_del(nla_data(name));
	if (err)
		NL_SET_ERR_MSG_ATTR(info->extack, name, "no such endpoint");
	return err;
}

typedef int (*message_fn)(struct sk_buff *skb, const struct rch_message_to *to,
			  struct rch_endpoint *ep);

/* Answer with what @fn says of the endpoint that @name names. */
static int reply(struct genl_info *info, struct nlattr *name, message_fn fn)
{
	struct rch_message_to to = {
		.portid = info->snd_portid,
		.seq = info->snd_seq,
		.cmd = info->genlhdr->cmd,
	};
	struct rch_endpoint *ep;
	struct sk_buff *skb;
	int err;

	err = pre_doit(info);
	if (err)
		return err;
	if (!name) {
		GENL_SET_ERR_MSG(info, "the name of an endpoint is needed");
		return -EINVAL;
	}
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	mutex_lock(&rch_config_mutex);
	ep = rch_endpoint_find(nla_data(name));
	err = ep ? fn(skb, &to, ep) : -ENOENT;
	mutex_unlock(&rch_config_mutex);
	if (!err)
		return genlmsg_reply(skb, info);
	nlmsg_free(skb);
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, name, "no such endpoint");
	return err;
}

static int endpoint_get(struct sk_buff *skb, struct genl_info *info)
{
	return reply(info, info->attrs[RDMACH_A_ENDPOINT_NAME],
		     rch_message_endpoint);
}

static int stats_get(struct sk_buff *skb, struct genl_info *info)
{
	return reply(info, info->attrs[RDMACH_A_STATS_OF_NAME],
		     rch_message_stats);
}

static int stats_reset(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *name = info->attrs[RDMACH_A_STATS_OF_NAME];
	struct rch_endpoint *ep;
	unsigned long minor = 0;
	bool found = !name;
	int err = pre_doit(info);

	if (err)
		return err;
	mutex_lock(&rch_config_mutex);
	for (; (ep = rch_endpoint_next(&minor)); minor++) {
		if (name && strcmp(ep->config.name, nla_data(name)))
			continue;
		rch_endpoint_stats_reset(ep);
		found = true;
	}
	mutex_unlock(&rch_config_mutex);
	if (found)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, name, "no such endpoint");
	return -ENOENT;
}

/* Dumps: cb->args[0] is where the next part begins. */

static struct rch_message_to dump_to(struct netlink_callback *cb,
				     enum rdmach_cmd cmd)
{
	cb->seq = rch_message_generation();
	return (struct rch_message_to){
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI,
		.cmd = cmd,
		.cb = cb,
	};
}

static int dump_endpoints(struct sk_buff *skb, struct netlink_callback *cb,
			  enum rdmach_cmd cmd, message_fn fn)
{
	struct rch_message_to to = dump_to(cb, cmd);
	unsigned long minor = cb->args[0];
	struct rch_endpoint *ep;
	int err = pre_dump(cb);

	if (err)
		return err;
	mutex_lock(&rch_config_mutex);
	for (; (ep = rch_endpoint_next(&minor)); minor++) {
		err = fn(skb, &to, ep);
		if (err)
			break;
	}
	mutex_unlock(&rch_config_mutex);
	cb->args[0] = minor;
	return skb->len ?: err;
}

static int endpoint_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_endpoints(skb, cb, RDMACH_CMD_ENDPOINT_GET,
			      rch_message_endpoint);
}

static int stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_endpoints(skb, cb, RDMACH_CMD_STATS_GET, rch_message_stats);
}

static int connection_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *name = genl_info_dump(cb)->attrs[RDMACH_A_CONNECTION_ENDPOINT];
	struct rch_message_to to = dump_to(cb, RDMACH_CMD_CONNECTION_GET);
	unsigned long handle = cb->args[0];
	struct rch_conn *conn;
	int err = pre_dump(cb);

	if (err)
		return err;
	for (; (conn = rch_conn_next(&handle)); handle++) {
		if (!name || !strcmp(conn->ep->config.name, nla_data(name)))
			err = rch_message_conn(skb, &to, conn,
					       READ_ONCE(conn->state));
		rch_conn_put(conn);
		if (err)
			break;
	}
	cb->args[0] = handle;
	return skb->len ?: err;
}

static int device_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rch_message_to to = dump_to(cb, RDMACH_CMD_DEVICE_GET);
	struct ib_device *ibdev;
	unsigned int nr_paths;
	int err = pre_dump(cb);

	if (err)
		return err;
	for (; (ibdev = rch_device_nth(cb->args[0], &nr_paths)); cb->args[0]++) {
		err = rch_message_device(skb, &to, ibdev, nr_paths);
		ib_device_put(ibdev);
		if (err)
			break;
	}
	return skb->len ?: err;
}

static const struct genl_ops rch_genl_ops[] = {
	{
		.cmd = RDMACH_CMD_ENDPOINT_ADD,
		.flags = GENL_ADMIN_PERM,
		.policy = endpoint_policy,
		.maxattr = ARRAY_SIZE(endpoint_policy) - 1,
		.doit = endpoint_add,
	}, {
		.cmd = RDMACH_CMD_ENDPOINT_DEL,
		.flags = GENL_ADMIN_PERM,
		.policy = name_policy,
		.maxattr = ARRAY_SIZE(name_policy) - 1,
		.doit = endpoint_del,
	}, {
		.cmd = RDMACH_CMD_ENDPOINT_GET,
		.policy = name_policy,
		.maxattr = ARRAY_SIZE(name_policy) - 1,
		.doit = endpoint_get,
		.dumpit = endpoint_dump,
	}, {
		.cmd = RDMACH_CMD_CONNECTION_GET,
		.policy = conn_policy,
		.maxattr = ARRAY_SIZE(conn_policy) - 1,
		.dumpit = connection_dump,
	}, {
		.cmd = RDMACH_CMD_STATS_GET,
		.policy = stats_policy,
		.maxattr = ARRAY_SIZE(stats_policy) - 1,
		.doit = stats_get,
		.dumpit = stats_dump,
	}, {
		.cmd = RDMACH_CMD_STATS_RESET,
		.flags = GENL_ADMIN_PERM,
		.policy = stats_policy,
		.maxattr = ARRAY_SIZE(stats_policy) - 1,
		.doit = stats_reset,
	}, {
		.cmd = RDMACH_CMD_DEVICE_GET,
		.dumpit = device_dump,
	},
};

static const struct genl_multicast_group rch_genl_groups[] = {
	{ .name = RDMACH_MCGRP_MONITOR },
};

struct genl_family rch_genl_family = {
	.name = RDMACH_GENL_NAME,
	.version = RDMACH_GENL_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = rch_genl_ops,
	.n_ops = ARRAY_SIZE(rch_genl_ops),
	.resv_start_op = __RDMACH_CMD_MAX,
	.mcgrps = rch_genl_groups,
	.n_mcgrps = ARRAY_SIZE(rch_genl_groups),
};

int rch_netlink_init(void)
{
	return genl_register_family(&rch_genl_family);
}

void rch_netlink_exit(void)
{
	genl_unregister_family(&rch_genl_family);
}
