"""What scatters, or is not seen, of lambda, of apparent power and of a peak."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
from app.analysis.samples import Floats
from app.analysis.scatter import mean_uncertainty
from app.record.store import Result, Session, Writer
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

START = 1_000 * SECOND
SECONDS = 12
KEYS = """[[power]]
name = "a"
driver = "hmc8015"
accuracy_reading = 0.1
accuracy_range = 0.05
accuracy_source = "certificate 4711"
"""


def results(
    folder: Path, watts: Callable[[Floats], Floats], factor: Callable[[Floats], Floats]
) -> dict[str, Result]:
    """Read power and lambda ten times a second, in the ranges 300 V and 10 A."""
    writer = Writer.create(folder / "s.bayscope", session_info())
    writer.add_source("a", "power", "hmc8015", Identity("", "", "", "", ""), KEYS)
    seconds = np.arange(-10, 10 * SECONDS + 10) / 10
    power, ratio = watts(seconds), factor(seconds)
    columns = {
        ("P", "W"): power,
        ("S", "VA"): power / ratio,
        ("U", "V"): np.full(seconds.size, 230.0),
        ("I", "A"): power / ratio / 230.0,
        ("U_range", "V"): np.full(seconds.size, 300.0),
        ("I_range", "A"): np.full(seconds.size, 10.0),
    }
    times = START + np.round(seconds * SECOND).astype(np.int64)
    period = SECOND // 10
    channels = tuple(Channel("a", q, u, period_ns=period) for q, u in columns)
    writer.append_trace(channels, times, times, np.column_stack([*columns.values()]))
    writer.finish()
    with Session.open(writer.path) as session:
        window = (START, START + SECONDS * SECOND)
        return {one.name: one for one in step_results(session, window)}


def test_two_meters_of_one_device_have_the_uncertainty_of_a_peak(
    tmp_path: Path,
) -> None:
    """Their readings take some time each; one peak is of five of both."""
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    seconds = np.arange(-10, 10 * SECONDS + 10) / 10
    times = START + np.round(seconds * SECOND).astype(np.int64)
    for name in "ab":
        writer.add_source(name, "power", "hmc8015", Identity("", "", "", "", ""), KEYS)
        units = {"P": "W", "U_range": "V", "I_range": "A"}
        channels = [
            Channel(name, q, u, period_ns=SECOND // 10) for q, u in units.items()
        ]
        values = np.tile([400.0, 300.0, 10.0], (seconds.size, 1))
        values[50:53, 0] = 900.0
        writer.append_trace(channels, times, times + 2_000_000, values)
    writer.finish()
    with Session.open(writer.path) as session:
        window = (START, START + SECONDS * SECOND)
        found = {one.name: one for one in step_results(session, window)}
    peak = found["power_peak_w"]
    assert peak.value == pytest.approx(2 * (3 * 900 + 2 * 400) / 5)
    assert (peak.u_scatter or 0) > 20


def test_lambda_scatters_as_its_own_readings_do_and_not_as_power(
    tmp_path: Path,
) -> None:
    def noisy(seconds: Floats) -> Floats:
        return 760 + 30 * np.random.default_rng(6).standard_normal(seconds.size)

    found = results(tmp_path, noisy, lambda s: np.full(s.size, 0.9))
    power, factor, apparent = (found[n] for n in ("power_w", "lambda", "apparent_va"))
    assert (power.u_scatter or 0) > 2
    assert factor.u_meter is not None
    assert factor.u_scatter == pytest.approx(0, abs=1e-12)
    assert apparent.u_scatter == pytest.approx((power.u_scatter or 0) / 0.9)


def test_a_lambda_that_scatters_is_known_as_well_as_its_readings_tell(
    tmp_path: Path,
) -> None:
    def noisy(seconds: Floats) -> Floats:
        random = np.random.default_rng(7).standard_normal(seconds.size)
        return 0.9 + 0.01 * random

    found = results(tmp_path, lambda s: np.full(s.size, 600.0), noisy)
    seconds = np.arange(-10, 10 * SECONDS + 10) / 10
    inside = (seconds >= 0) & (seconds < SECONDS)
    by_readings = mean_uncertainty([noisy(seconds)[inside]])
    assert found["power_w"].u_scatter == 0
    # With what is not seen between readings that are independent: a twelfth more.
    assert found["lambda"].u_scatter == pytest.approx(
        1.08 * (by_readings or 0), rel=0.1
    )


@pytest.mark.parametrize("phase_s", [0.0, 0.02, 0.05, 0.08])
@pytest.mark.parametrize("length_s", [0.5, 0.55, 0.7])
def test_a_peak_is_known_but_for_what_is_not_seen_between_its_readings(
    tmp_path: Path, phase_s: float, length_s: float
) -> None:
    """A pulse of 900 W on 300 W, read at moments; and power that stays as it is."""

    def pulse(seconds: Floats) -> Floats:
        since = seconds - 5.03 - phase_s
        return np.where((since >= 0) & (since < length_s), 1200.0, 300.0)

    def same(seconds: Floats) -> Floats:
        return np.full(seconds.size, 0.9)

    peak = results(tmp_path, pulse, same)["power_peak_w"]
    assert abs((peak.value or 0) - 1200) <= 2 * (peak.u_scatter or 0) + 1e-9
    assert (peak.u_scatter or 0) < 100
    (tmp_path / "s.bayscope").unlink()
    flat = results(tmp_path, lambda s: np.full(s.size, 300.0), same)["power_peak_w"]
    assert flat.u_scatter == 0
    assert (flat.u_meter or 0) > 0
