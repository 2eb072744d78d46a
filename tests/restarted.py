"""A computer that was restarted, as a process sees it: Linux namespaces of its own.

In a time namespace CLOCK_MONOTONIC is what it is told to be, for all programs in it; in
a mount namespace the kernel's boot id is another file.
"""

import math
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

BOOT_ID = "/proc/sys/kernel/random/boot_id"


@cache
def can_restart() -> bool:
    """Tell whether this kernel and user can make such namespaces."""
    try:
        done = subprocess.run(
            [*_namespaces(0), "sh", "-c", f"mount --bind /dev/null {BOOT_ID}"],
            capture_output=True,
            timeout=30,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0


def after_restart(argv: Sequence[str], boot_id: Path, uptime_s: float) -> list[str]:
    """Get what runs a program of ours as if the computer had been started anew.

    Args:
        argv: Arguments of `python`.
        boot_id: A file with the boot id that it sees.
        uptime_s: How long the kernel's monotonic clock has run when it starts.
    """
    offset = math.ceil(uptime_s - time.monotonic())
    script = f'mount --bind "$1" {BOOT_ID} && shift && exec "$@"'
    outer = [*_namespaces(offset), "sh", "-c", script, "sh", str(boot_id)]
    return [*outer, sys.executable, *argv]


def _namespaces(offset_s: int) -> list[str]:
    return ["unshare", "--mount", "--time", "--monotonic", str(offset_s)]
