#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One program is killed in the middle; the other host's learns it.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 2

modprobe rdmach
flowing() { [ "$(stat_of in rx_messages)" -gt 20 ]; }
none() { [ "$(rdmactl -j connection show | jq length)" = 0 ]; }
if [ "$ROLE" = a ]; then
	rdmactl endpoint add in listen "$ADDR:7471" || exit 1
	vm-sync kill-ready 60
	cat /dev/rdmach/in >/dev/null &
	wait_for 10 flowing
	ktap_is $? 0 "data flows"
	kill -9 $!
else
	rdmactl endpoint add out connect "$PEER:7471" || exit 1
	vm-sync kill-ready 60
	words=$(timeout 60 cat /dev/zero 2>&1 >/dev/rdmach/out)
	status=$?
	[ $status != 0 ] && [ $status != 124 ]
	ktap_is $? 0 "the writer ends (status $status $words)"
fi
wait_for 10 none
ktap_is $? 0 "no connection is left"
vm-sync kill-done 60
rdmactl endpoint del in 2>/dev/null
rdmactl endpoint del out 2>/dev/null
ktap_exit
