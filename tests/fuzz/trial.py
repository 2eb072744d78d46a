"""Trying cases in a child process, so that hangs and bombs are finds as well."""

import faulthandler
import hashlib
import mmap
import multiprocessing
import os
import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from instruments.errors import BenchError

SLOW_S = 4.0
"""Processor time that one case may take, with that of the programs it ran."""

HANG_S = 60.0
"""Seconds at work on one case, or asleep in it, after which the child is ended."""

MEMORY = 1536 * 2**20
"""Bytes of memory that a case may take beside what the program has."""

_HANG = "hang"
_ROOT = Path(__file__).parents[2]
_SHOWN = 600
_LARGEST = 8 * 2**20
_HEAD = 16


class SlowError(Exception):
    """A case that took too long, although it ended."""


class _Shared:
    """What the child tells while it works: how many cases, and the present one."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _LARGEST + _HEAD)

    def put(self, count: int, case: bytes) -> None:
        kept = case[:_LARGEST]
        self._memory[:_HEAD] = count.to_bytes(8, "big") + len(kept).to_bytes(8, "big")
        self._memory[_HEAD : _HEAD + len(kept)] = kept

    @property
    def count(self) -> int:
        return int.from_bytes(self._memory[:8], "big")

    @property
    def case(self) -> bytes:
        size = int.from_bytes(self._memory[8:_HEAD], "big")
        return self._memory[_HEAD : _HEAD + size]


def hunt_each(
    readers: Mapping[str, tuple[Callable[[bytes], object], SearchStrategy[bytes]]],
    seconds: float,
    seed: int,
    **options: Any,
) -> tuple[int, list[str]]:
    """Hunt with several readers, each for its share of the time; see `hunt`."""
    tried, finds = 0, []
    for name, (read, cases) in readers.items():
        share = seconds / len(readers)
        count, found = hunt(read, cases, share, seed, **options)
        tried += count
        finds += [f"{name}: {one}" for one in found]
    return tried, finds


def hunt(
    read: Callable[[bytes], object],
    cases: SearchStrategy[bytes],
    seconds: float,
    seed: int,
    *,
    refusals: tuple[type[Exception], ...] = (BenchError,),
    hang_s: float = HANG_S,
    most_finds: int = 20,
) -> tuple[int, list[str]]:
    """Try cases for so long; see that each is read, or refused in a known way.

    Args:
        read: Reads a case.
        cases: Makes them.
        seconds: How long.
        seed: Of the cases.
        refusals: What it may raise.
        hang_s: Seconds that one case may take at most.
        most_finds: Finds after which is enough.

    Returns:
        Cases that were tried, and what was found, with what reproduces it.
    """
    until = time.monotonic() + seconds
    tried, finds, known = 0, list[str](), set[str]()
    context = multiprocessing.get_context("fork")
    while time.monotonic() < until and len(finds) < most_finds:
        shared = _Shared()
        ours, theirs = context.Pipe(duplex=False)
        work = _Work(read, cases, seed, refusals, frozenset(known))
        child = context.Process(target=_work, args=(work, shared, theirs), daemon=True)
        child.start()
        theirs.close()
        found = _follow(child, ours, shared, until, hang_s)
        if found is not None and found[0] == _HANG and child.pid:
            # It says on stderr where it is.
            os.kill(child.pid, signal.SIGUSR1)
            child.join(1.0)
        child.kill()
        child.join()
        tried += shared.count
        seed += 1
        if found is not None and found[0] not in known:
            known.add(found[0])
            finds.append(f"{found[1]}: {_shown(found[2])}")
    return tried, finds


def _follow(
    child: multiprocessing.process.BaseProcess,
    told: Connection,
    shared: _Shared,
    until: float,
    hang_s: float,
) -> tuple[str, str, bytes] | None:
    """Wait for the child's find; None where the time is over without one."""
    last, spent = -1, 0.0
    clocks = time.monotonic(), 0.0
    while True:
        if told.poll(0.2):
            try:
                place, what, case = told.recv()
            except EOFError:
                child.join()
                code = child.exitcode
                return f"code {code}", f"the child ended with {code}", shared.case
            return place, what, case
        before, clocks = clocks, (time.monotonic(), _cpu_s(child))
        if shared.count != last:
            last, spent = shared.count, 0.0
            if clocks[0] >= until:
                return None
            continue
        # A busy machine may give it no processor for a minute: that is not its time.
        asleep = _state(child) in "SDZ"
        spent += clocks[0] - before[0] if asleep else clocks[1] - before[1]
        if spent > (hang_s if shared.count else HANG_S):
            return _HANG, f"hangs for {hang_s:g} s", shared.case


def _state(child: multiprocessing.process.BaseProcess) -> str:
    """Get what its main thread does: "R" for running or wanting to, "S" for asleep."""
    return _stat(child)[0]


def _cpu_s(child: multiprocessing.process.BaseProcess) -> float:
    """Get the processor time of all of its threads."""
    ticks = sum(map(int, _stat(child)[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _stat(child: multiprocessing.process.BaseProcess) -> list[str]:
    """Read what the kernel tells of it, from the third field on; see proc(5)."""
    text = Path(f"/proc/{child.pid}/stat").read_text("ascii", "replace")
    return text.rpartition(")")[2].split()


@dataclass(frozen=True)
class _Work:
    read: Callable[[bytes], object]
    cases: SearchStrategy[bytes]
    seed: int
    refusals: tuple[type[Exception], ...]
    known: frozenset[str]


def _work(work: _Work, shared: _Shared, told: Connection) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error")
    faulthandler.register(signal.SIGUSR1)
    count = 0
    failed: tuple[str, str, bytes] | None = None

    def attempt(case: bytes) -> None:
        nonlocal count, failed
        count += 1
        shared.put(count, case)
        began = _worked_s()
        try:
            with suppress(*work.refusals):
                work.read(case)
            if (took := _worked_s() - began) > SLOW_S:
                raise SlowError(f"took {took:.1f} s")
        except HypothesisException:
            raise
        except Exception as error:
            place = _place(error)
            if place in work.known:
                return
            failed = (
                place,
                f"{type(error).__name__}: {str(error)[:200]} in {place}",
                case,
            )
            raise

    batch = 0
    while failed is None:
        batch += 1
        tried = given(work.cases)(attempt)
        tried = settings(
            max_examples=200,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )(tried)
        try:
            seeded(1000 * work.seed + batch)(tried)()
        except BaseException:  # noqa: BLE001  (it is told)
            if failed is None:
                told.send(("harness", traceback.format_exc(limit=-4), b""))
                return
    told.send(failed)


def _worked_s() -> float:
    """Get the processor time of this process and of its children that ended."""
    own, children = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = [resource.getrusage(who) for who in (own, children)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _place(error: BaseException) -> str:
    """Name where something was raised: the innermost place that is ours."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(_ROOT)]
    own = [one for one in own if ".venv" not in one.filename] or list(frames)
    deep = next((one for one in reversed(own) if "fuzz" not in one.filename), own[-1])
    name = Path(deep.filename).relative_to(_ROOT)
    return f"{name}:{deep.lineno} ({type(error).__name__})"


def _shown(case: bytes) -> str:
    """Show a case so that it can be pasted; a long one is kept in a file."""
    if len(case) <= _SHOWN:
        return repr(case)
    name = f"bayscope-fuzz-{hashlib.sha256(case).hexdigest()[:12]}"
    path = Path(tempfile.gettempdir(), name)
    path.write_bytes(case)
    return f"{case[:_SHOWN]!r} ... ({len(case)} bytes, in {path})"


def fixtures(*patterns: str) -> Sequence[bytes]:
    """Get real files of the tests' fixtures, at most 64 KiB of each."""
    folder = _ROOT / "tests" / "fixtures"
    found = sorted(path for each in patterns for path in folder.glob(each))
    return [path.read_bytes()[: 2**16] for path in found if path.is_file()]
