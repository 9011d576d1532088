#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# KTAP for tests in bash; sourced. Exit status: 0 passed, 1 failed, 4 skipped.

ktap_number=0 ktap_failed=0 ktap_passed=0 ktap_skipped=0
SLOW=${VM_SLOW:-1}

ktap_plan() {
	echo "TAP version 13"
	echo "1..$1"
}

ktap_ok() {
	ktap_number=$((ktap_number + 1)) ktap_passed=$((ktap_passed + 1))
	echo "ok $ktap_number $1"
}

ktap_fail() {
	ktap_number=$((ktap_number + 1)) ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_number $1"
}

ktap_skip() {
	ktap_number=$((ktap_number + 1)) ktap_skipped=$((ktap_skipped + 1))
	echo "ok $ktap_number # SKIP $1"
}

# ktap_is GOT WANT WHAT
ktap_is() {
	if [ "$1" = "$2" ]; then
		ktap_ok "$3"
	else
		echo "# want: $2"
		echo "# got:  $1"
		ktap_fail "$3"
	fi
}

# ktap_like GOT REGEX WHAT
ktap_like() {
	if [[ $1 =~ $2 ]]; then
		ktap_ok "$3"
	else
		echo "# want: $2"
		echo "# got:  $1"
		ktap_fail "$3"
	fi
}

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
	local end=$((SECONDS + $1 * SLOW))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

ktap_exit() {
	echo "# Totals: pass:$ktap_passed fail:$ktap_failed xfail:0 xpass:0 skip:$ktap_skipped error:0"
	[ $ktap_failed = 0 ] || exit 1
	[ $ktap_passed != 0 ] || exit 4
	exit 0
}

# A counter of an endpoint.
stat_of() {
	rdmactl -j stats show "$1" | jq ".[0].stats.$2"
}
