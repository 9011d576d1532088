// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes to JSON. One table for each attribute set of
 * uapi/linux/rdmach_netlink.h: what it lacks is not shown, so it lacks nothing.
 * Keys are never renamed; units stand in the key.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include "rdmactl.h"

static const char *const role_names[] = {
	[RDMACH_ROLE_UNSPEC] = "unspec", [RDMACH_ROLE_LISTEN] = "listen",
	[RDMACH_ROLE_CONNECT] = "connect", NULL,
};

static const char *const endpoint_states[] = {
	[RDMACH_ENDPOINT_READY] = "ready",
	[RDMACH_ENDPOINT_LISTENING] = "listening",
	[RDMACH_ENDPOINT_DOWN] = "down", NULL,
};

static const char *const conn_states[] = {
	[RDMACH_CONN_WAITING] = "waiting",
	[RDMACH_CONN_RESOLVING] = "resolving",
	[RDMACH_CONN_CONNECTING] = "connecting",
	[RDMACH_CONN_ACCEPTING] = "accepting",
	[RDMACH_CONN_ESTABLISHED] = "established",
	[RDMACH_CONN_CLOSING] = "closing",
	[RDMACH_CONN_CLOSED] = "closed",
	[RDMACH_CONN_BROKEN] = "broken", NULL,
};

static const struct attribute stats_attributes[] = {
	[RDMACH_A_STATS_TX_BYTES] = { .key = "tx_bytes" },
	[RDMACH_A_STATS_TX_MESSAGES] = { .key = "tx_messages" },
	[RDMACH_A_STATS_RX_BYTES] = { .key = "rx_bytes" },
	[RDMACH_A_STATS_RX_MESSAGES] = { .key = "rx_messages" },
	[RDMACH_A_STATS_TX_CONTROL] = { .key = "tx_control" },
	[RDMACH_A_STATS_RX_CONTROL] = { .key = "rx_control" },
	[RDMACH_A_STATS_TX_CREDIT_UPDATES] = { .key = "tx_credit_updates" },
	[RDMACH_A_STATS_TX_KEEPALIVES] = { .key = "tx_keepalives" },
	[RDMACH_A_STATS_CREDIT_STALLS] = { .key = "credit_stalls" },
	[RDMACH_A_STATS_CREDIT_STALL_NS] = { .key = "credit_stall_ns" },
	[RDMACH_A_STATS_BUFFER_STALLS] = { .key = "buffer_stalls" },
	[RDMACH_A_STATS_CONTROL_STALLS] = { .key = "control_stalls" },
	[RDMACH_A_STATS_KEEPALIVE_TIMEOUTS] = { .key = "keepalive_timeouts" },
	[RDMACH_A_STATS_WIRE_ERRORS] = { .key = "wire_errors" },
	[RDMACH_A_STATS_COMPLETION_ERRORS] = { .key = "completion_errors" },
	[RDMACH_A_STATS_POST_ERRORS] = { .key = "post_errors" },
	[RDMACH_A_STATS_CONNECTS] = { .key = "connects" },
	[RDMACH_A_STATS_CONNECT_FAILURES] = { .key = "connect_failures" },
	[RDMACH_A_STATS_CONNECT_TIMEOUTS] = { .key = "connect_timeouts" },
	[RDMACH_A_STATS_ACCEPTS] = { .key = "accepts" },
	[RDMACH_A_STATS_ACCEPT_FAILURES] = { .key = "accept_failures" },
	[RDMACH_A_STATS_REFUSED_STRANGER] = { .key = "refused_stranger" },
	[RDMACH_A_STATS_REFUSED_VERSION] = { .key = "refused_version" },
	[RDMACH_A_STATS_REFUSED_BACKLOG] = { .key = "refused_backlog" },
	[RDMACH_A_STATS_REFUSED_RESOURCES] = { .key = "refused_resources" },
	[RDMACH_A_STATS_EXPIRED] = { .key = "expired" },
	[RDMACH_A_STATS_BROKEN] = { .key = "broken" },
	[RDMACH_A_STATS_CM_IGNORED] = { .key = "cm_ignored" },
	[RDMACH_A_STATS_RX_DISCARDED] = { .key = "rx_discarded" },
	[RDMACH_A_STATS_REFUSED_PARAMETER] = { .key = "refused_parameter" },
};

static const struct object counters = { stats_attributes, RDMACH_A_STATS_MAX + 1 };

static const struct attribute address_attributes[] = {
	[RDMACH_A_ADDR_IPV4] = { .keyword = "address" },
	[RDMACH_A_ADDR_IPV6] = { .keyword = "address" },
	[RDMACH_A_ADDR_PORT] = { .keyword = "port" },
	[RDMACH_A_ADDR_SCOPE] = { .keyword = "scope" },
};

static const struct object address_object = {
	address_attributes, RDMACH_A_ADDR_MAX + 1,
};

static const struct attribute endpoint_attributes[] = {
	[RDMACH_A_ENDPOINT_NAME] = { "name", KIND_STRING, .keyword = "name" },
	[RDMACH_A_ENDPOINT_ROLE] = { "role", KIND_NAMED, .names = role_names,
				     .keyword = "role" },
	/* Of a listen endpoint the keyword is its role. */
	[RDMACH_A_ENDPOINT_LOCAL] = { "local", KIND_ADDRESS, .keyword = "from",
				      .object = &address_object },
	[RDMACH_A_ENDPOINT_PEER] = { "peer", KIND_ADDRESS, .keyword = "connect",
				     .object = &address_object },
	[RDMACH_A_ENDPOINT_DEPTH] = { "depth", KIND_U32, .keyword = "depth" },
	[RDMACH_A_ENDPOINT_BUFFER] = { "buffer_bytes", KIND_U32,
				       .keyword = "buffer", .unit = UNIT_BYTES },
	[RDMACH_A_ENDPOINT_BACKLOG] = { "backlog", KIND_U32,
					.keyword = "backlog" },
	[RDMACH_A_ENDPOINT_MAX_CONNECTIONS] = { "max_connections", KIND_U32,
						.keyword = "max-connections" },
	[RDMACH_A_ENDPOINT_MODE] = { "mode", KIND_OCTAL, .keyword = "mode" },
	[RDMACH_A_ENDPOINT_OWNER] = { "owner", KIND_U32, .keyword = "owner" },
	[RDMACH_A_ENDPOINT_GROUP] = { "group", KIND_U32, .keyword = "group" },
	[RDMACH_A_ENDPOINT_TOS] = { "tos", KIND_U8, .keyword = "tos" },
	[RDMACH_A_ENDPOINT_ACK_TIMEOUT_US] = { "ack_timeout_us", KIND_U32,
				.keyword = "ack-timeout", .unit = UNIT_US },
	[RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS] = { "connect_timeout_ms", KIND_U32,
				.keyword = "connect-timeout", .unit = UNIT_MS },
	[RDMACH_A_ENDPOINT_KEEPALIVE_MS] = { "keepalive_ms", KIND_U32,
				.keyword = "keepalive", .unit = UNIT_MS },
	[RDMACH_A_ENDPOINT_LINGER_MS] = { "linger_ms", KIND_U32,
				.keyword = "linger", .unit = UNIT_MS },
	[RDMACH_A_ENDPOINT_STATE] = { "state", KIND_NAMED,
				      .names = endpoint_states },
	[RDMACH_A_ENDPOINT_MINOR] = { "minor", KIND_U32 },
	[RDMACH_A_ENDPOINT_CONNECTIONS] = { "connections", KIND_U32 },
	[RDMACH_A_ENDPOINT_QUEUED] = { "queued", KIND_U32 },
	[RDMACH_A_ENDPOINT_ERROR] = { "error", KIND_U32 },
	[RDMACH_A_ENDPOINT_CAUSE] = { "cause", KIND_STRING },
	[RDMACH_A_ENDPOINT_ERROR_AGE_MS] = { "error_age_ms", KIND_U64 },
};

const struct object endpoint_object = {
	endpoint_attributes, RDMACH_A_ENDPOINT_MAX + 1,
};

static const struct attribute path_attributes[] = {
	[RDMACH_A_PATH_INDEX] = { "index", KIND_U32 },
	[RDMACH_A_PATH_DEVICE] = { "device", KIND_STRING },
	[RDMACH_A_PATH_PORT] = { "port", KIND_U32 },
	[RDMACH_A_PATH_LOCAL] = { "local", KIND_ADDRESS },
	[RDMACH_A_PATH_PEER] = { "peer", KIND_ADDRESS },
	[RDMACH_A_PATH_QPN] = { "qpn", KIND_U32 },
	[RDMACH_A_PATH_MTU] = { "mtu_bytes", KIND_U32 },
};

static const struct object path_object = { path_attributes, RDMACH_A_PATH_MAX + 1 };

static const struct attribute connection_attributes[] = {
	[RDMACH_A_CONNECTION_HANDLE] = { "handle", KIND_U32 },
	[RDMACH_A_CONNECTION_ENDPOINT] = { "endpoint", KIND_STRING,
					   .keyword = "endpoint" },
	[RDMACH_A_CONNECTION_ROLE] = { "role", KIND_NAMED, .names = role_names },
	[RDMACH_A_CONNECTION_ID] = { "id", KIND_HEX },
	[RDMACH_A_CONNECTION_STATE] = { "state", KIND_NAMED,
					.names = conn_states },
	[RDMACH_A_CONNECTION_EPOCH] = { "epoch", KIND_U32 },
	[RDMACH_A_CONNECTION_FEATURES] = { "features", KIND_U64 },
	[RDMACH_A_CONNECTION_PATH] = { "paths", KIND_OBJECTS,
				       .object = &path_object },
	[RDMACH_A_CONNECTION_PID] = { "pid", KIND_U32 },
	[RDMACH_A_CONNECTION_UID] = { "uid", KIND_U32 },
	[RDMACH_A_CONNECTION_COMM] = { "comm", KIND_STRING },
	[RDMACH_A_CONNECTION_AGE_MS] = { "age_ms", KIND_U64 },
	[RDMACH_A_CONNECTION_IDLE_MS] = { "idle_ms", KIND_U64 },
	[RDMACH_A_CONNECTION_BUFFER] = { "buffer_bytes", KIND_U32 },
	[RDMACH_A_CONNECTION_PEER_BUFFER] = { "peer_buffer_bytes", KIND_U32 },
	[RDMACH_A_CONNECTION_DEPTH] = { "depth", KIND_U32 },
	[RDMACH_A_CONNECTION_PEER_DEPTH] = { "peer_depth", KIND_U32 },
	[RDMACH_A_CONNECTION_POOL] = { "pool_bytes", KIND_U64 },
	[RDMACH_A_CONNECTION_CREDITS] = { "credits", KIND_U32 },
	[RDMACH_A_CONNECTION_TX_INFLIGHT] = { "tx_inflight", KIND_U32 },
	[RDMACH_A_CONNECTION_RX_QUEUED] = { "rx_queued", KIND_U32 },
	[RDMACH_A_CONNECTION_ERROR] = { "error", KIND_U32 },
	[RDMACH_A_CONNECTION_CAUSE] = { "cause", KIND_STRING },
	[RDMACH_A_CONNECTION_STATS] = { "stats", KIND_OBJECT,
					.object = &counters },
};

const struct object connection_object = {
	connection_attributes, RDMACH_A_CONNECTION_MAX + 1,
};

static const struct attribute stats_of_attributes[] = {
	[RDMACH_A_STATS_OF_NAME] = { "endpoint", KIND_STRING,
				     .keyword = "endpoint" },
	[RDMACH_A_STATS_OF_STATS] = { "stats", KIND_OBJECT, .object = &counters },
};

const struct object stats_object = {
	stats_of_attributes, RDMACH_A_STATS_OF_MAX + 1,
};

static const struct attribute device_attributes[] = {
	[RDMACH_A_DEVICE_NAME] = { "name", KIND_STRING },
	[RDMACH_A_DEVICE_TRANSPORT] = { "transport", KIND_STRING },
	[RDMACH_A_DEVICE_PORTS] = { "ports", KIND_U32 },
	[RDMACH_A_DEVICE_NETDEV] = { "netdevs", KIND_STRINGS },
	[RDMACH_A_DEVICE_ACTIVE] = { "active_ports", KIND_U32 },
	[RDMACH_A_DEVICE_MAX_QP] = { "max_qp", KIND_U32 },
	[RDMACH_A_DEVICE_MAX_QP_WR] = { "max_qp_wr", KIND_U32 },
	[RDMACH_A_DEVICE_MAX_CQE] = { "max_cqe", KIND_U32 },
	[RDMACH_A_DEVICE_CONNECTIONS] = { "connections", KIND_U32 },
};

const struct object device_object = {
	device_attributes, RDMACH_A_DEVICE_MAX + 1,
};

/* A later module may send what is not known here: its number is the key. */
static void put_unknown(json_t *json, struct nlattr *attr)
{
	char key[32];

	snprintf(key, sizeof(key), "attribute_%d", nla_type(attr));
	json_object_set_new(json, key, json_integer(nla_len(attr)));
}

static void put_address(json_t *json, const char *key, struct nlattr *nest)
{
	struct nlattr *tb[RDMACH_A_ADDR_MAX + 1];
	char text[INET6_ADDRSTRLEN + IF_NAMESIZE + 1] = "", name[IF_NAMESIZE];
	char port_key[64];
	size_t len;

	if (nla_parse_nested(tb, RDMACH_A_ADDR_MAX, nest, NULL))
		return;
	if (tb[RDMACH_A_ADDR_IPV4])
		inet_ntop(AF_INET, nla_data(tb[RDMACH_A_ADDR_IPV4]), text,
			  sizeof(text));
	else if (tb[RDMACH_A_ADDR_IPV6])
		inet_ntop(AF_INET6, nla_data(tb[RDMACH_A_ADDR_IPV6]), text,
			  sizeof(text));
	if (tb[RDMACH_A_ADDR_SCOPE]) {
		len = strlen(text);
		if (if_indextoname(nla_get_u32(tb[RDMACH_A_ADDR_SCOPE]), name))
			snprintf(text + len, sizeof(text) - len, "%%%s", name);
		else
			snprintf(text + len, sizeof(text) - len, "%%%u",
				 nla_get_u32(tb[RDMACH_A_ADDR_SCOPE]));
	}
	snprintf(port_key, sizeof(port_key), "%s_address", key);
	json_object_set_new(json, port_key, json_string(text));
	if (!tb[RDMACH_A_ADDR_PORT])
		return;
	snprintf(port_key, sizeof(port_key), "%s_port", key);
	json_object_set_new(json, port_key,
			    json_integer(nla_get_u16(tb[RDMACH_A_ADDR_PORT])));
}

static json_t *array_member(json_t *json, const char *key)
{
	json_t *array = json_object_get(json, key);

	if (!array) {
		array = json_array();
		json_object_set_new(json, key, array);
	}
	return array;
}

static json_t *object_from_attributes(const struct object *object,
				      struct nlattr *attr, int len);

/* Of ASCII, or, in UTF-8, one of U+0080 to U+009F. */
static bool is_control(const char *c)
{
	const unsigned char *u = (const unsigned char *)c;

	return iscntrl(u[0]) || (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0);
}

/*
 * A process chooses its name, and may choose one that is no UTF-8 or that a
 * terminal obeys: what is not plain text is shown as '?'.
 */
static json_t *text(struct nlattr *attr)
{
	char plain[256];
	json_t *json;
	char *c;

	nla_strlcpy(plain, attr, sizeof(plain));
	for (c = plain; *c; c++)
		if (is_control(c))
			*c = '?';
	json = json_string(plain);
	if (json)
		return json;
	for (c = plain; *c; c++)
		if (!isascii((unsigned char)*c))
			*c = '?';
	return json_string(plain);
}

static json_t *hex(struct nlattr *attr)
{
	const unsigned char *bytes = nla_data(attr);
	char text[2 * RDMACH_CONN_ID_LEN + 1] = "";
	int i;

	for (i = 0; i < nla_len(attr) && i < RDMACH_CONN_ID_LEN; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return json_string(text);
}

static json_t *named(const struct attribute *a, uint32_t value)
{
	uint32_t n = 0;

	while (a->names[n])
		n++;
	return value < n ? json_string(a->names[value]) : json_integer(value);
}

static json_t *octal(uint32_t value)
{
	return json_sprintf("%04o", value);
}

static void put_attribute(json_t *json, const struct attribute *a,
			  struct nlattr *attr)
{
	json_t *value = NULL;

	switch (a->kind) {
	case KIND_U8:
		value = json_integer(nla_get_u8(attr));
		break;
	case KIND_U32:
		value = json_integer(nla_get_u32(attr));
		break;
	case KIND_U64:
		value = json_integer(nla_get_u64(attr));
		break;
	case KIND_STRING:
		value = text(attr);
		break;
	case KIND_NAMED:
		value = named(a, nla_get_u32(attr));
		break;
	case KIND_OCTAL:
		value = octal(nla_get_u32(attr));
		break;
	case KIND_HEX:
		value = hex(attr);
		break;
	case KIND_ADDRESS:
		put_address(json, a->key, attr);
		return;
	case KIND_STRINGS:
		json_array_append_new(array_member(json, a->key), text(attr));
		return;
	case KIND_OBJECT:
	case KIND_OBJECTS:
		value = object_from_attributes(a->object, nla_data(attr),
					       nla_len(attr));
		if (a->kind == KIND_OBJECTS) {
			json_array_append_new(array_member(json, a->key), value);
			return;
		}
		break;
	}
	json_object_set_new(json, a->key, value);
}

static json_t *object_from_attributes(const struct object *object,
				      struct nlattr *attr, int len)
{
	json_t *json = json_object();
	int type, rest;
	struct attribute a;

	for (rest = len; nla_ok(attr, rest); attr = nla_next(attr, &rest)) {
		type = nla_type(attr);
		/* Number 1 is padding wherever there are 64-bit attributes. */
		if (type < object->count && object->attributes[type].key) {
			a = object->attributes[type];
			if (object == &counters)
				a.kind = KIND_U64;
			put_attribute(json, &a, attr);
		} else if (nla_len(attr)) {
			put_unknown(json, attr);
		}
	}
	return json;
}

json_t *object_from_message(const struct object *object, struct nlmsghdr *nlh)
{
	struct genlmsghdr *genl = nlmsg_data(nlh);

	return object_from_attributes(object, genlmsg_attrdata(genl, 0),
				      genlmsg_attrlen(genl, 0));
}

json_int_t member_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

const char *member_string(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

const char *address_text(const json_t *object, const char *key,
			 char text[ADDRESS_MAX])
{
	char member[64];
	const char *host;
	json_int_t port;

	snprintf(member, sizeof(member), "%s_address", key);
	host = member_string(object, member);
	snprintf(member, sizeof(member), "%s_port", key);
	port = member_number(object, member);
	if (!port)
		snprintf(text, ADDRESS_MAX, "%s", host);
	else if (strchr(host, ':'))
		snprintf(text, ADDRESS_MAX, "[%s]:%lld", host, port);
	else
		snprintf(text, ADDRESS_MAX, "%s:%lld", host, port);
	return text;
}
