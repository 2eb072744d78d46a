"""What is not seen between readings, in mean power and in energy."""

from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
from app.analysis.rules.quality import Part, quality_of
from app.analysis.rules.row_figures import RowRecord
from app.analysis.samples import Floats, Samples
from app.analysis.scatter import random_of_mean, unseen_by_counter, unseen_in_mean
from app.record.store import Result, Session, Writer
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

BEAT_S = 5.0
KEYS = """[[power]]
name = "a"
driver = "hmc8015"
accuracy_reading = 0.0
accuracy_range = 0.0
"""


def read(seconds: Floats, watts: Floats, length_s: float, beat_s: float) -> Samples:
    period = round(beat_s * SECOND)
    feed = Channel("a", "P", "W", period_ns=period)
    window = (0, round(length_s * SECOND))
    none = Samples(feed, np.empty(0, np.int64), np.empty(0), 1, window)
    return none.holding(np.round(seconds * SECOND).astype(np.int64), watts)


def beats(length_s: float, phase_s: float) -> Floats:
    """Beats from the last one before a window that begins at 0 to the first after."""
    return np.arange(phase_s - BEAT_S, length_s + BEAT_S, BEAT_S)


@pytest.mark.parametrize("length_s", [7.0, 15.0, 17.0, 20.0, 60.0])
def test_a_jump_between_two_readings_is_within_what_is_not_seen(
    length_s: float,
) -> None:
    """From 300 to 800 W at any moment: off as far as it says, and hardly further."""
    random = np.random.default_rng(4)
    off, told = [], []
    for _ in range(1000):
        seconds = beats(length_s, BEAT_S * random.random())
        jump = random.uniform(seconds[0], seconds[-1])
        found = read(seconds, np.where(seconds < jump, 300.0, 800.0), length_s, BEAT_S)
        true = 800 - 500 * min(max(jump, 0), length_s) / length_s
        told.append(unseen_in_mean([found]) or 0.0)
        off.append((found.mean or 0.0) - true)
    assert np.std(off) == pytest.approx(np.sqrt(np.mean(np.square(told))), rel=0.05)
    assert np.mean(np.abs(off) <= 2 * np.array(told) + 1e-9) > 0.95


def test_what_stays_the_same_hides_nothing_and_feeds_may_make_up_for_each_other() -> (
    None
):
    seconds = beats(15.0, 2.0)
    flat = read(seconds, np.full(seconds.size, 500.0), 15.0, BEAT_S)
    assert unseen_in_mean([flat]) == 0
    up = read(seconds, np.linspace(100, 500, seconds.size), 15.0, BEAT_S)
    down = read(seconds, np.linspace(500, 100, seconds.size), 15.0, BEAT_S)
    assert (unseen_in_mean([up]) or 0) > 10
    assert unseen_in_mean([up, down]) == pytest.approx(0)
    assert unseen_in_mean([]) is None


def test_in_a_gap_power_was_anywhere_between_its_sides_and_the_mean() -> None:
    seconds = np.r_[np.arange(-1.0, 5.0), np.arange(14.0, 22.0)]
    found = read(seconds, np.where(seconds < 10, 496.0, 504.0), 20.0, 1.0)
    # 500.8 W are known; the gap may be 4.8 W lower, or 3.2 W higher.
    square = (4.8**2 - 4.8 * 3.2 + 3.2**2) / 3
    assert unseen_in_mean([found]) == pytest.approx(square**0.5 * 10 / 20)
    # Both sides are below the mean, which the gap is taken for: it is off one way.
    found = read(seconds, np.where(seconds < 3.5, 900.0, 300.0), 20.0, 1.0)
    below, jump = found.weighed.mean - 300, 600 / 20 / 12**0.5
    assert unseen_in_mean([found]) == pytest.approx(
        np.hypot(below * 10 / 20 / 3**0.5, jump)
    )
    seconds = np.arange(5.0, 22.0)  # none before it, and the mean is that of the rest
    found = read(seconds, np.full(seconds.size, 500.0), 20.0, 1.0)
    assert unseen_in_mean([found]) == 0


def test_a_counter_is_off_by_any_part_of_a_step_at_either_edge() -> None:
    random = np.random.default_rng(1)
    edges = random.uniform(-0.5, 0.5, (2, 100_000)).sum(axis=0)
    assert unseen_by_counter(3.0) == pytest.approx(3 * edges.std(), rel=0.01)


def results(
    path: Path, phase_s: float, *, integrates: bool, length_s: float = 15.0
) -> tuple[dict[str, Result], float | None]:
    """Read 300 W, and 800 W from 4 s on, and how good quality calls its scatter."""
    writer = Writer.create(path, session_info())
    writer.add_source("a", "power", "hmc8015", Identity("", "", "", "", ""), KEYS)
    seconds = beats(length_s, phase_s)
    counted = (300 * seconds + 500 * np.maximum(0, seconds - 4)) / 3600 + 100
    columns = {
        ("P", "W"): np.where(seconds < 4, 300.0, 800.0),
        ("U_range", "V"): np.full(seconds.size, 300.0),
        ("I_range", "A"): np.full(seconds.size, 10.0),
    }
    if integrates:
        columns["Wh", "Wh"] = counted
    start = 1_000 * SECOND
    times = start + np.round(seconds * SECOND).astype(np.int64)
    period = round(BEAT_S * SECOND)
    channels = tuple(Channel("a", q, u, period_ns=period) for q, u in columns)
    writer.append_trace(channels, times, times, np.column_stack([*columns.values()]))
    writer.add_step(1, "Read", "idle", "")
    writer.finish()
    window = (start, start + round(length_s * SECOND))
    with Session.open(path) as session:
        found = {one.name: one for one in step_results(session, window)}
        (step,) = session.steps()
        row = RowRecord(session, step.id, step.label, window, found)
        return found, quality_of(row).parts[Part.SCATTER]


@pytest.mark.parametrize("length_s", [15.0, 20.0])
@pytest.mark.parametrize("integrates", [True, False])
@pytest.mark.parametrize("phase_s", [0.5, 1.5, 2.5, 3.5, 3.9, 4.5])
def test_the_power_of_a_slow_meter_is_known_no_better_than_its_beat(
    tmp_path: Path, phase_s: float, integrates: bool, length_s: float
) -> None:
    found, quality = results(
        tmp_path / "s.bayscope", phase_s, integrates=integrates, length_s=length_s
    )
    power = found["power_w"]
    true = 800 - 500 * 4 / length_s
    assert power.value is not None
    assert power.u_scatter is not None
    assert abs(power.value - true) <= 2 * power.u_scatter
    hours = length_s / 3600
    energy = found["energy_by_mean_wh" if integrates else "energy_wh"]
    assert abs((energy.value or 0) - true * hours) <= 2 * (energy.u_scatter or 0)
    assert quality == 0
    if phase_s == 4.5:  # All readings within are 800 W and do not scatter.
        jump = (4.5 / 5) ** 2 * (0.1 + 0.3 - 0.55**2)
        expected = 500 * 5 / length_s * jump**0.5
        assert power.u_scatter == pytest.approx(expected)
        assert energy.u_scatter == pytest.approx(expected * hours)


def test_a_mean_of_a_meter_of_unknown_errors_has_it_in_its_quality() -> None:
    seconds = beats(15.0, 4.5)
    found = read(seconds, np.where(seconds < 4, 300.0, 800.0), 15.0, BEAT_S)
    assert random_of_mean([found]) == unseen_in_mean([found]) != 0
