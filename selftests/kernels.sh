#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fetch Debian kernels and unpack them beside the build, installing nothing.
#
# build/kernels/TAG is a link into the cache, where a kernel stays for other
# clones. Inside it:
#   build      the headers: KDIR for an out-of-tree module
#   vmlinuz    the image to boot
#   release    the kernel's version, as uname -r says it
#   lib/modules/RELEASE, usr/src/linux-headers-*, usr/lib/linux-kbuild-*

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${RDMACH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rdmach}

usage() {
	cat <<END
Usage: selftests/kernels.sh [--update] [TAG...]

Makes build/kernels/TAG available for every TAG (default: 6.1 6.12).
Kernels are kept in \$RDMACH_CACHE (now $cache)
and fetched through apt only when they are not there.

  6.1    Debian 12's kernel
  6.12   Debian 12's newer kernel

  --update   look for newer packages even if a kernel is in the cache
END
}

die() {
	echo "kernels.sh: $*" >&2
	exit 1
}

# The packages that $1 depends on and whose names match the pattern $2.
depends() {
	apt-cache depends --no-recommends --no-suggests "$1" |
		sed -n 's/^ *|\?Depends: //p' | grep -E "^($2)" | grep -v unsigned
}

# The packages of a kernel: the meta packages lead to the newest version.
kernel_packages() {
	image=$(depends "linux-image-$1" 'linux-image-') || return 1
	headers=$(depends "linux-headers-$1" 'linux-headers-') || return 1
	echo "$image" "$headers"
	depends "$headers" 'linux-headers-.*-common|linux-kbuild-'
}

# Links and includes in the packages name /usr/src; ours stays in its folder.
relocate() (
	cd "$1"
	release=$(basename lib/modules/*)
	for makefile in usr/src/linux-headers-*/Makefile; do
		sed -i "s|^include /usr/src/|include $1/usr/src/|" "$makefile"
	done
	ln -sfn "usr/src/linux-headers-$release" build
	ln -sfn "boot/vmlinuz-$release" vmlinuz
	depmod -b . "$release"
	echo "$release" >release
)

fetch() {
	tag=$1 meta=$2
	packages=$(kernel_packages "$meta") || {
		# A machine whose package lists are missing or too old.
		apt-get update -qq
		packages=$(kernel_packages "$meta") ||
			die "apt knows no linux-image-$meta; is $tag's suite (bookworm, bookworm-security) in apt's sources?"
	}
	# shellcheck disable=SC2086
	set -- $packages
	id=$(apt-cache show --no-all-versions "$1" | sed -n 's/^Version: //p')
	dir=$cache/kernels/$tag-$id
	if [ ! -e "$dir/release" ]; then
		echo "kernels.sh: fetching $*" >&2
		rm -rf "$dir"
		mkdir -p "$dir/deb"
		# _apt cannot write into root's folders: download as ourselves.
		(cd "$dir/deb" && apt-get -qq -o APT::Sandbox::User=root download "$@") || {
			apt-get update -qq
			(cd "$dir/deb" && apt-get -qq -o APT::Sandbox::User=root download "$@")
		} || die "cannot download $*; run 'apt-get update' and see its words"
		for deb in "$dir"/deb/*.deb; do
			dpkg -x "$deb" "$dir"
		done
		rm -rf "$dir/deb"
		relocate "$dir"
	fi
	ln -sfn "$tag-$id" "$cache/kernels/$tag"
}

update=
tags=
for arg; do
	case $arg in
	-h | --help) usage; exit 0 ;;
	--update) update=1 ;;
	6.1 | 6.12) tags="$tags $arg" ;;
	*) die "unknown kernel '$arg'; see --help" ;;
	esac
done

mkdir -p "$cache/kernels" "$top/build/kernels"
exec 9>"$cache/kernels/lock"
flock 9

for tag in ${tags:-6.1 6.12}; do
	if [ -n "$update" ] || [ ! -e "$cache/kernels/$tag/release" ]; then
		case $tag in
		6.1) fetch "$tag" amd64 ;;
		*) fetch "$tag" "$tag-amd64" ;;
		esac
	fi
	ln -sfn "$cache/kernels/$tag" "$top/build/kernels/$tag"
done
