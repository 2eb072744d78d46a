"""A real run killed with SIGKILL in the middle of a step, and gone on with."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.cli.main import run
from app.operations.resume import unfinished
from app.record.store import Session
from instruments.errors import BadInput, BenchError
from tests.app.operations.benches import BENCH

ROOT = Path(__file__).parents[3]
PLAN = """
name = "Night"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"
[[step]]
label = "Read"
engine = "fio"
runtime = "{runtime}"
[step.fio]
rw = "randread"
rate_iops = 300
[[step]]
label = "Cool-down"
engine = "cooldown"
runtime = "500ms"
"""


def outcomes(path: Path) -> list[tuple[str, str, str | None]]:
    with Session.open(path) as session:
        return [(row.label, row.outcome, row.verdict) for row in session.steps()]


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the plan in a process of its own, killed with its fio in the load."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "bench.toml").write_text(
        BENCH.format(target=folder / "scratch.dat", meter="simulated")
    )
    (folder / "plan.toml").write_text(PLAN.format(runtime="6s"))
    words = ["run", folder / "plan.toml", "--bench", folder / "bench.toml"]
    process = subprocess.Popen(
        [sys.executable, "-m", "app", *map(str, words), "--out", str(folder)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while True:
        assert time.monotonic() < deadline, "the load did not begin"
        assert process.poll() is None, "the run ended by itself"
        found = list(folder.glob("*.bayscope"))
        if found and measured(found[0]):
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return found[0]


@pytest.fixture
def killed(dead: Path, tmp_path: Path) -> Path:
    """The session of that run, as the kill left it."""
    return Path(shutil.copytree(dead.parent, tmp_path / "killed")) / dead.name


def measured(path: Path) -> bool:
    """Tell whether the load of the step has been measured for a second."""
    with Session.open(path) as session:
        running = [row for row in session.steps() if row.outcome == "running"]
        names = [channel.name for channel in session.channels()]
        if not running or running[0].label != "Read" or "fio.read_iops" not in names:
            return False
        return len(session.trace("fio.read_iops")) > 2


def refuse(*_: object) -> list[str]:
    raise BenchError("mains took one connection and no second")


def test_a_killed_run_goes_on_after_its_last_complete_row(
    killed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = killed
    left = unfinished(path)
    assert (left.left, left.done) == (("Read", "Cool-down"), 1)
    before = outcomes(path)
    assert [row[1] for row in before] == ["DONE", "ERROR", "SKIPPED"]
    with monkeypatch.context() as broken:
        broken.setattr("app.operations.run_recording.watch", refuse)
        assert run(["resume", str(path), "--json"]) == 3
    assert unfinished(path).left == left.left
    capsys.readouterr()
    assert run(["resume", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "PASS"
    assert outcomes(path) == [
        ("Idle", "DONE", "PASS"),
        ("Read (void 1)", "VOID", None),
        ("Read", "DONE", "PASS"),
        ("Cool-down", "DONE", "PASS"),
    ]
    with Session.open(path) as session:
        assert session.state == "complete"
        gaps = session.gaps("mains.P")
        assert any(gap.detail == "Bayscope was not running" for gap in gaps)
    with pytest.raises(BadInput, match="nothing left of it"):
        unfinished(path)


def test_times_of_another_boot_cannot_go_on(killed: Path) -> None:
    class Restarted:
        """The clock after a restart of the computer."""

        def monotonic_ns(self) -> int:
            return 0

        def realtime_ns(self) -> int:
            return time.time_ns()

        def boot_id(self) -> str:
            return "another"

        def wait(self, event: object, seconds: float) -> bool:
            raise AssertionError((event, seconds))

    with pytest.raises(BadInput, match="was restarted since") as raised:
        unfinished(killed, Restarted())
    assert "Read, Cool-down" in str(raised.value)
