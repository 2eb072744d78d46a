"""How long commands take that only read: processor time from the command to its end."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from tests.app.ui.sample import write_sample
from tests.benchmarks.figure import Figure

ROUNDS = 7


def starting(folder: Path) -> list[Figure]:
    """Start each command some times, in a process of its own."""
    path = folder / "session.bayscope"
    write_sample(path)
    commands = {
        "--version": ["--version"],
        "sessions": ["sessions", str(folder)],
        "show": ["show", str(path)],
    }
    figures = []
    for name, words in commands.items():
        argv = [sys.executable, "-m", "app", *words]
        _processor_s(argv)  # The first one compiles what it imports.
        took = [_processor_s(argv) for _ in range(ROUNDS)]
        how = f"processor time, warm, median of {ROUNDS}"
        value = f"{median(took) * 1e3:.0f}"
        figures.append(Figure(f"bayscope {name}", value, "ms", "<= 300", how))
    return figures


def _processor_s(argv: list[str]) -> float:
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{argv} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime
