"""A command in a process of its own, measured from within; or any work in another."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from tests.benchmarks.figure import Figure

_Given = ParamSpec("_Given")
_T = TypeVar("_T")

_RUN = """
import json, re, sys, time
from app.cli.main import run
begin = time.perf_counter()
code = run(sys.argv[1:])
wall = time.perf_counter() - begin
status = open("/proc/self/status").read()
most = int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1000
print(json.dumps([code, time.process_time(), wall, most]))
"""


class Spent(NamedTuple):
    """What a command took, its start and its imports with it."""

    busy_s: float  # of the processor
    wall_s: float
    most_mb: float  # of memory


def spent_on(
    words: Sequence[str], environment: Mapping[str, str] | None = None
) -> Spent:
    """Run a command to its end, which has to be a good one."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *words],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    code, *spent = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stdout
    return Spent(*spent)


def apart(do: Callable[_Given, _T], *args: _Given.args, **keys: _Given.kwargs) -> _T:
    """Do something in a fresh process, whose memory is not that of this one."""
    with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
        return elsewhere.submit(do, *args, **keys).result()


def measured(place: str, folder: Path) -> list[Figure]:
    """Make a measure in this process.

    Args:
        place: The module here and its function, as "writing.ingest".
        folder: Where files may be made.
    """
    module, _, function = place.rpartition(".")
    measure = getattr(import_module(f"tests.benchmarks.{module}"), function)
    found: list[Figure] = measure(folder)
    return found
