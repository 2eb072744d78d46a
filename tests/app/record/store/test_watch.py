"""Gaps and alarms: every time without a value is one row with its reason."""

from pathlib import Path

import numpy as np
import pytest

from app.record.store import GapRow, Session, Writer
from instruments.reading import ONCE_NS, SECOND, Channel, Status
from tests.app.record.recording import INFO, POWER, START, TENTH, reading, readings

TOOK = 20_000_000


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer.create(tmp_path / "s.bayscope", INFO)


def _gaps(writer: Writer, channel: Channel = POWER[0]) -> list[GapRow]:
    writer.finish()
    with Session.open(writer.path) as session:
        return session.gaps(channel)


def test_good_readings_leave_no_gap(writer: Writer) -> None:
    writer.append(readings(POWER, 100))
    assert _gaps(writer) == []


def test_bad_values_in_a_row_are_one_gap_up_to_the_next_good_one(
    writer: Writer,
) -> None:
    bad = [Status.OVERRANGE, Status.OK]
    for number in range(10):
        at = START + number * TENTH
        statuses = bad if 3 <= number < 6 else None
        writer.append([reading(POWER, at, 1.0, 2.0, statuses=statuses)])
        writer.commit()
    assert _gaps(writer) == [
        GapRow("mains.P", START + 3 * TENTH, START + 6 * TENTH, "overrange", "")
    ]
    with Session.open(writer.path) as session:
        assert session.gaps("mains.U") == []


def test_another_reason_is_another_gap(writer: Writer) -> None:
    for number, status in enumerate((Status.OVERRANGE, Status.UNDERRANGE, Status.OK)):
        at = START + number * TENTH
        given = [status, Status.OK]
        writer.append([reading(POWER, at, 1.0, 2.0, statuses=given)])
    found = _gaps(writer)
    assert [gap.reason for gap in found] == ["overrange", "underrange"]
    assert found[0].end_ns == found[1].start_ns == START + TENTH


def test_a_number_that_is_none_is_a_gap_whatever_its_status(writer: Writer) -> None:
    for number, value in enumerate((1.0, float("nan"), float("inf"), 2.0)):
        writer.append([reading(POWER, START + number * TENTH, value, 230.0)])
    assert [gap.reason for gap in _gaps(writer)] == ["nan"]
    with Session.open(writer.path) as session:
        assert np.isnan(session.trace("mains.P").mean[1:3]).all()


@pytest.mark.parametrize(("missed", "gaps"), [(1, 0), (2, 1), (50, 1)])
def test_a_pause_of_more_than_two_and_a_half_periods_is_a_gap(
    writer: Writer, missed: int, gaps: int
) -> None:
    writer.append(readings(POWER, 5))
    writer.append(readings(POWER, 5, START + (5 + missed) * TENTH))
    found = _gaps(writer)
    assert len(found) == gaps
    if gaps:
        first, last = START + 4 * TENTH + TOOK, START + (5 + missed) * TENTH
        assert found == [GapRow("mains.P", first, last, Status.MISSED, "")]


def test_a_pause_of_a_load_says_that_none_ran(writer: Writer) -> None:
    fio = (Channel("fio", "read_bw", "B/s", period_ns=SECOND // 2),)
    writer.introduce_load("fio")
    writer.append(readings(fio, 3))
    writer.gap(fio, START + SECOND, START + 2 * SECOND, Status.STANDBY, "no load ran")
    writer.append(readings(fio, 3, START + 60 * SECOND))
    [gap] = _gaps(writer, fio[0])
    assert (gap.reason, gap.detail) == ("standby", "no load ran")
    assert gap.end_ns == START + 60 * SECOND


def test_a_load_that_stalls_does_not_say_that_none_ran(writer: Writer) -> None:
    fio = (Channel("fio", "read_bw", "B/s", period_ns=SECOND // 2),)
    writer.introduce_load("fio")
    writer.append(readings(fio, 3))
    writer.append(readings(fio, 3, START + 60 * SECOND))
    [gap] = _gaps(writer, fio[0])
    assert (gap.reason, gap.detail) == (Status.MISSED, "")


def test_what_is_read_once_a_step_misses_no_beat(writer: Writer) -> None:
    once = (Channel("mains", "Wh_step", "Wh", period_ns=ONCE_NS),)
    for number, value in enumerate((1.0, float("nan"), 2.0)):
        writer.append([reading(once, START + number * 600 * SECOND, value)])
    [gap] = _gaps(writer, once[0])
    assert (gap.reason, gap.end_ns - gap.start_ns) == ("nan", TOOK)


def test_a_load_without_latency_says_why(writer: Writer) -> None:
    fio = (Channel("fio", "read_lat", "s", period_ns=SECOND // 2),)
    writer.introduce_load("fio")
    given = [Status.ABSENT]
    writer.append([reading(fio, START, 1.0, statuses=given)])
    [gap] = _gaps(writer, fio[0])
    assert (gap.reason, gap.detail) == ("absent", "no I/O completed")


def test_a_lost_source_is_one_growing_gap(writer: Writer) -> None:
    writer.append(readings(POWER, 5))
    end = START + 5 * TENTH
    for number in range(8):
        first, last = end + number * SECOND, end + (number + 1) * SECOND
        detail = f"try {number}"
        writer.gap(POWER, first, last, Status.TIMEOUT, detail)
        writer.commit()
    writer.append(readings(POWER, 5, end + 8 * SECOND))
    assert _gaps(writer) == [
        GapRow("mains.P", end, end + 8 * SECOND, "timeout", "try 0")
    ]


def test_a_gap_of_channels_never_read_is_stored(writer: Writer) -> None:
    fan = (Channel("ses", "fan", "1/min", "fan1"),)
    writer.gap(fan, START, START + SECOND, Status.ABSENT, "--without")
    writer.gap((), START, START + SECOND, Status.ABSENT, "nothing")
    assert [gap.detail for gap in _gaps(writer, fan[0])] == ["--without"]


def test_gaps_are_found_by_window(writer: Writer) -> None:
    writer.gap(POWER, START, START + SECOND, Status.ERROR, "")
    writer.finish()
    with Session.open(writer.path) as session:
        assert len(session.gaps()) == 2
        assert session.gaps("mains.P", (START + SECOND, START + 9 * SECOND))
        assert not session.gaps("mains.P", (START + SECOND + 1, START + 9 * SECOND))


def test_alarms_are_spans_and_their_values_count(writer: Writer) -> None:
    for number in range(9):
        level = Status.CRIT if number > 6 else Status.WARN if number > 3 else Status.OK
        given = [level, Status.OK]
        at = START + number * TENTH
        writer.append([reading(POWER, at, float(number), 2.0, statuses=given)])
    writer.finish()
    with Session.open(writer.path) as session:
        found = session.alarms("mains.P")
        with session.with_offsets(None, {"mains": TENTH}):
            [warned, _] = session.alarms("mains.P")
            late = START + 7 * TENTH + TENTH // 2
            assert len(session.alarms("mains.P", (START, late))) == 1
        assert not session.gaps()
        assert not np.isnan(session.trace("mains.P").mean).any()
    assert [alarm.level for alarm in found] == ["warn", "crit"]
    assert found[0].start_ns == START + 4 * TENTH
    assert found[0].end_ns == START + 7 * TENTH
    assert (warned.start_ns, warned.end_ns) == (START + 5 * TENTH, START + 8 * TENTH)


def test_gaps_of_a_bulk_are_like_those_of_single_readings(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    keep = rng.random(400) > 0.1
    keep[100:140] = False
    starts = (START + np.arange(400) * TENTH)[keep]
    values = np.stack([np.arange(400.0), np.full(400, 230.0)], axis=1)[keep]
    values[rng.random(starts.size) < 0.1, 0] = np.nan
    one = Writer.create(tmp_path / "one.bayscope", INFO)
    many = Writer.create(tmp_path / "many.bayscope", INFO)
    for at, row in zip(starts.tolist(), values.tolist(), strict=True):
        status = Status.OK if row[0] == row[0] else Status.NAN
        one.append([reading(POWER, at, *row, statuses=[status, Status.OK])])
    many.append_trace(POWER, starts, starts + TOOK, values)
    assert _pieces(_gaps(one)) == _pieces(_gaps(many))


def _pieces(gaps: list[GapRow]) -> list[tuple[int, int, str]]:
    return sorted((gap.start_ns, gap.end_ns, gap.reason) for gap in gaps)


def test_a_gap_told_after_the_readings_is_as_long_as_it_was(writer: Writer) -> None:
    """Whatever gap comes after it, near or far, of the same reason or another."""
    first, after = readings(POWER, 10), readings(POWER, 600, START + 21 * SECOND)
    writer.append(first)
    writer.append(after)
    at = START + SECOND
    writer.gap(POWER, at, at + 20 * SECOND, Status.TIMEOUT, "")
    late = START + 60 * SECOND
    writer.gap(POWER, late, late + SECOND, Status.TIMEOUT, "")
    writer.gap(POWER, late + 2 * SECOND, late + 3 * SECOND, Status.ERROR, "")
    told = [gap for gap in _gaps(writer) if gap.reason != Status.MISSED]
    seconds = [(gap.end_ns - gap.start_ns) / SECOND for gap in told]
    assert sorted(seconds) == [1, 1, 20]


def test_a_gap_of_before_one_that_is_open_is_stored_too(writer: Writer) -> None:
    writer.append(readings(POWER, 50))
    bad = [Status.TIMEOUT, Status.OK]
    writer.append([reading(POWER, START + 5 * SECOND, 1.0, 2.0, statuses=bad)])
    writer.gap(POWER, START, START + SECOND, Status.TIMEOUT, "")
    writer.append(readings(POWER, 5, START + 5 * SECOND + TENTH))
    found = [(gap.start_ns - START, gap.end_ns - START) for gap in _gaps(writer)]
    again = 5 * SECOND
    assert sorted(found) == [(0, SECOND), (again, again + TENTH)]


def test_a_gap_of_another_reason_far_away_makes_none_longer(writer: Writer) -> None:
    end = START + 20 * SECOND
    writer.gap(POWER, START, end, Status.TIMEOUT, "")
    writer.gap(POWER, end + 9 * SECOND, end + 10 * SECOND, Status.ERROR, "")
    first, _ = _gaps(writer)
    assert (first.start_ns, first.end_ns) == (START, end)


@pytest.mark.parametrize("missing", [[], [3], [0, 1, 5]])
def test_a_bulk_ends_the_gap_that_is_open_as_a_reading_does(
    tmp_path: Path, missing: list[int]
) -> None:
    values = np.stack([np.arange(9.0), np.full(9, 230.0)], axis=1)
    values[missing, 0] = np.nan
    starts = START + 20 * SECOND + np.arange(9) * TENTH
    one = Writer.create(tmp_path / "one.bayscope", INFO)
    many = Writer.create(tmp_path / "many.bayscope", INFO)
    for writer in (one, many):
        writer.append(readings(POWER, 5))
        writer.gap(POWER, START + SECOND // 2, int(starts[0]), Status.TIMEOUT, "")
    for at, row in zip(starts.tolist(), values.tolist(), strict=True):
        status = Status.OK if row[0] == row[0] else Status.NAN
        one.append([reading(POWER, at, *row, statuses=[status, Status.OK])])
    many.append_trace(POWER, starts, starts + TOOK, values)
    for writer in (one, many):  # It would lengthen one that is open.
        far = START + 60 * SECOND
        writer.gap(POWER, far, far + SECOND, Status.TIMEOUT, "")
    assert _pieces(_gaps(one)) == _pieces(_gaps(many))
