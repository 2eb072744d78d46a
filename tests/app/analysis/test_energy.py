"""Energy: an integrator's, or mean power times time, and where there is none."""

import numpy as np
import pytest

from app.analysis.power import NoMean, unequal_energy
from app.analysis.results import (
    step_results,
)
from app.record.store import Basis, Session
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.analysis.record import START, Record, channel


def test_energy_is_the_integrators_with_its_check(record: Record) -> None:
    record.add(channel("a", "P", "W"), [360.0] * 100)
    record.integrate(lambda seconds: 360 * seconds)
    found = record.results()
    assert found["energy_wh"].value == pytest.approx(1.0, rel=1e-6)
    # One reading more or less: 360 W for 0.1 s.
    assert found["energy_wh"].resolution == pytest.approx(0.01)
    assert found["energy_wh"].note.startswith("the analyser's integrator over 100.0 %")
    assert found["energy_by_mean_wh"].value == pytest.approx(1.0, rel=1e-6)
    assert "mean power x time is +0.00 %" in found["energy_wh"].note


def test_an_integrator_that_was_set_back_is_summed_in_pieces(record: Record) -> None:
    record.integrate(lambda s: np.where(s < 5, 360 * s, 360 * (s - 5) - 18_000))
    energy = record.results()["energy_wh"]
    assert energy.value == pytest.approx(1.0, rel=0.001)
    assert "99.0 % of the window" in energy.note


@pytest.mark.parametrize("watts", [-200.0, 300.0])
def test_an_integrator_that_falls_has_no_energy_and_says_why(
    record: Record, watts: float
) -> None:
    """It counts down, or energy was fed back; neither is a hole in its readings."""
    record.add(channel("a", "P", "W"), [watts] * 100)
    record.integrate(lambda s: 1000.0 - abs(watts) * s)
    energy = record.results()["energy_wh"]
    assert (energy.value, record.results()["power_w"].value) == (None, watts)
    assert "falls" in energy.note
    assert "covers" not in energy.note


@pytest.mark.parametrize("by", [-0.5, 0.5, -5.0, 0.05])
def test_a_reading_of_an_integrator_that_is_misread_is_no_energy(
    record: Record, by: float
) -> None:
    record.add(channel("a", "P", "W"), [360.0] * 99 + [float("nan")])
    record.integrate(
        lambda s: 20_000 + 360 * s + np.where((s > 4) & (s < 4.1), 3600 * by, 0)
    )
    found = record.results()
    assert found["energy_wh"].value == pytest.approx(1.0, rel=1e-6)
    assert found["power_w"].value == pytest.approx(360)


@pytest.mark.parametrize(
    ("watts", "expected"),
    [
        # It was set back, and by chance one step led to where it had been.
        ([1872.0], 0.150 * 100 / 99),
        # Power was never as high: one reading was misread.
        ([36.0], 0.1),
        ([np.nan] * 5, None),
    ],
)
def test_power_tells_whether_an_integrator_was_set_back_or_misread(
    record: Record, watts: list[float], expected: float | None
) -> None:
    """It showed 49, 50, 0, 52, 53 mWh, a tenth of a second each."""
    around = [36.0] * (35 - len(watts) // 2)
    record.add(channel("a", "P", "W"), [*around, *watts, *around, *[36.0] * 30][:100])
    shown_mwh = np.r_[15:51, 0, 52:119]
    record.integrate(lambda _: 3.6 * shown_mwh - 5 * 3600)
    assert record.results()["energy_wh"].value == (expected and pytest.approx(expected))


def test_an_integrator_that_is_set_back_before_a_large_step_is_not_misread(
    record: Record,
) -> None:
    """It lacks what it counted as it was set back, and not the step after it."""
    shown_mwh = np.r_[1, 2, 3, 4, 50, 0, 60, 61:158]
    record.integrate(lambda _: 3.6 * shown_mwh - 5 * 3600)
    energy = record.results()["energy_wh"]
    assert energy.value == pytest.approx(0.203 * 100 / 99)


def test_an_integrator_that_is_set_back_by_each_of_short_steps_keeps_its_readings(
    record: Record,
) -> None:
    """As a simulated one in a row of half a second, after a pause between steps."""
    seconds = np.array([-0.4, -0.3, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    counted = [0.0429, 0.0647, 0.0437, 0.0649, 0.0857, 0.1064, 0.1263, 0.1461]
    times = START + (seconds * SECOND).astype(np.int64)
    energy = (channel("a", "Wh", "Wh"),)
    pause = START - 3 * SECOND // 10, START
    record.writer.append_trace(energy, times[:2], times[:2], np.c_[counted[:2]])
    record.writer.gap(energy, *pause, Status.STALE, "settings between two steps")
    record.writer.append_trace(energy, times[2:], times[2:], np.c_[counted[2:]])
    record.writer.commit()
    window = START, START + SECOND // 2
    with Session.open(record.path) as session:
        found = {one.name: one for one in step_results(session, window)}
    assert found["energy_wh"].value == pytest.approx(0.1461 - 0.0437)


def test_an_integrator_that_falls_in_a_part_of_the_window_says_so(
    record: Record,
) -> None:
    record.integrate(lambda s: 9000 + np.where(s < 7, 360 * s, 360 * (14 - s)))
    energy = record.results()["energy_wh"]
    assert energy.value is None
    assert "falls" in energy.note


def test_two_readings_of_a_moment_that_contradict_are_none(record: Record) -> None:
    times = START + (np.arange(100) * SECOND) // 10
    three = np.sort(np.r_[times, times[:30], times[:10]])
    watts = np.full(three.size, 500.0)
    watts[2:30:3] = 900.0  # the third reading of each of the first ten moments
    one = (channel("a", "P", "W"),)
    record.writer.append_trace(one, three, three, watts.reshape(-1, 1))
    power = record.results()["power_w"]
    assert power.value == pytest.approx(500)
    assert (power.n_valid, power.n_expected) == (90, 100)


def test_of_a_moment_the_reading_that_is_one_counts(record: Record) -> None:
    times = START + (np.arange(100) * SECOND) // 10
    twice = np.repeat(times, 2)
    watts = np.tile([np.nan, 500.0], 100).reshape(-1, 1)
    record.writer.append_trace((channel("a", "P", "W"),), twice, twice, watts)
    power = record.results()["power_w"]
    assert power.value == pytest.approx(500)
    assert power.n_valid == 100


def test_a_reading_that_is_there_twice_counts_once(record: Record) -> None:
    """As in a log that tells some rows twice: 500 W are no heavier than 700 W."""
    times = START + (np.arange(100) * SECOND) // 10
    twice = np.sort(np.r_[times, times[:50]])
    watts = np.where(twice < START + 5 * SECOND, 500.0, 700.0).reshape(-1, 1)
    record.writer.append_trace((channel("a", "P", "W"),), twice, twice, watts)
    power = record.results()["power_w"]
    assert power.value == pytest.approx(600, rel=0.002)
    assert (power.n_valid, power.n_expected) == (100, 100)


def test_a_long_gap_leaves_the_energy_unknown_and_says_so(record: Record) -> None:
    gap = (4, 6)
    record.integrate(lambda s: np.where((s > gap[0]) & (s < gap[1]), np.nan, 360.0 * s))
    energy = record.results()["energy_wh"]
    assert energy.value is None
    assert energy.note == (
        "the analyser's integrator covers 79.0 % of the window, 97.0 % are needed"
    )


@pytest.mark.parametrize("status", [None, Status.TIMEOUT])
def test_an_integrator_goes_on_over_missed_beats_but_not_over_a_lost_link(
    record: Record, status: Status | None
) -> None:
    energy = (channel("a", "Wh", "Wh"),)
    tenth = SECOND // 10
    for number in (*range(40), *range(60, 101)):
        at = START + number * tenth
        if number == 60 and status:
            record.writer.gap(energy, at - 20 * tenth, at, status, "it does not answer")
        reading = Reading(energy, at, at, (7 + number * 0.01,), (Status.OK,))
        record.writer.append([reading])
    found = record.results()["energy_wh"]
    if status:
        assert found.value is None
    else:
        assert found.value == pytest.approx(1.0, rel=1e-6)
        assert "100.0 % of the window" in found.note


def test_without_an_integrator_energy_is_mean_power_times_time(
    record: Record,
) -> None:
    record.add(channel("a", "P", "W"), [360.0] * 100)
    record.add(channel("b", "P", "W"), [360.0] * 99 + [float("nan")])
    energy = record.results()["energy_wh"]
    assert energy.value == pytest.approx(2.0)
    assert energy.note == "mean power x time, no integrator was recorded"


def test_without_an_integrator_a_long_gap_leaves_no_energy(record: Record) -> None:
    record.add(channel("a", "P", "W"), [360.0] * 90 + [float("nan")] * 10)
    energy = record.results()["energy_wh"]
    assert energy.value is None
    assert energy.note == (
        "mean power x time needs 97.0 % of the window, 90.0 % are known"
    )


@pytest.mark.parametrize("period_s", [0.1, 0.7, 1.0, 2.5])
def test_energy_is_interpolated_at_both_edges(record: Record, period_s: float) -> None:
    """100 W, and 900 W from 4.3 s on: what a slow meter shows beyond counts, too."""
    record.integrate(lambda s: 100 * s + 800 * np.maximum(0, s - 4.3), period_s)
    energy = record.results()["energy_wh"]
    assert energy.value == pytest.approx((1000 + 800 * 5.7) / 3600, rel=1e-3)
    assert energy.resolution == pytest.approx(5560 / 3600 * period_s / 10)


@pytest.mark.parametrize("beats", [slice(3, None), slice(None, -3)])
def test_energy_is_unknown_where_no_reading_lies_beyond_an_edge(
    record: Record, beats: slice
) -> None:
    record.integrate(lambda s: 360 * s, 1.0, beats)
    energy = record.results()["energy_wh"]
    assert energy.value is None
    assert energy.note.startswith("the analyser's integrator has no reading before and")


def test_an_integrator_that_tells_whole_watt_hours_says_so(record: Record) -> None:
    record.integrate(lambda s: 3600 * np.floor(s * 1e4 / 3600))
    assert record.results()["energy_wh"].resolution == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("step_wh", "counted", "why"),
    [
        (0.01, 1.0, ""),
        (0.1, 1.0, "the integrator counts in steps of 0.1 Wh, too coarse for it"),
        (100.0, 1.0, "the integrator did not count on in the window"),
    ],
)
def test_a_counter_that_is_too_coarse_gives_way_to_mean_power(
    record: Record, step_wh: float, counted: float, why: str
) -> None:
    """As that of a power strip, which counts tenths of a kilowatt-hour."""
    record.add(channel("a", "P", "W"), [360.0] * 100)
    step = 3600 * step_wh
    record.integrate(lambda s: step * np.floor((360 * s + 100) / step))
    found = record.results()
    energy = found["energy_wh"]
    assert energy.value == pytest.approx(counted, rel=0.02)
    assert ("energy_by_mean_wh" in found) is not bool(why)
    if why:
        assert energy.note == f"mean power x time, {why}"
        assert energy.basis == Basis.MEAN_POWER
    assert not unequal_energy(found.values())


@pytest.mark.parametrize("known", [0, 90])
def test_a_counter_that_stands_still_says_nothing_where_power_is_not_known(
    record: Record, known: int
) -> None:
    """As one of whole kilowatt-hours: what it took is less, and not nothing."""
    if known:
        watts = [360.0] * known + [float("nan")] * (100 - known)
        record.add(channel("a", "P", "W"), watts)
    record.integrate(lambda s: 0 * s)
    energy = record.results()["energy_wh"]
    assert energy.value is None
    assert energy.note.startswith("the integrator did not count on in the window")
    assert ("needs 97.0 % of the window, 90.0 % are known" in energy.note) is bool(
        known
    )


def test_a_counter_that_stands_still_at_no_power_has_counted_nothing(
    record: Record,
) -> None:
    record.add(channel("a", "P", "W"), [0.0] * 100)
    record.integrate(lambda s: 0 * s)
    assert record.results()["energy_wh"].value == 0


@pytest.mark.parametrize(
    ("seconds", "lacking", "by_energy"),
    # Held readings at both edges, as where a display is read twice: a beat of energy
    # lacks. In a longer window, or where more readings lack, it counts for less.
    [(1, [5], False), (1, [4, 5], False), (1, [3, 4, 5, 6], True), (10, [50], False)],
)
def test_a_short_windows_power_is_not_of_the_integrators_edges(
    record: Record, seconds: int, lacking: list[int], by_energy: bool
) -> None:
    window = (START, START + seconds * SECOND)
    tenths = np.arange(-1, 10 * seconds + 2)
    counted = np.where(tenths >= 10 * seconds, 10 * seconds - 1, tenths)
    times = START + tenths * (SECOND // 10)
    record.writer.append_trace(
        (channel("a", "Wh", "Wh"),), times, times, (1 + counted / 100).reshape(-1, 1)
    )
    watts = np.full(10 * seconds, 360.0)
    watts[lacking] = np.nan
    record.add(channel("a", "P", "W"), watts.tolist(), seconds)
    record.writer.finish()
    with Session.open(record.path) as session:
        found = {r.name: r for r in step_results(session, window)}
    power = found["power_w"]
    energy = found["energy_wh"].value
    assert energy is not None
    assert energy == pytest.approx((10 * seconds - 1) / 100)
    assert power.n_valid == 10 * seconds - len(lacking)
    assert power.value == pytest.approx(energy * 3600 / seconds if by_energy else 360)
    assert (power.origin == "a.Wh, a.P") == by_energy


@pytest.mark.parametrize(("start_s", "power"), [(3.1, None), (2.9, 300.0)])
def test_an_integrator_that_tells_too_little_makes_no_power(
    record: Record, start_s: float, power: float | None
) -> None:
    """Readings at whole seconds, and a window of 0.6 s of which it tells 1 s."""
    seconds = np.arange(-2.0, 13.0)
    times = START + (seconds * SECOND).astype(np.int64)
    for quantity, unit, values in (
        ("P", "W", np.full(15, 300.0)),
        ("Wh", "Wh", 1 + 300 * (seconds + 2) / 3600),
    ):
        one = Channel("a", quantity, unit, period_ns=SECOND)
        record.writer.append_trace((one,), times, times, values.reshape(-1, 1))
    window = START + round(start_s * SECOND), START + round((start_s + 0.6) * SECOND)
    record.writer.finish()
    with Session.open(record.path) as session:
        found = {r.name: r for r in step_results(session, window)}
    assert found["power_w"].value == power
    assert found["energy_by_mean_wh"].n_valid == (0 if power is None else 1)
    if power is None:
        assert found["power_w"].note.startswith("no reading of a.P")


@pytest.mark.parametrize(
    ("scale", "is_equal"), [(1.0, True), (1.005, True), (0.9, False)]
)
def test_energy_that_contradicts_power_is_told(
    record: Record, scale: float, is_equal: bool
) -> None:
    record.add(channel("a", "P", "W"), [360.0] * 100)
    record.integrate(lambda s: 360 * scale * s)
    found = record.results()
    assert (unequal_energy(found.values()) == "") == is_equal
    assert found["power_w"].value == pytest.approx(360)


def test_no_energy_at_all_is_zero_and_no_crash(record: Record) -> None:
    record.add(channel("a", "P", "W"), [0.2] * 100)
    record.integrate(lambda seconds: 0 * seconds)
    found = record.results()
    assert found["energy_wh"].value == 0
    assert unequal_energy(found.values()) == ""
    assert found["energy_by_mean_wh"].value == pytest.approx(0.2 * 10 / 3600)


def test_energy_is_unknown_where_one_feed_does_not_integrate(record: Record) -> None:
    record.add(channel("a", "P", "W"), [300.0] * 100)
    record.add(channel("a", "Wh", "Wh"), list(np.arange(100) * 300 / 36000))
    record.add(channel("b", "P", "W"), [60.0] * 100)
    found = record.results()
    assert found["energy_wh"].value is None
    assert found["energy_wh"].note == "b does not integrate energy"
    assert found["energy_by_mean_wh"].value == pytest.approx(360 * 10 / 3600)


def test_an_integrator_that_there_is_not_leaves_energy_to_the_mean_power(
    record: Record,
) -> None:
    record.add(channel("a", "P", "W"), [360.0] * 100)
    none = (channel("a", "Wh", "Wh"),)
    for second in range(10):
        at = START + second * SECOND
        record.writer.append([Reading(none, at, at, (0.0,), (Status.UNSUPPORTED,))])
    energy = record.results()["energy_wh"]
    assert energy.value == pytest.approx(1.0)
    assert energy.note == "mean power x time, no integrator was recorded"


def test_energy_without_a_mean_says_why_there_is_none(record: Record) -> None:
    """So little lacks that the time would do, but power was highest beside it."""
    seconds = np.delete(np.arange(100) / 10, slice(48, 50))
    times = START + np.round(seconds * SECOND).astype(np.int64)
    values = np.where(np.abs(seconds - 4.85) < 0.2, 4_000.0, 10.0)
    one = channel("a", "P", "W")
    record.writer.append_trace((one,), times, times, values[:, None])
    found = record.results()
    assert found["energy_wh"].value is None
    assert found["power_w"].note == found["energy_wh"].note == NoMean.UNLIKE
