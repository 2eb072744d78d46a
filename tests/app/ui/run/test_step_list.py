"""The steps as they stood at a moment."""

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.plan.cleanness import UNCLEAN
from app.record.store import StepRow
from app.ui.kit.context import Context
from app.ui.kit.states import look_of
from app.ui.run.step_list import ENDED, StepList, _columns, step_lines
from instruments.reading import SECOND


def row(
    outcome: str, verdict: str | None, start: int | None, end: int | None
) -> StepRow:
    return StepRow(
        1, 1, "A", "idle", "", start, None, None, end, outcome, verdict, "why"
    )


def test_a_step_runs_from_its_start_on_though_no_reading_came_since() -> None:
    second = SECOND
    steps = [
        row("DONE", "PASS", 0, 5 * second),
        row("running", None, 5 * second, None),
        row("planned", None, None, None),
    ]
    lines = step_lines(steps, 3 * second)
    assert [line.state for line in lines] == ["PASS", "running", "planned"]
    assert [line.time for line in lines] == ["0:05", "0:00", ""]
    lines = step_lines(steps, 9 * second)
    assert [line.time for line in lines] == ["0:05", "0:04", ""]
    assert step_lines(steps, 9 * second, "50%")[1].time == "50%"


def test_the_step_that_the_run_is_at_runs_though_the_store_lags() -> None:
    steps = [
        replace(row("running", None, 0, None), id=3),
        replace(row("planned", None, None, None), id=4),
    ]
    lines = step_lines(steps, 9 * SECOND, "2%", {}, 4)
    assert [line.state for line in lines] == [ENDED, "running"]
    assert [line.time for line in lines] == ["0:09", "2%"]
    lines = step_lines(steps, 9 * SECOND, "98%", {}, 3)
    assert [line.state for line in lines] == ["running", "planned"]
    ahead = [replace(steps[0], outcome="DONE", verdict="PASS"), steps[1]]
    lines = step_lines(ahead, 9 * SECOND, "99%", {}, 3)
    assert [line.state for line in lines] == ["PASS", "planned"]


def test_how_a_step_ended_is_kept_with_its_reason() -> None:
    (failed,) = step_lines([row("DONE", "FAIL", 0, 5)], 9)
    assert (failed.state, failed.reason) == ("FAIL", "why")
    (skipped,) = step_lines([row("SKIPPED", None, None, None)], 9)
    assert skipped.state == "SKIPPED"
    (planned,) = step_lines([row("planned", None, None, None)], 9)
    assert planned.state == "planned"


def test_a_step_whose_disk_others_used_is_marked(context: Context) -> None:
    found = StepList(context)
    found.set_lines(step_lines([row("DONE", "PASS", 0, 5)], 9, "", {1: UNCLEAN}))
    cell = found.model.index(0, 1)
    assert cell.data() == "PASS, not clean"
    found.deleteLater()


def test_a_step_that_failed_keeps_its_colour_where_others_used_its_disk() -> None:
    [failed] = step_lines([row("DONE", "FAIL", 0, 5)], 9, "", {1: UNCLEAN})
    look = _columns()[1].look
    assert look is not None
    assert look(failed) == replace(look_of("FAIL"), word="FAIL, not clean")


def test_names_have_room_in_a_narrow_list(qtbot: QtBot, context: Context) -> None:
    found = StepList(context)
    qtbot.addWidget(found)
    found.resize(500, 400)
    found.show()
    found.set_lines(step_lines([row("DONE", "PASS", 0, 5)], 9, "", {1: UNCLEAN}))
    table = found._table
    qtbot.waitUntil(lambda: table.columnWidth(1) >= table.sizeHintForColumn(1))
    found.resize(200, 400)
    few = table.fontMetrics().horizontalAdvance("Sequent...")
    qtbot.waitUntil(lambda: table.columnWidth(1) < table.sizeHintForColumn(1))
    assert table.columnWidth(0) > few
    assert table.columnWidth(2) >= table.sizeHintForColumn(2)


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
