"""The steps as they stood at a moment."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.record.store import Session, StepRow
from app.ui.kit.context import Context
from app.ui.run.step_list import StepList, step_lines
from instruments.reading import SECOND
from tests.app.ui.sample import START


def row(
    outcome: str, verdict: str | None, start: int | None, end: int | None
) -> StepRow:
    return StepRow(
        1, 1, "A", "idle", "", start, None, None, end, outcome, verdict, "why"
    )


def test_states_follow_the_playhead(recorded: Path) -> None:
    with Session.open(recorded / "first.bayscope") as session:
        steps = session.steps()
    states = [step_line.state for step_line in step_lines(steps, START + 30 * SECOND)]
    assert states == ["DONE", "PASS", "running", *["planned"] * 4]
    lines = step_lines(steps, START + 999 * SECOND)
    assert [line.time for line in lines] == ["0:12"] * 7
    assert step_lines(steps, START + 30 * SECOND, "50%")[2].time == "50%"


def test_how_a_step_ended_is_kept_with_its_reason() -> None:
    (failed,) = step_lines([row("DONE", "FAIL", 0, 5)], 9)
    assert (failed.state, failed.reason) == ("FAIL", "why")
    (skipped,) = step_lines([row("SKIPPED", None, None, None)], 9)
    assert skipped.state == "SKIPPED"
    (planned,) = step_lines([row("planned", None, None, None)], 9)
    assert planned.state == "planned"


def test_words_are_not_cut_off(qtbot: QtBot, context: Context) -> None:
    found = StepList(context)
    qtbot.addWidget(found)
    found.resize(290, 400)
    found.show()
    found.set_lines(step_lines([row("DONE", "ABORTED", 0, 5)] * 3, 9))
    found.set_progress(0.25, "Recording, step 1 of 3, 0:30 to go")
    table = found._table
    qtbot.waitUntil(lambda: table.columnWidth(1) >= table.sizeHintForColumn(1))
    assert found._bar.value() == 250
    found.set_progress(None, "")
    assert not found._foot.isVisible()
