"""Sessions: list, open, report, export."""
# mypy: disallow-untyped-calls=False

import gc
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.operations.sessions.apart import ExportPlan
from app.plan.limits import FOREIGN
from app.record.store import Result, Session, annotate, sessions
from app.report.provenance import CHANGED
from app.ui.chart import data as chart_data
from app.ui.chart import loader as chart_loader
from app.ui.chart.layout.layouts import Layouts
from app.ui.chart.phase_strip import PhaseStrip
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.session.list import FACTS_ROLE, SessionModel
from app.ui.session.page import SessionPage
from app.ui.session.record import open_record
from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow
from instruments.errors import BadInput
from instruments.reading import SECOND
from tests.app.ui.sample import (
    START,
    begin_sample,
    changed_copy,
    open_files,
    write_sample,
)
from tests.app.ui.session.sessions_page import open_first


def test_the_model_keeps_the_rules(
    context: Context, recorded: Path, qtmodeltester: ModelTester
) -> None:
    model = SessionModel(context)
    model.set_summaries(sessions(recorded))
    qtmodeltester.check(model)
    index = model.index(0)
    assert "simulated" in index.data(FACTS_ROLE)
    assert "PASS" in index.data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_click_opens_a_session(view: SessionsView, qtbot: QtBot) -> None:
    open_first(view, qtbot)
    assert view.record is not None
    assert view.record.path.name == "first.bayscope"
    page = view.page
    assert page.head.title.text() == "First run"
    assert "simulated" in page.head.facts.text()
    assert "PASS" in page.head.facts.text()
    assert page.playhead.position == page.playhead.end


def test_list_header_and_replay_say_the_same_time(
    view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    path, writer = begin_sample(tmp_path / "one.bayscope", step_s=2)
    writer.set_session(verdict="PASS", ended_ns=START + int(17.6 * SECOND))
    writer.finish()
    view.set_folder(tmp_path)
    with qtbot.waitSignal(view.session_opened):
        view.open(path)
    qtbot.waitUntil(lambda: view.model.row_of(path) == 0)
    assert " 0:18 " in view.model.index(0).data(FACTS_ROLE)
    assert " 0:18 " in view.page.head.facts.text()
    assert view.page.replay._time.text() == "0:18 / 0:18"


def test_list_header_and_charts_say_the_same_of_a_row_that_is_not_clean(
    view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    path, writer = begin_sample(tmp_path / "one.bayscope", step_s=2)
    step = writer.add_step(9, "Read", "fio", "")
    writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
    writer.result(step, Result(FOREIGN, 60.0, "%", 0, 1))
    writer.set_session(verdict="PASS", ended_ns=START + int(17.6 * SECOND))
    writer.finish()
    view.set_folder(tmp_path)
    with qtbot.waitSignal(view.session_opened):
        view.open(path)
    qtbot.waitUntil(lambda: view.model.row_of(path) == 0)
    assert " PASS, not clean " in view.page.head.facts.text()
    [strip] = view.page.pane.findChildren(PhaseStrip)
    qtbot.waitUntil(lambda: "Read PASS, not" in strip.accessibleDescription())


def test_the_newest_session_is_shown_at_first(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_sample(tmp_path / "a.bayscope", step_s=2, name="Older")
    write_sample(tmp_path / "b.bayscope", step_s=2, name="Newer")
    (tmp_path / "c.bayscope").write_bytes(b"x" * 5000)
    _, writer = begin_sample(tmp_path / "d.bayscope", step_s=2)
    view = window.pages.sessions
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.model.rowCount() == 4)
    with qtbot.waitSignal(view.session_opened):
        window.navigation.choose("Sessions")
    assert view.record is not None
    assert view.record.session.info.name == "Newer"
    assert view.list.currentIndex().row() == view.model.row_of(view.record.path)
    assert not view.page.pane.chart.hasFocus()
    writer.finish()


def test_what_the_user_chose_is_left_alone(
    view: SessionsView, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.bayscope"
    bad.write_bytes(b"nothing of the kind" * 200)
    view.open(bad)
    qtbot.waitUntil(lambda: "bad.bayscope" in view._empty.text)
    listed: list[object] = []
    view.model.modelReset.connect(lambda: listed.append(1))
    view.model.set_summaries([])
    window.navigation.choose("Bench")
    window.navigation.choose("Sessions")
    qtbot.waitUntil(lambda: len(listed) == 2)
    assert view._stack.currentWidget() is view._empty
    assert view._opener.wanted == bad
    assert window.pages.shown_record() is None
    assert not window.tools.mark.isEnabled()
    assert not window.tools.report.isEnabled()
    text = view._empty._text
    assert text.height() >= text.heightForWidth(text.width())
    open_first(view, qtbot)
    view.refresh()
    assert view.record is not None
    assert view.record.path.name == "first.bayscope"


def test_the_second_click_closes_the_first_session(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    first = view.record
    with qtbot.waitSignal(view.session_opened):
        view.open(view.folder / "second.bayscope")
    assert view.record is not first
    assert view.record is not None
    assert view.record.session.info.name == "Second run"


def test_curves_are_drawn_before_the_hash_is_checked(
    view: SessionsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is checked once, whatever else is shown of the session."""
    go = threading.Event()
    asked: list[str] = []
    is_unchanged = Session.is_unchanged

    def slow(session: Session) -> bool | None:
        asked.append(session.path.name)
        assert go.wait(60)
        return is_unchanged(session)

    monkeypatch.setattr(Session, "is_unchanged", slow)
    open_first(view, qtbot)
    page = view.page
    rows = page.pane.chart.rows
    qtbot.waitUntil(lambda: all(c.line is not None for r in rows for c in r.drawn))
    qtbot.waitUntil(lambda: page.report.model is not None)
    assert "hash being checked" in page.head.facts.text()
    go.set()
    qtbot.waitUntil(lambda: "hash checked" in page.head.facts.text())
    assert page.head.change.isHidden()
    assert asked.count("first.bayscope") == 1


def test_curves_that_cannot_be_read_hide_nothing_else(
    context: Context,
    recorded: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: chart_data.Request) -> chart_data.Answer:
        raise BadInput("it is damaged", where="first.bayscope")

    monkeypatch.setattr(chart_loader, "read", fail)
    background = Background()
    told: list[Exception] = []
    background.failed.connect(told.append)
    page = SessionPage(replace(context, background=background), Layouts())
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    page.set_record(open_record(recorded / "first.bayscope"))
    qtbot.waitUntil(lambda: page.report.model is not None)
    qtbot.waitUntil(lambda: "hash checked" in page.head.facts.text())
    assert background.close(120)
    page.shut()
    assert {type(one) for one in told} == {BadInput}


def test_a_session_that_was_changed_is_told_loudly(
    view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    copy = changed_copy(view.folder / "first.bayscope", tmp_path / "copy.bayscope")
    view.open(copy)
    head = view.page.head
    qtbot.waitUntil(head.change.isVisible)
    assert head.change.text().lower() == f"{CHANGED}."
    assert "hash checked" not in head.facts.text()
    open_first(view, qtbot)
    assert head.change.isHidden()


def test_curves_are_read_once(
    view: SessionsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No second time for another width."""
    open_first(view, qtbot)
    page = view.page
    qtbot.waitUntil(lambda: "hash checked" in page.head.facts.text())
    read: list[tuple[str, int]] = []

    def count(request: chart_data.Request) -> chart_data.Answer:
        if request.with_lines and request.layers[0].session is not None:
            read.append((request.layers[0].session.path.name, request.points))
        return chart_data.read(request)

    monkeypatch.setattr(chart_loader, "read", count)
    with qtbot.waitSignal(view.session_opened):
        view.open(view.folder / "second.bayscope")
    qtbot.waitUntil(lambda: "hash checked" in page.head.facts.text())
    assert [name for name, _ in read] == ["second.bayscope"]


def test_what_was_chosen_meanwhile_is_shown_not_the_last_answer(
    view: SessionsView, qtbot: QtBot
) -> None:
    page = view.page
    for name in ("first", "second", "first", "second"):
        view.open(view.folder / f"{name}.bayscope")
    qtbot.waitUntil(lambda: "hash checked" in page.head.facts.text())
    assert view.record is not None
    assert view.record.path.name == "second.bayscope"
    layers = page.pane.chart.layers
    assert [layer.session.path.name for layer in layers] == ["second.bayscope"]


def test_the_report_in_full_and_in_the_labs_form(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    report = view.page.report
    view.page.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: report.model is not None)
    model = report.model
    assert model is not None
    assert [model.headerData(n, Qt.Orientation.Horizontal) for n in range(4)] == [
        "Workload",
        "Power\n(W)",
        "IOPS",
        "Bandwidth\n(MB/s)",
    ]
    assert model.index(1, 0).data() == "Sequential write 4M"
    assert model.index(1, 3).data() == "2100.0"
    assert "mains" in report._fake.text()
    report.forms.choose("lab")
    report.forms.chosen.emit()
    qtbot.waitUntil(lambda: report.model is not model)
    assert report.model is not None
    assert report.model.columnCount() == 4
    assert "Idle" in [cells[0] for cells in report.model.records]


def test_no_report_of_another_session_is_shown(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    report = view.page.report
    qtbot.waitUntil(lambda: report.model is not None)
    report.set_record(view.record)
    assert report.model is None
    qtbot.waitUntil(lambda: report.model is not None)


def test_a_row_of_the_report_leads_to_its_traces(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    page = view.page
    page.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: page.report.model is not None)
    page.report.step_chosen.emit("Random read 4k")
    assert page.tabs.currentIndex() == 0
    assert page.pane.chart.visible_range[0] == pytest.approx(48, abs=0.5)
    assert page.playhead.position == pytest.approx(START + 60 * SECOND, abs=10)


def test_events_gaps_and_notes_are_listed(
    view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.bayscope"
    shutil.copy(view.folder / "first.bayscope", copy)
    annotate(
        copy,
        "door opened",
        author="lab",
        realtime_ns=1,
        kind="mark",
        start_ns=START + 40 * SECOND,
    )
    with qtbot.waitSignal(view.session_opened):
        view.open(copy)
    page = view.page
    qtbot.waitUntil(lambda: page.happenings.gaps.rowCount() > 0)
    messages = [event.message for event in page.happenings.log.model.records]
    assert messages.index("door opened") > messages.index(
        "Step 4 of 7: Random write 4k"
    )
    meter = next(line for line in page.happenings.gaps.records if "mains" in line.who)
    assert meter.who == "mains.P and 4 more"
    assert meter.reason == "timeout"
    qtbot.waitUntil(lambda: len(page.pane.chart.rows) == 4)
    row = page.pane.chart.rows[0]
    qtbot.waitUntil(lambda: row.marks.at(40, 0.025) is not None)


def test_an_event_and_a_gap_lead_to_their_moment(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    page = view.page
    qtbot.waitUntil(lambda: page.happenings.gaps.rowCount() > 0)
    page.pane.chart.zoom.zoom_to(0.0, 1.0)
    for name in ("Event log", "Gaps"):
        page.tabs.setCurrentWidget(page.happenings)
        tables = page.happenings.findChildren(QTableView)
        table = next(each for each in tables if each.accessibleName() == name)
        table.setCurrentIndex(table.model().index(0, 0))
        table.setFocus()
        qtbot.keyClick(table, Qt.Key.Key_Return)
        assert page.pane.isVisible()
    gap = page.happenings.gaps.records[0]
    assert page.playhead.position == gap.start_ns
    left, right = page.pane.chart.zoom._range.shown
    moment = (gap.start_ns - START) / SECOND
    assert left <= moment <= right
    assert right - left < 2
    page.playhead.seek(START + 30 * SECOND)
    log = page.happenings.log
    qtbot.waitUntil(lambda: log._table.currentIndex().row() >= 0)
    shown = log.model.records[log._table.currentIndex().row()]
    assert shown.t_ns <= START + 30 * SECOND


def test_a_run_that_ends_takes_no_session_away(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    view.show_next(view.folder / "second.bayscope")
    view.refresh()
    qtbot.waitUntil(lambda: view.model.rowCount() > 1)
    assert view.record is not None
    assert view.record.path.name == "first.bayscope"


def test_what_is_no_session_gets_a_sentence(
    view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.bayscope"
    bad.write_bytes(b"nothing of the kind" * 200)
    view.open(bad)
    qtbot.waitUntil(
        lambda: view._empty._title.text() == "This session cannot be opened"
    )
    assert "bad.bayscope" in view._empty._text.text()
    assert bad.read_bytes() == b"nothing of the kind" * 200


def test_a_folder_with_a_broken_file_lists_the_others(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_sample(tmp_path / "good.bayscope", step_s=2)
    (tmp_path / "bad.bayscope").write_bytes(b"x" * 5000)
    window.navigation.choose("Sessions")
    window.pages.sessions.set_folder(tmp_path)
    model = window.pages.sessions.model
    qtbot.waitUntil(
        lambda: {summary.path.parent for summary in model.summaries} == {tmp_path}
    )
    listed = {summary.path.name: summary.error for summary in model.summaries}
    assert listed["good.bayscope"] == ""
    assert listed["bad.bayscope"]


def test_an_empty_folder_says_so(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.navigation.choose("Sessions")
    window.pages.sessions.set_folder(tmp_path)
    empty = window.pages.sessions._empty
    qtbot.waitUntil(lambda: empty._title.text() == "There are no sessions yet")
    assert empty.text.startswith("Start a run")


def test_export_writes_the_files(
    window: MainWindow, view: SessionsView, qtbot: QtBot, tmp_path: Path
) -> None:
    open_first(view, qtbot)
    plan = ExportPlan(("csv", "md"), tmp_path / "out")
    assert view.record is not None
    window.work.write_export(view.record.path, plan)
    qtbot.waitUntil(
        lambda: window.statusBar().currentMessage().startswith("Written to"),
    )
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["first.csv", "first.md"]


def test_a_session_that_is_being_recorded_goes_to_live(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path, writer = begin_sample(tmp_path / "now.bayscope", step_s=2)
    window.navigation.choose("Sessions")
    with qtbot.waitSignal(window.pages.sessions.live_wanted):
        window.pages.sessions.open(path)
    qtbot.waitUntil(lambda: window.pages.live.record is not None)
    assert window.pages.currentWidget() is window.pages.live
    assert window.pages.live.is_following
    writer.finish()
    qtbot.waitUntil(lambda: not window.pages.live.is_following)


def test_of_a_long_file_name_its_end_is_seen(
    view: SessionsView, recorded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / f"{'simulated-60-bay-jbod-' * 8}2026-11-22-171111.bayscope"
    shutil.copy(recorded / "first.bayscope", path)
    view.resize(1280, 600)
    view.open(path)
    head = view.page.head
    qtbot.waitUntil(lambda: head.file.text() == path.name)
    qtbot.waitUntil(lambda: head.file.isVisible() and head.file.width() > 100)
    assert head.file.shown.startswith("simulated-60")
    assert head.file.shown.endswith("171111.bayscope")
    assert "\N{HORIZONTAL ELLIPSIS}" in head.file.shown
    assert head.file.toolTip() == str(path)


def test_only_the_session_that_is_shown_is_held(
    view: SessionsView, recorded: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    paths = [tmp_path / f"{number}.bayscope" for number in range(6)]
    for path in paths:
        shutil.copy(recorded / "first.bayscope", path)
        view.open(path)
        qtbot.waitUntil(lambda: view.record is not None and view.record.path in paths)
    qtbot.waitUntil(lambda: view.record is not None and view.record.path == paths[-1])
    qtbot.waitUntil(lambda: set(open_files(tmp_path)) == {str(paths[-1])})

    def known() -> list[Path]:
        found = [one for one in gc.get_objects() if isinstance(one, Session)]
        return [one.path for one in found if one.path in paths]

    # What was asked of a session before it was left may be answered after its file is
    # closed, and the answer knows it until then.
    qtbot.waitUntil(lambda: known() == paths[-1:])
