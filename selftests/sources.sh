#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fetch what the tests take from the kernel's sources: the kselftest harness,
# checkpatch, kernel-doc. Nothing of it enters the tree.

set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${RDMACH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rdmach}
package=linux-source-6.12

usage() {
	cat <<END
Usage: selftests/sources.sh

Makes build/linux a link to those files of Debian's $package that the
tests use. They are kept in \$RDMACH_CACHE (now $cache).
END
}

die() {
	echo "sources.sh: $*" >&2
	exit 1
}

case ${1-} in
'') ;;
-h | --help) usage; exit 0 ;;
*) die "unknown argument '$1'; see --help" ;;
esac

version() {
	apt-cache show --no-all-versions $package 2>/dev/null | sed -n 's/^Version: //p'
}

[ -n "$(version)" ] || apt-get update -qq
id=$(version)
[ -n "$id" ] || die "apt knows no $package; is bookworm-security in its sources?"
dir=$cache/linux/$id

if [ ! -e "$dir/complete" ]; then
	echo "sources.sh: fetching $package $id" >&2
	rm -rf "$dir"
	mkdir -p "$dir/deb"
	(cd "$dir/deb" && apt-get download -qq -o APT::Sandbox::User=root $package >&2) ||
		die "apt could not download $package"
	dpkg-deb --fsys-tarfile "$dir"/deb/*.deb | tar -xO --wildcards '*/linux-source-*.tar.xz' |
		xz -dc -T0 | tar -x -C "$dir" --strip-components=1 --wildcards \
		'*/tools/testing/selftests/kselftest*' \
		'*/tools/testing/selftests/run_kselftest.sh' \
		'*/tools/testing/selftests/lib.mk' \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch' '*/scripts/kernel-doc' \
		'*/.clang-format'
	rm -r "$dir/deb"
	touch "$dir/complete"
fi
mkdir -p "$top/build"
ln -sfn "$dir" "$top/build/linux"
