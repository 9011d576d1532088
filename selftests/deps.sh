#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Install the Debian packages that building and testing rdmach need.

set -eu

usage() {
	cat <<END
Usage: selftests/deps.sh [--list | --missing] [GROUP...]

Installs, through apt, those packages of the named groups that are missing.
Needs root only when something is missing.

Groups (default: all of them):
  build   compiler, kernel build tools, libnl
  vm      QEMU, busybox, RDMA user space and traffic tools for the guests
  check   static checkers, sanitizers, DKMS

  --list     print the packages and do nothing
  --missing  print the missing packages and do nothing
END
}

packages() {
	case $1 in
	build) echo gcc make bc flex bison perl kmod xz-utils cpio pkg-config pahole \
		python3 libc6-dev libelf-dev libssl-dev libnl-3-dev \
		libnl-genl-3-dev libjansson-dev libcap-dev librdmacm-dev libibverbs-dev ;;
	vm) echo qemu-system-x86 busybox-static iproute2 rdma-core rdmacm-utils \
		ibverbs-utils ibverbs-providers perftest iperf3 jq strace ;;
	check) echo sparse dkms shellcheck cppcheck clang mandoc gcc-multilib \
		python3-yaml python3-ply python3-git ;;
	esac
}

mode=install
groups=
for arg; do
	case $arg in
	-h | --help) usage; exit 0 ;;
	--list) mode=list ;;
	--missing) mode=missing ;;
	build | vm | check) groups="$groups $arg" ;;
	*) echo "deps.sh: unknown argument '$arg'; see --help" >&2; exit 1 ;;
	esac
done

wanted=
for group in ${groups:-build vm check}; do
	wanted="$wanted $(packages "$group")"
done

missing=
for pkg in $wanted; do
	status=$(dpkg-query -W -f='${db:Status-Status}' "$pkg" 2>/dev/null) || status=none
	[ "$status" = installed ] || missing="$missing $pkg"
done

# The lists are words without blanks or globs: splitting them is meant.
# shellcheck disable=SC2086
case $mode in
list) printf '%s\n' $wanted; exit 0 ;;
missing) [ -z "$missing" ] || printf '%s\n' $missing; exit 0 ;;
esac

[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	echo "deps.sh: missing packages:$missing; run 'selftests/deps.sh' as root" >&2
	exit 1
fi

echo "deps.sh: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { apt-get update -qq &&
	apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
	cat "$log" >&2
	echo "deps.sh: apt could not install$missing; its words are above" >&2
	exit 1
fi
