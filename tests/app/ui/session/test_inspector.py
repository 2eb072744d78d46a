"""What a cell was made of, in the panel below its table."""
# mypy: disallow-untyped-calls=False

import threading
import zlib
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QToolButton
from pytestqt.qtbot import QtBot

from app.operations.sessions.explaining import Explained, explained
from app.record.store import Result, Session, Writer
from app.report.rows import report_rows
from app.report.table import STEP, Table, column_of
from app.report.tables import result_at
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.kit.tables import Looked
from app.ui.session.inspector import Inspector
from app.ui.session.page import SessionPage
from app.ui.session.raw_page import KeptPage
from app.ui.session.record import Record
from app.ui.session.report_panel import ReportPanel, ReportTable
from app.ui.window.main_window import MainWindow
from instruments.errors import BadInput
from instruments.metric import BY_NAME
from instruments.reading import SECOND
from tests.session_info import session_info

_LEFT = Qt.MouseButton.LeftButton


def table_of(page: SessionPage) -> ReportTable:
    table = page.report._table
    assert table is not None
    return table


def place_of(table: ReportTable, column: int, row: int = 0) -> QPoint:
    return table.visualRect(table.model().index(row, column)).center()


def click(
    table: ReportTable,
    column: int,
    qtbot: QtBot,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    qtbot.mouseClick(table.viewport(), _LEFT, keys, pos=place_of(table, column))


def shows(inspector: Inspector, title: str) -> bool:
    return inspector.isVisible() and inspector.title == title


def text_of(inspector: Inspector, name: str) -> str:
    pages = inspector.pages
    (at,) = (n for n in range(pages.count()) if pages.tabText(n) == name)
    found = pages.widget(at)
    assert isinstance(found, QPlainTextEdit)
    return found.toPlainText()


def test_a_click_on_a_figure_tells_its_samples_and_leads_into_the_charts(
    page: SessionPage,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers: list[str] = []

    def watched(path: Path, label: str, name: str) -> Explained:
        workers.append(threading.current_thread().name)
        return explained(path, label, name)

    monkeypatch.setattr("app.ui.session.inspector.explained", watched)
    table, inspector = table_of(page), page.report.inspector
    power = page.pane.chart._stack.panels
    (row,) = page.pane.chart.rows
    page.pane.chart.show_panel(row.row.panels[-1].title)
    assert page.pane.chart._stack.panels != power
    assert inspector.isHidden()
    page.pane.chart.part.span(1.0, 3.0)
    click(table, 1, qtbot)
    qtbot.waitUntil(lambda: shows(inspector, "Idle, Power (W)"))
    assert table.window().focusWidget() is table, "it leaves the focus where it was"
    assert QApplication.activeModalWidget() is None
    assert len(workers) == 1
    assert "MainThread" not in workers
    assert "Idle, Power (W): 505." in text_of(inspector, "Explanation")
    samples = text_of(inspector, "Samples").splitlines()
    assert samples[0].split()[:3] == ["5.000", "s", "mains.P"]
    assert len(samples) in (20, 21)
    [layer] = inspector.chart.layers
    assert (layer.start, layer.end) == (7 * SECOND // 2, 33 * SECOND // 2)
    assert [shown for _, shown in inspector.chart.plots.panels] == ["Active power"]
    [drawn] = inspector.chart.rows[0].drawn
    qtbot.waitUntil(lambda: drawn.line is not None)
    [counted] = drawn.counted
    assert counted.x.min() >= (5 * SECOND - layer.origin) / SECOND
    assert counted.x.max() <= (15 * SECOND - layer.origin) / SECOND
    assert len(counted.x) in (20, 21)
    assert page.tabs.currentWidget() is page.report
    page.tabs.setCurrentIndex(0)
    assert page.pane.chart.rows[0].drawn[0].counted
    part = page.pane.chart.part
    assert part.cursors is None
    assert (part.now.start, part.now.end) == pytest.approx((5.0, 15.0))
    assert part.now.label == "Idle, measured window"
    qtbot.waitUntil(lambda: page.pane.statistics.title.startswith(part.now.label))
    left, right = page.pane.chart.visible_range
    assert page.record is not None
    begin = (5 * SECOND - page.record.layer.origin) / SECOND
    assert (left, right) == pytest.approx((begin, begin + 10.0), abs=0.5)
    assert page.pane.chart._stack.panels == power


def test_selecting_and_copying_open_nothing(
    page: SessionPage,
    qtbot: QtBot,
) -> None:
    table, inspector = table_of(page), page.report.inspector
    for keys in (
        Qt.KeyboardModifier.ControlModifier,
        Qt.KeyboardModifier.ShiftModifier,
    ):
        click(table, 1, qtbot, keys)
    qtbot.mousePress(table.viewport(), _LEFT, pos=place_of(table, 1))
    QTest.mouseMove(table.viewport(), place_of(table, 2))
    qtbot.mouseRelease(table.viewport(), _LEFT, pos=place_of(table, 2))
    click(table, 0, qtbot)  # a name
    qtbot.mouseClick(
        table.viewport(), Qt.MouseButton.RightButton, pos=place_of(table, 1)
    )
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Right):
        qtbot.keyClick(table, key)
    assert inspector.isHidden()
    assert page.tabs.currentWidget() is page.report
    click(table, 1, qtbot)
    qtbot.waitUntil(lambda: shows(inspector, "Idle, Power (W)"))
    assert table.chosen_row() == 0
    qtbot.waitUntil(table.hasFocus)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[1].startswith("Idle\t505.")


def test_it_opens_with_enter_follows_arrow_keys_and_closes_with_escape(
    page: SessionPage,
    qtbot: QtBot,
) -> None:
    table, inspector = table_of(page), page.report.inspector
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 1))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shows(inspector, "Idle, Power (W)"))
    inspector.pages.setCurrentIndex(1)
    part = inspector.pages.tabText(1)
    qtbot.keyClick(table, Qt.Key.Key_Right)
    head = table.model().headerData(2, Qt.Orientation.Horizontal).replace("\n", " ")
    qtbot.waitUntil(lambda: inspector.title == f"Idle, {head}")
    qtbot.keyClick(table, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: inspector.title == "Idle, Power (W)")
    inspector.pages.setCurrentIndex(1)
    assert inspector.pages.tabText(1) == part
    inspector.pages.currentWidget().setFocus()
    qtbot.keyClick(inspector.pages.currentWidget(), Qt.Key.Key_Escape)
    assert inspector.isHidden()
    assert table.window().focusWidget() is table
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert inspector.isHidden(), "who closed it is not asked again by an arrow key"
    click(table, 1, qtbot)
    qtbot.waitUntil(lambda: shows(inspector, "Idle, Power (W)"))
    (close,) = (
        button
        for button in inspector.findChildren(QToolButton)
        if button.accessibleName() == "Close the explanation"
    )
    qtbot.mouseClick(close, _LEFT)
    assert inspector.isHidden()


def test_of_several_clicks_the_last_one_counts(
    page: SessionPage,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, go_on, ended = (threading.Event() for _ in range(3))

    def slow(path: Path, label: str, name: str) -> Explained:
        found = explained(path, label, name)
        if name == "power_w":
            begun.set()
            assert go_on.wait(60)
            ended.set()
        return found

    monkeypatch.setattr("app.ui.session.inspector.explained", slow)
    table, inspector = table_of(page), page.report.inspector
    told: list[str] = []
    inspector.told.connect(lambda found: told.extend(one.name for one in found))
    click(table, 1, qtbot)
    qtbot.waitUntil(begun.is_set)
    for column in (1, 2):
        click(table, column, qtbot)
    qtbot.waitUntil(lambda: len(told) == 1)
    title = inspector.title
    go_on.set()
    qtbot.waitUntil(ended.is_set)
    click(table, 3, qtbot)
    qtbot.waitUntil(lambda: len(told) == 2)
    assert "power_w" not in told
    assert not title.startswith("Idle, Power")


def test_another_session_leaves_it_open_and_empty(
    page: SessionPage,
    window: MainWindow,
    qtbot: QtBot,
) -> None:
    click(table_of(page), 1, qtbot)
    inspector = page.report.inspector
    qtbot.waitUntil(inspector.pages.isVisible)
    window.pages.sessions.open(window.pages.sessions.folder / "first.bayscope")
    qtbot.waitUntil(inspector.pages.isHidden)
    assert inspector.isVisible()
    assert inspector.title.startswith("Click a figure")
    assert not inspector.pages.count()
    assert not inspector.chart.layers
    assert not page.pane.chart.rows[0].drawn[0].counted


def test_a_session_closed_meanwhile_is_told_of_no_more(
    page: SessionPage,
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(path: Path, label: str, name: str) -> Explained:
        begun.set()
        assert go_on.wait(60)
        return explained(path, label, name)

    monkeypatch.setattr("app.ui.session.inspector.explained", slow)
    click(table_of(page), 1, qtbot)
    qtbot.waitUntil(begun.is_set)
    first = window.pages.sessions.folder / "first.bayscope"
    with qtbot.assertNotEmitted(page._background.failed):
        window.pages.sessions.open(first)
        qtbot.waitUntil(lambda: page.record is not None and page.record.path == first)
        go_on.set()
        qtbot.waitUntil(lambda: page.report.model is not None)
    assert page.report.inspector.pages.isHidden()


def test_two_clicks_hit_the_same_cell_though_it_unfolds(
    page: SessionPage, qtbot: QtBot
) -> None:
    table, inspector = table_of(page), page.report.inspector
    at = place_of(table, 1)
    click(table, 1, qtbot)
    assert inspector.isHidden(), "rows would move under the mouse before a second click"
    qtbot.mouseDClick(table.viewport(), _LEFT, pos=at)
    qtbot.waitUntil(lambda: shows(inspector, "Idle, Power (W)"))
    assert table.visualRect(table.currentIndex()).contains(at)
    assert page.tabs.currentWidget() is page.report


def test_the_clicked_cell_of_a_table_below_stays_in_sight(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1024, 700)
    window.navigation.choose("Sessions")
    page = window.pages.sessions.page
    window.pages.sessions.open(window.pages.sessions.folder / "first.bayscope")
    qtbot.waitUntil(lambda: page.report.model is not None)
    page.tabs.setCurrentWidget(page.report)
    table = page.report.further.table
    assert table is not None
    qtbot.waitUntil(lambda: table.viewport().height() > 0)
    index = table.model().index(table.model().rowCount() - 1, 1)
    table.scrollTo(index)
    at = table.visualRect(index).center()
    qtbot.mouseClick(table.viewport(), _LEFT, pos=at)
    qtbot.waitUntil(page.report.inspector.pages.isVisible)
    assert table.viewport().rect().contains(table.visualRect(index))


def test_it_is_as_it_was_when_the_program_was_ended(
    page: SessionPage, context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    settings = Settings(tmp_path / "settings.toml")
    page.report.keep_in(settings)
    assert page.report.inspector.isHidden()
    click(table_of(page), 1, qtbot)
    qtbot.waitUntil(page.report.inspector.isVisible)
    page.report._inspected.setSizes([200, 240])
    page.report._inspected.splitterMoved.emit(200, 1)
    height = page.report.inspector.height()
    for is_open in (True, False):
        other = ReportPanel(context)
        qtbot.addWidget(other)
        other.resize(900, 600)
        other.keep_in(Settings(tmp_path / "settings.toml"))
        other.show()
        assert other.inspector.isVisible() is is_open
        if is_open:
            assert other.inspector.title.startswith("Click a figure")
            assert other.inspector.height() == height
        other.inspector.shut()
        page.report.inspector.fold()


def test_what_cannot_be_read_is_said_in_it(
    page: SessionPage,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost(path: Path, label: str, name: str) -> Explained:
        raise BadInput("the disk is gone")

    monkeypatch.setattr("app.ui.session.inspector.explained", lost)
    inspector = page.report.inspector
    click(table_of(page), 1, qtbot)
    qtbot.waitUntil(inspector.error.isVisible)
    assert "the disk is gone" in inspector.error.text()
    assert inspector.chart.isHidden()
    monkeypatch.undo()
    click(table_of(page), 1, qtbot)
    qtbot.waitUntil(lambda: inspector.title == "Idle, Power (W)")
    assert inspector.error.isHidden()


def with_output(folder: Path) -> Path:
    path = folder / "fio.bayscope"
    writer = Writer.create(path, session_info())
    step = writer.add_step(1, "Read", "fio", "")
    writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0)
    writer.update_step(step, window_start_ns=0, window_end_ns=9 * SECOND)
    writer.update_step(step, end_ns=9 * SECOND)
    text = "\n".join(["x"] * 99 + ['"iops" : 15996.252810', '"bw_bytes" : 1'])
    for name, content in (
        ("job.fio", b"[global]"),
        ("fio-output.json.zz", zlib.compress(text.encode())),
        ("short.zz", zlib.compress(text.encode())[:-5]),
    ):
        writer.artefact(step, name, "text/plain", content)
    for name, value in (("iops", 15996.252810392205), ("duration_s", 9.0)):
        made_of = "fio-output.json.zz, last document"
        result = Result(name, value, "1/s", 0, 9 * SECOND, origin=made_of)
        writer.result(step, result)
    writer.set_session(verdict="PASS", ended_ns=9 * SECOND)
    writer.finish()
    return path


def opened(
    window: MainWindow, qtbot: QtBot, path: Path
) -> tuple[Inspector, dict[str, Record]]:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(path)
    page = window.pages.sessions.page
    qtbot.waitUntil(lambda: page.record is not None and page.record.path == path)
    page.tabs.setCurrentWidget(page.report)
    qtbot.waitUntil(lambda: page.report.model is not None)
    assert page.record is not None
    return page.report.inspector, {"": page.record}


def test_a_figure_leads_to_its_place_in_the_output_of_its_engine(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = with_output(tmp_path)
    inspector, records = opened(window, qtbot, path)
    inspector.explain(records, "Read", "iops")
    qtbot.waitUntil(lambda: bool(inspector.findChildren(KeptPage)))
    (page,) = inspector.findChildren(KeptPage)
    assert page.text.toPlainText() == "", "it is read when somebody looks at it"
    inspector.pages.setCurrentWidget(page)
    qtbot.waitUntil(lambda: page.text.textCursor().hasSelection())
    assert page.text.isReadOnly()
    assert page.choice.currentText() == "fio-output.json.zz"
    assert page.text.textCursor().selectedText() == page.search.text() == "15996.25"
    page.search.setText("bw_bytes")
    page.search.returnPressed.emit()
    assert page.text.textCursor().selectedText() == "bw_bytes"
    page.choice.setCurrentIndex(page.choice.findText("job.fio"))
    qtbot.waitUntil(lambda: page.text.toPlainText() == "[global]")
    assert page.error.isHidden()
    page.choice.setCurrentIndex(page.choice.findText("short.zz"))
    qtbot.waitUntil(lambda: not page.error.isHidden())
    assert "short.zz" in page.error.text()
    assert page.text.toPlainText() == page.search.text() == ""
    page.choice.setCurrentIndex(page.choice.findText("job.fio"))
    qtbot.waitUntil(lambda: page.text.toPlainText() == "[global]")
    assert page.error.isHidden()


def test_a_blank_cell_says_why_it_is_blank(
    window: MainWindow, context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    with Session.open(with_output(tmp_path)) as session:
        [row] = report_rows(session)
    table = Table((STEP, column_of(BY_NAME["power_w"])), ((str(row["step"]), None),))
    assert result_at(table, 0, 1) == ""
    shown = ReportTable(table, "Report", context)
    qtbot.addWidget(shown)
    with qtbot.waitSignal(shown.cell_wanted) as wanted:
        shown.activated.emit(shown.model().index(0, 1))
    assert wanted.args == ["Read", "power_w", Looked.ASKED]
    path = tmp_path / "fio.bayscope"
    inspector, records = opened(window, qtbot, path)
    inspector.explain(records, "Read", "power_w")
    qtbot.waitUntil(lambda: bool(inspector.pages.count()))
    assert ": blank\n" in text_of(inspector, "Explanation")


def test_a_double_click_on_a_name_leads_to_its_traces(
    page: SessionPage,
    qtbot: QtBot,
) -> None:
    table = table_of(page)
    click(table, 0, qtbot)
    with qtbot.waitSignal(table.row_wanted) as wanted:
        qtbot.mouseDClick(table.viewport(), _LEFT, pos=place_of(table, 0))
    assert wanted.args == ["Idle"]


def test_the_menu_explains_the_cell_that_was_clicked(
    page: SessionPage,
    qtbot: QtBot,
) -> None:
    table = table_of(page)
    table.setCurrentIndex(table.model().index(0, 1))
    explain, *_ = table.actions()
    page.report.cell_chosen.disconnect()
    with qtbot.waitSignal(page.report.cell_chosen) as wanted:
        explain.trigger()
    assert wanted.args == ["Idle", "power_w", Looked.ASKED]
