#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rdmactl monitor: a line for each event, those that are asked for, an end when
# it is told to, when nobody reads and when the module goes.

set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=ktap.sh
. ./ktap.sh

dir=$(mktemp -d)
receive=$(sysctl -n net.core.rmem_max)

# shellcheck disable=SC2317 # by the trap
finish() {
	sysctl -qw net.core.rmem_max="$receive"
	# shellcheck disable=SC2046
	kill -KILL $(jobs -p) 2>/dev/null
	[ -e /sys/class/infiniband/rxe0 ] ||
		rdma link add rxe0 type rxe netdev "$NETDEV"
	modprobe rdmach
	for name in in out lost{1..40}; do
		rdmactl endpoint del "$name" 2>/dev/null
	done
	rm -rf "$dir"
}

# begin FILE WORD...: a monitor in the background that listens already; its
# pid is in $monitor
begin() {
	local file=$dir/$1
	shift
	rdmactl "$@" >"$file" 2>"$file.err" &
	monitor=$!
	wait_for 10 joined $monitor
}

# It has joined its group and waits.
# shellcheck disable=SC2317 # by wait_for
joined() {
	grep -q poll "/proc/$1/wchan"
}

# end SIGNAL: its exit status, or 124 if it does not end
end() {
	[ "$1" = none ] || kill -"$1" $monitor
	ended $monitor
}

ended() {
	local status
	wait_for 5 eval "! kill -0 $1 2>/dev/null" || { kill -KILL "$1"; echo 124; return; }
	wait "$1"
	status=$?
	return $status
}

# events FILE: their names, of JSON
events() {
	jq -r .event "$dir/$1" | paste -sd ' '
}

# shellcheck disable=SC2317 # by wait_for
seen() {
	grep -q "$2" "$dir/$1"
}

ktap_plan 15
trap finish EXIT
modprobe rdmach

# What happens, in three monitors.
begin all -j monitor; all=$monitor
begin endpoint -j monitor endpoint; endpoint=$monitor
begin text monitor connection; text=$monitor
rdmactl endpoint add in listen "$ADDR:7471"
rdmactl endpoint add out connect "$ADDR:7471"
exec 3<>/dev/rdmach/in &
wait_for 10 seen all '"waiting"'
(exec 4<>/dev/rdmach/out)
wait $!
wait_for 10 seen text 'connection_del 1: '
wait_for 10 seen text 'connection_del 2: '
rdmactl endpoint del out
rdmactl endpoint del in
wait_for 10 seen endpoint 'endpoint_del.*"in"'
wait_for 10 seen all 'endpoint_del.*"in"'

ktap_is "$(events endpoint)" "endpoint_add endpoint_add endpoint_del endpoint_del" \
	"events of endpoints, and no other"
ktap_like "$(events all)" \
	"^endpoint_add endpoint_add connection_add .*connection_change .*connection_del .*endpoint_del$" \
	"all events"
ktap_is "$(jq -s 'map(select(.event == "connection_change" and .object.state == "established")) | map(.object.endpoint) | sort | join(" ")' "$dir/all")" \
	'"in out"' "both sides are established"
ktap_is "$(jq -s 'map(select(.object.name == null and .object.handle == null)) | length' "$dir/all")" \
	0 "each is a whole object"
ktap_like "$(jq -r .time "$dir/all" | head -1)" \
	'^20..-..-..T..:..:..\.[0-9]{6}[+-][0-9]{4}$' "time with its zone"
ktap_is "$(grep -cvE '^20..-..-..T..:..:..\.[0-9]{6} connection_(add|change|del) [12]: (in|out) ' "$dir/text")" \
	0 "as text, a line for each event"

monitor=$all
end INT; ktap_is "$?" 0 "ends on SIGINT"
monitor=$endpoint
end TERM; ktap_is "$?" 0 "ends on SIGTERM"
kill -INT "$text"
ktap_is "$(cat "$dir"/*.err)" "" "says nothing on stderr"

# Nobody reads: it need not wait for an event.
mkfifo "$dir/fifo"
rdmactl monitor >"$dir/fifo" 2>"$dir/fifo.err" &
monitor=$!
exec 5<"$dir/fifo"
wait_for 10 joined $monitor
exec 5<&-
end none; ktap_is "$?:$(<"$dir/fifo.err")" "0:" "ends when its reader does"

# More events than fit while it cannot read.
sysctl -qw net.core.rmem_max=4096
begin lost -j monitor
sysctl -qw net.core.rmem_max="$receive"
kill -STOP $monitor
for i in {1..40}; do
	rdmactl endpoint add "lost$i" connect "$ADDR:7471"
done
kill -CONT $monitor
wait_for 10 seen lost events_lost
ktap_like "$(events lost)" "events_lost" "lost events are an event"
ktap_like "$(<"$dir/lost.err")" "^rdmactl: monitor: events were lost: .*too slow; " \
	"and are complained of"
rdmactl endpoint del lost1
wait_for 10 seen lost '"endpoint_del".*"lost1"'
ktap_ok "and it goes on"
end INT
for i in {2..40}; do
	rdmactl endpoint del "lost$i"
done

# Devices.
begin device -j monitor device
rdma link del rxe0
rdma link add rxe0 type rxe netdev "$NETDEV"
wait_for 10 seen device '"device_add".*"rxe0"'
ktap_is "$(events device)" "device_del device_add" "events of devices"
end INT

begin unload monitor
rmmod rdmach
end none
ktap_is "$?:$(<"$dir/unload.err")" \
	"4:rdmactl: monitor: the rdmach module was unloaded; run 'modprobe rdmach' and monitor anew" \
	"ends when the module does"

ktap_exit
