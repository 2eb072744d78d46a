"""Every combination of what two paths tell, against what is on them and uses them.

Each is made of loop devices: two on one file are one disk. What they tell is laid over
them (`told`), all else is real.
"""

import contextlib
import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from instruments.tools.command import Completed
from tests.workloads.guard import traces
from tests.workloads.guard.engine_rows import standin
from tests.workloads.guard.loops import loop, mounted, tool
from tests.workloads.guard.told import Facts, TellingHost
from workloads.guard.nodes import find_disk
from workloads.guard.survey import survey
from workloads.guard.twins import find_twins

SERIALS = {"equal": "ZL2A1B2C", "other": "ZL9Y8X7W", "none": "0123456789ABCDEF"}
"""Serial numbers of the other path; the last is one that tells nothing, on both."""

WWNS = {"equal": "0x5000c500a1b2c3d4", "other": "0x5000c500a1b2c3d7", "none": ""}
REST = tuple(itertools.product((0, 2**20), ("ST4000NM0033", "Virtual disk")))
"""Sizes beyond the real one and models of the other path."""

Pair = Callable[[Path], AbstractContextManager[tuple[str, str]]]


@contextlib.contextmanager
def _paths(folder: Path) -> Iterator[tuple[str, str]]:
    with loop(folder / "disk.img") as one, loop(folder / "disk.img") as other:
        yield one, other


@contextlib.contextmanager
def mounted_pair(folder: Path) -> Iterator[tuple[str, str]]:
    with _paths(folder) as (one, other):
        tool("mkfs.ext4", "-q", other)
        with mounted(other, folder / "place"):
            yield one, other


@contextlib.contextmanager
def swap_pair(folder: Path) -> Iterator[tuple[str, str]]:
    with _paths(folder) as (one, other):
        tool("mkswap", other)
        tool("swapon", other)
        try:
            yield one, other
        finally:
            tool("swapoff", other)


@contextlib.contextmanager
def zfs_pair(folder: Path) -> Iterator[tuple[str, str]]:
    with _paths(folder) as (one, other), standin(folder, "zpool"):
        tool("zpool", "create", "-m", "none", "tank", other)
        traces.zfs_member(other)
        yield one, other


@contextlib.contextmanager
def data_pair(folder: Path) -> Iterator[tuple[str, str]]:
    with _paths(folder) as (one, other):
        tool("mkfs.ext4", "-q", other)
        yield one, other


@contextlib.contextmanager
def claimed_pair(folder: Path) -> Iterator[tuple[str, str]]:
    with _paths(folder) as (one, other):
        script = f"import os,sys; os.open({other!r}, os.O_EXCL); print(1, flush=True)"
        with claimed(script):
            yield one, other


@contextlib.contextmanager
def claimed(script: str) -> Iterator[None]:
    """Run a program until it is no longer needed; it prints a line when it is there."""
    with subprocess.Popen(
        [sys.executable, "-c", f"{script}; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield
        process.communicate(timeout=60)


@contextlib.contextmanager
def strange_pair(folder: Path) -> Iterator[tuple[str, str]]:
    with loop(folder / "a.img") as one, loop(folder / "b.img") as other:
        tool("mkfs.ext4", "-q", one)
        tool("mkfs.ext4", "-q", other)
        with mounted(other, folder / "place"):
            yield one, other


STATES: dict[str, Pair] = {
    "its other path is mounted": mounted_pair,
    "data on it, not in use": data_pair,
    "blank, the other claimed": claimed_pair,
    "blank, not in use": _paths,
    "another disk, mounted": strange_pair,
}
"""States of a pair of paths, the second of which is the one in use."""

TWIN, ALIKE, ARMED = "twin", "alike", "armed"
"""Refused by one rule or the other, or not."""


def outcomes(pair: tuple[str, str]) -> dict[tuple[str, str], list[str]]:
    """Judge the first path by what the two tell; by serial and WWN of the second."""
    asked: dict[tuple[str, ...], Completed] = {}
    found: dict[tuple[str, str], list[str]] = {}
    for serial, wwn, (more, model) in itertools.product(SERIALS, WWNS, REST):
        mine = Facts(serial=SERIALS["none"]) if serial == "none" else Facts()
        if wwn == "none":
            mine = replace(mine, wwn="")
        other = Facts(SERIALS[serial], WWNS[wwn], model, more)
        host = TellingHost({pair[0]: mine, pair[1]: other}, asked)
        disk = find_disk(host, pair[0])
        twins = find_twins(host, [disk], survey(host))[disk.name]
        name = Path(pair[1]).name
        outcome = TWIN if name in twins.same else ARMED
        if name in twins.alike:
            outcome = ALIKE
        found.setdefault((serial, wwn), []).append(outcome)
    return found


def matrix_text(folder: Path) -> str:
    """Make every state and judge it; write all as a Markdown table."""
    columns = []
    for number, make in enumerate(STATES.values()):
        place = folder / str(number)
        place.mkdir()
        with make(place) as pair:
            columns.append(outcomes(pair))
    lines = [
        f"| serial number | WWN | {' | '.join(STATES)} |",
        "| --- " * (2 + len(STATES)) + "|",
    ]
    for serial, wwn in itertools.product(SERIALS, WWNS):
        cells = [_cell(column[serial, wwn]) for column in columns]
        lines.append(f"| {serial} | {wwn} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(all_of_it: list[str]) -> str:
    """Write what came out; the first is with size and model equal."""
    same, *rest = all_of_it
    return same if set(rest) == {same} else f"{same}; {', '.join(sorted(set(rest)))}"
