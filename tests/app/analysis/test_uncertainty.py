"""The limit of error of a step's power, from a real session file."""

from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
from app.analysis.scatter import mean_uncertainty
from app.record.store import Session, Writer
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

WINDOW = (0, 10 * SECOND)
CONFIG = """[[power]]
name = "a"
driver = "hmc8015"
crest_factor = {crest}
accuracy_reading = 0.1
accuracy_range = 0.05
accuracy_source = "certificate 4711"
"""


def limits(folder: Path, driver: str, crest: int = 3) -> dict[str, float | None]:
    """Measure 500 W in the ranges 300 V and 10 A, of which the latter changes to 5."""
    path = folder / f"{driver}{crest}.bayscope"
    writer = Writer.create(path, session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("a", "power", driver, who, CONFIG.format(crest=crest))
    times = np.arange(10, dtype=np.int64) * SECOND
    for quantity, unit, values in (
        ("P", "W", [500.0] * 10),
        ("U_range", "V", [300.0] * 10),
        ("I_range", "A", [10.0] * 5 + [5.0] * 5),
    ):
        one = (Channel("a", quantity, unit),)
        writer.append_trace(one, times, times, np.array(values).reshape(-1, 1))
    writer.finish()
    with Session.open(path) as session:
        found = {r.name: r for r in step_results(session, WINDOW)}
    if "power_error_w" in found:
        assert found["power_error_w"].note == "certificate 4711"
    return {name: result.value for name, result in found.items()}


def test_reading_and_range_count_sample_by_sample(tmp_path: Path) -> None:
    expected = 0.001 * 500 + 0.0005 * 300 * 7.5
    found = limits(tmp_path, "hmc8015")["power_error_w"]
    assert found == pytest.approx(expected)


def test_with_a_greater_crest_factor_the_range_counts_twice(tmp_path: Path) -> None:
    expected = 0.001 * 500 + 2 * 0.0005 * 300 * 7.5
    found = limits(tmp_path, "hmc8015", 6)["power_error_w"]
    assert found == pytest.approx(expected)


def test_a_meter_of_unknown_accuracy_has_no_limit(tmp_path: Path) -> None:
    assert "power_error_w" not in limits(tmp_path, "npa")


FIXED = """[[power]]
name = "a"
driver = "{driver}"
{keys}
"""


@pytest.mark.parametrize(
    ("driver", "keys", "expected"),
    [
        # 0.1 % of 500 W, and of the ranges 300 V x 10 A that hold where none are told.
        ("yokogawa", "", 0.5 + 3.0),
        ("yokogawa", "current_range = 5.0", 0.5 + 1.5),
        ("yokogawa", 'step_ranges = ["Read = 600 V, 2 A"]', 0.5 + 1.2),
        ("yokogawa", 'step_ranges = ["Write = 600 V, 2 A"]', 0.5 + 3.0),
        ("hioki", "voltage_range = 150.0\ncurrent_range = 20.0", 0.5 + 1.5),
        ("yokogawa", "current_range = 7.0", None),
        ("yokogawa GPM-8213", "", None),
        ("hmc8015 HMC8015", "", None),
        ("chroma", "current_range = 5.0", None),
    ],
)
def test_a_meter_that_records_no_ranges_has_those_of_the_bench(
    tmp_path: Path, driver: str, keys: str, expected: float | None
) -> None:
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, session_info())
    driver, _, model = driver.partition(" ")
    model = model or {"yokogawa": "WT310", "hioki": "PW3336-01"}.get(driver, "66202")
    who = Identity("", model, "", "", "")
    writer.add_source("a", "power", driver, who, FIXED.format(driver=driver, keys=keys))
    step = writer.add_step(1, "Read (1/2)", "idle", 'label = "Read"')
    writer.update_step(step, start_ns=0, end_ns=20 * SECOND)
    times = np.arange(10, dtype=np.int64) * SECOND
    one = (Channel("a", "P", "W"),)
    writer.append_trace(one, times, times, np.full((10, 1), 500.0))
    writer.finish()
    with Session.open(path) as session:
        found = {r.name: r.value for r in step_results(session, WINDOW)}
    assert found.get("power_error_w") == (expected and pytest.approx(expected))


def test_power_that_is_energy_over_time_has_the_error_of_the_integrator(
    tmp_path: Path,
) -> None:
    """Four of eight readings lack; the integrator tells one reading more or less."""
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("a", "power", "hmc8015", who, CONFIG.format(crest=3))
    times = np.arange(-2, 12, dtype=np.int64) * SECOND + SECOND // 2
    watts = np.where(times < 5 * SECOND, 300.0, 700.0)
    watts[(times > 5 * SECOND) & (times < 9 * SECOND)] = np.nan
    counted = np.cumsum(np.where(times < 5 * SECOND, 300.0, 700.0)) / 3600
    ranges = np.array([[300.0, 10.0]] * times.size)
    for names, values in (
        ((("P", "W"),), watts.reshape(-1, 1)),
        ((("Wh", "Wh"),), counted.reshape(-1, 1)),
        ((("U_range", "V"), ("I_range", "A")), ranges),
    ):
        channels = tuple(Channel("a", q, u, period_ns=SECOND) for q, u in names)
        writer.append_trace(channels, times, times, values)
    writer.finish()
    with Session.open(path) as session:
        found = {r.name: r for r in step_results(session, WINDOW)}
    power, energy = found["power_w"], found["energy_wh"]
    assert (power.n_valid, power.n_expected) == (6, 10)
    assert power.value == pytest.approx((energy.value or 0) * 360)
    # One reading of ten: 10 % of what was counted, at either edge of the window.
    edges = 0.1 * (power.value or 0) / 6**0.5
    assert energy.u_scatter == pytest.approx(edges / 360)
    # Beside it the scatter that any mean power has, of the readings that there are.
    scatter = mean_uncertainty([np.array([300.0] * 5 + [700.0])]) or 0.0
    assert power.u_scatter == pytest.approx(np.hypot(edges, scatter))
    assert "tells to 52 W" in power.note
