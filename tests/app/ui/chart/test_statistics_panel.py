"""Statistics where one looks: of a step, of A to B, of what is shown."""
# mypy: disallow-untyped-calls=False

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.analysis.samples import samples_of
from app.report.chart.statistics import table_note
from app.ui.chart.layers import Phase
from app.ui.chart.pane import ChartPane
from app.ui.kit.context import Context
from app.ui.session.page import SessionPage
from app.ui.session.record import open_record
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND
from tests.app.ui.sample import MAINS, begin_sample

WRITE = "Random write 4k"


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> SessionPage:
    window.navigation.choose("Sessions")
    found = window.pages.sessions
    qtbot.waitUntil(lambda: found.record is not None)
    found.open(found.folder / "second.bayscope")
    qtbot.waitUntil(
        lambda: found.record is not None and found.record.path.stem == "second"
    )
    qtbot.waitUntil(lambda: bool(found.page.pane.chart._strip._phases))
    return found.page


def click_step(page: SessionPage, label: str, qtbot: QtBot) -> None:
    strip = page.pane.chart._strip
    [phase] = [one for one in strip._phases if one.label == label]
    at = strip._box(phase).center().toPoint()
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=at)


def figures(page: SessionPage) -> dict[str, tuple[str, ...]]:
    panel = page.pane.statistics
    return {line.name: line.statistics.cells for line in panel.model.records}


def test_one_click_on_a_step_shows_its_statistics(
    page: SessionPage, qtbot: QtBot
) -> None:
    assert page.pane.statistics.isHidden()
    click_step(page, WRITE, qtbot)
    qtbot.waitUntil(lambda: "Power, W" in figures(page))
    assert page.pane.statistics.title.startswith(f"{WRITE}, measured window")
    assert page.record is not None
    session = page.record.session
    [step] = [one for one in session.steps() if one.label == WRITE]
    window = (step.window_start_ns or 0, step.window_end_ns or 0)
    [power] = [one for one in session.channels() if one.name == "mains.P"]
    mean = samples_of(session, power, window).mean
    assert float(figures(page)["Power, W"][2]) == pytest.approx(mean, abs=0.1)
    assert "of" in figures(page)["Power, W"][-1]
    title = page.pane.statistics._title
    assert title.toolTip().split() == title.text().split()
    lines = [line.statistics for line in page.pane.statistics.model.records]
    note = table_note(session, window, lines)
    assert "energy" in note, "the row of the sample has another energy"
    assert note in page.pane.statistics.title


def test_a_curve_that_is_hidden_has_no_line(page: SessionPage, qtbot: QtBot) -> None:
    click_step(page, WRITE, qtbot)
    qtbot.waitUntil(lambda: "Power, W" in figures(page))
    drawn = [one for row in page.pane.chart.rows for one in row.drawn]
    [power] = [one for one in drawn if one.entry.label == "Power"]
    power.entry.clicked.emit()
    qtbot.waitUntil(lambda: "Power, W" not in figures(page))
    power.entry.clicked.emit()
    qtbot.waitUntil(lambda: "Power, W" in figures(page))


def test_cards_say_of_what_they_are_the_means(page: SessionPage, qtbot: QtBot) -> None:
    click_step(page, WRITE, qtbot)
    qtbot.waitUntil(lambda: page.readouts.title == "Means of a part")
    assert WRITE in page.readouts._of.text()
    page.pane.chart.zoom.show_all()
    qtbot.waitUntil(lambda: page.readouts.title == "Session means")
    assert page.readouts._of.isHidden()


def test_cursors_by_keys_give_the_difference_too(
    page: SessionPage, qtbot: QtBot
) -> None:
    chart = page.pane.chart
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_A)
    qtbot.keyClick(chart, Qt.Key.Key_B)
    assert chart.part.cursors is not None
    assert chart.part.now.label == "Cursors A to B"
    lines = page.pane.statistics.model
    qtbot.waitUntil(lambda: any(line.change for line in lines.records))
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.part.cursors is None


def test_the_table_is_copied_as_text(page: SessionPage, qtbot: QtBot) -> None:
    click_step(page, WRITE, qtbot)
    qtbot.waitUntil(lambda: "Power, W" in figures(page))
    page.pane.statistics.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith(WRITE)
    assert lines[1].split("\t")[:3] == ["Curve", "Unit", "Mean"]
    assert len(lines) == 2 + len(figures(page))


def test_a_zoom_has_its_own_and_spans_fit_the_session(
    page: SessionPage, qtbot: QtBot
) -> None:
    pane = page.pane
    pane.show_statistics()
    qtbot.waitUntil(lambda: pane.statistics.title.startswith("Whole session"))
    pane.chart.zoom.zoom_to(10.0, 20.0)
    assert pane._span.currentIndex() == -1
    qtbot.waitUntil(lambda: pane.statistics.title.startswith("What is shown"))
    offered = [pane._span.itemText(n) for n in range(pane._span.count())]
    assert "Last 30 min" not in offered
    pane.hide_statistics()
    assert pane.statistics.isHidden()


def test_statistics_follow_a_session_that_grows(
    qtbot: QtBot, context: Context, tmp_path: Path
) -> None:
    path, writer = begin_sample(tmp_path / "s.bayscope", step_s=4, silence=False)
    record = open_record(path)
    pane = ChartPane(context)
    qtbot.addWidget(pane)
    pane.resize(900, 700)
    pane.show()
    end = record.layer.end
    pane.chart.set_limit(end)
    pane.set_layers([record.layer])
    pane.show_statistics()

    def count() -> int:
        lines = {line.name: line.statistics for line in pane.statistics.model.records}
        found = lines["Power, W"].found if "Power, W" in lines else None
        return found.n_valid if found is not None else 0

    qtbot.waitUntil(lambda: count() > 0)
    before = count()
    # Ten seconds more of the meter.
    times = end + (np.arange(1, 101) * SECOND) // 10
    values = np.tile([500.0, 520.0, 0.96, 230.0, 2.2], (100, 1))
    writer.append_trace(MAINS, times, times, values + np.arange(100)[:, None])
    writer.commit()
    fresh = record.refreshed()
    now = int(times[-1])
    pane.advance([replace(fresh.layer, end=now)], now)
    qtbot.waitUntil(lambda: count() > before + 80)
    assert "Whole session" in pane.statistics.title
    pane.chart.close_plots()
    record.close()
    writer.finish()


def test_a_chosen_step_that_still_runs_gets_longer(page: SessionPage) -> None:
    part = page.pane.chart.part
    part.choose_step(Phase(10.0, 20.0, "Now", ""))
    part.follow([Phase(0.0, 9.0, "Now", ""), Phase(10.0, 25.0, "Now", "")])
    assert (part.now.start, part.now.end) == (10.0, 25.0)


def test_what_is_shown_outside_the_session_is_not_missed(
    page: SessionPage, qtbot: QtBot
) -> None:
    chart = page.pane.chart
    click_step(page, WRITE, qtbot)
    left, right = chart._range.extent
    chart.zoom.zoom_to(left - 500.0, right + 500.0)
    part = chart.part.now
    assert (part.start, part.end) == (left, right)
    chart.part.span(right - 2.0, right + 100.0)
    assert (chart.part.now.start, chart.part.now.end) == (right - 2.0, right)
