#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Many connections at once, each with its own data.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 4
n=32

rdmactl endpoint add in listen "$ADDR:7471" depth 4 buffer 4K backlog $n || exit 1
rdmactl endpoint add out connect "$ADDR:7471" depth 4 buffer 4K connect-timeout 60s || exit 1
dir=$(mktemp -d)
for ((i = 0; i < n; i++)); do
	cat /dev/rdmach/in >"$dir/got.$i" &
	seq $((i * 1000)) $((i * 1000 + 3000)) >"$dir/sent.$i"
	cat "$dir/sent.$i" >/dev/rdmach/out &
done
wait
sent=$(sha256sum "$dir"/sent.* | cut -c-64 | sort)
got=$(sha256sum "$dir"/got.* | cut -c-64 | sort)
[ "$sent" = "$got" ]
ktap_is $? 0 "each of $n connections carried its own data"
ktap_is "$(stat_of in accepts)" $n "all were accepted"
ktap_is "$(($(stat_of in broken) + $(stat_of out broken)))" 0 "none broke"
none() { [ "$(rdmactl -j connection show | jq length)" = 0 ]; }
wait_for 5 none
ktap_is $? 0 "none is left"
rm -r "$dir"
rdmactl endpoint del in
rdmactl endpoint del out
ktap_exit
