// SPDX-License-Identifier: GPL-2.0
/*
 * The socket, requests, and what a refusal says. The extended ack is read here:
 * libnl hands it over unparsed. Its offset points into the request that was
 * sent, which the kernel repeats; from there the attribute, its keyword and,
 * in the policy, the range that is allowed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "rdmactl.h"

/* Longer than the kernel waits for the paths of an endpoint it deletes. */
#define ANSWER_TIMEOUT_S 20
/* A dump that objects come to or go from meanwhile is asked for again. */
#define DUMP_TRIES 10

static struct nl_sock *sock;
static int family;

/* What is asked now, and what came of it. */
static struct request {
	const struct object *object;
	const char *what;
	const struct address *address;
	json_t *answers;
	bool done, interrupted;
} request;

static void set_option(int level, int name, const void *value, socklen_t len)
{
	if (setsockopt(nl_socket_get_fd(sock), level, name, value, len))
		fail(EXIT_REFUSED, "netlink socket: %s", strerror(errno));
}

static void open_socket(void)
{
	struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	int one = 1, err;

	if (sock)
		return;
	sock = nl_socket_alloc();
	if (!sock)
		fail(EXIT_REFUSED, "netlink socket: out of memory");
	nl_socket_set_msg_buf_size(sock, 1 << 16);
	err = genl_connect(sock);
	if (err)
		fail(EXIT_REFUSED, "netlink socket: %s", nl_geterror(err));
	set_option(SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	set_option(SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	set_option(SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	family = genl_ctrl_resolve(sock, RDMACH_GENL_NAME);
	if (family < 0)
		fail(EXIT_ABSENT, "the rdmach module is not loaded; run 'modprobe rdmach'");
	/* Notifications and requests are not numbered in step. */
	nl_socket_disable_seq_check(sock);
}

struct nl_msg *request_new(uint8_t cmd, int flags)
{
	struct nl_msg *msg;

	open_socket();
	msg = nlmsg_alloc();
	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
				 flags, cmd, RDMACH_GENL_VERSION))
		fail(EXIT_REFUSED, "out of memory");
	return msg;
}

void request_address(struct nl_msg *msg, int attr, const struct address *a)
{
	struct nlattr *nest = nla_nest_start(msg, attr | NLA_F_NESTED);

	if (a->family == AF_INET)
		nla_put(msg, RDMACH_A_ADDR_IPV4, sizeof(a->v4), &a->v4);
	else
		nla_put(msg, RDMACH_A_ADDR_IPV6, sizeof(a->v6), &a->v6);
	if (a->port)
		nla_put_u16(msg, RDMACH_A_ADDR_PORT, a->port);
	if (a->scope)
		nla_put_u32(msg, RDMACH_A_ADDR_SCOPE, a->scope);
	nla_nest_end(msg, nest);
}

/* Refusals */

static const char *keyword_of(int type)
{
	if (type > 0 && type < request.object->count &&
	    request.object->attributes[type].keyword)
		return request.object->attributes[type].keyword;
	return NULL;
}

/* The keyword of the top-level attribute that @offset lies in. */
static const char *keyword_at(const struct nlmsghdr *sent, uint32_t offset)
{
	int rest = sent->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	struct nlattr *attr = (void *)((char *)sent + NLMSG_HDRLEN + GENL_HDRLEN);
	uint32_t begin;

	for (; nla_ok(attr, rest); attr = nla_next(attr, &rest)) {
		begin = (char *)attr - (char *)sent;
		if (offset >= begin && offset < begin + NLA_ALIGN(attr->nla_len))
			return keyword_of(nla_type(attr));
	}
	return NULL;
}

static void range_text(struct nlattr *policy, char *text, size_t size)
{
	struct nlattr *tb[NL_POLICY_TYPE_ATTR_MAX + 1];

	if (nla_parse_nested(tb, NL_POLICY_TYPE_ATTR_MAX, policy, NULL))
		return;
	if (tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U] &&
	    tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U])
		snprintf(text, size, "; %llu to %llu are allowed",
			 (unsigned long long)nla_get_u64(tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U]),
			 (unsigned long long)nla_get_u64(tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]));
	else if (tb[NL_POLICY_TYPE_ATTR_MAX_LENGTH])
		snprintf(text, size, "; at most %u bytes are allowed",
			 nla_get_u32(tb[NL_POLICY_TYPE_ATTR_MAX_LENGTH]));
}

static const char *errno_text(int error)
{
	switch (error) {
	case EPERM: return "not permitted; it needs CAP_NET_ADMIN";
	case ENOENT: return "no such endpoint";
	case EEXIST: return "the name is taken";
	case EOPNOTSUPP: return "not supported by the module that is loaded";
	default: return strerror(error);
	}
}

static int status_of(int error)
{
	if (error == ENODEV)
		return EXIT_ABSENT;
	return error == ETIMEDOUT ? EXIT_TIMEOUT : EXIT_REFUSED;
}

static const char *remedy_of(int error)
{
	switch (error) {
	case ENODEV: return "; 'rdma link show' lists what there is";
	case EADDRNOTAVAIL: return "; 'ip address show' lists them";
	default: return "";
	}
}

/* The one line. @sent is the request, @tb the extended ack. */
static void explain(int error, const struct nlmsghdr *sent, struct nlattr **tb)
{
	const char *text = errno_text(error), *keyword = NULL, *holder = "";
	char range[128] = "", missing[64] = "";

	if (tb[NLMSGERR_ATTR_MSG] && error != EPERM)
		text = nla_get_string(tb[NLMSGERR_ATTR_MSG]);
	if (tb[NLMSGERR_ATTR_OFFS] && sent)
		keyword = keyword_at(sent, nla_get_u32(tb[NLMSGERR_ATTR_OFFS]));
	if (tb[NLMSGERR_ATTR_POLICY])
		range_text(tb[NLMSGERR_ATTR_POLICY], range, sizeof(range));
	if (tb[NLMSGERR_ATTR_MISS_TYPE] &&
	    keyword_of(nla_get_u32(tb[NLMSGERR_ATTR_MISS_TYPE])))
		snprintf(missing, sizeof(missing), "; %s is missing",
			 keyword_of(nla_get_u32(tb[NLMSGERR_ATTR_MISS_TYPE])));
	if (error == EADDRINUSE && request.address) {
		/* That asks in turn. */
		struct request refused = request;

		holder = address_holder(request.address);
		request = refused;
	}
	fail(status_of(error), "%s: %s%s%s%s%s%s%s", request.what,
	     keyword ? keyword : "", keyword ? ": " : "", text, range, missing,
	     holder, remedy_of(error));
}

static int refused(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)e - 1;
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = { NULL };
	size_t skip = sizeof(*e);

	(void)from;
	(void)arg;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	if ((nlh->nlmsg_flags & NLM_F_ACK_TLVS) &&
	    nlh->nlmsg_len >= NLMSG_HDRLEN + NLMSG_ALIGN(skip))
		nla_parse(tb, NLMSGERR_ATTR_MAX,
			  (void *)((char *)e + NLMSG_ALIGN(skip)),
			  nlh->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip),
			  NULL);
	explain(-e->error, nlh->nlmsg_flags & NLM_F_CAPPED ? NULL : &e->msg, tb);
	return NL_STOP;
}

static int answered(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);

	(void)arg;
	if (nlh->nlmsg_type == family)
		json_array_append_new(request.answers,
				      object_from_message(request.object, nlh));
	if (!(nlh->nlmsg_flags & NLM_F_MULTI))
		request.done = true;
	return NL_OK;
}

/* The end of a dump may carry an error. */
static int finished(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = { NULL };
	int error = 0;

	(void)arg;
	if (nlmsg_datalen(nlh) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(nlh), sizeof(error));
	if (error < 0)
		explain(-error, NULL, tb);
	request.done = true;
	return NL_STOP;
}

static int acknowledged(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	request.done = true;
	return NL_STOP;
}

static int interrupted(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	request.interrupted = true;
	return NL_OK;
}

static void receive_answers(void)
{
	int err = 0;

	while (!request.done && !err)
		err = nl_recvmsgs_default(sock);
	if (err == -NLE_AGAIN)
		fail(EXIT_TIMEOUT, "%s: the kernel has not answered for %d s",
		     request.what, ANSWER_TIMEOUT_S);
	if (err < 0 && err != -NLE_DUMP_INTR)
		fail(EXIT_REFUSED, "%s: %s", request.what, nl_geterror(err));
	if (err == -NLE_DUMP_INTR)
		request.interrupted = true;
}

json_t *request_run(struct nl_msg *msg, const struct object *object,
		    const char *what, const struct address *address)
{
	int tries, err;

	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, answered, NULL);
	nl_socket_modify_cb(sock, NL_CB_FINISH, NL_CB_CUSTOM, finished, NULL);
	nl_socket_modify_cb(sock, NL_CB_ACK, NL_CB_CUSTOM, acknowledged, NULL);
	nl_socket_modify_cb(sock, NL_CB_DUMP_INTR, NL_CB_CUSTOM, interrupted,
			    NULL);
	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, refused, NULL);
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		request = (struct request){
			.object = object, .what = what, .address = address,
			.answers = json_array(),
		};
		/* A new number for each try. */
		nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
		err = nl_send_auto(sock, msg);
		if (err < 0)
			fail(EXIT_REFUSED, "%s: %s", what, nl_geterror(err));
		receive_answers();
		if (!request.interrupted)
			break;
		if (tries < DUMP_TRIES - 1)
			json_decref(request.answers);
	}
	if (request.interrupted)
		complain("%s: objects came or went meanwhile; the list may not be whole",
			 what);
	nlmsg_free(msg);
	return request.answers;
}

json_t *request_dump(uint8_t cmd, const struct object *object)
{
	return request_run(request_new(cmd, NLM_F_DUMP), object, "show", NULL);
}

/* Notifications */

static void (*notified)(struct nlmsghdr *nlh);

/* The controller announces that a family goes. */
static bool family_gone(struct nlmsghdr *nlh)
{
	struct genlmsghdr *genl = nlmsg_data(nlh);
	struct nlattr *tb[CTRL_ATTR_MAX + 1];

	if (nlh->nlmsg_type != GENL_ID_CTRL || genl->cmd != CTRL_CMD_DELFAMILY)
		return false;
	return !genlmsg_parse(nlh, 0, tb, CTRL_ATTR_MAX, NULL) &&
	       tb[CTRL_ATTR_FAMILY_NAME] &&
	       !strcmp(nla_get_string(tb[CTRL_ATTR_FAMILY_NAME]),
		       RDMACH_GENL_NAME);
}

static int notification(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);

	(void)arg;
	if (family_gone(nlh))
		fail(EXIT_ABSENT, "monitor: the rdmach module was unloaded");
	if (nlh->nlmsg_type == family)
		notified(nlh);
	return NL_OK;
}

int notifications_run(void (*fn)(struct nlmsghdr *nlh))
{
	struct timeval for_ever = { 0 };
	int group, err;

	open_socket();
	notified = fn;
	group = genl_ctrl_resolve_grp(sock, RDMACH_GENL_NAME,
				      RDMACH_MCGRP_MONITOR);
	err = group < 0 ? group : nl_socket_add_memberships(sock, group,
							GENL_ID_CTRL, 0);
	if (err < 0)
		fail(EXIT_REFUSED, "monitor: %s", nl_geterror(err));
	set_option(SOL_SOCKET, SO_RCVTIMEO, &for_ever, sizeof(for_ever));
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, notification, NULL);
	for (;;) {
		err = nl_recvmsgs_default(sock);
		/* libnl's name for ENOBUFS. */
		if (err == -NLE_NOMEM)
			complain("monitor: events were lost: this program or its output is too slow");
		else if (err == -NLE_INTR)
			return 0;
		else if (err < 0)
			fail(EXIT_REFUSED, "monitor: %s", nl_geterror(err));
	}
}
