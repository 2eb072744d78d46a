"""A recording that is killed loses nothing acknowledged, and opens at once."""

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Writer, sessions
from app.record.store.lock import is_recorded, lock_path
from instruments.reading import SECOND
from tests.app.record.recording import INFO, POWER, readings
from tests.app.record.store.killing import Killer

KILLS = 25
"""Kills at random moments between and within commits."""

AT_A_DESK = 5
"""As many of them when the slow tests are left out."""

LOST_S = 1.0
"""What may be lost at most: readings younger than this at the kill."""


@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(n, marks=[pytest.mark.slow] * (n >= AT_A_DESK))
        for n in range(KILLS)
    ],
)
def test_kill_loses_nothing_acknowledged(
    tmp_path: Path, killer: Killer, kill: int
) -> None:
    path = tmp_path / "killed.bayscope"
    acknowledged = killer.kill_somewhen(path, kill).acknowledged
    assert not is_recorded(path)
    with Session.open(path) as session:
        assert session.state == "crashed"
        values = session.trace("mains.P").mean
        assert values.tolist() == [float(number) for number in range(len(values))]
        assert len(session.trace("noise.LAeq")) == len(values)
        assert len(values) >= acknowledged
        counted = [b"%d" % number for number in range(len(values))]
        assert [reply for _, reply in session.raw("mains", (0, 2**60))] == counted
        assert session.steps()[0].outcome == "ERROR"
        assert session.info.verdict == "ERROR"
        assert session.info.ended_ns == session.extent()[1]
        assert [entry.action for entry in session.journal()] == ["recovered"]
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


@pytest.mark.parametrize("seconds", [0.5, 0.83, 1.21])
def test_the_recorder_loses_a_second_at_most(
    tmp_path: Path, killer: Killer, seconds: float
) -> None:
    path = tmp_path / "killed.bayscope"
    kill = killer.kill(path, seconds, "record")
    with Session.open(path) as session:
        found = session.trace("counter.P")
    assert found.times[-1] >= kill.at_ns - LOST_S * SECOND
    counted = found.mean[~np.isnan(found.mean)]
    assert counted.tolist() == [float(n) for n in range(1, len(counted) + 1)]


def test_an_opened_crash_opens_again_as_it_is(tmp_path: Path, killer: Killer) -> None:
    path = tmp_path / "killed.bayscope"
    killer.kill(path, 0.1)
    with Session.open(path) as session:
        first = session.trace("mains.P").mean
    before = path.read_bytes()
    with Session.open(path) as session:
        assert session.state == "crashed"
        assert np.array_equal(session.trace("mains.P").mean, first)
    assert path.read_bytes() == before


def test_the_list_shows_a_crash_without_touching_it(
    tmp_path: Path, killer: Killer
) -> None:
    path = tmp_path / "killed.bayscope"
    killer.kill(path, 0.2)
    before = path.read_bytes()
    [summary] = sessions(tmp_path)
    assert summary.state == "crashed"
    assert summary.error == ""
    assert summary.steps == 1
    assert summary.duration_s > 0
    assert path.read_bytes() == before


def test_without_its_log_a_crash_is_what_was_checkpointed(
    tmp_path: Path, killer: Killer
) -> None:
    """Somebody copied the main file only: it opens, with less in it."""
    path = tmp_path / "killed.bayscope"
    killer.kill(path, 0.1)
    alone = tmp_path / "alone" / "copy.bayscope"
    alone.parent.mkdir()
    shutil.copyfile(path, alone)
    with Session.open(alone) as session:
        assert session.state == "crashed"
        assert session.info.name == INFO.name


def test_a_torn_log_loses_only_its_end(tmp_path: Path, killer: Killer) -> None:
    path = tmp_path / "killed.bayscope"
    killer.kill(path, 0.3)
    log = path.with_name(path.name + "-wal")
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - 2000)
    with Session.open(path) as session:
        values = session.trace("mains.P").mean
        assert values.tolist() == [float(number) for number in range(len(values))]


def test_a_living_recording_is_not_recovered(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 3))
    writer.commit()
    assert is_recorded(writer.path)
    assert lock_path(writer.path).exists()
    with Session.open(writer.path) as session:
        assert session.state == "recording"
        assert session.journal() == []
    writer.finish()
    assert not is_recorded(writer.path)
