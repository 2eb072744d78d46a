"""What a result is made of: edges, sleeping drives and slow channels."""

from pathlib import Path

import pytest

from app.analysis.coverage import Coverage, coverage_of, unmeasured
from app.analysis.results import lost_sources, silent_channels, step_results
from app.record.store import Session
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.analysis.record import START, WINDOW, Record, channel


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path)


def covered(record: Record, absent: tuple[str, ...] = ()) -> dict[str, Coverage]:
    record.writer.commit()
    record.writer.finish()
    with Session.open(record.path) as session:
        found = coverage_of(step_results(session, WINDOW), absent)
    return {one.result: one for one in found}


def test_a_meter_that_died_or_says_nan_covers_its_part(record: Record) -> None:
    record.add(channel("a", "P", "W"), [500.0, float("nan")] * 20 + [500.0] * 5)
    found = covered(record)
    assert (found["power_w"].n_valid, found["power_w"].n_expected) == (25, 100)
    assert unmeasured(list(found.values())) == "power was measured in 25 of 100 samples"


def test_one_sample_beside_the_window_is_not_missed(record: Record) -> None:
    slow = channel("ses", "temperature", "degC", "slot01")
    record.add(slow, [30.0] * 9, seconds=9.0)
    assert covered(record)["drive_max_c"].share == 1


def test_one_sample_within_the_window_is(record: Record) -> None:
    slow = channel("ses", "temperature", "degC", "slot01")
    record.add(slow, [30.0] * 5 + [float("nan")] + [30.0] * 4)
    found = covered(record)["drive_max_c"]
    assert (found.n_valid, found.n_expected) == (9, 10)


def test_an_empty_slot_and_a_drive_asleep_are_no_loss(record: Record) -> None:
    slots = tuple(channel("ses", "temperature", "degC", f"slot0{n}") for n in range(3))
    for second in range(10):
        at = START + second * SECOND
        sleeps = Status.STANDBY if second >= 3 else Status.OK
        statuses = (Status.OK, Status.ABSENT, sleeps)
        record.writer.append([Reading(slots, at, at, (30.0,) * 3, statuses)])
    assert covered(record)["drive_max_c"].share == 1


def test_drives_left_alone_in_a_load_do_not_spoil_it(record: Record) -> None:
    """The first beat of their gap comes late: the period is long."""
    slow = (Channel("ses", "temperature", "degC", "slot00", period_ns=2 * SECOND),)
    for second in (1.9, 3.9, 5.9, 7.9, 9.9):
        at = START + round(second * SECOND)
        record.writer.append([Reading(slow, at, at, (30.0,), (Status.ABSENT,))])
    assert "drive_max_c" not in covered(record)


def test_what_is_read_seldom_and_what_was_left_out_is_not_judged(
    record: Record,
) -> None:
    rare = Channel("ses", "temperature", "degC", "slot01", period_ns=4 * SECOND)
    record.add(rare, [30.0], seconds=4.0)
    record.add(channel("a", "P", "W"), [500.0] * 10)
    assert covered(record, absent=("a",)) == {}


def test_what_was_over_range_is_too_low_in_power_and_energy(record: Record) -> None:
    both = (channel("a", "P", "W"), channel("a", "Wh", "Wh"))
    for number in range(100):
        at = START + number * SECOND // 10
        over = 20 <= number < 50
        statuses = (
            Status.OVERRANGE if over else Status.OK,
            Status.WARN if number >= 20 else Status.OK,
        )
        reading = Reading(both, at, at, (600.0, 7 + number * 0.01), statuses)
        record.writer.append([reading])
    found = covered(record)
    for name in ("power_w", "energy_wh"):
        assert (found[name].n_valid, found[name].n_expected) == (70, 100)
    with Session.open(record.path) as session:
        lacking = {r.name: r.over_range_s for r in step_results(session, WINDOW)}
    for name in ("power_w", "energy_wh", "power_peak_w"):
        assert lacking[name] == pytest.approx(3.0, abs=0.05)


def test_a_sensor_that_never_was_is_not_missed_when_its_source_drops_out(
    record: Record,
) -> None:
    sensors = tuple(
        channel("ses", "temperature", "degC", f"slot0{number}") for number in range(2)
    )
    for second in range(-5, 4):
        at = START + second * SECOND
        reading = Reading(sensors, at, at, (30.0,) * 2, (Status.OK, Status.ABSENT))
        record.writer.append([reading])
    lost = (START + 4 * SECOND, START + 10 * SECOND)
    record.writer.gap(sensors, *lost, Status.TIMEOUT, "it does not answer")
    found = covered(record)["drive_max_c"]
    assert (found.n_valid, found.n_expected) == (4, 10)
    with Session.open(record.path) as session:
        assert silent_channels(session, WINDOW, sensors) == []
        assert silent_channels(session, lost, sensors) == [sensors[0]]


def test_one_dead_drive_of_many_is_named_and_costs_its_part(record: Record) -> None:
    drives = [
        channel("smart", "temperature", "degC", f"slot{n:02d}") for n in range(30)
    ]
    for drive in drives[:-1]:
        record.add(drive, [30.0] * 10)
    record.add(drives[-1], [50.0] * 4 + [float("nan")] * 6)
    found = covered(record)
    for name in ("drive_min_c", "drive_max_c"):
        assert (found[name].n_valid, found[name].n_expected) == (294, 300)
    with Session.open(record.path) as session:
        results = {r.name: r for r in step_results(session, WINDOW)}
    assert results["drive_max_c"].value == 50
    assert results["drive_max_c"].note == (
        "highest of 30 sensors, but only with smart.temperature.slot29 in 40 % of the "
        "time"
    )


def test_a_drive_asleep_is_not_named(record: Record) -> None:
    record.add(channel("smart", "temperature", "degC", "slot00"), [30.0] * 10)
    asleep = (channel("smart", "temperature", "degC", "slot01"),)
    for second in range(10):
        at = START + second * SECOND
        record.writer.append([Reading(asleep, at, at, (0.0,), (Status.STANDBY,))])
    assert covered(record)["drive_max_c"].share == 1
    with Session.open(record.path) as session:
        notes = {r.name: r.note for r in step_results(session, WINDOW)}
    assert notes["drive_max_c"] == ""


def test_a_source_without_any_value_is_lost_with_its_reason(record: Record) -> None:
    dead = tuple(channel("a", "temperature", "degC", place) for place in ("x", "y"))
    half = tuple(channel("ses", "temperature", "degC", place) for place in ("x", "y"))
    for channels in (dead, half):
        record.writer.append(
            [Reading(channels, START - 1, START - 1, (20.0,) * 2, (Status.OK,) * 2)]
        )
    record.writer.gap(dead, *WINDOW, Status.TIMEOUT, "a (somewhere): no answer.")
    record.writer.gap(half[1:], *WINDOW, Status.ERROR, "")
    record.add(half[0], [20.0] * 10)
    record.writer.commit()
    record.writer.finish()
    with Session.open(record.path) as session:
        silent = silent_channels(session, WINDOW, [*dead, *half])
        assert silent == [*dead, half[1]]
        assert lost_sources(session, WINDOW, silent) == {
            "a": "a (somewhere): no answer"
        }
