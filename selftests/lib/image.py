# SPDX-License-Identifier: GPL-2.0
"""What a guest boots from: a kernel, its modules, an initramfs."""

import fcntl
import lzma
import os
import shutil
import stat
import subprocess
import tempfile

from vmerror import VmError, say

# What the initramfs loads to reach the host's files; the rest comes from them.
BOOT_MODULES = ('virtio_pci', '9pnet_virtio', '9p', 'overlay', 'virtio_console')


class Cpio:
    """A "newc" archive, as the kernel unpacks it."""

    def __init__(self):
        self.data = bytearray()
        self.inode = 0

    def add(self, name, mode, content=b''):
        self.inode += 1
        raw = name.encode() + b'\0'
        fields = (self.inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(raw), 0)
        self.data += b'070701' + b''.join(b'%08X' % field for field in fields) + raw
        self.data += bytes(-len(self.data) % 4) + content
        self.data += bytes(-len(self.data) % 4)

    def folder(self, name):
        self.add(name, stat.S_IFDIR | 0o755)

    def file(self, name, content):
        self.add(name, stat.S_IFREG | 0o755, content)

    def finish(self):
        self.add('TRAILER!!!', 0)
        return bytes(self.data)


def read(path):
    with open(path, 'rb') as file:
        return file.read()


class Image:
    """A kernel of build/kernels, made ready to boot."""

    def __init__(self, top, tag, module=None):
        self.top, self.tag = top, tag
        link = os.path.join(top, 'build', 'kernels', tag)
        if not os.path.exists(os.path.join(link, 'vmlinuz')):
            raise VmError(f"no kernel '{tag}' to boot in build/kernels: "
                          f"run 'selftests/kernels.sh {tag}'")
        self.dir = os.path.realpath(link)
        self.release = read(os.path.join(self.dir, 'release')).decode().strip()
        self.kernel = os.path.join(self.dir, 'vmlinuz')
        self.module = self.find_module(module)
        self.work = os.path.join(top, 'build', 'vm')
        # Runs for one kernel may start at once.
        with open(os.path.join(self.work, f'lock-{tag}'), 'w') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.initramfs = self.make_initramfs()
            self.modules = self.make_modules()

    def find_module(self, module):
        if module is None:
            module = os.path.join(self.top, 'build', 'mod', self.tag, 'rdmach.ko')
            return module if os.path.exists(module) else None
        if not os.path.exists(module):
            raise VmError(f"no module {module}: build it by 'make module K={self.tag}'")
        return os.path.abspath(module)

    def boot_modules(self):
        """The boot modules' files after those they depend on."""
        paths = []
        for name in BOOT_MODULES:
            try:
                out = subprocess.run(
                    ['/sbin/modprobe', '-d', self.dir, '-S', self.release,
                     '--show-depends', name],
                    check=True, capture_output=True, text=True).stdout
            except subprocess.CalledProcessError as error:
                raise VmError(f'kernel {self.release} has no module {name}: '
                              f'{error.stderr.strip()}') from error
            for line in out.splitlines():
                word, _, path = line.strip().partition(' ')
                if word == 'insmod' and path not in paths:
                    paths.append(path)
        return paths

    def make_initramfs(self):
        script = os.path.join(self.top, 'selftests', 'guest', 'initramfs')
        path = os.path.join(self.work, f'initramfs-{self.release}')
        sources = (script, __file__, self.kernel)
        if os.path.exists(path) and all(
                os.path.getmtime(path) > os.path.getmtime(src) for src in sources):
            return path
        busybox = '/bin/busybox'
        if not os.path.exists(busybox):
            raise VmError("no /bin/busybox: install busybox-static, or run 'selftests/deps.sh'")
        cpio = Cpio()
        for folder in ('bin', 'dev', 'modules'):
            cpio.folder(folder)
        # Before devtmpfs is there, this is where messages go.
        cpio.add('dev/console', stat.S_IFCHR | 0o600)
        cpio.file('init', read(script))
        cpio.file('bin/busybox', read(busybox))
        order = []
        for file in self.boot_modules():
            content = read(file)
            if file.endswith('.xz'):
                content = lzma.decompress(content)
            name = os.path.basename(file).split('.ko')[0] + '.ko'
            order.append(name)
            cpio.file(f'modules/{name}', content)
        cpio.file('modules/order', '\n'.join(order + ['']).encode())
        with open(path + '.new', 'wb') as file:
            file.write(cpio.finish())
        os.rename(path + '.new', path)
        return path

    def make_modules(self):
        """A /lib/modules/RELEASE with rdmach.ko in it: depmod is slow in a guest."""
        theirs = os.path.join(self.dir, 'lib', 'modules', self.release)
        if self.module is None:
            return theirs
        root = os.path.join(self.work, f'modules-{self.tag}')
        ours = os.path.join(root, 'lib', 'modules', self.release)
        copy = os.path.join(ours, 'updates', 'rdmach.ko')
        if os.path.exists(os.path.join(ours, 'modules.dep.bin')) and \
                os.path.exists(copy) and read(copy) == read(self.module):
            return ours
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(os.path.dirname(copy))
        for name in os.listdir(theirs):
            path = os.path.join(theirs, name)
            if os.path.islink(path):
                os.symlink(os.readlink(path), os.path.join(ours, name))
            elif os.path.isdir(path) or name in ('modules.order', 'modules.builtin',
                                                 'modules.builtin.modinfo'):
                os.symlink(path, os.path.join(ours, name))
        shutil.copyfile(self.module, copy)
        subprocess.run(['/sbin/depmod', '-b', root, self.release], check=True)
        return ours

    def accel(self, verbose):
        """kvm if this kernel boots with it here, else tcg; found out once."""
        memo = os.path.join(self.work, f'accel-{self.tag}')
        if os.path.exists(memo):
            return read(memo).decode().split()[0]
        answer, reason = self.probe()
        with open(memo, 'w') as file:
            file.write(f'{answer} {reason}\n')
        say(True, f'{answer}: {reason}')
        return answer

    def probe(self):
        if not os.access('/dev/kvm', os.R_OK | os.W_OK):
            return 'tcg', '/dev/kvm cannot be opened'
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                ['qemu-system-x86_64', '-accel', 'kvm', '-cpu', 'host', '-m', '512',
                 '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot',
                 '-serial', 'stdio', '-kernel', self.kernel, '-initrd', self.initramfs,
                 '-append', 'console=ttyS0 quiet panic=-1 vm.probe'],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            try:
                process.wait(8)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return 'tcg', 'a guest did not boot with KVM within 8 s'
            log.seek(0)
            if b'vm-probe-ok' in log.read():
                return 'kvm', 'a guest booted with it'
            return 'tcg', 'a guest died with KVM'
