"""Start-up numbers from recorded traces, and none where a trace does not support it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.analysis.samples import Floats
from app.analysis.startup import startup_results
from app.record.store import Result, Session, SessionInfo, Writer
from instruments.reading import SECOND, Channel, Identity
from instruments.simulated.physics import Enclosure

START = 1_000 * SECOND
NOBODY = Identity("", "", "", "", "")


def staggered(seconds: Floats) -> Floats:
    """Off for 3 s, electronics, then four groups of drives two seconds apart."""
    watts = np.where(seconds < 3, 15.0, 140.0)
    for group in range(4):
        since = seconds - 5 - 2 * group
        watts = watts + np.where(since >= 0, 110.0, 0.0)
        watts = watts + np.where((since >= 0) & (since < 3), 240.0, 0.0)
    return watts


def started(
    folder: Path,
    course: Callable[[Floats], Floats],
    *,
    period_s: float = 0.1,
    length_s: float = 40.0,
    feeds: int = 1,
    ready_ns: int | None = None,
    lost: slice | None = None,
) -> dict[str, Result]:
    path = folder / "x.bayscope"
    info = SessionInfo("x", "", "", "", "0", True, "dut", "boot", START, START)
    writer = Writer.create(path, info)
    random = np.random.default_rng(1)
    for number in range(feeds):
        name = f"feed{number}"
        writer.add_source(name, "power", "t", NOBODY, "")
        seconds = np.arange(period_s / 2, length_s, period_s)
        watts = course(seconds) / feeds + random.normal(0, 1.0, seconds.size)
        if lost is not None:
            watts[lost] = np.nan
        times = START + (seconds * SECOND).astype(np.int64)
        channel = Channel(name, "P", "W", period_ns=round(period_s * SECOND))
        writer.append_trace((channel,), times, times, watts.reshape(-1, 1))
    writer.commit()
    writer.finish()
    with Session.open(path) as session:
        window = (START, START + round(length_s * SECOND))
        return {r.name: r for r in startup_results(session, window, ready_ns)}


@pytest.mark.parametrize("feeds", [1, 2])
def test_a_staggered_start(tmp_path: Path, feeds: int) -> None:
    found = started(tmp_path, staggered, feeds=feeds)
    # Two groups overlap for a second: 140 + 2 x 110 + 2 x 240 and what ran before.
    highest = 140 + 4 * 110 + 2 * 240
    assert found["startup_peak_500ms_w"].value == pytest.approx(highest, abs=3)
    assert found["startup_peak_5000ms_w"].value == pytest.approx(920, abs=60)
    note = found["startup_peak_500ms_w"].note
    assert note.startswith("highest mean over 500 ms of real samples")
    steps = found["startup_steps"]
    assert steps.value == 5
    assert not steps.note.startswith("at least")
    assert " W after 2.0 s, 3" in steps.note
    ready = found["time_to_ready_s"]
    assert ready.value == pytest.approx(11.0, abs=0.2)  # from 3 s to 14 s
    assert ready.note == "from the rise of power to power within 5 % of its level " + (
        "at the end"
    )
    energy = (140 * 11 + 110 * (9 + 7 + 5 + 3) + 240 * 12) / 3600
    assert found["energy_to_ready_wh"].value == pytest.approx(energy, rel=0.02)
    assert found["energy_to_ready_wh"].end_ns - START == pytest.approx(14e9, abs=2e8)


@pytest.mark.parametrize("number", [5, 29, 30, 50, 51, 390])
def test_a_refresh_that_was_missed_hides_nothing(tmp_path: Path, number: int) -> None:
    found = started(tmp_path, staggered, lost=slice(number, number + 1))
    assert found["startup_steps"].value == 5
    assert found["time_to_ready_s"].value == pytest.approx(11.0, abs=0.2)


def test_a_given_moment_decides_when_it_was_ready(tmp_path: Path) -> None:
    found = started(tmp_path, staggered, ready_ns=START + 25 * SECOND)
    assert found["time_to_ready_s"].value == pytest.approx(22.0, abs=0.2)
    assert found["time_to_ready_s"].note.endswith("the given moment")
    (tmp_path / "early").mkdir()
    early = started(tmp_path / "early", staggered, ready_ns=START)
    assert early["time_to_ready_s"].value is None
    assert early["energy_to_ready_wh"].note == "it was ready before it was switched on"


def test_the_simulated_enclosure_has_no_distinct_steps(tmp_path: Path) -> None:
    def course(seconds: Floats) -> Floats:
        enclosure = Enclosure()
        enclosure.switch(False)
        watts = []
        for number, _ in enumerate(seconds):
            if number == 30:
                enclosure.switch(True)
            enclosure.advance(0.1)
            watts.append(enclosure.watts)
        return np.array(watts)

    found = started(tmp_path, course)
    assert found["startup_peak_500ms_w"].value == pytest.approx(1300, abs=5)
    assert found["startup_steps"].value is None
    assert "s without distinct steps" in found["startup_steps"].note
    assert found["time_to_ready_s"].value == pytest.approx(14, abs=3)


def test_a_slow_meter_has_no_short_peaks(tmp_path: Path) -> None:
    found = started(tmp_path, staggered, period_s=0.4)
    for window in (100, 200, 500):
        assert found[f"startup_peak_{window}ms_w"].value is None
    told = found["startup_peak_500ms_w"].note
    assert told.endswith(
        "needs two samples in it, and the meter gives one every 400 ms"
    )
    assert found["startup_peak_1000ms_w"].value == pytest.approx(1060, abs=30)


def test_a_trace_that_begins_too_late_tells_peaks_only(tmp_path: Path) -> None:
    found = started(tmp_path, lambda seconds: staggered(seconds + 4))
    assert found["startup_peak_500ms_w"].value is not None
    for name in ("startup_steps", "time_to_ready_s", "energy_to_ready_wh"):
        assert found[name].value is None
        assert "does not start with the device off" in found[name].note


def test_a_trace_that_ends_too_early_has_no_time_to_ready(tmp_path: Path) -> None:
    found = started(tmp_path, staggered, length_s=16.0)
    assert found["time_to_ready_s"].value is None
    assert found["time_to_ready_s"].note == "power did not settle for ten seconds"
    assert found["startup_steps"].value is None


def test_a_gap_leaves_the_energy_unknown(tmp_path: Path) -> None:
    found = started(tmp_path, staggered, lost=slice(60, 66))
    assert found["time_to_ready_s"].value == pytest.approx(11.0, abs=0.2)
    assert found["energy_to_ready_wh"].value is None
    assert found["energy_to_ready_wh"].note == "samples are missing in between"


def test_nothing_comes_of_nothing(tmp_path: Path) -> None:
    assert started(tmp_path, staggered, feeds=0) == {}
    (tmp_path / "flat").mkdir()
    flat = started(tmp_path / "flat", lambda seconds: np.full(seconds.size, 580.0))
    assert flat["startup_steps"].value is None


def test_what_rises_after_it_was_ready_is_no_step_of_its_start(tmp_path: Path) -> None:
    def hunting(seconds: Floats) -> Floats:
        """Give fans that never come to rest, from a second after the start."""
        fans = np.where((seconds > 21) & (seconds % 2 < 1), 60.0, 0.0)
        return staggered(seconds) + fans

    for name in ("told", "untold"):
        (tmp_path / name).mkdir()
    found = started(tmp_path / "told", hunting, ready_ns=START + 20 * SECOND)
    assert found["startup_steps"].value == 5
    assert started(tmp_path / "untold", hunting)["startup_steps"].value is None


@pytest.mark.parametrize(
    ("groups", "gap_s", "watts", "surge"),
    [(30, 0.5, 20, 40), (30, 0.5, 20, 0), (60, 0.4, 8, 0)],
)
def test_steps_that_overlap_or_are_too_small_are_told_as_a_lower_bound(
    tmp_path: Path, groups: int, gap_s: float, watts: float, surge: float
) -> None:
    def course(seconds: Floats) -> Floats:
        found = np.where(seconds < 3, 15.0, 140.0)
        for group in range(groups):
            since = seconds - 5 - gap_s * group
            found = found + np.where(since >= 0, watts, 0.0)
            found = found + np.where((since >= 0) & (since < 2.5), surge, 0.0)
        return found

    steps = started(tmp_path, course, length_s=100.0)["startup_steps"]
    assert steps.value is not None
    assert steps.value < groups + 1
    assert steps.note.startswith(f"at least {steps.value:.0f}: ")


@pytest.mark.parametrize("watts_per_s", [4.0, -1.6])
def test_what_goes_on_rising_or_falling_has_not_settled(
    tmp_path: Path, watts_per_s: float
) -> None:
    """Within 5 % of its level for ten seconds, and yet on its way."""

    def course(seconds: Floats) -> Floats:
        since = (seconds - 3).clip(0)
        level = 100.0 if watts_per_s > 0 else 400.0
        return np.where(seconds < 3, 0.0, level + watts_per_s * since)

    found = started(tmp_path, course, length_s=120.0)
    assert found["time_to_ready_s"].value is None
    assert found["startup_steps"].value is None


@pytest.mark.parametrize("seed", range(3))
def test_noise_between_steps_is_nothing_that_power_rose_by(
    tmp_path: Path, seed: int
) -> None:
    """Eleven steps in twenty seconds, and 2 W of noise: there are no others."""
    random = np.random.default_rng(seed)

    def course(seconds: Floats) -> Floats:
        rising = 100 + 50 * np.floor((seconds - 3) / 2).clip(0, 10)
        noise = random.normal(0, 2, seconds.size)
        return np.where(seconds < 3, 0.0, rising + noise)

    found = started(tmp_path, course, length_s=60.0, ready_ns=START + 30 * SECOND)
    steps = found["startup_steps"]
    assert steps.value == 11
    assert "at least" not in steps.note


@pytest.mark.parametrize(("noise", "told"), [(1.0, True), (30.0, False)])
def test_a_settled_power_that_goes_on_rising_by_less_is_a_lower_bound(
    tmp_path: Path, noise: float, told: bool
) -> None:
    """Sixty drives of 5 W, one each second: the last three are within 5 %."""

    def course(seconds: Floats) -> Floats:
        spun = np.clip(np.floor(seconds - 3), 0, 60)
        other = np.random.default_rng(3).normal(0, noise, seconds.size)
        return np.where(seconds < 3, 0.5, 20 + 5 * spun + other)

    ready = started(tmp_path, course, length_s=90.0)["time_to_ready_s"]
    assert ready.value is not None
    assert ready.value < 60
    assert ("at least" in ready.note) is told
    if told:
        until = float(ready.note.split("until ")[1].removesuffix(" s"))
        assert until == pytest.approx(60, abs=0.5)


def test_energy_to_ready_is_cut_at_both_edges(tmp_path: Path) -> None:
    """At one reading a second, of 300 W from 10 s on and ready at 20.3 s."""
    found = started(
        tmp_path,
        lambda seconds: np.where(seconds < 10, 0.5, 300.0),
        period_s=1.0,
        ready_ns=START + round(20.3 * SECOND),
    )["energy_to_ready_wh"]
    # It rises between 9.5 and 10.5 s, and the start is half way.
    expected = (300 * 9.8 + (150 + 300) / 2 * 0.5) / 3600
    assert found.value == pytest.approx(expected, rel=0.005)
