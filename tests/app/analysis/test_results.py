"""Results of power, temperature and noise, computed from a real session file."""

from pathlib import Path

import numpy as np
import pytest

from app.analysis.peak import highest_mean, peak_note
from app.analysis.power import NEGATIVE, NoMean
from app.analysis.results import (
    energy_mean,
    silent_channels,
    step_results,
)
from app.analysis.samples import Floats
from app.record.store import Session
from instruments.reading import SECOND, Channel, Status
from tests.app.analysis.record import START, WINDOW, Record, bursts, channel, read_at


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


@pytest.mark.parametrize(
    ("before", "after", "expected"), [(900.0, 900.0, 900.0), (300.0, 900.0, None)]
)
@pytest.mark.parametrize("is_end", [False, True])
def test_readings_that_lack_at_an_edge_are_judged_as_those_between(
    record: Record, before: float, after: float, expected: float | None, *, is_end: bool
) -> None:
    """From 3 s before the window to 2 s after its begin, or the last 2 s, none is."""
    seconds = np.arange(-6, 10, 0.1) + 0.05
    seconds = seconds[seconds < 8] if is_end else seconds[abs(seconds + 0.5) > 2.5]
    read_at(record, seconds, np.where(seconds < 5 * is_end, before, after))
    power = record.results()["power_w"]
    assert power.value == (expected and pytest.approx(expected))
    assert power.n_valid == 80


@pytest.mark.parametrize("shift_s", [0.0, 1.7, 3.1])
def test_a_fast_feed_counts_all_the_time_beside_a_slow_one(
    record: Record, shift_s: float
) -> None:
    """One is read each 5 s, now and then one beat late; both draw the same."""
    slow = np.array([-5.0, 0.5, 8.0, 12.0, 16.0]) - shift_s
    fast = np.arange(-6, 16, 0.1) + 0.05

    def watts(seconds: Floats) -> Floats:
        return np.where(seconds < 4, 300.0, 400.0)

    for name, seconds, period_s in (("a", slow, 5.0), ("b", fast, 0.1)):
        times = START + np.round(seconds * SECOND).astype(np.int64)
        feed = Channel(name, "P", "W", period_ns=round(period_s * SECOND))
        record.writer.append_trace((feed,), times, times, watts(seconds).reshape(-1, 1))
    own = np.interp(np.linspace(0, 10, 10_001), slow, watts(slow)).mean()
    expected = 0.4 * 300 + 0.6 * 400 + own
    assert record.results()["power_w"].value == pytest.approx(expected, rel=1e-4)


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


def test_a_negative_reading_counts_and_is_told(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.add(channel("a", "P", "W"), [600.0] * 50 + [-500.0] + [600.0] * 49)
    record.add(channel("b", "P", "W"), [-0.3] * 100)
    found = record.results()
    assert found["power_w"].value == pytest.approx(600 - 0.3 - 1100 / 99)
    negative = found[NEGATIVE]
    assert (negative.value, negative.n_valid) == (1, 100)
    assert negative.note == (
        "a.P is negative in 1 of 100 readings (down to -500 W), counted as read: is a "
        "current clamp the wrong way round, or is power fed in?"
    )


def test_noise_around_nothing_is_no_negative_power(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.add(channel("a", "P", "W"), [-0.9, 0.9] * 50)
    assert NEGATIVE not in record.results()


@pytest.mark.parametrize(("late_s", "count"), [(0.01, 101), (0.07, 100)])
def test_a_window_begins_anywhere_in_a_period(
    tmp_path: Path, late_s: float, count: int
) -> None:
    """Of 10.045 s at ten a second there are 100 readings or 101, and none lacks."""
    record = Record(tmp_path)
    read_at(record, np.arange(count) / 10 + late_s, np.full(count, 500.0))
    record.writer.commit()
    record.writer.finish()
    with Session.open(record.path) as session:
        results = step_results(session, (START, START + 10_045 * SECOND // 1000))
    found = next(one for one in results if one.name == "power_w")
    assert (found.n_valid, found.n_expected) == (count, count)
