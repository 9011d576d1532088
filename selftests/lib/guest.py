# SPDX-License-Identifier: GPL-2.0
"""A running guest: QEMU's arguments, its output, its end."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from vmerror import VmError, say

PR_SET_PDEATHSIG = 1
ALONE = 20  # seconds for a guest to end whose peer died
output_lock = threading.Lock()


def die_with_parent():
    """In the child: a runner that is killed outright leaves no guest behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Guest:
    def __init__(self, role, image, accel, args, share, sockets):
        self.role, self.image, self.accel = role, image, accel
        self.args, self.share, self.sockets = args, share, sockets
        self.serial = os.path.join(share, f'serial.{role}')
        self.output = os.path.join(share, f'output.{role}')
        self.monitor = os.path.join(sockets, f'monitor.{role}')
        self.process = self.reader = None
        self.cut = False

    def network(self):
        if self.args.no_rdma or self.args.hosts == 1:
            return ['-nic', 'none']
        other = 'b' if self.role == 'a' else 'a'
        # Datagrams: either side may vanish and come back.
        wire = [f'dgram,id=wire,local.type=unix,local.path={self.sockets}/wire.{self.role}',
                f'remote.type=unix,remote.path={self.sockets}/wire.{other}']
        mac = {'a': '52:54:00:00:00:0a', 'b': '52:54:00:00:00:0b'}[self.role]
        return ['-netdev', ','.join(wire), '-device',
                f'virtio-net-pci,netdev=wire,mac={mac},host_mtu=9000,romfile=']

    def command(self):
        cpu = 'max' if self.accel == 'tcg' else 'host'
        accel = 'tcg,thread=multi' if self.accel == 'tcg' else 'kvm'
        append = ('console=ttyS0 panic=-1 oops=panic nokaslr mitigations=off '
                  'cryptomgr.notests=1 random.trust_cpu=on log_buf_len=16M '
                  'sysrq_always_enabled net.ifnames=0 loglevel=5 '
                  f'vm.init={self.image.top}/selftests/guest/init vm.role={self.role} '
                  + self.args.append)
        serial = 'mon:stdio' if self.args.shell else f'file:{self.serial}'
        # With --shell the terminal is the serial line, and nobody else's.
        # Not stdio: at the end of its input it would take no output either.
        out = 'null,id=out' if self.args.shell else 'file,id=out,path=/dev/stdout'
        return ['qemu-system-x86_64', '-name', f'rdmach-{self.role}',
                '-accel', accel, '-cpu', cpu, '-smp', str(self.args.cpus),
                '-m', self.args.memory, '-nodefaults', '-no-user-config',
                '-display', 'none', '-no-reboot',
                '-kernel', self.image.kernel, '-initrd', self.image.initramfs,
                '-append', append, '-serial', serial,
                '-monitor', f'unix:{self.monitor},server=on,wait=off',
                '-device', 'virtio-rng-pci', '-device', 'virtio-serial-pci',
                '-chardev', out,
                '-device', 'virtserialport,chardev=out,name=out',
                '-virtfs', 'local,path=/,mount_tag=host,security_model=none,'
                           'readonly=on,multidevs=remap',
                '-virtfs', f'local,path={self.share},mount_tag=share,'
                           'security_model=none',
                *self.network()]

    def start(self):
        say(self.args.verbose, f'starting {self.role}')
        shell = self.args.shell
        try:
            self.process = subprocess.Popen(
                self.command(), preexec_fn=die_with_parent,
                stdin=None if shell else subprocess.DEVNULL,
                stdout=None if shell else subprocess.PIPE,
                stderr=None if shell else open(os.path.join(self.share, f'qemu.{self.role}'), 'wb'))
        except FileNotFoundError as error:
            raise VmError("no qemu-system-x86_64: install qemu-system-x86, "
                          "or run 'selftests/deps.sh'") from error
        if not shell:
            self.reader = threading.Thread(target=self.read, daemon=True)
            self.reader.start()

    def read(self):
        prefix = f'{self.role}: '.encode() if self.args.hosts == 2 else b''
        with open(self.output, 'wb') as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                if prefix and not line.endswith(b'\n'):
                    line += b'\n'
                with output_lock:
                    sys.stdout.buffer.write(prefix + line)
                    sys.stdout.buffer.flush()

    def status(self):
        """The command's exit status, None if the guest ended without one."""
        try:
            with open(os.path.join(self.share, f'status.{self.role}')) as file:
                return int(file.read())
        except (FileNotFoundError, ValueError):
            return None

    def died(self):
        return self.process.poll() is not None and self.status() is None and not self.cut

    def sysrq(self, keys):
        """Ask a guest that hangs for its blocked tasks and running CPUs."""
        try:
            with socket.socket(socket.AF_UNIX) as monitor:
                monitor.connect(self.monitor)
                for key in keys:
                    monitor.sendall(f'sendkey alt-sysrq-{key}\n'.encode())
                    time.sleep(1)
        except OSError as error:
            say(True, f'{self.role}: no answer from its monitor: {error}')

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def end(self):
        self.process.wait()
        if self.reader:
            self.reader.join(5)

    def print_logs(self):
        for name in (f'qemu.{self.role}', f'serial.{self.role}'):
            path = os.path.join(self.share, name)
            if os.path.exists(path) and os.path.getsize(path):
                print(f'vm: ---- {name}', file=sys.stderr)
                with open(path, errors='replace') as file:
                    sys.stderr.write(file.read())
                print(f'vm: ---- end of {name}', file=sys.stderr, flush=True)

    def check_cut(self):
        """A guest may ask for a power failure: its own or its peer's."""
        if not self.cut and os.path.exists(os.path.join(self.share, f'cut.{self.role}')):
            self.cut = True
            self.kill()


def give_up(guests, why):
    """Kill those that do not end, with a look into what they are at."""
    for guest in guests:
        if guest.process.poll() is None:
            # 9: all levels to the console.
            guest.sysrq('9wl')
            guest.kill()
            guest.end()
            print(f'vm: {guest.role}: {why}', file=sys.stderr)
            guest.print_logs()
    return 124


def say_died(guest):
    print(f'vm: {guest.role}: the guest died', file=sys.stderr)
    guest.print_logs()
    return 125


def verdict(guests):
    status = 0
    for guest in guests:
        mine = 0 if guest.cut else guest.status()
        if mine is None:
            return say_died(guest)
        if guest.args.verbose or mine == 125:
            guest.print_logs()
        status = status or mine
    return status


def watch(guests, timeout):
    """Wait for the guests' end; their exit status."""
    shell = guests[0].args.shell
    end = time.monotonic() + timeout
    alone = None
    try:
        while any(guest.process.poll() is None for guest in guests):
            for guest in guests:
                guest.check_cut()
            # A guest that died leaves its peer waiting for it in vain.
            dead = [guest for guest in guests if guest.died()]
            if dead and not alone:
                alone = time.monotonic() + ALONE
            if alone and time.monotonic() > alone:
                give_up(guests, f'its peer died {ALONE} s ago')
                return say_died(dead[0])
            if time.monotonic() > end and not shell:
                return give_up(guests, f'not done after {timeout:g} s')
            time.sleep(0.05)
        for guest in guests:
            guest.end()
        return 0 if shell else verdict(guests)
    finally:
        for guest in guests:
            if guest.process:
                guest.kill()
