"""The command that prints statistics of a part of a session."""

import math
from pathlib import Path

import numpy as np
import pytest

from app.operations.sessions.statistics import part_json, part_statistics, part_text
from app.record.store import Result, Writer
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel
from tests.app.ui.sample import write_sample
from tests.session_info import session_info


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("one") / "one.bayscope", step_s=8)


def test_a_step_is_its_measured_window(path: Path) -> None:
    found = part_statistics(path, "Random write 4k", titles=["Active power"])
    label, lines, _ = found
    [power] = lines
    assert label.startswith("Random write 4k: ")
    assert power.found is not None
    assert power.found.n_expected == pytest.approx(power.found.n_valid, abs=2)
    assert "Active power: Power" in part_text(found)
    assert part_json(found)["curves"] == [power.as_json()]
    assert power.as_json()["mean"] == power.found.mean


def test_all_of_a_session_and_a_stretch_of_it(path: Path) -> None:
    _, every, note = part_statistics(path, titles=["Active power"])
    _, some, _ = part_statistics(path, start_s=8, end_s=12, titles=["Active power"])
    assert every[0].found is not None
    assert some[0].found is not None
    assert some[0].found.n_valid == 40
    assert every[0].found.n_valid > 400
    assert note == "", "no row of the table is all of the session"


@pytest.mark.parametrize(
    ("step", "start_s", "end_s"),
    [
        ("Nothing", None, None),
        ("", 9.0, 8.0),
        ("", 500.0, 600.0),
        ("", None, -1.0),
        ("", math.nan, None),
        ("", 1.0, math.inf),
    ],
)
def test_what_is_no_part_is_refused(
    path: Path, step: str, start_s: float | None, end_s: float | None
) -> None:
    with pytest.raises(BadInput):
        part_statistics(path, step, start_s, end_s)


def test_a_begin_after_the_end_of_the_session_says_when_it_ends(path: Path) -> None:
    with pytest.raises(BadInput, match=r"no such part .* ends at 56\.0 s"):
        part_statistics(path, start_s=500)


def test_a_chart_that_there_is_not_is_refused_with_those_there_are(path: Path) -> None:
    with pytest.raises(BadInput, match=r'"Foo".*"Active power"'):
        part_statistics(path, titles=["Active power", "Foo"])


def test_what_lies_outside_the_session_is_not_missed(path: Path) -> None:
    label, [power], _ = part_statistics(
        path, start_s=-5, end_s=5, titles=["Active power"]
    )
    assert label.startswith("0.0 s to 5.0 s")
    assert power.found is not None
    assert power.found.n_expected == power.found.n_valid == 50


def test_another_power_in_the_table_is_told_with_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "integrator.bayscope"
    writer = Writer.create(path, session_info())
    power = Channel("mains", "P", "W", period_ns=SECOND // 10)
    times = np.arange(0, 60 * SECOND, power.period_ns)
    writer.append_trace((power,), times, times, np.full((times.size, 1), 400.0))
    for position, (label, watts) in enumerate((("Same", 400.0), ("Other", 388.0)), 1):
        step = writer.add_step(position, label, "fio", "")
        start, end = 20 * position * SECOND, (20 * position + 18) * SECOND
        writer.update_step(step, window_start_ns=start, window_end_ns=end)
        energy = Result("energy_wh", watts * 18 / 3600, "Wh", start, end)
        mean = Result("power_w", watts, "W", start, end, note="energy over time")
        for result in (energy, mean):
            writer.result(step, result)
    writer.finish()
    assert part_statistics(path, "Same")[2] == ""
    found = part_statistics(path, "Other")
    assert "388.0 W (energy over time)" in found[2]
    assert "energy 1.940 Wh" in found[2]
    assert found[2] in part_text(found)
    assert part_json(found)["note"] == found[2]
    assert part_statistics(path, start_s=42, end_s=50)[2] == ""
