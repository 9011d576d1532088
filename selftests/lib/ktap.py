# SPDX-License-Identifier: GPL-2.0
"""What test programs say: KTAP, one test point a line."""

import re

POINT = re.compile(r'^(ok|not ok) (\d+)(?: -)?\s*(.*)$')
PLAN = re.compile(r'^1\.\.(\d+)(?:\s*#\s*SKIP\s*(.*))?$', re.I)
SKIP = re.compile(r'(.*?)#\s*SKIP\b\s*(.*)$', re.I)
SKIPPED = 4  # kselftest's exit status for it


class Tally:
    """The points of all tests: counts, and what is to be told at the end."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def ok(self):
        self.passed += 1

    def fail(self, name, why=''):
        self.failed.append(f'{name}: {why}' if why else name)

    def skip(self, name, why):
        self.skipped.append(f'{name}: {why}' if why else name)

    def add(self, name, output, status):
        """Count one test program. It has failed, too, if it lost points, or
        ended otherwise than it said."""
        planned, seen, failed, skipped = None, 0, 0, 0
        for line in output.splitlines():
            plan, point = PLAN.match(line), POINT.match(line)
            if plan:
                planned = int(plan[1])
            if not point:
                continue
            seen += 1
            skip = SKIP.match(point[3])
            if skip:
                skipped += 1
                self.skip(f'{name} {skip[1].strip()}'.strip(), skip[2])
            elif point[1] == 'ok':
                self.ok()
            else:
                failed += 1
                self.fail(f'{name} {point[3]}'.strip())
        if status == SKIPPED and not failed:
            if not skipped:
                self.skip(name, output.strip().splitlines()[-1] if output.strip() else '')
            return
        if planned is None:
            self.fail(name, 'printed no KTAP plan')
        elif seen != planned:
            self.fail(name, f'{planned} points planned, {seen} seen')
        if status and not failed:
            self.fail(name, 'timed out' if status in (124, 137) else f'exit status {status}')

    def report(self):
        for line in self.skipped:
            print(f'skipped: {line}')
        for line in self.failed:
            print(f'FAILED: {line}')
        print(f'{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped')
        return 1 if self.failed or not self.passed else 0
