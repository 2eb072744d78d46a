"""What some tests need of the machine that a bare container lacks."""

import os
from pathlib import Path

import pytest


def _has_pseudo_terminals() -> bool:
    try:
        ends = os.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


pseudo_terminals = pytest.mark.skipif(
    not _has_pseudo_terminals(), reason="this machine has no /dev/pts for serial lines"
)
block_devices = pytest.mark.skipif(
    not Path("/sys/dev/block").is_dir(), reason="this machine shows no disks in /sys"
)
