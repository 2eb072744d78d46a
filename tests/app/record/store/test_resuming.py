"""A session that was cut off goes on as if it had never ended, but for the gap."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Writer
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel
from tests.app.record.recording import INFO, NOISE, START, reading
from tests.app.record.store.killing import Killer
from tests.app.record.store.recording_process import COUNTED

AWAY = 30 * SECOND
READS = (Channel("fio", "read_iops", "1/s", period_ns=SECOND),)
MORE = 3000
"""Readings after the resumption, a second apart: several buckets."""


@pytest.mark.parametrize("seconds", [0.05, 0.4])
def test_a_killed_session_goes_on_in_its_own_file(
    tmp_path: Path, killer: Killer, seconds: float
) -> None:
    path = tmp_path / "killed.bayscope"
    killer.kill(path, seconds)
    with Session.open(path) as session:
        before = len(session.trace("mains.P"))
        last = session.extent()[1]
    again = last + AWAY
    writer = Writer.resume(path, again)
    for number in range(MORE):
        at, raw = again + number * SECOND, b"%d" % (before + number)
        writer.append([reading(COUNTED, at, float(before + number), raw=raw)])
        writer.append([reading(NOISE, at, 41.0)])
        if number % 200 == 0:
            writer.commit()
    writer.finish()
    with Session.open(path) as session:
        assert session.state == "complete"
        assert session.is_unchanged()
        trace = session.trace("mains.P")
        known = trace.mean[np.isfinite(trace.mean)]
        assert known.tolist() == [float(n) for n in range(before + MORE)]
        assert len(session.trace("mains.P")) == before + MORE + 1  # the gap's row
        [gap] = [g for g in session.gaps("mains.P") if g.end_ns - g.start_ns > SECOND]
        assert (gap.reason, gap.detail) == ("not recorded", "Bayscope was not running")
        assert gap.end_ns - gap.start_ns == pytest.approx(AWAY, abs=2 * SECOND)
        counted = [b"%d" % number for number in range(before + MORE)]
        assert [reply for _, reply in session.raw("mains", (0, 2**60))] == counted
        assert len(session.channels()) == 2
        actions = [entry.action for entry in session.journal()]
        assert actions == ["recovered", "resumed"]
        rough = session.trace("mains.P", points=20)
        assert not rough.exact
        assert np.nanmin(rough.low) == 0.0
        assert np.nanmax(rough.high) == before + MORE - 1
        means = session.trace("noise.LAeq").mean
        assert np.nanmean(means) == pytest.approx(
            (40.0 * before + 41.0 * MORE) / (before + MORE)
        )


def cut_off(path: Path, load_ended_s: int) -> dict[str, list[tuple[str, int, int]]]:
    """Cut off a recording of 60 s, and go on after 30; give its gaps in seconds."""
    writer = Writer.create(path, INFO)
    writer.introduce_load("fio")
    for second in range(60):
        at = START + second * SECOND
        writer.append([reading(NOISE, at, 40.0)])
        if second < load_ended_s:
            writer.append([reading(READS, at, 100.0)])
    writer.commit()
    kept = path.with_name("killed.bayscope")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(kept)) as to:
        source.backup(to)
    writer.finish()
    Session.open(kept).close()  # which finds that it was cut off
    again = Writer.resume(kept, START + 90 * SECOND)
    again.append([reading(NOISE, START + 90 * SECOND, 41.0)])
    again.append([reading(READS, START + 100 * SECOND, 90.0)])
    again.finish()
    found: dict[str, list[tuple[str, int, int]]] = {}
    with Session.open(kept) as session:
        for gap in session.gaps():
            start, end = ((at - START) // SECOND for at in (gap.start_ns, gap.end_ns))
            found.setdefault(gap.channel_name, []).append((gap.reason, start, end))
    return found


@pytest.mark.parametrize(
    ("load_ended_s", "gaps"),
    [
        (60, [("not recorded", 59, 90), ("standby", 90, 100)]),
        (
            20,
            [("standby", 19, 59), ("not recorded", 59, 90), ("standby", 90, 100)],
        ),
    ],
)
def test_while_no_program_ran_nothing_is_known_of_meters_and_loads(
    tmp_path: Path, load_ended_s: int, gaps: list[tuple[str, int, int]]
) -> None:
    found = cut_off(tmp_path / "s.bayscope", load_ended_s)
    assert found["noise.LAeq"] == [("not recorded", 59, 90)]
    assert found["fio.read_iops"] == gaps


def test_steps_that_never_began_are_planned_again(
    tmp_path: Path, killer: Killer
) -> None:
    path = tmp_path / "killed.bayscope"
    killer.kill(path, 0.05)
    with Session.open(path) as session:
        [step] = session.steps()
        assert step.outcome == "ERROR"
        last = session.extent()[1]
    writer = Writer.resume(path, last + AWAY)
    with Session.open(path) as live:
        assert live.state == "recording"
        assert live.info.verdict is None
        assert live.steps()[0].outcome == "ERROR"
    with pytest.raises(BadInput, match="is being recorded"):
        Writer.resume(path, last + AWAY)
    writer.finish()


def test_a_session_that_ended_in_order_is_over(tmp_path: Path) -> None:
    path = tmp_path / "whole.bayscope"
    writer = Writer.create(path, INFO)
    writer.append([reading(COUNTED, START, 1.0)])
    writer.finish()
    content = path.read_bytes()
    with pytest.raises(BadInput, match="is complete"):
        Writer.resume(path, START + AWAY)
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


DAMAGED = (
    "UPDATE channel_group SET position = 7",
    "UPDATE channel_group SET position = 1; UPDATE tail SET starts = zeroblob(16), "
    'durations = zeroblob(16), "values" = zeroblob(16)',
    'UPDATE tail SET "values" = zeroblob(length("values") - 8)',
    "UPDATE tail SET durations = zeroblob(8)",
    "UPDATE tail SET starts = zeroblob(length(starts) - 1), "
    "durations = zeroblob(length(durations) - 1)",
)


@pytest.mark.parametrize("sql", DAMAGED)
def test_unsealed_readings_that_fit_no_channels_are_damage(
    tmp_path: Path, killer: Killer, sql: str
) -> None:
    path = tmp_path / "killed.bayscope"
    killer.kill(path, 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        count = connection.execute("SELECT count(*) FROM tail").fetchone()
        assert count != (0,)
        connection.executescript(sql)
    with pytest.raises(BadInput):
        _traces(path)
    with pytest.raises(BadInput):
        Writer.resume(path, START + 1000 * AWAY)


def _traces(path: Path) -> None:
    with Session.open(path) as session:
        for channel in session.channels():
            session.trace(channel)
