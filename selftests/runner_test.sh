#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The runner itself: what goes wrong in a guest must come out as a failure.
cd "$(dirname "$0")/.." || exit 1
. selftests/rdmach/ktap.sh
ktap_plan 14
tag=6.12
vm() {
	out=$(selftests/vm -k $tag "$@" 2>&1)
	status=$?
}

selftests/vm --help | grep -q -- --kernel
ktap_is $? 0 "it has --help"
vm -t 200 'exit 7'
ktap_is $status 7 "the command's exit status is the runner's"
vm -t 30 'sleep 600'
ktap_is $status 124 "a guest that hangs"
ktap_like "$out" "sysrq: Show Blocked State.*CPU: " "it is asked where"
vm -t 200 'echo c >/proc/sysrq-trigger'
ktap_is $status 125 "a guest that crashes"
ktap_like "$out" "sysrq: Trigger a crash" "its serial log is printed"
vm -t 200 --hosts 2 --a 'sleep 600' --b 'echo c >/proc/sysrq-trigger'
ktap_is $status 125 "one of two guests crashes"
# A file of the module that stays open, an RDMA object that stays, a warning.
# shellcheck disable=SC2016
vm -t 200 'modprobe rdmach; rdmactl endpoint add x listen $ADDR:7471
	setsid sleep 600 3</dev/rdmach/x & sleep 1'
ktap_is $status 123 "a reference on the module"
ktap_like "$out" "vm-leaks: rdmach cannot be unloaded" "it is named"
# shellcheck disable=SC2016
vm -t 200 'setsid rping -s -a $ADDR >/dev/null 2>&1 & sleep 2'
ktap_is $status 123 "an RDMA object"
ktap_like "$out" "vm-leaks: RDMA objects beyond the baseline" "it is named"
vm -t 200 'echo "<4>WARNING: CPU: 0 PID: 1 at a/test.c:1" >/dev/kmsg'
ktap_is $status 123 "a warning in the log"
ktap_like "$out" "vm-leaks: the kernel complained" "it is printed"
vm -t 200 'setsid sleep 600 & sleep 1'
ktap_is $status 0 "a process that stays is no leak"
ktap_exit
