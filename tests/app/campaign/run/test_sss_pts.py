"""The whole template of SSS-PTS, 56 points and more a round, with model loads."""

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from app.analysis.rules.checklists import JudgedRows, RuleState
from app.campaign.phases.step_log import StepEnd, StepLog
from app.campaign.run.repeating import MatrixRounds
from app.campaign.run.schedule import Row, Schedule
from app.plan.campaign import parse_campaign
from app.plan.gates import checklists
from app.plan.verdict import Outcome, Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Result, Session
from app.report.figures.of_session import tracking_figure
from app.report.figures.svg import figure_svg
from app.report.rounds import judged_rounds, means_of_rounds, rounds_tables
from app.report.rows import report_rows
from tests.app.record.recording import INFO

Model = Callable[[int], float]
"""Of the number of a round, from 1, what a row does of its last level."""

MODELS: dict[str, tuple[Model, int]] = {
    # Fast out of the box, then down to its level.
    "converges": (lambda number: 1 + 2 * float(np.exp(-(number - 1) / 0.7)), 25),
    # 4 % more from round to round: 16 % within five.
    "drifts": (lambda number: 1.04**number, 6),
    "never settles": (lambda number: 1.15 if number % 2 else 0.85, 6),
}
"""What rows do, and after how many rounds the template, with as many, gives up."""


def steady_at(model: Model, most: int) -> int | None:
    """Find by hand the first round at which the last five are steady."""
    for last in range(5, most + 1):
        values = np.array([model(number) for number in range(last - 4, last + 1)])
        slope = np.polyfit(np.arange(5.0), values, 1)[0]
        if (
            np.ptp(values) <= 0.2 * values.mean()
            and abs(4 * slope) <= 0.1 * values.mean()
        ):
            return last
    return None


def run(folder: Path, model: Model, most: int) -> tuple[Path, dict[str, str]]:
    """Run the template without its loads; what each row did is the model's."""
    text = (files("resources") / "campaigns" / "sss-pts.toml").read_text("utf-8")
    text = text.replace("[step.rounds]", f"[step.rounds]\nmost = {most}")
    plan = parse_campaign(text, "sss-pts.toml")
    path, missed = folder / "s.bayscope", {}
    recorder = Recorder(path, replace(INFO, campaign=text), clock=SystemClock())
    recorder.start()
    with Session.open(path) as session:
        log = StepLog(recorder)
        schedule = Schedule.planned(log, plan.runs)
        rounds = MatrixRounds(plan, recorder, session)
        for place, row in enumerate(schedule):
            end = StepEnd(Outcome.DONE, Verdict.PASS)
            log.begin(row.step_id, row.label, place)
            if row.step.rounds is not None:
                log.results(row.step_id, (place, place + 1), results(row, model))
            log.end(row.step_id, row.label, end)
            if told := rounds.after(row, end, schedule):
                missed[row.label] = told
    recorder.close()
    return path, missed


def results(row: Row, model: Model) -> list[Result]:
    level = 1000.0 * (1 + len(row.step.label) % 7)
    factor = model(row.pass_number)
    return [
        Result(name, value, "", 0, 1, 1, 1)
        for name, value in (
            ("iops", level * factor),
            ("bandwidth_mb_s", level / 10 * factor),
            ("latency_mean_ms", factor / level * 1000),
        )
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_each_matrix_of_the_template_runs_as_long_as_it_has_to(
    tmp_path: Path, kind: str
) -> None:
    model, most = MODELS[kind]
    path, missed = run(tmp_path, model, most)
    expected = steady_at(model, most)
    assert (expected is None) == (kind != "converges")
    count = expected or most
    with Session.open(path) as session:
        labels = [step.label for step in session.steps()]
        judged = judged_rounds(session)
        rows = {str(row["step"]): row for row in report_rows(session)}
        tables = rounds_tables(judged, means_of_rounds(judged, rows))
        figures = [tracking_figure(tracked) for _, tracked in judged]
        drawn = [figure_svg(figure) for figure in figures if figure is not None]
        rules = {
            one.rule.name: one
            for one in JudgedRows(session).judge(checklists()["sss-pts"])
        }
    # Of the rows that are tracked, and of no others in these rounds.
    assert len(rules["range"].values) == 3 * count
    wanted = RuleState.MET if expected else RuleState.NOT_MET
    assert rules["steady"].state is wanted
    assert rules["rounds"].state is RuleState.MET
    assert not rules["range"].lacks
    assert [len(matrix.rows) for matrix, _ in judged] == [56, 2, 9]
    for matrix, tracked in judged:
        assert len(tracked.values) == count
        assert tracked.finding.steady == (expected is not None)
        assert tracked.window == (count - 4, count)
        last = np.array([model(number) for number in range(count - 4, count + 1)])
        own = np.array(tracked.in_window)
        assert own / own.mean() == pytest.approx(last / last.mean())
        slope, start = np.polyfit(np.arange(5.0), own, 1)
        assert tracked.line == pytest.approx((start, start + 4 * slope))
        assert all(label in labels for label in matrix.labels(count))
        assert not any(label in labels for label in matrix.labels(count + 1))
    assert len(missed) == (0 if expected else 3)
    assert len(tables) == 6
    assert len(drawn) == 3
