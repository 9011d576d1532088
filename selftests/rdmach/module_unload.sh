#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmmod: refused while a file is open, clean afterwards, endpoints or not.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 8

rdmactl endpoint add in listen "$ADDR:7471" || exit 1
rdmactl endpoint add out connect "$ADDR:7471" || exit 1
sleep 300 4</dev/rdmach/in &
waiter=$!
opened() { [ "$(rdmactl -j connection show in | jq length)" = "$1" ]; }
wait_for 3 opened 1
ktap_like "$(rmmod rdmach 2>&1)" "in use" "an open that waits keeps the module"
kill -9 $waiter
wait $waiter 2>/dev/null

cat /dev/rdmach/in >/dev/null &
reader=$!
exec 5>/dev/rdmach/out
ktap_like "$(rmmod rdmach 2>&1)" "in use" "an open file keeps the module"
cat /dev/zero >&5 2>/dev/null &
writer=$!
flowing() { [ "$(stat_of in rx_messages)" -gt 20 ]; }
wait_for 5 flowing
kill -9 $reader $writer
exec 5>&-
wait 2>/dev/null
timeout $((15 * SLOW)) rmmod rdmach
ktap_is $? 0 "it goes at once when they are closed, with endpoints configured"
[ ! -e /dev/rdmach/in ]
ktap_is $? 0 "and its nodes with it"
ktap_is "$(rdma -j resource show cm_id | jq '[.[]|select(.comm=="rdmach")]|length')" 0 "and its CM ids"
ktap_is "$(rdma -j resource show qp | jq '[.[]|select(.comm=="rdmach")]|length')" 0 "and its queue pairs"

modprobe rdmach
ktap_is $? 0 "it can be loaded again"
ktap_is "$(rdmactl -j endpoint show | jq length)" 0 "with no endpoint"
ktap_exit
