"""When a device was ready, by power cycles and sources that are read at any time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from app.analysis.samples import Floats
from app.analysis.startup_row import ready_moment
from app.record.store import Session, SessionInfo, Writer
from instruments.reading import POLL, SECOND, Channel, Reading, Status

START = 1_000 * SECOND
OFF_S, ON_S = 100, 120
"""Off for twenty seconds; its drives answer ten and fifteen seconds later."""

UP_S = {"slot00": ON_S + 10, "slot01": ON_S + 15}


def ready_s(
    folder: Path,
    reads_s: Sequence[float] | Floats,
    *,
    took_s: float = 0.0,
    up_s: Mapping[str, float] = UP_S,
    was_there: bool = True,
    end_s: float = 240,
) -> float | None:
    """Read drives at these times; get when they were ready, in seconds."""
    info = SessionInfo("x", "", "", "", "0", True, "dut", "boot", START, START)
    writer = Writer.create(folder / "x.bayscope", info)
    period = round(float(np.median(np.diff(reads_s))) * SECOND)
    channels = tuple(
        Channel("smart", "temperature", "degC", where, period) for where in up_s
    )
    poll = (Channel("smart", POLL, "s", period_ns=period),)
    last = None
    for start_s in reads_s:
        end = start_s + took_s
        there = [start_s >= up or (was_there and end < OFF_S) for up in up_s.values()]
        values = tuple(30.0 if one else np.nan for one in there)
        told = tuple(Status.OK if one else Status.ABSENT for one in there)
        begin_ns, end_ns = (START + round(s * SECOND) for s in (start_s, end))
        if last is not None and (start_s - last) * SECOND > 2.5 * period:
            missed = START + round(last * SECOND), begin_ns
            writer.gap(channels, *missed, Status.MISSED, "")
        ok = (Status.OK,)
        writer.append([Reading(channels, begin_ns, end_ns, values, told)])
        writer.append([Reading(poll, begin_ns, end_ns, (took_s,), ok)])
        last = start_s
    writer.finish()
    window = START + (OFF_S + 2) * SECOND, START + round(end_s * SECOND)
    with Session.open(writer.path) as session:
        found, _ = ready_moment(session, "smart", window, START + ON_S * SECOND)
    return None if found is None else (found - START) / SECOND


@pytest.mark.parametrize(
    ("reads_s", "expected"),
    [
        (np.arange(0.0, 240, 1), ON_S + 15),
        (np.arange(0.0, 240, 60), 180),  # not read at all while it was off
        (np.arange(55.0, 140, 60), None),  # and not since it was switched on
        (np.arange(10.0, 240, 60), 190),  # at 130 only one of two is there
        (np.arange(12.0, 140, 60), None),  # which is the last that was seen
        # A beat that was missed later is no drive that went away again.
        ([*range(150), *range(200, 240)], ON_S + 15),
        ([*range(150), 239], ON_S + 15),
    ],
)
def test_it_is_ready_once_all_were_seen_again(
    tmp_path: Path, reads_s: Sequence[float] | Floats, expected: float | None
) -> None:
    assert ready_s(tmp_path, reads_s) == expected


def test_a_drive_that_stays_away_leaves_it_not_ready(tmp_path: Path) -> None:
    reads, up = np.arange(0.0, 240, 1), {**UP_S, "slot01": 1e9}
    assert ready_s(tmp_path, reads, up_s=up) is None
    (tmp_path / "empty").mkdir()
    # Of a slot that was empty nothing is expected.
    assert ready_s(tmp_path / "empty", reads, up_s=up, was_there=False) == ON_S + 10


def test_how_long_it_took_to_ask_is_no_answer(tmp_path: Path) -> None:
    up = dict.fromkeys(UP_S, 1e9)
    reads = np.arange(35.0, 240, 60)
    assert ready_s(tmp_path, reads, up_s=up, was_there=False) is None


def test_what_was_asked_before_it_was_on_is_no_answer(tmp_path: Path) -> None:
    """A read of eighty seconds that began before all that, and tells what was then."""
    up = dict.fromkeys(UP_S, 60.0)
    assert ready_s(tmp_path, [90.0, 190.0], took_s=80, up_s=up, end_s=300) == 230


def test_a_source_that_answers_without_the_device_tells_nothing_of_its_start(
    tmp_path: Path,
) -> None:
    writer = Writer.create(
        tmp_path / "x.bayscope",
        SessionInfo("x", "", "", "", "0", True, "dut", "boot", START, START),
    )
    times = START + SECOND * np.arange(40)
    on = START + 10 * SECOND
    bmc, late, drive = (
        Channel(name, "temperature", "degC", where)
        for name, where in (("bmc", "cpu"), ("both", "room"), ("both", "slot01"))
    )
    for channel, first in ((bmc, 0), (late, 0), (drive, 17)):
        values = np.where(np.arange(40) < first, np.nan, 30.0).reshape(-1, 1)
        writer.append_trace((channel,), times, times, values)
    writer.finish()
    window = START + 5 * SECOND, START + 40 * SECOND
    with Session.open(writer.path) as session:
        assert ready_moment(session, "bmc", window, on)[0] is None
        assert ready_moment(session, "both", window, on)[0] == START + 17 * SECOND


def test_a_reading_of_before_switching_off_is_none_of_while_it_was_off(
    tmp_path: Path,
) -> None:
    """An enclosure is read every 10 s, and the device is off for little longer."""
    writer = Writer.create(
        tmp_path / "x.bayscope",
        SessionInfo("x", "", "", "", "0", True, "dut", "boot", START, START),
    )
    every = 10 * SECOND
    slot = Channel("ses", "temperature", "degC", "slot01", period_ns=every)
    times = START + every * np.arange(8)
    values = np.array([30.0, 30, np.nan, np.nan, 30, 30, 30, 30]).reshape(-1, 1)
    writer.append_trace((slot,), times, times, values)
    writer.finish()
    off = START + 11 * SECOND
    window, on = (off + 2 * SECOND, START + 75 * SECOND), off + 12 * SECOND
    with Session.open(writer.path) as session:
        assert ready_moment(session, "ses", window, on)[0] == START + 4 * every


_OK = (30.0, Status.OK)
_AWAY, _ASLEEP, _LATE, _BROKEN = (
    (float("nan"), one)
    for one in (Status.ABSENT, Status.STANDBY, Status.TIMEOUT, Status.ERROR)
)
Told = tuple[float, Status]


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ({}, 150),
        # It sleeps by the end, or for a while: it is there.
        (dict.fromkeys(range(200, 240), _ASLEEP), 150),
        (dict.fromkeys(range(200, 220), _ASLEEP), 150),
        # One reading that fails is no drive that went away.
        ({200: _LATE}, 150),
        ({239: _LATE}, 150),
        ({200: _LATE, 210: _BROKEN, 239: _BROKEN}, 150),
        ({200: _LATE, 201: _BROKEN}, 202),
        ({238: _LATE, 239: _LATE}, None),
        ({200: _AWAY}, 201),
        ({239: _AWAY}, None),
    ],
)
def test_what_a_drive_says_after_its_first_answer(
    tmp_path: Path, later: Mapping[int, Told], expected: float | None
) -> None:
    quick = dict.fromkeys(range(100, 125), _AWAY)
    slow = dict.fromkeys(range(100, 150), _AWAY) | dict(later)
    assert told_ready_s(tmp_path, [quick, slow]) == expected


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        # It waits for its spin-up, as the last of a staggered start.
        (100, 200, 200),
        (100, 240, None),
        (90, 240, None),  # put to sleep to be switched off
        (30, 240, 150),  # it had slept before
        (30, 200, 200),
    ],
)
def test_a_drive_that_sleeps_since_the_start_has_not_spun_up(
    tmp_path: Path, since: int, until: int, expected: float | None
) -> None:
    slow = dict.fromkeys(range(100, 150), _AWAY)
    asleep = dict.fromkeys(range(since, until), _ASLEEP)
    assert told_ready_s(tmp_path, [slow, asleep]) == expected


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        ((), 150),
        ([(200, 240)], None),
        ([(140, 240)], None),
        # From before it was switched on, as of a device that is off.
        ([(101, 160)], 160),
        # One reading says nothing, two are a drive that went away.
        ([(200, 201)], 150),
        ([(239, 240)], 150),
        ([(200, 202)], 202),
        ([(238, 240)], None),
        ([(200, 203), (210, 220)], 220),
    ],
)
@pytest.mark.parametrize("reason", [Status.TIMEOUT, Status.ERROR])
def test_a_source_that_cannot_be_read_at_all(
    tmp_path: Path,
    lost: Sequence[tuple[int, int]],
    expected: float | None,
    reason: Status,
) -> None:
    """The recorder stores no reading then, and a gap from the last one until now."""
    slow = dict.fromkeys(range(100, 150), _AWAY)
    assert told_ready_s(tmp_path, [slow], lost=lost, reason=reason) == expected


def test_beats_that_were_not_asked_say_nothing(tmp_path: Path) -> None:
    slow = dict.fromkeys(range(100, 150), _AWAY)
    told = told_ready_s(tmp_path, [slow], lost=[(200, 240)], reason=Status.MISSED)
    assert told == 150


def test_a_reading_that_began_before_it_was_off_is_none_of_while_it_was_off(
    tmp_path: Path,
) -> None:
    """Nor one that ended after it was on: what answered may have been started."""
    slow = {t: _AWAY for t in range(100, 150) if t not in (101, 119)}
    assert told_ready_s(tmp_path, [slow], took_s={101: 8.0, 119: 1.6}) == 150


def told_ready_s(
    folder: Path,
    drives: Sequence[Mapping[int, Told]],
    took_s: Mapping[int, float] | None = None,
    lost: Sequence[tuple[int, int]] = (),
    reason: Status = Status.ERROR,
) -> float | None:
    """Read drives once a second for 240 s; all is well but where it is said."""
    info = SessionInfo("x", "", "", "", "0", True, "dut", "boot", START, START)
    writer = Writer.create(folder / "x.bayscope", info)
    for number, told in enumerate(drives):
        slot = (Channel("smart", "temperature", "degC", f"slot{number:02}"),)
        for span in lost:
            begin, end = (START + s * SECOND for s in span)
            writer.gap(slot, begin - 9 * SECOND // 10, end, reason, "lost")
        for second in range(240):
            if any(first <= second < last for first, last in lost):
                continue
            value, status = told.get(second, _OK)
            begin = START + second * SECOND
            end = begin + round((took_s or {}).get(second, 0.1) * SECOND)
            writer.append([Reading(slot, begin, end, (value,), (status,))])
    writer.finish()
    window = START + (OFF_S + 2) * SECOND, START + 240 * SECOND
    with Session.open(writer.path) as session:
        found, _ = ready_moment(session, "smart", window, START + ON_S * SECOND)
    return None if found is None else (found - START) // SECOND
