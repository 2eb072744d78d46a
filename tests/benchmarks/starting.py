"""How long commands take that only read, and how long until the window is seen."""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from tests.app.ui.sample import write_sample
from tests.benchmarks.figure import Figure

ROUNDS = 7
_WINDOW = """
import os, sys, time
from app.__main__ import main
from app.ui.window.main_window import MainWindow

def tell(*_, **__):
    print(time.time_ns(), flush=True)
    os._exit(0)

MainWindow.sweep_up = tell  # what follows the first frame
sys.exit(main(sys.argv[1:]))
"""


def starting(folder: Path) -> list[Figure]:
    """Start each command some times, in a process of its own."""
    path = folder / "session.bayscope"
    write_sample(path)
    # As installed: with compiled code, also where the environment keeps none.
    own = os.environ | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    own.pop("PYTHONDONTWRITEBYTECODE", None)
    commands = {
        "--version": ["--version"],
        "sessions": ["sessions", str(folder)],
        "show": ["show", str(path)],
    }
    figures = []
    for name, words in commands.items():
        argv = [sys.executable, "-m", "app", *words]
        _processor_s(argv, own)  # The first one compiles what it imports.
        took = [_processor_s(argv, own) for _ in range(ROUNDS)]
        how = f"processor time, warm, median of {ROUNDS}"
        value = f"{median(took) * 1e3:.0f}"
        figures.append(Figure(f"bayscope {name}", value, "ms", "<= 300", how))
    _first_frame_ms(folder, own)
    took = [_first_frame_ms(folder, own) for _ in range(ROUNDS)]
    place = "on the display" if os.environ.get("DISPLAY") else "offscreen"
    how = f"from the command, warm, {place}, median of {ROUNDS}"
    value = f"{median(took):.0f}"
    figures.append(Figure("first frame of the window", value, "ms", "<= 600", how))
    return figures


def _first_frame_ms(folder: Path, environment: dict[str, str]) -> float:
    """Open the window as a new user does, until it is painted."""
    own = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
    if not os.environ.get("DISPLAY"):
        own["QT_QPA_PLATFORM"] = "offscreen"
    begin = time.time_ns()
    printed = subprocess.check_output(
        [sys.executable, "-c", _WINDOW, "--dir", str(folder)], env=environment | own
    )
    return (int(printed) - begin) / 1e6


def _processor_s(argv: list[str], environment: dict[str, str]) -> float:
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{argv} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime
