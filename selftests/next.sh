#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Build the module for the newest kernel headers Debian has, in the userland they
# were made for, which is unpacked into the cache and entered by chroot.

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${RDMACH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rdmach}
suite=trixie
root=$cache/next
apt=$cache/next-apt

usage() {
	cat <<END
Usage: selftests/next.sh [DIR [KFLAG...]]

Fetches, once, the headers of $suite-backports' kernel and a compiler for them.
Builds the module against them, with those flags for kbuild (W=1 ...), and leaves
it in DIR (default: build/mod/7). Needs root, for chroot.
END
}

die() {
	echo "next.sh: $*" >&2
	exit 1
}

case ${1-} in
-h | --help) usage; exit 0 ;;
esac

# The mirror that this machine's own apt uses.
mirror() {
	# shellcheck disable=SC2016 # the $( ) are apt's
	apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Identifier: Packages' |
		awk '$2 == "bookworm" { print $1; exit }'
}

fetch() {
	local uri
	uri=$(mirror)
	[ -n "$uri" ] || die "apt's sources name no mirror of bookworm"
	rm -rf "$apt" "$root"
	mkdir -p "$apt"/{etc/apt/apt.conf.d,etc/apt/preferences.d,etc/apt/trusted.gpg.d,state/lists/partial,cache/archives/partial}
	cp -r /etc/apt/apt.conf.d/. "$apt/etc/apt/apt.conf.d/" 2>/dev/null || true
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
		"$uri" "$suite" "$uri" "$suite-backports" >"$apt/etc/apt/sources.list"
	: >"$apt/status"
	local options=(-qq -o Dir::Etc="$apt/etc/apt" -o Dir::State="$apt/state"
		-o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
		-o APT::Sandbox::User=root -o APT::Install-Recommends=false)
	apt-get "${options[@]}" update || die "no $suite-backports at this machine's mirror"
	apt-get "${options[@]}" install -y --download-only "linux-headers-amd64/$suite-backports" \
		-t "$suite-backports" gcc make bash coreutils grep sed gawk findutils base-files sparse \
		>/dev/null || die "apt could not fetch the headers"
	mkdir -p "$root"
	# base-files makes the links of a merged /usr: before all others.
	for deb in "$apt"/cache/archives/base-files_*.deb "$apt"/cache/archives/*.deb; do
		dpkg --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink
	done
	ln -sf gawk "$root/usr/bin/awk"
	[ -e "$root/bin/sh" ] || ln -sf bash "$root/usr/bin/sh"
	rm -rf "$apt"
	touch "$root/complete"
}

# The headers lack the script by which kbuild asks whether C=1 or C=2 can work.
checker_valid() {
	cat >"$1/scripts/checker-valid.sh" <<'END'
#!/bin/sh
echo 'static int checked;' | "$@" - >/dev/null 2>&1 && echo 1
END
	chmod +x "$1/scripts/checker-valid.sh"
}

[ "$(id -u)" = 0 ] || die "chroot into the newer userland is for root only: run it as root"
out=$(realpath -m "${1:-$top/build/mod/7}")
[ $# = 0 ] || shift
mkdir -p "$cache" "$out"
exec 9>"$cache/next.lock"
flock 9
[ -e "$root/complete" ] || fetch

headers=$(cd "$root" && printf '%s\n' usr/src/linux-headers-*-amd64 | sort -V | tail -1)
[ -e "$root/$headers/Makefile" ] || die "the package has no headers"
checker_valid "$root/$headers"
rm -rf "$root/rdmach"
mkdir -p "$root/rdmach" "$root/proc" "$root/dev"
cp -r "$top/Kbuild" "$top/kmod" "$top/uapi" "$root/rdmach/"
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
# shellcheck disable=SC2016 # the $ are the inner shell's
unshare --mount sh -c 'mount --bind /proc "$0/proc" && exec chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin "$@"' \
	"$root" make -s "-j$(nproc)" -C "/$headers" M=/rdmach "$@" modules
cp "$root/rdmach/rdmach.ko" "$out/"
