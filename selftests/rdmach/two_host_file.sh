#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A file from host a to host b, one from b to a, at once, and a look at both.
cd "$(dirname "$0")" || exit 1
. ./ktap.sh
ktap_plan 4

modprobe rdmach
rdmactl endpoint add in listen "$ADDR:7471" || exit 1
rdmactl endpoint add out connect "$PEER:7471" || exit 1
vm-sync file-ready 60 || exit 1
head -c 6000000 /dev/urandom >/tmp/sent
timeout 60 cat /dev/rdmach/in >/tmp/got &
reader=$!
timeout 60 cat /tmp/sent >/dev/rdmach/out
ktap_is $? 0 "the file was written"
wait $reader
ktap_is $? 0 "a file was read to its end"
sha256sum </tmp/sent >"$VM_DIR/sent.$ROLE"
sha256sum </tmp/got >"$VM_DIR/got.$ROLE"
vm-sync file-done 60
[ "$ROLE" = a ] && other=b || other=a
ktap_is "$(cat "$VM_DIR/got.$ROLE")" "$(cat "$VM_DIR/sent.$other")" "it is what the other host sent"
ktap_is "$(stat_of in rx_bytes)" 6000000 "and the counters agree"
vm-sync file-checked 60
rdmactl endpoint del in
rdmactl endpoint del out
ktap_exit
