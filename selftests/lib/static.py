# SPDX-License-Identifier: GPL-2.0
"""Static checks. Each is a function of the tree's top that returns its
findings as text, '' if there are none, or a Skip with the reason."""

import os
import re
import subprocess
import tempfile

# What checkpatch finds and why it stays.
CHECKPATCH_IGNORE = [
    'FILE_PATH_CHANGES',    # there is no MAINTAINERS here
    'CONST_STRUCT',         # it does not know net_device_ops' kin apart
    'BIT_MACRO',            # these headers are for user space, too
]
# The macros of trace events have a layout of their own.
CHECKPATCH_SKIP = ['kmod/trace.h']
BTF_WARNING = re.compile(r'^(Skipping BTF generation for .*|)$')


class Skip(str):
    """Why a check cannot be done."""


def run(top, *command, env=None):
    done = subprocess.run(command, cwd=top, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, errors='replace',
                          check=False, env=env)
    return done.stdout, done.returncode


def findings(top, *command):
    """Whatever a silent checker says."""
    output, status = run(top, *command)
    return output if output.strip() or status else ''


def files(top, *patterns):
    output, _ = run(top, 'git', 'ls-files', '--', *patterns)
    return output.split()


def module_build(tag):
    def check(top):
        if not os.path.exists(os.path.join(top, 'build', 'kernels', tag, 'build')):
            output, status = run(top, 'selftests/kernels.sh', tag)
            if status:
                return Skip(output.strip().splitlines()[-1] if output.strip() else 'no headers')
        # A copy, so that warnings of an earlier build do not hide in its objects.
        run(top, 'rm', '-rf', f'build/mod/{tag}-static')
        output, status = run(top, 'make', '-s', 'module', f'K={tag}', f'MOD={top}/build/mod/{tag}-static',
                             'KFLAGS=W=1 C=2 CF=-D__CHECK_ENDIAN__ -j2')
        lines = [line for line in output.splitlines() if not BTF_WARNING.match(line)]
        return '\n'.join(lines) or ('the build failed' if status else '')
    return check


def of_module_info(top, line):
    """7.x asserts that MODULE_*() has no NUL in it, by what sparse takes for no constant."""
    found = re.match(r'(kmod/\w+\.c):(\d+):1: error: bad constant expression$', line)
    if not found:
        return False
    with open(os.path.join(top, found[1])) as file:
        return file.read().splitlines()[int(found[2]) - 1].startswith('MODULE_')


def next_build(top):
    # Debian's sparse is older than __typeof_unqual__.
    output, status = run(top, 'selftests/next.sh', 'build/mod/7-static', 'W=1', 'C=2',
                         'CF=-D__CHECK_ENDIAN__ -D__typeof_unqual__=__typeof__')
    if status and 'next.sh: ' in output:
        return Skip(re.search(r'next.sh: (.*)', output)[1])
    lines = [line for line in output.splitlines()
             if not BTF_WARNING.match(line) and not of_module_info(top, line)]
    return '\n'.join(lines) or ('the build failed' if status else '')


def checkpatch(top):
    paths = [f for f in files(top, 'kmod/*.[ch]', 'uapi/*.h')
             if f not in CHECKPATCH_SKIP]
    # It leaves a cache file where it runs.
    output, _ = run(os.path.join(top, 'build'), 'linux/scripts/checkpatch.pl', '--strict',
                    '--terse', '--no-tree', '--no-summary', '--max-line-length=100', '--ignore',
                    ','.join(CHECKPATCH_IGNORE), '-f', *(f'../{path}' for path in paths))
    return output.strip()


def kernel_doc(top):
    return findings(top, 'build/linux/scripts/kernel-doc', '-none',
                    *files(top, 'kmod/*.h', 'uapi/*.h'))


def uapi_alone(top):
    """Each header compiles alone, as C and C++, with one layout at 32 and 64 bit."""
    problems, layouts = [], set()
    probe = '''
#include <linux/rdmach.h>
#include <linux/rdmach_netlink.h>
const unsigned long layout[] = { sizeof(struct rdmach_query), sizeof(struct rdmach_addr),
sizeof(struct rdmach_shutdown), __builtin_offsetof(struct rdmach_query, features),
__builtin_offsetof(struct rdmach_query, local), __builtin_offsetof(struct rdmach_query, cause),
RDMACH_IOC_QUERY, RDMACH_IOC_SHUTDOWN };
'''
    for header in files(top, 'uapi/linux/*.h'):
        for language, standard in (('c', 'c11'), ('c++', 'c++11')):
            output, status = run(top, 'gcc', '-x', language, f'-std={standard}', '-Wall', '-Wextra',
                                 '-pedantic', '-Werror', '-Iuapi', '-fsyntax-only',
                                 '-include', os.path.abspath(os.path.join(top, header)), '/dev/null')
            if status:
                problems.append(output)
    for bits in ('-m64', '-m32'):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'p.c'), 'w') as file:
                file.write(probe)
            output, status = run(top, 'gcc', bits, '-Iuapi', '-S', '-o', f'{folder}/p.s',
                                 f'{folder}/p.c')
            if status:
                problems.append(output)
                continue
            with open(f'{folder}/p.s') as file:
                layouts.add(tuple(re.findall(r'\.(?:quad|long)\s+(-?\d+)', file.read())))
    if len({tuple(str(int(n) & 0xffffffff) for n in layout) for layout in layouts}) > 1:
        problems.append(f'the layout differs between 32 and 64 bit: {layouts}')
    return '\n'.join(problems)


def shellcheck(top):
    scripts = [f for f in files(top, 'selftests', '.ci')
               if f.endswith('.sh') or is_shell(os.path.join(top, f))]
    return findings(top, 'shellcheck', '-x', '-e', 'SC1091,SC2015', *scripts)


def is_shell(path):
    with open(path, 'rb') as file:
        return re.match(rb'#!/bin/(ba)?sh', file.readline()) is not None


def manual(top):
    output, _ = run(top, 'mandoc', '-Tlint', '-W', 'warning', *files(top, 'tools/*.8'))
    return output


def cppcheck(top):
    return findings(top, 'cppcheck', '--quiet', '--std=c11', '--error-exitcode=1',
                    '--enable=warning,portability', '--inline-suppr', '-Iuapi',
                    '--suppress=missingIncludeSystem',
                    '-Djson_array_foreach(a,i,v)=for(i=0;i<1;i++)',
                    '-Djson_object_foreach(o,k,v)=for(k="",v=0;!v;)', *files(top, 'tools/*.c'))


def no_machine(top):
    """Nothing in the tree names the machine it was written on."""
    output, _ = run(top, 'git', 'grep', '-nE', r'(^|[^A-Za-z0-9_.$])/home/|/root/\.|/work/|https?://[^ ]*(debian\.org|mirror)',
                    '--', ':!LICENSE', ':!selftests/lib/static.py')
    return output


def size(top):
    """A file beyond 800 lines is more than one concept."""
    found = []
    for path in files(top, 'kmod', 'tools', 'uapi', 'selftests'):
        with open(os.path.join(top, path), errors='replace') as file:
            lines = sum(1 for _ in file)
        if lines > 800:
            found.append(f'{path}: {lines} lines')
    return '\n'.join(found)


CHECKS = [
    ('build-6.1', module_build('6.1')),
    ('build-6.12', module_build('6.12')),
    ('build-7', next_build),
    ('checkpatch', checkpatch),
    ('kernel-doc', kernel_doc),
    ('uapi-alone', uapi_alone),
    ('shellcheck', shellcheck),
    ('manual', manual),
    ('cppcheck', cppcheck),
    ('no-machine', no_machine),
    ('size', size),
]
