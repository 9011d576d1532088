# SPDX-License-Identifier: GPL-2.0
"""The runner's voice."""

import sys


class VmError(Exception):
    """No guest can be run, for the reason in the message."""


def say(really, text):
    if really:
        print(f'vm: {text}', file=sys.stderr, flush=True)
