"""The window as a program of its own: it starts, and ends when it is told to."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.app.ui.sample import write_sample

START = """
import sys, time
from pathlib import Path
begin = time.monotonic()
from PySide6.QtCore import QTimer
from app.ui.application import make_application, run_window
app = make_application()
def say():
    shown = [type(one).__name__ for one in app.topLevelWidgets() if one.isVisible()]
    print("shown", *shown, "pyqtgraph" in sys.modules, flush=True)
QTimer.singleShot(100, say)
session = Path(sys.argv[2]) if len(sys.argv) > 2 else None
sys.exit(run_window(None, Path(sys.argv[1]), session))
"""


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START, *arguments],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_closes_the_window_cleanly(tmp_path: Path, number: int) -> None:
    with start(str(tmp_path)) as program:
        assert program.stdout is not None
        said = program.stdout.readline()
        time.sleep(1.0)
        program.send_signal(number)
        _, errors = program.communicate(timeout=20)
    assert said == "shown MainWindow False\n"
    assert program.returncode == 0
    assert "Traceback" not in errors
    assert "already deleted" not in errors


def test_a_session_is_opened_at_once(tmp_path: Path) -> None:
    session = write_sample(tmp_path / "one.bayscope", step_s=2)
    with start(str(tmp_path), str(session)) as program:
        assert program.stdout is not None
        said = program.stdout.readline()
        time.sleep(1.5)
        program.terminate()
        _, errors = program.communicate(timeout=20)
    assert said == "shown MainWindow True\n"
    assert program.returncode == 0
    assert "Traceback" not in errors
    assert "already deleted" not in errors


def test_the_end_comes_in_order_at_whatever_moment_it_is_asked_for() -> None:
    """While the window is made, while its charts are loaded, and afterwards."""
    programs = []
    for delay in (0.9, 1.3, 1.7, 2.2):
        program = subprocess.Popen([sys.executable, "-m", "app"])
        programs.append(program)
        threading.Timer(delay, program.terminate).start()
    for program in programs:
        # Killed before it took over the signal is the shell's own "terminated".
        assert program.wait(30) in (0, -signal.SIGTERM)
