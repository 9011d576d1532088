// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds an address that is in use: an endpoint of ours, or the owner of an
 * RDMA CM id, as the kernel's RDMA netlink (the one of `rdma resource`) lists
 * them. Failing to find out is no error: there is just nothing to say.
 */
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <netlink/attr.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>

#include "rdmactl.h"

#define SEARCH_TIMEOUT_S 2

static char holder[160];
static const struct address *wanted;
static uint32_t devices[64];
static size_t nr_devices;

static bool is_any(const struct address *a)
{
	return a->family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(&a->v6) :
				       !a->v4.s_addr;
}

/* As RDMA CM sees it: a wildcard meets every address. */
static bool conflicts(const struct address *a)
{
	if (a->port != wanted->port)
		return false;
	if (is_any(a) || is_any(wanted))
		return true;
	if (a->family != wanted->family)
		return false;
	if (a->family == AF_INET)
		return a->v4.s_addr == wanted->v4.s_addr;
	return IN6_ARE_ADDR_EQUAL(&a->v6, &wanted->v6) &&
	       a->scope == wanted->scope;
}

static bool listens_there(const json_t *endpoint)
{
	char text[ADDRESS_MAX];
	struct address local;

	return !strcmp(member_string(endpoint, "state"), "listening") &&
	       !parse_address(address_text(endpoint, "local", text), true,
			      &local) &&
	       conflicts(&local);
}

static bool our_endpoint(void)
{
	json_t *all, *one;
	size_t i;

	all = request_try_dump(RDMACH_CMD_ENDPOINT_GET, &endpoint_object);
	json_array_foreach(all, i, one) {
		if (!listens_there(one))
			continue;
		snprintf(holder, sizeof(holder), " by endpoint '%s'",
			 member_string(one, "name"));
		break;
	}
	json_decref(all);
	return holder[0];
}

static void name_pid(uint32_t pid)
{
	char path[64], comm[32] = "?";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	file = fopen(path, "r");
	if (file) {
		if (fgets(comm, sizeof(comm), file))
			comm[strcspn(comm, "\n")] = 0;
		fclose(file);
	}
	snprintf(holder, sizeof(holder), " by process %u (%s)", pid, comm);
}

static void address_from(const struct sockaddr_storage *from, struct address *a)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
	const struct sockaddr_in *in = (const struct sockaddr_in *)from;

	memset(a, 0, sizeof(*a));
	a->family = from->ss_family;
	if (a->family == AF_INET6) {
		a->v6 = in6->sin6_addr;
		a->scope = in6->sin6_scope_id;
		a->port = ntohs(in6->sin6_port);
	} else {
		a->v4 = in->sin_addr;
		a->port = ntohs(in->sin_port);
	}
}

static void look_at_id(struct nlattr *entry)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct sockaddr_storage source = { 0 };
	struct address address;

	if (nla_parse_nested(tb, RDMA_NLDEV_ATTR_MAX - 1, entry, NULL) ||
	    !tb[RDMA_NLDEV_ATTR_RES_SRC_ADDR])
		return;
	nla_memcpy(&source, tb[RDMA_NLDEV_ATTR_RES_SRC_ADDR], sizeof(source));
	address_from(&source, &address);
	if (!conflicts(&address))
		return;
	if (tb[RDMA_NLDEV_ATTR_RES_PID])
		name_pid(nla_get_u32(tb[RDMA_NLDEV_ATTR_RES_PID]));
	else if (tb[RDMA_NLDEV_ATTR_RES_KERN_NAME])
		snprintf(holder, sizeof(holder), " by kernel module %s",
			 nla_get_string(tb[RDMA_NLDEV_ATTR_RES_KERN_NAME]));
}

static int on_ids(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry;
	int rest;

	(void)arg;
	if (nlmsg_parse(nlmsg_hdr(msg), 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) ||
	    !tb[RDMA_NLDEV_ATTR_RES_CM_ID])
		return NL_OK;
	nla_for_each_nested(entry, tb[RDMA_NLDEV_ATTR_RES_CM_ID], rest)
		if (!holder[0])
			look_at_id(entry);
	return NL_OK;
}

static int on_device(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];

	(void)arg;
	if (!nlmsg_parse(nlmsg_hdr(msg), 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) &&
	    tb[RDMA_NLDEV_ATTR_DEV_INDEX] &&
	    nr_devices < sizeof(devices) / sizeof(*devices))
		devices[nr_devices++] = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	return NL_OK;
}

static void dump(struct nl_sock *sock, int cmd, const uint32_t *device,
		 nl_recvmsg_msg_cb_t fn)
{
	struct nl_msg *msg;

	msg = nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd),
				 NLM_F_DUMP);
	if (!msg)
		return;
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, fn, NULL);
	if (!device ||
	    !nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, *device)) {
		if (nl_send_auto(sock, msg) >= 0)
			nl_recvmsgs_default(sock);
	}
	nlmsg_free(msg);
}

static void search_ids(void)
{
	struct timeval timeout = { .tv_sec = SEARCH_TIMEOUT_S };
	struct nl_sock *sock = nl_socket_alloc();
	size_t i;

	if (!sock)
		return;
	nl_socket_set_msg_buf_size(sock, 1 << 16);
	if (!nl_connect(sock, NETLINK_RDMA) &&
	    !setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO,
			&timeout, sizeof(timeout))) {
		dump(sock, RDMA_NLDEV_CMD_GET, NULL, on_device);
		for (i = 0; i < nr_devices && !holder[0]; i++)
			dump(sock, RDMA_NLDEV_CMD_RES_CM_ID_GET, &devices[i],
			     on_ids);
	}
	nl_socket_free(sock);
}

const char *address_holder(const struct address *address)
{
	wanted = address;
	if (!our_endpoint())
		search_ids();
	return holder;
}
