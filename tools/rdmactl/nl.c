// SPDX-License-Identifier: GPL-2.0
/*
 * The socket, requests, notifications. Every wait for an answer is bounded.
 * A refusal is kept whole and explained (refusal.c) when libnl is done with the
 * socket: explaining may ask in turn.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/cache.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "rdmactl.h"

/* Longer than the kernel waits for the paths of an endpoint it deletes. */
#define ANSWER_TIMEOUT_S 20
/* A dump that objects come to or go from meanwhile is asked for again. */
#define DUMP_TRIES 10
#define NOTIFICATIONS_BUFFER (1024 * 1024)

static struct nl_sock *sock;
static int family;

/* What came of the request that is under way. */
static struct reply {
	const struct object *object;
	json_t *answers;
	struct nlmsghdr *refusal;
	bool done, interrupted;
} reply;

static noreturn void out_of_memory(void)
{
	fail(EXIT_REFUSED, "out of memory");
}

static void set_option(int level, int name, const void *value, socklen_t len)
{
	if (setsockopt(nl_socket_get_fd(sock), level, name, value, len))
		fail(EXIT_REFUSED, "netlink socket: %s", strerror(errno));
}

static void resolve_family(void)
{
	family = genl_ctrl_resolve(sock, RDMACH_GENL_NAME);
	if (family == -NLE_AGAIN)
		fail(EXIT_TIMEOUT, "the kernel has not answered for %d s",
		     ANSWER_TIMEOUT_S);
	if (family == -NLE_OBJ_NOTFOUND)
		fail(EXIT_ABSENT, "the rdmach module is not loaded; run 'modprobe rdmach'");
	if (family < 0)
		fail(EXIT_REFUSED, "netlink family %s: %s", RDMACH_GENL_NAME,
		     nl_geterror(family));
}

static void open_socket(void)
{
	struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	int one = 1, err;

	if (sock)
		return;
	sock = nl_socket_alloc();
	if (!sock)
		out_of_memory();
	nl_socket_set_msg_buf_size(sock, 1 << 16);
	err = genl_connect(sock);
	if (err)
		fail(EXIT_REFUSED, "netlink socket: %s", nl_geterror(err));
	set_option(SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	set_option(SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	set_option(SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	resolve_family();
	/* Notifications and requests are not numbered in step. */
	nl_socket_disable_seq_check(sock);
}

/* Requests */

struct nl_msg *request_new(uint8_t cmd, int flags)
{
	struct nl_msg *msg;

	open_socket();
	msg = nlmsg_alloc();
	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
				 flags, cmd, RDMACH_GENL_VERSION))
		out_of_memory();
	return msg;
}

static void put(struct nl_msg *msg, int attr, int len, const void *data)
{
	if (nla_put(msg, attr, len, data))
		out_of_memory();
}

void request_u8(struct nl_msg *msg, int attr, uint8_t value)
{
	put(msg, attr, sizeof(value), &value);
}

void request_u32(struct nl_msg *msg, int attr, uint32_t value)
{
	put(msg, attr, sizeof(value), &value);
}

void request_string(struct nl_msg *msg, int attr, const char *text)
{
	put(msg, attr, strlen(text) + 1, text);
}

void request_address(struct nl_msg *msg, int attr, const struct address *a)
{
	struct nlattr *nest = nla_nest_start(msg, attr | NLA_F_NESTED);

	if (!nest)
		out_of_memory();
	if (a->family == AF_INET)
		put(msg, RDMACH_A_ADDR_IPV4, sizeof(a->v4), &a->v4);
	else
		put(msg, RDMACH_A_ADDR_IPV6, sizeof(a->v6), &a->v6);
	if (a->port)
		put(msg, RDMACH_A_ADDR_PORT, sizeof(a->port), &a->port);
	if (a->scope)
		put(msg, RDMACH_A_ADDR_SCOPE, sizeof(a->scope), &a->scope);
	nla_nest_end(msg, nest);
}

static void keep_refusal(const struct nlmsghdr *nlh)
{
	free(reply.refusal);
	reply.refusal = malloc(nlh->nlmsg_len);
	if (!reply.refusal)
		out_of_memory();
	memcpy(reply.refusal, nlh, nlh->nlmsg_len);
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	(void)from;
	(void)arg;
	keep_refusal((struct nlmsghdr *)((char *)e - NLMSG_HDRLEN));
	return NL_STOP;
}

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);

	(void)arg;
	if (nlh->nlmsg_type == family)
		json_array_append_new(reply.answers,
				      object_from_message(reply.object, nlh));
	if (!(nlh->nlmsg_flags & NLM_F_MULTI))
		reply.done = true;
	return NL_OK;
}

/* The end of a dump may carry an error. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	int error = 0;

	(void)arg;
	if (nlmsg_datalen(nlh) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(nlh), sizeof(error));
	if (error < 0)
		keep_refusal(nlh);
	reply.done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	reply.done = true;
	return NL_STOP;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	reply.interrupted = true;
	return NL_OK;
}

/* One try. Return: 0, or libnl's error; a refusal is in reply. */
static int exchange(struct nl_msg *msg, const struct object *object)
{
	int err;

	json_decref(reply.answers);
	free(reply.refusal);
	reply = (struct reply){ .object = object, .answers = json_array() };
	/* A new number for each try. */
	nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
	err = nl_send_auto(sock, msg);
	while (err >= 0 && !reply.done && !reply.refusal)
		err = nl_recvmsgs_default(sock);
	if (err == -NLE_DUMP_INTR) {
		reply.interrupted = true;
		return 0;
	}
	return err < 0 && !reply.refusal ? err : 0;
}

/* Until it is whole, or often enough. Frees @msg. */
static int exchange_whole(struct nl_msg *msg, const struct object *object)
{
	int tries, err;

	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_answer, NULL);
	nl_socket_modify_cb(sock, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, NULL);
	nl_socket_modify_cb(sock, NL_CB_ACK, NL_CB_CUSTOM, on_ack, NULL);
	nl_socket_modify_cb(sock, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted,
			    NULL);
	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, on_error, NULL);
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		err = exchange(msg, object);
		if (err || reply.refusal || !reply.interrupted)
			break;
	}
	nlmsg_free(msg);
	return err;
}

/* The caller's from now on. */
static json_t *take_answers(void)
{
	json_t *answers = reply.answers;

	reply.answers = NULL;
	return answers;
}

json_t *request_run(struct nl_msg *msg, const struct asking *asking)
{
	struct nlmsghdr *refusal;
	int err = exchange_whole(msg, asking->object);

	if (err == -NLE_AGAIN)
		fail(EXIT_TIMEOUT, "%s: the kernel has not answered for %d s",
		     asking->what, ANSWER_TIMEOUT_S);
	if (err)
		fail(EXIT_REFUSED, "%s: %s", asking->what, nl_geterror(err));
	refusal = reply.refusal;
	reply.refusal = NULL;
	if (refusal)
		refused(refusal, asking);
	if (reply.interrupted)
		complain("%s: objects came or went meanwhile; the list may not be whole",
			 asking->what);
	return take_answers();
}

json_t *request_dump(uint8_t cmd, const struct asking *asking)
{
	return request_run(request_new(cmd, NLM_F_DUMP), asking);
}

json_t *request_try_dump(uint8_t cmd, const struct object *object)
{
	if (exchange_whole(request_new(cmd, NLM_F_DUMP), object) ||
	    reply.refusal)
		return NULL;
	return take_answers();
}

/* Notifications */

static void (*notified)(struct nlmsghdr *nlh);

static noreturn void fail_unloaded(void)
{
	fail(EXIT_ABSENT,
	     "monitor: the rdmach module was unloaded; run 'modprobe rdmach' and monitor anew");
}

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

static int on_notification(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);

	(void)arg;
	if (family_gone(nlh))
		fail_unloaded();
	if (nlh->nlmsg_type == family)
		notified(nlh);
	return NL_OK;
}

/*
 * The end of the family may be among what was lost: ask, on another socket, and
 * for the list of all: a question by name would load the module again.
 */
static void check_family(void)
{
	struct nl_sock *other = nl_socket_alloc();
	struct genl_family *found;
	struct nl_cache *all;

	if (other && !genl_connect(other) &&
	    !genl_ctrl_alloc_cache(other, &all)) {
		found = genl_ctrl_search_by_name(all, RDMACH_GENL_NAME);
		if (!found || (int)genl_family_get_id(found) != family)
			fail_unloaded();
		genl_family_put(found);
		nl_cache_free(all);
	}
	nl_socket_free(other);
}

/* A file that becomes readable when the program is told to end. */
static int end_file(void)
{
	sigset_t ends;
	int fd;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	fd = signalfd(-1, &ends, SFD_CLOEXEC);
	if (fd < 0)
		fail(EXIT_REFUSED, "monitor: signals: %s", strerror(errno));
	return fd;
}

/* The controller first: a family that goes now is not missed. */
static void join_groups(void)
{
	int group, err;

	err = nl_socket_add_memberships(sock, GENL_ID_CTRL, 0);
	group = genl_ctrl_resolve_grp(sock, RDMACH_GENL_NAME,
				      RDMACH_MCGRP_MONITOR);
	if (group == -NLE_OBJ_NOTFOUND)
		fail_unloaded();
	if (!err)
		err = group < 0 ? group :
		      nl_socket_add_memberships(sock, group, 0);
	if (err)
		fail(EXIT_REFUSED, "monitor: %s", nl_geterror(err));
}

static void receive_notification(void)
{
	int err = nl_recvmsgs_default(sock);

	/* libnl's name for ENOBUFS. */
	if (err == -NLE_NOMEM) {
		notified(NULL);
		check_family();
	} else if (err < 0 && err != -NLE_AGAIN) {
		fail(EXIT_REFUSED, "monitor: %s", nl_geterror(err));
	}
}

void notifications_run(void (*fn)(struct nlmsghdr *nlh))
{
	struct pollfd wait[3];

	wait[1] = (struct pollfd){ end_file(), POLLIN, 0 };
	/* Of standard output only whether its reader has gone. */
	wait[2] = (struct pollfd){ STDOUT_FILENO, 0, 0 };
	open_socket();
	nl_socket_set_buffer_size(sock, NOTIFICATIONS_BUFFER, 0);
	notified = fn;
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_notification,
			    NULL);
	join_groups();
	nl_socket_set_nonblocking(sock);
	wait[0] = (struct pollfd){ nl_socket_get_fd(sock), POLLIN, 0 };
	for (;;) {
		if (poll(wait, 3, -1) < 0)
			continue;
		if (wait[1].revents)
			return;
		if (wait[0].revents)
			receive_notification();
		else if (wait[2].revents)
			return;
	}
}
