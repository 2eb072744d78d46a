"""The limit of error of a step's power, from a real session file."""

from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
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
    assert "power_error_w" not in limits(tmp_path, "yokogawa")
