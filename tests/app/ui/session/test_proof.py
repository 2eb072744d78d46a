"""From a figure of the report to its samples, and all figures computed again."""
# mypy: disallow-untyped-calls=False

import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.analysis.again.rows import results_again, row_of
from app.operations.sessions.explaining import Explained, explained
from app.record.store import Result, Session, Writer
from app.report.rows import report_rows
from app.report.table import STEP, Table, column_of
from app.report.tables import result_at
from app.ui.kit.context import Context
from app.ui.session.page import SessionPage
from app.ui.session.proof import KeptPage, ProofDialog
from app.ui.session.report_panel import ReportTable
from app.ui.window.main_window import MainWindow
from instruments.metric import BY_NAME
from instruments.reading import SECOND, Channel, Identity
from tests.app.ui.dialogs import press
from tests.session_info import session_info


def write(folder: Path) -> Path:
    """Write a session whose results come out again."""
    path = folder / "good.bayscope"
    writer = Writer.create(path, session_info())
    writer.add_source("mains", "power", "hmc8015", Identity("", "", "7", "", ""), "")
    times = np.arange(40, dtype=np.int64) * SECOND // 2
    values = np.array([np.linspace(500.0, 510.0, 40), np.linspace(0.9, 0.95, 40)]).T
    channels = tuple(
        Channel("mains", quantity, unit, period_ns=SECOND // 2)
        for quantity, unit in (("P", "W"), ("lambda", ""))
    )
    writer.append_trace(channels, times, times, values)
    step = writer.add_step(1, "Idle", "idle", "")
    window = 5 * SECOND, 15 * SECOND
    writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0)
    writer.update_step(step, window_start_ns=window[0], window_end_ns=window[1])
    writer.update_step(step, end_ns=20 * SECOND)
    writer.commit()
    with Session.open(path) as session:
        row = row_of(session, session.steps()[0])
        assert row is not None
        for result in results_again(row):
            writer.result(step, result)
    writer.set_session(verdict="PASS", ended_ns=20 * SECOND)
    writer.finish()
    return path


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> SessionPage:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(write(tmp_path))
    found = window.pages.sessions.page
    qtbot.waitUntil(lambda: found.record is not None)
    found.tabs.setCurrentWidget(found.report)
    qtbot.waitUntil(lambda: found.report.model is not None)
    return found


def dialog_of(window: MainWindow, qtbot: QtBot) -> ProofDialog:
    qtbot.waitUntil(lambda: bool(window.findChildren(ProofDialog)))
    (found,) = window.findChildren(ProofDialog)
    return found


def text_of(dialog: ProofDialog, name: str) -> str:
    pages = dialog.pages
    (at,) = (n for n in range(pages.count()) if pages.tabText(n) == name)
    page = pages.widget(at)
    assert isinstance(page, QPlainTextEdit)
    return page.toPlainText()


def test_a_figure_leads_to_its_samples_and_into_the_charts(
    page: SessionPage,
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers: list[str] = []

    def watched(path: Path, label: str, name: str) -> Explained:
        workers.append(threading.current_thread().name)
        return explained(path, label, name)

    monkeypatch.setattr("app.ui.session.proof.explained", watched)
    table = page.report._table
    assert table is not None
    power = page.pane.chart._stack.panels
    (row,) = page.pane.chart.rows
    page.pane.chart.show_panel(row.row.panels[-1].title)
    assert page.pane.chart._stack.panels != power
    cell = table.visualRect(table.model().index(0, 1)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    dialog = dialog_of(window, qtbot)
    assert "MainThread" not in workers
    assert dialog.windowTitle() == "Idle, Power (W)"
    assert "Idle, Power (W): 505." in text_of(dialog, "Explanation")
    samples = text_of(dialog, "Samples").splitlines()
    assert samples[0].split()[:3] == ["5.000", "s", "mains.P"]
    assert len(samples) in (20, 21)
    page.pane.chart.part.span(1.0, 3.0)
    press("Show in the charts")(dialog)
    part = page.pane.chart.part
    assert part.cursors is None
    assert (part.now.start, part.now.end) == pytest.approx((5.0, 15.0))
    assert part.now.label == "Idle, measured window"
    qtbot.waitUntil(lambda: page.pane.statistics.title.startswith(part.now.label))
    assert page.tabs.currentIndex() == 0
    left, right = page.pane.chart.visible_range
    assert page.record is not None
    begin = (5 * SECOND - page.record.layer.origin) / SECOND
    assert (left, right) == pytest.approx((begin, begin + 10.0), abs=0.5)
    assert page.pane.chart._stack.panels == power
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))


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


def test_a_figure_leads_to_its_place_in_the_output_of_its_engine(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = with_output(tmp_path)
    window.pages.sessions.page.proof.explain({"": path}, "Read", "iops")
    dialog = dialog_of(window, qtbot)
    (page,) = dialog.findChildren(KeptPage)
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
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))


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
    assert wanted.args == ["Read", "power_w"]
    window.pages.sessions.page.proof.explain(
        {"": tmp_path / "fio.bayscope"}, "Read", "power_w"
    )
    dialog = dialog_of(window, qtbot)
    assert ": blank\n" in text_of(dialog, "Explanation")
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))


def test_a_name_leads_to_its_traces_as_before(page: SessionPage, qtbot: QtBot) -> None:
    table = page.report._table
    assert table is not None
    with qtbot.waitSignal(table.row_wanted) as wanted:
        table.activated.emit(table.model().index(0, 0))
    assert wanted.args == ["Idle"]


def test_the_menu_explains_the_cell_that_was_clicked(
    page: SessionPage, qtbot: QtBot
) -> None:
    table = page.report._table
    assert table is not None
    table.setCurrentIndex(table.model().index(0, 1))
    explain, *_ = table.actions()
    page.report.cell_chosen.disconnect()
    with qtbot.waitSignal(page.report.cell_chosen) as wanted:
        explain.trigger()
    assert wanted.args == ["Idle", "power_w"]


def test_what_comes_out_again_is_said_in_a_sentence(
    page: SessionPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.head.verify.click()
    assert not page.head.verify.isEnabled()
    dialog = dialog_of(window, qtbot)
    assert page.head.verify.isEnabled()
    assert not dialog.pages.count()
    told = [label.text() for label in dialog.findChildren(QLabel)]
    assert any("the same to the last bit" in text for text in told)
    dialog.buttons.button(QDialogButtonBox.StandardButton.Close).click()
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))


def test_what_differs_is_named(
    page: SessionPage, window: MainWindow, qtbot: QtBot
) -> None:
    """The results of the sample are of its own making."""
    window.pages.sessions.open(window.pages.sessions.folder / "first.bayscope")
    qtbot.waitUntil(
        lambda: page.record is not None and page.record.path.stem == "first"
    )
    page.head.verify.click()
    dialog = dialog_of(window, qtbot)
    assert "Idle" in text_of(dialog, "What differs")
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))
