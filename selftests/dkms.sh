#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest: DKMS builds and installs the module, modprobe loads that, and
# nothing is left when it is removed.
cd "$(dirname "$0")/.." || exit 1
. selftests/rdmach/ktap.sh
ktap_plan 7

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
release=$(uname -r)
# The runner's own copy must not answer for it.
find "/lib/modules/$release" -name 'rdmach.ko*' -delete
words=$(make dkms-install 2>&1)
status=$?
ktap_is $status 0 "make dkms-install ($(dkms --version 2>&1 | head -1))"
echo "# ${words//$'\n'/$'\n'# }"
[ $status = 0 ] || sed 's/^/# /' "/var/lib/dkms/rdmach/$version/build/make.log"
ktap_is "$(dkms status rdmach/"$version")" \
	"rdmach/$version, $release, $(uname -m): installed" "dkms says it is installed"
ktap_like "$(modinfo -n rdmach 2>&1)" "updates/dkms/rdmach.ko" "modprobe would load DKMS's module"
modprobe rdmach
ktap_is $? 0 "modprobe rdmach"
ktap_like "$(rdmactl device show)" "rxe0" "it works"
rmmod rdmach
words=$(make dkms-remove 2>&1)
ktap_is $? 0 "make dkms-remove"
left=$(find /usr/src /var/lib/dkms "/lib/modules/$release" -iname '*rdmach*' 2>/dev/null)
ktap_is "$left" "" "leaves nothing"
ktap_exit
