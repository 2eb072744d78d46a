"""The command that prints statistics of a part of a session."""

import math
from pathlib import Path

import pytest

from app.operations.sessions.statistics import part_json, part_statistics, part_text
from instruments.errors import BadInput
from tests.app.ui.sample import write_sample


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("one") / "one.bayscope", step_s=8)


def test_a_step_is_its_measured_window(path: Path) -> None:
    label, lines = part_statistics(path, "Random write 4k", titles=["Active power"])
    [power] = lines
    assert label.startswith("Random write 4k: ")
    assert power.found is not None
    assert power.found.n_expected == pytest.approx(power.found.n_valid, abs=2)
    assert "Active power: Power" in part_text((label, lines))
    assert part_json((label, lines))["curves"] == [power.as_json()]
    assert power.as_json()["mean"] == power.found.mean


def test_all_of_a_session_and_a_stretch_of_it(path: Path) -> None:
    _, every = part_statistics(path, titles=["Active power"])
    _, some = part_statistics(path, start_s=8, end_s=12, titles=["Active power"])
    assert every[0].found is not None
    assert some[0].found is not None
    assert some[0].found.n_valid == 40
    assert every[0].found.n_valid > 400


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
    label, [power] = part_statistics(path, start_s=-5, end_s=5, titles=["Active power"])
    assert label.startswith("0.0 s to 5.0 s")
    assert power.found is not None
    assert power.found.n_expected == power.found.n_valid == 50
