"""A run that is killed leaves nothing behind the next start, which says so."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.operations.bench import lock as bench_lock
from app.operations.sweeping import sweep_up
from app.record.store import Session
from instruments.files.notes import notes
from tests.app.operations.benches import BENCH, CAMPAIGN
from tests.app.operations.killing import ROOT, killed_when, program, running

UNBORN = """
import os, signal, sys
from pathlib import Path
from app.record.store import Writer, database
from instruments.files.notes import SESSION, Note, new_token
from tests.session_info import session_info
path = Path(sys.argv[1])
note = Note(SESSION, path, new_token())
Path.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Writer.create(path, session_info())
"""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of temporary files of its own, for the programs of this test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    (tmp_path / "plan.toml").write_text(CAMPAIGN)
    bench = BENCH.format(target=tmp_path / "scratch.dat", meter="simulated")
    (tmp_path / "bench.toml").write_text(bench)
    return folder


def started(session: Session) -> bool:
    """Look whether the run has its session."""
    return bool(session.steps())


def in_load(session: Session) -> bool:
    """Look whether fio runs."""
    return running("Random read 4k")(session) and any(
        channel.name == "fio.read_iops" for channel in session.channels()
    )


def run_of(folder: Path) -> list[str]:
    plan, bench, out = (folder / name for name in ("plan.toml", "bench.toml", "out"))
    return program("run", plan, "--bench", bench, "--out", out)


def start(*words: str | Path) -> str:
    """Start the program once more; return what it says beside its answer."""
    done = subprocess.run(
        program(*words), cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stderr


@pytest.mark.parametrize(
    ("ready", "folders"),
    [
        pytest.param(started, 1, marks=pytest.mark.slow),
        (running("Idle"), 1),
        pytest.param(in_load, 2, marks=pytest.mark.slow),
    ],
)
def test_a_killed_run_is_swept_at_the_next_start(
    places: Path, tmp_path: Path, ready: Callable[[Session], bool], folders: int
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    killed_when(run_of(tmp_path), out, ready)
    own = re.sub("[^A-Za-z0-9]+", "-", str(tmp_path))
    left = [path for path in bench_lock.lock_folder().iterdir() if own in path.name]
    assert len(left) == 1
    assert len(list(places.iterdir())) == folders
    told = start("sessions", out, "--json")
    assert list(places.iterdir()) == []
    assert not left[0].exists()
    assert f"{folders} temporary folder" in told
    assert f"bayscope resume {out}" in told.splitlines()[-1]
    # Opening it has put the session right: one file, without its lock.
    assert [path.suffix for path in out.iterdir()] == [".bayscope"]
    assert "temporary folder" not in start("drivers", "ses")


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "it has its bench": lambda folder: bool(locks_of(folder)),
    "it has a folder": lambda folder: any((folder / "tmp").glob("bayscope-*")),
    "it fills its target": lambda folder: (folder / "scratch.dat").exists(),
    "it makes its session": lambda folder: any((folder / "out").iterdir()),
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_stays_of_a_run_that_was_killed_at(
    moment: str, places: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    process = subprocess.Popen(
        run_of(tmp_path), cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 60
        while not MOMENTS[moment](tmp_path):
            assert time.monotonic() < deadline
            assert process.poll() is None
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    start("drivers", "ses")
    assert list(places.iterdir()) == []
    assert locks_of(tmp_path) == []
    assert all(path.suffix == ".bayscope" for path in out.iterdir())
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()
    assert list(notes().glob("*")) == []
    assert "temporary folder" not in start("drivers", "ses")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_told_to_end_leaves_nothing_to_sweep(
    number: signal.Signals, places: Path, tmp_path: Path
) -> None:
    """As by `timeout`, or by closing the terminal: that is no kill."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        bench = tmp_path / "mute.toml"
        meter = f"TCPIP::127.0.0.1::{port}::SOCKET"
        bench.write_text(BENCH.format(target=tmp_path / "scratch.dat", meter=meter))
        process = subprocess.Popen(
            program("check", bench), cwd=ROOT, stderr=subprocess.DEVNULL
        )
        try:
            mute.settimeout(60)
            with mute.accept()[0]:  # By now it has its locks.
                assert (held := locks_of(tmp_path))
                process.send_signal(number)
                assert process.wait(timeout=120) == 4
        finally:
            process.kill()
    assert not any(path.exists() for path in held)
    assert list(places.iterdir()) == []
    assert "temporary folder" not in start("drivers", "ses")


def locks_of(folder: Path) -> list[Path]:
    own = re.sub("[^A-Za-z0-9]+", "-", str(folder))
    return [path for path in bench_lock.lock_folder().iterdir() if own in path.name]


def test_nothing_stays_of_a_session_that_was_killed_before_it_was_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.bayscope"
    subprocess.run([sys.executable, "-c", UNBORN, str(path)], cwd=ROOT, check=False)
    assert {one.name for one in tmp_path.glob("s.*")} >= {
        "s.bayscope-lock",
        "s.bayscope-new",
    }
    sweep_up()
    assert list(tmp_path.glob("s.*")) == []
    assert list(notes().iterdir()) == []


@pytest.mark.slow
def test_what_a_living_run_has_stays(places: Path, tmp_path: Path) -> None:
    """Another program is started in the middle of its load."""
    plan = tmp_path / "plan.toml"
    plan.write_text(CAMPAIGN.replace('"3s"', '"600s"'))
    process = subprocess.Popen(run_of(tmp_path), cwd=ROOT, stderr=subprocess.DEVNULL)
    out = tmp_path / "out"
    deadline = time.monotonic() + 60
    while not (found := list(out.glob("*.bayscope"))) or not is_so_far(found[0]):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    before = sorted(places.iterdir())
    assert len(before) == 2
    assert "temporary folder" not in start("drivers", "ses")
    assert sorted(places.iterdir()) == before
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 4
    assert list(places.iterdir()) == []


def is_so_far(path: Path) -> bool:
    with Session.open(path) as session:
        return in_load(session)


def test_nobody_is_told_of_the_lock_of_another_program_that_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands of a user share their folder, whatever each is asked for."""
    monkeypatch.setattr(bench_lock, "lock_folder", lambda: tmp_path)
    left = tmp_path / "bayscope-here-dev-sdb.lock"
    left.write_text("1234567")
    assert sweep_up().told == ()
    assert not left.exists()
