#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# IPv6: global and link-local addresses.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 7

carry() {
	echo "$1" >/tmp/hello
	timeout 20 cat /dev/rdmach/in >/tmp/got &
	timeout 20 cat /tmp/hello >/dev/rdmach/out
	wait $!
	cat /tmp/got
}

rdmactl endpoint add in listen "[$ADDR6]:7471" &&
	rdmactl endpoint add out connect "[$ADDR6]:7471"
ktap_is $? 0 "a global address is accepted"
ktap_is "$(carry global)" global "and carries data"
ktap_is "$(rdmactl -j endpoint show in | jq -r .[0].local_address)" "$ADDR6" "and is shown"
rdmactl endpoint del in
rdmactl endpoint del out

link_local=$(ip -6 -o addr show dev "$NETDEV" scope link | sed -n 's|.* inet6 \([^/]*\)/.*|\1|p' | head -1)
words=$(rdmactl endpoint add in listen "[fe80::1]:7471" 2>&1)
ktap_is $? 1 "a link-local address without scope is a usage error"
ktap_like "$words" "scope" "and the words say what is missing"
if [ -z "$link_local" ]; then
	ktap_skip "the network device has no link-local address"
	ktap_skip "the network device has no link-local address"
else
	rdmactl endpoint add in listen "[$link_local%$NETDEV]:7471" &&
		rdmactl endpoint add out connect "[$link_local%$NETDEV]:7471"
	ktap_is $? 0 "with its scope it is accepted"
	ktap_is "$(carry local)" local "and carries data"
	rdmactl endpoint del in
	rdmactl endpoint del out
fi
ktap_exit
