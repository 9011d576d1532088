#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Host b loses its power in the middle of a transfer. Runs last: b is gone then.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 3

modprobe rdmach
if [ "$ROLE" = b ]; then
	rdmactl endpoint add in listen "$ADDR:7471" keepalive 1s || exit 1
	cat /dev/rdmach/in >/dev/null &
	cat /dev/rdmach/in >/dev/null &
	vm-sync cut-ready 60
	sleep 600	# the runner cuts
fi
rdmactl endpoint add out connect "$PEER:7471" keepalive 1s || exit 1
vm-sync cut-ready 60
exec 3</dev/rdmach/out	# an idle connection
cat /dev/zero 2>/tmp/words >/dev/rdmach/out &
writer=$!
flowing() { [ "$(stat_of out tx_messages)" -gt 20 ]; }
wait_for 10 flowing
touch "$VM_DIR/cut.b"
start=$SECONDS
timeout $((20 * SLOW)) cat <&3 >/dev/null 2>/tmp/idle
ktap_like "$(cat /tmp/idle)" "timed out" "the reader of the idle one gets ETIMEDOUT"
wait $writer
ktap_like "$(cat /tmp/words)" "timed out|reset" "the writer gets an error"
took=$((SECONDS - start))
[ $took -le $((15 * SLOW)) ]
ktap_is $? 0 "in time ($took s)"
exec 3>&-
rdmactl endpoint del out
ktap_exit
