"""A real run killed with SIGKILL in the middle of a step, and gone on with."""

import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.cli.main import run
from app.operations.run.resume import RESTARTED, unfinished
from app.operations.run.resume_clock import ClockError, Now
from app.operations.run.resume_offers import cut_off
from app.operations.run.run import run_campaign
from app.plan.verdict import Cause
from app.record.store import Session, Writer
from instruments import timebase
from instruments.errors import BadInput, BenchError
from instruments.reading import SECOND
from tests.app.operations.benches import BENCH
from tests.app.operations.killing import ROOT, killed_when, program, running
from tests.restarted import after_restart, can_restart
from tests.session_info import session_info

PLAN = """
name = "Night"
[[step]]
label = "Idle"
engine = "idle"
runtime = "500ms"
[[step]]
label = "Set"
engine = "command"
[step.command]
run = "true"
[[step]]
label = "Read"
engine = "fio"
runtime = "{runtime}"
needs = ["Set"]
[step.fio]
rw = "randread"
rate_iops = 120
[[step]]
label = "Cool-down"
engine = "cooldown"
runtime = "400ms"
"""


def outcomes(path: Path) -> list[tuple[str, str, str | None]]:
    with Session.open(path) as session:
        return [(row.label, row.outcome, row.verdict) for row in session.steps()]


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan and its bench."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "bench.toml").write_text(
        BENCH.format(target=folder / "scratch.dat", meter="simulated")
    )
    (folder / "plan.toml").write_text(PLAN.format(runtime="6s"))
    return folder


@pytest.fixture(scope="module")
def dead(plans: Path) -> Path:
    """A run of the plan in a process of its own, killed with its fio in the load."""
    plan, bench = plans / "plan.toml", plans / "bench.toml"
    argv = program("run", plan, "--bench", bench, "--out", plans)
    return killed_in_the_load(argv, plans)


def killed_in_the_load(argv: Sequence[str], folder: Path) -> Path:
    """Start a run and kill it, with its fio, in the load of "Read"."""
    return killed_when(argv, folder, measured)


@pytest.fixture
def killed(dead: Path, tmp_path: Path) -> Path:
    """The session of that run, as the kill left it."""
    return Path(shutil.copytree(dead.parent, tmp_path / "killed")) / dead.name


def measured(session: Session) -> bool:
    """Tell whether the load of the step has been measured for a second."""
    names = [channel.name for channel in session.channels()]
    if not running("Read")(session) or "fio.read_iops" not in names:
        return False
    begun = max(row.start_ns or 0 for row in session.steps())
    ends = session.trace("fio.read_iops", (begun, 2**62))
    return len(ends) > 2


def refuse(*_: object) -> list[str]:
    raise BenchError("mains took one connection and no second")


def test_a_killed_run_goes_on_after_its_last_complete_row(
    killed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = killed
    left = unfinished(path)
    assert (left.left, left.rows) == (("Read", "Cool-down"), 4)
    before = outcomes(path)
    assert [row[1] for row in before] == ["DONE", "DONE", "ERROR", "SKIPPED"]
    with monkeypatch.context() as broken:
        broken.setattr("app.operations.run.recording.watch", refuse)
        assert run(["resume", str(path), "--json"]) == 3
    assert unfinished(path).left == left.left
    capsys.readouterr()
    assert run(["resume", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "PASS"
    assert outcomes(path) == [
        ("Idle", "DONE", "PASS"),
        ("Set", "DONE", "PASS"),
        ("Read (void 1)", "VOID", None),
        ("Read", "DONE", "PASS"),
        ("Cool-down", "DONE", "PASS"),
    ]
    with Session.open(path) as session:
        assert session.state == "complete"
        gaps = session.gaps("mains.P")
        assert any(gap.detail == "Bayscope was not running" for gap in gaps)
    with pytest.raises(BadInput, match="nothing is left to run"):
        unfinished(path)


def test_after_a_restart_it_is_offered_unless_the_clock_is_wrong(killed: Path) -> None:
    now = Now(90 * SECOND, time.time_ns(), "another")
    late = unfinished(killed, replace(now, realtime_ns=time.time_ns() + 120 * SECOND))
    assert (late.left, late.is_restarted) == (("Read", "Cool-down"), True)
    assert not unfinished(killed).is_restarted

    wrong = replace(now, realtime_ns=0)
    with pytest.raises(ClockError, match="this cannot be right"):
        unfinished(killed, wrong)
    told = cut_off(killed, wrong)
    assert told is not None
    assert told.left is None
    assert "1970-01-01" in told.trouble
    assert told.trouble.endswith("Set the clock, or run what is left in a new session.")


def test_a_resumption_that_fails_does_not_make_the_next_one_forget_the_restart(
    killed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A meter does not answer yet: what was set before is set again nevertheless."""
    boot = tmp_path / "boot_id"
    boot.write_text("another\n")
    monkeypatch.setattr("app.record.clock.BOOT_ID", boot)
    monkeypatch.setattr(timebase, "_offset_ns", 0)
    started_ns = timebase.kernel_ns()
    monkeypatch.setattr(timebase, "kernel_ns", lambda: time.monotonic_ns() - started_ns)
    with monkeypatch.context() as broken:
        broken.setattr("app.operations.run.recording.watch", refuse)
        assert run(["resume", str(killed)]) == 3
    left = unfinished(killed)
    assert left.warnings == [RESTARTED]
    steering = Steering()

    def watch(now: Progress) -> None:
        if now.label == "Read":
            steering.abort()

    run_campaign(
        left.campaign,
        left.bench,
        tmp_path,
        resume=killed,
        steering=steering,
        progress=watch,
    )
    found = outcomes(killed)
    assert found[:3] == [
        ("Idle", "DONE", "PASS"),
        ("Set (void 1)", "VOID", None),
        ("Set", "DONE", "PASS"),
    ]
    with Session.open(killed) as session:
        told = [row.message for row in session.events() if row.source == "clock"]
    assert len(told) == 1
    assert "the computer was restarted" in told[0]


@pytest.mark.slow
@pytest.mark.skipif(not can_restart(), reason="this kernel or user has no namespaces")
def test_it_goes_on_after_a_restart_of_the_computer(
    tmp_path: Path, plans: Path
) -> None:
    """Each process, and its fio, has another boot id and another CLOCK_MONOTONIC."""
    boots = []
    for number in range(3):
        boots.append(tmp_path / f"boot-{number}")
        boots[-1].write_text(f"boot-{number}\n")
    words = ["run", plans / "plan.toml", "--bench", plans / "bench.toml"]
    argv = ["-m", "app", *map(str, words), "--out", str(tmp_path)]
    path = killed_in_the_load(after_restart(argv, boots[0], 30 * 86_400), tmp_path)
    again = ["-m", "app", "resume", str(path)]
    # Killed once more after the first restart, and gone on with after the second.
    killed_in_the_load(after_restart(again, boots[1], 0), tmp_path)
    done = subprocess.run(
        after_restart([*again, "--json"], boots[2], 0),
        cwd=ROOT,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert outcomes(path) == [
        ("Idle", "DONE", "PASS"),
        ("Set (void 1)", "VOID", None),
        ("Set (void 2)", "VOID", None),
        ("Set", "DONE", "PASS"),
        ("Read (void 1)", "VOID", None),
        ("Read (void 2)", "VOID", None),
        ("Read", "DONE", "PASS"),
        ("Cool-down", "DONE", "PASS"),
    ]
    with Session.open(path) as session:
        pairs = session.clock_pairs()
        assert [key for key, _ in groupby(pair.boot_id for pair in pairs)] == [
            "boot-0",
            "boot-1",
            "boot-2",
        ]
        # One scale for all boots, and the wall clock along it. A boot cannot have been
        # before the kill, and namespaces count in whole seconds.
        first = pairs[0]
        for pair in pairs:
            passed = pair.monotonic_ns - first.monotonic_ns
            assert abs(pair.realtime_ns - first.realtime_ns - passed) < 2 * SECOND
        steps = {row.label: row for row in session.steps()}
        gaps = [
            gap
            for gap in session.gaps("mains.P")
            if gap.detail == "Bayscope was not running"
        ]
        assert len(gaps) == 2
        for label, gap in zip(("Read (void 1)", "Read (void 2)"), gaps, strict=True):
            assert (steps[label].end_ns or 0) <= gap.end_ns
        start, end = steps["Read"].window_start_ns, steps["Read"].window_end_ns
        assert gaps[1].end_ns < (start or 0) < (end or 0) < pairs[-1].monotonic_ns
        # The fine logs, which fio stamps by the kernel's clock, lie in the same window.
        assert start is not None
        assert end is not None
        fine = session.trace("fio_log.read_iops", (start, end))
        assert len(fine) > 10
        told = [row.message for row in session.events() if row.source == "clock"]
        assert len(told) == 2
        assert "the computer was restarted; times continue by its wall clock" in told[0]
        assert session.is_unchanged()


def cut_off_after(folder: Path, *ends: tuple[str, str | None, Cause]) -> Path:
    """Write a session that was cut off when its rows had ended so."""
    bench = BENCH.format(target="/nowhere", meter="simulated")
    campaign = PLAN.format(runtime="6s")
    writer = Writer.create(
        folder / "s.bayscope", session_info(campaign=campaign, bench=bench)
    )
    for number, (outcome, verdict, cause) in enumerate(ends, 1):
        step = writer.add_step(number, f"Row {number}", "idle", "")
        writer.update_step(step, outcome=outcome, verdict=verdict, cause=cause)
    writer.abandon()
    return writer.path


def test_where_no_row_is_left_it_is_said_how_many_are_complete(tmp_path: Path) -> None:
    ends = (("DONE", "PASS", Cause.NONE), ("ERROR", "ERROR", Cause.BENCH))
    with pytest.raises(BadInput) as refused:
        unfinished(cut_off_after(tmp_path, *ends))
    assert "1 of 2 are complete" in refused.value.what
    assert "report" in refused.value.way_out


def test_a_row_that_was_held_when_the_program_ended_is_left(tmp_path: Path) -> None:
    ends = (("DONE", "PASS", Cause.NONE), ("VOID", None, Cause.INTERLOCK))
    now = Now(0, session_info().realtime_ns, session_info().boot_id)
    found = unfinished(cut_off_after(tmp_path, *ends), now)
    assert (found.left, found.rows) == (("Row 2",), 2)
