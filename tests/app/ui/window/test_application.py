"""The window as a program of its own: it starts, and ends when it is told to."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.app.ui.sample import write_sample

START = """
import gc, sys, time
from pathlib import Path
begin = time.monotonic()
from PySide6.QtCore import QTimer
from app.ui.window.application import make_application, run_window
app = make_application()
session = Path(sys.argv[2]) if len(sys.argv) > 2 else None
def shown():
    return [one for one in app.topLevelWidgets() if one.isVisible()]
def state():
    names = [type(one).__name__ for one in shown()]
    if names != ["MainWindow"]:
        return ""
    [window] = shown()
    if session is None:
        return "ready" if "Live" in window.pages.made else ""
    if "Sessions" not in window.pages.made or window.pages.sessions.record is None:
        return ""
    rows = window.pages.sessions.page.pane.chart.rows
    drawn = all(line is not None for row in rows for _, line in row.curves)
    return f"drawn {window.pages.sessions.record.path.name}" if rows and drawn else ""
def look():
    said = state()
    if said or time.monotonic() - begin > 120:
        timer.stop()
        # Garbage is collected where Qt can bear it, and nowhere else.
        said = said if not gc.isenabled() else "collecting anywhere"
        print(said or "nothing", *[type(one).__name__ for one in shown()], flush=True)
timer = QTimer()
timer.timeout.connect(look)
timer.start(20)
print("pyqtgraph" in sys.modules, flush=True)
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
        early, ready = program.stdout.readline(), program.stdout.readline()
        program.send_signal(number)
        _, errors = program.communicate(timeout=120)
    assert early == "False\n"
    assert ready == "ready MainWindow\n"
    assert program.returncode == 0
    assert "Traceback" not in errors
    assert "already deleted" not in errors


def test_a_session_is_opened_at_once(tmp_path: Path) -> None:
    session = write_sample(tmp_path / "one.bayscope", step_s=2)
    with start(str(tmp_path), str(session)) as program:
        assert program.stdout is not None
        program.stdout.readline()
        drawn = program.stdout.readline()
        program.terminate()
        _, errors = program.communicate(timeout=120)
    assert drawn == "drawn one.bayscope MainWindow\n"
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
        assert program.wait(120) in (0, -signal.SIGTERM)


def test_the_program_ends_although_something_hangs() -> None:
    text = (
        "import threading, time\n"
        "from app.ui.window.application import _leave\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "threading.Thread(target=lambda: print('written')).start()\n"
        "_leave(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "written\n"), done.stderr
