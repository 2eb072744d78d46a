"""What a crash left of its last step: computed once, whatever the medium."""

import shutil
from pathlib import Path

import pytest

from app.analysis.interrupted import open_session
from app.record.store import CRASHED, Session, Writer
from instruments.reading import SECOND, Channel, Reading, Status
from tests import needs
from tests.app.record.recording import INFO, POWER, START, readings
from tests.mounts import read_only

LOAD = tuple(
    Channel("fio", quantity, unit, period_ns=SECOND // 2)
    for quantity, unit in (("read_iops", "1/s"), ("read_bw", "B/s"))
)
WINDOW = START + 2 * SECOND


def crashed(folder: Path, *, window: int | None = WINDOW, direct: str = "yes") -> Path:
    """Make what a killed recorder leaves: a session and its log, taken while written.

    A load began at START and reads 1000 x 4 kB a second; the last of its 100 readings
    of power began 9.9 s later.
    """
    living = Writer.create(folder / "living.bayscope", INFO)
    living.inventory("device", "JBOD", {"direct": direct})
    living.add_step(1, "Idle", "idle", "")
    step = living.add_step(2, "Read", "fio", "")
    living.add_step(3, "Cool-down", "cooldown", "")
    living.update_step(1, start_ns=START, end_ns=START, outcome="DONE", verdict="PASS")
    living.update_step(step, start_ns=START, outcome="running", window_start_ns=window)
    living.introduce_load("fio")
    living.append(readings(POWER, 100))
    half = SECOND // 2
    living.append(
        [
            Reading(LOAD, start, start + half, (1000.0, 4e6), (Status.OK,) * 2)
            for start in range(START, START + 10 * SECOND - half, half)
        ]
    )
    living.commit()
    path = folder / "killed" / "s.bayscope"
    path.parent.mkdir()
    for end in ("", "-wal"):
        shutil.copyfile(f"{living.path}{end}", f"{path}{end}")
    living.finish()
    return path


def check(session: Session) -> None:
    idle, load, cooldown = session.report_table()
    assert (idle["outcome"], idle["power_w"]) == ("DONE", None)
    # The counter went from 19.9 at its begin to 99 within the window.
    assert load["power_w"] == pytest.approx(59.45)
    assert load["iops"] == pytest.approx(1000)
    assert load["bandwidth_mb_s"] == pytest.approx(4)
    assert load["duration_s"] == pytest.approx(7.91)
    assert (load["outcome"], load["verdict"]) == ("ERROR", "ERROR")
    assert str(load["reason"]).startswith(f"{CRASHED}, its values cover the 7.9 s")
    assert cooldown["outcome"] == "SKIPPED"
    assert cooldown["reason"] == f"not run, {CRASHED}"
    step = session.steps()[1]
    assert step.window_start_ns == WINDOW
    assert step.end_ns == session.info.ended_ns
    results = {result.name: result for result in session.results(step.id)}
    power = results["power_w"]
    assert (power.n_valid, power.n_expected) == (80, 80)
    assert "the load's own result is lost" in results["iops"].note


def test_the_last_step_gets_what_was_measured(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    with open_session(path) as session:
        assert session.state == "crashed"
        check(session)
        done = [entry.action for entry in session.journal()]
        assert done == ["recovered", "results computed"]
    assert list(path.parent.iterdir()) == [path]
    before = path.read_bytes()
    with open_session(path) as session:
        check(session)
    assert path.read_bytes() == before


def test_a_file_that_was_only_recovered_is_completed_later(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    with Session.open(path) as session:
        assert session.report_table()[1]["power_w"] is None
    with open_session(path) as session:
        check(session)


def test_buffered_rows_stay_marked(tmp_path: Path) -> None:
    with open_session(crashed(tmp_path, direct="no")) as session:
        assert session.report_table()[1]["buffered"] == 1.0


def test_a_crash_in_the_ramp_measured_nothing(tmp_path: Path) -> None:
    path = crashed(tmp_path, window=START + 60 * SECOND)
    for _ in range(2):
        with open_session(path) as session:
            row = session.report_table()[1]
            assert row["power_w"] is None
            assert row["reason"] == f"{CRASHED}, in its ramp: nothing was measured"
            assert session.steps()[1].window_start_ns is None


def test_a_crash_before_the_load_said_anything_has_no_window(tmp_path: Path) -> None:
    with open_session(crashed(tmp_path, window=None)) as session:
        assert session.report_table()[1]["reason"] == CRASHED
        assert session.results(2) == []


def test_a_finished_session_is_left_alone(tmp_path: Path) -> None:
    crashed(tmp_path)
    path = tmp_path / "living.bayscope"
    before = path.read_bytes()
    with open_session(path) as session:
        assert session.state == "complete"
        with pytest.raises(ValueError, match="not to be changed"):
            session.amend(lambda _: None)
    assert path.read_bytes() == before


@needs.read_only_folders
@pytest.mark.parametrize("recovered", [False, True])
def test_on_a_read_only_medium_a_copy_is_completed(
    tmp_path: Path, recovered: bool
) -> None:
    path = crashed(tmp_path)
    if recovered:
        Session.open(path).close()
    with read_only(path.parent, tmp_path / "medium") as medium:
        before = {one.name: one.read_bytes() for one in medium.iterdir()}
        with open_session(medium / path.name) as session:
            check(session)
        assert {one.name: one.read_bytes() for one in medium.iterdir()} == before
