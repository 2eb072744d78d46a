"""What a power meter says has to fit together, and its range to be wide enough."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from app.analysis.rules.meter_checks import meter_remarks
from app.record.store import Session, Writer
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from tests.session_info import session_info

WINDOW = (0, 10 * SECOND)
UNITS = {"P": "W", "S": "VA", "lambda": "", "U": "V", "I": "A", "I_range": "A"}
GOOD: dict[str, float | Sequence[float]] = {
    "P": 450.0,
    "S": 460.0,
    "lambda": 0.978,
    "U": 230.0,
    "I": 2.0,
}
NAN = float("nan")


def remarks(
    folder: Path,
    values: Mapping[str, float | Sequence[float]],
    *,
    over: bool = False,
    config: str = "",
) -> list[str]:
    path = folder / "x.bayscope"
    writer = Writer.create(path, session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("mains", "power", "yokogawa", who, config)
    times = np.arange(10, dtype=np.int64) * SECOND
    for quantity, value in values.items():
        one = (Channel("mains", quantity, UNITS[quantity]),)
        if over and quantity == "I":
            assert isinstance(value, float)
            for at in map(int, times):
                status = Status.OVERRANGE if at >= 6 * SECOND else Status.OK
                writer.append([Reading(one, at, at, (value,), (status,))])
            continue
        writer.append_trace(one, times, times, np.resize(value, (10, 1)))
    writer.finish()
    with Session.open(path) as session:
        return meter_remarks(session, WINDOW)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"P": 480.0, "lambda": 1.0}, ["P is 480 W and S only 460 VA", "1.043"]),
        ({"lambda": 0.5}, ["a power factor of 0.500, and P over S is 0.978"]),
        ({"I": 3.0}, ["S is 460 VA, and U x I is 690 VA (230 V, 3 A)"]),
        ({"P": 0.3, "S": 2.0}, []),
        ({"P": -450.0, "lambda": -0.978}, []),
    ],
)
def test_what_contradicts_itself_is_told(
    tmp_path: Path, changed: dict[str, float], told: list[str]
) -> None:
    found = remarks(tmp_path, GOOD | changed)
    assert len(found) == len(told)
    for remark, part in zip(found, told, strict=True):
        assert remark.startswith("mains: ")
        assert part in remark


def test_a_load_that_changes_is_no_contradiction(tmp_path: Path) -> None:
    """The mean of lambda is 0.775 here, and mean P over mean S 0.900."""
    halves = {
        "P": [20.0] * 5 + [190.0] * 5,
        "S": [20 / 0.6] * 5 + [200.0] * 5,
        "lambda": [0.6] * 5 + [0.95] * 5,
        "U": [20.0] * 5 + [5.0] * 5,
        "I": [20 / 0.6 / 20] * 5 + [40.0] * 5,
    }
    assert remarks(tmp_path, halves) == []


def test_a_channel_without_values_does_not_spare_the_others(tmp_path: Path) -> None:
    [found] = remarks(tmp_path, GOOD | {"P": 480.0, "lambda": NAN})
    assert "P is 480 W and S only 460 VA" in found


@pytest.mark.parametrize(
    ("values", "config", "way_out"),
    [
        ({"I_range": 2.0}, "", "of 2 A, power is too low: set 5 A for this step"),
        (
            {},
            "[[power]]\ncurrent_range = 0.5\n",
            "of 0.5 A, power is too low: set 1 A",
        ),
        ({"I_range": 40.0}, "", "of 40 A, power is too low: there is no wider range"),
        ({}, "", ", power is too low: set a wider range for this step"),
    ],
)
def test_a_range_that_was_too_small_is_told_with_the_next_one(
    tmp_path: Path, values: dict[str, float], config: str, way_out: str
) -> None:
    [found] = remarks(tmp_path, GOOD | values, over=True, config=config)
    assert found.startswith("mains: current over range for 3.0 s")
    assert way_out in found


def test_the_range_is_that_in_which_it_was_over(tmp_path: Path) -> None:
    """A ranging pass has set a wider one before the window ended."""
    ranges = [0.5] * 8 + [5.0] * 2
    [found] = remarks(tmp_path, GOOD | {"I_range": ranges}, over=True)
    assert "over range for 3.0 s of 0.5 A, power is too low: set 1 A" in found
