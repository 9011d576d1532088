#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One file, two hosts: the demonstration. See --help.

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
kernel=6.12 compare=

usage() {
	cat <<END
Usage: selftests/demo.sh [-k TAG] [--compare]

Boots two virtual machines with an RDMA device (rxe) each and a virtual wire
between, sets up rdmach on both with rdmactl, and carries a file, a tar of the
kernel's own files, from a to b by cat through the device nodes. Compares the
SHA-256 and shows the connection on both hosts.

  -k TAG      the kernel to boot: 6.1 or 6.12 (default: $kernel)
  --compare   measure ib_write_bw and iperf3 in the same machines, too
END
}

# Say and do.
do_it() {
	echo "# $*"
	eval "$*"
}

mib() {
	echo "$(($1 >> 20))"
}

# Bytes and nanoseconds to MB/s.
speed() {
	local hundredths=$(($1 * 100 / ($2 / 1000)))
	printf '%d.%02d\n' $((hundredths / 100)) $((hundredths % 100))
}

show_connection() {
	do_it rdmactl -s connection show
	do_it rdmactl -s -j -p connection show
}

# On host a: the file leaves.
guest_a() {
	cp build/demo/file /tmp/file
	sum=$(sha256sum </tmp/file | cut -c-64)
	stat -c %s /tmp/file >"$VM_DIR/bytes"
	do_it modprobe rdmach
	vm-sync loaded 60
	vm-sync listening 60
	do_it rdmactl endpoint add outbox connect "$PEER:7471"
	echo "# exec 3>/dev/rdmach/outbox"
	exec 3>/dev/rdmach/outbox
	vm-sync start 60
	echo "# cat file >&3          ($(mib "$(cat "$VM_DIR/bytes")") MiB)"
	cat /tmp/file >&3
	vm-sync arrived 200
	echo "sha256 of what was sent: $sum"
	echo "$sum" >"$VM_DIR/sum"
	vm-sync summed 60
	show_connection
	vm-sync shown 60
	exec 3>&-
	vm-sync closed 60
	do_it rdmactl endpoint del outbox
}

# On host b: it arrives. The wait for its last byte is what is timed.
guest_b() {
	do_it modprobe rdmach
	vm-sync loaded 60
	bytes=$(cat "$VM_DIR/bytes")
	do_it rdmactl endpoint add inbox listen "$ADDR:7471"
	vm-sync listening 60
	echo "# cat /dev/rdmach/inbox >file"
	cat /dev/rdmach/inbox >/tmp/file &
	vm-sync start 60
	start=$(date +%s%N) told=$SECONDS got=0
	while [ "$got" -lt "$bytes" ] && kill -0 $! 2>/dev/null; do
		sleep 0.05
		got=$(stat -c %s /tmp/file)
		if [ $told != $SECONDS ]; then
			told=$SECONDS
			echo "  $(mib "$got") of $(mib "$bytes") MiB, $((got * 100 / bytes)) %"
		fi
	done
	took=$(($(date +%s%N) - start))
	vm-sync arrived 200
	sum=$(sha256sum </tmp/file | cut -c-64)
	vm-sync summed 60
	echo "sha256 of what arrived:  $sum"
	[ "$sum" = "$(cat "$VM_DIR/sum")" ] || { echo "demo: the file did not arrive whole" >&2; exit 1; }
	echo "the same; rdmach carried $bytes bytes in $((took / 1000000)) ms: $(speed "$bytes" $took) MB/s"
	vm-sync shown 60
	show_connection
	vm-sync closed 60
	wait $!	# cat has seen the end of the stream
	do_it rdmactl endpoint del inbox
}

# The same machines, the usual tools.
compare_a() {
	vm-sync iperf 60
	iperf3 -J -c "$PEER" -t 5 | jq -r '"iperf3 (TCP): \(.end.sum_received.bits_per_second / 8e4 | floor / 100) MB/s"'
	vm-sync perftest 60
	ib_write_bw -F -x 1 -u 18 -s 65536 -n 500 --report_gbits "$PEER" |
		awk '$1 == 65536 { printf "ib_write_bw 64 KiB: %.2f MB/s\n", $4 * 125 }'
	vm-sync compared 120
}

compare_b() {
	iperf3 -s -1 >/dev/null &
	sleep 1
	vm-sync iperf 60
	wait $!
	ib_write_bw -F -x 1 -u 18 -s 65536 -n 500 --report_gbits >/dev/null &
	sleep 2
	vm-sync perftest 60
	wait $!
	vm-sync compared 120
}

# Some of the unpacked kernel's own files: 32 MiB and more.
make_file() {
	mkdir -p "$top/build/demo"
	[ "$top/build/demo/file" -nt "$top/build/kernels/$kernel/release" ] ||
		tar -C "$top/build/kernels/$kernel/" -chf "$top/build/demo/file" vmlinuz \
			"lib/modules/$(cat "$top/build/kernels/$kernel/release")/kernel/"{fs,net,drivers/net}
	[ "$(stat -c %s "$top/build/demo/file")" -ge 33554432 ] || {
		echo "demo.sh: the file is smaller than 32 MiB" >&2
		exit 1
	}
}

while [ $# != 0 ]; do
	case $1 in
	-h | --help) usage; exit 0 ;;
	-k) kernel=${2:?-k needs a kernel}; shift ;;
	--compare) compare=yes ;;
	--guest)
		"guest_$ROLE"
		[ -z "${COMPARE-}" ] || "compare_$ROLE"
		exit 0
		;;
	*) echo "demo.sh: unknown argument '$1'; see --help" >&2; exit 1 ;;
	esac
	shift
done

cd "$top"
selftests/deps.sh build vm
selftests/kernels.sh "$kernel"
make -s tools
make -s module K="$kernel" 2>&1 | sed '/^Skipping BTF generation/d; /^$/d'
make_file
echo "demo: booting two hosts with kernel $kernel ..."
exec selftests/vm -k "$kernel" --hosts 2 -t 400 --env COMPARE=$compare 'selftests/demo.sh --guest'
