# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion for bash. Names are taken from /dev and /sys: nothing is asked of
# the module, so completing loads none and needs no privilege.

_rdmactl_endpoints() {
	local node
	for node in /dev/rdmach/*; do
		[ ! -c "$node" ] || echo "${node##*/}"
	done
}

_rdmactl_devices() {
	local device
	for device in /sys/class/infiniband/*; do
		[ ! -e "$device" ] || echo "${device##*/}"
	done
}

# What may stand last of the words after "endpoint add NAME".
_rdmactl_add() {
	local word words=(depth buffer backlog max-connections mode owner group
		tos ack-timeout connect-timeout keepalive linger)
	case $# in
	1) echo listen connect; return ;;
	2) return ;;
	esac
	# Keyword and value by turns.
	if [ $(($# % 2)) = 0 ]; then
		case ${*: -2:1} in
		owner) compgen -u ;;
		group) compgen -g ;;
		esac
		return
	fi
	[ "$1" = listen ] || words+=(from)
	for word in "${words[@]}"; do
		case " ${*:3} " in
		*" $word "*) ;;
		*) [ "$1/$word" = connect/backlog ] || echo "$word" ;;
		esac
	done
}

# What may stand last of the words given.
_rdmactl_words() {
	local object=$1 command=$2
	case $# in
	1) echo endpoint connection stats device monitor help ;;
	2) case $object in
		endpoint) echo add del show help ;;
		connection | device) echo show help ;;
		stats) echo show reset help ;;
		monitor) echo all endpoint connection device help ;;
		esac ;;
	3) case $object/$command in
		endpoint/del | endpoint/show | connection/show | stats/*)
			_rdmactl_endpoints ;;
		device/show) _rdmactl_devices ;;
		esac ;;
	*) [ "$object/$command" != endpoint/add ] || _rdmactl_add "${@:4}" ;;
	esac
}

_rdmactl() {
	local words last known
	# Not COMP_WORDS: readline cuts an address at its colons.
	read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
	[[ ${COMP_LINE:0:COMP_POINT} != *[[:space:]] ]] || words+=('')
	words=("${words[@]:1}")
	while [ ${#words[@]} -gt 1 ] && [[ ${words[0]} == -* ]]; do
		words=("${words[@]:1}")
	done
	last=${words[-1]}
	if [[ ${#words[@]} = 1 && $last == -* ]]; then
		known='--json --pretty --statistics --version --help'
	else
		known=$(_rdmactl_words "${words[@]}")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$known" -- "$last")
}

complete -F _rdmactl rdmactl
