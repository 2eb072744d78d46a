"""The real program, killed where a test wants it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from app.record.store import Session

ROOT = Path(__file__).parents[3]


def program(*words: str | Path) -> list[str]:
    """Get the command line of the program with these words."""
    return [sys.executable, "-m", "app", *map(str, words)]


def killed_when(
    argv: Sequence[str], folder: Path, ready: Callable[[Session], bool]
) -> Path:
    """Start a run and kill it, and what it started, once its session is so far.

    Args:
        argv: The command line.
        folder: Where its session is, or will be, the only one.
        ready: Looks at the session.
    """
    process = subprocess.Popen(
        argv, cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 120
        while True:
            assert time.monotonic() < deadline, "it did not come so far"
            if process.poll() is not None:
                assert process.stderr is not None
                told = process.stderr.read().decode()
                raise AssertionError(f"the run ended by itself: {told}")
            found = list(folder.glob("*.bayscope"))
            if found and _is_ready(found[0], ready):
                return found[0]
            time.sleep(0.05)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _is_ready(path: Path, ready: Callable[[Session], bool]) -> bool:
    with Session.open(path) as session:
        return session.state == "recording" and ready(session)


def running(label: str) -> Callable[[Session], bool]:
    """Look whether a row is being run."""
    return lambda session: any(
        row.label == label and row.outcome == "running" for row in session.steps()
    )


def told(action: str, text: str = "") -> Callable[[Session], bool]:
    """Look whether the journal has such a line."""
    return lambda session: any(
        row.action == action and text in row.detail for row in session.journal()
    )
