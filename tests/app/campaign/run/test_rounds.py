"""A matrix comes again until its tracked row is steady, or there were enough rounds."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.analysis.steady.matrix import Tracked, matrices
from app.campaign.phases.step_log import StepEnd, StepLog
from app.campaign.run.repeating import MatrixRounds
from app.campaign.run.schedule import Row, Schedule
from app.plan.campaign import Campaign
from app.plan.verdict import Cause, Outcome, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Result, Session
from tests.app.operations.benches import campaign
from tests.app.record.recording import INFO

PLAN = """
name = "SSS-PTS"
[[step]]
label = "Before"
engine = "idle"
runtime = "1s"
[[step]]
label = "{bs}"
engine = "fio"
runtime = "2s"
[step.fio]
rw = "randwrite"
[step.sweep]
bs = ["8k", "4k"]
[step.rounds]
track = "4k"
most = 7
[[step]]
label = "After"
engine = "idle"
runtime = "1s"
"""
GOOD = StepEnd(Outcome.DONE, Verdict.PASS)
FAILED = StepEnd(Outcome.ERROR, Verdict.ERROR, "no disk", Cause.BENCH)
HELD = StepEnd(Outcome.VOID, None, "too hot", Cause.INTERLOCK)


@contextmanager
def recording(path: Path) -> Iterator[Recorder]:
    recorder = Recorder(path, INFO, clock=SystemClock())
    recorder.start()
    try:
        yield recorder
    finally:
        recorder.close()


class Run:
    """Runs a campaign without its loads: each row has the IOPS that the test says."""

    def __init__(self, folder: Path, text: str = PLAN) -> None:
        self.path = folder / "s.bayscope"
        self.plan: Campaign = campaign(text)
        self.missed: dict[str, str] = {}

    def run(self, values: list[float], ends: dict[str, StepEnd] | None = None) -> None:
        """Run it; the tracked row has these values, one a round, and then the last."""
        ends = dict(ends or {})
        with recording(self.path) as recorder, Session.open(self.path) as session:
            log = StepLog(recorder)
            schedule = Schedule.planned(log, self.plan.runs)
            rounds = MatrixRounds(self.plan, recorder, session)
            left = iter(values)
            for row in schedule:
                end = ends.pop(row.label, GOOD)
                self._end(log, row, end, left)
                if end.verdict is None:
                    schedule.again(row)
                if missed := rounds.after(row, end, schedule):
                    self.missed[row.label] = missed

    def _end(self, log: StepLog, row: Row, end: StepEnd, left: Iterator[float]) -> None:
        log.begin(row.step_id, row.label, 0)
        if row.step.is_load and end.outcome is Outcome.DONE:
            value = next(left) if row.step.label.endswith("4k") else 17.0
            log.results(row.step_id, (0, 1), [Result("iops", value, "1/s", 0, 1, 1, 1)])
        log.end(row.step_id, row.label, end)

    @property
    def labels(self) -> list[str]:
        with Session.open(self.path) as session:
            return [step.label for step in session.steps()]

    def judged(self) -> Tracked:
        [matrix] = matrices(self.plan.runs)
        with Session.open(self.path) as session:
            return matrix.judge(session)


def test_a_matrix_that_is_steady_at_once_has_five_rounds(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.run([100.0, 102.0, 99.0, 101.0, 100.0])
    assert run.missed == {}
    assert len(run.labels) == 1 + 5 * 2 + 1
    assert run.labels[-3:] == ["8k (pass 5)", "4k (pass 5)", "After"]
    assert run.judged().window == (1, 5)
    assert run.judged().mean == pytest.approx(100.4)


def test_rounds_come_until_the_last_five_are_steady(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.run([300.0, 140.0, 100.0, 101.0, 99.0, 100.0, 103.0])
    found = run.judged()
    assert run.missed == {}
    assert (found.finding.steady, found.window) == (True, (3, 7))
    # Computed beside it: slope 0.5 a round, from 99.6.
    assert found.line == pytest.approx((99.6, 101.6))
    assert run.labels[-1] == "After"
    assert run.labels[-2] == "4k (pass 7)"


def test_a_matrix_that_does_not_get_steady_says_so_and_keeps_its_data(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path)
    run.run([100.0, 130.0, 100.0, 130.0, 100.0, 130.0, 100.0])
    assert list(run.missed) == ["4k (pass 7)"]
    assert "steady state not reached in 7 rounds" in run.missed["4k (pass 7)"]
    found = run.judged()
    assert (found.finding.steady, found.is_over, found.window) == (False, True, (3, 7))
    assert found.mean == pytest.approx(112)


def test_a_round_without_a_value_is_not_steady(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.run([100.0] * 6, {"4k (pass 2)": FAILED})
    found = run.judged()
    assert math.isnan(found.values[1])
    assert (found.finding.steady, found.window) == (True, (3, 7))


def test_a_held_row_comes_again_in_its_round(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.run([100.0] * 5, {"4k (pass 5)": HELD})
    assert run.judged().finding.steady
    assert run.missed == {}
    assert run.labels[-1] == "After"


def test_a_round_of_which_nothing_was_done_is_the_last_one(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.run([100.0], {f"{bs} (pass 2)": FAILED for bs in ("8k", "4k")})
    assert run.labels[-2:] == ["4k (pass 2)", "After"]
    assert "not yet steady" in run.missed["4k (pass 2)"]


def test_each_configuration_has_rounds_of_its_own(tmp_path: Path) -> None:
    head = (
        '[[configuration]]\nname = "cache"\nvalues = ["on", "off"]\n'
        'prompt = "Switch the cache {cache}."\n'
    )
    run = Run(tmp_path, PLAN.replace("[[step]]", head + "[[step]]", 1))
    run.run([*[100.0] * 5, 200.0, *[100.0] * 5])
    first, second = matrices(run.plan.runs)
    assert (first.track, second.track) == ("cache on: 4k", "cache off: 4k")
    with Session.open(run.path) as session:
        assert first.judge(session).window == (1, 5)
        assert second.judge(session).window == (2, 6)
