#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What rdmactl is told wrongly: one line on stderr that names the object, the
# cause and the remedy, the exit status that is due, and nothing half-made.

set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=ktap.sh
. ./ktap.sh

dir=$(mktemp -d)
shim=$dir/shim.so
server=

# shellcheck disable=SC2317 # by the trap
finish() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	ip link del bad0 2>/dev/null
	rdmactl endpoint del taken 2>/dev/null
	rm -rf "$dir"
}

# says STATUS REGEX COMMAND...: whether it does, in one line; else in comments
# what it does say
says() {
	local want=$1 like=$2 out status
	shift 2
	out=$("$@" 2>"$dir/err")
	status=$?
	mapfile -t lines <"$dir/err"
	if [ $status = "$want" ] && [ -z "$out" ] && [ ${#lines[@]} = 1 ] &&
	   [[ ${lines[0]} =~ ^rdmactl:\ .*$like ]]; then
		return 0
	fi
	echo "# want: $want, one line like: $like"
	echo "# got:  $status: $out ${lines[*]}"
	return 1
}

# refused STATUS REGEX WHAT COMMAND...: and leaves things as they were
refused() {
	local status=$1 like=$2 what=$3
	shift 3
	if ! says "$status" "$like" "$@"; then
		ktap_fail "$what"
	else
		ktap_is "$(rdmactl -j endpoint show)" "$before" "$what"
	fi
}

# usage REGEX WHAT WORD...: of an endpoint to add, refused before it is sent;
# all of them are followed by one look at how things are
usage() {
	local like=$1 what=$2
	shift 2
	if says 1 "$like" rdmactl endpoint add x "$@"; then
		ktap_ok "$what"
	else
		ktap_fail "$what"
	fi
}

# kernel STATUS REGEX WHAT WORD...: the same, refused by the kernel
kernel() {
	local want=$1 like=$2 what=$3
	shift 3
	refused "$want" "endpoint add x: $like" "$what" \
		rdmactl endpoint add x "$@"
}

# Between rdmactl and the kernel: sets or drops an attribute of ENDPOINT_ADD, so
# that the kernel has to refuse what rdmactl would have refused itself.
build_shim() {
	gcc -shared -fPIC -Wall -I../../uapi -o "$shim" -x c - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/rdmach_netlink.h>

static const struct { const char *name; int type; } names[] = {
	{ "name", RDMACH_A_ENDPOINT_NAME },
	{ "role", RDMACH_A_ENDPOINT_ROLE },
	{ "local", RDMACH_A_ENDPOINT_LOCAL },
	{ "depth", RDMACH_A_ENDPOINT_DEPTH },
	{ "buffer", RDMACH_A_ENDPOINT_BUFFER },
	{ "backlog", RDMACH_A_ENDPOINT_BACKLOG },
	{ "max-connections", RDMACH_A_ENDPOINT_MAX_CONNECTIONS },
	{ "mode", RDMACH_A_ENDPOINT_MODE },
	{ "owner", RDMACH_A_ENDPOINT_OWNER },
	{ "ack-timeout", RDMACH_A_ENDPOINT_ACK_TIMEOUT_US },
	{ "connect-timeout", RDMACH_A_ENDPOINT_CONNECT_TIMEOUT_MS },
	{ "keepalive", RDMACH_A_ENDPOINT_KEEPALIVE_MS },
	{ "linger", RDMACH_A_ENDPOINT_LINGER_MS },
};

static char *find(char *at, char *end, int type)
{
	struct nlattr *attr;

	for (; at < end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (struct nlattr *)at;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return at;
	}
	abort();
}

static void change(struct nlmsghdr *nlh, struct iovec *iov)
{
	char *end = (char *)nlh + nlh->nlmsg_len, *at = (char *)nlh + 20;
	unsigned int value = strtoul(getenv("VALUE"), NULL, 0), i = 0;
	const char *name = getenv("SET");
	struct nlattr *attr, *nest = NULL;

	while (strcmp(names[i].name, strcmp(name, "port") ? name : "local"))
		i++;
	at = find(at, end, names[i].type);
	if (!strcmp(name, "port")) {
		nest = (struct nlattr *)at;
		at = find(at + 4, end, RDMACH_A_ADDR_PORT);
	}
	attr = (struct nlattr *)at;
	if (strcmp(getenv("VALUE"), "none")) {
		memcpy(at + 4, &value, attr->nla_len - 4);
		return;
	}
	i = NLA_ALIGN(attr->nla_len);
	memmove(at, at + i, end - at - i);
	if (nest)
		nest->nla_len -= i;
	nlh->nlmsg_len -= i;
	iov->iov_len = nlh->nlmsg_len;
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int) =
		dlsym(RTLD_NEXT, "sendmsg");
	struct nlmsghdr *nlh = msg->msg_iov[0].iov_base;
	struct genlmsghdr *genl = NLMSG_DATA(nlh);

	if (nlh->nlmsg_type > GENL_ID_CTRL &&
	    genl->cmd == RDMACH_CMD_ENDPOINT_ADD)
		change(nlh, msg->msg_iov);
	return real(fd, msg, flags);
}
END
}

# tampered NAME VALUE REGEX: an endpoint with NAME set to VALUE on the way
tampered() {
	if [ ! -e "$shim" ]; then
		ktap_skip "kernel: $1 $2: no gcc"
		return
	fi
	refused 2 "endpoint add x: $3" "kernel: $1 $2" \
		env LD_PRELOAD="$shim" SET="$1" VALUE="$2" rdmactl endpoint add x \
		listen "$ADDR:7480" depth 8 buffer 4K backlog 4 max-connections 4 \
		mode 0600 owner 0 ack-timeout 1ms connect-timeout 1s keepalive 1s \
		linger 1s
}

# Until RDMA CM has the port.
serve() {
	rping -s -C 1 "$@" >/dev/null 2>&1 &
	server=$!
	wait_for 10 eval "rdma resource show cm_id | grep -q 'pid $server '"
}

unserve() {
	kill "$server"
	wait "$server" 2>/dev/null
	server=
}

words() {
	usage "'foo' is no option; one of: depth, " "unknown option" \
		listen "$ADDR:7480" foo 1
	usage "'m' is ambiguous as option; one of: " "ambiguous option" \
		listen "$ADDR:7480" m 1
	usage "role is missing; one of: listen, connect" "no role"
	usage "'$ADDR:7480' is no role; one of: listen, connect" "no keyword" \
		"$ADDR:7480"
	usage "value of 'listen' is missing; ADDR:PORT" "no address" listen
	usage "value of 'depth' is missing; 2 to 1024" "no value" \
		listen "$ADDR:7480" depth
	usage "'depth' is given twice" "doubled option" \
		listen "$ADDR:7480" depth 4 depth 8
	usage "'connect' is given after 'listen'" "doubled role" \
		listen "$ADDR:7480" connect "$ADDR:7480"
	usage "'from' is given twice" "doubled source" \
		connect "$ADDR:7480" from "$ADDR" from "$ADDR"
	usage "'from' is no option" "source of a listener" \
		listen "$ADDR:7480" from "$ADDR"
	usage "has no port" "no port" listen "$ADDR"
	usage "no port between 1 and 65535" "port out of range" \
		listen "$ADDR:65536"
	usage "not an IPv4 or IPv6 address" "host name" listen localhost:7480
	usage "has a port, which a source" "port of a source" \
		connect "$ADDR:7480" from "$ADDR:1"
	usage "scope id needed" "link-local without scope" \
		listen '[fe80::1]:7480'
	usage "fe80::1%bad9.* interface that does not exist" "unknown interface" \
		listen '[fe80::1%bad9]:7480'
	refused 1 "too long; at most 31" "name too long" \
		rdmactl endpoint add "$(printf 'x%.0s' {1..32})" listen "$ADDR:7480"
	refused 1 "'a/b' has a character that is not" "name with a slash" \
		rdmactl endpoint add a/b listen "$ADDR:7480"
	refused 1 "name '' is not a name" "empty name" \
		rdmactl endpoint add "" listen "$ADDR:7480"
}

# option, too small, too large, the range that is named
ranges="depth 1 1025 2 to 1024
buffer 255 1048577 256 to 1M
backlog -1 4097 0 to 4096
max-connections 0 65537 1 to 65536
mode -1 1000 0000 to 0777
owner -1 4294967295 0 to 4294967294
group -1 4294967295 0 to 4294967294
tos -1 256 0 to 255
ack-timeout 7us 8589935us 8us to 8589934us
connect-timeout 9ms 600001ms 10ms to 10min
keepalive 99ms 3600001ms 100ms to 60min
linger -1 600001ms 0 to 10min"

numbers() {
	local option least most range
	while read -r option least most range; do
		usage "$option '$least' .*; $range are allowed" \
			"$option $least" listen "$ADDR:7480" "$option" "$least"
		usage "$option '$most' is out of range; $range are allowed" \
			"$option $most" listen "$ADDR:7480" "$option" "$most"
	done <<<"$ranges"
	usage "needs a unit: us, ms, s or min" "time without a unit" \
		listen "$ADDR:7480" keepalive 5
}

numbers_by_kernel() {
	build_shim
	tampered depth 1 "depth: .*out of range; 2 to 1024 are allowed"
	tampered buffer 1048577 "buffer: .*out of range; 256 to 1M are allowed"
	tampered backlog 4097 "backlog: .*out of range; 0 to 4096 are allowed"
	tampered max-connections 0 "max-connections: .*; 1 to 65536 are allowed"
	tampered mode 01000 "mode: .*; 0000 to 0777 are allowed"
	tampered owner 4294967295 "owner: not a user id"
	tampered ack-timeout 7 "ack-timeout: .*; 8us to 8589934us are allowed"
	tampered connect-timeout 9 "connect-timeout: .*; 10ms to 10min are allowed"
	tampered keepalive 3600001 "keepalive: .*; 100ms to 60min are allowed"
	tampered linger 600001 "linger: .*; 0 to 10min are allowed"
	tampered role 3 "role: .*; 1 to 2 are allowed"
	tampered port 0 "listen port: .*; 1 to 65535 are allowed"
	tampered port none "listen: a port is needed"
	tampered local none ".* needs an address to listen on; give listen"
	tampered role none ".* needs a name and a role; give role"
	# A slash.
	tampered name 0x2f "name: a name consists of letters"
}

taken() {
	refused 2 "endpoint add taken: name: an endpoint of this name exists; choose another" \
		"name taken" rdmactl endpoint add taken listen "$ADDR:7480"
	kernel 2 "listen $ADDR:7479: .*in use by endpoint 'taken'; " \
		"listening twice" listen "$ADDR:7479"
	kernel 2 "listen 0.0.0.0:7479: .*in use by endpoint 'taken'; " \
		"listening twice, the second time everywhere" listen 0.0.0.0:7479
	serve -a "$ADDR" -p 7481
	kernel 2 "listen $ADDR:7481: .*in use by process $server \(rping\); choose another port" \
		"port held by a process" listen "$ADDR:7481"
	unserve
	serve -p 7482
	kernel 2 "listen $ADDR:7482: .*in use by process $server \(rping\); " \
		"port held by a process everywhere" listen "$ADDR:7482"
	unserve
}

addresses() {
	ip link add bad0 type dummy
	ip addr add 198.51.100.1/24 dev bad0
	ip link set bad0 up
	kernel 2 "listen 203.0.113.1:7480: .*not one of this host; 'ip address show'" \
		"address of another host" listen 203.0.113.1:7480
	kernel 2 "from 203.0.113.1: .*not one of this host; " \
		"source of another host" connect "$ADDR:7480" from 203.0.113.1
	kernel 4 "listen 127.0.0.1:7480: no RDMA device .*; 'rdma link show' .*'rdma link add'" \
		"loopback address" listen 127.0.0.1:7480
	kernel 4 "listen \[::1\]:7480: no RDMA device .*" \
		"IPv6 loopback address" listen '[::1]:7480'
	kernel 4 "listen 198.51.100.1:7480: no RDMA device .*; 'rdma link show' .*'rdma link add'" \
		"address without an RDMA device" listen 198.51.100.1:7480
	kernel 4 "from 198.51.100.1: no RDMA device " \
		"source without an RDMA device" connect "$ADDR:7480" from 198.51.100.1
	kernel 2 "backlog: a connect endpoint has no backlog" \
		"backlog of a dialer" connect "$ADDR:7480" backlog 4
	kernel 2 "from: .*different address families" "two families" \
		connect "$ADDR:7480" from fd00::1
	kernel 2 "connect: not the address of a host" "peer everywhere" \
		connect 0.0.0.0:7480
	kernel 2 "listen: a multicast" "multicast address" listen 224.0.0.1:7480
	kernel 2 "connect: a multicast" "multicast peer" connect '[ff02::1]:7480'
}

others() {
	local object command
	for words in "endpoint del" "endpoint show" "stats show" "stats reset" \
		"connection show"; do
		read -r object command <<<"$words"
		refused 2 "$words nosuch: .*no such endpoint; 'rdmactl endpoint show' lists" \
			"$words of none" rdmactl "$object" "$command" nosuch
	done
	refused 4 "device show nosuch: no such RDMA device; 'rdma link show'" \
		"device show of none" rdmactl device show nosuch
	refused 2 "endpoint add x: not permitted: needs CAP_NET_ADMIN" \
		"without CAP_NET_ADMIN" setpriv --bounding-set -net_admin \
		rdmactl endpoint add x listen "$ADDR:7480"
	refused 2 "endpoint del taken: not permitted: needs CAP_NET_ADMIN" \
		"deleting as nobody" setpriv --reuid=65534 --clear-groups \
		rdmactl endpoint del taken
	refused 2 "endpoint add x: .*initial network namespace" \
		"from another network namespace" unshare -n \
		rdmactl endpoint add x listen "$ADDR:7480"
}

ktap_plan 86
trap finish EXIT
modprobe rdmach
rdmactl endpoint add taken listen "$ADDR:7479" || exit 1
before=$(rdmactl -j endpoint show)
words
numbers
ktap_is "$(rdmactl -j endpoint show)" "$before" "none of these made anything"
numbers_by_kernel
taken
addresses
others
ktap_exit
