"""The moments by which sessions are laid over each other."""

from pathlib import Path

import pytest

from app.analysis.moments import Alignment, clock_moment, moment_of
from app.record.store import Session
from app.report.setup_facts import differing, facts_of
from instruments.reading import SECOND
from tests.app.ui.sample import REALTIME, START, write_sample


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("one") / "one.bayscope", step_s=20)


@pytest.mark.parametrize(
    ("label", "by", "seconds"),
    [
        ("Sequential write 4M", Alignment.STEP, 20.0),
        ("Sequential write 4M", Alignment.FIRST_IO, 20.0),
        # The idle power goes up to that of the load where the step begins.
        ("Sequential write 4M", Alignment.POWER, 20.0),
        ("Idle", Alignment.FIRST_IO, None),
        ("Cool-down", Alignment.POWER, None),
    ],
)
def test_a_moment_is_found_in_the_samples_or_there_is_none(
    path: Path, label: str, by: Alignment, seconds: float | None
) -> None:
    with Session.open(path) as session:
        [step] = [one for one in session.steps() if one.label == label]
        moment = moment_of(session, step, by)
        if seconds is None:
            assert moment is None
        else:
            assert moment is not None
            assert (moment - START) / SECOND == pytest.approx(seconds, abs=0.8)
        window = moment_of(session, step, Alignment.WINDOW)
        assert window == step.window_start_ns
        assert clock_moment(session, REALTIME + SECOND) == START + SECOND


def test_facts_that_are_the_same_everywhere_do_not_differ(
    path: Path, tmp_path: Path
) -> None:
    other = write_sample(tmp_path / "two.bayscope", step_s=2, name="Another")
    with Session.open(path) as one, Session.open(other) as two:
        found = dict(differing([facts_of(one), facts_of(two), facts_of(one)]))
    assert found["Campaign"] == (
        "Demo: five workloads",
        "Another",
        "Demo: five workloads",
    )
    assert "Device under test" not in found
    assert differing([{"Bench: a": "1"}, {}]) == [("Bench: a", ("1", "-"))]
