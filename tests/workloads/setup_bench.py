"""What the tests of set-up steps share: armed loop devices, and a run around a step."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from instruments.tools.hosts import LocalHost
from tests.workloads.engine_bench import STANDINS
from tests.workloads.guard.loops import loop
from workloads.base import LoadResult
from workloads.guard.budget import Budget
from workloads.guard.device import Device, open_device
from workloads.guard.nodes import find_disk
from workloads.setup.job import SetupJob
from workloads.setup.load import HelperMaker, LocalMaker, Setup
from workloads.setup.made import MadeThings

SIZE = 384 * 2**20
"""mkfs.xfs makes nothing below 300 MB."""

HELPER_PROGRAM = """
import os, sys
from pathlib import Path
from workloads.guard import root_only
from workloads.helper import program
root_only.PLACE = Path(sys.argv[1])
path = os.environ["PATH"]
kept = {key: text for key, text in os.environ.items() if key.startswith("STANDIN_")}
clear = os.environ.clear
def keep():
    clear()
    os.environ.update(kept)
os.environ.clear = keep
update = os.environ.update
os.environ.update = lambda old=(), **new: update({**dict(old), **new, "PATH": path})
sys.exit(program.main())
"""


def helper_with(place: Path) -> list[str]:
    """Get the command of a helper with a folder of its own; PATH is left to it."""
    return [sys.executable, "-c", HELPER_PROGRAM, str(place)]


@contextlib.contextmanager
def disks(folder: Path, number: int) -> Iterator[list[str]]:
    """Loop devices with sparse files behind them."""
    with contextlib.ExitStack() as stack:
        found = []
        for each in range(number):
            file = folder / f"disk{each}.img"
            file.touch()
            os.truncate(file, SIZE)
            found.append(stack.enter_context(loop(file)))
        yield found


def armed(path: str, *overrule: str) -> Device:
    """Arm a disk with the right word."""
    word = find_disk(LocalHost(), path).word
    return open_device(Path(path), 0, writes=True, words=[word], overrule=overrule)


class SetupBench:
    """A run around set-up steps: what was said, journalled and made."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.journal: list[tuple[str, Mapping[str, str]]] = []
        self.stop = threading.Event()
        self.budget = Budget()
        self.made = MadeThings(
            lambda action, facts: self.journal.append((action, facts)), self.say
        )

    def say(self, level: str, text: str) -> None:
        self.said.append((level, text))

    def run(
        self,
        job: SetupJob,
        devices: Sequence[Device],
        maker: LocalMaker | HelperMaker | None = None,
    ) -> LoadResult:
        """Run a step."""
        load = Setup(job, devices, self.made, self.budget, maker)
        return load.run(lambda _: None, self.say, self.stop)


def use_zpool(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """Put the stand-in of zpool on the PATH; return the file of its pools."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    program = bin_folder / "zpool"
    script = f'#!/bin/sh\nexec "{sys.executable}" "{STANDINS / "zpool.py"}" "$@"\n'
    program.write_text(script, "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STANDIN_ZPOOL", str(folder / "pools.json"))
    return folder / "pools.json"
