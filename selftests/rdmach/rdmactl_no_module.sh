#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rdmactl where the module is not loaded: help, version and usage errors are as
# ever, all else says how to load it and exits with 4. Or where it does not
# answer: 3, after a while.

set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=ktap.sh
. ./ktap.sh

dir=$(mktemp -d)
loader=$(</proc/sys/kernel/modprobe)
was_loaded=no

# shellcheck disable=SC2317 # by the trap
finish() {
	echo "$loader" >/proc/sys/kernel/modprobe
	[ "$was_loaded" = no ] || modprobe rdmach
	rm -rf "$dir"
}

run() {
	out=$("$@" 2>"$dir/err")
	status=$?
	err=$(<"$dir/err")
}

# One line of talk, the status that is due, nothing on stdout.
refused() {
	local want=$1 like=$2 what=$3
	shift 3
	run "$@"
	if [ $status = "$want" ] && [ -z "$out" ] &&
	   [ "$(wc -l <"$dir/err")" = 1 ] && [[ $err =~ ^rdmactl:\ .*$like ]]; then
		ktap_ok "$what"
	else
		echo "# want: $want, one line like: $like"
		echo "# got:  $status: $out $err"
		ktap_fail "$what"
	fi
}

# Text on stdout, no talk.
answers() {
	local like=$1 what=$2
	shift 2
	run "$@"
	ktap_like "$status:$err:$out" "^0::.*$like" "$what"
}

if [ -e /sys/module/rdmach ]; then
	rmmod rdmach || { ktap_plan 1; ktap_skip "the module cannot be unloaded"; ktap_exit; }
	was_loaded=yes
fi
trap finish EXIT
# Asking for the family would load it.
echo /bin/false >/proc/sys/kernel/modprobe

ktap_plan 24

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
for word in help -h --help "endpoint help" "endpoint add help" "monitor help"; do
	# shellcheck disable=SC2086
	answers "Usage: rdmactl" "$word" $nobody rdmactl $word
done
# shellcheck disable=SC2086
answers 'rdmactl [0-9]' "version" $nobody rdmactl -V

refused 1 "object is missing; one of: endpoint, " "no object" rdmactl
refused 1 "'foo' is no object; one of: endpoint, " "unknown object" rdmactl foo
refused 1 "'foo' is no command; one of: show, " "unknown command" \
	rdmactl endpoint foo
refused 1 "unknown option '-x'" "unknown option among others" rdmactl -jx
refused 1 "unknown option '--foo'" "unknown long option" rdmactl --foo
refused 1 "options stand before the object" "option too late" \
	rdmactl endpoint add x listen 10.0.0.1:7471 -j
refused 1 "depth '1' is out of range; 2 to 1024" "number out of range" \
	rdmactl endpoint add x listen 10.0.0.1:7471 depth 1
refused 1 "'one.*two' is no object" "a word of two lines" rdmactl $'one\ntwo'

for words in "endpoint show" "endpoint add x listen 10.0.0.1:7471" \
	"endpoint del x" "connection show" "stats reset" "device show" monitor; do
	# shellcheck disable=SC2086
	refused 4 "not loaded; run 'modprobe rdmach'" "$words" rdmactl $words
done

echo "$loader" >/proc/sys/kernel/modprobe
if modinfo rdmach >/dev/null 2>&1; then
	run rdmactl -j endpoint show
	ktap_is "$status:$err:$out" "0::[]" "the family's alias loads the module"
else
	ktap_skip "the module is not installed"
fi

# Requests to the module are lost on the way; those to the controller are not.
lose_requests() {
	gcc -shared -fPIC -Wall -o "$dir/shim.so" -x c - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <linux/genetlink.h>

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int) =
		dlsym(RTLD_NEXT, "sendmsg");
	const struct nlmsghdr *nlh = msg->msg_iov[0].iov_base;

	return nlh->nlmsg_type > GENL_ID_CTRL ? (ssize_t)nlh->nlmsg_len :
						real(fd, msg, flags);
}
END
}

if [ -e /sys/module/rdmach ] && lose_requests; then
	refused 3 "endpoint show: the kernel has not answered for 20 s" \
		"no answer" env LD_PRELOAD="$dir/shim.so" rdmactl endpoint show
else
	ktap_skip "no answer: no module or no gcc"
fi

[ "$was_loaded" = yes ] || rmmod rdmach 2>/dev/null

ktap_exit
