#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The RDMA device goes away in the middle of a transfer, and comes back.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 11

rdmactl endpoint add in listen "$ADDR:7471" || exit 1
rdmactl endpoint add out connect "$ADDR:7471" || exit 1

cat /dev/rdmach/in >/dev/null 2>/tmp/reader &
reader=$!
cat /dev/zero >/dev/rdmach/out 2>/tmp/writer &
writer=$!
flowing() { [ "$(stat_of in rx_messages)" -gt 20 ]; }
wait_for 5 flowing
ktap_is $? 0 "data flows"
sleep 300 3</dev/rdmach/in &	# an open that waits for a peer
waiter=$!

start=$SECONDS
timeout $((10 * SLOW)) rdma link del rxe0
ktap_is $? 0 "the device can be removed while files are open"
took=$((SECONDS - start))
[ $took -le $((3 * SLOW)) ]
ktap_is $? 0 "within seconds ($took s)"
wait $writer
ktap_like "$(cat /tmp/writer)" "No such device" "the writer gets ENODEV"
wait $reader
ktap_like "$(cat /tmp/reader)" "No such device" "the reader gets ENODEV"
ktap_is "$(rdmactl -j endpoint show in | jq -r .[0].state)" down "the listener is down"
ktap_like "$(cat /dev/rdmach/out 2>&1)" "No such device|No route" "dialing fails at once"

rdma link add rxe0 type rxe netdev "$NETDEV"
listening() { [ "$(rdmactl -j endpoint show in | jq -r .[0].state)" = listening ]; }
wait_for 5 listening
ktap_is $? 0 "it listens again when the device is back"
kill $waiter 2>/dev/null
wait $waiter 2>/dev/null
echo hello >/tmp/hello
cat /dev/rdmach/in >/tmp/got &
reader=$!
timeout 10 cat /tmp/hello >/dev/rdmach/out
wait $reader
ktap_is "$(cat /tmp/got)" hello "and carries data"

# Again and again, with requests arriving all the time.
for i in 1 2 3 4; do
	while :; do timeout 1 cat /dev/rdmach/out; done >/dev/null 2>&1 &
done
while :; do timeout 0.3 cat /dev/rdmach/in; done >/dev/null 2>&1 &
for i in 1 2 3 4 5; do
	timeout $((10 * SLOW)) rdma link del rxe0 || break
	rdma link add rxe0 type rxe netdev "$NETDEV"
	wait_for 5 listening || break
	sleep 0.$i
done
ktap_is "$i" 5 "removal while peers dial and are accepted"
# shellcheck disable=SC2046
kill $(jobs -p) 2>/dev/null
wait 2>/dev/null
none() { [ "$(rdmactl -j connection show | jq length)" = 0 ]; }
wait_for 5 none
ktap_is $? 0 "no connection is left"

rdmactl endpoint del in
rdmactl endpoint del out
ktap_exit
