"""Offsets found in made-up traces whose true offset is known."""

import math
from dataclasses import replace

import numpy as np
import pytest

from app.analysis.align.bursts import Burst, find_bursts
from app.analysis.align.result import Alignment
from app.analysis.align.step import align, find_levels
from instruments.reading import SECOND
from tests.app.analysis.clap import Clap


def aligned(clap: Clap) -> Alignment:
    return align(clap.bursts, clap.channel, *clap.power())


def error_ms(clap: Clap) -> float:
    found = aligned(clap)
    assert found.offset_ns is not None, found.why_not
    return found.offset_ns / 1e6 + 1000 * clap.late_s


@pytest.mark.parametrize(
    "late_s", [-2.6, -1.0, -0.35, -0.05, 0.0, 0.013, 0.1, 0.25, 0.8, 1.9, 2.7]
)
def test_the_true_offset_is_found_in_a_wide_range(late_s: float) -> None:
    errors = [error_ms(Clap(late_s, seed=seed)) for seed in range(4)]
    assert max(abs(error) for error in errors) < 10


@pytest.mark.parametrize("lag_s", [0.02, 0.1, 0.3])
def test_a_slow_edge_counts_from_half_way_up(lag_s: float) -> None:
    clap = Clap(0.1, lag_s=lag_s)
    found = aligned(clap)
    assert found.offset_ns is not None
    half_way_ms = -100 - 1000 * lag_s * math.log(2)
    assert found.offset_ns / 1e6 == pytest.approx(half_way_ms, abs=15)
    # From a tenth to nine tenths an exponential takes ln 9 time constants.
    expected = max(1000 * lag_s * math.log(9), 80)
    assert found.edge_ns / 1e6 == pytest.approx(expected, rel=0.35)


def test_the_spread_tells_the_error() -> None:
    claps = [Clap(0.1, noise_w=25, lag_s=0.1, seed=seed) for seed in range(12)]
    found = [aligned(clap) for clap in claps]
    offsets = [one.offset_ns for one in found if one.offset_ns is not None]
    assert len(offsets) == len(claps)
    spread = float(np.mean([one.spread_ns for one in found]))
    assert spread / 2 < np.std(offsets) < 2 * spread
    assert spread < 20e6


def test_twice_the_spread_holds_the_error_of_few_bursts() -> None:
    """Of five bursts in noise: it did in three of four."""
    claps = [Clap(0.08, noise_w=18, step_w=140, seed=seed) for seed in range(40)]
    found = [aligned(clap) for clap in claps]
    away = [abs((one.offset_ns or 0) + 80e6) <= 2 * one.spread_ns for one in found]
    assert np.mean(away) >= 0.9


def test_a_meter_of_1_hz_tells_how_well_its_edges_are_known() -> None:
    """Its levels are medians of few values; it told half of its error."""
    claps = [
        Clap(period_s=1, window_s=1, lag_s=0.3, noise_w=1, seed=seed)
        for seed in range(20)
    ]
    found = [aligned(clap) for clap in claps]
    half_way_ms = -100 - 278  # where a mean over 1 s of 1 - exp(-t / 0.3 s) is 0.5
    errors = [(one.offset_ns or 0) / 1e6 - half_way_ms for one in found]
    told = [one.spread_ns / 1e6 for one in found]
    away = [abs(one) <= 2 * spread for one, spread in zip(errors, told, strict=True)]
    assert np.mean(away) >= 0.95
    assert np.sqrt(np.mean(np.square(errors))) < np.mean(told)


def test_one_value_in_time_places_an_edge_between_two_of_them() -> None:
    """The gap between the values about it is the edge's own, however many bursts."""
    claps = [Clap(period_s=0.2, window_s=0.001, seed=seed) for seed in range(12)]
    found = [aligned(clap) for clap in claps]
    errors = [(one.offset_ns or 0) + 100e6 for one in found]
    told = np.array([one.spread_ns for one in found])
    assert np.all(np.abs(errors) <= 2 * told)
    assert np.sqrt(np.mean(np.square(errors))) > 0.4 * np.mean(told)


def test_a_window_with_time_between_admits_its_resolution() -> None:
    found = aligned(Clap(0.1, period_s=0.5, window_s=0.1))
    assert found.offset_ns == pytest.approx(-100e6, abs=60e6)
    assert found.spread_ns > 30e6


def test_gaps_are_left_out() -> None:
    clap = Clap(0.2)
    times, values = clap.power()
    values[::9] = np.nan
    found = align(clap.bursts, clap.channel, times, values)
    assert found.offset_ns == pytest.approx(-200e6, abs=15e6)


@pytest.mark.parametrize("number", range(10))
def test_an_edge_that_lies_in_a_gap_counts_for_nothing(number: int) -> None:
    clap = Clap(0.25)
    times, watts = clap.power()
    edges = [at for burst in clap.bursts for at in (burst.start_ns, burst.end_ns)]
    away = np.abs(times - edges[number] - 0.25 * SECOND) > 1.1 * SECOND
    found = align(clap.bursts, clap.channel, times[away], watts[away])
    assert found.offset_ns == pytest.approx(-0.25 * SECOND, abs=0.02 * SECOND)
    assert found.used == (5 if number % 2 else 4)


def test_levels_in_db_are_compared_as_energies() -> None:
    clap = Clap(0.2, period_s=0.5, window_s=0.5, step_w=1000, noise_w=5)
    times, power = clap.power()
    channel = replace(clap.channel, source="noise", quantity="LAeq", unit="dB")
    found = align(clap.bursts, channel, times, 10 * np.log10(power))
    assert found.offset_ns == pytest.approx(-200e6, abs=50e6)


def test_a_slow_channel_is_refused() -> None:
    found = aligned(Clap(period_s=2.0))
    assert found.offset_ns is None
    assert str(found) == (
        "mains.P is too slow for an offset: it has one value in 2 s, "
        "and edges are placed only by 1 s or less"
    )


def test_edges_that_are_not_distinct_are_refused() -> None:
    found = aligned(Clap(step_w=8))
    assert found.offset_ns is None
    assert "mains.P does not show the load: its levels lie" in found.why_not


def test_a_channel_that_does_something_else_is_refused() -> None:
    clap = Clap()
    times, _ = clap.power()
    square = np.where((times // SECOND) % 11 < 4, 600.0, 900.0)
    found = align(clap.bursts, clap.channel, times, square)
    assert found.offset_ns is None
    assert "its edges do not follow the load (correlation 0." in found.why_not


def test_too_few_bursts_or_values_are_refused() -> None:
    clap = Clap()
    times, values = clap.power()
    found = align(clap.bursts[:2], clap.channel, times, values)
    assert "2 bursts of load were found, 3 are needed" in found.why_not
    found = align((), clap.channel, times, values)
    assert "0 bursts of load were found" in found.why_not
    found = align(clap.bursts, clap.channel, times[::4], values[::4])
    assert "values in the alignment step" in found.why_not
    short = [Burst(b.start_ns, b.start_ns + 150_000_000) for b in clap.bursts]
    found = align(short, clap.channel, times, values)
    assert "of 0.1 s holds fewer than two" in found.why_not or (
        "of 0.2 s holds fewer than two" in found.why_not
    )


def test_fio_traces_at_2_hz_give_the_bursts() -> None:
    clap = Clap(seed=5)
    found = find_bursts(*clap.io(), SECOND // 2)
    assert len(found) == len(clap.bursts)
    for one, true in zip(found, clap.bursts, strict=True):
        assert one.start_ns == pytest.approx(true.start_ns, abs=2e6)
        # The last interval ends up to half a second before the load.
        assert -0.5e9 <= one.end_ns - true.end_ns <= 0


def test_a_first_and_last_interval_of_any_length() -> None:
    ends = SECOND * np.array([1.0, 1.38, 1.88, 2.38, 2.88, 3.38, 3.51])
    times = ((ends[:-1] + ends[1:]) / 2).astype(np.int64)
    [found] = find_bursts(times, np.full(6, 5e8), SECOND // 2)
    assert found.start_ns == pytest.approx(1.0 * SECOND, abs=2)
    assert found.end_ns == pytest.approx(3.51 * SECOND, abs=2)
    [short] = find_bursts(times[:2], np.full(2, 5e8), SECOND // 2)
    assert short.start_ns == pytest.approx(1.0 * SECOND, abs=70e6)


def test_edges_lie_within_the_intervals_of_a_trace_that_goes_on() -> None:
    clap = Clap(seed=6)
    found = find_bursts(*clap.io(goes_on=True), SECOND // 2)
    assert len(found) == len(clap.bursts)
    for one, true in zip(found, clap.bursts, strict=True):
        assert one.start_ns == pytest.approx(true.start_ns, abs=60e6)
        assert one.end_ns == pytest.approx(true.end_ns, abs=60e6)


@pytest.mark.parametrize("goes_on", [True, False])
def test_2_hz_of_io_and_10_hz_of_power_are_enough(goes_on: bool) -> None:
    for seed in range(4):
        clap = Clap(0.13, seed=seed)
        bursts = find_bursts(*clap.io(goes_on=goes_on), SECOND // 2)
        if not goes_on:  # a load tells when it ended
            pairs = zip(bursts, clap.bursts, strict=True)
            bursts = tuple(Burst(a.start_ns, b.end_ns) for a, b in pairs)
        found = align(bursts, clap.channel, *clap.power())
        assert found.offset_ns == pytest.approx(-130e6, abs=40e6)


def test_without_load_there_is_no_burst() -> None:
    none = np.array([], dtype=np.int64), np.array([])
    assert find_bursts(*none, SECOND // 2) == ()
    idle = np.arange(10) * SECOND, np.zeros(10)
    assert find_bursts(*idle, SECOND) == ()


def test_one_level_is_no_contrast() -> None:
    assert find_levels(np.full(100, 580.0)).contrast == 0.0
    assert find_levels(np.array([1.0])).contrast == 0.0
