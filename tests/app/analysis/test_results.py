"""Results, computed from a real session file."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.analysis.peak import highest_mean, peak_note
from app.analysis.power import NoMean, unequal_energy
from app.analysis.results import (
    energy_mean,
    silent_channels,
    step_results,
)
from app.analysis.samples import Floats
from app.record.store import Result, Session, SessionInfo, Writer
from instruments.reading import SECOND, Channel, Identity, Reading, Status

START = 1_000 * SECOND
WINDOW = (START, START + 10 * SECOND)


def channel(source: str, quantity: str, unit: str, location: str = "") -> Channel:
    period = SECOND // 10 if quantity in ("P", "S", "Wh") else SECOND
    return Channel(source, quantity, unit, location, period_ns=period)


def info() -> SessionInfo:
    return SessionInfo(
        name="test",
        campaign="",
        bench="",
        operator="",
        app_version="0",
        simulated=True,
        dut="dut",
        boot_id="boot",
        monotonic_ns=START,
        realtime_ns=START,
    )


class Record:
    """A session file that is written channel by channel and then read."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "x.bayscope"
        self.writer = Writer.create(self.path, info())
        for name, section in (("a", "power"), ("b", "power"), ("ses", "thermal")):
            self.writer.add_source(
                name, section, "test", Identity("", "", "", "", ""), ""
            )

    def add(self, one: Channel, values: list[float], seconds: float = 10.0) -> None:
        """Spread the values evenly over the window."""
        count = len(values)
        times = START + ((np.arange(count) + 0.5) * seconds / count * 1e9).astype(int)
        self.writer.append_trace(
            (one,), times, times, np.array(values, dtype=float).reshape(-1, 1)
        )

    def integrate(
        self,
        watt_seconds: Callable[[Floats], Floats],
        period_s: float = 0.1,
        beats: slice = slice(None),
    ) -> None:
        """Add what an integrator shows on its beat, from before to after the window.

        Args:
            watt_seconds: What it has counted at a time in s since the window began.
            period_s: Its beat.
            beats: Which of them there are; the first lies before the window.
        """
        late = round(0.3 * period_s * SECOND)
        beat = round(period_s * SECOND)
        times = (START - late + beat * np.arange(-1, 10 * SECOND // beat + 3))[beats]
        values = 5 + watt_seconds((times - START) / SECOND) / 3600
        energy = Channel("a", "Wh", "Wh", period_ns=beat)
        self.writer.append_trace((energy,), times, times, values.reshape(-1, 1))

    def results(self) -> dict[str, Result]:
        self.writer.commit()
        self.writer.finish()
        with Session.open(self.path) as session:
            return {r.name: r for r in step_results(session, WINDOW)}


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path)


def test_power_is_the_mean_over_the_window_with_its_counts(record: Record) -> None:
    record.add(channel("a", "P", "W"), [500.0] * 50 + [700.0] * 50)
    power = record.results()["power_w"]
    assert power.value == pytest.approx(600)
    assert (power.n_valid, power.n_expected) == (100, 100)
    assert power.origin == "a.P"
    assert (power.start_ns, power.end_ns) == WINDOW


def test_feeds_are_summed_and_lambda_is_p_over_s(record: Record) -> None:
    record.add(channel("a", "P", "W"), [300.0] * 100)
    record.add(channel("b", "P", "W"), [100.0] * 100)
    record.add(channel("a", "S", "VA"), [300.0] * 100)
    record.add(channel("b", "S", "VA"), [200.0] * 100)
    found = record.results()
    assert found["power_w"].value == pytest.approx(400)
    assert found["apparent_va"].value == pytest.approx(500)
    assert found["lambda"].value == pytest.approx(0.8)


def test_a_silent_feed_leaves_the_sum_unknown(record: Record) -> None:
    record.add(channel("a", "P", "W"), [300.0] * 100)
    record.add(channel("b", "P", "W"), [float("nan")] * 100)
    found = record.results()["power_w"]
    assert found.value is None
    assert (found.n_valid, found.n_expected) == (0, 100)


@pytest.mark.parametrize("count", [100, 200])
def test_a_sum_is_known_only_where_all_its_feeds_are(
    record: Record, count: int
) -> None:
    """However often a feed is read, it is there for so much of the window."""
    nan = float("nan")
    feed = Channel("a", "P", "W", period_ns=10 * SECOND // count)
    record.add(feed, [300.0] * (count // 2) + [nan] * (count // 2))
    record.add(channel("b", "P", "W"), [nan] * 30 + [100.0] * 70)
    found = record.results()["power_w"]
    assert found.n_expected == 100
    assert found.n_valid == pytest.approx(20, abs=1)


def test_feeds_are_summed_over_the_time_in_which_all_are_there(record: Record) -> None:
    """The one that stays may have another load while the other one is gone."""
    nan = float("nan")
    record.add(channel("a", "P", "W"), [500.0] * 50 + [100.0] * 50)
    record.add(channel("b", "P", "W"), [nan] * 50 + [100.0] * 50)
    record.add(channel("a", "S", "VA"), [500.0] * 50 + [125.0] * 50)
    record.add(channel("b", "S", "VA"), [nan] * 50 + [125.0] * 50)
    results = record.results()
    assert results["power_w"].value == pytest.approx(200, rel=0.01)
    assert results["lambda"].value == pytest.approx(0.8, rel=0.02)
    assert results["power_w"].n_valid == 50


def test_gaps_are_neither_zero_nor_filled(record: Record) -> None:
    record.add(channel("a", "P", "W"), [600.0] * 30 + [float("nan")] * 70)
    power = record.results()["power_w"]
    assert power.value == pytest.approx(600)
    assert (power.n_valid, power.n_expected) == (30, 100)


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


@pytest.mark.parametrize("by", [-0.5, 0.5, -5.0])
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


def bursts(seconds: Floats) -> Floats:
    return np.where(seconds < 5, 100.0, 1000.0)


def read_at(record: Record, seconds: Floats, watts: Floats) -> None:
    times = START + (seconds * SECOND).astype(np.int64)
    record.writer.append_trace(
        (channel("a", "P", "W"),), times, times, watts.reshape(-1, 1)
    )


@pytest.mark.parametrize("beat_s", [0.5, 1.0])
@pytest.mark.parametrize("integrated", [True, False])
def test_beats_that_are_missed_under_load_do_not_bias_the_mean(
    record: Record, beat_s: float, integrated: bool
) -> None:
    """550 W; the mean of the samples would be 182 W at one beat a second."""
    seconds = np.concatenate(
        (np.arange(0.05, 5, 0.1), np.arange(5 + beat_s / 2, 10, beat_s))
    )
    read_at(record, seconds, bursts(seconds))
    if integrated:
        record.integrate(lambda s: 100 * s + 900 * np.maximum(0, s - 5))
    power = record.results()["power_w"]
    assert power.n_valid == 50 + 5 / beat_s
    assert power.value == (pytest.approx(550, rel=0.002) if integrated else None)
    assert integrated or "may be unlike the rest" in power.note


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


def test_readings_that_lack_under_load_count_though_they_are_few(
    record: Record,
) -> None:
    """Of 1000 W for 0.2 s nothing was read: 18 W of the mean, 2 W at the edges."""
    watts = np.full(100, 100.0)
    watts[50:52] = np.nan
    record.add(channel("a", "P", "W"), watts.tolist())
    record.integrate(lambda s: 100 * s + 900 * np.clip(s - 5, 0, 0.2))
    assert record.results()["power_w"].value == pytest.approx(118, rel=0.01)


def test_beats_that_tremble_weigh_by_the_time_between_them(record: Record) -> None:
    """Readings come faster while power is low: 0.08 s apart, then 0.12 s."""
    seconds = np.concatenate((np.arange(0.04, 5, 0.08), np.arange(5.02, 10, 0.12)))
    watts = bursts(seconds)
    read_at(record, seconds, watts)
    power = record.results()["power_w"]
    assert power.value == pytest.approx(550, rel=0.005)
    assert watts.mean() < 465


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


def test_temperatures_are_ambient_coldest_and_hottest(record: Record) -> None:
    record.add(channel("ses", "temperature", "degC", "inlet"), [26.0] * 10)
    record.add(channel("ses", "temperature", "degC", "slot00"), [30.0] * 10)
    record.add(channel("ses", "temperature", "degC", "slot59"), [45.0] * 9 + [46.0])
    found = record.results()
    assert found["ambient_c"].value == 26
    assert found["drive_min_c"].value == 30
    assert found["drive_max_c"].value == 46


def test_noise_is_averaged_by_energy(record: Record) -> None:
    record.add(channel("ses", "LAeq", "dB"), [50.0] * 5 + [60.0] * 5)
    assert record.results()["noise_db"].value == pytest.approx(57.404, abs=1e-3)


def test_energy_mean_of_equal_levels_is_the_level() -> None:
    assert energy_mean(np.array([54.0, 54.0])) == pytest.approx(54)


def test_a_peak_is_the_highest_mean_over_its_window() -> None:
    times = (np.arange(100) * 1e8).astype(np.int64)
    values = np.full(100, 100.0)
    values[50] = 600.0
    assert highest_mean([(times, values)], 0.5) == pytest.approx(200)
    assert highest_mean([(times[:3], values[:3])], 0.5) is None
    shaken = times + np.tile([0, 3_000_000, -2_000_000, 1_000_000], 25)
    assert highest_mean([(shaken, values)], 0.5) == pytest.approx(200)
    slow = (times[::10], values[::10])
    assert highest_mean([slow], 0.5) is None
    assert peak_note([slow], 0.5, None).endswith("the meter gives one every 1000 ms")


def test_a_peak_says_how_much_of_a_short_pulse_may_lack() -> None:
    """Readings are means over 80 ms each, and the pulse is as long as the window."""
    fine = np.arange(40_000)  # half a millisecond each
    found = []
    for phase in range(160):
        power = np.where((fine >= 16_000 + phase) & (fine < 16_800 + phase), 900.0, 0.0)
        times = (np.arange(250) * 8e7).astype(np.int64)
        feed = (times, power.reshape(250, 160).mean(axis=1))
        peak = highest_mean([feed], 0.4)
        assert peak is not None
        found.append(peak)
        assert peak_note([feed], 0.4, peak).endswith("up to 10% of its height may lack")
    assert max(found) == pytest.approx(900)
    assert min(found) == pytest.approx(810)


def test_a_peak_over_a_missed_sample_is_not_made_up() -> None:
    times = (np.arange(100) * 1e8).astype(np.int64)
    values = np.full(100, 100.0)
    values[10:12], values[50:52] = 400.0, 600.0
    # The second hump lacks a sample beside it, wherever a window over both begins.
    kept = ~np.isin(np.arange(100), (49, 52))
    found = highest_mean([(times[kept], values[kept])], 0.5)
    assert found == pytest.approx((2 * 400 + 3 * 100) / 5)
    told = "0.2 s were not read, and a higher one may lie there"
    assert told in peak_note([(times, values), (times[kept], values[kept])], 0.5, found)
    assert "not read" not in peak_note([(times, values)], 0.5, found)
    every_third = (times[kept][::3], values[kept][::3])
    assert highest_mean([every_third], 0.5) is None
    torn = (times % 400_000_000) < 250_000_000
    feed = (times[torn], values[torn])
    assert highest_mean([feed], 0.5) is None
    assert peak_note([feed], 0.5, None) == "no 500 ms were read without a gap"


def test_the_peak_of_two_feeds_is_that_of_their_sum() -> None:
    times = (np.arange(100) * 1e8).astype(np.int64)
    one, other = np.full(100, 100.0), np.full(100, 80.0)
    one[20:25], other[60:65] = 300.0, 200.0
    feeds = [(times, one), (times + 50_000_000, other)]
    assert highest_mean(feeds, 0.5) == pytest.approx(380)
    assert highest_mean([feeds[0], (times[:1], other[:1])], 0.5) is None


def test_a_channel_without_a_value_is_found_unless_it_said_why(
    record: Record,
) -> None:
    record.add(channel("a", "P", "W"), [600.0] * 100)
    lost = channel("b", "P", "W")
    empty = channel("ses", "temperature", "degC", "slot07")
    record.writer.add_channels([lost])
    record.writer.add_channels([empty])
    record.writer.gap((empty,), *WINDOW, Status.ABSENT, "no drive")
    record.writer.gap((lost,), *WINDOW, Status.TIMEOUT, "no answer")
    record.writer.commit()
    record.writer.finish()
    with Session.open(record.path) as session:
        found = silent_channels(session, WINDOW, session.channels())
    assert [c.name for c in found] == ["b.P"]


def test_a_window_of_one_beat_may_lie_between_two_readings(record: Record) -> None:
    slow = Channel("ses", "temperature", "degC", "slot07", period_ns=6 * SECOND)
    record.add(channel("a", "P", "W"), [600.0] * 100)
    record.add(slow, [float("nan")] * 2)
    record.writer.commit()
    begin, end = WINDOW
    with Session.open(record.path) as session:
        assert silent_channels(session, WINDOW, [slow]) == [slow]
        # The reading that is due at 7 s may come at 7.01.
        assert (
            silent_channels(session, (begin + SECOND, end - 2 * SECOND), [slow]) == []
        )
    record.writer.finish()


def test_another_devices_meters_have_results_of_their_own(record: Record) -> None:
    record.writer.add_source("head", "power", "test", None, measures="server")
    record.writer.add_source("bmc", "thermal", "test", None)
    record.add(channel("a", "P", "W"), [300.0] * 100)
    record.add(channel("head", "P", "W"), [210.0] * 100)
    record.add(channel("head", "S", "VA"), [240.0] * 100)
    record.add(channel("bmc", "P", "W"), [290.0] * 10)
    found = record.results()
    assert found["power_w"].value == pytest.approx(300)
    assert found["server.power_w"].value == pytest.approx(210)
    assert found["server.lambda"].value == pytest.approx(210 / 240)
    assert "lambda" not in found


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


def test_why_there_is_no_mean_is_said_of_feeds_that_are_never_read_together(
    record: Record,
) -> None:
    one, other = channel("a", "P", "W"), channel("b", "P", "W")
    record.add(one, [100.0] * 50, 5.0)
    times = START + np.arange(60, 100) * (SECOND // 10)
    record.writer.append_trace((other,), times, times, np.full((40, 1), 100.0))
    found = record.results()
    assert found["power_w"].value is None
    assert found["power_w"].note == NoMean.NEVER_TOGETHER


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
