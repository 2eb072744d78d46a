"""What the tests of serial meters share: a hurried clock and a device that moves."""

import os
import select
import time
from pathlib import Path

from instruments.base import Source

HURRY = 4


def hurried_ns() -> int:
    """Monotonic time, four times as fast, so that a second takes a quarter."""
    return time.monotonic_ns() * HURRY


def no_sleep(_: float) -> None:
    """Pass without waiting."""


class Plug:
    """A device name that leads to one meter after another, as on a USB port."""

    def __init__(self, folder: Path) -> None:
        self.device = folder / "ttyUSB0"

    def plug_in(self, path: str) -> None:
        self.device.unlink(missing_ok=True)
        self.device.symlink_to(path)


def wait_for_bytes(device: str) -> None:
    """Wait until something can be read; nothing is."""
    port = os.open(device, os.O_RDONLY | os.O_NOCTTY)
    ready, _, _ = select.select([port], [], [], 5.0)
    os.close(port)
    assert ready


def read_until_lost(source: Source) -> None:
    """Read on; what was in the cable before the fault may still be a reading or two."""
    for _ in range(3):
        source.read()
