// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds an address that is in use: an endpoint of ours, or the owner of an
 * RDMA CM id, as the kernel's RDMA netlink (the one of `rdma resource`) lists
 * them. Failing to find out is no error: there is just nothing to say.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <netlink/attr.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>

#include "rdmactl.h"

static char holder[160];
static const struct address *wanted;
static uint32_t devices[64];
static size_t nr_devices;

static bool our_endpoint(const struct address *address)
{
	json_t *all = request_dump(RDMACH_CMD_ENDPOINT_GET, &endpoint_object);
	json_t *one;
	size_t i;

	json_array_foreach(all, i, one) {
		if (strcmp(member_string(one, "role"), "listen") ||
		    member_number(one, "local_port") != address->port)
			continue;
		snprintf(holder, sizeof(holder), "; endpoint '%s' listens there",
			 member_string(one, "name"));
		break;
	}
	json_decref(all);
	return holder[0];
}

static uint16_t port_of(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET6 ?
	       ntohs(((struct sockaddr_in6 *)addr)->sin6_port) :
	       ntohs(((struct sockaddr_in *)addr)->sin_port);
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
	snprintf(holder, sizeof(holder), "; held by process %u (%s)", pid, comm);
}

static void look_at_id(struct nlattr *entry)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct sockaddr_storage addr = { 0 };

	if (nla_parse_nested(tb, RDMA_NLDEV_ATTR_MAX - 1, entry, NULL) ||
	    !tb[RDMA_NLDEV_ATTR_RES_SRC_ADDR])
		return;
	nla_memcpy(&addr, tb[RDMA_NLDEV_ATTR_RES_SRC_ADDR], sizeof(addr));
	if (port_of(&addr) != wanted->port)
		return;
	if (tb[RDMA_NLDEV_ATTR_RES_PID])
		name_pid(nla_get_u32(tb[RDMA_NLDEV_ATTR_RES_PID]));
	else if (tb[RDMA_NLDEV_ATTR_RES_KERN_NAME])
		snprintf(holder, sizeof(holder), "; held by kernel module %s",
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
	struct nl_msg *msg = nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV,
								 cmd),
						NLM_F_DUMP);

	if (!msg)
		return;
	if (device)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, *device);
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, fn, NULL);
	if (nl_send_auto(sock, msg) >= 0)
		nl_recvmsgs_default(sock);
	nlmsg_free(msg);
}

static void search_ids(void)
{
	struct timeval timeout = { .tv_sec = 2 };
	struct nl_sock *sock = nl_socket_alloc();
	size_t i;

	if (!sock || nl_connect(sock, NETLINK_RDMA))
		return;
	setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &timeout,
		   sizeof(timeout));
	dump(sock, RDMA_NLDEV_CMD_GET, NULL, on_device);
	for (i = 0; i < nr_devices && !holder[0]; i++)
		dump(sock, RDMA_NLDEV_CMD_RES_CM_ID_GET, &devices[i], on_ids);
	nl_socket_free(sock);
}

const char *address_holder(const struct address *address)
{
	wanted = address;
	if (!our_endpoint(address))
		search_ids();
	return holder;
}
