"""A session that a real run left when it was killed in its second row."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from app.record.store import Session
from tests.app.operations.benches import BENCH

ROOT = Path(__file__).parents[3]
PLAN = """
name = "Night"
[[step]]
label = "Idle"
engine = "idle"
runtime = "300ms"
[[step]]
label = "Rest"
engine = "idle"
runtime = "1500ms"
[[step]]
label = "End"
engine = "idle"
runtime = "300ms"
"""


def cut_off_session(folder: Path) -> Path:
    """Run the plan in a process of its own and kill that in its second row."""
    target = folder / "scratch.dat"
    bench = BENCH.format(target=target, meter="simulated")
    (folder / "bench.toml").write_text(bench)
    (folder / "plan.toml").write_text(PLAN)
    words = ["run", folder / "plan.toml", "--bench", folder / "bench.toml"]
    process = subprocess.Popen(
        [sys.executable, "-m", "app", *map(str, words), "--out", str(folder)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (found := list(folder.glob("*.bayscope"))) or not _is_resting(found[0]):
        assert time.monotonic() < deadline, "the second row did not begin"
        assert process.poll() is None, "the run ended by itself"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return found[0]


def _is_resting(path: Path) -> bool:
    with Session.open(path) as session:
        return any(
            row.label == "Rest" and row.outcome == "running" for row in session.steps()
        )
