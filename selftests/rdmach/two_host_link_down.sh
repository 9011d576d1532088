#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The link goes down: both hosts know it within three keepalive intervals.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 2

modprobe rdmach
if [ "$ROLE" = a ]; then
	rdmactl endpoint add in listen "$ADDR:7471" keepalive 500ms || exit 1
	vm-sync link-ready 60
	exec 3</dev/rdmach/in
else
	rdmactl endpoint add out connect "$PEER:7471" keepalive 500ms || exit 1
	vm-sync link-ready 60
	exec 3>/dev/rdmach/out
fi
# vm-sync does not use the network.
vm-sync link-open 60
[ "$ROLE" = a ] || ip link set "$NETDEV" down
start=$SECONDS
broken() { [ "$(rdmactl -j connection show | jq -r .[0].state)" = broken ]; }
wait_for 10 broken
ktap_is $? 0 "the connection breaks"
cause=$(rdmactl -j connection show | jq -r .[0].cause)
ktap_like "$cause" "silent|sending failed|moved|disconnected" "with a cause: $cause (after $((SECONDS - start)) s)"
exec 3>&-
vm-sync link-over 60
rdmactl endpoint del in 2>/dev/null
rdmactl endpoint del out 2>/dev/null
if [ "$ROLE" = b ]; then
	ip link set "$NETDEV" up
	# rxe of 6.1 takes no CM message any more once a send found the link
	# down, whoever sent it; a new one does.
	rdma link del rxe0
	rdma link add rxe0 type rxe netdev "$NETDEV"
fi
vm-sync link-done 60
ktap_exit
